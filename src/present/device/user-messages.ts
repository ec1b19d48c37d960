import type { SyncedInbox, SyncedMessage } from '../../domain/in-app/deliver/sync.ts'
import { PRESENTED_WHEN } from '../../domain/in-app/types.ts'
import { FROM, IMAGE_PATH, INBOX, SHOWN_WHEN, SUBTITLE, TO } from '../api/in-app.ts'
import { EXPIRES_AT } from '../api/links.ts'
import { answer, free, integer, nullable, oneOf, string, time, told, url } from '../schema.ts'
import { DATA, ID, TITLE, UPDATED_AT } from '../words.ts'

const userMessageInbox = answer<SyncedInbox>()('UserMessageInbox', 'The entry in the inbox of the app.', {
  title: told(string, TITLE),
  subtitle: told(string, SUBTITLE),
  from: told(nullable(time), FROM),
  to: told(nullable(time), TO),
  imagePath: told(nullable(url), IMAGE_PATH),
})

/**
 * A message as devices read it (docs/reference/device-protocol.md section 9). Every key is there and of one type or
 * null: iOS casts without looking, and one value that Android cannot read costs it the whole answer. In the times as
 * well: a fraction, a `Z` or a colon in the offset is unreadable there.
 */
export const userMessage = answer<SyncedMessage>()('UserMessage', 'An in-app message as devices get it.', {
  id: told(integer, ID),
  presentedWhen: told(oneOf(PRESENTED_WHEN), SHOWN_WHEN),
  content: told(free, 'What it shows: a rendered document (`docs/templates.md`).', {
    ver: 1,
    frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Closed on Monday' }] },
  }),
  data: told(nullable(free), DATA),
  badge: told({ type: 'null' }, 'Always null; SDKs store it and do not use it.', null, () => null),
  inbox: told(nullable(userMessageInbox), INBOX),
  expiresAt: told(nullable(time), EXPIRES_AT),
  sentAt: told(time, 'When the user got it.', '2026-03-01T12:00:00+0000'),
  openedAt: told(nullable(time), 'When it was shown; null before.', null),
  readAt: told(nullable(time), 'When it was read in the inbox; null before.', null),
  inboxDeletedAt: told(nullable(time), 'When it was removed from the inbox or withdrawn; null before.', null),
  updatedAt: told(time, UPDATED_AT),
})
export const presentUserMessage = userMessage.present
