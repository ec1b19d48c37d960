/** Everything takes a second or two on an idle machine; this bounds it on one that has other things to do. */
export const PATIENCE_MS = 240_000
const LOOK_MS = 20

/** Looks again and again until `check` holds: for what tells nobody when it happens. Throws with `what` when it never does. */
export async function eventually(check: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
