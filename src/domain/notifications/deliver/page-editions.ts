import type { Outcome, Sender } from '../../gateways/gateway.ts'
import { editForInstalls } from '../personal/edit-page.ts'
import type { PersonalReads } from '../personal/reads.ts'
import { SLOT } from '../record/page.ts'
import type { Page } from '../record/page-rows.ts'
import { SURELY_FITS } from '../request/content-size.ts'
import type { StoredContent } from '../types.ts'
import { type Editions, SeveralEditions } from './editions.ts'
import type { PageRecipients } from './page-recipients.ts'

/** Said of recipients for whom a text is too long. */
const TOO_LARGE = 'a text is too long for any push'

const reasonOf = (refusal: Outcome) => ('reason' in refusal ? refusal.reason : TOO_LARGE)

/** A message without its content. */
type Envelope = Omit<Parameters<Sender['prepare']>[0], 'content'>

/**
 * Edits the content of a page for each of its recipients who can receive something, with what is stored about them now. Recipients without one are left out of `recipients`. Throws `TypeError` when the content cannot be compiled.
 */
export async function editionsOf(
  reads: PersonalReads,
  sender: Sender,
  page: Page,
  content: StoredContent,
  recipients: PageRecipients,
  { envelope, now }: { envelope: Envelope; now: number },
): Promise<Editions> {
  const { appId, notificationId, rows } = page
  const compiled = reads.compiled(notificationId, content)
  const slots = rows.flatMap((_, slot) => (recipients.canReceive(slot) ? [slot] : []))
  const editions = new SeveralEditions(rows.length, (edition) =>
    sender.prepare({ ...envelope, content: { ...compiled.contentOf(edition), notificationId } }),
  )
  /** Messages that are too large for the vendor, by key. */
  const refusals = new Map<string, Outcome>()
  let next = 0
  await editForInstalls(
    reads,
    { appId, notificationId, content: compiled },
    slots.map((slot) => rows[slot]!),
    now,
    (_, edited) => {
      const slot = slots[next++]!
      if ('missing' in edited) return recipients.leaveOut(slot, SLOT.missing_value, edited.missing)
      if ('tooLarge' in edited) return recipients.leaveOut(slot, SLOT.payload_error, [TOO_LARGE])
      const isNew = editions.set(slot, edited.key, edited)
      const refusal = isNew && edited.mostBytes > SURELY_FITS ? editions.preparedFor(slot).refusal : undefined
      if (refusal) refusals.set(edited.key, refusal)
      const reason = refusals.size > 0 ? refusals.get(edited.key) : undefined
      if (reason) recipients.leaveOut(slot, SLOT.payload_error, [reasonOf(reason)])
    },
  )
  editions.finish()
  return editions
}
