import type { ByteWriter } from './byte-writer.ts'
import { DEFAULT_TABLE_SIZE, ENTRY_OVERHEAD, STATIC_TABLE } from './hpack-static.ts'
import { decodeHuffman, encodeHuffman } from './huffman.ts'

/** Header compression of HTTP/2 (RFC 7541): `HpackEncoder` for requests, `HpackDecoder` for replies. */

/** The peer's header block is malformed. The tables are out of sync from here on, so the connection must end. */
export class HpackError extends Error {
  override readonly name = 'HpackError'
}

const FIRST_DYNAMIC = STATIC_TABLE.length + 1
/** Maximum number of bytes of an encoded integer: ours stay below 2³². */
const MAX_INTEGER_BYTES = 6

/**
 * Writes an HPACK integer (RFC 7541 section 5.1), which begins in the last `prefixBits` bits of `first`. Reserve 6
 * bytes before.
 */
export function writeInteger(out: ByteWriter, first: number, prefixBits: number, value: number): void {
  const most = (1 << prefixBits) - 1
  if (value < most) return out.byte(first | value)
  out.byte(first | most)
  let rest = value - most
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.byte((rest % 128) | 128)
  out.byte(rest)
}

/** What the encoder knows about one header name. */
interface KnownName {
  name: string
  /** Index in the static table, or 0. */
  staticIndex: number
  staticValues: Map<string, number>
  /** Value in the peer's dynamic table -> number of the insertion that put it there. */
  dynamicValues: Map<string, number>
  /** Insertion number of the newest entry with this name that is still in the table, or 0. */
  newest: number
  /** Values recently sent as literals. One that repeats is added to the table. */
  seen: string[]
  neverIndexed: boolean
  /** For never-indexed names: the last value, and its Huffman code once the value was sent twice in a row. */
  lastValue: string
  lastCoded: Buffer | undefined
}

const VALUES_REMEMBERED = 4
/**
 * Maximum number of names to remember. Fields with further names are sent as literals: nobody sends so many on purpose.
 */
const NAMES_REMEMBERED = 256

/**
 * Writes header blocks. A value that repeats (topic, priority, content type) is added to the peer's table when it is
 * sent the second time; from then on it takes one byte. Values that change with each request (ids) are not added, so
 * they do not evict others; only one is added if the table lacks its name. Fields whose name is listed as never-indexed
 * are sent as literals that no hop may store. If the value stays the same (authorization), it is Huffman-coded once and
 * then copied.
 */
export class HpackEncoder {
  readonly #names = new Map<string, KnownName>()
  readonly #neverIndexed: ReadonlySet<string>
  /** The table's entries are those from the index `oldest` on, the oldest first. */
  #entries: { known: KnownName; value: string; size: number }[] = []
  #oldest = 0
  #inserted = 0
  #size = 0
  #limit = DEFAULT_TABLE_SIZE
  #smallestLimit: number | undefined

  constructor(neverIndexed: readonly string[]) {
    this.#neverIndexed = new Set(neverIndexed)
    STATIC_TABLE.forEach(([name, value], i) => {
      const known = this.#known(name)
      known.staticIndex ||= i + 1
      if (value !== '') known.staticValues.set(value, i + 1)
    })
  }

  /**
   * The peer's SETTINGS_HEADER_TABLE_SIZE. We use at most 4096 bytes of it and say so at the start of the next block.
   */
  setPeerTableSize(bytes: number): void {
    const limit = Math.min(bytes, DEFAULT_TABLE_SIZE)
    if (limit === this.#limit && this.#smallestLimit === undefined) return
    this.#smallestLimit = Math.min(this.#smallestLimit ?? limit, limit)
    this.#limit = limit
    this.#evict(0, this.#smallestLimit)
  }

  /** Starts a header block: announces a changed table size (RFC 7541 section 4.2: the smallest one first). */
  begin(out: ByteWriter): void {
    if (this.#smallestLimit === undefined) return
    out.reserve(2 * MAX_INTEGER_BYTES)
    if (this.#smallestLimit < this.#limit) writeInteger(out, 0x20, 5, this.#smallestLimit)
    writeInteger(out, 0x20, 5, this.#limit)
    this.#smallestLimit = undefined
  }

  /** Writes one field. Both strings must be latin1, and the caller must write pseudo headers first. */
  field(out: ByteWriter, name: string, value: string): void {
    out.reserve(name.length + value.length + 3 * MAX_INTEGER_BYTES)
    const known = this.#known(name)
    if (known.neverIndexed) return this.#neverIndexedField(out, known, value)
    const fixed = known.staticValues.get(value)
    if (fixed !== undefined) return writeInteger(out, 0x80, 7, fixed)
    const insertion = known.dynamicValues.get(value)
    if (insertion !== undefined) return writeInteger(out, 0x80, 7, this.#indexOf(insertion))

    const size = name.length + value.length + ENTRY_OVERHEAD
    const cameBack = known.seen.includes(value)
    // A name without an index is written out in every block, so an entry is worth its space even if the values change.
    const nameless = known.staticIndex === 0 && known.newest === 0 && known.seen.length > 0
    if ((cameBack || nameless) && size <= this.#limit / 2) {
      this.#name(out, 0x40, 6, known)
      this.#coded(out, encodeHuffman(value))
      this.#insert(known, value, size)
      return
    }
    if (!cameBack) {
      known.seen.push(value)
      if (known.seen.length > VALUES_REMEMBERED) known.seen.shift()
    }
    this.#name(out, 0x00, 4, known)
    this.#plain(out, value)
  }

  #neverIndexedField(out: ByteWriter, known: KnownName, value: string): void {
    this.#name(out, 0x10, 4, known)
    if (value !== known.lastValue) {
      known.lastValue = value
      known.lastCoded = undefined
      return this.#plain(out, value)
    }
    this.#coded(out, (known.lastCoded ??= encodeHuffman(value)))
  }

  #name(out: ByteWriter, pattern: number, prefixBits: number, known: KnownName): void {
    const index = known.staticIndex || (known.newest > 0 ? this.#indexOf(known.newest) : 0)
    writeInteger(out, pattern, prefixBits, index)
    if (index === 0) this.#plain(out, known.name)
  }

  #plain(out: ByteWriter, text: string): void {
    writeInteger(out, 0x00, 7, text.length)
    out.latin1(text)
  }

  #coded(out: ByteWriter, huffman: Buffer): void {
    // Rare characters have codes of up to 30 bits, so the coded form can be longer than the reserved text.
    out.reserve(huffman.length + MAX_INTEGER_BYTES)
    writeInteger(out, 0x80, 7, huffman.length)
    out.copy(huffman)
  }

  #known(name: string): KnownName {
    let known = this.#names.get(name)
    if (!known) {
      known = {
        name,
        staticIndex: 0,
        staticValues: new Map(),
        dynamicValues: new Map(),
        newest: 0,
        seen: [],
        neverIndexed: this.#neverIndexed.has(name),
        lastValue: '',
        lastCoded: undefined,
      }
      if (this.#names.size < NAMES_REMEMBERED) this.#names.set(name, known)
    }
    return known
  }

  #indexOf(insertion: number): number {
    return FIRST_DYNAMIC + this.#inserted - insertion
  }

  #insert(known: KnownName, value: string, size: number): void {
    this.#evict(size, this.#limit)
    this.#entries.push({ known, value, size })
    this.#size += size
    this.#inserted++
    known.dynamicValues.set(value, this.#inserted)
    known.newest = this.#inserted
  }

  #evict(room: number, limit: number): void {
    while (this.#size + room > limit) {
      const { known, value, size } = this.#entries[this.#oldest++]!
      this.#size -= size
      const insertion = this.#inserted - (this.#entries.length - this.#oldest)
      known.dynamicValues.delete(value)
      if (known.newest === insertion) known.newest = 0
    }
    if (this.#oldest > 64) {
      this.#entries = this.#entries.slice(this.#oldest)
      this.#oldest = 0
    }
  }
}

/** Reads header blocks; keeps the dynamic table that the peer fills. */
export class HpackDecoder {
  /** True if the last block exceeded `maxListSize`, so that only its beginning was returned. */
  tooLarge = false
  #names: string[] = []
  #values: string[] = []
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

  #nameAt(index: number): string {
    return index < FIRST_DYNAMIC ? this.#staticAt(index)[0] : this.#names[this.#slot(index)]!
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
      this.#oldest = 0
    }
  }
}
