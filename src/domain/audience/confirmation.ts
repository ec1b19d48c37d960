import { invalid, isAppError } from '../../platform/errors.ts'
import type { Target } from './types.ts'

/** Recipients that were counted. `isAll` is false when the count was ended before its time: there may be more. */
export interface Counted {
  recipients: number
  isAll: boolean
}

/** What is known of a send before it is taken; null when its app wants none confirmed. */
export type Measured = {
  /** Sends to more recipients than this must be confirmed. */
  above: number
  /** Undefined when the target names what nobody knows: whoever takes the send refuses it. */
  counted: Counted | undefined
} | null

/** What a guard against sends to more than were meant must know. */
export interface Guard<T> {
  /** Above how many recipients an app wants sends confirmed; null for none. */
  confirmAbove(appId: number): Promise<number | null>
  /** Recipients of a target, counted until they are more than `most`. */
  countUpTo(appId: number, target: T, most: number): Promise<Counted>
}

/**
 * Counts whom a send goes to, as far as its app wants to know it. For a handle that is in no transaction: among a million installs
 * it takes its time, although nobody waits for it. `lookup` gives the target, or throws `invalid` for one that cannot be.
 */
export async function measureSend<T>(
  guard: Guard<T>,
  appId: number,
  confirm: number | undefined,
  lookup: () => Promise<T>,
): Promise<Measured> {
  const above = await guard.confirmAbove(appId)
  if (above === null) return null
  const target = await lookup().catch((error: unknown) => {
    if (isAppError(error) && error.code === 'invalid') return undefined
    throw error
  })
  return { above, counted: target && (await guard.countUpTo(appId, target, mostUnasked(above, confirm))) }
}

/**
 * Throws `invalid` when a send goes to more recipients than its app lets pass unasked and than its caller expects. `measured` is
 * what was found before the transaction; without it they are counted now.
 */
export async function requireConfirmation<T extends Target | { kind: string }>(
  guard: Guard<T>,
  appId: number,
  { target, confirm, measured }: { target: T; confirm: number | undefined; measured: Measured | undefined },
): Promise<void> {
  const above = measured === undefined ? await guard.confirmAbove(appId) : (measured?.above ?? null)
  if (above === null) return
  const counted = measured?.counted ?? (await guard.countUpTo(appId, target, mostUnasked(above, confirm)))
  const why = judgeConfirmation(above, counted, confirm)
  if (why) throw invalid({ confirm: [why] })
}

/** How many recipients may go without a question. */
function mostUnasked(above: number, confirm = 0): number {
  return Math.max(above, confirm)
}

/** Why a send is not confirmed, in words for the field `confirm`; undefined when it is. */
export function judgeConfirmation(
  above: number,
  { recipients, isAll }: Counted,
  confirm: number | undefined,
): string | undefined {
  if (recipients <= mostUnasked(above, confirm)) return undefined
  const rule = `in this app a send to more than ${above} must be confirmed`
  return isAll
    ? `must be ${recipients} or more: so many get it, and ${rule}. Check the target, then send it with "confirm": ${recipients}`
    : `must be the number of recipients or more: at least ${recipients} get it, and ${rule}. appsvc notify --dry-run counts all of them`
}

/** What `confirm` must be at least for so many recipients; null when nothing is missing. */
export function confirmationFor(above: number | null, recipients: number, confirm: number | undefined): number | null {
  return above === null || recipients <= mostUnasked(above, confirm) ? null : recipients
}
