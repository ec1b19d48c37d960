import { PROGRAMS_MS } from './programs.ts'
import { running } from './running.ts'

/**
 * The bound of a wait. Everything takes a second or two on an idle machine; the bound is for one that has other things
 * to do. It ends before the limit of a test that starts programs, so that the sentence is said.
 */
export const PATIENCE_MS = PROGRAMS_MS - 60_000
/** Intervals of looks. Slow things are looked at less often: a look may be a request or a command, and many tests wait at once. */
const LOOK_MS = 20
const RARELY_MS = 250
/** The share of a test's limit after which one thing that it waits for is given up. */
const SHARE = 0.8

/** The present bound. Asked again and again, because tests set their limit while they run. What waits in a test is given up before the test is. */
function patience(): number {
  return Math.min(PATIENCE_MS, SHARE * (running()?.timeout() || PATIENCE_MS))
}

/** Looks again and again until `check` holds: for events that announce themselves to nobody. Throws with `what` when it never does. */
export async function eventually(check: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const began = performance.now()
  while (!(await check())) {
    const waited = performance.now() - began
    if (waited > patience()) throw new Error(`never came true: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(LOOK_MS, waited / 20), RARELY_MS)))
  }
}
