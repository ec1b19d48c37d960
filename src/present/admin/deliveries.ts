import type { ToDoList } from '../../doctor/todo.ts'
import { platforms } from '../../domain/gateways/registry.ts'
import { SLOT } from '../../domain/notifications/record/page.ts'
import type { DeliveryReport, Progress } from '../../domain/notifications/report/deliveries.ts'
import type { Trace } from '../../domain/notifications/report/trace.ts'
import type { CountedNotification, UnderWay } from '../../domain/notifications/report/under-way.ts'
import { STATUS } from '../../domain/notifications/types.ts'
import { PUSH_COUNTS, type PushCounts, type PushDays } from '../../domain/statistics/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import {
  presentNotification,
  presentReport,
  presentSchedule,
  presentUpcoming,
  recipientCounts,
  scheduled,
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
} from '../schema.ts'

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

const reports = { delivered: count, opened: count, dismissed: count }
const pushCounts = {
  accepted: count,
  failed: count,
  expired: count,
  cancelled: count,
  skipped: count,
  unknown: count,
  ...reports,
}
const status = states(STATUS)
const platform = nullable(oneOf(platforms))
const deliveryCounts = object({ ...recipientCounts, ...reports }, 'DeliveryCounts')

const delivery = answerOf<typeof presentDelivery>('Delivery', {
  id: integer,
  status,
  title: string,
  message: string,
  createdAt: time,
  ...scheduled,
  counts: deliveryCounts,
})
export const deliveryPage = object({ items: list(delivery), next: nullable(integer) }, 'DeliveryPage')

export const deliveryProgress = answerOf<typeof presentProgress>('DeliveryProgress', {
  status,
  counts: object(recipientCounts, 'ProgressCounts'),
  platforms: list(object({ platform, ...recipientCounts }, 'PlatformProgress')),
  isFinding: boolean,
  expected: nullable(count),
  opened: count,
  perSecond: nullable(number),
  secondsLeft: nullable(number),
  asOf: time,
})

export const deliveryReport = answerOf<typeof presentDeliveryReport>('DeliveryReport', {
  id: integer,
  status,
  statusReason: nullable(string),
  title: string,
  message: string,
  filters: free,
  createdAt: time,
  expiresAt: time,
  ...scheduled,
  ratePerSecond: nullable(count),
  dueInstants: list(
    object(
      {
        at: time,
        state: oneOf(['due', 'sending', 'done', 'cancelled', 'passed']),
        zones: nullable(count),
        movedFrom: optional(time),
      },
      'DeliveryInstant',
    ),
  ),
  unknownZones: count,
  canStop: boolean,
  counts: deliveryCounts,
  hours: list(object({ at: time, accepted: count, ...reports }, 'DeliveryHour')),
  platforms: list(object({ platform, audience: count, ...pushCounts }, 'DeliveryPlatform')),
  reasons: list(
    object(
      {
        outcome: oneOf(['failed', 'skipped', 'expired', 'cancelled', 'unknown']),
        kind: string,
        reason: string,
        count,
        sentence: nullable(string),
        remedy: nullable(string),
      },
      'ExplainedReason',
    ),
  ),
  sent: list(
    object({ platform: oneOf(platforms), headers: free, payload: {}, bytes: count, limit: count }, 'SentRequest'),
  ),
})

export const deliveryTrace = answerOf<typeof presentDeliveryTrace>('DeliveryTrace', {
  items: list(
    object(
      {
        installId: string,
        state: oneOf(['not_a_recipient', 'waiting', ...Object.keys(SLOT)]),
        attempts: list(
          object(
            {
              outcome: oneOf(Object.keys(SLOT)),
              attempt: count,
              again: nullable(oneOf(['after_crash', 'no_answer', 'held', 'retry'])),
              notBefore: time,
            },
            'TracedAttempt',
          ),
        ),
        answers: list(object({ kind: string, reason: string, at: time }, 'VendorAnswer')),
      },
      'TracedInstall',
    ),
  ),
})

export const overview = answerOf<typeof presentOverview>('Overview', {
  steps: list(
    object({ step: oneOf(['gateway', 'install', 'push', 'open']), done: boolean, sentence: string }, 'FirstStep'),
  ),
  alarms: list(
    object({ level: oneOf(['warning', 'error']), check: string, sentence: string, remedy: string }, 'Alarm'),
  ),
  zone: string,
  days: list(object({ day: string, ...pushCounts }, 'PushDay')),
  total: object(pushCounts, 'PushCounts'),
  running: list(delivery),
  scheduled: list(object({ id: integer, title: string, message: string, nextAt: time, status }, 'ScheduledDelivery')),
  ended: list(delivery),
  asOf: time,
})
