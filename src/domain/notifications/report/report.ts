import { isZone } from '../../../platform/time/zones.ts'
import type { FailureCount } from '../record/failure-counts.repository.ts'
import type { LanguageCount } from '../record/language-counts.repository.ts'
import { EXPIRIES, FAILURES, LEFT_OUT, type SlotName } from '../record/page.ts'
import type { DueInstant } from '../record/runs.repository.ts'
import type { Counts, NotificationRecord } from '../types.ts'

export interface NotificationReport {
  notification: NotificationRecord
  /** The due times of a schedule in order, without those that have no installs. */
  dueInstants: DueInstant[]
  /** The number of those time zones for which this server has no rules: the default zone stands in for them. */
  unknownZones: number
  counts: Counts
  /** Most frequent first; together they are the failed recipients. */
  failures: FailureCount[]
  /** Recipients that were left out, by reason. */
  skips: { reason: string; count: number }[]
  /** Expired recipients with a more specific reason. */
  expiries: { reason: string; count: number }[]
  /** Expressions that had no value for recipients who were left out for it, most frequent first. */
  missing: { expression: string; count: number }[]
  /** Recipients by language, most frequent first; none when the content has only one. */
  languages: LanguageCount[]
}

/** The number of different zone names of these due times that are unknown. */
export function countUnknownZones(instants: readonly Pick<DueInstant, 'zones'>[]): number {
  const names = new Set(instants.flatMap(({ zones }) => zones ?? []))
  return [...names].filter((name) => name !== null && !isZone(name)).length
}

/** Reasons for failures that do not come from a vendor. */
export const OWN_WORDS: Partial<Record<SlotName, string>> = {
  no_gateway: 'the app has no gateway that can send to this platform',
  payload_error: 'given up after the gateway refused the message as such',
}

/** The kind under which missing expressions are counted beside the vendors' reasons: their recipients did not fail. */
const MISSING_VALUE: SlotName = 'missing_value'

/**
 * Combines the vendors' reasons (`given`) with those that only the outcome bytes show (`reasons`): recipients without a
 * gateway, or given up with the rest of a page.
 */
export function explainOutcomes(given: readonly FailureCount[], reasons: Partial<Record<SlotName, number>>) {
  const failures = given.filter(({ kind }) => kind !== MISSING_VALUE)
  const missing = given.flatMap(({ kind, reason, count }) =>
    kind === MISSING_VALUE ? [{ expression: reason, count }] : [],
  )
  const skips: NotificationReport['skips'] = []
  const expiries: NotificationReport['expiries'] = []
  for (const [name, count] of Object.entries(reasons) as [SlotName, number][]) {
    if (Object.hasOwn(LEFT_OUT, name)) skips.push({ reason: name, count })
    if (Object.hasOwn(EXPIRIES, name)) expiries.push({ reason: name, count })
    if (!Object.hasOwn(FAILURES, name)) continue
    const others = count - given.filter(({ kind }) => kind === name).reduce((sum, one) => sum + one.count, 0)
    if (others > 0) failures.push({ kind: name, reason: OWN_WORDS[name] ?? name, count: others })
  }
  const byCount = (a: { count: number }, b: { count: number }) => b.count - a.count
  return { failures: failures.sort(byCount), skips: skips.sort(byCount), expiries, missing }
}
