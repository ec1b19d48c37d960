import type { ByteWriter } from '../../../platform/http2/byte-writer.ts'
import type { Batch, Http2Pool, PushReply } from '../../../platform/http2/types.ts'
import type { OnOutcome, Outcome } from '../gateway.ts'
import { FREE_RETRIES, isFree, outcomeOfFailure } from './attempt.ts'
import { ACCEPTED } from './send-each.ts'

/** The requests for the recipients of one page, by the recipient's index, and the reading of their answers. */
export interface PageRequests extends Pick<Batch, 'headers' | 'path' | 'writeBody'> {
  /** The outcome of an answer that is not a plain 200, or a promise of it when something is to be tried again. */
  read(index: number, reply: PushReply): Outcome | Promise<Outcome>
}

/**
 * A page of recipients on its way through a pool. Requests that the peer certainly did not process are repeated at once,
 * each at most three times (docs/reference/promises.md section 4).
 */
export class Page implements Batch {
  readonly #pool: Http2Pool
  readonly #requests: PageRequests
  readonly #done: OnOutcome
  /** Repeats by index. Made when the first is needed. */
  #repeats: Map<number, number> | undefined

  constructor(pool: Http2Pool, requests: PageRequests, done: OnOutcome) {
    this.#pool = pool
    this.#requests = requests
    this.#done = done
  }

  /** Sends to the recipient at `index`. `done` gets its outcome later. */
  send(index: number): void {
    this.#pool.send(this, index)
  }

  headers(index: number): Readonly<Record<string, string>> {
    return this.#requests.headers(index)
  }

  path(index: number): string {
    return this.#requests.path(index)
  }

  writeBody(index: number, out: ByteWriter): void {
    this.#requests.writeBody(index, out)
  }

  accepted(index: number): void {
    this.#done(index, ACCEPTED)
  }

  replied(index: number, reply: PushReply): void {
    const outcome = this.#requests.read(index, reply)
    if (!(outcome instanceof Promise)) return this.#done(index, outcome)
    outcome.then(
      (settled) => this.#done(index, settled),
      (error: unknown) => this.#done(index, outcomeOfFailure(error)),
    )
  }

  failed(index: number, error: Error): void {
    if (isFree(error)) {
      this.#repeats ??= new Map()
      const repeats = this.#repeats.get(index) ?? 0
      this.#repeats.set(index, repeats + 1)
      if (repeats < FREE_RETRIES) return this.send(index)
    }
    this.#done(index, outcomeOfFailure(error))
  }
}

/** Gives all of `[from..to)` the same outcome, not at once. */
export function settleAll(from: number, to: number, outcome: Outcome, done: OnOutcome): void {
  setImmediate(() => {
    for (let index = from; index < to; index++) done(index, outcome)
  })
}
