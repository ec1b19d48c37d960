import { BufferMemory } from './buffer-memory.ts'

const NOTHING = Buffer.alloc(0)
const FIRST_BYTES = 16_384
/** UTF-8 needs at most this for a unit of a text. */
const BYTES_OF_UNIT = 3

/** Writes one text that is made of others. */
interface TextsWriter {
  /** The most bytes that `write` writes. */
  mostBytes(texts: readonly string[]): number
  /** Writes from `at` on, and returns the end of it; undefined: there is no such text. */
  write(texts: readonly string[], bytes: Buffer, at: number): number | undefined
}

/**
 * Lists of texts, as bytes side by side. A page lives longer than V8's young generation keeps anything: with objects and texts for
 * each recipient, collecting them took more time than sending to them.
 */
export class KeptTexts {
  #bytes: Buffer
  readonly #memory: BufferMemory
  /** Offset behind each text. */
  readonly #ends: number[] = []
  /** The first text of each list. */
  readonly #starts: number[] = []

  constructor(memory = new BufferMemory()) {
    this.#memory = memory
    this.#bytes = memory.take(FIRST_BYTES)
  }

  /** Keeps a list; lists are numbered from 0. */
  add(texts: readonly string[]): void {
    this.#starts.push(this.#ends.length)
    for (const text of texts) {
      const from = this.#end
      this.#makeRoom(from + text.length * BYTES_OF_UNIT)
      this.#ends.push(from + this.#bytes.write(text, from))
    }
  }

  /** Keeps a list of one text that `writer` makes of `texts`. Returns whether it made one; if not, nothing is kept. */
  addWritten(writer: TextsWriter, texts: readonly string[]): boolean {
    const from = this.#end
    this.#makeRoom(from + writer.mostBytes(texts))
    const end = writer.write(texts, this.#bytes, from)
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
    const larger = this.#memory.take(Math.max(most, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#memory.giveBack(this.#bytes)
    this.#bytes = larger
  }

  /** The bytes in which all lists are; `add` may move them. */
  get bytes(): Buffer {
    return this.#bytes
  }

  /** The place in `bytes` where a list begins. The next one begins where it ends. */
  startOf(list: number): number {
    const from = this.#starts[list] ?? this.#ends.length
    return from === 0 ? 0 : this.#ends[from - 1]!
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

  /** Gives the memory back. Nobody may read a list afterwards. */
  release(): void {
    this.#memory.giveBack(this.#bytes)
    this.#bytes = NOTHING
  }
}
