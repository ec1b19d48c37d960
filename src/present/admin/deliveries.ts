import type { ToDoList } from '../../doctor/todo.ts'
import { PUSH_COUNTS, type PushCounts, type PushDays } from '../../domain/figures/types.ts'
import { platforms } from '../../domain/gateways/registry.ts'
import { SLOT } from '../../domain/notifications/record/page.ts'
import type { DeliveryReport, Progress } from '../../domain/notifications/report/deliveries.ts'
import type { Trace } from '../../domain/notifications/report/trace.ts'
import type { CountedNotification, UnderWay } from '../../domain/notifications/report/under-way.ts'
import { STATUS } from '../../domain/notifications/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import {
  ACCEPTED,
  CANCELLED,
  COUNT,
  DISMISSED,
  DUE_INSTANT_AT,
  EXPIRED,
  FAILED,
  MOVED_FROM,
  NEXT_AT,
  NOTIFICATION_REPORT_EXPIRES_AT,
  NOTIFICATION_STATUS,
  presentNotification,
  presentReport,
  presentSchedule,
  presentUpcoming,
  recipientCounts,
  SKIPPED,
  STATE,
  scheduled,
  UNKNOWN,
  UNKNOWN_ZONES,
  ZONES,
} from '../api/notifications.ts'
import {
  answerOf,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  states,
  string,
  time,
  told,
  type Words,
} from '../schema.ts'
import {
  ATTEMPTS,
  CHECK,
  CREATED_AT,
  DELIVERED,
  FILTERS,
  ID,
  INSTALL_OPEN_INSTALL_ID,
  LEVEL,
  MESSAGE,
  OPENED,
  PLATFORM,
  TITLE,
  VENDOR_ANSWER_AT,
} from '../words.ts'

const PLATFORM_PROGRESS_PLATFORM: Words = ['Null: recipients for whom the app has no gateway.']
const EXPLAINED_REASON_KIND: Words = ['Our name for it.', 'token_dead']

/** A notification in lists: what it says, when, and what became of it. */
export function presentDelivery({ notification, counts }: CountedNotification) {
  const { id, status, title, message, createdAt } = presentNotification(notification)
  const { delivered, opened, dismissed, schedule } = notification
  return {
    id,
    status,
    title,
    message,
    createdAt,
    ...presentSchedule(schedule),
    counts: { ...counts, delivered, opened, dismissed },
  }
}

/** How fast a notification is sent, and how long it still takes; null: nobody knows yet. */
export interface Speed {
  perSecond: number | null
  secondsLeft: number | null
}

export function presentProgress(
  { status, counts, platforms, isFinding, expected, opened }: Progress,
  { perSecond, secondsLeft }: Speed,
  now: number,
) {
  return { status, counts, platforms, isFinding, expected, opened, perSecond, secondsLeft, asOf: isoOffset(now) }
}

/** `canStop`: whether a part of it can still be kept from being sent. */
export function presentDeliveryReport({ report, course, platforms, reasons, sent }: DeliveryReport) {
  const { notification } = report
  const { filters, statusReason, expiresAt, dueInstants, unknownZones, createdAt, ...rest } = presentReport(report)
  const { failures: _failures, skips: _skips, expiries: _expiries, ...counts } = rest.counts
  return {
    id: rest.id,
    status: rest.status,
    statusReason,
    title: rest.title,
    message: rest.message,
    filters,
    createdAt,
    expiresAt,
    ...presentSchedule(notification.schedule),
    ratePerSecond: notification.rateLimit,
    dueInstants,
    unknownZones,
    canStop: rest.status < STATUS.sent,
    counts,
    hours: course.hours.map(({ at, accepted, delivered, opened, dismissed }) => ({
      at: isoOffset(at),
      accepted,
      delivered,
      opened,
      dismissed,
    })),
    platforms: platforms.map(({ platform, audience, ...some }) => ({ platform, audience, ...pushCountsOf(some) })),
    reasons,
    sent: sent.map(({ platform, request: { headers, payload, bytes, limit } }) => ({
      platform,
      headers,
      payload,
      bytes,
      limit,
    })),
  }
}

const pushCountsOf = (given: PushCounts) =>
  Object.fromEntries(PUSH_COUNTS.map((name) => [name, given[name]])) as PushCounts

/** `installId` and the user are personal: viewers see them masked. */
export function presentDeliveryTrace(traces: readonly Trace[]) {
  return {
    items: traces.map(({ install, state, pages, answers }) => ({
      installId: install,
      state,
      attempts: pages.map(({ slot, attempt, again, notBefore }) => ({
        outcome: slot,
        attempt: attempt + 1,
        again,
        notBefore: isoOffset(notBefore),
      })),
      answers: answers.map(({ kind, reason, at }) => ({ kind, reason, at: isoOffset(at) })),
    })),
  }
}

/** The home of an app. */
export function presentOverview({ steps, alarms, asOf }: ToDoList, days: PushDays, underWay: UnderWay) {
  return {
    steps: steps.map(({ step, done, sentence }) => ({ step, done, sentence })),
    alarms: alarms.map(({ level, check, sentence, remedy }) => ({ level, check, sentence, remedy })),
    zone: days.zone,
    days: days.days.map((one) => ({ day: one.day, ...pushCountsOf(one) })),
    total: pushCountsOf(days.total),
    running: underWay.running.map(presentDelivery),
    scheduled: underWay.scheduled.map((one) => {
      const { id, title, message, nextAt, status } = presentUpcoming(one)
      return { id, title, message, nextAt, status }
    }),
    ended: underWay.ended.map(presentDelivery),
    asOf: isoOffset(asOf),
  }
}

const reports = { delivered: told(count, DELIVERED), opened: told(count, OPENED), dismissed: told(count, DISMISSED) }
const pushCounts = {
  accepted: told(count, ACCEPTED),
  failed: told(count, FAILED),
  expired: told(count, EXPIRED),
  cancelled: told(count, CANCELLED),
  skipped: told(count, SKIPPED),
  unknown: told(count, UNKNOWN),
  ...reports,
}
const status = states(STATUS)
const platform = nullable(oneOf(platforms))
const deliveryCounts = object('DeliveryCounts', 'Recipients by what became of them, and what devices reported.', {
  ...recipientCounts,
  ...reports,
})

const delivery = answerOf<typeof presentDelivery>('Delivery', 'A notification with what became of its recipients.', {
  id: told(integer, ID),
  status: told(status, NOTIFICATION_STATUS),
  title: told(string, TITLE),
  message: told(string, MESSAGE),
  createdAt: told(time, CREATED_AT),
  ...scheduled,
  counts: told(deliveryCounts, 'What became of its recipients so far.'),
})
export const deliveryPage = object('DeliveryPage', 'A page of notifications.', {
  items: told(list(delivery), 'Newest first.'),
  next: told(nullable(integer), '`after` of the next page; null on the last one.', 7),
})

export const deliveryProgress = answerOf<typeof presentProgress>(
  'DeliveryProgress',
  'How far a notification has come.',
  {
    status: told(status, NOTIFICATION_STATUS, 2),
    counts: told(
      object('ProgressCounts', 'Recipients so far by what became of them.', recipientCounts),
      'Recipients so far by what became of them.',
    ),
    platforms: told(
      list(
        object('PlatformProgress', 'The same of one platform.', {
          platform: told(platform, PLATFORM_PROGRESS_PLATFORM),
          ...recipientCounts,
        }),
      ),
      'The same by platform; a platform of null has no gateway.',
    ),
    isFinding: told(boolean, 'Whether a part of its audience is still to be found.'),
    expected: told(nullable(count), 'How many recipients it will have; null: nobody knows yet.', 1240),
    opened: told(count, 'Installs that opened it so far.', 12),
    perSecond: told(nullable(number), 'Recipients in a second, over the last ten; null: not known yet.', 1520.5),
    secondsLeft: told(nullable(number), 'How long the rest takes at this speed; null: not known.', 42),
    asOf: told(time, 'When it was read.', '2026-11-23T10:00:00+0000'),
  },
)

export const deliveryReport = answerOf<typeof presentDeliveryReport>(
  'DeliveryReport',
  'A notification, its recipients, and why some did not get it.',
  {
    id: told(integer, ID),
    status: told(status, '0 scheduled, 1 queued, 2 sending, 3 sent, 4 cancelled, 5 failed.', 3),
    statusReason: told(nullable(string), 'Why it failed or was cancelled.', 'cancelled on request'),
    title: told(string, TITLE),
    message: told(string, MESSAGE),
    filters: told(free, FILTERS),
    createdAt: told(time, CREATED_AT),
    expiresAt: told(time, NOTIFICATION_REPORT_EXPIRES_AT),
    ...scheduled,
    ratePerSecond: told(nullable(count), 'Its limit of recipients in a second; null: none.', 500),
    dueInstants: told(
      list(
        object('DeliveryInstant', 'A due time of a schedule.', {
          at: told(time, DUE_INSTANT_AT),
          state: told(oneOf(['due', 'sending', 'done', 'cancelled', 'passed']), STATE),
          zones: told(nullable(count), ZONES),
          movedFrom: optional(told(time, MOVED_FROM)),
        }),
      ),
      'The due times of its schedule.',
    ),
    unknownZones: told(count, UNKNOWN_ZONES),
    canStop: told(boolean, 'Whether a part of it can still be kept from being sent.'),
    counts: told(deliveryCounts, 'What became of its recipients.'),
    hours: told(
      list(
        object('DeliveryHour', 'What was counted in an hour.', {
          at: told(time, 'When the hour begins.', '2026-11-23T10:00:00+0000'),
          accepted: told(count, ACCEPTED),
          ...reports,
        }),
      ),
      'Hours in which something was counted, oldest first.',
    ),
    platforms: told(
      list(
        object('DeliveryPlatform', 'What became of the recipients of one platform.', {
          platform: told(platform, PLATFORM_PROGRESS_PLATFORM),
          audience: told(count, 'Its recipients.', 1240),
          ...pushCounts,
        }),
      ),
      'By platform; null: recipients for whom the app has no gateway.',
    ),
    reasons: told(
      list(
        object('ExplainedReason', 'Recipients who did not get it for the same reason.', {
          outcome: told(oneOf(['failed', 'skipped', 'expired', 'cancelled', 'unknown']), 'As what they are counted.'),
          kind: told(string, EXPLAINED_REASON_KIND),
          reason: told(string, "The vendor's own word for failures.", 'Unregistered'),
          count: told(count, COUNT),
          sentence: told(
            nullable(string),
            'What happened; null where only the vendor knows.',
            'the vendor can never accept this message',
          ),
          remedy: told(nullable(string), 'What to do about it; null: nothing.', 'shorten or correct the content'),
        }),
      ),
      'Why recipients did not get it, most frequent first.',
    ),
    sent: told(
      list(
        object('SentRequest', 'What a gateway was sent for each recipient, without the token.', {
          platform: told(oneOf(platforms), PLATFORM),
          headers: told(free, 'Headers of the request, without credentials.'),
          payload: told({}, 'Its body.', { aps: { alert: 'Hello' } }),
          bytes: told(count, 'Its size as the vendor counts it.', 81),
          limit: told(count, "The vendor's limit in bytes.", 4096),
        }),
      ),
      'What each gateway was sent; without personal data of its recipients.',
    ),
  },
)

export const deliveryTrace = answerOf<typeof presentDeliveryTrace>('DeliveryTrace', 'What happened to a recipient.', {
  items: told(
    list(
      object('TracedInstall', 'What happened to one install.', {
        installId: told(string, INSTALL_OPEN_INSTALL_ID),
        state: told(
          oneOf(['not_a_recipient', 'waiting', ...Object.keys(SLOT)]),
          'What became of it: `not_a_recipient`, `waiting` while its turn has not come, or an outcome.',
          'accepted',
        ),
        attempts: told(
          list(
            object('TracedAttempt', 'An attempt to send to it.', {
              outcome: told(oneOf(Object.keys(SLOT)), 'How it ended.', 'accepted'),
              attempt: told(count, 'Which attempt it was, from 1.', 1),
              again: told(
                nullable(oneOf(['after_crash', 'no_answer', 'held', 'retry'])),
                'Why it was sent to again; null for the first attempt.',
              ),
              notBefore: told(time, 'Not sent before.', '2026-11-23T10:00:00+0000'),
            }),
          ),
          ATTEMPTS,
        ),
        answers: told(
          list(
            object('VendorAnswer', 'An answer of a vendor that refused it.', {
              kind: told(string, EXPLAINED_REASON_KIND),
              reason: told(string, "The vendor's word.", 'Unregistered'),
              at: told(time, VENDOR_ANSWER_AT),
            }),
          ),
          'Of vendors that refused it, oldest first.',
        ),
      }),
    ),
    'One for each install.',
  ),
})

export const overview = answerOf<typeof presentOverview>(
  'Overview',
  'What an app needs, what is wrong, and its last two weeks.',
  {
    steps: told(
      list(
        object('FirstStep', 'A step on the way to the first opened push.', {
          step: told(oneOf(['gateway', 'install', 'push', 'open']), 'Which one.'),
          done: told(boolean, 'Whether it is taken.'),
          sentence: told(string, 'What to do, or what was done.', 'a push was opened'),
        }),
      ),
      'In the order in which they are taken.',
    ),
    alarms: told(
      list(
        object('Alarm', 'Something that is wrong or soon will be.', {
          level: told(oneOf(['warning', 'error']), LEVEL, 'warning'),
          check: told(string, CHECK),
          sentence: told(string, 'What is wrong.', 'there is no backup'),
          remedy: told(string, 'A command or a setting to copy.', 'appsvc backup'),
        }),
      ),
      'Errors first. Only who may operate sees those of the server.',
    ),
    zone: told(string, 'The time zone of the days.', 'Europe/Berlin'),
    days: told(
      list(
        object('PushDay', 'The pushes of a day.', {
          day: told(string, 'In the zone of the overview.', '2026-11-23'),
          ...pushCounts,
        }),
      ),
      'The last 14 days, oldest first.',
    ),
    total: told(
      object('PushCounts', 'What became of recipients, and what devices reported.', pushCounts),
      'Of these days together.',
    ),
    running: told(list(delivery), 'Being sent now, oldest first, at most ten.'),
    scheduled: told(
      list(
        object('ScheduledDelivery', 'A notification that is due later.', {
          id: told(integer, ID),
          title: told(string, TITLE),
          message: told(string, MESSAGE),
          nextAt: told(time, NEXT_AT, '2026-11-23T10:00:00+0000'),
          status: told(status, NOTIFICATION_STATUS, 0),
        }),
      ),
      'By their next due time, at most ten.',
    ),
    ended: told(list(delivery), 'Newest first, at most ten.'),
    asOf: told(time, 'When the checks ran.', '2026-11-23T10:00:00+0000'),
  },
)
