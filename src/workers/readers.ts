import { MessageChannel, Worker } from 'node:worker_threads'
import { settingsAsText } from '../platform/config/config.ts'
import { messageOf } from '../platform/errors.ts'
import { threadPath } from '../platform/files/assets.ts'
import { lackOfFiles } from '../platform/files/open-files.ts'
import type { ReaderSource } from '../platform/long-reads/client.ts'
import { cannotReadNow } from '../platform/long-reads/messages.ts'
import { heapOf } from '../platform/threads/heaps.ts'
import { waitAtMost } from '../platform/time/clock.ts'
import type { Program } from '../program.ts'
import type { WorkerOptions } from './index.ts'
import type { ReaderData, ReaderOrder } from './reader-thread.ts'
import type { ThreadMessage } from './thread.ts'

/** The thread that does long reads, and the ports to it. */
export interface Readers extends ReaderSource {
  /** Ends the thread, and waits for its last statement, at most `STOP_MS`. */
  close(): Promise<void>
}

/** Files that the thread opens: event loop, connections, the file of SQLite and its log. */
const FILES_OF_THREAD = 24
/** Threads that were given up and have not ended: each is in a statement that nothing can interrupt. */
const MAX_GIVEN_UP = 2
const STOP_MS = 5000

/**
 * Starts the thread for long reads when the first port to it is wanted, and a new one after it ended. The thread ends
 * by itself when its last port is closed.
 */
export function startReaders(
  program: Program,
  { turnCell, soundnessCell, clockCell }: Pick<WorkerOptions, 'turnCell' | 'soundnessCell' | 'clockCell'>,
  path = threadPath('workers/thread.ts'),
): Readers {
  const { config, log, clock, vault } = program.kernel
  const settings = settingsAsText(config)
  const cells = { turnCell, soundnessCell, clockCell }
  const workerData: ReaderData = { kind: 'reader', settings, keyCheck: vault.keyCheck(), ...cells }
  const running = new Map<Worker, Promise<void>>()
  let current: Worker | undefined

  function start(): Worker {
    const lack = lackOfFiles(FILES_OF_THREAD)
    if (lack !== undefined) throw cannotReadNow(lack)
    if (running.size > MAX_GIVEN_UP) {
      throw cannotReadNow('the threads for long reads are in statements that do not end: try again', 30)
    }
    const worker = new Worker(path, { workerData, resourceLimits: heapOf('reader') })
    const ended = new Promise<void>((resolve) => {
      worker.on('message', (message: ThreadMessage) => {
        if (typeof message === 'object' && 'failed' in message) {
          log.warn({ error: message.failed }, 'the thread for long reads failed')
        }
      })
      worker.once('error', (error) => log.warn({ error: messageOf(error) }, 'the thread for long reads failed'))
      worker.once('exit', () => {
        running.delete(worker)
        if (current === worker) current = undefined
        resolve()
      })
    })
    running.set(worker, ended)
    // It must not keep the program running.
    worker.unref()
    return worker
  }

  /** Asks a thread to end, without terminating it: SQLite cannot be interrupted, and ending it by force can abort the process. */
  const end = (worker: Worker) => worker.postMessage('end' satisfies ReaderOrder)

  function giveUp(worker: Worker): void {
    if (current === worker) current = undefined
    if (running.has(worker)) end(worker)
  }

  return {
    async connect() {
      const worker = (current ??= start())
      const { port1: port, port2 } = new MessageChannel()
      worker.postMessage({ port: port2 } satisfies ReaderOrder, [port2])
      return { port, giveUp: () => giveUp(worker) }
    },

    async close() {
      for (const worker of running.keys()) end(worker)
      await waitAtMost(clock, STOP_MS, Promise.all(running.values()))
    },
  }
}
