import { messageOf } from '../platform/errors.ts'
import type { Check, Fix, Subject } from './checks/types.ts'
import { whyLeftOut } from './examine.ts'

/** What a repair did, or why it failed. */
export interface Repair {
  check: string
  did: string
  failed?: true
}

/**
 * Repairs what is safe to repair, and what `agrees` says yes to. Says what it did; a repair that fails is listed and the others
 * go on. The subject is as it was before: open it again to examine the result.
 */
export async function repair(
  subject: Subject,
  checks: readonly Check[],
  agrees: (question: string) => Promise<boolean>,
): Promise<Repair[]> {
  const done: Repair[] = []
  for (const check of checks) {
    if (!check.fix || whyLeftOut(check, subject, false) !== undefined) continue
    // `whyLeftOut` has made sure that the subject has what the check needs.
    const fix = check.fix as Fix
    try {
      const question = fix.question?.(subject)
      if (fix.question && (question === undefined || !(await agrees(question)))) continue
      for (const did of await fix.repair(subject)) done.push({ check: check.name, did })
    } catch (failure) {
      done.push({ check: check.name, did: `could not repair: ${messageOf(failure)}`, failed: true })
    }
  }
  return done
}
