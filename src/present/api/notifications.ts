import type { TargetErrors } from '../../domain/audience/types.ts'
import type { ConsentOfSend } from '../../domain/consent/types.ts'
import { TRANSPORTS } from '../../domain/crm/store/transport.ts'
import { platforms } from '../../domain/gateways/registry.ts'
import type { PersonalPreview } from '../../domain/notifications/accept/personal-preview.ts'
import type { SendPreview } from '../../domain/notifications/accept/send-preview.ts'
import type { Accepted } from '../../domain/notifications/accept/sends.service.ts'
import type { InstallOpen, UserOpen } from '../../domain/notifications/record/opens.repository.ts'
import type { DueInstant } from '../../domain/notifications/record/runs.repository.ts'
import type { RecipientResult } from '../../domain/notifications/report/recipients.ts'
import type { NotificationReport } from '../../domain/notifications/report/report.ts'
import type { NotificationRecord } from '../../domain/notifications/types.ts'
import { SOURCE, STATUS } from '../../domain/notifications/types.ts'
import type { Occurrence, Recurrence } from '../../domain/schedules/recurrence.ts'
import type { Schedule } from '../../domain/schedules/schedule.ts'
import type { SeriesAhead } from '../../domain/series/service.ts'
import {
  answer,
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
  told,
  type Words,
  within,
} from '../schema.ts'
import {
  ALWAYS_NULL,
  APP_ID,
  COUNTS,
  CREATED_AT,
  DATA,
  DELIVERED,
  FILTERS,
  ID,
  LANGUAGE_GOT,
  MESSAGE,
  OF_INSTALL,
  OF_USER,
  OPENED,
  PLATFORM,
  STATUS_REASON,
  TITLE,
  TRANSPORT,
  UPDATED_AT,
} from '../words.ts'
import { labelsOfSend } from './labels.ts'
import { gatewayRequest, personalMembers, presentPersonal } from './previews.ts'
import { MADE_SERIES, madeSeries, NEXT, presentTimes, SERIES_ID } from './series.ts'

export const UNKNOWN_INSTALL_IDS: Words = ['Install ids that do not exist.', ['gone']]
export const UNKNOWN_USER_IDS: Words = ['User identifiers that do not exist.', ['user-99']]
export const PURPOSE: Words = ['The uid of its purpose: users who do not allow it are left out.', 'news']
export const ACCEPTED: Words = ['Accepted by the gateway.', 1]
export const FAILED: Words = ['Refused for good, or given up.', 1]
export const EXPIRED: Words = ['Too late to be worth delivering.', 0]
export const CANCELLED: Words = ['Called off before they were tried.', 0]
export const SKIPPED: Words = ['Left out on purpose, for example by quiet hours.', 1]
export const UNKNOWN: Words = ['The gateway never said what became of them.', 0]
const NOTIFICATIONS: Words = ['The notifications.']
export const NOTIFICATION_STATUS: Words = ['State of the notification.', 3]
export const LEFT_OUT: Words = ['Who gets nothing, by reason.']
export const CONFIGURED: Words = ['Whether the app has a gateway that can send to the platform.', true]
export const COUNT: Words = ['How many recipients.', 1]
export const WORTH_UNTIL: Words = ['When it is no longer worth delivering.', '2026-03-02T12:00:00+0000']
export const UNKNOWN_ZONES: Words = [
  'Number of time zones without known rules. They use the default zone of the app.',
  0,
]
const DISMISSED: Words = ['Reported by devices as dismissed.', 0]
export const NEXT_AT: Words = ['When it is due next.', '2026-03-02T09:00:00+0000']
const OPENED_IN: Words = ['Reported as opened by installs that this language fitted when they opened it.', 1]
const OPENED_AT: Words = ['When it was opened.', '2026-03-01 12:05:00']

/** Body of a 202 and of a 400: `errors` stays out when everybody named can be reached. */
export function presentAccepted({ notification, errors, series }: Accepted & { series?: SeriesAhead | undefined }) {
  return {
    notification: notification && presentNotification(notification),
    ...(notification === null || Object.keys(errors).length > 0 ? { errors } : {}),
    ...(series && { series: madeSeries.present(series) }),
  }
}

/** Shows the recipients of a send and the requests to their gateways before it is sent; `errors` as in the answer to a send. */
export function presentSendPreview(
  errors: TargetErrors,
  preview: SendPreview,
  personal: PersonalPreview,
  repeats?: Repeats,
) {
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
    ...(repeats && { next: presentTimes(repeats.rule, repeats.next) }),
    ...presentPersonal(personal),
  }
}

/** The rule by which a send that is previewed repeats, and its next times. */
interface Repeats {
  rule: Recurrence
  next: readonly Occurrence[]
}

/** `schedule` as its form takes it. */
function presentSchedule(schedule: Schedule | null) {
  if (schedule === null || schedule.strategy === 'preferredHour') return null
  const { sendAt, strategy, pastTimes } = schedule
  return { sendAt, strategy, pastTimes, ...('timezone' in schedule && { timezone: schedule.timezone }) }
}

/** Line of the list of recipients. */
export const recipientLine = answer<RecipientResult>()('Recipient', 'A recipient, and what became of them.', {
  installId: told(nullable(string), 'The install; null once it is gone.'),
  userId: told(nullable(string), 'The user of the install now; null once it is gone.'),
  transport: told(nullable(oneOf(TRANSPORTS)), TRANSPORT),
  outcome: told(string, 'What became of them: one of the counts of the report.'),
  kind: told(nullable(string), 'The kind of a failure.'),
  reason: told(nullable(string), 'Why it is so; null where nobody said.'),
})
export const presentRecipient = recipientLine.present

/** Reasons for which a send leaves out somebody whom it names, or excludes; every preview and estimate has them. */
export const NAMED_IN_VAIN = [
  'unknown_install',
  'unsubscribed_install',
  'unknown_user',
  'unsubscribed_user',
  'excluded',
] as const

/** Members of a send about consent; each is absent when the caller left it out. */
export const consentOfSend = {
  purpose: optional(told(string, PURPOSE, ({ purpose }: ConsentOfSend) => purpose ?? undefined)),
  priority: optional(
    told(
      { const: 'transactional' },
      'Present when it ignores quiet hours, frequency cap and purposes. The suppression list still counts.',
      ({ transactional }: ConsentOfSend) => (transactional ? ('transactional' as const) : undefined),
    ),
  ),
}

/** The time of the last edit of a scheduled send. */
export const editedAt = <S extends { editedAt: number | null }>() =>
  optional(
    told(
      time,
      'When it was edited last; absent if never.',
      '2026-03-01T12:05:00+0000',
      ({ editedAt }: S) => editedAt ?? undefined,
    ),
  )

/** The contract's notification record. Content that cannot be read has neither title nor message. */
export const notificationMembers = {
  id: told(integer, ID),
  appId: told(integer, APP_ID),
  source: told(states(SOURCE), 'Which interface it came through.', 1),
  status: told(states(STATUS), NOTIFICATION_STATUS),
  filters: told(free, FILTERS),
  title: told(string, TITLE, ({ content }: NotificationRecord) => content.title ?? ''),
  message: told(string, MESSAGE, ({ content }: NotificationRecord) => content.message ?? ''),
  data: told(nullable(free), DATA, ({ content }: NotificationRecord) => content.data ?? null),
  createdAt: told(time, CREATED_AT),
  updatedAt: told(time, UPDATED_AT),
  editedAt: editedAt<NotificationRecord>(),
  dueAt: optional(
    told(
      time,
      'The first due time of its schedule; absent when it was due at once.',
      '2026-03-02T07:30:00+0000',
      ({ dueAt }: NotificationRecord) => dueAt ?? undefined,
    ),
  ),
  sentAt: optional(
    told(
      time,
      'When it began to be sent; absent before.',
      '2026-03-02T07:30:01+0000',
      ({ sentAt }: NotificationRecord) => sentAt ?? undefined,
    ),
  ),
  ...consentOfSend,
  isTest: optional(
    told(
      { const: true },
      'Present when somebody sent it to see how it looks: it is in no figure of the app.',
      true,
      ({ isTest }: NotificationRecord) => isTest || undefined,
    ),
  ),
  seriesId: SERIES_ID,
  ...labelsOfSend,
}
export const notification = answer<NotificationRecord>()(
  'Notification',
  'A notification as it was accepted.',
  notificationMembers,
)
export const presentNotification = notification.present
export const notificationPage = pageOf('notifications', 'One page of notifications.', NOTIFICATIONS, notification)

/** Members of a target that get nothing; a list that would be empty is absent. */
export const targetErrors = object(
  'TargetErrors',
  'Members of the target that get nothing, as the caller wrote them. A list without members is absent.',
  {
    unknownInstallIds: optional(told(list(givenId), UNKNOWN_INSTALL_IDS)),
    unsubscribedInstallIds: optional(
      told(list(givenId), 'Installs that exist and cannot be reached.', ['7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10']),
    ),
    unknownUserIds: optional(told(list(givenId), UNKNOWN_USER_IDS)),
    unsubscribedUserIds: optional(told(list(givenId), 'Users who exist and cannot be reached.', ['user-18'])),
  },
  { unknownUserIds: ['user-99'] },
)
export const acceptedNotification = answerOf<typeof presentAccepted>(
  'AcceptedNotification',
  'The notification, and who of its target gets nothing.',
  {
    notification: told(notification, 'The notification.'),
    errors: optional(
      told(targetErrors, 'Members of the target that get nothing; absent when everyone named can be reached.'),
    ),
    series: optional(told(madeSeries, MADE_SERIES)),
  },
)
/** The request that a gateway would get. */
export const payload = object('Payload', 'What a gateway would be sent.', {
  platform: told(oneOf(platforms), PLATFORM),
  configured: told(boolean, CONFIGURED),
  request: told(gatewayRequest, 'The request: of the default content, with its template texts as they are written.'),
})
export const sendPreview = answerOf<typeof presentSendPreview>('SendPreview', 'What sending a notification would do.', {
  recipients: told(count, 'Installs in the audience now.', 1204),
  isComplete: told(boolean, 'False if the time to count was over: there are more recipients.', true),
  confirm: told(nullable(count), 'The `confirm` with which it can be sent; null if none is needed.', null),
  gateways: told(
    list(
      object('PreviewedGateway', 'The recipients of one platform, and the request that its gateway would get.', {
        platform: told(oneOf(platforms), PLATFORM),
        recipients: told(count, 'Installs of this platform in the audience now.', 1204),
        configured: told(boolean, 'Whether the app has a gateway that can send to this platform.', true),
        request: told(nullable(gatewayRequest), 'What the gateway would get, without address and credential.'),
      }),
    ),
    'The platforms of the recipients.',
  ),
  leftOut: told(
    list(
      object('LeftOut', 'How many get nothing for one reason.', {
        reason: told(
          oneOf([...NAMED_IN_VAIN, 'no_gateway']),
          'Why. `no_gateway`: they are among the recipients, and fail.',
          'no_gateway',
        ),
        count: told(count, 'How many: installs, or users for the reasons that name users.', 3),
      }),
    ),
    LEFT_OUT,
  ),
  mayBeSkipped: told(
    list(oneOf(['quiet_hours', 'frequency_cap', 'not_wanted', 'on_suppression_list'])),
    'Rules by which recipients may be skipped when it is sent: of the app, of the purpose, and the ' +
      'suppression list.',
    ['quiet_hours'],
  ),
  errors: told(targetErrors, 'Members of the target that get nothing, as sending would tell them.'),
  next: optional(told(list(string), NEXT)),
  ...personalMembers,
})
export const rejectedNotification = answerOf<() => Omit<ReturnType<typeof presentAccepted>, 'series'>>(
  'RejectedNotification',
  'Nobody in the target can be reached, so nothing was stored.',
  {
    notification: told({ type: 'null' }, ALWAYS_NULL),
    errors: told(targetErrors, 'Why nobody can be reached.'),
  },
)

/** The schedule of a send. */
export const scheduled = {
  schedule: told(
    nullable(
      object('ShownSchedule', 'The schedule as it was given.', {
        sendAt: told(
          string,
          'Date and time as `YYYY-MM-DD HH:mm`, on the clock that `strategy` names; only the day, `YYYY-MM-DD`, with the strategy `intelligent`.',
          '2026-12-24 18:00',
        ),
        strategy: told(
          oneOf(['utc', 'local', 'timezone', 'intelligent']),
          'Whose time `sendAt` is: `utc`, the `timezone` given, the `local` time of each recipient, or ' +
            '`intelligent` for the usual hour of each user.',
          'local',
        ),
        pastTimes: told(
          oneOf(['ignore', 'nextDay']),
          'What happens where the time has passed: `ignore` leaves those out, `nextDay` waits for the next day.',
          'nextDay',
        ),
        timezone: optional(told(string, 'IANA time zone of the strategy `timezone`.', 'Europe/Berlin')),
      }),
    ),
    'When it is due, as it was given; null without a schedule.',
    ({ schedule }: { schedule: Schedule | null }) => presentSchedule(schedule),
  ),
  intelligentDelivery: optional(
    told(
      { const: true },
      'Present when it is sent at the next usual hour of each user.',
      ({ schedule }: { schedule: Schedule | null }) => schedule?.strategy === 'preferredHour' || undefined,
    ),
  ),
}

/** Recipients by what became of them. */
export const recipientCounts = {
  audience: told(count, 'All recipients.', 3),
  pending: told(count, 'Recipients who are still to be tried.', 0),
  accepted: told(count, ACCEPTED),
  failed: told(count, FAILED),
  expired: told(count, EXPIRED),
  cancelled: told(count, CANCELLED),
  skipped: told(count, SKIPPED),
  unknown: told(count, UNKNOWN),
}
export const reasonCount = object('ReasonCount', 'How many recipients there were for one reason.', {
  reason: told(string, 'Why, in a word.', 'quiet_hours'),
  count: told(count, COUNT),
})

const reportedReasons = {
  failures: told(
    list(
      object('FailureCount', 'How many recipients were not reached for one reason.', {
        kind: told(string, 'Kind of failure.', 'token_dead'),
        reason: told(string, 'Why: the word of the vendor where there is one.', 'UNREGISTERED'),
        count: told(count, COUNT),
      }),
    ),
    'Failed recipients by reason, the most frequent first. Of very many reasons the rarest are together, ' +
      'as `other reasons`.',
  ),
  skips: told(list(reasonCount), 'Skipped recipients by reason.'),
  expiries: told(list(reasonCount), 'Expired recipients whose reason is known.'),
}

/** Counts of a notification that come from devices. */
export const reported = {
  delivered: told(count, DELIVERED),
  opened: told(count, OPENED),
  dismissed: told(count, DISMISSED),
}

/** The expressions that were missing in a personalised message. */
export const personalization = object('Personalization', 'What was missing in a personalised message.', {
  missing: told(
    list(
      object('MissingValue', 'An expression that had no value.', {
        expression: told(string, 'The expression as the text has it.', 'user.attributes.firstName'),
        count: told(count, 'How many recipients were left out for it.', 12),
      }),
    ),
    'Expressions that had no value for recipients who were therefore left out, the most frequent first.',
  ),
})

/** The push template that a push was made of. */
export const usedTemplate = object('UsedTemplate', 'The push template that a notification was made of.', {
  uid: told(string, 'Its uid.', 'order-shipped'),
  version: told(integer, 'The version of it that was used.', 3),
})

/** The words of the push template that something was made of. */
export const TEMPLATE_USED = 'The push template that it was made of; absent without one.'

/** Parts of a report that only some contents have. */
export const reportedContent = {
  template: optional(
    told(usedTemplate, TEMPLATE_USED, ({ notification }: NotificationReport) => notification.content.template),
  ),
  personalization: optional(
    told(
      personalization,
      'What was missing; absent when the notification is not personalised.',
      ({ notification: { content }, missing }: NotificationReport) => (content.personalize ? { missing } : undefined),
    ),
  ),
  languages: optional(
    told(
      list(
        object('LanguageCount', 'The recipients who got one language.', {
          language: told(string, LANGUAGE_GOT),
          accepted: told(count, ACCEPTED),
          opened: told(count, OPENED_IN),
        }),
      ),
      'Recipients by the language that they got, the most frequent first; absent when there is only one.',
      ({ notification: { content }, languages }: NotificationReport) => (content.languages ? languages : undefined),
    ),
  ),
}

const ofReport = ({ notification }: NotificationReport) => notification

const notificationCounts = answer<NotificationReport>()(
  'NotificationCounts',
  'The recipients by what became of them.',
  {
    ...within(({ counts }: NotificationReport) => counts, recipientCounts),
    ...within(ofReport, reported),
    ...reportedReasons,
  },
)

/** Members of a due time, the same in every answer that has one. */
export const instantMembers = {
  at: told(time, 'When it is due.', '2026-03-01T12:00:00+0000'),
  state: told(
    oneOf(['due', 'sending', 'done', 'cancelled', 'passed']),
    'How far it is; `passed` was left out because the time had passed.',
    'done',
    ({ kind, state }: DueInstant) => (kind === 'skip' ? 'passed' : state),
  ),
  zones: told(
    nullable(count),
    'Number of time zones that it is due in; null means all.',
    3,
    ({ zones }: DueInstant) => zones && zones.length,
  ),
  movedFrom: optional(
    told(
      time,
      'When it was due before the rules of its time zone changed; absent when they did not.',
      '2026-03-01T13:00:00+0000',
      ({ movedFrom }: DueInstant) => movedFrom ?? undefined,
    ),
  ),
}

/** The record, why it failed (null otherwise), and what became of its recipients. */
export const notificationReport = answer<NotificationReport>()(
  'NotificationReport',
  'A notification with what became of its recipients.',
  {
    ...within(ofReport, notificationMembers),
    ...within(ofReport, {
      statusReason: told(nullable(string), STATUS_REASON),
      expiresAt: told(time, WORTH_UNTIL),
      ...scheduled,
    }),
    dueInstants: told(
      list(answer<DueInstant>()('DueInstant', 'One time at which the notification is due.', instantMembers)),
      'The times at which it is due, in order. Times at which nobody is due are left out.',
    ),
    unknownZones: told(count, UNKNOWN_ZONES),
    counts: told(notificationCounts, COUNTS, (report) => report),
    ...reportedContent,
  },
)
export const presentReport = notificationReport.present

/** A scheduled notification in a list: the record, its schedule and when it is due next. */
const upcoming = answer<{ notification: NotificationRecord; nextAt: number }>()(
  'ScheduledNotification',
  'A notification that is still due somewhere.',
  {
    ...within(({ notification }: { notification: NotificationRecord }) => notification, {
      ...notificationMembers,
      status: told(states(STATUS), NOTIFICATION_STATUS, 0),
      ...scheduled,
    }),
    nextAt: told(time, NEXT_AT),
  },
)
export const presentUpcoming = upcoming.present
export const upcomingNotifications = object(
  'ScheduledNotifications',
  'Notifications that are still due somewhere, the next one first.',
  {
    notifications: told(list(upcoming), NOTIFICATIONS),
  },
)

export const installOpen = answer<InstallOpen>()('InstallOpen', 'An install that opened a notification.', {
  installId: told(string, OF_INSTALL),
  openedAt: told(plainTime, OPENED_AT),
})
export const presentInstallOpen = installOpen.present
export const userOpen = answer<UserOpen>()('UserOpen', 'A user who opened a notification.', {
  userId: told(string, OF_USER),
  openedAt: told(plainTime, OPENED_AT),
})
export const presentUserOpen = userOpen.present
