import { hkdfSync } from 'node:crypto'
import type { RequestListener } from 'node:http'
import https from 'node:https'
import type { Server, Socket } from 'node:net'
import type { SecureContextOptions, TLSSocket } from 'node:tls'
import { type ConnectionCounts, guardSockets } from '../../platform/net/sockets.ts'
import type { Program } from '../../program.ts'
import type { Handler } from '../handler.ts'
import { FINISH_MS, HTTP_TIMES, socketLimits } from '../listener.ts'
import { createHttp2Door } from './http2-door.ts'
import { oldestVersion, openIdentities } from './identities.ts'

/** HTTPS of one thread: HTTP/2 and HTTP/1.1 on one port. */
export interface SecureListener {
  /** The server, for listening. */
  server: Server
  /** Call it once the server listens. */
  watch(): void
  /** Looks for new certificates now. */
  reload(): Promise<void>
  /** Stops listening, lets running requests finish (`FINISH_MS` at most). */
  close(): Promise<void>
}

/** The port of HTTPS, and the secret that seals TLS sessions. */
export interface SecurePort {
  host: string
  port: number
  ticketSeed: Uint8Array
}

export interface SecureParts {
  program: Program
  handler: Handler
  /** Counts the connections of all listeners of the thread, or of the process. */
  counts: ConnectionCounts
  /** 32 bytes that the threads of a process share: a client may resume its session in any of them. */
  ticketSeed: Uint8Array
  /** False in all threads but one, so that the log says things once. */
  speaks: boolean
}

const ACME_ALPN = 'acme-tls/1'
const HANDSHAKE_MS = 10_000
/** Tickets of a period cannot be opened later, so that a stolen key opens few recorded sessions. */
const TICKET_PERIOD_MS = 6 * 3_600_000
const TICKET_LOOK_MS = 60_000
const TICKET_BYTES = 48

/** Throws `config` when the files of the settings cannot be used. */
export async function createSecureListener(parts: SecureParts): Promise<SecureListener> {
  const { program, counts, ticketSeed, speaks } = parts
  const { config, log, clock } = program.kernel
  const limits = socketLimits(program)
  const guarded = guardSockets(parts.handler.handle, limits, counts)
  const handleH1 = withHsts(guarded.handle, config['tls.hsts'])
  const http2 = createHttp2Door(withHsts(parts.handler.handle, config['tls.hsts']), {
    idleMs: config['http.idleTimeout'] * 1000,
    requestMs: HTTP_TIMES.requestTimeout,
    writeMs: limits.writeTimeoutMs,
    onRefused: limits.onRefused,
  })
  const challenged = new WeakSet<object>()
  const sockets = new Set<Socket>()

  const server = https.createServer(
    {
      ...HTTP_TIMES,
      keepAliveTimeout: config['http.idleTimeout'] * 1000,
      handshakeTimeout: HANDSHAKE_MS,
      minVersion: oldestVersion(config),
      // Node derives it from the command line, which differs between threads.
      sessionIdContext: 'appsvc',
      // Both are called with the socket as `this`. TLS 1.3 asks first for the protocol, TLS 1.2 for the certificate.
      ALPNCallback(this: TLSSocket, { servername, protocols }: { servername: string; protocols: string[] }) {
        if (!protocols.includes(ACME_ALPN)) return ALPN.find((protocol) => protocols.includes(protocol))
        challenged.add(this)
        const context = identities.challengeOf(servername)
        if (context) this.setKeyCert(context)
        return ACME_ALPN
      },
      SNICallback(this: TLSSocket, servername, answer) {
        const name = servername.toLowerCase()
        void identities.contextOf(name).then((context) => {
          answer(null, challenged.has(this) ? identities.challengeOf(name) : context)
        })
      },
    },
    handleH1,
  )
  // Node's own listener speaks HTTP/1.1 on every connection.
  const [speakH1] = server.listeners('secureConnection') as [(socket: TLSSocket) => void]
  server.removeListener('secureConnection', speakH1)
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.accept(socket)
    // The handshake was the answer.
    else if (socket.alpnProtocol === ACME_ALPN) socket.destroy()
    else speakH1.call(server, socket)
  })
  server.on('tlsClientError', (error) => log.debug({ error: error.message }, 'a TLS handshake failed'))
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  guarded.watch(server)

  let period = -1
  const renewTickets = () => {
    const current = Math.floor(clock.monotonic() / TICKET_PERIOD_MS)
    if (current !== period) server.setTicketKeys(ticketKeys(ticketSeed, (period = current)))
  }
  const setDefault = (identity: SecureContextOptions) => {
    server.setSecureContext({ ...identity, minVersion: oldestVersion(config), sessionIdContext: 'appsvc' })
    // A new context makes keys of its own.
    server.setTicketKeys(ticketKeys(ticketSeed, period))
  }
  renewTickets()
  const identities = await openIdentities({ program, setDefault, speaks })
  const timer = setInterval(renewTickets, TICKET_LOOK_MS)
  timer.unref()

  return {
    server,
    watch() {
      server.on('error', (error) => log.warn({ error: error.message }, 'a connection could not be accepted'))
    },
    reload: () => identities.reload(),
    async close() {
      clearInterval(timer)
      identities.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      http2.close()
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, FINISH_MS)
      await closed
      clearTimeout(late)
    },
  }
}

/** Protocols in the order of our liking. */
const ALPN = ['h2', 'http/1.1']

function ticketKeys(seed: Uint8Array, period: number): Buffer {
  return Buffer.from(hkdfSync('sha256', seed, '', `tickets ${period}`, TICKET_BYTES))
}

/** Tells browsers to come back over HTTPS only (RFC 6797). */
function withHsts(handle: RequestListener, seconds: number): RequestListener {
  if (seconds === 0) return handle
  const value = `max-age=${seconds}`
  return (request, response) => {
    response.setHeader('Strict-Transport-Security', value)
    handle(request, response)
  }
}
