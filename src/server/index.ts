import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { App } from '../app.ts'
import { listenOn } from '../platform/listen.ts'
import { guardSockets, type SocketLimits } from '../platform/sockets.ts'
import { isOwnMachine, plainAddress, prefixOf, trustedProxiesOf } from './device/caller.ts'
import { createHandler } from './handler.ts'
import { refusalNotes } from './refusals.ts'
import { routes } from './routes.ts'

export interface RunningServer {
  /** `http://127.0.0.1:8080` */
  address: string
  /** `http://127.0.0.1:9464`, of `metrics.listen`. */
  metricsAddress?: string
  /** Stops listening, lets running requests finish (5 s at most), closes. */
  close(): Promise<void>
}

const FINISH_MS = 5000

/** Starts the HTTP door on `config.host` and `config.port`. Throws `unavailable` when the port is taken. */
export async function listen(app: App): Promise<RunningServer> {
  const { host, port } = app.kernel.config
  const handler = createHandler(app, routes)
  const sockets = guardSockets(handler.handle, socketLimits(app))
  const server = createServer(
    // 10 s for the headers and 30 s for the whole request, so that slow clients do not hold sockets.
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: app.kernel.config['http.idleTimeout'] * 1000,
      connectionsCheckingInterval: 5000,
    },
    sockets.handle,
  )
  sockets.watch(server)
  const { address, port: actual, family } = await listenOn(server, host, port, 'choose another with --port')
  // The system lacks a resource, such as file descriptors. The process goes on.
  server.on('error', (error) => app.kernel.log.warn({ error: error.message }, 'a connection could not be accepted'))
  app.kernel.port = actual
  const metrics = await listenForMetrics(app, handler.metrics).catch(async (error: unknown) => {
    await new Promise((resolve) => server.close(resolve))
    throw error
  })
  return {
    address: urlOf({ address, port: actual, family }),
    ...(metrics && { metricsAddress: urlOf(metrics.address() as AddressInfo) }),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      metrics?.closeAllConnections()
      metrics?.close()
      const late = setTimeout(() => server.closeAllConnections(), FINISH_MS)
      await closed
      clearTimeout(late)
      await handler.close()
    },
  }
}

function urlOf({ address, port, family }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** The listener of `metrics.listen`, if there is one. */
async function listenForMetrics({ kernel }: App, listener: RequestListener): Promise<Server | undefined> {
  const { 'metrics.listen': listen, 'http.writeTimeout': timeout } = kernel.config
  if (listen === '') return undefined
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, listener)
  server.maxConnections = 100
  server.setTimeout(timeout * 1000)
  const [, host, port] = /^(.*):(\d+)$/.exec(listen)!
  await listenOn(server, host!.replace(/^\[|\]$/g, ''), Number(port), 'choose another with metrics.listen')
  server.on('error', (error) => kernel.log.warn({ error: error.message }, 'a connection could not be accepted'))
  return server
}

/** Trusted proxies, which serve many clients, and programs on this machine may have any number of connections. */
function socketLimits({ kernel }: App): SocketLimits {
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
