import type { Prepared, PreparedMany } from '../../gateways/gateway.ts'
import { keyOf } from '../personal/compiled-content.ts'
import { KeptTexts } from './kept-texts.ts'

/** Messages of a page that stay prepared; of more, each is prepared when it is sent. */
const MAX_PREPARED = 64
/** Messages of a page that are prepared by themselves: to find what they have in common takes as long as to prepare half a dozen. */
const ALONE = 8

/** Number of editions after which equal ones are no longer looked for, if nearly every slot had an edition of its own. */
const MANY = 128
const MOST_DISTINCT = 0.9

/** A message that some recipients of a page get: its language, and its texts. */
export interface Edition {
  /** The tag of a variant; undefined for the default content. */
  language: string | undefined
  /** The texts that differ between recipients. */
  texts: readonly string[]
}

/** The messages for the recipients of a page: mostly one, or several where their texts differ. */
export type Editions = SameEdition | SeveralEditions

/** The same message for everybody. */
export interface SameEdition {
  /** True when all get the same, so that a message that one can never get cannot be delivered to anybody. */
  readonly isSame: true
  /** The message for a slot. */
  preparedFor(slot: number): Prepared
  /** The language of the message for a slot, where there are several. */
  languageOf(slot: number): string | undefined
}

export const sameEdition = (prepared: Prepared): SameEdition => ({
  isSame: true,
  preparedFor: () => prepared,
  languageOf: () => undefined,
})

/** The ways to prepare editions. */
export interface EditionMakers {
  one(edition: Edition): Prepared
  /** The parts that editions like this one have in common; undefined where each has to be prepared by itself. */
  many(edition: Edition): PreparedMany | undefined
}

/** Messages that differ, by slot. */
export class SeveralEditions {
  readonly isSame = false
  readonly #makers: EditionMakers
  readonly #of: Uint16Array
  /** The texts of each edition; of one that is among many, what is sent. */
  readonly #texts = new KeptTexts()
  readonly #languages: (string | undefined)[] = []
  /** The parts that an edition has in common with others, where it is among many. */
  readonly #many: (PreparedMany | undefined)[] = []
  /** The number of each edition by its key, while the page is being edited. */
  readonly #numbers = new Map<string, number>()
  /** Slots that were noted. */
  #noted = 0
  readonly #prepared: (Prepared | undefined)[] = []

  /** `slots`: how many the page has. */
  constructor(slots: number, makers: EditionMakers) {
    this.#of = new Uint16Array(slots)
    this.#makers = makers
  }

  /** Notes what a slot gets. Returns `new` for the first of an edition that its vendor may find too large, and `known` for all others. */
  set(slot: number, edition: Edition): 'new' | 'known' {
    const isSought = this.#languages.length <= MANY || this.#languages.length < this.#noted * MOST_DISTINCT
    this.#noted++
    const key = isSought ? keyOf(edition) : undefined
    const known = key === undefined ? undefined : this.#numbers.get(key)
    const number = known ?? this.#languages.length
    this.#of[slot] = number
    if (known !== undefined) return 'known'
    if (key !== undefined) this.#numbers.set(key, number)
    this.#languages.push(edition.language)
    const many = number < ALONE ? undefined : this.#makers.many(edition)
    const { texts } = edition
    const isWritten =
      many !== undefined && this.#texts.addWritten(many.mostBytes(texts), (bytes, at) => many.write(texts, bytes, at))
    if (!isWritten) this.#texts.add(texts)
    this.#many.push(isWritten ? many : undefined)
    return isWritten ? 'known' : 'new'
  }

  /** Notes that a slot gets what another one gets. */
  repeat(slot: number, as: number): void {
    this.#noted++
    this.#of[slot] = this.#of[as]!
  }

  /** Forgets what only `set` needs. */
  finish(): void {
    this.#numbers.clear()
  }

  /** The message for a slot. */
  preparedFor(slot: number): Prepared {
    const number = this.#of[slot]!
    const known = this.#prepared[number]
    if (known) return known
    const prepared =
      this.#many[number]?.from(...this.#texts.placeOf(number)) ??
      this.#makers.one({ language: this.#languages[number], texts: this.#texts.at(number) })
    if (this.#languages.length <= MAX_PREPARED) this.#prepared[number] = prepared
    return prepared
  }

  /** The language of the message for a slot; undefined for the default content. */
  languageOf(slot: number): string | undefined {
    return this.#languages[this.#of[slot]!]
  }

  /** Slots, ascending, by what they get. */
  split(slots: readonly number[]): Iterable<readonly number[]> {
    return Map.groupBy(slots, (slot) => this.#of[slot]!).values()
  }
}
