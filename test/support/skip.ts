import type { Context, Runnable, Suite } from 'mocha'

/** Reasons for which tests are left out: by the test, or by the suite that a hook leaves out. */
const reasons = new WeakMap<object, string>()

/** The test that asks, or from a `before` the whole suite. */
export function askerOf(context: Context): Runnable | Suite {
  const runnable = context.test as Runnable & { type?: string; parent?: Suite }
  return runnable.type === 'hook' && runnable.parent ? runnable.parent : runnable
}

/** Leaves the test out, or from a `before` the whole suite. `why` names what this machine lacks, for the list at the end. */
export function skip(context: Context, why: string): never {
  reasons.set(askerOf(context), why)
  context.skip()
}

/** The reason that `skip` got for a test, or for a suite around it. */
export function whySkipped(test: Mocha.Test): string {
  for (let at: Mocha.Test | Suite | undefined = test; at; at = at.parent) {
    const why = reasons.get(at)
    if (why !== undefined) return why
  }
  return 'it does not say why'
}
