import { readSlices, type WeighedRow } from '../../../platform/db/pages.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { readObject } from '../../../platform/json/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { readInstant } from '../../../platform/time/instants.ts'
import { isIdentifier } from '../../crm/schema.ts'
import type { InstallsRepository } from '../../crm/store/installs.repository.ts'
import type { UsersRepository } from '../../crm/store/users.repository.ts'
import type { ShownTexts } from '../personal/compiled-message.ts'
import type { CompiledMessages } from '../personal/give-users.ts'
import type { StoredMessage, SyncedState, UserMessagesRepository } from '../record/user-messages.repository.ts'
import { PRESENTED_WHEN, type PresentedWhen } from '../types.ts'
import { createPersonalContent } from './personal-content.ts'

/**
 * SDKs keep the 50 messages that were sent last (docs/reference/device-protocol.md section 9); a first sync gives a few
 * more.
 */
const FIRST_SYNC = 60
/**
 * Sizes of the batches in which a first sync reads the user's messages, latest change first, until it has enough
 * current ones. For most users the first batch is enough.
 */
const BATCHES = [FIRST_SYNC, 180, 360]
/** Maximum number of changes in one sync; the latest are given. */
const MAX_CHANGES = 120
/** The number of last changed messages that are searched, when there are more changes, for those that the device may have. */
const MAX_EXAMINED = 360
/** Maximum number of withdrawn messages of the app that a sync looks up. */
const MAX_WITHDRAWN = 200
/**
 * The margin for an `after` that we gave the device; it may also be of the device's own clock
 * (docs/reference/device-protocol.md section 9). Changes up to this long before it are sent again.
 */
const OWN_TIME_MARGIN_MS = 5 * 60_000
/**
 * The margin for a time of the device's clock. A clock that is set by hand is often an hour ahead because of summer
 * time, and with a smaller margin the device would miss changes. A time further ahead of our clock comes from no clock:
 * nothing has changed since.
 */
const DEVICE_CLOCK_MARGIN_MS = 65 * 60_000

/** Stands for the user of an install without one. */
const NOBODY = 0

/** The entry in the inbox of an app. Times are milliseconds. */
export interface SyncedInbox {
  title: string
  subtitle: string
  from: number | null
  to: number | null
  imagePath: string | null
}

/** A message as devices get it; times are in milliseconds. */
export interface SyncedMessage {
  id: number
  presentedWhen: PresentedWhen
  content: Record<string, unknown>
  data: Record<string, unknown> | null
  inbox: SyncedInbox | null
  expiresAt: number | null
  sentAt: number
  /** Devices read it as "closed": once it is set, they do not show the message by themselves. */
  openedAt: number | null
  readAt: number | null
  inboxDeletedAt: number | null
  updatedAt: number
}

/** A message without its content, which is read when the response is written. */
type SyncedHead = Omit<SyncedMessage, 'content' | 'data'> & WeighedRow & { language: string | null }

export interface SyncParts {
  repo: Pick<
    UserMessagesRepository,
    'lastChanged' | 'changedSince' | 'among' | 'withdrawnSince' | 'messages' | 'contents' | 'personalParts' | 'texts'
  >
  compiled: CompiledMessages
  users: Pick<UsersRepository, 'find'>
  installs: Pick<InstallsRepository, 'among'>
  clock: Clock
}

/**
 * The messages of a user for their devices (docs/reference/device-protocol.md section 9, M1). The cost does not grow
 * with the number of messages.
 */
export function syncService({ repo, users, installs, compiled, clock }: SyncParts) {
  const personalContent = createPersonalContent({ repo, compiled })

  async function current(appId: number, userId: number, now: number): Promise<SyncedHead[]> {
    const found: SyncedHead[] = []
    let last: SyncedState | undefined
    for (const limit of BATCHES) {
      const states = await repo.lastChanged(userId, limit, last)
      // Removed from the inbox: not current, whatever the message is.
      const open = states.filter(({ inboxDeleted }) => inboxDeleted === null)
      found.push(...(await synced(appId, open, now)).filter((message) => isCurrent(message, now)))
      found.sort((a, b) => b.sentAt - a.sentAt || b.id - a.id)
      last = states.at(-1)
      if (!last || states.length < limit) break
      // A message is sent before it changes, so no further message was sent later than these.
      if (found.length >= FIRST_SYNC && found[FIRST_SYNC - 1]!.sentAt >= last.updatedAt) break
    }
    return found.slice(0, FIRST_SYNC)
  }

  async function changed(appId: number, userId: number, after: number, now: number): Promise<SyncedHead[]> {
    if (after > now + DEVICE_CLOCK_MARGIN_MS) return []
    const since = Math.min(after, now) - DEVICE_CLOCK_MARGIN_MS
    const states = new Map<number, SyncedState>()
    const take = (some: readonly SyncedState[]) => {
      for (const state of some) states.set(state.messageId, state)
    }
    const latest = await repo.changedSince(userId, since, MAX_CHANGES)
    take(latest)
    const isCut = latest.length === MAX_CHANGES
    if (isCut) {
      const more = await repo.lastChanged(userId, MAX_EXAMINED)
      take(more.filter(({ sentAt }) => sentAt < after + DEVICE_CLOCK_MARGIN_MS).slice(0, MAX_CHANGES))
    }
    const withdrawn = await repo.withdrawnSince(appId, since, MAX_WITHDRAWN)
    take(await repo.among(userId, withdrawn))
    // There may be more than were looked up: check the messages that devices probably keep.
    if (withdrawn.length === MAX_WITHDRAWN) take(await repo.lastChanged(userId, MAX_CHANGES))
    const all = await synced(appId, [...states.values()], now)
    if (isCut) all.push(...(await current(appId, userId, now)).filter(({ id }) => !states.has(id)))
    // Send as little as possible again: a message that the user removed comes back until the device has told us.
    const isOurs = all.some(({ updatedAt }) => updatedAt - (updatedAt % 1000) === after)
    const from = isOurs ? after - OWN_TIME_MARGIN_MS : since
    return all.filter(({ updatedAt }) => updatedAt >= from)
  }

  async function synced(appId: number, states: readonly SyncedState[], now: number): Promise<SyncedHead[]> {
    if (states.length === 0) return []
    const messages = await repo.messages(
      appId,
      states.map(({ messageId }) => messageId),
    )
    return states.flatMap((state) => {
      const message = messages.get(state.messageId)
      return (message && toSynced(message, state, now)) ?? []
    })
  }

  /**
   * The messages with their content, a batch at a time. Stored values are checked again: one value of the wrong type
   * makes Android discard the whole response, and iOS end the app.
   */
  async function* shown(appId: number, userId: number, heads: readonly SyncedHead[]): AsyncGenerator<SyncedMessage> {
    const byId = new Map(heads.map(({ language, ...head }) => [head.id, { head, language }]))
    const read = async (ids: readonly number[]) => {
      const stored = await repo.contents(appId, ids)
      const personal = stored.filter((one) => one.personal !== null)
      const texts = await personalContent(appId, userId, personal, (id) => byId.get(id)!.language)
      return stored.map((one) => ({ id: one.id, stored: one, texts: texts.get(one.id) }))
    }
    for await (const { id, stored, texts } of readSlices(heads, read)) {
      const { head } = byId.get(id)!
      if (texts) yield personalised(head, texts)
      if (stored.personal !== null) continue
      const content = readObject(stored.content)
      const data = stored.data === null ? null : (readObject(stored.data) ?? null)
      if (content) yield { ...head, content, data }
    }
  }

  return {
    /**
     * The messages of the user that changed since `after` (ms); of more than 120 the latest, besides those that are current and
     * those that the device may have had then. Without `after`, the 60 newest that are current. An install without a user has no
     * messages. The user's consent is not checked: devices drop their messages when it is withdrawn, and sync before the event
     * that gives it has reached us. Content is read as the caller consumes it. Throws `not_found` for an unknown user.
     */
    async messages(
      appId: number,
      identifier: string,
      after: number | undefined,
    ): Promise<AsyncIterable<SyncedMessage>> {
      const now = clock.now()
      const user = isIdentifier(identifier) ? await users.find(appId, identifier) : undefined
      if (!user) {
        const isInstall = isIdentifier(identifier) && (await installs.among(appId, [identifier])).length > 0
        if (isInstall) return shown(appId, NOBODY, [])
        throw new AppError('not_found', `there is no user ${JSON.stringify(identifier)}`)
      }
      const heads = after === undefined ? current(appId, user.id, now) : changed(appId, user.id, after, now)
      return shown(appId, user.id, await heads)
    },
  }
}

/** The zeros of other digits that phones write: Arabic, Persian and Urdu, Hindi, Bengali, Burmese. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0x1040]

/**
 * The query's `after` in milliseconds. A `+` before an offset may have arrived as a space; the Objective-C SDK writes
 * the digits of the phone's region. Throws `invalid`.
 */
export function readAfter(text: string): number {
  const plain = text.replace(/\p{Nd}/gu, (digit) => {
    const zero = ZEROS.findLast((one) => one <= digit.codePointAt(0)!)
    const value = zero === undefined ? 10 : digit.codePointAt(0)! - zero
    return value < 10 ? String(value) : digit
  })
  const at = readInstant(plain.trim().replace(/ (?=\d\d:?\d\d$)/, '+'))
  if (at === undefined) throw invalid({ after: ['must be a time such as 2026-11-21T09:30:00Z'] })
  return at
}

/** A message with the texts of its user. */
function personalised(head: Omit<SyncedHead, 'language'>, { content, data, inbox }: ShownTexts): SyncedMessage {
  const entry = head.inbox &&
    inbox && { ...head.inbox, ...inboxOf({ ...inbox }), from: head.inbox.from, to: head.inbox.to }
  return { ...head, content: { ...content }, data, inbox: entry }
}

/** Tells whether a message is not expired or closed, or still in the inbox. */
function isCurrent({ openedAt, inbox, inboxDeletedAt }: SyncedHead, now: number): boolean {
  if (inboxDeletedAt !== null) return false
  if (openedAt === null) return true
  return inbox !== null && (inbox.to === null || inbox.to > now)
}

/** The message for devices, from a stored one and its state for the user; undefined when it cannot be shown. */
function toSynced(message: StoredMessage, state: SyncedState, now: number): SyncedHead | undefined {
  const presentedWhen = PRESENTED_WHEN.find((one) => one === message.presentedWhen)
  if (!presentedWhen) return undefined
  const { withdrawnAt, ttlMs } = message
  const expiresAt = ttlMs === null ? null : state.sentAt + ttlMs
  // Android shows every message that is not closed, even an expired one that it gets because it is in the inbox.
  const expired = expiresAt !== null && expiresAt <= now ? expiresAt : null
  return {
    id: message.id,
    bytes: message.bytes + state.textBytes,
    language: state.language,
    presentedWhen,
    inbox: message.inbox === null ? null : inboxOf(readObject(message.inbox)),
    expiresAt,
    sentAt: state.sentAt,
    openedAt: state.dismissed ?? withdrawnAt ?? expired,
    readAt: state.read,
    inboxDeletedAt: state.inboxDeleted ?? withdrawnAt,
    updatedAt: Math.max(state.updatedAt, withdrawnAt ?? 0),
  }
}

function inboxOf(stored: Record<string, unknown> | undefined): SyncedInbox | null {
  if (!stored) return null
  const { title, subtitle, from, to, imageUrl } = stored
  return {
    title: typeof title === 'string' ? title : '',
    subtitle: typeof subtitle === 'string' ? subtitle : '',
    from: timeOf(from),
    to: timeOf(to),
    // Both SDKs read its first eight characters without checking its length (docs/reference/device-protocol.md section
    // 11).
    imagePath: typeof imageUrl === 'string' && /^https?:\/\/./i.test(imageUrl) ? imageUrl : null,
  }
}

function timeOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
