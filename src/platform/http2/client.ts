import type { Socket } from 'node:net'
import { ByteWriter } from './byte-writer.ts'
import {
  CODE,
  ConnectionError,
  codeName,
  DEFAULT_FRAME_SIZE,
  DEFAULT_WINDOW,
  expectSize,
  FLAG,
  FRAME,
  FrameParser,
  MAX_FRAME_SIZE,
  MAX_STREAM_ID,
  MAX_WINDOW,
  PREFACE,
  SETTING,
  unpad,
  writeGoaway,
  writePing,
  writeReset,
  writeSettings,
  writeSettingsAck,
  writeWindowUpdate,
} from './frames.ts'
import { HeaderBlocks } from './header-blocks.ts'
import { HpackDecoder, HpackError } from './hpack.ts'
import { DEFAULT_TABLE_SIZE } from './hpack-static.ts'
import { Liveness } from './liveness.ts'
import { ReplyBuilder, readHead } from './reply.ts'
import { RequestWriter } from './request-writer.ts'
import {
  CONNECTION_WINDOW,
  describeError,
  type Exchange,
  GOODBYE_MS,
  HEADER_LIST_LIMIT,
  type OpenSession,
  type Session,
  type SessionEvents,
  type SessionSettings,
} from './session.ts'
import { isCertificateRefusal, openSocket } from './socket.ts'
import { Http2Failure, type Http2FailureKind } from './types.ts'

/**
 * An HTTP/2 client for exactly what push needs: POST requests with a small body and a small reply. We wrote it because
 * Node's own client is the bottleneck of sending (measured: 14 000 requests/s against 123 000 for a C client, same
 * peer). It is fast because it sends everything of one turn of the event loop in one write, encodes each constant
 * header in one byte, and parses replies in the socket's own buffers. It implements the parts of RFC 9113 that apply to
 * a client.
 */
export const openFastSession: OpenSession = async (settings, events, signal) => {
  const socket = await openSocket(settings, signal)
  const { promise, resolve, reject } = Promise.withResolvers<Session>()
  const session = new FastSession(socket, settings, events, { resolve, reject })
  const abort = () => session.abandon(describeError(signal.reason))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return promise.finally(() => signal.removeEventListener('abort', abort))
}

interface Stream {
  readonly exchange: Exchange
  readonly id: number
  /** Monotonic time when its first byte left. */
  readonly startedAt: number
  sendWindow: number
  /** Bytes of the body already sent. */
  sent: number
  receiveWindow: number
  readonly reply: ReplyBuilder
}

interface Held {
  exchange: Exchange
  since: number
}

/** Start nothing new while more bytes than this wait in the socket. */
const SOCKET_BACKLOG = 1_048_576
/** Max PING and SETTINGS acknowledgements to queue for a peer that does not read. */
const CONTROL_BACKLOG = 65_536
class FastSession implements Session {
  readonly #socket: Socket
  readonly #settings: SessionSettings
  readonly #events: SessionEvents
  #opening: { resolve(session: Session): void; reject(failure: Http2Failure): void } | undefined

  readonly #out = new ByteWriter()
  readonly #parser: FrameParser
  readonly #writer: RequestWriter
  readonly #decoder = new HpackDecoder(DEFAULT_TABLE_SIZE, HEADER_LIST_LIMIT)
  readonly #liveness: Liveness
  readonly #blocks = new HeaderBlocks((...block) => this.#block(...block))

  /** Open streams by id. Ids only increase, so the oldest stream comes first. */
  readonly #live = new Map<number, Stream>()
  /** Requests that are accepted but not yet written. */
  #held: Held[] = []
  /** Streams whose body is not fully sent. They wait until flow control allows more. */
  readonly #unsent = new Set<Stream>()

  #nextId: number
  #peerStreams = Number.POSITIVE_INFINITY
  #peerWindow = DEFAULT_WINDOW
  #sendWindow = DEFAULT_WINDOW
  #receiveWindow = CONNECTION_WINDOW

  #flushing = false
  #blocked = false
  /** The peer answered a PING, so held requests may be sent. */
  #proven = false
  #goodbye = false
  #gone = false
  #deadlineTimer: NodeJS.Timeout | undefined
  answered = false
  draining = false

  constructor(
    socket: Socket,
    settings: SessionSettings,
    events: SessionEvents,
    opening: { resolve(session: Session): void; reject(failure: Http2Failure): void },
  ) {
    this.#socket = socket
    this.#settings = settings
    this.#events = events
    this.#opening = opening
    this.#nextId = settings.firstStreamId
    this.#writer = new RequestWriter(this.#out, settings.origin, settings.neverIndexed)
    this.#parser = new FrameParser((type, flags, id, bytes, start, end) =>
      this.#frame(type, flags, id, bytes, start, end),
    )
    this.#liveness = new Liveness(settings, {
      ping: () => {
        writePing(this.#out, PING_PAYLOAD, false)
        this.#flushSoon()
      },
      alive: () => {
        this.#proven = true
        this.#flushSoon()
      },
      dead: () => this.#end(new Error(`no answer to PING within ${settings.pingTimeoutMs} ms`)),
      replace: () => this.drain(),
    })
    socket
      .on('data', (chunk: Buffer) => this.#read(chunk))
      .on('drain', () => {
        this.#blocked = false
        this.#flush()
      })
      .on('error', (error) => this.#end(error))
      .on('end', () => this.#end(new Error('the peer closed the connection')))
      .on('close', () => this.#end(new Error('the connection was closed')))
    this.#introduce()
    if (socket.destroyed) this.#end(socket.errored ?? new Error('the connection was closed'))
    else socket.resume()
  }

  get room(): number {
    if (this.draining || this.#opening) return 0
    return Math.min(this.#peerStreams, this.#settings.maxStreams) - this.streams
  }

  get streams(): number {
    return this.#live.size + this.#held.length
  }

  start(exchange: Exchange): void {
    this.#held.push({ exchange, since: performance.now() })
    this.#flushSoon()
  }

  drain(): void {
    this.draining = true
    this.#leaveWhenDone()
  }

  /** Aborts while still connecting. */
  abandon(reason: string): void {
    this.#end(new Error(reason))
  }

  // ---- writing

  #introduce(): void {
    this.#out.reserve(PREFACE.length)
    this.#out.copy(PREFACE)
    writeSettings(this.#out, [
      [SETTING.enablePush, 0],
      [SETTING.maxHeaderListSize, HEADER_LIST_LIMIT],
    ])
    writeWindowUpdate(this.#out, 0, CONNECTION_WINDOW - DEFAULT_WINDOW)
    this.#flush()
  }

  /** Everything started in this turn of the event loop goes out in one write. */
  #flushSoon(): void {
    if (this.#flushing) return
    this.#flushing = true
    setImmediate(() => {
      this.#flushing = false
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#gone || this.#goodbye) return
    if (!this.#blocked) {
      this.#sendBodies()
      if (this.#held.length > 0) this.#startHeld()
    }
    if (this.#out.size === 0) return
    if (this.#blocked) {
      if (this.#out.size > CONTROL_BACKLOG) this.#end(new Error('the peer sends requests for answers and reads none'))
      return
    }
    if (!this.#socket.write(this.#out.take())) this.#blocked = this.#socket.writableLength > SOCKET_BACKLOG
  }

  #startHeld(): void {
    const now = performance.now()
    this.#watchDeadlines()
    if (this.#liveness.asking) return
    if (!this.#proven && this.#live.size === 0 && this.#liveness.mustAsk(now)) return this.#liveness.ask()
    this.#proven = false
    let started = 0
    for (const { exchange } of this.#held) {
      // Do not begin a request whose body cannot be sent yet. While nothing of it is written, it can still be sent on
      // another session.
      if (this.#sendWindow <= 0 && exchange.request.body.length > 0) break
      // The peer may have lowered its limit since we accepted the request.
      if (this.#nextId > MAX_STREAM_ID || this.#live.size >= this.#peerStreams) break
      if (this.#out.size > SOCKET_BACKLOG) {
        this.#flushSoon()
        break
      }
      this.#startStream(exchange, now)
      started++
    }
    this.#held = started === this.#held.length ? [] : this.#held.slice(started)
    if (this.#nextId > MAX_STREAM_ID) this.#retire()
  }

  /** Stream ids are exhausted. Requests that have not begun fail as `not_processed`; running ones may finish. */
  #retire(): void {
    this.draining = true
    this.#rejectHeld(new Http2Failure('not_processed', 'the connection ran out of stream ids'))
  }

  #startStream(exchange: Exchange, now: number): void {
    const id = this.#nextId
    this.#nextId += 2
    const { body } = exchange.request
    const stream: Stream = {
      exchange,
      id,
      startedAt: now,
      sendWindow: this.#peerWindow,
      sent: 0,
      receiveWindow: DEFAULT_WINDOW,
      reply: new ReplyBuilder(),
    }
    this.#live.set(id, stream)
    this.#writer.head(exchange.request, id, body.length === 0)
    if (body.length > 0) this.#sendBody(stream)
  }

  #sendBodies(): void {
    for (const stream of this.#unsent) {
      if (this.#sendWindow <= 0) return
      this.#sendBody(stream)
    }
  }

  /** Sends as much of a body as windows and frame size allow. */
  #sendBody(stream: Stream): void {
    const { body } = stream.exchange.request
    while (stream.sent < body.length) {
      const part = Math.min(body.length - stream.sent, this.#sendWindow, stream.sendWindow, this.#writer.frameSize)
      if (part <= 0) {
        this.#unsent.add(stream)
        return
      }
      this.#writer.data(body, stream.sent, stream.sent + part, stream.id)
      stream.sent += part
      stream.sendWindow -= part
      this.#sendWindow -= part
    }
    this.#unsent.delete(stream)
  }

  // ---- reading

  #read(chunk: Buffer): void {
    if (this.#gone) return
    this.#liveness.heard(performance.now())
    const before = this.#live.size
    try {
      this.#parser.push(chunk)
    } catch (error) {
      if (error instanceof HpackError) this.#protocolError(CODE.COMPRESSION_ERROR, error.message)
      else if (error instanceof ConnectionError) this.#protocolError(error.code, error.message)
      else throw error
      return
    }
    if (this.#out.size > 0 || this.#unsent.size > 0 || this.#held.length > 0) this.#flushSoon()
    if (this.#live.size < before) this.#freed()
  }

  #freed(): void {
    if (this.draining) this.#leaveWhenDone()
    this.#events.freed()
  }

  #frame(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (this.#opening) {
      if (type !== FRAME.settings || (flags & FLAG.ack) !== 0) {
        throw new ConnectionError(CODE.PROTOCOL_ERROR, 'the first frame of the peer is not SETTINGS')
      }
    }
    this.#blocks.check(type, id)
    switch (type) {
      case FRAME.headers:
        this.#checkStreamId(id)
        return this.#blocks.headers(flags, id, bytes, start, end)
      case FRAME.data:
        return this.#dataFrame(flags, id, bytes, start, end)
      case FRAME.windowUpdate:
        return this.#windowUpdateFrame(id, bytes, start, end)
      case FRAME.reset:
        return this.#resetFrame(id, bytes, start, end)
      case FRAME.settings:
        return this.#settingsFrame(flags, id, bytes, start, end)
      case FRAME.ping:
        return this.#pingFrame(flags, id, bytes, start, end)
      case FRAME.goaway:
        return this.#goawayFrame(id, bytes, start, end)
      case FRAME.continuation:
        return this.#blocks.continuation(flags, bytes, start, end)
      case FRAME.pushPromise:
        throw new ConnectionError(CODE.PROTOCOL_ERROR, 'the peer sent a push although our SETTINGS disable it')
      case FRAME.priority:
        return expectSize(end - start, 5, 'PRIORITY')
      default:
      // Unknown frames are ignored (RFC 9113 section 4.1).
    }
  }

  /**
   * Handles one whole header block. That of an unknown stream is decoded too, because later blocks may refer to the
   * table entries that it adds.
   */
  #block(id: number, endStream: boolean, bytes: Buffer, start: number, end: number): void {
    const fields = this.#decoder.decode(bytes, start, end)
    const stream = this.#live.get(id)
    if (!stream) return
    if (this.#decoder.tooLarge) return this.#breakStream(stream, CODE.CANCEL, 'the headers of the reply are too large')
    if (stream.reply.hasHead) {
      if (!endStream) return this.#breakStream(stream, CODE.PROTOCOL_ERROR, 'a reply has two heads')
      return this.#finish(stream)
    }
    const head = readHead(fields)
    if (head.kind === 'malformed') return this.#breakStream(stream, CODE.PROTOCOL_ERROR, head.reason)
    if (head.kind === 'informational') {
      if (endStream) this.#breakStream(stream, CODE.PROTOCOL_ERROR, 'the reply ends before its final status')
      return
    }
    stream.reply.head(head.status, head.headers)
    if (endStream) this.#finish(stream)
  }

  #dataFrame(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    this.#checkStreamId(id)
    const length = end - start
    // Padding counts towards the window, and so does data for finished streams.
    this.#receiveWindow -= length
    if (this.#receiveWindow < 0)
      throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'the peer exceeded our flow-control window')
    if (this.#receiveWindow < CONNECTION_WINDOW / 2) {
      writeWindowUpdate(this.#out, 0, CONNECTION_WINDOW - this.#receiveWindow)
      this.#receiveWindow = CONNECTION_WINDOW
    }
    const [from, to] = unpad(flags, bytes, start, end, 0)
    const stream = this.#live.get(id)
    if (!stream) return
    stream.receiveWindow -= length
    if (stream.receiveWindow < 0) {
      return this.#breakStream(stream, CODE.FLOW_CONTROL_ERROR, 'the peer overran the window of the stream')
    }
    if (!stream.reply.hasHead) return this.#breakStream(stream, CODE.PROTOCOL_ERROR, 'the reply has a body and no head')
    stream.reply.data(bytes, from, to)
    if ((flags & FLAG.endStream) !== 0) return this.#finish(stream)
    if (stream.reply.overLimit) {
      // The status and the beginning of the body are enough.
      writeReset(this.#out, id, CODE.CANCEL)
      return this.#settle(stream)
    }
    if (stream.receiveWindow < DEFAULT_WINDOW / 2) {
      writeWindowUpdate(this.#out, id, DEFAULT_WINDOW - stream.receiveWindow)
      stream.receiveWindow = DEFAULT_WINDOW
    }
  }

  /** The reply is complete. */
  #finish(stream: Stream): void {
    if (!stream.reply.complete) {
      return this.#breakStream(stream, CODE.PROTOCOL_ERROR, 'the reply is not as long as it says')
    }
    // The peer may answer before it has the whole body. It does not need the rest, so we reset the stream.
    if (stream.sent < stream.exchange.request.body.length) writeReset(this.#out, stream.id, CODE.NO_ERROR)
    this.#settle(stream)
  }

  #settle(stream: Stream): void {
    this.#forget(stream)
    this.answered = true
    this.#liveness.answered()
    stream.exchange.resolve(stream.reply.build())
  }

  #breakStream(stream: Stream, code: number, reason: string): void {
    writeReset(this.#out, stream.id, code)
    this.#fail(stream, 'uncertain', reason)
  }

  #fail(stream: Stream, kind: Http2FailureKind, message: string): void {
    this.#forget(stream)
    stream.exchange.reject(new Http2Failure(kind, message))
  }

  #forget(stream: Stream): void {
    this.#live.delete(stream.id)
    this.#unsent.delete(stream)
  }

  #resetFrame(id: number, bytes: Buffer, start: number, end: number): void {
    this.#checkStreamId(id)
    expectSize(end - start, 4, 'RST_STREAM')
    const code = bytes.readUInt32BE(start)
    const stream = this.#live.get(id)
    if (!stream) return
    const kind = code === CODE.REFUSED_STREAM ? 'not_processed' : 'uncertain'
    this.#fail(stream, kind, `the peer reset the stream with ${codeName(code)}`)
  }

  #windowUpdateFrame(id: number, bytes: Buffer, start: number, end: number): void {
    expectSize(end - start, 4, 'WINDOW_UPDATE')
    const increment = bytes.readUInt32BE(start) & MAX_WINDOW
    if (id === 0) {
      if (increment === 0) throw new ConnectionError(CODE.PROTOCOL_ERROR, 'a WINDOW_UPDATE has an increment of 0')
      this.#sendWindow += increment
      if (this.#sendWindow > MAX_WINDOW) throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'our window is too large')
      return
    }
    this.#checkStreamId(id)
    const stream = this.#live.get(id)
    if (!stream) return
    if (increment === 0) return this.#breakStream(stream, CODE.PROTOCOL_ERROR, 'a WINDOW_UPDATE has an increment of 0')
    stream.sendWindow += increment
    if (stream.sendWindow > MAX_WINDOW) {
      this.#breakStream(stream, CODE.FLOW_CONTROL_ERROR, 'the window of a stream is too large')
    }
  }

  #settingsFrame(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id !== 0) throw new ConnectionError(CODE.PROTOCOL_ERROR, 'SETTINGS arrived on a stream')
    if ((flags & FLAG.ack) !== 0) return expectSize(end - start, 0, 'the acknowledgement of SETTINGS')
    if ((end - start) % 6 !== 0) throw new ConnectionError(CODE.FRAME_SIZE_ERROR, 'SETTINGS has the wrong size')
    for (let at = start; at < end; at += 6) this.#setting(bytes.readUInt16BE(at), bytes.readUInt32BE(at + 2))
    writeSettingsAck(this.#out)
    this.#flushSoon()
    const opening = this.#opening
    this.#opening = undefined
    if (opening) opening.resolve(this)
    else if (this.room > 0) this.#events.freed()
  }

  #setting(id: number, value: number): void {
    switch (id) {
      case SETTING.headerTableSize:
        return this.#writer.setTableSize(value)
      case SETTING.enablePush:
        if (value !== 0) throw new ConnectionError(CODE.PROTOCOL_ERROR, 'a server cannot enable push')
        return
      case SETTING.maxConcurrentStreams:
        this.#peerStreams = value
        return
      case SETTING.initialWindowSize: {
        if (value > MAX_WINDOW) throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'the initial window is too large')
        // Windows of running streams change by the difference and may become negative (RFC 9113 section 6.9.2).
        const change = value - this.#peerWindow
        this.#peerWindow = value
        for (const stream of this.#live.values()) {
          stream.sendWindow += change
          if (stream.sendWindow > MAX_WINDOW) {
            throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'the window of a stream is too large')
          }
        }
        return
      }
      case SETTING.maxFrameSize:
        if (value < DEFAULT_FRAME_SIZE || value > MAX_FRAME_SIZE) {
          throw new ConnectionError(CODE.PROTOCOL_ERROR, `${value} is not a frame size`)
        }
        this.#writer.frameSize = value
        return
      default:
      // Unknown settings are ignored (RFC 9113 section 6.5.2).
    }
  }

  #pingFrame(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id !== 0) throw new ConnectionError(CODE.PROTOCOL_ERROR, 'PING arrived on a stream')
    expectSize(end - start, 8, 'PING')
    if ((flags & FLAG.ack) !== 0) return this.#liveness.acknowledged(performance.now())
    writePing(this.#out, bytes.subarray(start, end), true)
  }

  #goawayFrame(id: number, bytes: Buffer, start: number, end: number): void {
    if (id !== 0) throw new ConnectionError(CODE.PROTOCOL_ERROR, 'GOAWAY arrived on a stream')
    if (end - start < 8) throw new ConnectionError(CODE.FRAME_SIZE_ERROR, 'GOAWAY has the wrong size')
    const lastId = bytes.readUInt32BE(start) & MAX_STREAM_ID
    const code = bytes.readUInt32BE(start + 4)
    const debug = bytes.toString('utf8', start + 8, Math.min(end, start + 208))
    const message = `the peer said GOAWAY with ${codeName(code)}${debug ? `: ${debug}` : ''}`
    const kind = code === CODE.ENHANCE_YOUR_CALM ? 'calm' : 'not_processed'
    this.draining = true
    for (const stream of this.#live.values()) if (stream.id > lastId) this.#fail(stream, kind, message)
    this.#rejectHeld(new Http2Failure(kind, message))
    this.#freed()
  }

  #checkStreamId(id: number): void {
    // Even ids are for streams that the server opens, which it may not do. We have not opened ids from `nextId` on.
    if (id % 2 === 0 || id >= this.#nextId) {
      throw new ConnectionError(CODE.PROTOCOL_ERROR, `the peer uses stream ${id}, which is not open`)
    }
  }

  // ---- time

  #watchDeadlines(): void {
    if (this.#deadlineTimer || this.#gone) return
    const oldest = this.#oldestSince()
    if (oldest === undefined) return
    const left = oldest + this.#settings.deadlineMs - performance.now()
    // One timer serves all requests: they have the same time limit, so the oldest one reaches it first.
    this.#deadlineTimer = setTimeout(() => this.#checkDeadlines(), Math.max(1, left)).unref()
  }

  #oldestSince(): number | undefined {
    const [stream] = this.#live.values()
    return stream?.startedAt ?? this.#held[0]?.since
  }

  #checkDeadlines(): void {
    this.#deadlineTimer = undefined
    const { deadlineMs } = this.#settings
    const limit = performance.now() - deadlineMs
    let missed = 0
    for (const stream of this.#live.values()) {
      if (stream.startedAt > limit) break
      this.#breakStream(stream, CODE.CANCEL, `no answer within ${deadlineMs} ms`)
      missed++
    }
    const late = this.#held.filter(({ since }) => since <= limit)
    if (late.length > 0) {
      this.#held = this.#held.filter(({ since }) => since > limit)
      const failure = new Http2Failure('not_processed', `the peer accepted no request for ${deadlineMs} ms`)
      for (const { exchange } of late) exchange.reject(failure)
    }
    for (let i = 0; i < missed + late.length; i++) this.#liveness.missed()
    this.#watchDeadlines()
    if (missed + late.length > 0) {
      this.#flushSoon()
      this.#freed()
    }
  }

  // ---- ending

  #rejectHeld(failure: Http2Failure): void {
    const held = this.#held
    this.#held = []
    for (const { exchange } of held) exchange.reject(failure)
  }

  /** A draining connection ends with its last stream. */
  #leaveWhenDone(): void {
    if (this.streams > 0 || this.#goodbye || this.#gone || this.#opening) return
    this.#sayGoodbye(CODE.NO_ERROR, '')
  }

  #protocolError(code: number, reason: string): void {
    if (this.#gone) return
    this.#sayGoodbye(code, reason)
    this.#end(new Error(`the peer broke the protocol: ${reason}`))
  }

  #sayGoodbye(code: number, reason: string): void {
    this.#goodbye = true
    writeGoaway(this.#out, 0, code, reason)
    this.#socket.end(this.#out.take())
    setTimeout(() => this.#socket.destroy(), GOODBYE_MS).unref()
  }

  /** The connection is gone: settles all remaining requests. */
  #end(error: Error): void {
    if (this.#gone) return
    this.#gone = true
    this.draining = true
    this.#parser.stop()
    this.#liveness.stop()
    clearTimeout(this.#deadlineTimer)
    // After GOAWAY, `sayGoodbye` destroys the socket later, so that the peer has a moment to read it.
    if (!this.#goodbye) this.#socket.destroy()

    const { host } = this.#settings.origin
    const refused = !this.answered && isCertificateRefusal(error, this.#settings.hasCertificate)
    const why = `${refused ? `${host} refused our certificate` : `connection to ${host} lost`}: ${describeError(error)}`
    const failure = (kind: Http2FailureKind) => new Http2Failure(refused ? 'rejected' : kind, why, { cause: error })
    if (this.#opening) return this.#opening.reject(failure('unreachable'))
    const live = [...this.#live.values()]
    this.#live.clear()
    this.#unsent.clear()
    for (const { exchange } of live) exchange.reject(failure('uncertain'))
    this.#rejectHeld(failure('not_processed'))
    this.#events.closed(failure('unreachable'))
  }
}

const PING_PAYLOAD = Buffer.from('appsvc?!', 'latin1')
