const SLAB_BYTES = 256 * 1024

/**
 * Collects bytes for a socket in slabs. `take` returns a view that is never written again; the next bytes go behind it. One allocation serves
 * about a thousand requests.
 */
export class ByteWriter {
  /** Read only `[start, end)`; to write, call `reserve`, write at `end`, then advance `end`. */
  bytes: Buffer
  end = 0
  #start = 0

  constructor() {
    this.bytes = Buffer.allocUnsafeSlow(SLAB_BYTES)
  }

  /** Bytes gathered since the last `take`. */
  get size(): number {
    return this.end - this.#start
  }

  /** Where in `bytes` the byte number `offset` since the last `take` is; `reserve` may move it. */
  position(offset: number): number {
    return this.#start + offset
  }

  /** Makes sure that `count` bytes fit behind `end`. */
  reserve(count: number): void {
    if (this.end + count <= this.bytes.length) return
    const slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, (this.size + count) * 2))
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

  /** What was gathered; it must not be changed afterwards. */
  take(): Buffer {
    const taken = this.bytes.subarray(this.#start, this.end)
    this.#start = this.end
    return taken
  }
}
