import type { Ledger, Page } from './ledger.repository.ts'
import { endedBetween, SLOT, type SlotName } from './page.ts'

/**
 * Merges answers that came after their page was taken from its worker: an accepted recipient ends wherever it waits to be sent
 * to again, so that it does not get the message twice. A worker that has such a page notices when it records next; a waiting
 * page of which nobody is left is closed when it becomes due. In the caller's transaction. `rows` were accepted, at least one.
 * Returns how many of them still waited, and who came to an end by it, page by page.
 */
export async function mergeAccepted(
  ledger: Pick<Ledger, 'openPagesBetween' | 'mergeOutcomes'>,
  { notificationId }: Pick<Page, 'notificationId'>,
  rows: readonly number[],
  now: number,
): Promise<{ merged: number; ended: Map<SlotName, number>[] }> {
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
  return { merged: rows.length - left.size, ended }
}
