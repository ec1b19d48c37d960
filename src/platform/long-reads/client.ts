import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '../time/clock.ts'
import { type Asker, cannotReadNow, type FromReader, receivedError, type ToReader } from './messages.ts'

/** A port to a reader thread. */
export interface ReaderConnection {
  port: MessagePort
  /** That thread does not answer any more: the next connection leads to a new one. */
  giveUp(): void
}

/** Where ports to the reader thread come from: the thread that starts it (workers/readers.ts). */
export interface ReaderSource {
  /** A new port to the thread, which is started if necessary. Throws `unavailable` when it cannot be. */
  connect(): Promise<ReaderConnection>
}

/** What a read is asked with. */
export interface AskOptions {
  who: Asker
  /** How long it may take. */
  seconds: number
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined
}

/** Reads on another thread. */
export interface LongReads {
  /**
   * Does the read `call` with these arguments, which must be cloneable, as the result is. Throws what the read throws,
   * and `unavailable` when the thread has too much to do, takes too long, or ends.
   */
  ask<T>(call: string, args: readonly unknown[], options: AskOptions): Promise<T>
  /** Refuses everything from now on. */
  close(): void
}

/** Threads that may end before they have heard anything. */
const MAX_TRIES = 3
/** Beyond its time, a read has this long for its last statement (ms). Then its thread is given up. */
const GRACE_MS = 5000
/** A port that is unused for so long is closed. Without ports the thread ends (about 40 MB). */
const IDLE_MS = 300_000

interface Waiting {
  settle(answer: { value: unknown } | { error: unknown }): void
}

/** The asking end of a port to the reader thread. Each thread that asks has one. */
export function createLongReads(source: ReaderSource, clock: Pick<Clock, 'sleep'>): LongReads {
  const waiting = new Map<number, Waiting>()
  let connection: Promise<ReaderConnection> | undefined
  let asked = 0
  let isClosed = false
  let idle: NodeJS.Timeout | undefined

  /** A port on which the thread has said its first word. */
  async function open(): Promise<ReaderConnection> {
    for (let tries = 1; ; tries++) {
      const made = await source.connect()
      const isWelcome = await new Promise<boolean>((resolve) => {
        made.port.once('message', () => resolve(true))
        made.port.once('close', () => resolve(false))
      })
      if (isWelcome) return made
      made.giveUp()
      if (tries === MAX_TRIES) throw cannotReadNow('the thread for long reads does not start: see the log')
    }
  }

  function connected(): Promise<ReaderConnection> {
    if (connection) return connection
    const opened = open().then((made) => {
      const { port } = made
      port.on('message', ({ answer, ...rest }: Exclude<FromReader, 'welcome'>) => {
        waiting.get(answer)?.settle('error' in rest ? { error: receivedError(rest.error) } : rest)
      })
      port.once('close', () => {
        if (connection === opened) lose(made)
      })
      // The port must not keep the process running.
      port.unref()
      return made
    })
    connection = opened
    opened.catch(() => {
      if (connection === opened) connection = undefined
    })
    return opened
  }

  /** The thread has ended, or is given up: nothing that was asked will be answered. */
  function lose({ port, giveUp }: ReaderConnection): void {
    connection = undefined
    giveUp()
    port.close()
    const error = cannotReadNow('the thread for long reads has ended: try again')
    for (const { settle } of waiting.values()) settle({ error })
  }

  function closeConnection(): void {
    const open = connection
    connection = undefined
    void open?.then(
      ({ port }) => port.close(),
      () => {},
    )
  }

  function closeWhenIdle(): void {
    clearTimeout(idle)
    if (waiting.size > 0) return
    idle = setTimeout(() => closeConnection(), IDLE_MS)
    idle.unref()
  }

  return {
    async ask<T>(call: string, args: readonly unknown[], { who, seconds, signal }: AskOptions): Promise<T> {
      if (isClosed) throw cannotReadNow('the server is stopping')
      const to = await connected()
      const { port } = to
      if (signal?.aborted) throw cannotReadNow('the caller has gone')
      const ask = ++asked
      const answered = new AbortController()
      const cancel = () => port.postMessage({ cancel: ask } satisfies ToReader)
      try {
        return await new Promise<T>((resolve, reject) => {
          waiting.set(ask, {
            settle: (answer) => ('error' in answer ? reject(answer.error) : resolve(answer.value as T)),
          })
          signal?.addEventListener('abort', cancel, { once: true })
          void clock.sleep(seconds * 1000 + GRACE_MS, answered.signal).then(() => {
            if (!answered.signal.aborted) lose(to)
          })
          port.postMessage({ ask, call, args, who, seconds } satisfies ToReader)
        })
      } finally {
        answered.abort()
        signal?.removeEventListener('abort', cancel)
        waiting.delete(ask)
        closeWhenIdle()
      }
    },

    close() {
      isClosed = true
      clearTimeout(idle)
      const error = cannotReadNow('the server is stopping')
      for (const { settle } of waiting.values()) settle({ error })
      closeConnection()
    },
  }
}
