import https from 'node:https'
import { isIP } from 'node:net'
import { codeOf, flattenHeaders, isUntrusted, whyOf } from '../http.ts'
import { checkRequest, REPLY_LIMIT } from './session.ts'
import { openContext } from './socket.ts'
import { Http2Failure, type Http2Pool, type OpenPool, type PushReply, type PushRequest } from './types.ts'

const SOCKETS = 10
const DEADLINE_MS = 15_000

/**
 * The same as the pools of HTTP/2 over kept-alive connections of HTTP/1.1, one request at a time on each, for peers that speak
 * nothing else. Needs an `https:` origin.
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
    rejectUnauthorized: true,
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

  function exchange({ path, headers, body }: PushRequest): Promise<PushReply> {
    const { promise, resolve, reject } = Promise.withResolvers<PushReply>()
    // A request that waits for a free connection has written nothing; nor has one whose connection is being made.
    let written = false
    const fail = (error: unknown) => reject(toFailure(error, written, origin.host))
    const outgoing = https.request({
      ...fixed,
      path,
      headers: { ...headers, 'content-length': String(body.length) },
      signal: AbortSignal.timeout(deadlineMs),
    })
    outgoing.on('error', fail)
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) written = true
      else socket.once('secureConnect', () => (written = true))
    })
    outgoing.once('response', (incoming) => {
      const chunks: Buffer[] = []
      let size = 0
      const finish = () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: incoming.statusCode ?? 0, headers: flattenHeaders(incoming.headers), body: text })
      }
      incoming.on('error', fail)
      incoming.on('data', (chunk: Buffer) => {
        if (size < REPLY_LIMIT) chunks.push(chunk.subarray(0, REPLY_LIMIT - size))
        size += chunk.length
        if (size <= REPLY_LIMIT) return
        // The status has said it; the connection is not worth reading the rest to its end.
        finish()
        incoming.destroy()
      })
      incoming.once('end', finish)
      incoming.once('close', () => fail(new Error('the reply was cut short')))
    })
    outgoing.end(body)
    return promise
  }

  return {
    async request(request) {
      checkRequest(request)
      if (closing) throw new Http2Failure('not_processed', 'the connection pool is closed')
      running++
      try {
        return await exchange(request)
      } finally {
        running--
        finish()
      }
    },
    stats: () => ({ sessions: Object.keys(agent.sockets).length, streams: running, waiting: 0 }),
    close() {
      closing ??= Promise.withResolvers<void>()
      finish()
      return closing.promise
    },
  } satisfies Http2Pool
}

function toFailure(error: unknown, written: boolean, host: string): Http2Failure {
  const cause = { cause: error }
  if (written) return new Http2Failure('uncertain', `${host}: ${whyOf(error)}`, cause)
  if (isUntrusted(error)) {
    return new Http2Failure('untrusted', `the certificate of ${host} is not valid: ${codeOf(error)}`, cause)
  }
  return new Http2Failure('unreachable', `cannot connect to ${host}: ${whyOf(error)}`, cause)
}
