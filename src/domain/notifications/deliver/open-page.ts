import type { Claim } from '../../../platform/queue/queue.ts'
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
  const message = await ledger.message(notificationId)
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
  const prepared = sender.prepare({
    content: { ...(message.content as StoredContent), notificationId },
    expiresAt,
    replacementKey: `n${notificationId}`,
  })
  return new PageWork(record, { sender, prepared, expiresAt })
}
