import type { Claim } from '../../../platform/queue/queue.ts'
import { Unreadable } from '../../../platform/unreadable.ts'
import { SLOT } from '../record/page.ts'
import { PageRecipients } from '../record/page-recipients.ts'
import { PageRecord } from '../record/page-record.ts'
import { endPage } from '../record/turn.ts'
import { STATUS, type StoredContent } from '../types.ts'
import type { DeliveryParts, LaneContext } from './delivery-parts.ts'
import { PageWork } from './page-work.ts'

/**
 * Reads a claimed page, its recipients and its message for delivery. Ends a page that cannot be sent: cancelled,
 * expired, without a gateway. Returns undefined for it, and for one that another worker has taken over.
 */
export async function openPage(parts: DeliveryParts, claim: Claim, lane: LaneContext): Promise<PageWork | undefined> {
  const { ledger, crm } = parts.read
  const page = await ledger.claimedPage(claim)
  if (!page) return undefined
  const { appId, notificationId, rows } = page
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
  const recipients = new PageRecipients(rows, await crm.deliveryRecipients(appId, rows), lane.platform, lane.memory)
  const record = new PageRecord(claim, page, recipients)
  // What cannot be made into a request now never can: it depends on the stored content alone.
  const prepared = await readable(async () =>
    sender.prepare({
      content: { ...(message.content as unknown as StoredContent), notificationId },
      expiresAt,
      replacementKey: `n${notificationId}`,
    }),
  )
  if (prepared === UNREADABLE) return endUnreadable(parts, lane, record)
  return new PageWork(record, { sender, prepared, expiresAt })
}

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
