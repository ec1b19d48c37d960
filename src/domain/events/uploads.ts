import { setImmediate } from 'node:timers/promises'
import { together } from '../../platform/concurrency/together.ts'
import { HandlerFailed } from './ingest/effects.ts'
import { type EventLimits, readUpload, type Sizing, type Upload } from './ingest/envelope.ts'
import type { EventsService } from './service.ts'
import type { IngestReport } from './types.ts'

/**
 * Maximum number of uploads and of events in one transaction; an upload with more events gets a transaction of its own.
 * Beyond a few dozen uploads the shared cost per upload is negligible, and a longer transaction only makes the next
 * uploads wait.
 */
const MAX_UPLOADS = 64
const MAX_EVENTS = 500

/** The time (ms) for which transactions on PostgreSQL wait for uploads. Two thirds of what an upload alone costs there is its transaction. */
export const GATHER_UPLOADS_MS = 10

/** Runs `work` in a transaction. */
type InTransaction = <T>(work: (areas: { events: Pick<EventsService, 'ingestAll'> }) => Promise<T>) => Promise<T>

export type Uploads = ReturnType<typeof createUploads>

interface UploadsOptions {
  limits?: EventLimits
  /**
   * The time for which a transaction takes uploads aboard that arrive while it runs (ms); by default it takes none. For
   * SQLite, where a commit takes as long as ten uploads and nobody else can write meanwhile. On PostgreSQL rows are
   * locked in order, which a second group would break.
   */
  boardingMs?: number
  /** The time (ms) for which a transaction waits for as many uploads as came lately, for PostgreSQL (`gatherMs` of together.ts). */
  gatherMs?: number
}

/**
 * Uploads that arrive while another transaction of their app is running share the next one: a handful of statements and
 * one commit for all of them. Each app has one transaction at a time, so apps do not wait for each other and uploads of
 * one app cannot deadlock.
 */
export function createUploads(
  inTransaction: InTransaction,
  { limits, boardingMs = 0, gatherMs = 0 }: UploadsOptions = {},
) {
  const add = together<number, Upload, IngestReport>({
    async run(appId, uploads, board) {
      const aboard = [...uploads]
      const boardMore = async () => {
        let more = board()
        if (more.length === 0) {
          // The event loop turns once, as before every commit.
          await setImmediate()
          more = board()
        }
        aboard.push(...more)
        return more
      }
      try {
        return await inTransaction(async ({ events }) => {
          const until = performance.now() + boardingMs
          // All who are aboard: a transaction may be begun anew.
          const reports = await events.ingestAll(appId, [...aboard], 'trusting')
          while (performance.now() < until) {
            const more = await boardMore()
            if (more.length === 0) break
            reports.push(...(await events.ingestAll(appId, more, 'trusting')))
          }
          return reports
        })
      } catch (error) {
        if (!(error instanceof HandlerFailed)) throw error
        return inTransaction(({ events }) => events.ingestAll(appId, aboard, 'careful'))
      }
    },
    count: countTogether,
    gatherMs,
  })

  return {
    /** `EventsService.ingest` in a transaction shared with other uploads; resolves after the commit. */
    async ingest(
      appId: number,
      installId: string,
      body: unknown,
      sizing: Omit<Sizing, 'limits'> = {},
    ): Promise<IngestReport> {
      return add(appId, readUpload(installId, body, { ...sizing, limits }))
    },
  }
}

/** The number of waiting uploads that fit into a transaction beside those aboard; at least one when nobody is. */
function countTogether(waiting: readonly Upload[], aboard: readonly Upload[]): number {
  let events = aboard.reduce((sum, { batch }) => sum + batch.events.length, 0)
  let count = 0
  for (const { batch } of waiting) {
    events += batch.events.length
    const others = aboard.length + count
    if (others > 0 && (others >= MAX_UPLOADS || events > MAX_EVENTS)) break
    count++
  }
  return count
}
