import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { AppError } from '../errors.ts'

/**
 * Starts listening; with port 0 the system chooses a port. Throws `unavailable` with the reason, followed by `remedy`.
 */
export async function listenOn(server: Server, host: string, port: number, remedy: string): Promise<AddressInfo> {
  return bind(server, { host, port }, remedy)
}

/**
 * As `listenOn`, on a port that further threads of this process can share (`joinPort`). The system lets any program of
 * the same user share such a port, and would give each a part of the connections. So the port is first taken for
 * ourselves alone, which fails when another program has it, shared or not. Programs like this one take turns with
 * that, so that two that start together cannot both find it free.
 */
export async function listenShared(server: Server, host: string, port: number, remedy: string): Promise<AddressInfo> {
  // A port that the system chooses is one that nobody has.
  if (port === 0) return bind(server, { host, port, reusePort: true }, remedy)
  const endTurn = await takeTurn(port)
  try {
    const probe = createServer()
    await bind(probe, { host, port }, remedy)
    await new Promise((resolve) => probe.close(resolve))
    return await bind(server, { host, port, reusePort: true }, remedy)
  } finally {
    await endTurn()
  }
}

/** Starts listening on a port that another thread of this process listens on with `listenShared`. */
export async function joinPort(server: Server, host: string, port: number): Promise<void> {
  await bind(server, { host, port, reusePort: true }, 'another thread of this program should have it')
}

/** Whether the system can share a port between threads. */
export async function canSharePorts(): Promise<boolean> {
  const server = createServer()
  const can = await bind(server, { host: '127.0.0.1', port: 0, reusePort: true }, '').then(
    () => true,
    () => false,
  )
  await new Promise((resolve) => server.close(resolve))
  return can
}

const TURN_TRIES = 100
const TURN_PAUSE_MS = 50

/** Waits while another program starts on the same port. The name is free again when its process ends, however it ends. */
async function takeTurn(port: number): Promise<() => Promise<void>> {
  const turn = createServer()
  const path = `\0appsvc-listens-on-${port}`
  for (let tries = 0; tries < TURN_TRIES; tries++) {
    const has = await new Promise<boolean>((resolve) => {
      turn.once('error', () => resolve(false))
      turn.listen(path, () => resolve(true))
    })
    turn.removeAllListeners('error')
    if (has) return () => new Promise((resolve) => turn.close(() => resolve()))
    await setTimeout(TURN_PAUSE_MS)
  }
  throw new AppError('unavailable', `cannot listen on port ${port}: another program is about to take it`)
}

async function bind(server: Server, at: ListenOptions, remedy: string): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program has it' : error.message
      reject(
        new AppError(
          'unavailable',
          `cannot listen on ${at.host || 'port '}${at.host ? ':' : ''}${at.port}: ${why}; ${remedy}`,
        ),
      )
    }
    server.once('error', refuse)
    server.listen(at, () => {
      server.off('error', refuse)
      resolve()
    })
  })
  return server.address() as AddressInfo
}
