import type { Accepted } from '../../domain/in-app/accept/accept.ts'
import type { InAppReport } from '../../domain/in-app/service.ts'
import type { InAppMessage } from '../../domain/in-app/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/clock.ts'
import { presentSchedule } from './notifications.ts'

/** The contract's in-app message record. */
export function presentMessage(message: InAppMessage) {
  const { id, appId, status, filters, template, tagValues, notification } = message
  return {
    id,
    appId,
    status,
    filters,
    template,
    content: tagValues,
    notification: notification && { title: notification.title, message: notification.message },
    createdAt: isoOffset(message.createdAt),
    updatedAt: isoOffset(message.updatedAt),
  }
}

/** Body of a 202 and of a 400: `errors` stays out when everybody named can get it. */
export function presentAcceptedMessage({ message, errors }: Accepted) {
  return {
    message: message && presentMessage(message),
    ...(message === null || Object.keys(errors).length > 0 ? { errors } : {}),
  }
}

/** The record, how it is shown and until when, what became of it on devices, and its linked push. */
export function presentInAppReport({ message, push }: InAppReport) {
  const { recipients, skipped, delivered, shown, dismissed, read, inboxDeleted, inbox, schedule } = message
  return {
    ...presentMessage(message),
    statusReason: message.statusReason,
    templateVersion: message.templateVersion,
    presentedWhen: message.presentedWhen,
    ttlSeconds: message.ttlMs === null ? null : message.ttlMs / 1000,
    data: message.data,
    inbox: inbox && {
      title: inbox.title,
      subtitle: inbox.subtitle,
      from: isoOffsetOrNull(inbox.from),
      to: isoOffsetOrNull(inbox.to),
      imageUrl: inbox.imageUrl ?? null,
    },
    ...presentSchedule(schedule),
    nextAt: isoOffsetOrNull(message.nextAt),
    withdrawnAt: isoOffsetOrNull(message.withdrawnAt),
    counts: { recipients, skipped, delivered, shown, dismissed, read, inboxDeleted },
    push: push && {
      notificationId: push.id,
      status: push.status,
      counts: { ...push.counts, delivered: push.delivered, opened: push.opened },
    },
  }
}
