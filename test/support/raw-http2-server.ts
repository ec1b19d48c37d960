import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { ByteWriter } from '../../src/platform/http2/byte-writer.ts'
import {
  FLAG,
  FRAME,
  FrameParser,
  HEADER_BYTES,
  PREFACE,
  writeFrameHeader,
  writeGoaway,
  writePing,
  writeReset,
  writeSettings,
  writeSettingsAck,
  writeWindowUpdate,
} from '../../src/platform/http2/frames.ts'
import { HpackDecoder } from '../../src/platform/http2/hpack-decoder.ts'
import { HpackEncoder } from '../../src/platform/http2/hpack-encoder.ts'

/** An HTTP/2 server that does exactly what a test tells it, right or wrong, frame by frame. */

export interface RawFrame {
  type: number
  flags: number
  streamId: number
  payload: Buffer
}

/** One whole request. */
export interface RawRequest {
  streamId: number
  headers: Record<string, string>
  body: Buffer
}

export interface RawOptions {
  /** SETTINGS sent at once. `false` sends none. */
  settings?: readonly (readonly [id: number, value: number])[] | false
  /** Gives window back for each DATA frame. Default true. */
  refillWindow?: boolean
  /** Acknowledges PING. Default true. */
  answerPing?: boolean
  /** TLS instead of cleartext; `h2` is offered. */
  tls?: TlsOptions
}

export interface RawHttp2Server {
  origin: string
  port: number
  /** Connections so far, oldest first. */
  peers: RawPeer[]
  /** The connection number `index`, also when it is still to come. */
  peer(index: number): Promise<RawPeer>
  close(): Promise<void>
}

/** Listens on loopback. `script` gets every request; without it requests only pile up in `peer.requests`. */
export async function openRawHttp2Server(
  options: RawOptions = {},
  script: (request: RawRequest, peer: RawPeer) => void = () => {},
): Promise<RawHttp2Server> {
  const peers: RawPeer[] = []
  let wake = Promise.withResolvers<void>()
  const accept = (socket: Socket) => {
    peers.push(new RawPeer(socket, options, script))
    wake.resolve()
    wake = Promise.withResolvers()
  }
  const server = options.tls ? createTlsServer({ ALPNProtocols: ['h2'], ...options.tls }, accept) : createServer(accept)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const { port } = address
  return {
    origin: options.tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    port,
    peers,
    async peer(index) {
      while (peers.length <= index) await wake.promise
      return peers[index]!
    },
    async close() {
      server.close()
      for (const peer of peers) peer.cut()
      await once(server, 'close')
    },
  }
}

/** The server's end of one connection. */
export class RawPeer {
  /** Everything the client sent. */
  readonly frames: RawFrame[] = []
  readonly requests: RawRequest[] = []
  closed = false
  private readonly socket: Socket
  private readonly options: RawOptions
  private readonly script: (request: RawRequest, peer: RawPeer) => void
  private readonly out = new ByteWriter()
  private readonly encoder = new HpackEncoder([])
  private readonly decoder = new HpackDecoder(65_536, 1_048_576)
  private readonly open = new Map<number, RawRequest>()
  private block: { streamId: number; endStream: boolean; parts: Buffer[] } | undefined
  private wake = Promise.withResolvers<void>()

  constructor(socket: Socket, options: RawOptions, script: (request: RawRequest, peer: RawPeer) => void) {
    this.socket = socket
    this.options = options
    this.script = script
    const parser = new FrameParser((...frame) => this.receive(...frame), 2 ** 20)
    let preface = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      if (preface.length < PREFACE.length) {
        preface = Buffer.concat([preface, chunk])
        if (preface.length < PREFACE.length) return
        if (!preface.subarray(0, PREFACE.length).equals(PREFACE)) throw new Error('the client sent a wrong preface')
        parser.push(preface.subarray(PREFACE.length))
      } else parser.push(chunk)
      this.changed()
    })
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => {
      this.closed = true
      this.changed()
    })
    if (options.settings !== false) this.settings(options.settings ?? [])
  }

  /** Waits until `condition` holds; it is looked at whenever something arrives. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.wake.promise
  }

  /** Waits for so many whole requests. */
  async untilRequests(count: number): Promise<RawRequest[]> {
    await this.until(() => this.requests.length >= count)
    return this.requests
  }

  /** Frames of one type, optionally of one stream. */
  framesOf(type: number, streamId?: number): RawFrame[] {
    return this.frames.filter((frame) => frame.type === type && (streamId === undefined || frame.streamId === streamId))
  }

  settings(settings: readonly (readonly [id: number, value: number])[]): void {
    writeSettings(this.out, settings)
    this.flush()
  }

  goaway(lastStreamId: number, code: number, debug = ''): void {
    writeGoaway(this.out, lastStreamId, code, debug)
    this.flush()
  }

  reset(streamId: number, code: number): void {
    writeReset(this.out, streamId, code)
    this.flush()
  }

  window(streamId: number, increment: number): void {
    writeWindowUpdate(this.out, streamId, increment)
    this.flush()
  }

  ping(): void {
    writePing(this.out, Buffer.from('12345678'), false)
    this.flush()
  }

  /** A whole reply; `end: false` leaves the stream open. */
  reply(streamId: number, status = 200, headers: Record<string, string> = {}, body = '', end = true): void {
    this.headers(streamId, { ':status': String(status), ...headers }, end && body === '')
    if (body !== '') this.data(streamId, Buffer.from(body), end)
  }

  headers(streamId: number, fields: Record<string, string>, endStream: boolean): void {
    this.frame(FRAME.headers, FLAG.endHeaders | (endStream ? FLAG.endStream : 0), streamId, this.encode(fields))
  }

  data(streamId: number, body: Buffer, endStream: boolean): void {
    this.frame(FRAME.data, endStream ? FLAG.endStream : 0, streamId, body)
  }

  /** A header block; each block must be sent, or the tables of both sides part. */
  encode(fields: Record<string, string>): Buffer {
    const block = new ByteWriter()
    this.encoder.begin(block)
    for (const [name, value] of Object.entries(fields)) this.encoder.field(block, name, value)
    return block.take()
  }

  frame(type: number, flags: number, streamId: number, payload: Buffer = Buffer.alloc(0)): void {
    this.out.reserve(HEADER_BYTES + payload.length)
    writeFrameHeader(this.out, payload.length, type, flags, streamId)
    this.out.copy(payload)
    this.flush()
  }

  /** Bytes as they are. */
  write(bytes: Buffer | string): void {
    this.socket.write(bytes)
  }

  /** Leaves everything that comes from now on in the kernel's buffers. */
  stopReading(): void {
    this.socket.pause()
  }

  /** Closes after what was written. */
  end(): void {
    this.socket.end()
  }

  /** Closes without ceremony. */
  cut(): void {
    this.socket.destroy()
  }

  private flush(): void {
    this.socket.write(this.out.take())
  }

  private changed(): void {
    this.wake.resolve()
    this.wake = Promise.withResolvers()
  }

  private receive(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const payload = Buffer.from(bytes.subarray(start, end))
    this.frames.push({ type, flags, streamId, payload })
    const endStream = (flags & FLAG.endStream) !== 0
    if (type === FRAME.settings && (flags & FLAG.ack) === 0) {
      writeSettingsAck(this.out)
      this.flush()
    } else if (type === FRAME.ping && (flags & FLAG.ack) === 0 && this.options.answerPing !== false) {
      writePing(this.out, payload, true)
      this.flush()
    } else if (type === FRAME.headers || type === FRAME.continuation) {
      this.block ??= { streamId, endStream, parts: [] }
      this.block.parts.push(payload)
      if ((flags & FLAG.endHeaders) !== 0) this.headersDone()
    } else if (type === FRAME.data) {
      const request = this.open.get(streamId)
      if (!request) return
      request.body = Buffer.concat([request.body, payload])
      if (this.options.refillWindow !== false && payload.length > 0) {
        this.window(0, payload.length)
        if (!endStream) this.window(streamId, payload.length)
      }
      if (endStream) this.requestDone(request)
    }
  }

  private headersDone(): void {
    const { streamId, endStream, parts } = this.block!
    this.block = undefined
    const block = Buffer.concat(parts)
    const fields = this.decoder.decode(block, 0, block.length)
    const headers: Record<string, string> = {}
    for (let i = 0; i < fields.length; i += 2) headers[fields[i]!] = fields[i + 1]!
    const request = { streamId, headers, body: Buffer.alloc(0) }
    this.open.set(streamId, request)
    if (endStream) this.requestDone(request)
  }

  private requestDone(request: RawRequest): void {
    this.open.delete(request.streamId)
    this.requests.push(request)
    this.script(request, this)
  }
}
