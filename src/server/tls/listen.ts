import { randomBytes } from 'node:crypto'
import type { AddressInfo, Server } from 'node:net'
import { listenOn } from '../../platform/net/listen.ts'
import type { ConnectionCounts } from '../../platform/net/sockets.ts'
import type { Program } from '../../program.ts'
import type { Handler } from '../handler.ts'
import { REMEDIES } from './remedies.ts'
import type { SecurePort } from './secure-listener.ts'

/** HTTPS of the process: this thread's listener, and the port of plain HTTP beside it. */
export interface RunningTls {
  /** `https://push.example.com`; with the port unless it is 443. */
  address: string
  /** `http://[::]:80`: the port that leads to HTTPS, if there is one. */
  plainAddress: string | undefined
  /** The state that further threads need to listen on the same port. */
  shared: SecurePort
  reload(): Promise<void>
  close(): Promise<void>
}

const SEED_BYTES = 32

/**
 * Starts HTTPS in this thread with `take`, and the door that leads to it. Throws `unavailable` when a port is taken, and
 * `config` for files that cannot be used.
 */
export async function listenSecurely(
  program: Program,
  handler: Handler,
  counts: ConnectionCounts,
  take: (server: Server, host: string, port: number, remedy: string) => Promise<AddressInfo>,
): Promise<RunningTls> {
  const { config, log } = program.kernel
  const { 'tls.host': host, 'tls.httpPort': httpPort } = config
  const [{ createSecureListener }, { createPlainDoor }] = await Promise.all([
    import('./secure-listener.ts'),
    import('./plain-door.ts'),
  ])
  const ticketSeed = randomBytes(SEED_BYTES)
  const listener = await createSecureListener({ program, handler, counts, ticketSeed, speaks: true })
  const close = [listener.close]
  try {
    const { port } = await take(listener.server, host, config['tls.port'], REMEDIES.tls('tls.port'))
    listener.watch()
    let plainAddress: string | undefined
    if (httpPort !== 'off') {
      const door = createPlainDoor(program, counts, () => publicPort(config.baseUrl) ?? port)
      const at = await listenOn(door.server, host, httpPort, REMEDIES.tls('tls.httpPort'))
      plainAddress = `http://${at.family === 'IPv6' ? `[${at.address}]` : at.address}:${at.port}`
      door.server.on('error', (error) => log.warn({ error: error.message }, 'a connection could not be accepted'))
      close.push(door.close)
    }
    return {
      address: config.baseUrl === '' ? `https://localhost:${port}` : config.baseUrl,
      plainAddress,
      shared: { host, port, ticketSeed },
      reload: listener.reload,
      async close() {
        await Promise.all(close.map((one) => one()))
      },
    }
  } catch (error) {
    await Promise.all(close.map((one) => one()))
    throw error
  }
}

/** The port in `baseUrl`: a firewall may lead another one to ours. */
function publicPort(baseUrl: string): number | undefined {
  return baseUrl === '' ? undefined : Number(new URL(baseUrl).port || 443)
}
