import { failpoint } from '../../platform/failpoints.ts'
import type { GeofencesService } from '../geofences/service.ts'
import type { Dispatch, Stepped } from './dispatch.ts'

export interface FanOutAreas {
  dispatch: Pick<Dispatch, 'open' | 'read' | 'store'>
  geofences: Pick<GeofencesService, 'settle'>
}

export interface FanOutParts {
  /** Outside of any transaction. */
  read: FanOutAreas
  inTransaction<T>(work: (areas: FanOutAreas) => Promise<T>): Promise<T>
}

/** Transactions in which installs are placed into new fences before other runs have their turn. */
const SETTLED_AT_ONCE = 10

/**
 * Takes a due run a step further: reads its next recipients without keeping anybody from writing, then stores their pages and
 * how far it came. What happened in between decides: a run that was cancelled or that another process stepped is `lost`, and
 * nothing of the step is stored. A run whose recipients depend on geofences begins when everybody is placed in them.
 */
export async function stepRun({ read, inTransaction }: FanOutParts, runId: number): Promise<Stepped> {
  const opened = await read.dispatch.open(runId)
  if (!opened) return 'lost'
  if (opened.beginsWithFences) {
    const { appId } = opened.run
    for (let i = 0; await inTransaction(({ geofences }) => geofences.settle(appId)); i++) {
      if (i >= SETTLED_AT_ONCE) return 'more'
    }
  }
  const ready = await read.dispatch.read(opened)
  failpoint('dispatch.read')
  return inTransaction(({ dispatch }) => dispatch.store(ready))
}
