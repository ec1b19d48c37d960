import { ByteWriter } from './byte-writer.ts'
import type { Batch, Http2Pool, PushReply, PushRequest } from './types.ts'

/** One request of `Http2Pool.request`, as a batch. */
export class Single implements Batch {
  readonly #request: PushRequest
  readonly #resolve: (reply: PushReply) => void
  readonly #reject: (error: Error) => void

  constructor(request: PushRequest, resolve: (reply: PushReply) => void, reject: (error: Error) => void) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
  }

  headers(): PushRequest['headers'] {
    return this.#request.headers
  }

  path(): string {
    return this.#request.path
  }

  writeBody(_: number, out: ByteWriter): void {
    const { body } = this.#request
    out.reserve(body.length)
    out.copy(body)
  }

  replied(_: number, reply: PushReply): void {
    this.#resolve(reply)
  }

  failed(_: number, error: Error): void {
    this.#reject(error)
  }
}

/** One request of a batch, for clients that take only whole requests. */
export function requestOf(batch: Batch, index: number): PushRequest {
  const out = new ByteWriter(1024)
  batch.writeBody(index, out)
  return { path: batch.path(index), headers: batch.headers(index), body: out.take() }
}

/** Hands a whole reply to its batch. */
export function answer(batch: Batch, index: number, reply: PushReply): void {
  if (reply.status === 200 && batch.accepted) batch.accepted(index)
  else batch.replied(index, reply)
}

/** `Http2Pool.send` for clients that take only whole requests. */
export function sendThrough(request: Http2Pool['request']): Http2Pool['send'] {
  return (batch, index) => {
    request(requestOf(batch, index)).then(
      (reply) => answer(batch, index, reply),
      (error: unknown) => batch.failed(index, error instanceof Error ? error : new Error(String(error))),
    )
  }
}
