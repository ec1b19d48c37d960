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

/** Counts open connections: of each peer, and of all under an empty name. */
export interface ConnectionCounts {
  /** Counts one more, unless `most` are open. Returns whether it did. */
  enter(peer: string, most: number): boolean
  leave(peer: string): void
}

/** All connections, as a peer. */
const ALL = ''

interface Turn {
  request: IncomingMessage
  response: ServerResponse
}

/** What the requests of a connection wait for. */
interface Turns {
  /** A request is being answered. */
  isBusy: boolean
  waiting: Turn[]
  isHeldBack: boolean
}

/** Turns are a property of the socket: a weak map costs more, with each request and with each collection of garbage. */
const TURNS = Symbol('turns')
type Guarded = Socket & { [TURNS]?: Turns }

/**
 * Limits the memory and connections that a client can use by not reading or by opening many connections, in addition to
 * Node's own limits for headers, requests and idle connections. Use `handle` as the request listener of the server that
 * `watch` is given. `shared` counts the connections of several such servers, to which the limits then apply together.
 */
export function guardSockets(listener: RequestListener, limits: SocketLimits, shared?: ConnectionCounts) {
  const { maxConnections, maxPerPeer, peerOf, writeTimeoutMs, onRefused } = limits
  const counts = shared ?? ownCounts()

  function count(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    // Node counts the connections of one server by itself, and closes those that are too many earlier.
    if (shared && !enter(socket, ALL, maxConnections)) return refuse(socket, 'maxConnections', address)
    const peer = maxPerPeer === 0 ? undefined : peerOf(address)
    if (peer !== undefined && !enter(socket, peer, maxPerPeer)) refuse(socket, 'maxPerPeer', address)
  }

  function enter(socket: Socket, peer: string, most: number): boolean {
    if (!counts.enter(peer, most)) return false
    socket.once('close', () => counts.leave(peer))
    return true
  }

  function refuse(socket: Socket, why: SocketRefusal, address: string): void {
    onRefused(why, address)
    socket.destroy()
  }

  function run(socket: Socket, state: Turns, { request, response }: Turn): void {
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
      else state.isBusy = false
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
      const socket: Guarded = request.socket
      const state = (socket[TURNS] ??= { isBusy: false, waiting: [], isHeldBack: false })
      if (!state.isBusy) {
        state.isBusy = true
        return run(socket, state, { request, response })
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
      server.setTimeout(writeTimeoutMs, (socket: Guarded) => {
        const isUnread = socket.writableLength > 0
        // The response is still being prepared, or the first request has not arrived: Node has timeouts for these.
        if (!isUnread && socket[TURNS]?.isBusy !== false) return
        if (isUnread) onRefused('writeTimeout', socket.remoteAddress ?? '')
        socket.destroy()
      })
    },
  }
}

/** Counts the connections of servers of one thread. */
export function ownCounts(): ConnectionCounts {
  const open = new Map<string, number>()
  return {
    enter(peer, most) {
      const others = open.get(peer) ?? 0
      if (others < most) open.set(peer, others + 1)
      return others < most
    },
    leave(peer) {
      const left = open.get(peer)! - 1
      if (left > 0) open.set(peer, left)
      else open.delete(peer)
    },
  }
}

function holdBack(this: Socket): void {
  this.pause()
}
