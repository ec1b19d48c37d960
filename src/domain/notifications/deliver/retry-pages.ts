import type { Recipient } from '../../crm/types.ts'
import type { Ledger, Page } from '../record/ledger.repository.ts'
import type { Tries, Verdict } from '../record/verdict.ts'

/**
 * Puts recipients that must wait on retry pages, grouped by the number of tries and, where a host asked for a wait, by
 * its length.
 */
export async function insertRetryPages(
  ledger: Ledger,
  page: Page,
  judged: readonly { recipient: Recipient; verdict: Verdict }[],
  now: number,
): Promise<void> {
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
  for (const { rows, afterMs, tries } of groups.values()) {
    const { appId, notificationId, laneId, expiresAt, byUser } = page
    rows.sort((a, b) => a - b)
    await ledger.insertPage(
      { appId, notificationId, laneId: laneId!, rows, notBefore: now + afterMs, expiresAt, byUser, ...tries },
      now,
    )
  }
}

/**
 * Puts recipients in quiet hours on pages that are due when these end; `resting` has their rows, ascending, by that time
 * (ms). A page that expires before is due then, and so ends as expired. Nobody was tried: they are judged again.
 */
export async function insertHeldPages(
  ledger: Ledger,
  { appId, notificationId, laneId, expiresAt, byUser }: Page,
  resting: ReadonlyMap<number, readonly number[]>,
  lastMoment: number,
  now: number,
): Promise<void> {
  const pages = [...resting].map(([until, rows]) => {
    const notBefore = Math.min(until, lastMoment)
    return { appId, notificationId, laneId: laneId!, rows: [...rows], notBefore, expiresAt, byUser, held: true }
  })
  await ledger.insertPages(pages, now)
}

/**
 * The wait rounded up to a power of two of seconds, as its exponent. Recipients of a host that asked for seconds must
 * not wait as long as those of a host that asked for minutes.
 */
function waitClass(afterMs: number): number {
  return Math.ceil(Math.log2(Math.max(1, afterMs / 1000)))
}
