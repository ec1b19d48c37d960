import { readObject } from '../../../platform/json/json.ts'
import type { Outcome, PushMessage, Sender } from '../../gateways/gateway.ts'
import type { Person } from '../../personalization/people/people.repository.ts'
import type { PickedAttributes } from '../../personalization/people/picked-attributes.ts'
import { type Edited, keyOf } from '../personal/compiled-content.ts'
import { startEditing } from '../personal/edit-page.ts'
import { SLOT } from '../record/page.ts'
import type { Page } from '../record/page-rows.ts'
import { SURELY_FITS } from '../request/content-size.ts'
import type { StoredContent } from '../types.ts'
import type { BufferMemory } from './buffer-memory.ts'
import type { DeliveryAreas } from './delivery-parts.ts'
import { type Edition, type EditionMakers, type Editions, nearlyAllDiffer, SeveralEditions } from './editions.ts'
import type { RecipientPerson } from './owners.repository.ts'
import { PageRecipients } from './page-recipients.ts'

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
  memory: BufferMemory | undefined
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
  const editing = await startEditing(reads, { appId, notificationId, content: compiled }, now)
  const { parts, attributes, some, eachReader } = editing
  const messageOf = (edition: Edition) => ({
    ...edited.envelope,
    content: { ...compiled.contentOf(edition), notificationId },
  })
  const gathered = new GatheredEditions(rows.length, makersOf(edited.sender, messageOf), memory)
  const passedOn = new Set<number>()
  const recipients = new PageRecipients(rows, undefined, platform, { memory, passedOn })
  const alike = new AlikePeople(editing.isShared && !compiled.habits.differ)
  let slot = 0
  let end = 0
  for (const few of some(rows)) {
    end += few.length
    const hasOwner = isMeant !== undefined
    const messageId = isMeant && content.inAppMessageId
    const people = await owners.people(appId, few, parts, { hasOwner, messageId })
    if (isMeant) for (const { row, owner } of people) if (!isMeant(owner ?? null)) passedOn.add(row)
    // Those who are like nobody before them.
    const fresh: Person[] = []
    const slots: number[] = []
    for (const person of people) {
      if (!recipients.isReached(person)) continue
      while (rows[slot] !== person.row) slot++
      const { attributes: text } = person
      const picked = attributes && alike.isSought && typeof text === 'string' ? attributes.pick(text) : undefined
      if (alike.note(slot, person, picked)) continue
      if (typeof text === 'string') person.attributes = readAttributes(text, picked, attributes)
      fresh.push(person as Person)
      slots.push(slot)
    }
    await eachReader(fresh, (i, reader, chain) => gathered.add(slots[i]!, compiled.edit(reader, chain)))
    alike.each((alikeSlot, first) => gathered.repeat(alikeSlot, first))
    recipients.add(people, end)
  }
  if (alike.wereFew) compiled.habits.differ = true
  return { recipients, editions: gathered.finish(recipients) }
}

/** The attributes in a JSON text; where some are picked, only these. `picked`: those of this text, where they were picked already. */
function readAttributes(text: string, picked: string | undefined, attributes: PickedAttributes | undefined) {
  if (!attributes) return readObject(text)
  return picked === undefined ? attributes.readFrom(text) : attributes.read(picked)
}

/** Finds the recipients of a page of whom the content reads the same. */
class AlikePeople {
  readonly #isShared: boolean
  /** The first slot of those who are alike. */
  readonly #first = new Map<string, number>()
  #noted = 0
  /** Slots, each followed by the one that it is like. */
  #pairs: number[] = []

  /** `isShared` as of `Editing`. */
  constructor(isShared: boolean) {
    this.#isShared = isShared
  }

  /** Tells whether alike people are still looked for: not where nearly everybody differs. */
  get isSought(): boolean {
    return this.#isShared && !this.wereFew
  }

  /** Tells whether nearly everybody who was noted differs. */
  get wereFew(): boolean {
    return nearlyAllDiffer(this.#first.size, this.#noted)
  }

  /** Notes a recipient. `picked`: the attributes that are read. Returns whether somebody before them is alike. */
  note(slot: number, { attributes, locale }: RecipientPerson, picked: string | undefined): boolean {
    if ((attributes !== undefined && picked === undefined) || !this.isSought) return false
    this.#noted++
    const key = picked === undefined ? (locale ?? '') : locale === undefined ? picked : `${locale ?? ''}|${picked}`
    const first = this.#first.get(key)
    if (first === undefined) this.#first.set(key, slot)
    else this.#pairs.push(slot, first)
    return first !== undefined
  }

  /** Calls `repeat` for all who were found alike since the last call, and the slot that they are like. */
  each(repeat: (slot: number, first: number) => void): void {
    for (let i = 0; i < this.#pairs.length; i += 2) repeat(this.#pairs[i]!, this.#pairs[i + 1]!)
    this.#pairs = []
  }
}

/** The editions of a page while it is being edited, and who gets none. */
class GatheredEditions {
  readonly #editions: SeveralEditions
  readonly #leftOut = new Map<number, { outcome: number; words: readonly string[] }>()
  /** Messages that are too large for the vendor, by key. */
  readonly #refusals = new Map<string, Outcome>()

  constructor(slots: number, makers: EditionMakers, memory: BufferMemory | undefined) {
    this.#editions = new SeveralEditions(slots, makers, memory)
  }

  /** Adds what a slot gets. */
  add(slot: number, edited: Edited): void {
    if ('missing' in edited) return this.#leaveOut(slot, SLOT.missing_value, edited.missing)
    if ('tooLarge' in edited) return this.#leaveOut(slot, SLOT.payload_error, [TOO_LARGE])
    const isNew = this.#editions.set(slot, edited) === 'new'
    const refusal = isNew && edited.mostBytes > SURELY_FITS ? this.#editions.preparedFor(slot).refusal : undefined
    if (refusal) this.#refusals.set(keyOf(edited), refusal)
    const reason = this.#refusals.size > 0 ? this.#refusals.get(keyOf(edited)) : undefined
    if (reason) this.#leaveOut(slot, SLOT.payload_error, [reasonOf(reason)])
  }

  /** Adds that a slot gets what another one gets, or nothing for the same reason. */
  repeat(slot: number, as: number): void {
    const leftOut = this.#leftOut.size > 0 ? this.#leftOut.get(as) : undefined
    if (leftOut) this.#leftOut.set(slot, leftOut)
    else this.#editions.repeat(slot, as)
  }

  #leaveOut(slot: number, outcome: number, words: readonly string[]): void {
    this.#leftOut.set(slot, { outcome, words })
  }

  /** Leaves out of `recipients` who gets nothing, and returns the others' editions. */
  finish(recipients: PageRecipients): Editions {
    for (const [slot, { outcome, words }] of this.#leftOut) recipients.leaveOut(slot, outcome, words)
    this.#editions.finish()
    return this.#editions
  }
}

/** Makes the makers of editions of a sender. */
function makersOf(sender: Sender, messageOf: (edition: Edition) => PushMessage): EditionMakers {
  return {
    one: (edition) => sender.prepare(messageOf(edition)),
    many: ({ language, texts: { length } }) => sender.prepareMany?.((texts) => messageOf({ language, texts }), length),
  }
}
