import { type StepAreas, type StepParts, type Stepped, takeStep } from '../../audience/step.ts'
import type { FanOut } from './fan-out.ts'

interface Areas extends StepAreas {
  inAppFanOut: Pick<FanOut, 'open' | 'read' | 'store'>
}

/** Takes a due message a step further: its next users, their pushes and how far it came. */
export function stepMessage(parts: StepParts<Areas>, id: number): Promise<Stepped> {
  return takeStep(parts, ({ inAppFanOut }) => inAppFanOut, 'inapp.read', id)
}
