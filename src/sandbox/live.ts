import { PassThrough } from 'node:stream'
import type { Ledger, Received } from './stand-in/ledger.ts'

/** Min interval between repaints of the page; a sender makes thousands of messages in that time. */
const BATCH_MS = 150
/** Max messages in one batch; nobody could see more. */
const BATCH = 40
const HEARTBEAT_MS = 15_000

export interface Live {
  /** A new event stream, for the body of an answer. */
  open(): PassThrough
  close(): void
}

/**
 * Server-sent events for the page: `batch` carries `{messages, counts}` with the newest messages since the last one,
 * `reset` says that everything was cleared. Costs nothing while nobody watches.
 */
export function streamEvents(ledger: Ledger, present: (message: Received) => unknown): Live {
  const viewers = new Set<PassThrough>()
  let waiting: Received[] = []
  let timer: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined

  function onMessage(message: Received): void {
    waiting.push(message)
    if (waiting.length > BATCH) waiting.shift()
    timer ??= setTimeout(flush, BATCH_MS)
  }

  function flush(): void {
    timer = undefined
    const messages = waiting.map(present)
    waiting = []
    // JSON escapes line ends, so no text of a message can end its event.
    send('batch', JSON.stringify({ messages, counts: ledger.counts() }))
  }

  function onReset(): void {
    waiting = []
    send('reset', '{}')
  }

  function send(event: string, data: string): void {
    for (const viewer of viewers) {
      // A viewer that does not read misses batches, so that memory does not grow.
      if (viewer.writableLength < 1_000_000) viewer.write(`event: ${event}\ndata: ${data}\n\n`)
    }
  }

  function leave(viewer: PassThrough): void {
    if (!viewers.delete(viewer) || viewers.size > 0) return
    ledger.events.off('message', onMessage)
    ledger.events.off('reset', onReset)
    clearInterval(heartbeat)
    clearTimeout(timer)
    timer = undefined
    waiting = []
  }

  return {
    open() {
      const viewer = new PassThrough()
      if (viewers.size === 0) {
        ledger.events.on('message', onMessage)
        ledger.events.on('reset', onReset)
        heartbeat = setInterval(() => viewers.forEach((one) => one.write(': still here\n\n')), HEARTBEAT_MS)
        heartbeat.unref()
      }
      viewers.add(viewer)
      viewer.on('error', () => {})
      viewer.on('close', () => leave(viewer))
      viewer.write('retry: 1000\n\n')
      return viewer
    },
    close() {
      for (const viewer of viewers) {
        viewer.end()
        leave(viewer)
      }
    },
  }
}
