import type { TargetErrors } from '../../audience/types.ts'

/** Reasons for which a named recipient, or a platform, gets nothing. */
export type LeftOutReason =
  | 'unknown_install'
  | 'unsubscribed_install'
  | 'unknown_user'
  | 'unsubscribed_user'
  | 'excluded'
  | 'no_gateway'

/** A rule by which recipients may be skipped when it is sent. */
export type SkippingRule = 'quiet_hours' | 'frequency_cap' | 'not_wanted' | 'on_suppression_list'

/** Named recipients that get nothing, with the reasons. Pure. */
export function namedAndLeftOut(errors: TargetErrors, excluded: number): { reason: LeftOutReason; count: number }[] {
  return [
    { reason: 'unknown_install', count: errors.unknownInstallIds?.length ?? 0 },
    { reason: 'unsubscribed_install', count: errors.unsubscribedInstallIds?.length ?? 0 },
    { reason: 'unknown_user', count: errors.unknownUserIds?.length ?? 0 },
    { reason: 'unsubscribed_user', count: errors.unsubscribedUserIds?.length ?? 0 },
    { reason: 'excluded', count: excluded },
  ]
}
