import type { Outcome, PreparedMany, PushMessage, Sender } from '../../gateways/gateway.ts'
import type { Edited } from '../personal/compiled-content.ts'
import { startEditing } from '../personal/edit-page.ts'
import { SLOT } from '../record/page.ts'
import type { Page } from '../record/page-rows.ts'
import { SURELY_FITS } from '../request/content-size.ts'
import type { StoredContent } from '../types.ts'
import type { DeliveryAreas } from './delivery-parts.ts'
import { type Edition, type EditionMakers, type Editions, SeveralEditions } from './editions.ts'
import type { RecipientPerson } from './owners.repository.ts'
import { canReceive, PageRecipients, type TokenMemory } from './page-recipients.ts'

/** Said of recipients for whom a text is too long. */
const TOO_LARGE = 'a text is too long for any push'

const reasonOf = (refusal: Outcome) => ('reason' in refusal ? refusal.reason : TOO_LARGE)

/** A page that is edited, and how. */
export interface EditedPage {
  page: Page
  content: StoredContent
  sender: Sender
  /** The message without its content. */
  envelope: Omit<PushMessage, 'content'>
  platform: number
  memory: TokenMemory | undefined
  /** Tells whether the push is for the user of an install (`owner`); absent: it is for the installs, whoever uses them. */
  isMeant: ((owner: number | null) => boolean) | undefined
  /** Milliseconds. */
  now: number
}

/**
 * Reads the recipients of a page and edits the content for each who can receive something, with what is stored about them now: some at a
 * time, because their attributes may be large. Recipients without an edition are left out. Throws `TypeError` when the content cannot be
 * compiled.
 */
export async function editPage(
  { personal: reads, owners }: Pick<DeliveryAreas, 'personal' | 'owners'>,
  edited: EditedPage,
): Promise<{ recipients: PageRecipients; editions: Editions }> {
  const { page, content, platform, memory, isMeant, now } = edited
  const { appId, notificationId, rows } = page
  const compiled = reads.compiled(notificationId, content)
  const { parts, some, readersOf, chainOf } = await startEditing(
    reads,
    { appId, notificationId, content: compiled },
    now,
  )
  const messageOf = (edition: Edition) => ({
    ...edited.envelope,
    content: { ...compiled.contentOf(edition), notificationId },
  })
  const gathered = new GatheredEditions(rows.length, makersOf(edited.sender, messageOf))
  const found: RecipientPerson[] = []
  const passedOn = new Set<number>()
  let slot = 0
  for (const few of some(rows)) {
    const people = await owners.people(appId, few, parts, isMeant && content.inAppMessageId)
    if (isMeant) for (const { row, owner } of people) if (!isMeant(owner)) passedOn.add(row)
    const reached = people.filter((person) => canReceive(person, platform) && !passedOn.has(person.row))
    for (const [i, reader] of (await readersOf(reached)).entries()) {
      while (rows[slot] !== reached[i]!.row) slot++
      gathered.add(slot, compiled.edit(reader, chainOf(reader)))
    }
    for (const person of people) person.attributes = undefined
    found.push(...people)
  }
  const recipients = new PageRecipients(rows, found, platform, { memory, passedOn })
  return { recipients, editions: gathered.finish(recipients) }
}

/** The editions of a page while it is being edited, and who gets none. */
class GatheredEditions {
  readonly #editions: SeveralEditions
  readonly #leftOut: Parameters<PageRecipients['leaveOut']>[] = []
  /** Messages that are too large for the vendor, by key. */
  readonly #refusals = new Map<string, Outcome>()

  constructor(slots: number, makers: EditionMakers) {
    this.#editions = new SeveralEditions(slots, makers)
  }

  /** Adds what a slot gets. */
  add(slot: number, edited: Edited): void {
    if ('missing' in edited) return this.#leaveOut(slot, SLOT.missing_value, edited.missing)
    if ('tooLarge' in edited) return this.#leaveOut(slot, SLOT.payload_error, [TOO_LARGE])
    const isNew = this.#editions.set(slot, edited.key, edited) === 'new'
    const refusal = isNew && edited.mostBytes > SURELY_FITS ? this.#editions.preparedFor(slot).refusal : undefined
    if (refusal) this.#refusals.set(edited.key, refusal)
    const reason = this.#refusals.size > 0 ? this.#refusals.get(edited.key) : undefined
    if (reason) this.#leaveOut(slot, SLOT.payload_error, [reasonOf(reason)])
  }

  #leaveOut(...given: Parameters<PageRecipients['leaveOut']>): void {
    this.#leftOut.push(given)
  }

  /** Leaves out of `recipients` who gets nothing, and returns the others' editions. */
  finish(recipients: PageRecipients): Editions {
    for (const given of this.#leftOut) recipients.leaveOut(...given)
    this.#editions.finish()
    return this.#editions
  }
}

/** The makers of editions. What many have in common is prepared once for each language. */
function makersOf(sender: Sender, messageOf: (edition: Edition) => PushMessage): EditionMakers {
  const prepared = new Map<string | undefined, PreparedMany | undefined>()
  return {
    one: (edition) => sender.prepare(messageOf(edition)),
    many({ language, texts: { length } }) {
      if (!prepared.has(language))
        prepared.set(
          language,
          sender.prepareMany?.((texts) => messageOf({ language, texts }), length),
        )
      return prepared.get(language)
    },
  }
}
