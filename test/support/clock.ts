import { type Clock, systemClock } from '../../src/platform/time/clock.ts'

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

/**
 * Makes sleeps on the clock end when it has been moved that far, instead of in real time. Returns whether a loop, which a signal can stop, sleeps for
 * just so long.
 */
export function sleepByIt(clock: TestClock): (ms: number) => boolean {
  const sleeping = new Map<() => void, { ms: number; until: number; isLoop: boolean }>()
  const wakeDue = () => {
    for (const [wake, { until }] of sleeping) if (until <= clock.now()) wake()
  }
  const { set, advance } = clock
  clock.sleep = (ms, signal) =>
    new Promise((resolve) => {
      const wake = () => {
        sleeping.delete(wake)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      if (ms <= 0 || signal?.aborted) return wake()
      sleeping.set(wake, { ms, until: clock.now() + ms, isLoop: signal !== undefined })
      signal?.addEventListener('abort', wake, { once: true })
    })
  clock.set = (ms) => {
    set(ms)
    wakeDue()
  }
  clock.advance = (ms) => {
    advance(ms)
    wakeDue()
  }
  return (ms) => [...sleeping.values()].some((one) => one.isLoop && one.ms === ms)
}
