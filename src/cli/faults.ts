import type { App } from '../app.ts'
import { DAMAGED_SENTENCE } from '../platform/db/soundness.ts'
import { lowSentence } from '../platform/disk-space.ts'
import type { Fault, FaultKind } from '../platform/faults.ts'
import { holdOf } from './hold.ts'

/** Larger databases are not read through for a command. */
const MOST_CHECKED_BYTES = 128 * 1024 * 1024

/**
 * What is wrong, as somebody outside of the server can tell: what running servers stored of themselves, and what can be seen from
 * here because it cannot be stored, a full disk and damaged pages. `served` is undefined where that cannot be told.
 */
export async function faultsOf(app: App, served: boolean | undefined): Promise<Fault[]> {
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
  if (space && disk.isLow()) add('disk', lowSentence(space), stored.find(({ kind }) => kind === 'disk')?.since)
  if (db.kind === 'sqlite' && (await isDamaged(app))) add('corrupt', DAMAGED_SENTENCE)
  return faults
}

async function isDamaged({ vitals, kernel: { db } }: App): Promise<boolean> {
  if ((await vitals.databaseBytes()) > MOST_CHECKED_BYTES) return db.soundness.damaged
  return !(await vitals.isSound())
}
