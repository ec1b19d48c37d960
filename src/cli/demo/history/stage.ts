import { silentLog } from '../../../platform/log/log.ts'
import { systemClock } from '../../../platform/time/clock.ts'
import { createProgram, type Program } from '../../../program.ts'
import type { WebSubscription } from '../../../sandbox/web/subscriptions.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/** Days since the first push: the figures of the console go back as far. */
export const DAYS = 84

/** The state that the parts of the history share. */
export interface HistoryStage {
  program: Program
  /** The same areas on the same database, for which it is the time that `at` was last given. */
  past: Program
  appId: number
  /** The end of the history: now (ms). */
  now: number
  /** Goes to another time (ms). */
  at(ms: number): void
  /** A number from 0 up to, and without, `end`. The same history has the same numbers. */
  chance(end: number): number
  /** A subscription of a browser. */
  subscribe(): WebSubscription
  signal: AbortSignal
  /** Lets the server's thread do other work. Throws when the history is no longer wanted. */
  breathe(): Promise<void>
}

/** Numbers by chance (mulberry32). */
function chanceOf(seed: number): (end: number) => number {
  let state = seed
  return (end) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * end)
  }
}

/** One of several, by chance. */
export function oneOf<T>(stage: Pick<HistoryStage, 'chance'>, all: readonly T[]): T {
  return all[stage.chance(all.length)]!
}

/** The time (ms) for which the server's thread belongs to others after each piece of the history. */
const REST_MS = 4

export function stageOf(
  program: Program,
  appId: number,
  { subscribe, signal }: Pick<HistoryStage, 'subscribe' | 'signal'>,
): HistoryStage {
  const { config, vault, db, changes, faults, clock } = program.kernel
  const now = clock.now()
  let time = now
  const past = createProgram({
    config,
    clock: { ...systemClock, now: () => time },
    log: silentLog,
    vault,
    db,
    changes,
    faults,
  })
  return {
    program,
    past,
    appId,
    now,
    at: (ms) => void (time = ms),
    chance: chanceOf(14),
    subscribe,
    signal,
    async breathe() {
      await clock.sleep(REST_MS, signal)
      signal.throwIfAborted()
    },
  }
}
