import { ENTRY_OVERHEAD, FIRST_DYNAMIC, STATIC_TABLE } from './hpack-static.ts'
import { decodeHuffman } from './huffman.ts'

/** Header compression of replies (RFC 7541). */

/** The peer's header block is malformed. The tables are out of sync from here on, so the connection must end. */
export class HpackError extends Error {
  override readonly name = 'HpackError'
}

/** Size of `:status: 200` in a header list. */
const STATUS_BYTES = ':status'.length + '200'.length + ENTRY_OVERHEAD
const NOT_LENGTH = -1
const BAD_NAME = -2

function factOf(name: string, value: string): number {
  if (name === 'content-length') return /^\d+$/.test(value) ? Number(value) : NOT_LENGTH
  return isReplyHeader(name) ? NOT_LENGTH : BAD_NAME
}

/** Tells whether a reply may have a header of this name (RFC 9113 section 8.2): lower case, and no pseudo header. */
export const isReplyHeader = (name: string): boolean => /^[^:A-Z][^A-Z]*$/.test(name)

const STATIC_FACTS = STATIC_TABLE.map(([name, value]) => factOf(name, value))

/** Reads header blocks; keeps the dynamic table that the peer fills. */
export class HpackDecoder {
  /** True if the last block exceeded `maxListSize`, so that only its beginning was returned. */
  tooLarge = false
  /** The value of `content-length` after `skim`, or -1. */
  contentLength = -1
  #names: string[] = []
  #values: string[] = []
  /** The fact that `skim` needs of each entry: its `content-length`, or NOT_LENGTH, or BAD_NAME. */
  #facts: number[] = []
  #oldest = 0
  #size = 0
  #limit: number
  readonly #maxTableSize: number
  readonly #maxListSize: number
  #at = 0

  /**
   * `maxTableSize`: what our SETTINGS allow. `maxListSize`: maximum bytes of one decoded block, counted as in RFC 9113
   * section 6.5.2.
   */
  constructor(maxTableSize: number, maxListSize: number) {
    this.#maxTableSize = maxTableSize
    this.#limit = maxTableSize
    this.#maxListSize = maxListSize
  }

  /** Bytes in use in the dynamic table. */
  get tableSize(): number {
    return this.#size
  }

  /**
   * Decodes the block `bytes[start, end)` to name, value, name, value... (latin1). Throws `HpackError` when it is
   * malformed. A block over the list limit is still read to its end, because later blocks may refer to the entries that
   * it adds to the table.
   */
  decode(bytes: Buffer, start: number, end: number): string[] {
    const fields: string[] = []
    let left = this.#maxListSize
    let resizable = true
    this.#at = start
    while (this.#at < end) {
      const first = bytes[this.#at]!
      let name: string
      let value: string
      if (first >= 0x80) {
        const index = this.#integer(bytes, end, 7)
        name = this.#nameAt(index)
        value = this.#valueAt(index)
      } else if ((first & 0xe0) === 0x20) {
        if (!resizable) throw new HpackError('a table size update comes after a header field')
        this.#resize(this.#integer(bytes, end, 5))
        continue
      } else {
        const stored = first >= 0x40
        const index = this.#integer(bytes, end, stored ? 6 : 4)
        name = index === 0 ? this.#string(bytes, end) : this.#nameAt(index)
        value = this.#string(bytes, end)
        if (stored) this.#store(name, value)
      }
      resizable = false
      left -= name.length + value.length + ENTRY_OVERHEAD
      if (left >= 0) fields.push(name, value)
    }
    this.tooLarge = left < 0
    return fields
  }

  /**
   * Reads a block that begins with `:status: 200` when only that and its `content-length` matter: keeps the table as
   * `decode` does, and makes no texts of what is not stored. Returns what is wrong with the head, if anything. Throws
   * `HpackError`.
   */
  skim(bytes: Buffer, start: number, end: number): string | undefined {
    let left = this.#maxListSize - STATUS_BYTES
    let flaw: string | undefined
    this.contentLength = -1
    this.#at = start + 1
    while (this.#at < end) {
      const first = bytes[this.#at]!
      const from = this.#at
      let fact: number
      if (first >= 0x80) {
        const index = this.#integer(bytes, end, 7)
        if (index < FIRST_DYNAMIC) {
          this.#staticAt(index)
          fact = STATIC_FACTS[index - 1]!
          left -= ENTRY_OVERHEAD
        } else {
          const slot = this.#slot(index)
          fact = this.#facts[slot]!
          left -= this.#names[slot]!.length + this.#values[slot]!.length + ENTRY_OVERHEAD
        }
      } else if ((first & 0xe0) === 0x20) {
        throw new HpackError('a table size update comes after a header field')
      } else {
        const stored = first >= 0x40
        const index = this.#integer(bytes, end, stored ? 6 : 4)
        const name = index === 0 ? this.#string(bytes, end) : this.#nameAt(index)
        if (stored || name === 'content-length') {
          const value = this.#string(bytes, end)
          fact = factOf(name, value)
          if (stored) this.#store(name, value)
        } else {
          fact = index === 0 ? factOf(name, '') : this.#nameFactAt(index)
          this.#skipString(bytes, end)
        }
        left -= name.length + this.#at - from + ENTRY_OVERHEAD
      }
      if (fact >= 0) this.contentLength = fact
      else if (fact === BAD_NAME) flaw = 'a header of the reply has a name that none may have'
    }
    this.tooLarge = left < 0
    return flaw
  }

  #integer(bytes: Buffer, end: number, prefixBits: number): number {
    const most = (1 << prefixBits) - 1
    let value = bytes[this.#at++]! & most
    if (value < most) return value
    for (let shift = 0; ; shift += 7) {
      if (this.#at >= end) throw new HpackError('the block ends inside an integer')
      if (shift > 21) throw new HpackError('an integer is too large')
      const byte = bytes[this.#at++]!
      value += (byte & 127) << shift
      if (byte < 128) return value
    }
  }

  #string(bytes: Buffer, end: number): string {
    if (this.#at >= end) throw new HpackError('the block ends before a string')
    const huffman = bytes[this.#at]! >= 0x80
    const length = this.#integer(bytes, end, 7)
    const from = this.#at
    if (length > end - from) throw new HpackError('the block ends inside a string')
    this.#at += length
    if (!huffman) return bytes.toString('latin1', from, this.#at)
    const text = decodeHuffman(bytes, from, this.#at)
    if (text === undefined) throw new HpackError('a string is not valid Huffman code')
    return text
  }

  #skipString(bytes: Buffer, end: number): void {
    if (this.#at >= end) throw new HpackError('the block ends before a string')
    const length = this.#integer(bytes, end, 7)
    if (length > end - this.#at) throw new HpackError('the block ends inside a string')
    this.#at += length
  }

  #nameAt(index: number): string {
    return index < FIRST_DYNAMIC ? this.#staticAt(index)[0] : this.#names[this.#slot(index)]!
  }

  #nameFactAt(index: number): number {
    const fact = index < FIRST_DYNAMIC ? STATIC_FACTS[index - 1]! : this.#facts[this.#slot(index)]!
    return Math.min(fact, NOT_LENGTH)
  }

  #valueAt(index: number): string {
    return index < FIRST_DYNAMIC ? this.#staticAt(index)[1] : this.#values[this.#slot(index)]!
  }

  #staticAt(index: number): readonly [string, string] {
    if (index === 0) throw new HpackError('index 0 is not an entry')
    return STATIC_TABLE[index - 1]!
  }

  #slot(index: number): number {
    const slot = this.#names.length - 1 - (index - FIRST_DYNAMIC)
    if (slot < this.#oldest) throw new HpackError(`there is no table entry ${index}`)
    return slot
  }

  #resize(bytes: number): void {
    if (bytes > this.#maxTableSize) throw new HpackError(`a table of ${bytes} bytes exceeds our limit`)
    this.#limit = bytes
    this.#evict(0)
  }

  #store(name: string, value: string): void {
    const size = name.length + value.length + ENTRY_OVERHEAD
    this.#evict(size)
    // An entry larger than the table empties it and is not stored (RFC 7541 section 4.4).
    if (size > this.#limit) return
    this.#names.push(name)
    this.#values.push(value)
    this.#facts.push(factOf(name, value))
    this.#size += size
  }

  #evict(room: number): void {
    while (this.#size + room > this.#limit && this.#oldest < this.#names.length) {
      this.#size -= this.#names[this.#oldest]!.length + this.#values[this.#oldest]!.length + ENTRY_OVERHEAD
      this.#oldest++
    }
    if (this.#oldest > 256) {
      this.#names = this.#names.slice(this.#oldest)
      this.#values = this.#values.slice(this.#oldest)
      this.#facts = this.#facts.slice(this.#oldest)
      this.#oldest = 0
    }
  }
}
