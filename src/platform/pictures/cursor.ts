import { PictureProblem } from './types.ts'

const TOO_SHORT = 'ends too early: it was not sent whole, or its lengths are wrong'

/** Reads the bytes of a file one after another, and never past their end. */
export class Cursor {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** The next `length` bytes. Throws `PictureProblem` when there are fewer. */
  take(length: number): Buffer {
    return this.passed(() => this.skip(length))
  }

  /** The bytes that `read` passes over, as one piece of the file: made of small ones they would take many times their size. */
  passed(read: () => void): Buffer {
    const start = this.#at
    read()
    return this.#bytes.subarray(start, this.#at)
  }

  /** The next byte. Throws `PictureProblem` when there is none. */
  byte(): number {
    const value = this.peek(0)
    this.#at++
    return value
  }

  /** The byte `ahead` of the next one, without reading it. Throws `PictureProblem` when there is none. */
  peek(ahead: number): number {
    if (ahead >= this.left) throw new PictureProblem(TOO_SHORT)
    return this.#bytes[this.#at + ahead]!
  }

  /** The next `length` bytes as Latin-1. */
  name(length: number): string {
    return this.take(length).toString('latin1')
  }

  /** Skips `length` bytes. Throws `PictureProblem` when there are fewer. */
  skip(length: number): void {
    if (length > this.left) throw new PictureProblem(TOO_SHORT)
    this.#at += length
  }

  /** Skips to the next byte `value`, which is read next. Throws `PictureProblem` when there is none. */
  seek(value: number): void {
    const found = this.#bytes.indexOf(value, this.#at)
    if (found < 0) throw new PictureProblem(TOO_SHORT)
    this.#at = found
  }
}
