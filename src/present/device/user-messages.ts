import type { SyncedInbox, SyncedMessage } from '../../domain/in-app/deliver/sync.ts'
import { PRESENTED_WHEN } from '../../domain/in-app/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import { answerOf, free, integer, nullable, oneOf, string, time, url } from '../schema.ts'

/**
 * A message as devices read it (docs/reference/device-protocol.md section 9). Every key is there and of one type or
 * null: iOS casts without looking, and one value that Android cannot read costs it the whole answer. In the times as
 * well: a fraction, a `Z` or a colon in the offset is unreadable there.
 */
export function presentUserMessage(message: SyncedMessage) {
  return {
    id: message.id,
    presentedWhen: message.presentedWhen,
    content: message.content,
    data: message.data,
    // Stored by clients, used by none.
    badge: null,
    inbox: message.inbox && presentInbox(message.inbox),
    expiresAt: isoOffsetOrNull(message.expiresAt),
    sentAt: isoOffset(message.sentAt),
    openedAt: isoOffsetOrNull(message.openedAt),
    readAt: isoOffsetOrNull(message.readAt),
    inboxDeletedAt: isoOffsetOrNull(message.inboxDeletedAt),
    updatedAt: isoOffset(message.updatedAt),
  }
}

function presentInbox({ title, subtitle, from, to, imagePath }: SyncedInbox) {
  return { title, subtitle, from: isoOffsetOrNull(from), to: isoOffsetOrNull(to), imagePath }
}

export const userMessage = answerOf<typeof presentUserMessage>('UserMessage', {
  id: integer,
  presentedWhen: oneOf(PRESENTED_WHEN),
  content: free,
  data: nullable(free),
  badge: { type: 'null' },
  inbox: nullable(
    answerOf<typeof presentInbox>('UserMessageInbox', {
      title: string,
      subtitle: string,
      from: nullable(time),
      to: nullable(time),
      imagePath: nullable(url),
    }),
  ),
  expiresAt: nullable(time),
  sentAt: time,
  openedAt: nullable(time),
  readAt: nullable(time),
  inboxDeletedAt: nullable(time),
  updatedAt: time,
})
