import { setImmediate } from 'node:timers/promises'
import { isAppError } from '../../platform/errors.ts'
import { HandlerFailed, type Manner } from './effects.ts'
import { type EventLimits, readUpload, type Upload } from './envelope.ts'
import type { EventsService } from './service.ts'
import type { IngestReport } from './types.ts'

/**
 * Maximum number of uploads and of events in one transaction; an upload with more events gets a transaction of its own.
 * Beyond a few dozen uploads the shared cost per upload is negligible, and a longer transaction only makes the next
 * uploads wait.
 */
const MAX_UPLOADS = 64
const MAX_EVENTS = 500

interface Waiting {
  upload: Upload
  resolve(report: IngestReport): void
  reject(error: unknown): void
}

/** Runs `work` in a transaction. */
type InTransaction = <T>(work: (areas: { events: Pick<EventsService, 'ingestAll'> }) => Promise<T>) => Promise<T>

export type Uploads = ReturnType<typeof createUploads>

/**
 * Uploads that arrive while another transaction of their app is running share the next one: a handful of statements and
 * one commit for all of them. Each app has one transaction at a time, so apps do not wait for each other and uploads of
 * one app cannot deadlock.
 */
export function createUploads(inTransaction: InTransaction, limits?: EventLimits) {
  const queues = new Map<number, Waiting[]>()

  async function drain(appId: number, waiting: Waiting[]): Promise<void> {
    // Uploads that arrived in the same turn of the event loop go together.
    await setImmediate()
    while (waiting.length > 0) await settle(appId, waiting.splice(0, countTogether(waiting)))
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

  /** Settles every upload; never rejects. */
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
        // One of the uploads fails. Halving finds it in few transactions and lets the others succeed.
        const half = Math.ceil(together.length / 2)
        for (const some of [together.slice(0, half), together.slice(half)]) await settle(appId, some)
      }
    }
  }

  return {
    /** `EventsService.ingest` in a transaction shared with other uploads; resolves after the commit. */
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

/** How many of the waiting uploads go into the next transaction; at least one. */
function countTogether(waiting: readonly Waiting[]): number {
  let events = 0
  let count = 0
  for (const { upload } of waiting) {
    events += upload.batch.events.length
    if (count > 0 && (count >= MAX_UPLOADS || events > MAX_EVENTS)) break
    count++
  }
  return count
}
