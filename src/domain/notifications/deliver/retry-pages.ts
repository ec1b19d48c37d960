import type { Recipient } from '../../crm/types.ts'
import type { NewPage, Page } from '../record/page-rows.ts'
import type { Tries, Verdict } from '../record/verdict.ts'

/**
 * The retry pages of recipients that must wait, grouped by the number of tries and, where a host asked for a wait, by
 * its length.
 */
export function retryPagesOf(
  page: Page,
  judged: readonly { recipient: Recipient; verdict: Verdict }[],
  now: number,
): NewPage[] {
  const groups = new Map<string, { rows: number[]; afterMs: number; tries: Tries }>()
  for (const { recipient, verdict } of judged) {
    if (!('retry' in verdict)) continue
    const { afterMs, local, ...tries } = verdict.retry
    // A page waits as long as the recipient with the longest wait, so recipients that fail together share their jitter.
    const key = `${tries.attempt} ${tries.resends} ${local ? waitClass(afterMs) : ''}`
    const group = groups.get(key)
    if (!group) groups.set(key, { rows: [recipient.row], afterMs, tries })
    else {
      group.rows.push(recipient.row)
      group.afterMs = Math.max(group.afterMs, afterMs)
    }
  }
  const { appId, notificationId, laneId, expiresAt, byUser } = page
  return [...groups.values()].map(({ rows, afterMs, tries }) => {
    rows.sort((a, b) => a - b)
    return { appId, notificationId, laneId: laneId!, rows, notBefore: now + afterMs, expiresAt, byUser, ...tries }
  })
}

/**
 * The pages of recipients in quiet hours, which are due when these end; `resting` has their rows, ascending, by that time
 * (ms). A page that expires before is due then, and so ends as expired. Nobody was tried: they are judged again.
 */
export function heldPagesOf(
  { appId, notificationId, laneId, expiresAt, byUser }: Page,
  resting: ReadonlyMap<number, readonly number[]>,
  lastMoment: number,
): NewPage[] {
  return [...resting].map(([until, rows]) => {
    const notBefore = Math.min(until, lastMoment)
    return { appId, notificationId, laneId: laneId!, rows: [...rows], notBefore, expiresAt, byUser, held: true }
  })
}

/**
 * The wait rounded up to a power of two of seconds, as its exponent. Recipients of a host that asked for seconds must
 * not wait as long as those of a host that asked for minutes.
 */
function waitClass(afterMs: number): number {
  return Math.ceil(Math.log2(Math.max(1, afterMs / 1000)))
}
