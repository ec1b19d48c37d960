import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import { messageOf } from '../../platform/errors.ts'
import { type ConnectionCounts, guardSockets } from '../../platform/net/sockets.ts'
import type { Program } from '../../program.ts'
import { FINISH_MS, HTTP_TIMES, socketLimits } from '../listener.ts'
import { linkLookup } from '../public/link-lookup.ts'
import { configuredNames, hostnameOf, hostProblem, reachedHost } from '../routing/hosts.ts'

/** The port of plain HTTP beside HTTPS. */
export interface PlainDoor {
  /** The server, for listening. */
  server: Server
  close(): Promise<void>
}

const CHALLENGES = '/.well-known/acme-challenge/'
/** RFC 8555 8.3: base64url. */
const TOKEN = /^[A-Za-z0-9_-]{1,500}$/
const HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

const IN_CLEAR =
  'this request came in clear, so others may have read it: call the same address with https://, and replace the keys that it named'

/**
 * Leads browsers to HTTPS and answers HTTP-01 challenges. A request that could carry a key is refused, not sent on, so that the
 * caller is mended and the key does not travel in clear twice. `securePort` is the one that clients use.
 */
export function createPlainDoor(program: Program, counts: ConnectionCounts, securePort: () => number): PlainDoor {
  const { config, log } = program.kernel
  const limits = socketLimits(program)
  const lookup = linkLookup(program)
  const names = configuredNames(config)
  const domain = hostnameOf(config['links.domain'])
  const belowLinks = domain === '' ? undefined : `.${domain}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wrong = hostProblem(request)
    if (wrong !== undefined) return say(response, 400, wrong)
    const { method = '', url = '/', headers } = request
    const host = headers.host ?? ''
    const name = host.replace(/:\d*$/, '').toLowerCase()
    if (url.startsWith(CHALLENGES)) {
      const challenge = config['acme.enabled'] ? await challengeAnswer(name, url.slice(CHALLENGES.length)) : undefined
      if (challenge === undefined) return say(response, 404, 'there is no such challenge')
      response.writeHead(200, {
        'Content-Type': 'application/octet-stream',
        'Content-Length': Buffer.byteLength(challenge),
      })
      return void response.end(method === 'HEAD' ? undefined : challenge)
    }
    const isSafe = (method === 'GET' || method === 'HEAD') && headers.authorization === undefined
    if (!isSafe) return say(response, 403, IN_CLEAR)
    if (!HOST.test(host) || !url.startsWith('/')) return say(response, 400, 'the request names no host')
    const ours = await nameOf(name, request.socket)
    const port = securePort()
    response.writeHead(308, {
      Location: `https://${ours}${port === 443 ? '' : `:${port}`}${url}`,
      'Content-Length': 0,
      'Cache-Control': 'no-store',
    })
    response.end()
  }

  /**
   * The name to go on to, always one of ours: the requested one if it is in the settings or belongs to the links of an app, else
   * the first one of the settings, or without one the address that was reached.
   */
  async function nameOf(asked: string, socket: Socket): Promise<string> {
    if (names.includes(asked) || (belowLinks !== undefined && asked.endsWith(belowLinks))) return asked
    // Without the database nobody knows whose the name is.
    const site = await Promise.resolve(lookup.siteOfHost(asked)).catch(() => null)
    return site ? asked : (names[0] ?? reachedHost(socket))
  }

  async function challengeAnswer(name: string, token: string): Promise<string | undefined> {
    if (!TOKEN.test(token)) return undefined
    const challenge = await program.certificates.challengeOf(name)
    return challenge?.kind === 'http-01' && challenge.token === token ? challenge.answer : undefined
  }

  const guarded = guardSockets(
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'a challenge could not be looked up')
        say(response, 503, 'try again')
      })
    },
    limits,
    counts,
  )
  const server = createServer({ ...HTTP_TIMES, keepAliveTimeout: config['http.idleTimeout'] * 1000 }, guarded.handle)
  guarded.watch(server)
  return {
    server,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), FINISH_MS)
      await closed
      clearTimeout(late)
    },
  }
}

/** Answers with an error and closes the connection: the next request on it would come in clear, too. */
function say(response: ServerResponse, status: number, error: string): void {
  const body = JSON.stringify({ error })
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  })
  response.end(body)
}
