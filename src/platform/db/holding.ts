import { AsyncLocalStorage } from 'node:async_hooks'

/** Knows whether the code that runs is inside a transaction of one database, that is, whether it holds a connection of it. */
export interface Holding {
  readonly isOpen: boolean
  /** Runs `work` as the code of an open transaction, which ends when `work` has ended. */
  run<A, T>(work: (argument: A) => Promise<T>, argument: A): Promise<T>
}

export function createHolding(): Holding {
  const around = new AsyncLocalStorage<{ open: boolean }>()
  return {
    get isOpen() {
      return around.getStore()?.open === true
    },
    async run(work, argument) {
      const state = { open: true }
      try {
        return await around.run(state, work, argument)
      } finally {
        // What was started inside and goes on later holds nothing.
        state.open = false
      }
    },
  }
}

export const NESTED_ASK =
  'a transaction asked for a second database connection: use the handle of the transaction, or ask before it begins'

/** Throws when a holder asks for another connection, and once more where nobody can catch it: loops try again, and the test must fail. */
export function refuseHolder(holding: Holding): void {
  if (!holding.isOpen) return
  const error = new Error(NESTED_ASK)
  setImmediate(() => {
    throw error
  })
  throw error
}

/** The parameter of a database's address that makes the pool of PostgreSQL strict: the tests' databases have it. */
const STRICT = 'appsvc_strict'

/** The address of a PostgreSQL database whose pool never gives the holder of a connection another one. For tests. */
export function strictUrl(url: string): string {
  const strict = new URL(url)
  strict.searchParams.set(STRICT, '1')
  return strict.href
}

/** Tells whether an address is one of `strictUrl`. */
export function isStrictUrl(url: string): boolean {
  return url.includes(`${STRICT}=1`)
}
