import { createIngestion, type IngestParts, removeOrphans } from '../../domain/channels/ingest.ts'
import { messageOf } from '../../platform/errors.ts'
import { complain, type JobContext } from './job.ts'

/** The number of files that are processed side by side. They take steps in turn, so that a large one does not hold up a small one. */
const SIDE_BY_SIDE = 16
/** Imports of other nodes that are looked past. */
const MOST_ELSEWHERE = 1000
/**
 * Interval of looking without being woken: another node or the command line may have accepted a file without a signal.
 */
const LOOK_MS = 1000
const FAILED_MS = 1000
const TIDY_MS = 600_000

/** Applies files of channel subscribers until the signal aborts. */
export async function ingest({ program, owner, signal, wake, tick }: JobContext): Promise<void> {
  const { clock, log, config, db, disk } = program.kernel
  const parts: IngestParts = {
    read: program.ingestion,
    inTransaction: (work) => program.inTransaction((tx) => work(tx.ingestion)),
    clock,
    dataDir: config.dataDir,
    alone: db.kind === 'sqlite',
    owner,
  }
  const ingestion = createIngestion(parts)
  let tidyAt = clock.monotonic()

  /** Imports that other nodes apply: they are no reason for ours to wait. */
  let elsewhere = 0

  /** Takes one step of each open import. False when there was nothing to do. */
  async function stepAll(): Promise<boolean> {
    // Subscriptions need disk space.
    if (disk.isLow() || db.soundness.damaged) return false
    let worked = false
    const open = await program.ingestion.imports.open(SIDE_BY_SIDE + Math.min(elsewhere, MOST_ELSEWHERE))
    ingestion.keepOnly(open.map(({ row }) => row))
    const before = elsewhere
    elsewhere = 0
    for (const one of open) {
      if (signal.aborted) break
      tick()
      const step = await ingestion.step(one.row)
      if (step === 'elsewhere') elsewhere++
      else worked = true
      const about = { app: one.appId, channel: one.channelId, import: one.id }
      if (step === 'done') log.info(about, 'a subscriber file was applied')
      else if (step === 'failed')
        log.warn(about, 'a subscriber file could not be applied; appsvc channels imports shows why')
    }
    // More of them than before: behind them may be one of ours.
    return worked || elsewhere > before
  }

  while (!signal.aborted) {
    tick()
    try {
      if (await stepAll()) continue
      if (clock.monotonic() >= tidyAt) {
        await removeOrphans(parts)
        tidyAt = clock.monotonic() + TIDY_MS
      }
      await wake.wait(LOOK_MS, signal)
    } catch (error) {
      complain(log, error, {}, 'processing a subscriber file failed; trying again')
      await clock.sleep(FAILED_MS, signal)
    }
  }
  // A database that does not answer ends the leases by itself.
  await ingestion.release().catch((error: unknown) => log.debug({ error: messageOf(error) }, 'leases of files stay'))
}
