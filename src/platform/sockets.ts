import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Why a connection was refused or cut. */
export type SocketRefusal = 'maxConnections' | 'maxPerPeer' | 'writeTimeout'

/** What the connections of a server may hold. */
export interface SocketLimits {
  /** Connections at a time; further ones are closed unheard. */
  maxConnections: number
  /** Connections at a time of one peer; 0 means no limit. */
  maxPerPeer: number
  /** Whose connection this is, by its remote address; undefined for those that may have any number. */
  peerOf(address: string): string | undefined
  /**
   * A client that takes nothing of its answer for so long (ms) is cut off, at the latest after twice the time. What counts is what the
   * system took, so a client that reads slowly is not cut.
   */
  writeTimeoutMs: number
  /** Hears of everything that was refused or cut. */
  onRefused(why: SocketRefusal, address: string): void
}

interface Turn {
  request: IncomingMessage
  response: ServerResponse
}

/** A connection with an answer under way. */
interface Busy {
  waiting: Turn[]
  isHeldBack: boolean
}

/**
 * Bounds what clients that do not read, or that open connections without end, can make a server keep. Node's own limits for headers,
 * for whole requests and for idle connections hold besides. `handle` goes into the server that is given to `watch`.
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
    // Of the last one the body may still be on its way; of all before it has been read.
    if (state.isHeldBack && state.waiting.length === 0) {
      state.isHeldBack = false
      socket.off('resume', holdBack)
      socket.resume()
    }
    // When the last byte was handed to the system, and when the connection breaks.
    response.once('close', () => {
      const next = socket.destroyed ? undefined : state.waiting.shift()
      if (next) run(socket, state, next)
      else busy.delete(socket)
    })
    listener(request, response)
  }

  return {
    /**
     * Answers the requests of one connection one after the other. Node hands over all that a client wrote at once, and their answers
     * would pile up behind the first one that it does not read: here a request waits until the answer before it has left, and
     * meanwhile nothing more is read.
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
      // Node resumes the socket for whoever reads the body of a request.
      socket.on('resume', holdBack)
      socket.pause()
    },

    watch(server: Server): void {
      server.maxConnections = maxConnections
      server.on('drop', (dropped) => onRefused('maxConnections', dropped?.remoteAddress ?? ''))
      server.on('connection', count)
      // Node calls when nothing was read and nothing of what waits was taken for that time, or a kept connection was idle for its own.
      server.setTimeout(writeTimeoutMs, (socket: Socket) => {
        const isUnread = socket.writableLength > 0
        // The answer is still being worked on, or the first request is still awaited: Node bounds that.
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
