import { constants } from 'node:os'
import type { Io } from './io.ts'
import { hearSignals } from './signals.ts'

/** Thrown where a command stops because a signal asked it to. */
export class Interrupted extends Error {
  /** The exit code as shells see it: 128 and the number of the signal. */
  readonly exit: number
  constructor(signal: NodeJS.Signals) {
    super('interrupted')
    this.exit = 128 + constants.signals[signal]
  }
}

/** Lets a long job stop where nothing is half done. */
export interface Interruption {
  /** Throws `Interrupted` once a signal arrived. Call it between two steps. */
  check(): void
  /** The signal once it has arrived, for a job that looks instead of being thrown out. */
  readonly caught: Interrupted | undefined
  /** Rejects with `Interrupted` when a signal arrives. */
  readonly arrived: Promise<never>
  /** The same items; throws `Interrupted` as soon as a signal arrives, also while it waits for the next one. */
  guard<T>(items: AsyncIterable<T>): AsyncGenerator<T>
  /** Signals end the process again. */
  end(): void
}

/**
 * Ends the job between two steps at Ctrl-C, SIGTERM and SIGHUP, from now on; a second signal ends the process at once. For a
 * caller on another machine the job ends when that machine is gone.
 */
export function catchInterruption({ caller }: Pick<Io, 'caller'>): Interruption {
  let caught: Interrupted | undefined
  const arrived = Promise.withResolvers<never>()
  arrived.promise.catch(() => {})
  /** Ends the waits of guarded readers. */
  const waits = new Set<(error: Interrupted) => void>()
  const stop = (signal: NodeJS.Signals) => {
    caught = new Interrupted(signal)
    arrived.reject(caught)
    for (const fail of waits) fail(caught)
  }
  /** Not a race with `arrived`, which would keep every item of a long input until the end. */
  function unlessStopped<T>(next: Promise<T>): Promise<T> {
    return new Promise((resolve, fail) => {
      waits.add(fail)
      next.then(resolve, fail).finally(() => waits.delete(fail))
    })
  }
  const end = caller ? hearCaller(caller.signal, () => stop('SIGINT')) : hearSignals(stop)
  return {
    get caught() {
      return caught
    },
    arrived: arrived.promise,
    check() {
      if (caught !== undefined) throw caught
    },
    async *guard(items) {
      const iterator = items[Symbol.asyncIterator]()
      let finished = false
      try {
        for (;;) {
          if (caught !== undefined) throw caught
          const next = await unlessStopped(iterator.next())
          finished = next.done === true
          if (next.done) return
          yield next.value
        }
      } finally {
        // Not awaited: a reader of standard input that nobody writes to never answers.
        if (!finished) void iterator.return?.()?.catch(() => {})
      }
    },
    end,
  }
}

/** Calls `gone` when the caller on another machine is gone; returns a function that ends this. */
function hearCaller(signal: AbortSignal, gone: () => void): () => void {
  if (signal.aborted) gone()
  else signal.addEventListener('abort', gone, { once: true })
  return () => signal.removeEventListener('abort', gone)
}
