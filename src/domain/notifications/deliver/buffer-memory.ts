/** Memory for the tokens and messages of pages, used again by the pages of one lane. It is outside of V8's heap. */
export class BufferMemory {
  readonly #spare: Buffer[] = []

  take(bytes: number): Buffer {
    const spare = this.#spare.pop()
    return spare && spare.length >= bytes ? spare : Buffer.allocUnsafeSlow(bytes)
  }

  giveBack(buffer: Buffer): void {
    this.#spare.push(buffer)
  }
}
