import { failpoint } from '../../platform/failpoints.ts'
import type { GeofencesService } from '../geofences/service.ts'
import type { FanOut, Stepped } from './fan-out.ts'

export interface StepAreas {
  inAppFanOut: Pick<FanOut, 'open' | 'read' | 'store'>
  geofences: Pick<GeofencesService, 'settle'>
}

export interface StepParts {
  /** Outside of any transaction. */
  read: StepAreas
  inTransaction<T>(work: (areas: StepAreas) => Promise<T>): Promise<T>
}

/** Transactions in which installs are placed into new fences before other messages have their turn. */
const SETTLED_AT_ONCE = 10

/**
 * Takes a due message a step further: reads its next users without keeping anybody from writing, then stores them, their pushes
 * and how far it came. A message that was withdrawn meanwhile, or that another process stepped, is `lost`, and nothing of the
 * step is stored. A walk whose users depend on geofences begins when everybody is placed in them.
 */
export async function stepMessage({ read, inTransaction }: StepParts, id: number): Promise<Stepped> {
  const opened = await read.inAppFanOut.open(id)
  if (!opened) return 'lost'
  if (opened.beginsWithFences) {
    const { appId } = opened.walk
    for (let i = 0; await inTransaction(({ geofences }) => geofences.settle(appId)); i++) {
      if (i >= SETTLED_AT_ONCE) return 'more'
    }
  }
  const ready = await read.inAppFanOut.read(opened)
  failpoint('inapp.read')
  return inTransaction(({ inAppFanOut }) => inAppFanOut.store(ready))
}
