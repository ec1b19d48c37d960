import { type Clock, systemClock } from '../../src/platform/clock.ts'

/** A clock that stands still until it is told. */
export interface TestClock extends Clock {
  set(ms: number): void
  advance(ms: number): void
}

export function testClock(start = Date.parse('2026-03-01T12:00:00Z')): TestClock {
  let now = start
  return {
    now: () => now,
    monotonic: () => now,
    sinceBoot: () => now,
    sleep: systemClock.sleep,
    doubt: () => undefined,
    set: (ms) => {
      now = ms
    },
    advance: (ms) => {
      now += ms
    },
  }
}
