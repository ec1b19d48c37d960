import http from 'node:http'
import http2 from 'node:http2'
import tls, { type SecureContextOptions, type TLSSocket } from 'node:tls'
import { listenOn } from '../../platform/net/listen.ts'
import { type Exchange, type Link, requestExchange, streamExchange } from './exchange.ts'
import { sealable } from './sealable.ts'

/** Maximum number of bytes of a body by default; only Push Kit accepts more. */
const MAX_BODY_BYTES = 256 * 1024

/** The treatment of new connections by a listener. */
export interface Manners {
  identity: SecureContextOptions
  refuse: boolean
  maxStreams: number
  /** True when connections must be able to send GOAWAY with last stream 0, which Node's sessions cannot. */
  sealable: boolean
}

export interface ListenerOptions {
  host: string
  port: number
  /** PEM of the authority for client certificates; if given, certificates are requested. */
  clientCa?: string
  allowHttp1?: boolean
  /** Max bytes of a body to read; 256 KiB if absent. */
  longestBody?: number
  manners: Manners
  /** A lower limit than `maxStreams` for this connection, or undefined. */
  streamsFor?(socket: TLSSocket): number | undefined
  onExchange(exchange: Exchange): void
}

export interface Listener {
  readonly port: number
  /** Announces this connection's stream limit again after the result of `streamsFor` changed. */
  renewSettings(link: Link): void
  /** Changes the manners at once: closes connections that were made under different manners. */
  setManners(manners: Manners): Promise<void>
  close(): Promise<void>
}

/**
 * A TLS port that speaks HTTP/2, and HTTP/1.1 where allowed, by ALPN. It combines a TLS server with an HTTP/2 server
 * that does not listen, because faults need the sockets: closed ports, bad certificates, cut connections.
 */
export async function listen(options: ListenerOptions): Promise<Listener> {
  let manners = options.manners
  const longest = options.longestBody ?? MAX_BODY_BYTES
  const links = new Set<Link>()
  const bySession = new WeakMap<object, Link>()
  const bySocket = new WeakMap<object, Link>()

  const h2 = http2.createServer()
  h2.on('stream', takeStream)
  h2.on('sessionError', ignore)
  const h1 = http.createServer({ keepAliveTimeout: 60_000 }, takeRequest)
  h1.on('clientError', (_error, socket) => socket.destroy())

  const server = tls.createServer(tlsOptions(options))
  server.on('secureConnection', accept)
  server.on('tlsClientError', ignore)
  // Include sockets in the handshake, or close() would wait for them.
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  function takeStream(
    stream: http2.ServerHttp2Stream,
    headers: http2.IncomingHttpHeaders,
    _flags: number,
    rawHeaders: string[],
  ): void {
    const link = stream.session && bySession.get(stream.session)
    stream.on('error', ignore)
    if (!link) return stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)
    const repeated = repeatedHeader(rawHeaders)
    collect(stream, longest, (body, tooLong) => {
      // If the stream is closed, the client gave up or a GOAWAY excluded the stream. The body may be incomplete.
      if (!stream.closed) dispatch(streamExchange(link, stream, headers, { body, tooLong, repeated }))
    })
  }

  function takeRequest(request: http.IncomingMessage, response: http.ServerResponse): void {
    const link = bySocket.get(request.socket)!
    const repeated = repeatedHeader(request.rawHeaders)
    response.on('error', ignore)
    collect(request, longest, (body, tooLong) =>
      dispatch(requestExchange(link, request, response, { body, tooLong, repeated })),
    )
  }

  function accept(socket: TLSSocket): void {
    socket.on('error', ignore)
    if (socket.alpnProtocol === 'h2') return acceptH2(socket)
    // A client that offers no ALPN speaks HTTP/1.1; APNs does not (Apple: HTTP/2 only).
    if (!options.allowHttp1) return void socket.destroy()
    const link: Link = { socket }
    bySocket.set(socket, link)
    follow(link)
    h1.emit('connection', socket)
  }

  function acceptH2(socket: TLSSocket): void {
    const tap = manners.sealable ? sealable(socket) : undefined
    h2.updateSettings({ maxConcurrentStreams: streamsOf(socket) })
    h2.once('session', (session) => {
      const link: Link = { socket, session, ...(tap && { sealWith: tap.sealWith }) }
      bySession.set(session, link)
      session.on('error', ignore)
      follow(link)
    })
    h2.emit('connection', tap?.stream ?? socket)
  }

  function follow(link: Link): void {
    links.add(link)
    link.socket.once('close', () => links.delete(link))
  }

  function dispatch(exchange: Exchange): void {
    const { gathering, lastProcessed } = exchange.link
    if (lastProcessed !== undefined && exchange.streamId > lastProcessed) return
    if (gathering) gathering.take(exchange, () => options.onExchange(exchange))
    else options.onExchange(exchange)
  }

  function streamsOf(socket: TLSSocket): number {
    return Math.min(manners.maxStreams, options.streamsFor?.(socket) ?? Number.POSITIVE_INFINITY)
  }

  function renewSettings({ session, socket }: Link): void {
    if (session?.destroyed === false && !session.closed) session.settings({ maxConcurrentStreams: streamsOf(socket) })
  }

  async function open(port: number): Promise<number> {
    return (await listenOn(server, options.host, port, 'choose another port')).port
  }

  function hangUp(): void {
    for (const link of links) link.session?.destroy()
    for (const socket of sockets) socket.destroy()
  }

  function stopListening(): Promise<void> {
    if (!server.listening) return Promise.resolve()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    hangUp()
    return closed
  }

  const port = await open(options.port)
  if (manners.refuse) await stopListening()

  return {
    port,
    renewSettings,
    async setManners(next) {
      const before = manners
      manners = next
      if (next.identity !== before.identity)
        server.setSecureContext({ ...next.identity, ...(options.clientCa !== undefined && { ca: options.clientCa }) })
      if (next.maxStreams !== before.maxStreams) {
        for (const link of links) renewSettings(link)
      }
      if (next.refuse) return stopListening()
      if (next.identity !== before.identity) hangUp()
      else if (next.sealable && !before.sealable) for (const { session } of links) session?.close()
      if (!server.listening) await open(port)
    },
    async close() {
      await stopListening()
      hangUp()
    },
  }
}

const tlsOptions = ({ manners, allowHttp1, clientCa }: ListenerOptions): tls.TlsOptions => ({
  ...manners.identity,
  ALPNProtocols: allowHttp1 ? ['h2', 'http/1.1'] : ['h2'],
  requestCert: clientCa !== undefined,
  rejectUnauthorized: false,
  ...(clientCa !== undefined && { ca: clientCa }),
  minVersion: 'TLSv1.2',
})

interface Readable {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'end', listener: () => void): unknown
}

function collect(from: Readable, longest: number, done: (body: Buffer, tooLong: boolean) => void): void {
  let chunks: Buffer | Buffer[] | undefined
  let length = 0
  from.on('data', (chunk) => {
    length += chunk.length
    if (length > longest) return
    if (chunks === undefined) chunks = chunk
    else if (Array.isArray(chunks)) chunks.push(chunk)
    else chunks = [chunks, chunk]
  })
  from.on('end', () => {
    const body = chunks === undefined ? Buffer.alloc(0) : Array.isArray(chunks) ? Buffer.concat(chunks) : chunks
    done(body, length > longest)
  })
}

/** Header lists are short, so comparing pairs costs less than a set. */
function repeatedHeader(raw: readonly string[]): string | undefined {
  for (let i = 2; i < raw.length; i += 2) {
    const name = raw[i]!
    for (let j = 0; j < i; j += 2) if (raw[j] === name && name !== 'cookie') return name
  }
  return undefined
}

function ignore(): void {}
