import { setImmediate } from 'node:timers/promises'
import { isAppError } from '../../platform/errors.ts'
import { HandlerFailed, type Manner } from './effects.ts'
import { type EventLimits, readUpload, type Upload } from './envelope.ts'
import type { EventsService } from './service.ts'
import type { IngestReport } from './types.ts'

/**
 * Most uploads of one transaction, and most events (an upload with more goes alone). Beyond some dozens of uploads, what they
 * share costs next to nothing each; what remains is how long the others wait for the transaction to end.
 */
const MOST_UPLOADS = 64
const MOST_EVENTS = 500

interface Waiting {
  upload: Upload
  resolve(report: IngestReport): void
  reject(error: unknown): void
}

/** Runs `work` in a transaction of its own. */
type InTransaction = <T>(work: (areas: { events: Pick<EventsService, 'ingestAll'> }) => Promise<T>) => Promise<T>

export type Uploads = ReturnType<typeof uploadsOf>

/**
 * Uploads that arrive while another transaction of their app is under way share the next one: a handful of statements and one
 * commit for all of them. One transaction at a time for each app: apps never wait for each other, and uploads of one app can
 * not wait for each other in a circle.
 */
export function uploadsOf(inTransaction: InTransaction, limits?: EventLimits) {
  const queues = new Map<number, Waiting[]>()

  async function drain(appId: number, waiting: Waiting[]): Promise<void> {
    // What came in at the same time goes together.
    await setImmediate()
    while (waiting.length > 0) await settle(appId, waiting.splice(0, boarding(waiting)))
    queues.delete(appId)
  }

  function ingestTogether(appId: number, together: readonly Waiting[], manner: Manner): Promise<IngestReport[]> {
    return inTransaction(({ events }) =>
      events.ingestAll(
        appId,
        together.map(({ upload }) => upload),
        manner,
      ),
    )
  }

  /** Never rejects itself. */
  async function settle(appId: number, together: readonly Waiting[]): Promise<void> {
    try {
      const reports = await ingestTogether(appId, together, 'trusting').catch((error: unknown) => {
        if (error instanceof HandlerFailed) return ingestTogether(appId, together, 'careful')
        throw error
      })
      for (const [i, { resolve }] of together.entries()) resolve(reports[i]!)
    } catch (error) {
      const isShared = isAppError(error) && error.code === 'unavailable'
      if (together.length === 1 || isShared) for (const { reject } of together) reject(error)
      else {
        // Something about one of them: it must not cost the others theirs, nor many transactions.
        const half = Math.ceil(together.length / 2)
        for (const some of [together.slice(0, half), together.slice(half)]) await settle(appId, some)
      }
    }
  }

  return {
    /** `EventsService.ingest` in a transaction that is shared with others; resolves after the commit. */
    async ingest(appId: number, installId: string, body: unknown, size?: number): Promise<IngestReport> {
      const upload = readUpload(installId, body, { limits, size })
      return new Promise((resolve, reject) => {
        const one = { upload, resolve, reject }
        const waiting = queues.get(appId)
        if (waiting) {
          waiting.push(one)
          return
        }
        const queue = [one]
        queues.set(appId, queue)
        void drain(appId, queue)
      })
    },
  }
}

/** How many of those who wait go together now; at least one. */
function boarding(waiting: readonly Waiting[]): number {
  let events = 0
  let count = 0
  for (const { upload } of waiting) {
    events += upload.batch.events.length
    if (count > 0 && (count >= MOST_UPLOADS || events > MOST_EVENTS)) break
    count++
  }
  return count
}
