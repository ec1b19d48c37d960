import type { Socket } from 'node:net'
import { answer } from './batch.ts'
import { ByteWriter } from './byte-writer.ts'
import { Deadline } from './deadline.ts'
import {
  CODE,
  ConnectionError,
  codeName,
  expectSize,
  FLAG,
  FRAME,
  FrameParser,
  MAX_STREAM_ID,
  MAX_WINDOW,
  writeGoaway,
  writePing,
  writeReset,
} from './frames.ts'
import { HpackError } from './hpack-decoder.ts'
import { Inflow } from './inflow.ts'
import { Liveness } from './liveness.ts'
import { Outflow } from './outflow.ts'
import { PeerSettings, writeIntroduction } from './peer-settings.ts'
import { RequestQueue } from './request-queue.ts'
import {
  describeError,
  GOODBYE_MS,
  type OpenSession,
  type Session,
  type SessionEvents,
  type SessionSettings,
} from './session.ts'
import { isCertificateRefusal, openSocket } from './socket.ts'
import { type Stream, Streams } from './streams.ts'
import { type Batch, Http2Failure, type Http2FailureKind } from './types.ts'

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

/** Bytes that wait in the socket and above which nothing new is started. */
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
  readonly #streams = new Streams()
  readonly #outflow: Outflow
  readonly #inflow: Inflow
  readonly #peer: PeerSettings
  readonly #liveness: Liveness
  readonly #deadline: Deadline
  /** Requests that are accepted but not yet written. */
  readonly #held = new RequestQueue()

  #nextId: number

  #flushing = false
  /** Monotonic time when the flush that is due was asked for. */
  #turnAt = 0
  #blocked = false
  /** The peer answered a PING, so held requests may be sent. */
  #proven = false
  #goodbye = false
  #gone = false
  answered = false
  used = false
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
    this.#outflow = new Outflow(this.#out, this.#streams, settings)
    this.#peer = new PeerSettings(this.#out, this.#outflow)
    this.#deadline = new Deadline(
      settings.deadlineMs,
      () => this.#oldestSince(),
      (limit) => this.#deadlineReached(limit),
    )
    this.#inflow = new Inflow(this.#out, this.#streams, {
      finished: (stream) => this.#finish(stream),
      enough: (stream) => {
        writeReset(this.#out, stream.id, CODE.CANCEL)
        this.#settle(stream)
      },
      broken: (stream, code, reason) => this.#breakStream(stream, code, reason),
    })
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
    writeIntroduction(this.#out)
    this.#flush()
    if (socket.destroyed) this.#end(socket.errored ?? new Error('the connection was closed'))
    else socket.resume()
  }

  get room(): number {
    if (this.draining || this.#opening) return 0
    return Math.min(this.#peer.maxStreams, this.#settings.maxStreams) - this.streams
  }

  get streams(): number {
    return this.#streams.size + this.#held.size
  }

  start(batch: Batch, index: number): void {
    this.used = true
    this.#flushSoon()
    this.#held.push(batch, index, this.#turnAt)
  }

  check(): void {
    if (this.streams === 0 && this.#liveness.mustAsk(performance.now())) this.#liveness.ask()
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

  /** Sends everything that is started in this turn of the event loop in one write. */
  #flushSoon(): void {
    if (this.#flushing) return
    this.#flushing = true
    this.#turnAt = performance.now()
    setImmediate(() => {
      this.#flushing = false
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#gone || this.#goodbye) return
    // The socket has written, and so encrypted, all that it got.
    if (this.#socket.writableLength === 0) this.#out.restart()
    if (!this.#blocked) {
      this.#outflow.sendBodies()
      if (this.#held.size > 0) this.#startHeld()
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
    this.#deadline.watch()
    if (this.#liveness.asking) return
    if (!this.#proven && this.#streams.size === 0 && this.#liveness.mustAsk(now)) return this.#liveness.ask()
    this.#proven = false
    const held = this.#held
    while (held.size > 0) {
      // Do not begin a request whose body cannot be sent yet. While nothing of it is written, it can still be sent on
      // another session.
      if (!this.#outflow.allows(held.batch, held.index)) break
      // The peer may have lowered its limit since we accepted the request.
      if (this.#nextId > MAX_STREAM_ID || this.#streams.size >= this.#peer.maxStreams) break
      if (this.#out.size > SOCKET_BACKLOG) {
        this.#flushSoon()
        break
      }
      const { batch, index } = held
      held.drop()
      this.#startStream(batch, index, now)
    }
    if (this.#nextId > MAX_STREAM_ID) this.#retire()
  }

  /** Retires a connection whose stream ids are exhausted. Requests that have not begun fail as `not_processed`; running ones may finish. */
  #retire(): void {
    this.draining = true
    this.#held.fail(new Http2Failure('not_processed', 'the connection ran out of stream ids'))
  }

  #startStream(batch: Batch, index: number, now: number): void {
    const refusal = this.#outflow.start(this.#nextId, batch, index, now)
    if (refusal) batch.failed(index, refusal)
    else this.#nextId += 2
  }

  // ---- reading

  #read(chunk: Buffer): void {
    if (this.#gone) return
    this.#liveness.heard(performance.now())
    const before = this.#streams.size
    try {
      this.#parser.push(chunk)
    } catch (error) {
      if (error instanceof HpackError) this.#protocolError(CODE.COMPRESSION_ERROR, error.message)
      else if (error instanceof ConnectionError) this.#protocolError(error.code, error.message)
      else throw error
      return
    }
    if (this.#out.size > 0 || this.#outflow.hasUnsent || this.#held.size > 0) this.#flushSoon()
    if (this.#streams.size < before) this.#freed()
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
    this.#inflow.blocks.check(type, id)
    switch (type) {
      case FRAME.headers:
        this.#checkStreamId(id)
        return this.#inflow.blocks.headers(flags, id, bytes, start, end)
      case FRAME.data:
        this.#checkStreamId(id)
        return this.#inflow.data(flags, id, bytes, start, end)
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
        return this.#inflow.blocks.continuation(flags, bytes, start, end)
      case FRAME.pushPromise:
        throw new ConnectionError(CODE.PROTOCOL_ERROR, 'the peer sent a push although our SETTINGS disable it')
      case FRAME.priority:
        return expectSize(end - start, 5, 'PRIORITY')
      default:
      // Unknown frames are ignored (RFC 9113 section 4.1).
    }
  }

  /** Settles a stream whose reply is complete. */
  #finish(stream: Stream): void {
    if (!stream.complete) {
      return this.#breakStream(stream, CODE.PROTOCOL_ERROR, 'the reply is not as long as it says')
    }
    // The peer may answer before it has the whole body. It does not need the rest, so we reset the stream.
    if (stream.body) writeReset(this.#out, stream.id, CODE.NO_ERROR)
    this.#settle(stream)
  }

  #settle(stream: Stream): void {
    const { batch, index } = stream
    const reply = stream.build()
    this.#forget(stream)
    this.answered = true
    this.#liveness.answered()
    if (reply) answer(batch, index, reply)
    else batch.accepted!(index)
  }

  #breakStream(stream: Stream, code: number, reason: string): void {
    writeReset(this.#out, stream.id, code)
    this.#fail(stream, new Http2Failure('uncertain', reason))
  }

  #fail(stream: Stream, failure: Http2Failure): void {
    const { batch, index } = stream
    this.#forget(stream)
    batch.failed(index, failure)
  }

  #forget(stream: Stream): void {
    this.#outflow.forget(stream)
    this.#streams.close(stream)
  }

  #resetFrame(id: number, bytes: Buffer, start: number, end: number): void {
    this.#checkStreamId(id)
    expectSize(end - start, 4, 'RST_STREAM')
    const code = bytes.readUInt32BE(start)
    const stream = this.#streams.find(id)
    if (!stream) return
    const kind = code === CODE.REFUSED_STREAM ? 'not_processed' : 'uncertain'
    this.#fail(stream, new Http2Failure(kind, `the peer reset the stream with ${codeName(code)}`))
  }

  #windowUpdateFrame(id: number, bytes: Buffer, start: number, end: number): void {
    expectSize(end - start, 4, 'WINDOW_UPDATE')
    const increment = bytes.readUInt32BE(start) & MAX_WINDOW
    if (id === 0) return this.#outflow.widen(increment)
    this.#checkStreamId(id)
    const stream = this.#streams.find(id)
    if (!stream) return
    const flaw = this.#outflow.widenStream(stream, increment)
    if (flaw) this.#breakStream(stream, flaw.code, flaw.message)
  }

  #settingsFrame(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (!this.#peer.frame(flags, id, bytes, start, end)) return
    this.#flushSoon()
    const opening = this.#opening
    this.#opening = undefined
    if (opening) opening.resolve(this)
    else if (this.room > 0) this.#events.freed()
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
    const failure = new Http2Failure(kind, message)
    for (const stream of this.#streams.values()) if (stream.id > lastId) this.#fail(stream, failure)
    this.#held.fail(failure)
    this.#freed()
  }

  #checkStreamId(id: number): void {
    // Even ids are for streams that the server opens, which it may not do. We have not opened ids from `nextId` on.
    if (id % 2 === 0 || id >= this.#nextId) {
      throw new ConnectionError(CODE.PROTOCOL_ERROR, `the peer uses stream ${id}, which is not open`)
    }
  }

  // ---- time

  #oldestSince(): number | undefined {
    const [stream] = this.#streams.values()
    return stream?.startedAt ?? (this.#held.size > 0 ? this.#held.since : undefined)
  }

  /** Requests that began at `limit` or before have waited for too long. */
  #deadlineReached(limit: number): void {
    const { deadlineMs } = this.#settings
    let missed = 0
    for (const stream of this.#streams.values()) {
      if (stream.startedAt > limit) break
      this.#breakStream(stream, CODE.CANCEL, `no answer within ${deadlineMs} ms`)
      missed++
    }
    if (this.#held.size > 0 && this.#held.since <= limit) {
      const failure = new Http2Failure('not_processed', `the peer accepted no request for ${deadlineMs} ms`)
      missed += this.#held.fail(failure, limit)
    }
    for (let i = 0; i < missed; i++) this.#liveness.missed()
    if (missed > 0) {
      this.#flushSoon()
      this.#freed()
    }
  }

  // ---- ending

  /** Ends a draining connection with its last stream. */
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
    this.#deadline.stop()
    // After GOAWAY, `sayGoodbye` destroys the socket later, so that the peer has a moment to read it.
    if (!this.#goodbye) this.#socket.destroy()

    const { host } = this.#settings.origin
    const refused = !this.answered && isCertificateRefusal(error, this.#settings.hasCertificate)
    const why = `${refused ? `${host} refused our certificate` : `connection to ${host} lost`}: ${describeError(error)}`
    const failure = (kind: Http2FailureKind) => new Http2Failure(refused ? 'rejected' : kind, why, { cause: error })
    if (this.#opening) return this.#opening.reject(failure('unreachable'))
    const lost = failure('uncertain')
    for (const stream of this.#streams.values()) this.#fail(stream, lost)
    this.#held.fail(failure('not_processed'))
    this.#events.closed(failure('unreachable'))
  }
}

const PING_PAYLOAD = Buffer.from('appsvc?!', 'latin1')
