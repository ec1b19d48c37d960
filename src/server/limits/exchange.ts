import { AsyncLocalStorage } from 'node:async_hooks'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { CapTotals, CapUse } from '../../platform/instance/cap-uses.repository.ts'

/** Uses of caps that nodes share. */
export interface Exchange {
  /** The number of those who share: the HTTP threads of all nodes, if each has as many as this one. 1 means that nothing is shared. */
  parties(now: number): number
  /** Adds to what a caller has used, and returns the time (ms) until the whole cap is free again. Rejects without the database. */
  add(key: string, ms: number): Promise<number>
}

export interface ExchangeParts {
  vault: Pick<Vault, 'digest'>
  /** The number of HTTP threads of this process. */
  threads: number
  monotonic(): number
  store(uses: readonly CapUse[]): Promise<CapTotals>
}

/** The number of nodes that is assumed before the database was first asked. */
const FIRST_NODES = 4
/** The time for which a node that was alone takes itself to be alone. */
const ALONE_MS = 10_000
/** Callers of one statement. */
const MOST_AT_ONCE = 500

/** Runs a function outside of the call, and of the transaction, that starts it. */
const aside = AsyncLocalStorage.snapshot()

interface Waiting {
  key: string
  ms: number
  resolve(ahead: number): void
  reject(error: unknown): void
}

/**
 * Writes what callers use to the database, with one statement at a time: what comes while it runs goes with the next. Nothing is
 * written but for callers near a cap (`credits.ts`).
 */
export function createExchange({ vault, threads, monotonic, store }: ExchangeParts): Exchange {
  let nodes = FIRST_NODES
  let toldAt = -Infinity
  let waiting: Waiting[] = []
  let isRunning = false

  async function run(some: readonly Waiting[]): Promise<void> {
    try {
      const uses = some.map(({ key, ms }) => ({ digest: vault.digest(`cap ${key}`), ms }))
      const totals = await store(uses)
      nodes = Math.max(1, totals.nodes)
      toldAt = monotonic()
      for (const [i, { resolve }] of some.entries()) resolve(totals.ahead.get(uses[i]!.digest) ?? 0)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }

  async function runAll(): Promise<void> {
    isRunning = true
    // What the calls of this turn want goes together.
    await Promise.resolve()
    while (waiting.length > 0) {
      const some = waiting.slice(0, MOST_AT_ONCE)
      waiting = waiting.slice(MOST_AT_ONCE)
      await run(some)
    }
    isRunning = false
  }

  return {
    parties(now) {
      if (nodes === 1 && now - toldAt < ALONE_MS) return 1
      return Math.max(2, nodes) * threads
    },
    add: (key, ms) =>
      new Promise((resolve, reject) => {
        waiting.push({ key, ms, resolve, reject })
        if (!isRunning) void aside(runAll)
      }),
  }
}
