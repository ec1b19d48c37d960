import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server that can be cut, as a network can. */
export interface Proxy {
  /** The URL with the proxy's address instead of the server's. */
  url: string
  /** Breaks every connection and takes no more. */
  cut(): Promise<void>
  /** Takes connections again, at the same port. */
  mend(): Promise<void>
  /** Connects to the server of another URL from now on. */
  aim(target: string): void
  close(): Promise<void>
}

/** A TCP proxy on loopback before the server of a URL. */
export async function openProxy(target: string): Promise<Proxy> {
  let { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const own = (server.address() as AddressInfo).port
  const url = new URL(target)
  url.host = `127.0.0.1:${own}`
  async function cut(): Promise<void> {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    url: url.href,
    cut,
    async close() {
      if (server.listening) await cut()
    },
    aim(other) {
      ;({ hostname, port } = new URL(other))
    },
    async mend() {
      await once(server.listen(own, '127.0.0.1'), 'listening')
    },
  }
}
