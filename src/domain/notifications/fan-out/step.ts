import { type StepAreas, type StepParts, type Stepped, takeStep } from '../../audience/step.ts'
import type { FanOut } from './fan-out.ts'

export interface FanOutAreas extends StepAreas {
  fanOut: Pick<FanOut, 'open' | 'read' | 'store'>
}

/** Takes the next step of a due run: stores the pages of its next recipients and the run's cursor. */
export function stepRun(parts: StepParts<FanOutAreas>, runId: number): Promise<Stepped> {
  return takeStep(parts, ({ fanOut }) => fanOut, 'dispatch.read', runId)
}
