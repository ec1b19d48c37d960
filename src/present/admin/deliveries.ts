import type { ToDoList } from '../../doctor/todo.ts'
import { platforms } from '../../domain/gateways/registry.ts'
import { SLOT } from '../../domain/notifications/record/page.ts'
import type { DueInstant } from '../../domain/notifications/record/runs.repository.ts'
import type { DeliveryReport, Progress } from '../../domain/notifications/report/deliveries.ts'
import type { Opener, OpenerGroup, OpenerGroups } from '../../domain/notifications/report/openers.ts'
import type { Trace } from '../../domain/notifications/report/trace.ts'
import type { CountedNotification, UnderWay } from '../../domain/notifications/report/under-way.ts'
import type { Usual } from '../../domain/notifications/report/usual.ts'
import type { NotificationRecord } from '../../domain/notifications/types.ts'
import { STATUS } from '../../domain/notifications/types.ts'
import type { PushCounts, PushHour, PushPeriod } from '../../domain/statistics/types.ts'

import { isoOffset } from '../../platform/time/clock.ts'
import { labelsOfSend } from '../api/labels.ts'
import {
  ACCEPTED,
  CANCELLED,
  COUNT,
  EXPIRED,
  FAILED,
  instantMembers,
  NEXT_AT,
  NOTIFICATION_STATUS,
  notificationMembers,
  recipientCounts,
  reported,
  reportedContent,
  SKIPPED,
  scheduled,
  UNKNOWN,
  UNKNOWN_ZONES,
  WORTH_UNTIL,
} from '../api/notifications.ts'
import { SERIES_ID } from '../api/series.ts'
import {
  answer,
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
  within,
} from '../schema.ts'
import { ANSWERED_AT, ATTEMPTS, CHECK, LEVEL, OF_INSTALL, PLATFORM } from '../words.ts'
import { type HomeAudience, homeAudience } from './home-audience.ts'

const NO_GATEWAY: Words = ['Null: recipients for whom the app has no gateway.']
const NEXT_PAGE: Words = ['`after` of the next page; null on the last one.', 7]
const OUR_NAME: Words = ['Our name for it.', 'token_dead']

/** Pace of a notification and the seconds that remain; null while there is too little to tell. */
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

const pushCounts = {
  accepted: told(count, ACCEPTED),
  failed: told(count, FAILED),
  expired: told(count, EXPIRED),
  cancelled: told(count, CANCELLED),
  skipped: told(count, SKIPPED),
  unknown: told(count, UNKNOWN),
  ...reported,
}
const status = states(STATUS)
const platform = nullable(oneOf(platforms))
const deliveryCounts = answer<CountedNotification>()(
  'DeliveryCounts',
  'Recipients by what became of them, and what devices reported.',
  {
    ...within(({ counts }: CountedNotification) => counts, recipientCounts),
    ...within(({ notification }: CountedNotification) => notification, reported),
  },
)
const { id, title, message, filters, createdAt, dueAt, sentAt, isTest } = notificationMembers

/** A notification in lists: what it says, when, and what became of it. */
const delivery = answer<CountedNotification>()('Delivery', 'A notification with what became of its recipients.', {
  ...within(({ notification }: CountedNotification) => notification, {
    id,
    status: notificationMembers.status,
    title,
    message,
    createdAt,
    dueAt,
    sentAt,
    isTest,
    ...labelsOfSend,
    ...scheduled,
  }),
  counts: told(deliveryCounts, 'What became of its recipients so far.', (one: CountedNotification) => one),
})
export const presentDelivery = delivery.present
export const deliveryPage = object('DeliveryPage', 'A page of notifications.', {
  items: told(list(delivery), 'Newest first.'),
  next: told(nullable(integer), NEXT_PAGE),
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
          platform: told(platform, NO_GATEWAY),
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

type SentRequest = DeliveryReport['sent'][number]

const ofReport = ({ report }: DeliveryReport) => report

/** `canStop`: whether a part of it can still be kept from being sent. */
export const deliveryReport = answer<DeliveryReport>()(
  'DeliveryReport',
  'A notification, its recipients, and why some did not get it.',
  {
    ...within(({ report }: DeliveryReport) => report.notification, {
      id,
      status: notificationMembers.status,
      statusReason: told(nullable(string), 'Why it failed or was cancelled.', 'cancelled on request'),
      title,
      message,
      filters,
      createdAt,
      isTest,
      expiresAt: told(time, WORTH_UNTIL),
      ...scheduled,
      ratePerSecond: told(
        nullable(count),
        'Its limit of recipients in a second; null: none.',
        500,
        ({ rateLimit }: NotificationRecord) => rateLimit,
      ),
      seriesId: SERIES_ID,
      ...labelsOfSend,
      inAppMessageId: optional(
        told(
          integer,
          'The in-app message that it announces; absent for every other one.',
          4,
          ({ content }: NotificationRecord) => content.inAppMessageId,
        ),
      ),
    }),
    ...within(ofReport, {
      dueInstants: told(
        list(answer<DueInstant>()('DeliveryInstant', 'A due time of a schedule.', instantMembers)),
        'The due times of its schedule.',
      ),
      unknownZones: told(count, UNKNOWN_ZONES),
      ...reportedContent,
    }),
    canStop: told(
      boolean,
      'Whether a part of it can still be kept from being sent.',
      ({ report }: DeliveryReport) => report.notification.status < STATUS.sent,
    ),
    counts: told(deliveryCounts, 'What became of its recipients.', ofReport),
    hours: told(
      list(
        answer<PushHour>()('DeliveryHour', 'What was counted in an hour.', {
          at: told(time, 'When the hour begins.', '2026-11-23T10:00:00+0000'),
          accepted: told(count, ACCEPTED),
          ...reported,
        }),
      ),
      'Hours in which something was counted, oldest first.',
      ({ course }: DeliveryReport) => course.hours,
    ),
    platforms: told(
      list(
        answer<DeliveryReport['platforms'][number]>()(
          'DeliveryPlatform',
          'What became of the recipients of one platform.',
          {
            platform: told(platform, NO_GATEWAY),
            audience: told(count, 'Its recipients.', 1240),
            ...pushCounts,
          },
        ),
      ),
      'By platform; null: recipients for whom the app has no gateway.',
    ),
    reasons: told(
      list(
        object('ExplainedReason', 'Recipients who did not get it for the same reason.', {
          outcome: told(oneOf(['failed', 'skipped', 'expired', 'cancelled', 'unknown']), 'As what they are counted.'),
          kind: told(string, OUR_NAME),
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
    usual: told(
      nullable(
        answer<Usual>()('UsualSend', 'Medians of the sends before it that are like it.', {
          sends: told(count, 'How many sends it was made of.', 12),
          accepted: told(count, ACCEPTED),
          openedShare: told(number, 'Openings per acceptance, from 0 to 1.', 0.082),
        }),
      ),
      'What is usual for sends to everybody, to a part of the app, or to named recipients, as it was one; null while there are fewer than three.',
    ),
    sent: told(
      list(
        answer<SentRequest>()('SentRequest', 'What a gateway was sent for each recipient, without the token.', {
          platform: told(oneOf(platforms), PLATFORM),
          ...within(({ request }: SentRequest) => request, {
            headers: told(free, 'Headers of the request, without credentials.'),
            payload: told({}, 'Its body.', { aps: { alert: 'Hello' } }),
            bytes: told(count, 'Its size as the vendor counts it.', 81),
            limit: told(count, "The vendor's limit in bytes.", 4096),
          }),
        }),
      ),
      'What each gateway was sent; without personal data of its recipients.',
    ),
  },
)

export const presentDeliveryReport = deliveryReport.present

const opener = answer<Opener>()('Opener', 'An install that opened a notification.', {
  userId: told(string, 'The user of the install at that time.', 'anna'),
  installId: told(nullable(string), 'The install; null once it is gone.', '3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'),
  openedAt: told(time, 'When it was first opened there.', '2026-03-01T12:05:00+0000'),
  platform: told(platform, 'Its platform; null where it is not known.'),
  appVersion: told(nullable(string), 'The version of the app on it now.', '2.4.1'),
  locale: told(nullable(string), 'Its language and region now.', 'de-CH'),
})
export const presentOpener = opener.present
export const openerPage = object('OpenerPage', 'Those who opened a notification.', {
  items: told(list(opener), 'In the order of their installs, the oldest first.'),
  next: told(nullable(integer), NEXT_PAGE),
})

const openerGroup = answer<OpenerGroup>()('OpenerGroup', 'Openers that have something in common.', {
  name: told(nullable(string), 'The version, or the language; null where it is not known.', '2.4.1'),
  opened: told(count, 'How many they are.', 12),
})
export const openerGroups = answer<OpenerGroups>()('OpenerGroups', 'Openers by version and by language.', {
  opened: told(count, 'The openers that were looked at.', 240),
  isWhole: told(boolean, 'Whether these are all.'),
  versions: told(list(openerGroup), 'By version of the app, the largest first, at most 20.'),
  languages: told(list(openerGroup), 'By language of the device, the largest first, at most 20.'),
})
export const presentOpenerGroups = openerGroups.present

/** `installId` and the user are personal: viewers see them masked. */
export const deliveryTrace = answer<readonly Trace[]>()('DeliveryTrace', 'What happened to a recipient.', {
  items: told(
    list(
      answer<Trace>()('TracedInstall', 'What happened to one install.', {
        installId: told(string, OF_INSTALL, ({ install }: Trace) => install),
        state: told(
          oneOf(['not_a_recipient', 'waiting', ...Object.keys(SLOT)]),
          'What became of it: `not_a_recipient`, `waiting` while its turn has not come, or an outcome.',
          'accepted',
        ),
        attempts: told(
          list(
            answer<Trace['pages'][number]>()('TracedAttempt', 'An attempt to send to it.', {
              outcome: told(oneOf(Object.keys(SLOT)), 'How it ended.', 'accepted', ({ slot }) => slot),
              attempt: told(count, 'Which attempt it was, from 1.', 1, ({ attempt }) => attempt + 1),
              again: told(
                nullable(oneOf(['after_crash', 'no_answer', 'held', 'retry'])),
                'Why it was sent to again; null for the first attempt.',
              ),
              notBefore: told(time, 'Not sent before.', '2026-11-23T10:00:00+0000'),
            }),
          ),
          ATTEMPTS,
          ({ pages }: Trace) => pages,
        ),
        answers: told(
          list(
            answer<Trace['answers'][number]>()('VendorAnswer', 'An answer of a vendor that refused it.', {
              kind: told(string, OUR_NAME),
              reason: told(string, "The vendor's word.", 'Unregistered'),
              at: told(time, ANSWERED_AT),
            }),
          ),
          'Of vendors that refused it, oldest first.',
        ),
      }),
    ),
    'One for each install.',
    (traces: readonly Trace[]) => traces,
  ),
})
export const presentDeliveryTrace = deliveryTrace.present

interface Home {
  toDo: ToDoList
  days: PushPeriod
  audience: HomeAudience
  underWay: UnderWay
}

const pushTotal = answer<PushCounts>()(
  'PushCounts',
  'What became of recipients, and what devices reported.',
  pushCounts,
)

/** The home of an app. */
export const overview = answer<Home>()(
  'Overview',
  'What an app needs, what is wrong, whom it reaches, and its last days.',
  {
    ...within(({ toDo }: Home) => toDo, {
      steps: told(
        list(
          answer<ToDoList['steps'][number]>()('FirstStep', 'A step on the way to the first opened push.', {
            step: told(oneOf(['gateway', 'install', 'push', 'open']), 'Which one.'),
            done: told(boolean, 'Whether it is taken.'),
            sentence: told(string, 'What to do, or what was done.', 'a push was opened'),
          }),
        ),
        'In the order in which they are taken.',
      ),
      alarms: told(
        list(
          answer<ToDoList['alarms'][number]>()('Alarm', 'Something that is wrong or soon will be.', {
            level: told(oneOf(['warning', 'error']), LEVEL, 'warning'),
            check: told(string, CHECK),
            sentence: told(string, 'What is wrong.', 'there is no backup'),
            remedy: told(string, 'A command or a setting to copy.', 'appsvc backup'),
          }),
        ),
        'Errors first. Only who may operate sees those of the server.',
      ),
    }),
    ...within(({ days }: Home) => days, {
      zone: told(string, 'The time zone of the days.', 'Europe/Berlin'),
      days: told(
        list(
          answer<PushPeriod['days'][number]>()('PushDay', 'The pushes of a day.', {
            day: told(string, 'In the zone of the overview.', '2026-11-23'),
            ...pushCounts,
          }),
        ),
        'The last days, today included, oldest first.',
      ),
      total: told(pushTotal, 'Of these days together.'),
      before: told(nullable(pushTotal), 'Of as many days before them. Null: these are kept for 90 days.'),
    }),
    ...within(({ audience }: Home) => audience, homeAudience),
    ...within(({ underWay }: Home) => underWay, {
      running: told(list(delivery), 'Being sent now, oldest first, at most ten.'),
      scheduled: told(
        list(
          answer<UnderWay['scheduled'][number]>()('ScheduledDelivery', 'A notification that is due later.', {
            ...within(({ notification }: UnderWay['scheduled'][number]) => notification, {
              id,
              title,
              message,
              ...scheduled,
            }),
            nextAt: told(time, NEXT_AT, '2026-11-23T10:00:00+0000'),
            status: told(status, NOTIFICATION_STATUS, 0, ({ notification }) => notification.status),
          }),
        ),
        'By their next due time, at most ten.',
      ),
      ended: told(list(delivery), 'Newest first, at most ten.'),
    }),
    asOf: told(time, 'When the checks ran.', '2026-11-23T10:00:00+0000', ({ toDo }: Home) => toDo.asOf),
  },
)
export const presentOverview = overview.present
