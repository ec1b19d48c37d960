import type { NotificationRecord } from '../types.ts'

/** Targeting fields that the form of the messages host has. */
const KNOWN = [
  'broadcast',
  'installIds',
  'userIds',
  'segmentUuid',
  'channelUuids',
  'geofenceIds',
  'geofenceTags',
  'geofenceBroadcast',
  'excludeInstallIds',
]

/**
 * The body that sends a notification once more, in the form of the messages host. Its time stays out, as it is over, and so do
 * targeting fields that this form does not have. `ttl` (seconds) and `userMeta` stay out when they say nothing. Pure.
 */
export function sendAgain(notification: NotificationRecord, { ttl, userMeta }: AgainExtras = {}) {
  const { filters, content, reportingMeta, labels, rateLimit, purpose, transactional } = notification
  const { title, message, url, data, collapseId, background, buttons, ios, android } = content
  const { languages, personalize, lookup } = content
  const { pictureUrl, ...otherIos } = ios
  const given = <T extends object>(block: T) => (Object.keys(block).length > 0 ? block : undefined)
  return {
    target: Object.fromEntries(Object.entries(filters).filter(([name]) => KNOWN.includes(name))),
    content: {
      title,
      message,
      ...(url !== undefined && { url }),
      ...(data !== undefined && { data }),
      ...(languages && { languages }),
    },
    ...(personalize && { personalize }),
    ...(lookup && { lookup }),
    ...(collapseId !== undefined && { collapseId }),
    ...(background && { runBackgroundHandler: true }),
    ...(given(ios) && { ios: { ...otherIos, ...(pictureUrl !== undefined && { media: { pictureUrl } }) } }),
    ...(given(android) && { android }),
    ...(buttons !== undefined && { buttons }),
    ...(reportingMeta !== null && { reportingMeta }),
    ...(labels !== null && { labels }),
    ...(userMeta !== undefined && { userMeta }),
    ...(ttl !== undefined && { ttl }),
    ...(rateLimit !== null && { rateLimit }),
    ...(purpose !== null && { purpose }),
    ...(transactional && { priority: 'transactional' as const }),
  }
}

interface AgainExtras {
  ttl?: number | undefined
  userMeta?: Record<string, unknown> | undefined
}
