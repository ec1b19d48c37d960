import { constants } from 'node:os'
import type { Io } from '../io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Thrown where a command stops because a signal asked it to. */
export class Interrupted extends Error {
  /** As shells see it: 128 and the number of the signal. */
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
  /** Rejects with `Interrupted` when a signal arrives. */
  readonly arrived: Promise<never>
  /** The same items; throws `Interrupted` as soon as a signal arrives, also while it waits for the next one. */
  guard<T>(items: AsyncIterable<T>): AsyncGenerator<T>
  /** Signals end the process again. */
  end(): void
}

/**
 * From now on Ctrl-C and SIGTERM end the job between two steps; a second signal ends the process at once. For a caller on
 * another machine the job ends when that one is gone.
 */
export function catchInterruption({ caller }: Io): Interruption {
  let caught: NodeJS.Signals | undefined
  let reject: (error: Interrupted) => void = () => {}
  const interrupted = new Promise<never>((_, fail) => (reject = fail))
  interrupted.catch(() => {})
  const onSignal = (signal: NodeJS.Signals, number: number) => {
    if (!caller && caught !== undefined) process.exit(128 + number)
    caught = signal
    reject(new Interrupted(signal))
  }
  const onGone = () => onSignal('SIGINT', constants.signals.SIGINT)
  if (caller?.signal.aborted) onGone()
  else if (caller) caller.signal.addEventListener('abort', onGone)
  else for (const signal of SIGNALS) process.on(signal, onSignal)
  return {
    arrived: interrupted,
    check() {
      if (caught !== undefined) throw new Interrupted(caught)
    },
    async *guard(items) {
      const iterator = items[Symbol.asyncIterator]()
      let finished = false
      try {
        for (;;) {
          const next = await Promise.race([iterator.next(), interrupted])
          finished = next.done === true
          if (next.done) return
          yield next.value
        }
      } finally {
        // Not awaited: a reader of standard input that nobody writes to never answers.
        if (!finished) void iterator.return?.()?.catch(() => {})
      }
    },
    end() {
      caller?.signal.removeEventListener('abort', onGone)
      for (const signal of SIGNALS) process.off(signal, onSignal)
    },
  }
}
