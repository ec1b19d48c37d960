import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'

/** The answer of a gateway. `body` may be empty. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

/** One accepted connection. */
export interface Link {
  readonly socket: TLSSocket
  /** Session of HTTP/2; absent on HTTP/1.1. */
  readonly session?: ServerHttp2Session
  /** Writes a raw frame and drops everything after it; only on links made while a plan needs it. */
  readonly sealWith?: (frame: Buffer) => void
  /** Requests that wait for a GOAWAY to take effect (see effects.ts). */
  gathering?: { take(exchange: Exchange, settle: () => void): void } | undefined
  /** True once a GOAWAY was sent, so that it is not sent twice. */
  left?: boolean
  /** The last stream that a GOAWAY called processed. Node still emits later streams; the gateway never saw them. */
  lastProcessed?: number
}

/** One completely received request, and the ways to answer it or to fail. */
export interface Exchange {
  readonly link: Link
  /** The HTTP/2 stream id; 0 on HTTP/1.1. */
  readonly streamId: number
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** A header that was sent twice, by name. */
  readonly repeated: string | undefined
  readonly body: Buffer
  /** True when the body was longer than the listener reads; `body` is then its beginning. */
  readonly tooLong: boolean
  answer(answer: Answer): void
  /** Sends half the body, then ends properly. */
  answerShort(answer: Answer): void
  /** Sends headers and half the body, then cuts the connection. */
  cutInside(answer: Answer): void
  /** Cuts the connection at once. */
  cut(): void
  /** RST_STREAM with this code; on HTTP/1.1 the connection is cut. */
  reset(code: number): void
}

export interface Incoming {
  body: Buffer
  tooLong: boolean
  repeated: string | undefined
}

/** An exchange on an HTTP/2 stream. */
export function streamExchange(
  link: Link,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  incoming: Incoming,
): Exchange {
  const open = () => !stream.destroyed && !stream.closed
  const respond = (answer: Answer, endStream: boolean) =>
    stream.respond({ ':status': answer.status, ...answer.headers }, { endStream })
  return {
    link,
    streamId: stream.id ?? 0,
    method: headers[':method'] as string,
    path: headers[':path'] as string,
    headers,
    ...incoming,
    answer(answer) {
      if (!open()) return
      if (answer.body === '') return respond(answer, true)
      respond(answer, false)
      stream.end(answer.body)
    },
    answerShort(answer) {
      if (!open()) return
      respond(answer, false)
      stream.end(halfOf(answer.body))
    },
    cutInside(answer) {
      if (!open()) return
      respond(answer, false)
      stream.write(halfOf(answer.body), () => link.socket.destroy())
    },
    cut: () => void link.socket.destroy(),
    reset(code) {
      if (open()) stream.close(code)
    },
  }
}

/** An exchange on HTTP/1.1, which Google's hosts still speak (token calls often use it). */
export function requestExchange(
  link: Link,
  request: IncomingMessage,
  response: ServerResponse,
  incoming: Incoming,
): Exchange {
  const head = (answer: Answer, length: number) =>
    response.writeHead(answer.status, { ...answer.headers, 'content-length': length })
  return {
    link,
    streamId: 0,
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    ...incoming,
    answer: (answer) => void head(answer, Buffer.byteLength(answer.body)).end(answer.body),
    answerShort(answer) {
      const half = halfOf(answer.body)
      head(answer, half.length).end(half)
    },
    cutInside: (answer) =>
      void head(answer, Buffer.byteLength(answer.body)).write(halfOf(answer.body), () => link.socket.destroy()),
    cut: () => void link.socket.destroy(),
    reset: () => void link.socket.destroy(),
  }
}

/** The first half of a body: one byte or more, so that a part of it arrives. */
function halfOf(body: string): Buffer {
  const bytes = Buffer.from(body === '' ? '{}' : body)
  return bytes.subarray(0, Math.ceil(bytes.length / 2))
}
