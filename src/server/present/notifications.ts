import type { Accepted } from '../../domain/notifications/accept/accept.ts'
import type { InstallOpen, UserOpen } from '../../domain/notifications/report/opens.repository.ts'
import type { NotificationRecord, NotificationReport } from '../../domain/notifications/report/report.ts'
import type { Schedule } from '../../domain/schedules/schedule.ts'
import { isoOffset, plainUtc } from '../../platform/clock.ts'

/** The contract's notification record. */
export function presentNotification(notification: NotificationRecord) {
  const { id, appId, source, status, filters, content } = notification
  return {
    id,
    appId,
    source,
    status,
    filters,
    title: content.title,
    message: content.message,
    data: content.data ?? null,
    createdAt: isoOffset(notification.createdAt),
    updatedAt: isoOffset(notification.updatedAt),
  }
}

/** Body of a 202 and of a 400: `errors` stays out when everybody named can be reached. */
export function presentAccepted({ notification, errors }: Accepted) {
  return {
    notification: notification && presentNotification(notification),
    ...(notification === null || Object.keys(errors).length > 0 ? { errors } : {}),
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
    dueInstants: dueInstants.map(({ at, kind, zones, state }) => ({
      at: isoOffset(at),
      state: kind === 'skip' ? 'passed' : state,
      zones: zones === null ? null : zones.length,
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

export function presentInstallOpen({ installId, openedAt }: InstallOpen) {
  return { installId, openedAt: plainUtc(openedAt) }
}

export function presentUserOpen({ userId, openedAt }: UserOpen) {
  return { userId, openedAt: plainUtc(openedAt) }
}
