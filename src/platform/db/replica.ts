import type { Log } from '../log/log.ts'
import { createSparing } from '../log/sparing.ts'
import type { Clock } from '../time/clock.ts'
import type { Sql } from './database.ts'
import { rowsOf } from './dialect.ts'

/** The time (ms) for which a read waits until a standby has what the primary has. */
const REPLAY_MS = 100
/** The time (ms) between two looks at the standby. */
const LOOK_MS = 5
/** The time (ms) for which a standby is not asked again: one that was behind, and one that failed or did not answer. */
const BEHIND_MS = 1000
const FAILED_MS = 10_000

/**
 * The state of a standby, seen from its primary. `behind`: some of what is stored is not replayed. `primary`: the server is no standby.
 * `foreign`: the standby follows another primary, of another cluster or of the line before a promotion.
 */
export type ReplicaState = 'current' | 'behind' | 'primary' | 'foreign'

/** A standby on which reads may run. */
export interface Replica {
  /**
   * Tells whether a read may run on the standby: it has replayed everything that was committed when this was called, so the read finds what
   * its caller has written, through whichever node. Waits for that for at most `REPLAY_MS`. Never throws.
   */
  isCurrent(): Promise<boolean>
  /** Notes that a read failed there: for a while no other is tried. */
  failed(error: unknown): void
}

/** The position up to which the primary has told callers that their work is stored, and whose line it is. */
interface Mark {
  lsn: string
  timeline: number
  system: string
}

/** `primary` and `standby` are handles for queries. */
export function createReplica(
  { primary, standby }: { primary: Sql; standby: Sql },
  { clock, log }: { clock: Pick<Clock, 'monotonic' | 'sleep'>; log: Log },
): Replica {
  const isNew = createSparing()
  let restUntil = 0

  function rest(ms: number, why: string): void {
    restUntil = clock.monotonic() + ms
    if (isNew(why, clock.monotonic())) log.warn({ why }, 'long reads go to the primary, not to database.readUrl')
  }

  async function wait(signal: AbortSignal): Promise<ReplicaState> {
    const mark = await markOf(primary)
    for (;;) {
      const state = await stateOf(standby, mark)
      if (state !== 'behind' || signal.aborted) return state
      await clock.sleep(LOOK_MS, signal)
    }
  }

  return {
    async isCurrent() {
      if (clock.monotonic() < restUntil) return false
      const over = new AbortController()
      const waited = wait(over.signal)
      // A server that hangs answers later, and nobody waits for it.
      waited.catch(() => {})
      try {
        const state = await Promise.race([waited, clock.sleep(REPLAY_MS, over.signal).then(() => 'behind' as const)])
        if (state === 'behind') restUntil = clock.monotonic() + BEHIND_MS
        else if (state !== 'current') rest(FAILED_MS, SENTENCES[state])
        return state === 'current'
      } catch (error) {
        rest(FAILED_MS, error instanceof Error ? error.message : String(error))
        return false
      } finally {
        over.abort()
      }
    },

    failed(error) {
      rest(FAILED_MS, error instanceof Error ? error.message : String(error))
    },
  }
}

/** Sentences for what cannot be read from, also for the doctor. */
export const SENTENCES = {
  primary: 'database.readUrl leads to a server that is no standby',
  foreign: 'database.readUrl leads to a standby of another primary than database.url',
} as const

/** The present position of the primary. */
export async function markOf(primary: Sql): Promise<Mark> {
  const result = await primary.raw(
    `SELECT lsn::text AS lsn, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int AS timeline,
       (SELECT system_identifier::text FROM pg_control_system()) AS system
     FROM (SELECT pg_current_wal_flush_lsn() AS lsn) AS now`,
  )
  return rowsOf<Mark>(result)[0]!
}

/**
 * Compares a standby with the position of the primary. Positions say nothing when the standby follows another line: after a promotion,
 * one that has stayed with the former primary may be further on. The control file names the line of the last restart point, and is late rather than early.
 */
export async function stateOf(standby: Sql, { lsn, timeline, system }: Mark): Promise<ReplicaState> {
  const result = await standby.raw(
    `SELECT pg_is_in_recovery() AS standby, COALESCE(pg_last_wal_replay_lsn() >= ?::pg_lsn, false) AS current,
       (SELECT system_identifier::text FROM pg_control_system()) = ?
         AND ? = (SELECT greatest(c.timeline_id, r.min_recovery_end_timeline) FROM pg_control_checkpoint() AS c, pg_control_recovery() AS r) AS ours`,
    [lsn, system, timeline],
  )
  const {
    standby: isStandby,
    current,
    ours,
  } = rowsOf<{ standby: boolean; current: boolean; ours: boolean }>(result)[0]!
  if (!isStandby) return 'primary'
  if (!ours) return 'foreign'
  return current ? 'current' : 'behind'
}
