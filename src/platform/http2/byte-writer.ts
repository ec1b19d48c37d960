const SLAB_BYTES = 256 * 1024

/**
 * Collects bytes for a socket in large buffers (slabs). `take` returns a view of the bytes collected so far, which are
 * not overwritten until `restart`: the next bytes follow them.
 */
export class ByteWriter {
  /** Read only `[start, end)`; to write, call `reserve`, write at `end`, then advance `end`. */
  bytes: Buffer
  end = 0
  #start = 0
  readonly #slabBytes: number

  constructor(slabBytes = SLAB_BYTES) {
    this.#slabBytes = slabBytes
    this.bytes = Buffer.allocUnsafeSlow(slabBytes)
  }

  /** Bytes gathered since the last `take`. */
  get size(): number {
    return this.end - this.#start
  }

  /** The index in `bytes` of the byte that is `offset` bytes after the last `take`. `reserve` may change it. */
  position(offset: number): number {
    return this.#start + offset
  }

  /** Drops all but the first `size` bytes since the last `take`. */
  rewind(size: number): void {
    this.end = this.#start + size
  }

  /** Makes sure that `count` bytes fit after `end`. */
  reserve(count: number): void {
    if (this.end + count <= this.bytes.length) return
    const slab = Buffer.allocUnsafeSlow(Math.max(this.#slabBytes, (this.size + count) * 2))
    this.bytes.copy(slab, 0, this.#start, this.end)
    this.end = this.size
    this.#start = 0
    this.bytes = slab
  }

  byte(value: number): void {
    this.bytes[this.end++] = value
  }

  uint32(value: number): void {
    this.end = this.bytes.writeUInt32BE(value, this.end)
  }

  /** Copies bytes in; `from` and `to` choose a part. */
  copy(source: Buffer, from = 0, to = source.length): void {
    this.end += source.copy(this.bytes, this.end, from, to)
  }

  latin1(text: string): void {
    this.end += this.bytes.write(text, this.end, 'latin1')
  }

  /** Reserve three bytes for each character before. */
  utf8(text: string): void {
    this.end += this.bytes.write(text, this.end, 'utf8')
  }

  /** Uses the slab from its beginning again, unless bytes are gathered in it. Nobody may read what was taken before. */
  restart(): void {
    if (this.size > 0) return
    this.end = 0
    this.#start = 0
  }

  /** Returns the bytes gathered since the last `take`. The caller must not change them. */
  take(): Buffer {
    const taken = this.bytes.subarray(this.#start, this.end)
    this.#start = this.end
    return taken
  }
}
