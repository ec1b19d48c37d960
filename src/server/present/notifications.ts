import type { Accepted } from '../../domain/notifications/accept.ts'
import type { InstallOpen, UserOpen } from '../../domain/notifications/opens.repository.ts'
import type { NotificationRecord, NotificationReport } from '../../domain/notifications/report.ts'
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
export function presentReport({ notification, counts, failures, skips }: NotificationReport) {
  const { delivered, opened, dismissed } = notification
  return {
    ...presentNotification(notification),
    statusReason: notification.statusReason,
    expiresAt: isoOffset(notification.expiresAt),
    counts: { ...counts, delivered, opened, dismissed, failures, skips },
  }
}

export function presentInstallOpen({ installId, openedAt }: InstallOpen) {
  return { installId, openedAt: plainUtc(openedAt) }
}

export function presentUserOpen({ userId, openedAt }: UserOpen) {
  return { userId, openedAt: plainUtc(openedAt) }
}
