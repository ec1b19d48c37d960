import type { Claim } from '../../../platform/queue/queue.ts'
import { Unreadable } from '../../../platform/values/unreadable.ts'
import { holds } from '../../audience/target.ts'
import type { Target } from '../../audience/types.ts'
import type { Recipient } from '../../crm/types.ts'
import type { Page } from '../record/ledger.repository.ts'
import { SLOT } from '../record/page.ts'
import { STATUS, type StoredContent } from '../types.ts'
import type { DeliveryParts, LaneContext } from './delivery-parts.ts'
import { PageRecipients } from './page-recipients.ts'
import { PageRecord } from './page-record.ts'
import { PageWork } from './page-work.ts'
import { endPage } from './turn.ts'

/**
 * Reads a claimed page, its recipients and its message for delivery. Ends a page that cannot be sent: cancelled,
 * expired, without a gateway. Returns undefined for it, and for one that another worker has taken over.
 */
export async function openPage(parts: DeliveryParts, claim: Claim, lane: LaneContext): Promise<PageWork | undefined> {
  const { ledger } = parts.read
  const page = await ledger.claimedPage(claim)
  if (!page) return undefined
  const { notificationId, rows } = page
  const message = await readable(() => ledger.message(notificationId))
  if (message === UNREADABLE) return endUnreadable(parts, lane, new PageRecord(claim, page))
  const expiresAt = page.expiresAt ?? message?.expiresAt ?? 0
  const isCancelled = !message || message.status === STATUS.cancelled
  const { sender } = lane
  if (isCancelled || !sender || parts.clock.now() >= expiresAt) {
    const end = isCancelled ? SLOT.cancelled : parts.clock.now() >= expiresAt ? SLOT.expired : SLOT.no_gateway
    await endPage(parts, lane, new PageRecord(claim, page), end)
    return undefined
  }
  const read = await readable(() => recipientsOf(parts, page, message))
  if (read === UNREADABLE) return endUnreadable(parts, lane, new PageRecord(claim, page))
  const { found, passedOn } = read
  const recipients = new PageRecipients(rows, found, lane.platform, { memory: lane.memory, passedOn })
  const { oneTry } = message
  const record = new PageRecord(claim, page, recipients, oneTry)
  // What cannot be made into a request now never can: it depends on the stored content alone.
  const prepared = await readable(async () =>
    sender.prepare({
      content: { ...message.content, notificationId },
      // A vendor must not keep it either.
      expiresAt: oneTry ? 0 : expiresAt,
      replacementKey: `n${notificationId}`,
    }),
  )
  if (prepared === UNREADABLE) return endUnreadable(parts, lane, record)
  return new PageWork(record, { sender, prepared, expiresAt })
}

/**
 * The recipients of a page. Those of a push to users are read together with who uses the install now: one that somebody else
 * uses is in `passedOn`, unless the push is for them as well. The linked push of an in-app message is for those who have it. Throws
 * `Unreadable` for a target that cannot be read.
 */
async function recipientsOf(
  { read: { crm, owners } }: DeliveryParts,
  { appId, rows, byUser }: Page,
  message: { content: Pick<StoredContent, 'inAppMessageId'>; target: Target },
): Promise<{ found: Recipient[]; passedOn: ReadonlySet<number> }> {
  if (!byUser) return { found: await crm.deliveryRecipients(appId, rows), passedOn: NOBODY }
  const { inAppMessageId } = message.content
  const all = await owners.recipients(appId, rows, inAppMessageId)
  const { target } = message
  const users = target.kind === 'broadcast' ? [] : (target.users ?? [])
  const isMeant = (owner: number | null) => owner !== null && (inAppMessageId !== undefined || holds(users, owner))
  const passed = all.filter(({ owner }) => !isMeant(owner)).map(({ row }) => row)
  return { found: all, passedOn: passed.length === 0 ? NOBODY : new Set(passed) }
}

const NOBODY: ReadonlySet<number> = new Set()

const UNREADABLE = Symbol('unreadable')

/** The value; `UNREADABLE` when what is stored has another shape than it had when it was accepted. */
async function readable<T>(read: () => Promise<T>): Promise<T | typeof UNREADABLE> {
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
  await endPage(parts, lane, record, SLOT.internal_error)
}
