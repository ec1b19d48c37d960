import { uptime } from 'node:os'

/** Wall time and monotonic time, passed in so that tests can control it. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number
  /** Milliseconds of a clock that never jumps; only differences are meaningful. The same in every thread. */
  monotonic(): number
  /** As `monotonic`, but it also advances while the machine sleeps, and is coarser. */
  sinceBoot(): number
  /**
   * Resolves after `ms`, or as soon as `signal` aborts. Works in parts, because Node fires timers above 24.8 days
   * immediately.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** What is wrong with the wall clock now; undefined while it is believed. Then `now` is another time (timekeeping/believed-clock.ts). */
  doubt(): ClockDoubt | undefined
}

/** How the wall clock differs from the believed time. */
export interface ClockDoubt {
  /** How far the wall clock is ahead of it (ms); negative when it is behind. */
  off: number
  /** The database says that the believed time is the right one. */
  isConfirmed: boolean
  /** The wall clock was wrong when the process began; otherwise it jumped. */
  isStart: boolean
}

/** Whether nobody knows for sure what time it is: then nothing is begun or deleted because of it. */
export function isTimeUncertain(clock: Pick<Clock, 'doubt'>): boolean {
  const doubt = clock.doubt()
  return doubt !== undefined && !doubt.isConfirmed
}

/**
 * How old a file is that was last written at `mtimeMs` (ms). A file has the time of the wall clock, so that while this is in doubt every file
 * counts as new: nothing is deleted for its age.
 */
export function ageOfFile(clock: Pick<Clock, 'now' | 'doubt'>, mtimeMs: number): number {
  return clock.doubt() === undefined ? clock.now() - mtimeMs : 0
}

/** Release of the time zone rules that schedules use, such as `2026c`: the one built into Node. */
export const ZONE_RULES: string = process.versions.tz ?? 'unknown'

const MAX_TIMER_MS = 2 ** 31 - 1

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}

/**
 * `performance.now()` counts from the start of its thread. This is the clock of the machine, so that threads can compare
 * their times.
 */
const ORIGIN_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** The clocks of the machine as they are. What is decided by the time uses `kernel.clock`, which is judged (timekeeping). */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => ORIGIN_MS + performance.now(),
  sinceBoot: () => uptime() * 1000,
  doubt: () => undefined,
  async sleep(ms, signal) {
    for (let left = ms; left > 0 && !signal?.aborted; left -= MAX_TIMER_MS) {
      await pause(Math.min(left, MAX_TIMER_MS), signal)
    }
  },
}

/** The first and last second that a year of four digits can express; times with an offset can lie beyond both. */
const FIRST_WRITTEN = Date.parse('0000-01-01T00:00:00Z')
const LAST_WRITTEN = Date.parse('9999-12-31T23:59:59Z')

/**
 * `2026-11-21T09:30:00+0000`: the only form with an offset that every client SDK parses
 * (docs/reference/device-protocol.md section 3).
 */
export function isoOffset(ms: number): string {
  return `${toSecond(ms)}+0000`
}

/** As `isoOffset`, for an instant that may be absent. */
export function isoOffsetOrNull(ms: number | null | undefined): string | null {
  return ms == null ? null : isoOffset(ms)
}

/** `2026-11-21 09:30:00` in UTC, the other form of the contract. */
export function plainUtc(ms: number): string {
  return toSecond(ms).replace('T', ' ')
}

function toSecond(ms: number): string {
  return new Date(Math.min(Math.max(ms, FIRST_WRITTEN), LAST_WRITTEN)).toISOString().slice(0, 19)
}

/** Waits for `work`, at most `ms`. Throws what `work` throws in that time. */
export async function waitAtMost(clock: Pick<Clock, 'sleep'>, ms: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController()
  try {
    await Promise.race([work, clock.sleep(ms, late.signal)])
  } finally {
    late.abort()
  }
}
