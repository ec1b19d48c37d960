import type { Recipient } from '../../crm/types.ts'
import type { Tries, Verdict } from '../deliver/verdict.ts'
import type { Ledger, Page } from './ledger.repository.ts'

/** Recipients that must wait go on in pages of their own: same number of tries, and a wait that is about the same where hosts ask for it. */
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
    // Nobody goes before the time that was asked for; jitter is shared by those who fell out together.
    // Where one host asked for minutes, those who wait for another one are not made to wait as long.
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
