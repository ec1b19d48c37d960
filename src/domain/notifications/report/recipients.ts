import { FAILURES, isReason, type RecipientState, SLOT, type SlotName, slotName, stateOf } from '../record/page.ts'
import type { PackedPage, RecipientsRepository } from './recipients.repository.ts'
import { OWN_WORDS } from './report.ts'

/** One recipient of a notification, as far as it is known. */
export interface RecipientResult {
  /** Null: the install is gone, and only its number is left. */
  installId: string | null
  /** The user whom the install has now. Null when the install is gone. */
  userId: string | null
  /** The way of a push to the install, with the token that it has now. Null without one, and when the install is gone. */
  transport: string | null
  outcome: RecipientState
  /** The kind of failure, of a failed recipient. */
  kind: string | null
  /** The reason for the outcome: the vendor's own word where there is one, else ours. */
  reason: string | null
}

type Reads = Pick<RecipientsRepository, 'names' | 'answers'>

/**
 * The recipients of a page. Recipients that were moved to a retry page are left out, because they are counted there;
 * with `state`, so are recipients in another one.
 */
async function resultsOf(
  repo: Reads,
  appId: number,
  notificationId: number,
  { rows, outcomes }: Omit<PackedPage, 'id'>,
  state?: RecipientState,
): Promise<RecipientResult[]> {
  const wanted: { row: number; slot: SlotName; outcome: RecipientState }[] = []
  const failed: number[] = []
  for (const [i, row] of rows.entries()) {
    const byte = outcomes[i]!
    if (byte === SLOT.moved) continue
    const outcome = stateOf(byte)
    if (state !== undefined && outcome !== state) continue
    wanted.push({ row, slot: slotName(byte), outcome })
    if (outcome === 'failed' || byte === SLOT.missing_value) failed.push(row)
  }
  const names = await repo.names(
    appId,
    wanted.map(({ row }) => row),
  )
  const answers = await repo.answers(appId, notificationId, failed)
  return wanted.map(({ row, slot, outcome }) => {
    const named = names.get(row)
    const own = isReason(slot) ? (OWN_WORDS[slot] ?? slot) : null
    return {
      installId: named?.installId ?? null,
      userId: named?.userId ?? null,
      transport: named?.transport ?? null,
      outcome,
      kind: Object.hasOwn(FAILURES, slot) ? slot : null,
      reason: answers.get(row) ?? own,
    }
  })
}

/**
 * Outcomes of the recipients of a closed page; undefined when it was forgotten (`notifications.retentionDays`). The ids
 * are those that the installs have now.
 */
export async function resultsOfPage(
  repo: RecipientsRepository,
  appId: number,
  { notificationId, pageId }: { notificationId: number; pageId: number },
): Promise<RecipientResult[] | undefined> {
  const page = await repo.page(appId, pageId)
  return page && resultsOf(repo, appId, notificationId, page)
}

/**
 * The recipients of a notification, page by page: no more than one page is in memory, and nothing is held between two
 * of them. While the notification is being sent, a recipient that is moved to a retry page meanwhile comes twice.
 */
export async function* recipientsOf(
  repo: RecipientsRepository,
  appId: number,
  notificationId: number,
  state?: RecipientState,
): AsyncGenerator<RecipientResult> {
  for (const id of await repo.pageIds(appId, notificationId, state)) {
    const page = await repo.page(appId, id)
    if (!page) continue
    for (const one of await resultsOf(repo, appId, notificationId, page, state)) yield one
  }
}
