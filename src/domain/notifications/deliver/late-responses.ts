import type { Ledger } from '../record/ledger.repository.ts'
import { endedBetween, SLOT, type SlotName } from '../record/page.ts'
import type { PageRecord } from './page-record.ts'

/**
 * Records responses that came after another worker had taken the page over. An accepted recipient (`rows`, at least
 * one) becomes `accepted` on whichever page it waits to be sent to again, so that it does not get the message twice. A
 * worker that holds such a page notices when it records next; a waiting page without pending recipients is closed when
 * it becomes due. Runs in the caller's transaction. Returns how many of `rows` were still waiting, and the final
 * outcomes page by page.
 */
export async function mergeAccepted(
  ledger: Pick<Ledger, 'openPagesBetween' | 'mergeOutcomes' | 'countLanguages'>,
  record: Pick<PageRecord, 'page' | 'languagesOf'>,
  rows: readonly number[],
  now: number,
): Promise<{ merged: number; ended: Map<SlotName, number>[] }> {
  const { notificationId } = record.page
  const ended: Map<SlotName, number>[] = []
  const left = new Set(rows)
  for (const page of await ledger.openPagesBetween(notificationId, Math.min(...rows), Math.max(...rows))) {
    const before = Buffer.from(page.outcomes)
    page.rows.forEach((row, slot) => {
      const waits = before[slot] === SLOT.pending || before[slot] === SLOT.begun
      if (waits && left.delete(row)) page.outcomes[slot] = SLOT.accepted
    })
    if (before.equals(page.outcomes)) continue
    await ledger.mergeOutcomes(page.id, page.outcomes, now)
    ended.push(endedBetween(before, page.outcomes))
  }
  const accepted = record.languagesOf(new Set(rows.filter((row) => !left.has(row))))
  if (accepted.size > 0) await ledger.countLanguages(record.page, { accepted })
  return { merged: rows.length - left.size, ended }
}
