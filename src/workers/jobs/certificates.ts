import { keepCertificates } from '../../domain/certificates/keep.ts'
import { complain, type JobContext } from './job.ts'

/** A new app or a changed host is noticed after this time at the latest. */
const LOOK_MS = 20_000

/** Gets and renews certificates until the signal aborts. */
export async function certificates({ program, owner, signal, tick }: JobContext): Promise<void> {
  const { clock, log, config, db, disk } = program.kernel
  const parts = {
    certificates: program.certificates,
    write: <T>(work: (certificates: JobContext['program']['certificates']) => Promise<T>) =>
      program.inTransaction((tx) => work(tx.certificates)),
    config,
    clock,
    log,
    owner,
    random: Math.random,
    tick,
  }
  let isClean = db.kind === 'postgres'
  while (!signal.aborted) {
    tick()
    try {
      if (!db.soundness.damaged && !disk.isLow()) {
        // The directory of SQLite belongs to one process: whoever held a name is gone.
        if (!isClean) await program.inTransaction((tx) => tx.certificates.freeAll())
        isClean = true
        await keepCertificates(parts, signal)
      }
    } catch (error) {
      if (!signal.aborted) complain(log, error, {}, 'looking after certificates failed; trying again')
    }
    await clock.sleep(LOOK_MS, signal)
  }
}
