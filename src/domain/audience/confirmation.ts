import { invalid, isAppError } from '../../platform/errors.ts'
import type { Targeting } from './target.ts'

/** A count of recipients. `isAll` is false when counting stopped early: there may be more. */
export interface Counted {
  recipients: number
  isAll: boolean
}

/** The size of a send, counted before it is accepted; null when its app requires no confirmation. */
export type Measured = {
  /** Sends to more recipients than this must be confirmed. */
  above: number
  /** Size of the audience; undefined when the target names something unknown: accepting the send will refuse it. */
  counted: Counted | undefined
} | null

/** Functions that a check for confirmation needs. */
export interface Guard<T> {
  /** The number of recipients above which an app requires confirmation; null for no limit. */
  confirmAbove(appId: number): Promise<number | null>
  /** Counts the recipients of a target; stops above `max`. */
  countUpTo(appId: number, target: T, max: number): Promise<Counted>
}

/**
 * Makes the function that counts the recipients of a request before the transaction that accepts it, if its app
 * requires confirmation. Use a handle that is in no transaction: with a million installs the count takes a while, and
 * nobody should wait for it. `lookup` finds the target; it throws `invalid` when the target names something unknown.
 */
export function createMeasure<T>(
  guard: Guard<T>,
  lookup: (appId: number, targeting: Targeting) => Promise<{ target: T }>,
): (appId: number, request: { targeting: Targeting; confirm?: number }) => Promise<Measured> {
  return async (appId, { targeting, confirm }) => {
    const above = await guard.confirmAbove(appId)
    if (above === null) return null
    const found = await lookup(appId, targeting).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'invalid') return undefined
      throw error
    })
    return { above, counted: found && (await guard.countUpTo(appId, found.target, maxUnconfirmed(above, confirm))) }
  }
}

/**
 * Throws `invalid` when a send has more recipients than its app allows without confirmation, and more than the caller
 * confirmed. `measured` comes from `createMeasure`; without it the recipients are counted now.
 */
export async function requireConfirmation<T>(
  guard: Guard<T>,
  appId: number,
  { target, confirm, measured }: { target: T; confirm: number | undefined; measured: Measured | undefined },
): Promise<void> {
  const above = measured === undefined ? await guard.confirmAbove(appId) : (measured?.above ?? null)
  if (above === null) return
  const counted = measured?.counted ?? (await guard.countUpTo(appId, target, maxUnconfirmed(above, confirm)))
  const why = judgeConfirmation(above, counted, confirm)
  if (why) throw invalid({ confirm: [why] })
}

/** The number of recipients that need no further confirmation. */
function maxUnconfirmed(above: number, confirm = 0): number {
  return Math.max(above, confirm)
}

/** The error for the field `confirm`; undefined when the send is confirmed. */
function judgeConfirmation(
  above: number,
  { recipients, isAll }: Counted,
  confirm: number | undefined,
): string | undefined {
  if (recipients <= maxUnconfirmed(above, confirm)) return undefined
  const rule = `in this app a send to more than ${above} must be confirmed`
  return isAll
    ? `must be ${recipients} or more: that is how many get it, and ${rule}. Check the target, then send it with "confirm": ${recipients}`
    : `must be the number of recipients or more: at least ${recipients} get it, and ${rule}. appsvc notify --dry-run counts all of them`
}

/** The lowest `confirm` that allows a send to this many recipients; null when none is needed. */
export function confirmationFor(above: number | null, recipients: number, confirm: number | undefined): number | null {
  return above === null || recipients <= maxUnconfirmed(above, confirm) ? null : recipients
}
