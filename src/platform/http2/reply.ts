import { isReplyHeader } from './hpack-decoder.ts'
import { REPLY_LIMIT } from './session.ts'
import type { PushReply } from './types.ts'

/** The meaning of a header block of a reply, or `malformed` with the reason (RFC 9113 sections 8.1 to 8.3). */
export type ReplyHead =
  | { kind: 'final'; status: number; headers: Record<string, string> }
  | { kind: 'informational' }
  | { kind: 'malformed'; reason: string }

/** Reads a header block before the body of a reply. `fields` is name, value, name, value… */
export function readHead(fields: readonly string[]): ReplyHead {
  if (fields[0] !== ':status') return { kind: 'malformed', reason: 'the reply does not begin with its status' }
  const text = fields[1]!
  const status = Number(text)
  if (!/^[1-9]\d\d$/.test(text)) return { kind: 'malformed', reason: `${JSON.stringify(text)} is not a status` }
  if (status < 200) return { kind: 'informational' }
  const headers: Record<string, string> = {}
  for (let i = 2; i < fields.length; i += 2) {
    const name = fields[i]!
    if (!isReplyHeader(name)) {
      return { kind: 'malformed', reason: `${JSON.stringify(name)} is not a header of a reply` }
    }
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${fields[i + 1]}` : fields[i + 1]!
  }
  return { kind: 'final', status, headers }
}

/** Collects one reply; the body is kept up to `REPLY_LIMIT` bytes. */
export class ReplyBuilder {
  #status = 0
  #headers: Record<string, string> = {}
  #chunks: Buffer[] = []
  #received = 0

  get hasHead(): boolean {
    return this.#status !== 0
  }

  /** The body exceeds the limit: no need to wait for the rest. */
  get overLimit(): boolean {
    return this.#received > REPLY_LIMIT
  }

  head(status: number, headers: Record<string, string>): void {
    this.#status = status
    this.#headers = headers
  }

  /** Copies `bytes[start, end)`. */
  data(bytes: Buffer, start: number, end: number): void {
    const room = REPLY_LIMIT - this.#received
    this.#received += end - start
    if (room > 0 && end > start) this.#chunks.push(Buffer.from(bytes.subarray(start, Math.min(end, start + room))))
  }

  /** False if the body is not as long as `content-length` says: the reply was cut on the way. */
  get complete(): boolean {
    const announced = this.#headers['content-length']
    return announced === undefined || !/^\d+$/.test(announced) || Number(announced) === this.#received
  }

  build(): PushReply {
    const status = this.#status
    const headers = this.#headers
    const chunks = this.#chunks
    const body = chunks.length === 0 ? '' : (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()
    return { status, headers, body }
  }
}
