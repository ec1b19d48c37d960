import { createServer } from 'node:http'
import type { App } from '../app.ts'
import { listenOn } from '../platform/listen.ts'
import { createHandler } from './handler.ts'
import { routes } from './routes.ts'

export interface RunningServer {
  /** `http://127.0.0.1:8080` */
  address: string
  /** Stops listening, lets running requests finish (5 s at most), closes. */
  close(): Promise<void>
}

const FINISH_MS = 5000

/** Starts the HTTP door on `config.host` and `config.port`. Throws `unavailable` when the port is taken. */
export async function listen(app: App): Promise<RunningServer> {
  const { host, port } = app.kernel.config
  const handler = createHandler(app, routes)
  const server = createServer(
    // A client has 10 s for its headers and 30 s for the whole request: slow ones must not hold sockets.
    { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 5000 },
    handler.handle,
  )
  const { address, port: actual, family } = await listenOn(server, host, port, 'choose another with --port')
  // The system is short of something: no reason to end everything.
  server.on('error', (error) => app.kernel.log.warn({ error: error.message }, 'a connection could not be accepted'))
  app.kernel.port = actual
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), FINISH_MS)
      await closed
      clearTimeout(late)
      await handler.close()
    },
  }
}
