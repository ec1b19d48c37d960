import { type StepAreas, type StepParts, type Stepped, takeStep } from '../../audience/walk/step.ts'
import type { FanOut } from './fan-out.ts'

export interface FanOutAreas extends StepAreas {
  fanOut: Pick<FanOut, 'open' | 'read' | 'store' | 'giveUp'>
}

/** Takes the next step of a due run: stores the pages of its next recipients and the run's cursor. */
export function stepRun(parts: StepParts<FanOutAreas>, runId: number): Promise<Stepped> {
  return takeStep(parts, ({ fanOut }) => fanOut, 'dispatch.read', runId)
}

/** Ends the notification of a run that cannot be processed. */
export function giveUpRun(
  { inTransaction }: Pick<StepParts<FanOutAreas>, 'inTransaction'>,
  runId: number,
  reason: string,
): Promise<void> {
  return inTransaction(({ fanOut }) => fanOut.giveUp(runId, reason))
}
