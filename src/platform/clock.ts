import { uptime } from 'node:os'

/** Wall and monotonic time, handed in so that tests can set it. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number
  /** Milliseconds of a clock that never jumps; only differences mean something. */
  monotonic(): number
  /** The same, but it also runs while the machine sleeps; coarse. */
  sinceBoot(): number
  /** Resolves after `ms`, or at once when `signal` aborts. Chunked: Node fires timers above 24.8 days immediately. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Release of the time zone rules that schedules are reckoned with: those of the Node inside, such as `2026c`. */
export const ZONE_RULES: string = process.versions.tz ?? 'unknown'

const LONGEST_TIMER_MS = 2 ** 31 - 1

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

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sinceBoot: () => uptime() * 1000,
  async sleep(ms, signal) {
    for (let left = ms; left > 0 && !signal?.aborted; left -= LONGEST_TIMER_MS) {
      await pause(Math.min(left, LONGEST_TIMER_MS), signal)
    }
  },
}

/** The first and last second that a year of four digits can express; times with an offset can lie beyond both. */
const FIRST_WRITTEN = Date.parse('0000-01-01T00:00:00Z')
const LAST_WRITTEN = Date.parse('9999-12-31T23:59:59Z')

/** `2026-11-21T09:30:00+0000`: the one offset form that every client SDK parses (docs/reference/device-protocol.md section 3). */
export function isoOffset(ms: number): string {
  return `${toSecond(ms)}+0000`
}

/** The same for a moment that there may not be. */
export function isoOffsetOrNull(ms: number | null | undefined): string | null {
  return ms == null ? null : isoOffset(ms)
}

/** `2026-11-21 09:30:00` in UTC, the contract's other shape. */
export function plainUtc(ms: number): string {
  return toSecond(ms).replace('T', ' ')
}

function toSecond(ms: number): string {
  return new Date(Math.min(Math.max(ms, FIRST_WRITTEN), LAST_WRITTEN)).toISOString().slice(0, 19)
}
