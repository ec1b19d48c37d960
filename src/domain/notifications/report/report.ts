import { isZone } from '../../../platform/zones.ts'
import type { DueInstant } from '../fan-out/runs.repository.ts'
import { EXPIRIES, FAILURES, type SlotName, SUPPRESSIONS } from '../record/page.ts'
import type { Counts, Notification } from '../types.ts'

/** A notification as it is shown: without the rows that its target came down to. */
export type NotificationRecord = Omit<Notification, 'target'>

/** How many recipients were not reached for one reason; `reason` is the vendor's own word. */
export interface FailureCount {
  kind: string
  reason: string
  count: number
}

export interface NotificationReport {
  notification: NotificationRecord
  /** Of a scheduled one, in order; those that nobody is known for are left out. */
  dueInstants: DueInstant[]
  /** Zones of those instants that this server has no rules for: they are taken for the app's default zone. */
  unknownZones: number
  counts: Counts
  /** Most frequent first; they add up to the failed recipients. */
  failures: FailureCount[]
  /** Recipients left out on purpose, by reason. */
  skips: { reason: string; count: number }[]
  /** Recipients for whom it was too late for a reason of its own. */
  expiries: { reason: string; count: number }[]
}

/** How many zones of these instants have a name that we cannot reckon with, each once. */
export function countUnknownZones(instants: readonly Pick<DueInstant, 'zones'>[]): number {
  const names = new Set(instants.flatMap(({ zones }) => zones ?? []))
  return [...names].filter((name) => name !== null && !isZone(name)).length
}

/** What is told of a failure that no vendor had a word for. */
const OWN_WORDS: Partial<Record<SlotName, string>> = {
  no_gateway: 'the app has no gateway that can send to this platform',
  payload_error: 'given up after the gateway refused the message as such',
}

/**
 * The vendors' words (`told`) completed by what only the outcome bytes know (`reasons`): recipients without a gateway, or
 * given up with the rest of a batch.
 */
export function explainOutcomes(told: readonly FailureCount[], reasons: Partial<Record<SlotName, number>>) {
  const failures = [...told]
  const skips: NotificationReport['skips'] = []
  const expiries: NotificationReport['expiries'] = []
  for (const [name, count] of Object.entries(reasons) as [SlotName, number][]) {
    if (Object.hasOwn(SUPPRESSIONS, name)) skips.push({ reason: name, count })
    if (Object.hasOwn(EXPIRIES, name)) expiries.push({ reason: name, count })
    if (!Object.hasOwn(FAILURES, name)) continue
    const untold = count - told.filter(({ kind }) => kind === name).reduce((sum, one) => sum + one.count, 0)
    if (untold > 0) failures.push({ kind: name, reason: OWN_WORDS[name] ?? name, count: untold })
  }
  const frequent = (a: { count: number }, b: { count: number }) => b.count - a.count
  return { failures: failures.sort(frequent), skips: skips.sort(frequent), expiries }
}
