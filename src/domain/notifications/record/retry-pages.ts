import type { Recipient } from '../../crm/types.ts'
import type { Tries, Verdict } from '../deliver/verdict.ts'
import type { Ledger, Page } from './ledger.repository.ts'

/** Puts recipients that must wait on pages of their own: with the same number of tries, and a similar wait where hosts ask for one. */
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
    // Each page waits for the longest time that any of its recipients needs; recipients that fail together share their jitter.
    // Recipients of a host that asked for seconds must not wait for a host that asked for minutes.
    const key = `${tries.attempt} ${tries.resends} ${local ? Math.ceil(Math.log2(Math.max(1, afterMs / 1000))) : ''}`
    const group = groups.get(key)
    if (!group) groups.set(key, { rows: [recipient.row], afterMs, tries })
    else {
      group.rows.push(recipient.row)
      group.afterMs = Math.max(group.afterMs, afterMs)
    }
  }
  for (const { rows, afterMs, tries } of groups.values()) {
    const { appId, notificationId, laneId, expiresAt } = page
    rows.sort((a, b) => a - b)
    await ledger.insertPage(
      { appId, notificationId, laneId: laneId!, rows, notBefore: now + afterMs, expiresAt, ...tries },
      now,
    )
  }
}
