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
    if (length > this.left) throw new PictureProblem(TOO_SHORT)
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  byte(): number {
    return this.take(1)[0]!
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

  /** Skips to the next byte `value`, which is read next. Throws `PictureProblem` when there is none. */
  seek(value: number): Buffer {
    const found = this.#bytes.indexOf(value, this.#at)
    if (found < 0) throw new PictureProblem(TOO_SHORT)
    return this.take(found - this.#at)
  }
}
