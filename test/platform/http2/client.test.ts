import { expect } from 'chai'
import { Single } from '../../../src/platform/http2/batch.ts'
import { openFastSession } from '../../../src/platform/http2/client.ts'
import { CODE, FRAME, MAX_STREAM_ID, SETTING } from '../../../src/platform/http2/frames.ts'
import { openPool } from '../../../src/platform/http2/pool.ts'
import type { Session, SessionEvents, SessionSettings } from '../../../src/platform/http2/session.ts'
import type { Http2Failure, Http2Pool, PushReply } from '../../../src/platform/http2/types.ts'
import { fakeTimers } from '../../support/fake-timers.ts'
import {
  openRawHttp2Server,
  type RawHttp2Server,
  type RawOptions,
  type RawPeer,
  type RawRequest,
} from '../../support/raw-http2-server.ts'
import { ANSWERED_MS, outcomeOf, requestOf } from './both.ts'

const answer = ({ streamId }: RawRequest, peer: RawPeer) => peer.reply(streamId)

/** Promises of our own client only: how the bytes look, and what happens at limits nobody reaches in a test otherwise. */
describe('our own HTTP/2 client', () => {
  let server: RawHttp2Server
  let pool: Http2Pool | undefined

  async function start(script = answer, raw: RawOptions = {}): Promise<Http2Pool> {
    server = await openRawHttp2Server(raw, script)
    pool = openPool({ origin: server.origin })
    return pool
  }

  afterEach(async () => {
    const closed = pool?.close()
    await server.close()
    await closed
    pool = undefined
  })

  it('constant headers are one byte each, path and authorization are never indexed', async () => {
    await start()
    const headers = { 'apns-topic': 'com.example.app', 'apns-push-type': 'alert', authorization: 'bearer a.b.c' }
    for (let i = 0; i < 4; i++) await outcomeOf(pool!, requestOf(`/3/device/${i}`, '{}', headers))
    const blocks = (await server.peer(0)).framesOf(FRAME.headers).map(({ payload }) => payload)
    const last = blocks[3]!
    // method, scheme, authority; then the path as a literal that nobody may store
    expect(last.subarray(0, 3).every((byte) => byte >= 0x80)).to.equal(true)
    expect(last[3]).to.equal(0x14)
    const path = 4 + 1 + '/3/device/3'.length
    expect(last.subarray(path, path + 3).every((byte) => byte >= 0x80)).to.equal(true)
    // authorization is entry 23 of the static table: 0001 1111, then 23 - 15
    expect(last.subarray(path + 3, path + 5).toString('hex')).to.equal('1f08')
    expect(last.length).to.be.lessThan(blocks[0]!.length / 3)
  })

  it('the names that are never indexed can be chosen', async () => {
    server = await openRawHttp2Server({}, answer)
    pool = openPool({ origin: server.origin, neverIndexed: ['x-secret'] })
    for (let i = 0; i < 4; i++) await outcomeOf(pool, requestOf('/same', '', { authorization: 'a', 'x-secret': 'b' }))
    const last = (await server.peer(0)).framesOf(FRAME.headers)[3]!.payload
    expect(last.subarray(0, 6).every((byte) => byte >= 0x80)).to.equal(true)
    expect(last[6]! & 0xf0).to.equal(0x10)
  })

  it('a peer without a table gets literals and is told so', async () => {
    await start(answer, { settings: [[SETTING.headerTableSize, 0]] })
    for (let i = 0; i < 4; i++) expect(await outcomeOf(pool!)).to.equal('200')
    const blocks = (await server.peer(0)).framesOf(FRAME.headers).map(({ payload }) => payload)
    expect(blocks[0]![0]).to.equal(0x20)
    expect(blocks[3]!.length).to.equal(blocks[2]!.length)
  })

  it('headers larger than a frame go on in CONTINUATION', async () => {
    await start(({ streamId, headers }, peer) => peer.reply(streamId, 200, {}, String(headers['x-large']?.length)))
    const large = 'x'.repeat(40_000)
    expect(await outcomeOf(pool!, requestOf('/', 'body', { 'x-large': large }))).to.equal('200 40000')
    const peer = await server.peer(0)
    expect(peer.framesOf(FRAME.headers)[0]!.payload.length).to.equal(16_384)
    expect(peer.framesOf(FRAME.continuation)).to.have.length(2)
    expect(await outcomeOf(pool!)).to.equal('200 undefined')
  })

  it('reply headers that never end are cut off', async () => {
    await start(({ streamId }, peer) => {
      peer.frame(FRAME.headers, 0, streamId, Buffer.from([0x88]))
      for (let i = 0; i < 50; i++) peer.frame(FRAME.continuation, 0, streamId)
    })
    expect(await outcomeOf(pool!)).to.equal('uncertain')
    const peer = await server.peer(0)
    await peer.until(() => peer.closed)
    expect(peer.framesOf(FRAME.goaway)[0]!.payload.readUInt32BE(4)).to.equal(CODE.ENHANCE_YOUR_CALM)
  })

  it('a list of references that would unpack to far more than was sent is refused', async () => {
    await start(({ streamId }, peer) => {
      if (streamId > 1) return peer.reply(streamId)
      // One entry of 4 000 bytes, referred to a thousand times: 4 MB out of 5 kB.
      const entry = Buffer.concat([Buffer.from([0x88, 0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]), Buffer.alloc(4000, 'z')])
      const block = Buffer.concat([entry, Buffer.alloc(1000, 0xbe)])
      peer.frame(FRAME.headers, 5, streamId, block)
    })
    expect(await outcomeOf(pool!)).to.equal('uncertain')
    expect(await outcomeOf(pool!)).to.equal('200')
    expect(server.peers).to.have.length(1)
  })

  it('a reply to the early end of a body that is still here stops the body', async () => {
    await start(answer, { settings: [[SETTING.initialWindowSize, 3]], refillWindow: false })
    const outcome = outcomeOf(pool!, requestOf('/', 'long body'))
    const peer = await server.peer(0)
    await peer.until(() => peer.framesOf(FRAME.data).length === 1)
    peer.reply(1, 403, {}, 'no')
    expect(await outcome).to.equal('403 no')
    await peer.until(() => peer.framesOf(FRAME.reset, 1).length === 1)
    peer.window(1, 100)
    expect(await outcomeOf(pool!, requestOf('/', ''))).to.equal('200')
    expect(peer.framesOf(FRAME.data)).to.have.length(1)
  })

  it('a peer that takes requests but gives no window for bodies is left: what was not written is free', async () => {
    server = await openRawHttp2Server({ refillWindow: false }, answer)
    pool = openPool({ origin: server.origin, deadlineMs: ANSWERED_MS })
    expect(await outcomeOf(pool, requestOf('/', 'x'.repeat(65_535)))).to.equal('200')
    const timers = fakeTimers()
    try {
      let outcome: string | undefined
      void outcomeOf(pool, requestOf('/', 'x')).then((one) => (outcome = one))
      // The peer hears nothing of it that could be waited for.
      while (outcome === undefined) {
        timers.pass(ANSWERED_MS)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(outcome).to.equal('not_processed')
    } finally {
      timers.end()
    }
  })

  describe('a session alone', () => {
    let session: Session
    let closed: Promise<Http2Failure>

    async function connect(settings: Partial<SessionSettings> = {}): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<Http2Failure>()
      closed = promise
      const events: SessionEvents = { freed: () => {}, closed: resolve }
      session = await openFastSession(
        {
          origin: new URL(server.origin),
          context: undefined,
          hasCertificate: false,
          maxStreams: 100,
          deadlineMs: ANSWERED_MS,
          connectTimeoutMs: ANSWERED_MS,
          pingIdleMs: ANSWERED_MS,
          pingTimeoutMs: ANSWERED_MS,
          neverIndexed: [],
          firstStreamId: 1,
          ...settings,
        },
        events,
        new AbortController().signal,
      )
    }

    const send = (path: string) =>
      new Promise<PushReply>((resolve, reject) => session.start(new Single(requestOf(path), resolve, reject), 0))

    it('stream ids run out: the session ends by itself after its last answer', async () => {
      server = await openRawHttp2Server({}, answer)
      await connect({ firstStreamId: MAX_STREAM_ID - 2 })
      const outcomes = await Promise.allSettled([send('/a'), send('/b'), send('/c')])
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected'])
      expect(outcomes[2]).to.have.nested.property('reason.kind', 'not_processed')
      expect(session).to.include({ room: 0, draining: true })
      await closed
      expect((await server.peer(0)).framesOf(FRAME.goaway)).to.have.length(1)
    })

    it('says how much room there is', async () => {
      server = await openRawHttp2Server({ settings: [[SETTING.maxConcurrentStreams, 3]] })
      await connect()
      expect(session.room).to.equal(3)
      const sent = Promise.allSettled([send('/a'), send('/b')])
      expect(session).to.include({ room: 1, streams: 2, answered: false })
      session.drain()
      expect(session.room).to.equal(0)
      const peer = await server.peer(0)
      await peer.untilRequests(2)
      peer.cut()
      await sent
      expect((await closed).message).to.match(/connection to 127\.0\.0\.1:\d+ lost/)
    })
  })
})
