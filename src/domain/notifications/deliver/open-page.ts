import type { Claim } from '../../../platform/queue/queue.ts'
import { holds } from '../../audience/target.ts'
import type { Target } from '../../audience/types.ts'
import type { Recipient } from '../../crm/types.ts'
import type { Page } from '../record/ledger.repository.ts'
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
  const { ledger } = parts.read
  const page = await ledger.claimedPage(claim)
  if (!page) return undefined
  const { notificationId, rows } = page
  const message = await ledger.message(notificationId)
  const expiresAt = page.expiresAt ?? message?.expiresAt ?? 0
  const isCancelled = !message || message.status === STATUS.cancelled
  const { sender } = lane
  if (isCancelled || !sender || parts.clock.now() >= expiresAt) {
    const end = isCancelled ? SLOT.cancelled : parts.clock.now() >= expiresAt ? SLOT.expired : SLOT.no_gateway
    await endPage(parts, lane, new PageRecord(claim, page), end)
    return undefined
  }
  const { found, passedOn } = await read(parts, page, message)
  const recipients = new PageRecipients(rows, found, lane.platform, { memory: lane.memory, passedOn })
  const { oneTry } = message
  const record = new PageRecord(claim, page, recipients, oneTry)
  const prepared = sender.prepare({
    content: { ...message.content, notificationId },
    // A vendor must not keep it either.
    expiresAt: oneTry ? 0 : expiresAt,
    replacementKey: `n${notificationId}`,
  })
  return new PageWork(record, { sender, prepared, expiresAt })
}

/**
 * The recipients of a page. Those of a push to users are read together with who uses the install now: one that somebody else
 * uses is in `passedOn`, unless the push is for them as well. The linked push of an in-app message is for those who have it.
 */
async function read(
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
