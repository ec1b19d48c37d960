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
      const from = this.#ends.at(-1) ?? 0
      const most = from + text.length * BYTES_OF_UNIT
      if (most > this.#bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(most, this.#bytes.length * 2))
        this.#bytes.copy(larger, 0, 0, from)
        this.#bytes = larger
      }
      this.#ends.push(from + this.#bytes.write(text, from))
    }
  }

  /** The bytes of a list. They never change, but `add` may move what is added later. */
  bytesAt(list: number): Buffer {
    const [from, to] = [this.#starts[list]!, this.#starts[list + 1] ?? this.#ends.length]
    return this.#bytes.subarray(from === 0 ? 0 : this.#ends[from - 1], this.#ends[to - 1])
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
