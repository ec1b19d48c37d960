import { createServer } from 'node:http'
import type { Server } from 'node:net'
import { speaksTls } from '../platform/config/tls-settings.ts'
import { type ConnectionCounts, guardSockets, ownCounts, type SocketLimits } from '../platform/net/sockets.ts'
import { sharedConnections } from '../platform/threads/sharing.ts'
import type { Program } from '../program.ts'
import { endEventStreams } from './admin/event-stream.ts'
import type { Handler } from './handler.ts'
import { isOwnMachine, plainAddress, prefixOf, trustedProxiesOf } from './limits/caller.ts'
import { refusalNotes } from './limits/refusals.ts'

/** The time (ms) that running requests may take to finish when the server stops. */
export const FINISH_MS = 5000

/** The HTTP server of one thread. */
export interface Listener {
  /** The server, for listening. */
  server: Server
  /** Call it once the server listens. */
  watch(): void
  /** Stops listening, lets running requests finish (`FINISH_MS` at most). */
  close(): Promise<void>
}

/** 10 s for the headers and 30 s for the whole request, so that slow clients do not hold sockets. */
export const HTTP_TIMES = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5000 }

/** Counts the connections of all listeners to which the limits apply together; undefined for one that Node can count itself. */
export function connectionCounts({ kernel: { sharing, config } }: Program): ConnectionCounts | undefined {
  if (sharing) return sharedConnections(sharing)
  return speaksTls(config) ? ownCounts() : undefined
}

export function createListener(program: Program, handler: Handler, counts: ConnectionCounts | undefined): Listener {
  const { log, config } = program.kernel
  const sockets = guardSockets(handler.handle, socketLimits(program), counts)
  const server = createServer({ ...HTTP_TIMES, keepAliveTimeout: config['http.idleTimeout'] * 1000 }, sockets.handle)
  sockets.watch(server)
  return {
    server,
    watch() {
      // The system lacks a resource, such as file descriptors. The process goes on.
      server.on('error', (error) => log.warn({ error: error.message }, 'a connection could not be accepted'))
    },
    async close() {
      // Whoever waits for events gets an answer now.
      program.logWatch.end()
      endEventStreams(program)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), FINISH_MS)
      await closed
      clearTimeout(late)
    },
  }
}

/** Trusted proxies, which serve many clients, and programs on this machine may have any number of connections. */
export function socketLimits({ kernel }: Program): SocketLimits {
  const { config } = kernel
  const trusted = trustedProxiesOf(config)
  const notes = {
    maxConnections: refusalNotes(kernel, 'http.maxConnections', 'connections are refused: there are too many'),
    maxPerPeer: refusalNotes(
      kernel,
      'http.maxPerAddress',
      'connections are refused: an address has too many (a proxy? see trustedProxies)',
    ),
    writeTimeout: refusalNotes(
      kernel,
      'http.writeTimeout',
      'connections are closed: their clients do not read the answer',
    ),
  }
  return {
    maxConnections: config['http.maxConnections'],
    maxPerPeer: config['http.maxPerAddress'],
    peerOf(remote) {
      const address = plainAddress(remote)
      return trusted.has(address) || isOwnMachine(address) ? undefined : prefixOf(address)
    },
    writeTimeoutMs: config['http.writeTimeout'] * 1000,
    onRefused: (why, address) => notes[why](plainAddress(address)),
  }
}
