import { mock } from 'node:test'

/** Time that passes when a test says so: for `setTimeout`, `AbortSignal.timeout` and comparisons of `performance.now()`. */
export interface FakeTimers {
  pass(ms: number): void
  /** Gives the real ones back. */
  end(): void
}

/** Takes the timers from everything that begins to wait after this; the network and `setImmediate` go on as they do. */
export function fakeTimers(): FakeTimers {
  const { now } = performance
  const { timeout } = AbortSignal
  let ahead = 0
  performance.now = () => now.call(performance) + ahead
  mock.timers.enable({ apis: ['setTimeout'] })
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException('it took too long', 'TimeoutError')), ms)
    return controller.signal
  }
  return {
    pass(ms) {
      ahead += ms
      mock.timers.tick(ms)
    },
    end() {
      mock.timers.reset()
      performance.now = now
      AbortSignal.timeout = timeout
    },
  }
}
