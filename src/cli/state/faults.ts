import type { App } from '../../app.ts'
import { DAMAGED_SENTENCE } from '../../platform/db/soundness.ts'
import { lowRemedy } from '../../platform/disk-space.ts'
import type { Fault, FaultKind } from '../../platform/faults.ts'
import { holdOf } from './hold.ts'

/**
 * What is wrong, as somebody outside of the server can tell: what running servers stored of themselves, and what can be seen from
 * here because it cannot be stored, a full disk and damaged pages. `served` is undefined where that cannot be told.
 */
export async function faultsOf(app: App, served: boolean | undefined): Promise<Fault[]> {
  const { vitals } = app
  const { clock, disk, db } = app.kernel
  const now = clock.now()
  const stored = served === false ? [] : await app.storedFaults.list()
  const faults = stored.filter(({ kind }) => kind !== 'held' && kind !== 'disk')
  const add = (kind: FaultKind, sentence: string, since = now) => {
    if (!faults.some((fault) => fault.kind === kind)) faults.push({ kind, about: '', sentence, since })
  }
  const hold = await holdOf(app)
  if (hold) add('held', hold.sentence, hold.since ?? now)
  const space = disk.look()
  if (space && disk.isLow()) add('disk', lowRemedy(space), stored.find(({ kind }) => kind === 'disk')?.since)
  // A large database is not read through for a command.
  if (db.kind === 'sqlite' && (db.soundness.damaged || (await vitals.isSound()) === false))
    add('corrupt', DAMAGED_SENTENCE)
  return faults
}
