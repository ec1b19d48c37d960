import https from 'node:https'
import { isIP } from 'node:net'
import { messageOf } from '../errors.ts'
import { codeOf, exchange, HttpFailure } from '../net/http-exchange.ts'
import { sendThrough } from './batch.ts'
import { REPLY_LIMIT, refusalOf } from './session.ts'
import { openContext } from './socket.ts'
import { Http2Failure, type Http2Pool, type OpenPool, type PushReply, type PushRequest } from './types.ts'

const SOCKETS = 10
const DEADLINE_MS = 15_000

/**
 * An `Http2Pool` over HTTP/1.1, for peers that speak nothing else. Connections stay open, and each carries one request
 * at a time. Needs an `https:` origin.
 */
export const openHttp1Pool: OpenPool = (options) => {
  const { maxSessions = SOCKETS, deadlineMs = DEADLINE_MS, lookup } = options
  const origin = new URL(options.origin)
  const host = origin.hostname.replace(/^\[|\]$/g, '')
  const agent = new https.Agent({ keepAlive: true, maxSockets: maxSessions, scheduling: 'lifo' })
  const fixed = {
    agent,
    method: 'POST',
    host,
    port: Number(origin.port) || 443,
    secureContext: openContext(options),
    ...(isIP(host) ? {} : { servername: host }),
    ...(lookup && { lookup }),
  }
  let running = 0
  let closing: { promise: Promise<void>; resolve: () => void } | undefined

  function finish(): void {
    if (closing && running === 0) {
      agent.destroy()
      closing.resolve()
    }
  }

  async function post({ path, headers, body }: PushRequest): Promise<PushReply> {
    try {
      // If a reply is too long, its status is enough. Reading the rest only to keep the connection is not worth it.
      const reply = await exchange({
        options: { ...fixed, path, headers },
        body,
        deadlineMs,
        largestReply: REPLY_LIMIT,
      })
      return { status: reply.status, headers: reply.headers, body: reply.body.toString('utf8') }
    } catch (error) {
      throw toFailure(error, origin.host)
    }
  }

  const request: Http2Pool['request'] = async (one) => {
    const refusal = refusalOf(one.path, one.headers)
    if (refusal) throw refusal
    if (closing) throw new Http2Failure('not_processed', 'the connection pool is closed')
    running++
    try {
      return await post(one)
    } finally {
      running--
      finish()
    }
  }

  return {
    request,
    send: sendThrough(request),
    async warm() {
      // Each connection carries one request, so one opened ahead would gain little.
    },
    stats: () => ({ sessions: Object.keys(agent.sockets).length, streams: running, waiting: 0 }),
    close() {
      closing ??= Promise.withResolvers<void>()
      finish()
      return closing.promise
    },
  }
}

/**
 * Turns an error into an `Http2Failure`. Its `cause` is what caused the error (such as the look-up's refusal),
 * otherwise the error itself.
 */
function toFailure(error: unknown, host: string): Http2Failure {
  if (!(error instanceof HttpFailure))
    return new Http2Failure('uncertain', `${host}: ${messageOf(error)}`, { cause: error })
  const cause = { cause: error.cause ?? error }
  switch (error.kind) {
    case 'uncertain':
      return new Http2Failure('uncertain', `${host}: ${error.message}`, cause)
    case 'untrusted':
      return new Http2Failure('untrusted', `the certificate of ${host} is not valid: ${codeOf(error.cause)}`, cause)
  }
  return new Http2Failure('unreachable', `cannot connect to ${host}: ${error.message}`, cause)
}
