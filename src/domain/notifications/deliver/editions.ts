import type { Prepared } from '../../gateways/gateway.ts'
import { KeptTexts } from './kept-texts.ts'

/** Messages of a page that stay prepared; of more, each is prepared when it is sent. */
const MAX_PREPARED = 64

/** Where so many editions were made of nearly as many slots, nobody looks for equal ones any more. */
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
export interface Editions {
  /** True when all get the same, so that a message that one can never get cannot be delivered to anybody. */
  readonly isSame: boolean
  /** The message for a slot. */
  preparedFor(slot: number): Prepared
  /** The language of the message for a slot, where there are several. */
  languageOf(slot: number): string | undefined
  /** Slots, ascending, by what they get. */
  split(slots: readonly number[]): Iterable<readonly number[]>
}

/** The same message for everybody. */
export const sameEdition = (prepared: Prepared): Editions => ({
  isSame: true,
  preparedFor: () => prepared,
  languageOf: () => undefined,
  split: (slots) => [slots],
})

/** Messages that differ, by slot. */
export class SeveralEditions implements Editions {
  readonly isSame = false
  readonly #make: (edition: Edition) => Prepared
  readonly #of: Uint16Array
  readonly #texts = new KeptTexts()
  readonly #languages: (string | undefined)[] = []
  /** The number of each edition by its key, while the page is being edited. */
  readonly #numbers = new Map<string, number>()
  /** Slots that were noted. */
  #noted = 0
  readonly #prepared: (Prepared | undefined)[] = []

  /** `slots`: how many the page has. `make` prepares a message. */
  constructor(slots: number, make: (edition: Edition) => Prepared) {
    this.#of = new Uint16Array(slots)
    this.#make = make
  }

  /** Notes what a slot gets. `key` is equal for equal editions. Returns whether it is the first with this one. */
  set(slot: number, key: string, edition: Edition): boolean {
    const isSought = this.#languages.length <= MANY || this.#languages.length < this.#noted * MOST_DISTINCT
    this.#noted++
    const known = isSought ? this.#numbers.get(key) : undefined
    const number = known ?? this.#languages.length
    this.#of[slot] = number
    if (known !== undefined) return false
    if (isSought) this.#numbers.set(key, number)
    this.#languages.push(edition.language)
    this.#texts.add(edition.texts)
    return true
  }

  /** Forgets what only `set` needs. */
  finish(): void {
    this.#numbers.clear()
  }

  preparedFor(slot: number): Prepared {
    const number = this.#of[slot]!
    const known = this.#prepared[number]
    if (known) return known
    const prepared = this.#make({ language: this.#languages[number], texts: this.#texts.at(number) })
    if (this.#languages.length <= MAX_PREPARED) this.#prepared[number] = prepared
    return prepared
  }

  languageOf(slot: number): string | undefined {
    return this.#languages[this.#of[slot]!]
  }

  split(slots: readonly number[]): Iterable<readonly number[]> {
    return Map.groupBy(slots, (slot) => this.#of[slot]!).values()
  }
}
