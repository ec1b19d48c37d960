import type { Accepted } from '../../domain/in-app/accept/accept.ts'
import type { InAppReport } from '../../domain/in-app/service.ts'
import { type InAppMessage, PRESENTED_WHEN, STATUS } from '../../domain/in-app/types.ts'
import { STATUS as PUSH_STATUS } from '../../domain/notifications/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import {
  answerOf,
  count,
  free,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pageOf,
  states,
  string,
  time,
  url,
} from '../schema.ts'
import {
  consentOfSend,
  presentConsent,
  presentSchedule,
  reasonCount,
  recipientCounts,
  scheduled,
  targetErrors,
} from './notifications.ts'

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
    ...presentConsent(message),
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
    counts: { recipients, skipped, delivered, shown, dismissed, read, inboxDeleted, ...presentSkips(message) },
    push: push && {
      notificationId: push.id,
      status: push.status,
      counts: { ...push.counts, delivered: push.delivered, opened: push.opened },
    },
  }
}

/** Why users were skipped who must not get it; absent when there is none. */
function presentSkips({ notWanted, onSuppressionList, excluded }: InAppMessage) {
  const skips = [
    { reason: 'not_wanted', count: notWanted },
    { reason: 'on_suppression_list', count: onSuppressionList },
    { reason: 'excluded', count: excluded },
  ].filter(({ count }) => count > 0)
  return skips.length > 0 ? { skips } : {}
}

const record = {
  id: integer,
  appId: integer,
  status: states(STATUS),
  filters: free,
  template: string,
  content: free,
  notification: nullable(object({ title: string, message: string }, 'Announcement')),
  createdAt: time,
  updatedAt: time,
  ...consentOfSend,
}
const inAppMessage = answerOf<typeof presentMessage>('InAppMessage', record)
export const inAppPage = pageOf('messages', inAppMessage)

export const acceptedMessage = answerOf<typeof presentAcceptedMessage>('AcceptedInAppMessage', {
  message: inAppMessage,
  errors: optional(targetErrors),
})
export const rejectedMessage = answerOf<typeof presentAcceptedMessage>('RejectedInAppMessage', {
  message: { type: 'null' },
  errors: targetErrors,
})

export const inAppReport = answerOf<typeof presentInAppReport>('InAppMessageReport', {
  ...record,
  statusReason: nullable(string),
  templateVersion: integer,
  presentedWhen: oneOf(PRESENTED_WHEN),
  ttlSeconds: nullable(number),
  data: nullable(free),
  inbox: nullable(
    object(
      { title: string, subtitle: string, from: nullable(time), to: nullable(time), imageUrl: nullable(url) },
      'ShownInbox',
    ),
  ),
  ...scheduled,
  nextAt: nullable(time),
  withdrawnAt: nullable(time),
  counts: object(
    {
      recipients: count,
      skipped: count,
      delivered: count,
      shown: count,
      dismissed: count,
      read: count,
      inboxDeleted: count,
      skips: optional(list(reasonCount)),
    },
    'InAppMessageCounts',
  ),
  push: nullable(
    object(
      {
        notificationId: integer,
        status: states(PUSH_STATUS),
        counts: object({ ...recipientCounts, delivered: count, opened: count }, 'LinkedPushCounts'),
      },
      'LinkedPush',
    ),
  ),
})
