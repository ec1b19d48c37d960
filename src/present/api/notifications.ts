import type { TargetErrors } from '../../domain/audience/types.ts'
import type { ConsentOfSend } from '../../domain/consent/types.ts'
import { platforms } from '../../domain/gateways/registry.ts'
import type { SendPreview } from '../../domain/notifications/accept/send-preview.ts'
import type { Accepted } from '../../domain/notifications/accept/sends.service.ts'
import type { InstallOpen, UserOpen } from '../../domain/notifications/record/opens.repository.ts'
import type { RecipientResult } from '../../domain/notifications/report/recipients.ts'
import type { NotificationReport } from '../../domain/notifications/report/report.ts'
import type { NotificationRecord } from '../../domain/notifications/types.ts'
import { SOURCE, STATUS } from '../../domain/notifications/types.ts'
import type { Schedule } from '../../domain/schedules/schedule.ts'
import { isoOffset, plainUtc } from '../../platform/time/clock.ts'
import {
  answerOf,
  boolean,
  count,
  free,
  givenId,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  plainTime,
  states,
  string,
  time,
} from '../schema.ts'

/** The contract's notification record. */
export function presentNotification(notification: NotificationRecord) {
  const { id, appId, source, status, filters, content } = notification
  return {
    id,
    appId,
    source,
    status,
    filters,
    // Content that cannot be read has neither.
    title: content.title ?? '',
    message: content.message ?? '',
    data: content.data ?? null,
    createdAt: isoOffset(notification.createdAt),
    updatedAt: isoOffset(notification.updatedAt),
    ...presentConsent(notification),
  }
}

/** What a send says about consent; nothing when its caller said nothing. */
export function presentConsent({ purpose, transactional }: ConsentOfSend) {
  return {
    ...(purpose !== null && { purpose }),
    ...(transactional && { priority: 'transactional' as const }),
  }
}

/** Body of a 202 and of a 400: `errors` stays out when everybody named can be reached. */
export function presentAccepted({ notification, errors }: Accepted) {
  return {
    notification: notification && presentNotification(notification),
    ...(notification === null || Object.keys(errors).length > 0 ? { errors } : {}),
  }
}

/** Who would get a notification, and what their gateways would be sent; `errors` as in the answer to a send. */
export function presentSendPreview(errors: TargetErrors, preview: SendPreview) {
  const { recipients, isComplete, confirm, gateways, leftOut, mayBeSkipped } = preview
  return {
    recipients,
    isComplete,
    confirm,
    gateways: gateways.map(({ platform, recipients, configured, request }) => ({
      platform,
      recipients,
      configured,
      request,
    })),
    leftOut: leftOut.map(({ reason, count }) => ({ reason, count })),
    mayBeSkipped,
    errors,
  }
}

/** The record, why it failed (null otherwise), and what became of its recipients. */
export function presentReport(report: NotificationReport) {
  const { notification, dueInstants, unknownZones, counts, failures, skips, expiries } = report
  const { delivered, opened, dismissed, schedule } = notification
  return {
    ...presentNotification(notification),
    statusReason: notification.statusReason,
    expiresAt: isoOffset(notification.expiresAt),
    ...presentSchedule(schedule),
    dueInstants: dueInstants.map(({ at, kind, zones, state, movedFrom }) => ({
      at: isoOffset(at),
      state: kind === 'skip' ? 'passed' : state,
      zones: zones === null ? null : zones.length,
      ...(movedFrom !== null && { movedFrom: isoOffset(movedFrom) }),
    })),
    unknownZones,
    counts: { ...counts, delivered, opened, dismissed, failures, skips, expiries },
  }
}

/** `schedule` and `intelligentDelivery` as their form takes them. */
export function presentSchedule(schedule: Schedule | null) {
  if (schedule === null) return { schedule: null }
  if (schedule.strategy === 'preferredHour') return { schedule: null, intelligentDelivery: true }
  const { sendAt, strategy, pastTimes } = schedule
  return { schedule: { sendAt, strategy, pastTimes, ...('timezone' in schedule && { timezone: schedule.timezone }) } }
}

/** A scheduled notification in a list: the record, its schedule and when it is due next. */
export function presentUpcoming({ notification, nextAt }: { notification: NotificationRecord; nextAt: number }) {
  return { ...presentNotification(notification), ...presentSchedule(notification.schedule), nextAt: isoOffset(nextAt) }
}

/** One line of the recipients. */
export function presentRecipient({ installId, userId, outcome, kind, reason }: RecipientResult) {
  return { installId, userId, outcome, kind, reason }
}

export const recipientLine = answerOf<typeof presentRecipient>('Recipient', {
  installId: nullable(string),
  userId: nullable(string),
  outcome: string,
  kind: nullable(string),
  reason: nullable(string),
})

export function presentInstallOpen({ installId, openedAt }: InstallOpen) {
  return { installId, openedAt: plainUtc(openedAt) }
}

export function presentUserOpen({ userId, openedAt }: UserOpen) {
  return { userId, openedAt: plainUtc(openedAt) }
}

/** Why a send leaves out somebody whom it names, or excludes: of every preview and estimate. */
export const NAMED_IN_VAIN = [
  'unknown_install',
  'unsubscribed_install',
  'unknown_user',
  'unsubscribed_user',
  'excluded',
] as const

/** What `presentConsent` shows. */
export const consentOfSend = { purpose: optional(string), priority: optional({ const: 'transactional' }) }

const record = {
  id: integer,
  appId: integer,
  source: states(SOURCE),
  status: states(STATUS),
  filters: free,
  title: string,
  message: string,
  data: nullable(free),
  createdAt: time,
  updatedAt: time,
  ...consentOfSend,
}
export const notification = answerOf<typeof presentNotification>('Notification', record)
export const notificationPage = pageOf('notifications', notification)

/** Who of a target gets nothing; a list that would be empty is absent. */
export const targetErrors = object(
  {
    unknownInstallIds: optional(list(givenId)),
    unsubscribedInstallIds: optional(list(givenId)),
    unknownUserIds: optional(list(givenId)),
    unsubscribedUserIds: optional(list(givenId)),
  },
  'TargetErrors',
)
export const acceptedNotification = answerOf<typeof presentAccepted>('AcceptedNotification', {
  notification,
  errors: optional(targetErrors),
})
/** What a gateway would be sent. */
export const gatewayRequest = object({ headers: free, payload: {}, bytes: count, limit: count }, 'GatewayRequest')
export const sendPreview = answerOf<typeof presentSendPreview>('SendPreview', {
  recipients: count,
  isComplete: boolean,
  confirm: nullable(count),
  gateways: list(
    object(
      {
        platform: oneOf(platforms),
        recipients: count,
        configured: boolean,
        request: nullable(gatewayRequest),
      },
      'PreviewedGateway',
    ),
  ),
  leftOut: list(
    object(
      {
        reason: oneOf([...NAMED_IN_VAIN, 'no_gateway']),
        count,
      },
      'LeftOut',
    ),
  ),
  mayBeSkipped: list(oneOf(['quiet_hours', 'frequency_cap', 'not_wanted', 'on_suppression_list'])),
  errors: targetErrors,
})
export const rejectedNotification = answerOf<typeof presentAccepted>('RejectedNotification', {
  notification: { type: 'null' },
  errors: targetErrors,
})

/** What `presentSchedule` shows. */
export const scheduled = {
  schedule: nullable(
    object(
      {
        sendAt: string,
        strategy: oneOf(['utc', 'local', 'timezone', 'intelligent']),
        pastTimes: oneOf(['ignore', 'nextDay']),
        timezone: optional(string),
      },
      'ShownSchedule',
    ),
  ),
  intelligentDelivery: optional({ const: true }),
}

/** Recipients by what became of them. */
export const recipientCounts = {
  audience: count,
  pending: count,
  accepted: count,
  failed: count,
  expired: count,
  cancelled: count,
  skipped: count,
  unknown: count,
}
export const reasonCount = object({ reason: string, count }, 'ReasonCount')

export const notificationReport = answerOf<typeof presentReport>('NotificationReport', {
  ...record,
  statusReason: nullable(string),
  expiresAt: time,
  ...scheduled,
  dueInstants: list(
    object(
      {
        at: time,
        state: oneOf(['due', 'sending', 'done', 'cancelled', 'passed']),
        zones: nullable(count),
        movedFrom: optional(time),
      },
      'DueInstant',
    ),
  ),
  unknownZones: count,
  counts: object(
    {
      ...recipientCounts,
      delivered: count,
      opened: count,
      dismissed: count,
      failures: list(object({ kind: string, reason: string, count }, 'FailureCount')),
      skips: list(reasonCount),
      expiries: list(reasonCount),
    },
    'NotificationCounts',
  ),
})

export const upcomingNotifications = object(
  {
    notifications: list(
      answerOf<typeof presentUpcoming>('ScheduledNotification', { ...record, ...scheduled, nextAt: time }),
    ),
  },
  'ScheduledNotifications',
)

export const installOpen = answerOf<typeof presentInstallOpen>('InstallOpen', {
  installId: string,
  openedAt: plainTime,
})
export const userOpen = answerOf<typeof presentUserOpen>('UserOpen', { userId: string, openedAt: plainTime })
