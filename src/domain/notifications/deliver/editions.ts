import type { Prepared } from '../../gateways/gateway.ts'

/** Slots of a page whose recipients get the same message. */
export interface EditionSlots {
  prepared: Prepared
  slots: readonly number[]
}

/** What the recipients of a page get: mostly one message, or several where their texts differ. */
export class Editions {
  readonly #prepared: readonly Prepared[]
  /** The edition of each slot; undefined when all have the same. */
  readonly #of: Uint16Array | undefined
  readonly #languages: readonly (string | undefined)[]

  private constructor(
    prepared: readonly Prepared[],
    of: Uint16Array | undefined,
    languages: readonly (string | undefined)[],
  ) {
    this.#prepared = prepared
    this.#of = of
    this.#languages = languages
  }

  /** The same message for everybody. */
  static same(prepared: Prepared): Editions {
    return new Editions([prepared], undefined, [undefined])
  }

  /** `of`: the index in `editions` of each slot; the value for slots that get nothing does not matter. */
  static several(editions: readonly { prepared: Prepared; language: string | undefined }[], of: Uint16Array): Editions {
    return new Editions(
      editions.map(({ prepared }) => prepared),
      of,
      editions.map(({ language }) => language),
    )
  }

  /** Whether a message that cannot be delivered to one recipient cannot be delivered to any of the notification. */
  get isSame(): boolean {
    return this.#of === undefined
  }

  /** The language of the message in which a slot gets it; undefined where the content has only one. */
  languageOf(slot: number): string | undefined {
    return this.#languages[this.#of?.[slot] ?? 0]
  }

  /** Slots, ascending, by what they get. */
  split(slots: readonly number[]): EditionSlots[] {
    const of = this.#of
    if (!of) return [{ prepared: this.#prepared[0]!, slots }]
    const bySlot = Map.groupBy(slots, (slot) => of[slot]!)
    return [...bySlot].map(([edition, some]) => ({ prepared: this.#prepared[edition]!, slots: some }))
  }
}
