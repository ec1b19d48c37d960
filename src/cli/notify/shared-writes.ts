import { setTimeout } from 'node:timers/promises'
import type { Measured } from '../../domain/audience/confirmation.ts'
import { shareLookups } from '../../platform/concurrency/shared-lookups.ts'
import { together } from '../../platform/concurrency/together.ts'
import type { Areas, Program } from '../../program.ts'

/**
 * The time (ms) for which a transaction takes further values aboard, and the pause behind it. A server on the same SQLite file looks
 * every 5 ms whether it may write; one that runs the command itself has others to serve.
 */
const ALONE = { boardingMs: 50, pauseMs: 0 }
const BESIDE_SERVER = { boardingMs: 20, pauseMs: 8 }
/** Transactions under way at a time on PostgreSQL, where each statement waits for the network. SQLite has one writer. */
const LANES = 4

export interface SharedWritesOptions<Request, Accepted> {
  /** Accepts a request in a transaction. What it throws becomes the answer of this request alone. */
  accept(tx: Areas, request: Request): Promise<Accepted>
  /** True when a server runs on the same SQLite file, or runs the command. */
  isServed: boolean
  /** Tells whether the database may take a request together with others (`WriteOptions.shares`). Absent: none. */
  shares?(request: Request): boolean
}

/**
 * Accepts requests that are handed over one by one. The first begins a transaction at once, and what arrives meanwhile shares it; a
 * request that fails undoes no other. Resolves after the commit.
 */
export function sharedWrites<Request, Accepted>(
  { inTransaction, kernel: { db, clock } }: Pick<Program, 'inTransaction' | 'kernel'>,
  { accept, isServed, shares = () => false }: SharedWritesOptions<Request, Accepted>,
): (request: Request) => Promise<Accepted> {
  const { boardingMs, pauseMs } = isServed ? BESIDE_SERVER : ALONE
  const isSqlite = db.kind === 'sqlite'
  let lane = 0
  let endedAt = Number.NEGATIVE_INFINITY

  /** Accepts what is aboard, and what comes aboard. The results hold once `committed` resolves. */
  async function run(requests: readonly Request[], board: () => Request[]): Promise<Stored<Accepted>[]> {
    const pause = endedAt + pauseMs - clock.monotonic()
    if (pause > 0) await setTimeout(pause)
    const aboard = [...requests]
    const worked = Promise.withResolvers<void>()
    const committed = inTransaction(async (tx) => {
      // The database may run this again: what came aboard stays aboard.
      const accepted: Accepted[] = []
      const until = clock.monotonic() + boardingMs
      for (let i = 0; i < aboard.length; i++) {
        accepted.push(await accept(tx, aboard[i]!))
        if (i === aboard.length - 1 && clock.monotonic() < until) aboard.push(...board())
      }
      endedAt = clock.monotonic()
      worked.resolve()
      return accepted
    })
    worked.promise.catch(() => {})
    committed.catch(worked.reject)
    // SQLite flushes beside the thread: the next transaction begins meanwhile. It never runs one again.
    await (isSqlite ? worked.promise : committed)
    return aboard.map((_, place) => ({ committed, place }))
  }

  // One at a time, because one may name ten thousand users.
  const take = together<number, Request, Stored<Accepted>>({
    run: (_, requests, board) => run(requests, board),
    count: () => 1,
  })
  const lanes = isSqlite ? 1 : LANES
  return async (request) => {
    if (!isSqlite && shares(request)) return inTransaction((tx) => accept(tx, request), { shares: true })
    const { committed, place } = await take(lane++ % lanes, request)
    return (await committed)[place]!
  }
}

/** A result in a transaction that is being committed. */
interface Stored<Accepted> {
  committed: Promise<Accepted[]>
  place: number
}

/** Makes `measure` cheap for an app that requires no confirmation: values that are read together ask once for its limit. */
export function measuring<Request>(
  { apps }: Pick<Program, 'apps'>,
  measure: (appId: number, request: Request) => Promise<Measured>,
): typeof measure {
  const limitOf = shareLookups<number, number | null>(async (ids) => {
    const limits = ids.map(async (id) => [id, await apps.confirmAbove(id)] as const)
    return new Map(await Promise.all(limits))
  })
  return async (appId, request) => ((await limitOf(appId)) === null ? null : measure(appId, request))
}
