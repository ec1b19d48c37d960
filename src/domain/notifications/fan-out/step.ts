import { type StepAreas, type StepParts, type Stepped, takeStep } from '../../audience/step.ts'
import type { Dispatch } from './fan-out.ts'

export interface FanOutAreas extends StepAreas {
  fanOut: Pick<Dispatch, 'open' | 'read' | 'store'>
}

/** Takes a due run a step further: the pages of its next recipients and how far it came. */
export function stepRun(parts: StepParts<FanOutAreas>, runId: number): Promise<Stepped> {
  return takeStep(parts, ({ fanOut }) => fanOut, 'dispatch.read', runId)
}
