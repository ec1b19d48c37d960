import type { Claim } from '../../../platform/queue/queue.ts'
import { Unreadable } from '../../../platform/values/unreadable.ts'
import { ascending, holds } from '../../audience/target.ts'
import type { Recipient } from '../../crm/types.ts'
import { isPersonal } from '../personal/compiled-content.ts'
import type { Message } from '../record/messages.repository.ts'
import { SLOT } from '../record/page.ts'
import type { Page } from '../record/page-rows.ts'
import { STATUS, type StoredContent } from '../types.ts'
import type { DeliveryParts, LaneContext } from './delivery-parts.ts'
import { sameEdition } from './editions.ts'
import { editPage } from './page-editions.ts'
import { PageRecipients } from './page-recipients.ts'
import { PageRecord } from './page-record.ts'
import { PageWork } from './page-work.ts'
import { endPage } from './turn.ts'

/** The recipients of a page; `passedOn` are installs that somebody else uses, for whom the push is not. */
interface Found {
  found: readonly Recipient[]
  passedOn: ReadonlySet<number>
}

/** A claimed page and its notification, as they were read. */
interface Opening {
  record: PageRecord
  page: Page
  message: Message
  content: StoredContent
}

/** Records of pages by the ids of their claims. */
export type BegunPages = ReadonlyMap<number, PageRecord>
const NONE_BEGUN: BegunPages = new Map()

/**
 * Reads claimed pages of a lane, their recipients and their messages for delivery, many with few statements. Ends pages that cannot be
 * sent: cancelled, expired, without a gateway. Leaves these out, and those that another worker has taken over. `begun` has the records
 * of pages that were begun where they were claimed, and read there. Throws for another one with begun recipients: it has to be recovered.
 */
export async function openPages(
  parts: DeliveryParts,
  claims: readonly Claim[],
  lane: LaneContext,
  begun: BegunPages = NONE_BEGUN,
): Promise<PageWork[]> {
  const { ledger } = parts.read
  const records = await recordsOf(parts, claims, begun)
  const messages = await ledger.messages([...new Set(records.map(({ page }) => page.notificationId))])
  const opening: Opening[] = []
  for (const record of records) {
    const { page } = record
    const message = messages.get(page.notificationId)
    const end = whyNot(parts, lane, page, message)
    const content = end === undefined ? readable(() => message!.content) : undefined
    if (end !== undefined) await endUnsent(parts, lane, record, end)
    else if (content === UNREADABLE) await endUnreadable(parts, lane, record)
    else opening.push({ record, page, message: message!, content: content! })
  }
  const found = await recipientsOf(
    parts,
    opening.filter(({ content }) => !isPersonal(content)),
  )
  const opened: PageWork[] = []
  for (const one of opening) {
    const work = await openOne(parts, lane, one, found.get(one))
    if (work) opened.push(work)
  }
  return opened
}

/** The records of claimed pages; lost ones are missing. */
async function recordsOf(
  { read: { ledger } }: DeliveryParts,
  claims: readonly Claim[],
  begun: BegunPages,
): Promise<PageRecord[]> {
  const others = claims.filter(({ id }) => !begun.has(id))
  const pages = others.length > 0 ? await ledger.claimedPages(others) : new Map<number, Page>()
  return claims.flatMap((claim) => {
    const known = begun.get(claim.id)
    if (known) return known
    const page = pages.get(claim.id)
    if (!page) return []
    const record = new PageRecord(claim, page)
    if (record.begun > 0) throw new Error(`page ${page.id} has begun recipients of another claim`)
    return record
  })
}

/** The outcome of the recipients of a page that cannot be sent; undefined when it can. */
function whyNot(
  { clock }: DeliveryParts,
  { sender }: LaneContext,
  page: Page,
  message: Message | undefined,
): number | undefined {
  if (!message || message.status === STATUS.cancelled) return SLOT.cancelled
  if (clock.now() >= (page.expiresAt ?? message.expiresAt)) return SLOT.expired
  return sender ? undefined : SLOT.no_gateway
}

/** `read`: the recipients; those of a content that differs between them are read while it is edited. */
async function openOne(
  parts: DeliveryParts,
  lane: LaneContext,
  opening: Opening,
  read: Found | typeof UNREADABLE | undefined,
): Promise<PageWork | undefined> {
  const { record, page, message, content } = opening
  if (read === UNREADABLE) return endUnreadable(parts, lane, record)
  const { oneTry, isRated, status } = message
  const sender = lane.sender!
  const expiresAt = page.expiresAt ?? message.expiresAt
  // A vendor must not keep it either.
  const envelope = { expiresAt: oneTry ? 0 : expiresAt, replacementKey: `n${page.notificationId}` }
  const { platform, memory } = lane
  // What cannot be made into a request now never can: it depends on the stored content alone.
  const made = await readableLater(async () => {
    if (!read) {
      const isMeant = page.byUser ? meantBy(opening) : undefined
      const now = parts.clock.now()
      return editPage(parts.read, { page, content, sender, envelope, platform, memory, isMeant, now })
    }
    const recipients = new PageRecipients(page.rows, read.found, platform, { memory, passedOn: read.passedOn })
    const { notificationId } = page
    return {
      recipients,
      editions: sameEdition(sender.prepare({ ...envelope, content: { ...content, notificationId } })),
    }
  })
  if (made === UNREADABLE) return endUnreadable(parts, lane, record)
  const { recipients, editions } = made
  const languages = content.languages && !editions.isSame ? editions : undefined
  record.meet(recipients, { oneTry, isRated, isQueued: status === STATUS.queued, languages })
  return new PageWork(record, { sender, editions, expiresAt })
}

/**
 * The recipients of each page. Those of a push to users are read together with who uses the install now: one that somebody else
 * uses is in `passedOn`, unless the push is for them as well. The linked push of an in-app message is for those who have it.
 * `UNREADABLE` for a page whose target cannot be read.
 */
async function recipientsOf(
  { read: { crm, owners } }: DeliveryParts,
  pages: readonly Opening[],
): Promise<ReadonlyMap<Opening, Found | typeof UNREADABLE>> {
  const [toInstalls, toUsers] = [false, true].map((byUser) => pages.filter(({ page }) => page.byUser === byUser))
  const read = new Map<Opening, Found | typeof UNREADABLE>()
  const installs = await readAll(toInstalls!, (appId, rows) => crm.deliveryRecipients(appId, rows))
  for (const one of toInstalls!) read.set(one, { found: installs(one.page.rows), passedOn: NOBODY })
  for (const [messageId, some] of Map.groupBy(toUsers!, ({ content }) => content.inAppMessageId)) {
    const all = await readAll(some, (appId, rows) => owners.recipients(appId, rows, messageId))
    for (const one of some) {
      read.set(
        one,
        readable(() => meant(all(one.page.rows), one)),
      )
    }
  }
  return read
}

/** Reads the recipients of pages at once. The result returns those of one page that exist, in the order of its rows. */
async function readAll<R extends Recipient>(
  pages: readonly Opening[],
  read: (appId: number, rows: number[]) => Promise<R[]>,
): Promise<(rows: readonly number[]) => R[]> {
  const [first] = pages
  if (!first) return () => []
  const { appId } = first.page
  if (pages.length === 1) {
    const found = await read(appId, first.page.rows)
    return () => found
  }
  const rows = ascending(pages.flatMap(({ page }) => page.rows))
  const found = new Map((await read(appId, rows)).map((recipient) => [recipient.row, recipient]))
  return (of) => of.flatMap((row) => found.get(row) ?? [])
}

function meant(found: readonly (Recipient & { owner: number | null })[], opening: Opening): Found {
  const isMeant = meantBy(opening)
  const passed = found.filter(({ owner }) => !isMeant(owner)).map(({ row }) => row)
  return { found, passedOn: passed.length === 0 ? NOBODY : new Set(passed) }
}

/** Makes the function that tells whether a push to users is for the user of an install. Throws `Unreadable`. */
function meantBy({ message: { target }, content: { inAppMessageId } }: Opening): (owner: number | null) => boolean {
  const users = target.kind === 'broadcast' ? [] : (target.users ?? [])
  return (owner) => owner !== null && (inAppMessageId !== undefined || holds(users, owner))
}

const NOBODY: ReadonlySet<number> = new Set()

const UNREADABLE = Symbol('unreadable')

/** The value; `UNREADABLE` when what is stored has another shape than it had when it was accepted. */
function readable<T>(read: () => T): T | typeof UNREADABLE {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unreadable || error instanceof TypeError) return UNREADABLE
    throw error
  }
}

/** `readable` for what takes time. */
async function readableLater<T>(read: () => Promise<T>): Promise<T | typeof UNREADABLE> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Unreadable || error instanceof TypeError) return UNREADABLE
    throw error
  }
}

/** Ends a page whose message cannot be read: trying again does not help, and its recipients must not wait. */
async function endUnreadable(parts: DeliveryParts, lane: LaneContext, record: PageRecord): Promise<undefined> {
  const { id, notificationId } = record.page
  parts.log.error(
    { page: id, notification: notificationId },
    'a page ended, because the stored notification cannot be read: see appsvc doctor',
  )
  await endUnsent(parts, lane, record, SLOT.internal_error)
}

/** Ends a page of which nobody was sent to. */
async function endUnsent(parts: DeliveryParts, lane: LaneContext, record: PageRecord, outcome: number): Promise<void> {
  record.takeBack()
  await endPage(parts, lane, record, outcome)
}
