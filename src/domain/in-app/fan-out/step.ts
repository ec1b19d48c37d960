import { type StepAreas, type StepParts, type Stepped, takeStep } from '../../audience/walk/step.ts'
import type { FanOut } from './fan-out.ts'

export interface FanOutAreas extends StepAreas {
  inAppFanOut: Pick<FanOut, 'open' | 'read' | 'store' | 'giveUp'>
}

/** Takes the next step of a due message: stores its next users, their pushes and the message's cursor. */
export function stepMessage(parts: StepParts<FanOutAreas>, id: number): Promise<Stepped> {
  return takeStep(parts, ({ inAppFanOut }) => inAppFanOut, 'inapp.read', id)
}

/** Ends a message that cannot be processed. */
export function giveUpMessage(
  { inTransaction }: Pick<StepParts<FanOutAreas>, 'inTransaction'>,
  id: number,
  reason: string,
): Promise<void> {
  return inTransaction(({ inAppFanOut }) => inAppFanOut.giveUp(id, reason))
}
