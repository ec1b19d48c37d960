import type { Clock } from '../../../platform/clock.ts'
import { readSlices, type WeighedRow } from '../../../platform/db/pages.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { readInstant } from '../../../platform/instants.ts'
import { readObject } from '../../../platform/json.ts'
import type { InstallsRepository } from '../../crm/installs.repository.ts'
import type { UsersRepository } from '../../crm/repository.ts'
import { isIdentifier } from '../../crm/schema.ts'
import type { StoredMessage, UserMessage, UserMessagesRepository } from '../record/user-messages.repository.ts'
import { PRESENTED_WHEN, type PresentedWhen } from '../types.ts'

/** Clients keep the newest 50 messages, by the time they were sent (docs/reference/device-protocol.md section 9); a few more. */
const FIRST_SYNC = 60
/**
 * A first sync looks through his messages for those that are current, the last change first: so many, then so many more, until
 * there are enough. The first look is all that most users need.
 */
const LOOKS = [FIRST_SYNC, 180, 360]
/** Most changes that one sync tells, the latest. */
const MOST_CHANGES = 120
/** Of more than these a device also learns what is current, and what became of messages that it may have, among the last so many. */
const MOST_LOOKED_AT = 360
/** Most withdrawals of the app that a sync looks up. */
const MOST_WITHDRAWN = 200
/** Devices ask by a time that we told them, or by their own clock (docs/reference/device-protocol.md section 9); what changed before is sent again. */
const OURS_MS = 5 * 60_000
/**
 * A clock that is set by hand is often an hour ahead, because of summer time; what is not sent again then is lost. A time that lies
 * further ahead of our clock is no clock's: nothing has changed since.
 */
const THEIRS_MS = 65 * 60_000

/** The entry in the inbox of an app. Times are milliseconds. */
export interface SyncedInbox {
  title: string
  subtitle: string
  from: number | null
  to: number | null
  imagePath: string | null
}

/** A message as the devices of a user get it; times are milliseconds. */
export interface SyncedMessage {
  id: number
  presentedWhen: PresentedWhen
  content: Record<string, unknown>
  data: Record<string, unknown> | null
  inbox: SyncedInbox | null
  expiresAt: number | null
  sentAt: number
  /** Devices take it for "closed": once it is set they do not show the message by themselves. */
  openedAt: number | null
  readAt: number | null
  inboxDeletedAt: number | null
  updatedAt: number
}

/** A message without what it shows, which is read when it is sent. */
type SyncedHead = Omit<SyncedMessage, 'content' | 'data'> & WeighedRow

export interface SyncParts {
  repo: Pick<
    UserMessagesRepository,
    'lastChanged' | 'changedSince' | 'among' | 'withdrawnSince' | 'messages' | 'contents'
  >
  users: Pick<UsersRepository, 'find'>
  installs: Pick<InstallsRepository, 'among'>
  clock: Clock
}

/** What the devices of a user learn of his messages (docs/reference/device-protocol.md section 9, M1). Costs the same however many he got. */
export function syncService({ repo, users, installs, clock }: SyncParts) {
  async function current(appId: number, userId: number, now: number): Promise<SyncedHead[]> {
    const found: SyncedHead[] = []
    let behind: UserMessage | undefined
    for (const limit of LOOKS) {
      const states = await repo.lastChanged(userId, limit, behind)
      // Removed from the inbox: not current, whatever the message is.
      const open = states.filter(({ inboxDeleted }) => inboxDeleted === null)
      found.push(...(await synced(appId, open, now)).filter((message) => isCurrent(message, now)))
      found.sort((a, b) => b.sentAt - a.sentAt || b.id - a.id)
      behind = states.at(-1)
      if (!behind || states.length < limit) break
      // Nothing behind was sent after it changed last, so these are the newest.
      if (found.length >= FIRST_SYNC && found[FIRST_SYNC - 1]!.sentAt >= behind.updatedAt) break
    }
    return found.slice(0, FIRST_SYNC)
  }

  async function changed(appId: number, userId: number, after: number, now: number): Promise<SyncedHead[]> {
    if (after > now + THEIRS_MS) return []
    const since = Math.min(after, now) - THEIRS_MS
    const states = new Map<number, UserMessage>()
    const take = (some: readonly UserMessage[]) => {
      for (const state of some) states.set(state.messageId, state)
    }
    const latest = await repo.changedSince(userId, since, MOST_CHANGES)
    take(latest)
    const isCut = latest.length === MOST_CHANGES
    if (isCut) {
      const more = await repo.lastChanged(userId, MOST_LOOKED_AT)
      take(more.filter(({ sentAt }) => sentAt < after + THEIRS_MS).slice(0, MOST_CHANGES))
    }
    const withdrawn = await repo.withdrawnSince(appId, since, MOST_WITHDRAWN)
    take(await repo.among(userId, withdrawn))
    // So many that not all were looked up: those among what devices keep count.
    if (withdrawn.length === MOST_WITHDRAWN) take(await repo.lastChanged(userId, MOST_CHANGES))
    const all = await synced(appId, [...states.values()], now)
    if (isCut) all.push(...(await current(appId, userId, now)).filter(({ id }) => !states.has(id)))
    // Sent again no more than it must be: what its user removes comes back on a device that has not told us of it yet.
    const isOurs = all.some(({ updatedAt }) => updatedAt - (updatedAt % 1000) === after)
    const from = isOurs ? after - OURS_MS : since
    return all.filter(({ updatedAt }) => updatedAt >= from)
  }

  async function synced(appId: number, states: readonly UserMessage[], now: number): Promise<SyncedHead[]> {
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
   * The messages with what they show, some at a time. Nothing here trusts what is stored: one value of a wrong type makes Android throw
   * away the whole answer, and iOS end the app.
   */
  async function* shown(appId: number, heads: readonly SyncedHead[]): AsyncGenerator<SyncedMessage> {
    const byId = new Map(heads.map((head) => [head.id, head]))
    for await (const stored of readSlices(heads, (ids) => repo.contents(appId, ids))) {
      const content = readObject(stored.content)
      const data = stored.data === null ? null : (readObject(stored.data) ?? null)
      if (content) yield { ...byId.get(stored.id)!, content, data }
    }
  }

  return {
    /**
     * With `after` (ms): the messages of the user that changed since; of more than 120 the latest, those that are current, and those
     * that a device may have had then. Without: those that are current, the newest 60. An install that has no user yet has no messages.
     * The user's present consent does not matter: devices drop what they have when it is taken back, and ask before the event that
     * gives it has reached us. What they show is read as the caller takes it. Throws `not_found` for a user whom nobody knows.
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
        if (isInstall) return shown(appId, [])
        throw new AppError('not_found', `there is no user ${JSON.stringify(identifier)}`)
      }
      const heads = after === undefined ? current(appId, user.id, now) : changed(appId, user.id, after, now)
      return shown(appId, await heads)
    },
  }
}

/** The zeros of the digits that phones write where ours are not usual: Arabic, Persian and Urdu, Hindi, Bengali, Burmese. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0x1040]

/**
 * The query's `after` in milliseconds; a `+` of an offset may have arrived as a space. The Objective-C SDK writes it in the digits of
 * the phone's region. Throws `invalid`.
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

/** Not over yet, or still in the inbox. */
function isCurrent({ openedAt, inbox, inboxDeletedAt }: SyncedHead, now: number): boolean {
  if (inboxDeletedAt !== null) return false
  if (openedAt === null) return true
  return inbox !== null && (inbox.to === null || inbox.to > now)
}

/** A message and what became of it -> what devices get; undefined when it cannot be shown at all. */
function toSynced(message: StoredMessage, state: UserMessage, now: number): SyncedHead | undefined {
  const presentedWhen = PRESENTED_WHEN.find((one) => one === message.presentedWhen)
  if (!presentedWhen) return undefined
  const { withdrawnAt, ttlMs } = message
  const expiresAt = ttlMs === null ? null : state.sentAt + ttlMs
  // Android shows every message that it gets and that was not closed, also one whose time is over but which is in the inbox.
  const over = expiresAt !== null && expiresAt <= now ? expiresAt : null
  return {
    id: message.id,
    bytes: message.bytes,
    presentedWhen,
    inbox: message.inbox === null ? null : inboxOf(readObject(message.inbox)),
    expiresAt,
    sentAt: state.sentAt,
    openedAt: state.dismissed ?? withdrawnAt ?? over,
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
    // Both clients read the first eight characters of it without looking whether there are so many (docs/reference/device-protocol.md section 11).
    imagePath: typeof imageUrl === 'string' && /^https?:\/\/./i.test(imageUrl) ? imageUrl : null,
  }
}

function timeOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
