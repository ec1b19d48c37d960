const FIRST_BYTES = 16_384
/** UTF-8 needs at most this for a unit of a text. */
const BYTES_OF_UNIT = 3

/**
 * Lists of texts, as bytes side by side. A page lives longer than V8's young generation keeps anything: with objects and texts for
 * each recipient, collecting them took more time than sending to them.
 */
export class KeptTexts {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  /** Offset behind each text. */
  readonly #ends: number[] = []
  /** The first text of each list. */
  readonly #starts: number[] = []

  /** Keeps a list; lists are numbered from 0. */
  add(texts: readonly string[]): void {
    this.#starts.push(this.#ends.length)
    for (const text of texts) {
      const from = this.#end
      this.#makeRoom(from + text.length * BYTES_OF_UNIT)
      this.#ends.push(from + this.#bytes.write(text, from))
    }
  }

  /**
   * Keeps a list of one text, of at most `most` bytes, which `write` writes from `at` on. It returns the end of it; undefined: there is
   * none, and nothing is kept. Returns whether it was.
   */
  addWritten(most: number, write: (bytes: Buffer, at: number) => number | undefined): boolean {
    this.#makeRoom(this.#end + most)
    const end = write(this.#bytes, this.#end)
    if (end === undefined) return false
    this.#starts.push(this.#ends.length)
    this.#ends.push(end)
    return true
  }

  get #end(): number {
    return this.#ends.at(-1) ?? 0
  }

  #makeRoom(most: number): void {
    if (most <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(most, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }

  /** The bytes of a list: where they begin and end in a buffer. They never change, but `add` may move what is added later. */
  placeOf(list: number): [bytes: Buffer, from: number, to: number] {
    const from = this.#starts[list]!
    const to = this.#starts[list + 1] ?? this.#ends.length
    return [this.#bytes, from === 0 ? 0 : this.#ends[from - 1]!, to === 0 ? 0 : this.#ends[to - 1]!]
  }

  /** A list. */
  at(list: number): string[] {
    const texts: string[] = []
    const end = this.#starts[list + 1] ?? this.#ends.length
    for (let i = this.#starts[list]!; i < end; i++) {
      texts.push(this.#bytes.toString('utf8', i === 0 ? 0 : this.#ends[i - 1], this.#ends[i]))
    }
    return texts
  }
}
