import type { Json } from './events.ts'

/** An in-app message as the server sends it (docs/reference/device-protocol.md section 9). */
export interface InAppMessage {
  id: number
  presentedWhen: 'immediately' | 'next-open' | 'never'
  content: Json
  data?: Json | null
  inbox?: {
    title: string
    subtitle: string
    from?: string | null
    to?: string | null
    imagePath?: string | null
  } | null
  updatedAt: string
  sentAt: string
  expiresAt?: string | null
  /** Set when somebody closed it on any device: it is not shown again. */
  openedAt?: string | null
  readAt?: string | null
  inboxDeletedAt?: string | null
}

/** The most messages that a client keeps, as the mobile SDKs. */
const MOST = 50

/** The time (ms) of what the server sends, `2026-03-01T12:00:00+0000`: not every browser parses an offset without a colon. */
export const timeOf = (text: string): number => Date.parse(text.replace(/\+0000$/, 'Z'))

const isOver = (at: string | null | undefined, now: number) => typeof at === 'string' && timeOf(at) <= now

/** The stored messages with those of a sync, newest first; what can neither be shown nor stands in the inbox is gone. */
export function merged(stored: readonly InAppMessage[], synced: readonly InAppMessage[], now: number): InAppMessage[] {
  const all = new Map(stored.map((message) => [message.id, message]))
  for (const message of synced) {
    // What this device knows and has not reported yet stays: null takes nothing back, and nothing else of a message changes.
    const told = Object.entries(message).filter(([, value]) => value !== null)
    all.set(message.id, { ...all.get(message.id), ...(Object.fromEntries(told) as unknown as InAppMessage) })
  }
  return [...all.values()]
    .filter((message) => mayBeShown(message, now) || mayBeListed(message, now))
    .sort((a, b) => timeOf(b.sentAt) - timeOf(a.sentAt) || b.id - a.id)
    .slice(0, MOST)
}

/** `after` of the next sync: the newest change that the server told. Undefined when there was none. */
export function newestChange(synced: readonly InAppMessage[]): string | undefined {
  return synced
    .map(({ updatedAt }) => updatedAt.replace(/\+0000$/, 'Z'))
    .sort()
    .at(-1)
}

function mayBeShown({ presentedWhen, openedAt, inboxDeletedAt, expiresAt }: InAppMessage, now: number): boolean {
  return presentedWhen !== 'never' && !openedAt && !inboxDeletedAt && !isOver(expiresAt, now)
}

function mayBeListed({ inbox, inboxDeletedAt }: InAppMessage, now: number): boolean {
  return Boolean(inbox) && !inboxDeletedAt && !isOver(inbox?.to, now)
}

/** The messages to show, the oldest first. At a start also those that wait for the next one. */
export function toShow(messages: readonly InAppMessage[], isStart: boolean, now: number): InAppMessage[] {
  return messages
    .filter((message) => mayBeShown(message, now) && (isStart || message.presentedWhen === 'immediately'))
    .reverse()
}

/** The messages of the inbox, newest first. */
export function toList(messages: readonly InAppMessage[], now: number): InAppMessage[] {
  return messages.filter(
    (message) => mayBeListed(message, now) && (!message.inbox?.from || isOver(message.inbox.from, now)),
  )
}

/** A message of the inbox as apps and pages get it. */
export function itemOf({ id, inbox, sentAt, readAt, data }: InAppMessage) {
  return {
    id,
    title: inbox!.title,
    subtitle: inbox!.subtitle,
    imageUrl: inbox!.imagePath ?? null,
    sentAt: new Date(timeOf(sentAt)),
    isRead: Boolean(readAt),
    data: data ?? {},
  }
}
