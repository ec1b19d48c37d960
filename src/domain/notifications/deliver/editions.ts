import type { Prepared, PreparedMany } from '../../gateways/gateway.ts'
import { keyOf } from '../personal/compiled-content.ts'
import type { BufferMemory } from './buffer-memory.ts'
import { KeptTexts } from './kept-texts.ts'

/** Messages of a page that stay prepared; of more, each is prepared when it is sent. */
const MAX_PREPARED = 64
/** Messages of a page that are prepared by themselves: to find what they have in common takes as long as to prepare half a dozen. */
const ALONE = 8

/** Number of different ones before which `nearlyAllDiffer` does not judge. */
const MANY = 128
const MOST_DISTINCT = 0.9

/** Tells whether equal ones need no longer be looked for: `distinct` were found among `noted`, which are many and nearly all. */
export const nearlyAllDiffer = (distinct: number, noted: number): boolean =>
  distinct > MANY && distinct >= noted * MOST_DISTINCT

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
  /** Gives back the memory of messages that differ. */
  release(): void
}

/** The languages of the messages of a page. */
export interface SlotLanguages {
  /** The tag of each language that somebody gets; undefined, which comes first, for the default content. */
  readonly languages: readonly (string | undefined)[]
  /** The place in `languages` of that of a slot. */
  languageOf(slot: number): number
}

export const sameEdition = (prepared: Prepared): SameEdition => ({
  isSame: true,
  preparedFor: () => prepared,
  release: () => {},
})

/** The ways to prepare editions. */
export interface EditionMakers {
  one(edition: Edition): Prepared
  /** The parts that editions like this one have in common; undefined where each has to be prepared by itself. Asked once for a language. */
  many(edition: Edition): PreparedMany | undefined
}

/** Messages that differ, by slot. */
export class SeveralEditions implements SlotLanguages {
  readonly isSame = false
  readonly languages: (string | undefined)[] = [undefined]
  readonly #makers: EditionMakers
  readonly #of: Uint16Array
  /** Number of editions. */
  #count = 0
  /** The texts of each edition; of one that is among many, what is sent. */
  readonly #texts: KeptTexts
  /** The place in `languages` of that of each edition. */
  readonly #languageOf: Uint8Array
  /** 1 for an edition that is among many. */
  readonly #isWritten: Uint8Array
  /** The parts that editions have in common, by language; null where there are none. */
  readonly #many: (PreparedMany | null | undefined)[] = []
  /** The number of each edition by its key, while the page is being edited. */
  readonly #numbers = new Map<string, number>()
  /** Slots that were noted. */
  #noted = 0
  readonly #prepared: (Prepared | undefined)[] = []
  /** The last edition that was prepared. */
  #lastNumber = -1
  #last: Prepared | undefined

  /** `slots`: how many the page has. */
  constructor(slots: number, makers: EditionMakers, memory?: BufferMemory) {
    this.#of = new Uint16Array(slots)
    this.#languageOf = new Uint8Array(slots)
    this.#isWritten = new Uint8Array(slots)
    this.#texts = new KeptTexts(memory)
    this.#makers = makers
  }

  /** Notes what a slot gets. Returns `new` for the first of an edition that its vendor may find too large, and `known` for all others. */
  set(slot: number, edition: Edition): 'new' | 'known' {
    const number = this.#count
    const key = nearlyAllDiffer(number, this.#noted) ? undefined : keyOf(edition)
    this.#noted++
    const known = key === undefined ? undefined : this.#numbers.get(key)
    this.#of[slot] = known ?? number
    if (known !== undefined) return 'known'
    if (key !== undefined) this.#numbers.set(key, number)
    this.#count++
    const language = this.#numberOf(edition.language)
    this.#languageOf[number] = language
    const many = number < ALONE ? undefined : this.#manyOf(language, edition)
    const { texts } = edition
    if (many && this.#texts.addWritten(many, texts)) {
      this.#isWritten[number] = 1
      return 'known'
    }
    this.#texts.add(texts)
    return 'new'
  }

  #manyOf(language: number, edition: Edition): PreparedMany | null {
    const known = this.#many[language]
    if (known !== undefined) return known
    return (this.#many[language] = this.#makers.many(edition) ?? null)
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
    // A sender asks for the headers of a message, and then for its body.
    if (this.#lastNumber === number) return this.#last!
    const language = this.#languageOf[number]!
    const prepared =
      this.#isWritten[number] === 1
        ? this.#many[language]!.from(this.#texts.bytes, this.#texts.startOf(number), this.#texts.startOf(number + 1))
        : this.#makers.one({ language: this.languages[language], texts: this.#texts.at(number) })
    if (this.#count <= MAX_PREPARED) this.#prepared[number] = prepared
    this.#lastNumber = number
    this.#last = prepared
    return prepared
  }

  languageOf(slot: number): number {
    return this.#languageOf[this.#of[slot]!]!
  }

  #numberOf(language: string | undefined): number {
    if (language === undefined) return 0
    const known = this.languages.indexOf(language)
    return known >= 0 ? known : this.languages.push(language) - 1
  }

  /** Slots, ascending, by what they get. */
  split(slots: readonly number[]): Iterable<readonly number[]> {
    return Map.groupBy(slots, (slot) => this.#of[slot]!).values()
  }

  /** Gives the memory of the messages back. Nobody may ask for one afterwards, or send one. */
  release(): void {
    this.#lastNumber = -1
    this.#last = undefined
    this.#texts.release()
  }
}
