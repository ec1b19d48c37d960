import { mock } from 'node:test'

/** Time that passes when a test says so: what waits with `setTimeout` and compares `performance.now()`. */
export interface FakeTimers {
  pass(ms: number): void
  /** Gives the real ones back. */
  end(): void
}

/** Takes `setTimeout` away from everything that begins to wait after this; the network and `setImmediate` go on as they do. */
export function fakeTimers(): FakeTimers {
  const now = performance.now
  let ahead = 0
  performance.now = () => now.call(performance) + ahead
  mock.timers.enable({ apis: ['setTimeout'] })
  return {
    pass(ms) {
      ahead += ms
      mock.timers.tick(ms)
    },
    end() {
      mock.timers.reset()
      performance.now = now
    },
  }
}
