import type { Prepared, PreparedMany } from '../../gateways/gateway.ts'
import { KeptTexts } from './kept-texts.ts'

/** Messages of a page that stay prepared; of more, each is prepared when it is sent. */
const MAX_PREPARED = 64

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

  /**
   * Notes what a slot gets. `key` is equal for equal editions. Returns `new` for the first of an edition that its vendor may find too large,
   * and `known` for all others.
   */
  set(slot: number, key: string, edition: Edition): 'new' | 'known' {
    const isSought = this.#languages.length <= MANY || this.#languages.length < this.#noted * MOST_DISTINCT
    this.#noted++
    const known = isSought ? this.#numbers.get(key) : undefined
    const number = known ?? this.#languages.length
    this.#of[slot] = number
    if (known !== undefined) return 'known'
    if (isSought) this.#numbers.set(key, number)
    this.#languages.push(edition.language)
    const many = number < MAX_PREPARED ? undefined : this.#makers.many(edition)
    const written = many?.write(edition.texts)
    this.#texts.add(written === undefined ? edition.texts : [written])
    this.#many.push(written === undefined ? undefined : many)
    return written === undefined ? 'new' : 'known'
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
    const many = this.#many[number]
    if (many) return many.from(this.#texts.bytesAt(number))
    const prepared = this.#makers.one({ language: this.#languages[number], texts: this.#texts.at(number) })
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
