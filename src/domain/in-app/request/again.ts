import { isoOffset } from '../../../platform/time/clock.ts'
import type { Announcement, InAppMessage, Inbox } from '../types.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The body that sends an in-app message once more, in its form. Its time stays out, as it is over. Pure. */
export function sendMessageAgain(message: InAppMessage) {
  const { filters, template, tagValues, presentedWhen, ttlMs, notification, data, inbox } = message
  const { personal, labels, purpose, transactional } = message
  const { personalize, lookup, languages } = personal ?? {}
  return {
    target: filters,
    template,
    ...(Object.keys(tagValues).length > 0 && { content: tagValues }),
    presentedWhen,
    ...(ttlMs !== null && { ttl: ttlOf(ttlMs) }),
    ...(notification !== null && { notification: announcementOf(notification) }),
    ...(data !== null && { data }),
    ...(inbox !== null && { inbox: inboxOf(inbox) }),
    ...(personalize && { personalize }),
    ...(lookup && { lookup }),
    ...(languages && { languages }),
    ...(labels !== null && { labels }),
    ...(purpose !== null && { purpose }),
    ...(transactional && { priority: 'transactional' as const }),
  }
}

const ttlOf = (ms: number) =>
  ms % DAY_MS === 0 ? { expiresIn: ms / DAY_MS, units: 'd' } : { expiresIn: ms / HOUR_MS, units: 'h' }

/** The push as a request has it; that of a push template as its uid, because it may say more than the record of a message has. */
const announcementOf = ({ template, ...texts }: Announcement): Record<string, unknown> =>
  template ? { template: template.uid } : texts

const inboxOf = ({ from, to, ...texts }: Inbox): Record<string, unknown> => ({
  ...texts,
  ...(from !== undefined && { from: exactly(from) }),
  ...(to !== undefined && { to: exactly(to) }),
})

/** An instant as a request has it, with its fraction of a second. */
const exactly = (ms: number): string => (ms % 1000 === 0 ? isoOffset(ms) : new Date(ms).toISOString())
