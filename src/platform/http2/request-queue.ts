import type { Batch } from './types.ts'

const FIRST_SIZE = 64

/** Requests that wait, in order: a ring that grows, without an object for each. */
export class RequestQueue {
  #batches: (Batch | undefined)[] = Array.from({ length: FIRST_SIZE })
  #indices = new Int32Array(FIRST_SIZE)
  #since = new Float64Array(FIRST_SIZE)
  #head = 0
  size = 0

  /** Adds a request; `since` is the monotonic time (ms) when it began to wait. */
  push(batch: Batch, index: number, since: number): void {
    if (this.size === this.#batches.length) this.#grow()
    const at = (this.#head + this.size) & (this.#batches.length - 1)
    this.#batches[at] = batch
    this.#indices[at] = index
    this.#since[at] = since
    this.size++
  }

  /** The batch of the first request; call only while `size` is above 0. So for the other parts. */
  get batch(): Batch {
    return this.#batches[this.#head]!
  }

  get index(): number {
    return this.#indices[this.#head]!
  }

  get since(): number {
    return this.#since[this.#head]!
  }

  /** Removes the first request. */
  drop(): void {
    this.#batches[this.#head] = undefined
    this.#head = (this.#head + 1) & (this.#batches.length - 1)
    this.size--
  }

  /** Removes and fails all that wait now, or those that wait since before `limit`. Returns how many. */
  fail(error: Error, limit = Number.POSITIVE_INFINITY): number {
    let failed = 0
    // What a callback adds meanwhile comes after them.
    for (let left = this.size; left > 0 && this.size > 0 && this.since <= limit; left--) {
      const { batch, index } = this
      this.drop()
      batch.failed(index, error)
      failed++
    }
    return failed
  }

  #grow(): void {
    const old = { batches: this.#batches, indices: this.#indices, since: this.#since, head: this.#head }
    const length = old.batches.length
    this.#batches = Array.from({ length: length * 2 })
    this.#indices = new Int32Array(length * 2)
    this.#since = new Float64Array(length * 2)
    this.#head = 0
    for (let i = 0; i < length; i++) {
      const from = (old.head + i) & (length - 1)
      this.#batches[i] = old.batches[from]
      this.#indices[i] = old.indices[from]!
      this.#since[i] = old.since[from]!
    }
  }
}
