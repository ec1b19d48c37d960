import type { Prepared, Sender } from '../../gateways/gateway.ts'
import { editForInstalls, type PersonalReads } from '../personal/edit-page.ts'
import { SLOT } from '../record/page.ts'
import type { Page } from '../record/page-rows.ts'
import type { StoredContent } from '../types.ts'
import { Editions } from './editions.ts'
import type { PageRecipients } from './page-recipients.ts'

/** Said of recipients for whom a text is too long. */
const TOO_LARGE = 'a text is too long for any push'

/** A message without its content. */
type Envelope = Omit<Parameters<Sender['prepare']>[0], 'content'>

/**
 * Edits the content of a page for each of its recipients who can receive something, with what is stored about them now. Prepares each
 * distinct result once. Recipients without one are left out of `recipients`. Throws `TypeError` when the content cannot be compiled.
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
  const of = new Uint16Array(rows.length)
  const editions: { prepared: Prepared; language: string | undefined }[] = []
  const byKey = new Map<string, number>()
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
      let edition = byKey.get(edited.key)
      if (edition === undefined) {
        edition = editions.length
        byKey.set(edited.key, edition)
        const prepared = sender.prepare({ ...envelope, content: { ...edited.content(), notificationId } })
        editions.push({ prepared, language: edited.language })
      }
      of[slot] = edition
    },
  )
  return Editions.several(editions, of)
}
