import type { Runnable } from 'mocha'

let now: Runnable | undefined

/** Told by who runs the tests: the test or hook that begins. */
export function nowRunning(runnable: Runnable): void {
  now = runnable
}

/** The test or hook that runs; undefined where nobody tells. */
export const running = (): Runnable | undefined => now
