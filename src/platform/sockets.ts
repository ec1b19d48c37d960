import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Why a connection was refused or closed. */
export type SocketRefusal = 'maxConnections' | 'maxPerPeer' | 'writeTimeout'

/** Limits on the connections of a server. */
export interface SocketLimits {
  /** Maximum number of open connections; further ones are closed at once. */
  maxConnections: number
  /** Maximum number of open connections of one peer; 0: no limit. */
  maxPerPeer: number
  /** The peer with this remote address; undefined when its connections are not limited. */
  peerOf(address: string): string | undefined
  /**
   * A client that reads nothing of its response for this long (ms) is disconnected, at the latest after twice this
   * time. Progress is measured by what the system accepts for sending, so a client that reads slowly is not
   * disconnected.
   */
  writeTimeoutMs: number
  /** Called for every connection that was refused or closed. */
  onRefused(why: SocketRefusal, address: string): void
}

interface Turn {
  request: IncomingMessage
  response: ServerResponse
}

/** A connection whose request is being answered. */
interface Busy {
  waiting: Turn[]
  isHeldBack: boolean
}

/**
 * Limits the memory and connections that a client can use by not reading or by opening many connections, in addition to
 * Node's own limits for headers, requests and idle connections. Use `handle` as the request listener of the server that
 * `watch` is given.
 */
export function guardSockets(listener: RequestListener, limits: SocketLimits) {
  const { maxConnections, maxPerPeer, peerOf, writeTimeoutMs, onRefused } = limits
  const open = new Map<string, number>()
  const busy = new WeakMap<Socket, Busy>()
  const served = new WeakSet<Socket>()

  function count(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const peer = maxPerPeer === 0 ? undefined : peerOf(address)
    if (peer === undefined) return
    const others = open.get(peer) ?? 0
    if (others >= maxPerPeer) {
      onRefused('maxPerPeer', address)
      return void socket.destroy()
    }
    open.set(peer, others + 1)
    socket.once('close', () => {
      const left = open.get(peer)! - 1
      if (left > 0) open.set(peer, left)
      else open.delete(peer)
    })
  }

  function run(socket: Socket, state: Busy, { request, response }: Turn): void {
    // The body of the last request may still be arriving; those of earlier requests have been read.
    if (state.isHeldBack && state.waiting.length === 0) {
      state.isHeldBack = false
      socket.off('resume', holdBack)
      socket.resume()
    }
    // Emitted when the last byte was handed to the system, or when the connection breaks.
    response.once('close', () => {
      const next = socket.destroyed ? undefined : state.waiting.shift()
      if (next) run(socket, state, next)
      else busy.delete(socket)
    })
    listener(request, response)
  }

  return {
    /**
     * Answers the requests of one connection one after the other. Node emits all pipelined requests at once, and their
     * responses would pile up behind one that the client does not read. So each request waits until the previous
     * response is sent, and meanwhile nothing more is read from the connection.
     */
    handle(request: IncomingMessage, response: ServerResponse): void {
      const { socket } = request
      const state = busy.get(socket)
      served.add(socket)
      if (!state) {
        const begun: Busy = { waiting: [], isHeldBack: false }
        busy.set(socket, begun)
        return run(socket, begun, { request, response })
      }
      state.waiting.push({ request, response })
      if (state.isHeldBack) return
      state.isHeldBack = true
      // Node resumes the socket when the body of a request is read.
      socket.on('resume', holdBack)
      socket.pause()
    },

    watch(server: Server): void {
      server.maxConnections = maxConnections
      server.on('drop', (dropped) => onRefused('maxConnections', dropped?.remoteAddress ?? ''))
      server.on('connection', count)
      // Node calls this when nothing was read or written for that time, or when a keep-alive connection was idle for
      // its own timeout.
      server.setTimeout(writeTimeoutMs, (socket: Socket) => {
        const isUnread = socket.writableLength > 0
        // The response is still being prepared, or the first request has not arrived: Node has timeouts for these.
        if (!isUnread && (busy.has(socket) || !served.has(socket))) return
        if (isUnread) onRefused('writeTimeout', socket.remoteAddress ?? '')
        socket.destroy()
      })
    },
  }
}

function holdBack(this: Socket): void {
  this.pause()
}
