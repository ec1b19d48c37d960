import { DAMAGED_SENTENCE } from '../../platform/db/soundness.ts'
import { lowRemedy } from '../../platform/files/disk-space.ts'
import type { Fault, FaultKind } from '../../platform/instance/faults.ts'
import type { Program } from '../../program.ts'
import { holdOf } from './hold.ts'

/**
 * The current faults as seen from outside the server: those that running servers stored, and those that cannot be
 * stored (a full disk, damaged pages), which are checked here. `served` is undefined if it is unknown whether a server
 * runs.
 */
export async function faultsOf(program: Program, served: boolean | undefined): Promise<Fault[]> {
  const { vitals } = program
  const { clock, disk, db } = program.kernel
  const now = clock.now()
  const stored = served === false ? [] : await program.storedFaults.list()
  const faults = stored.filter(({ kind }) => kind !== 'held' && kind !== 'disk')
  const add = (kind: FaultKind, sentence: string, since = now) => {
    if (!faults.some((fault) => fault.kind === kind)) faults.push({ kind, about: '', sentence, since })
  }
  const hold = await holdOf(program, served)
  if (hold) add('held', hold.sentence, hold.since ?? now)
  const space = disk.look()
  if (space && disk.isLow()) add('disk', lowRemedy(space), stored.find(({ kind }) => kind === 'disk')?.since)
  // `isSound` skips large databases: reading them whole would take too long for a command.
  if (db.kind === 'sqlite' && (db.soundness.damaged || (await vitals.isSound()) === false))
    add('corrupt', db.soundness.sentence ?? DAMAGED_SENTENCE)
  return faults
}
