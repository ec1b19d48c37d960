import { expect } from 'chai'
import { CODE, FLAG, FRAME, SETTING } from '../../../src/platform/http2/frames.ts'
import type { Http2Pool, PoolOptions } from '../../../src/platform/http2/types.ts'
import { eventually } from '../../support/eventually.ts'
import { type FakeTimers, fakeTimers } from '../../support/fake-timers.ts'
import {
  openRawHttp2Server,
  type RawHttp2Server,
  type RawOptions,
  type RawPeer,
  type RawRequest,
} from '../../support/raw-http2-server.ts'
import { ANSWERED_MS, BOTH, failureOf, outcomeOf, requestOf } from './both.ts'

const answer = ({ streamId }: RawRequest, peer: RawPeer) => peer.reply(streamId)
const byPath = (requests: RawRequest[]) => new Map(requests.map((request) => [request.headers[':path']!, request]))

for (const [name, open] of BOTH) {
  const ours = name === 'our own client'

  describe(`a peer's faults with ${name}`, () => {
    let server: RawHttp2Server
    let pool: Http2Pool

    async function start(
      script?: (request: RawRequest, peer: RawPeer) => void,
      options: Partial<PoolOptions> = {},
      raw: RawOptions = {},
    ): Promise<void> {
      server = await openRawHttp2Server(raw, script)
      pool = open({ origin: server.origin, ...options })
    }

    /** So many requests under way on the first connection. */
    async function underWay(count: number): Promise<{ outcomes: Promise<string>[]; peer: RawPeer }> {
      const outcomes = Array.from({ length: count }, (_, i) => outcomeOf(pool, requestOf(`/${i}`)))
      const peer = await server.peer(0)
      await peer.untilRequests(count)
      return { outcomes, peer }
    }

    afterEach(async () => {
      const closed = pool.close()
      await server.close()
      await closed
    })

    describe('GOAWAY', () => {
      it('with a last id in the middle: what is above was not processed, what is below finishes', async () => {
        await start()
        const { outcomes, peer } = await underWay(3)
        peer.goaway(3, CODE.NO_ERROR)
        expect(await outcomes[2]).to.equal('not_processed')
        peer.reply(1)
        peer.reply(3, 201)
        expect(await Promise.all(outcomes)).to.deep.equal(['200', '201', 'not_processed'])
        await peer.until(() => peer.closed)
      })

      it('with last id 0: nothing was processed, and a new connection takes over', async () => {
        await start((request, peer) => {
          if (peer === server.peers[0]) peer.goaway(0, CODE.NO_ERROR)
          else answer(request, peer)
        })
        expect(await outcomeOf(pool)).to.equal('not_processed')
        expect(await outcomeOf(pool)).to.equal('200')
        expect(server.peers).to.have.length(2)
      })

      it('with the largest last id: everything finishes here, new requests go elsewhere', async () => {
        await start((request, peer) => {
          if (peer !== server.peers[0]) answer(request, peer)
        })
        const { outcomes, peer } = await underWay(2)
        peer.goaway(2 ** 31 - 1, CODE.NO_ERROR)
        peer.ping()
        await peer.until(() => peer.framesOf(FRAME.ping).length > 0)
        expect(await outcomeOf(pool)).to.equal('200')
        expect(peer.closed).to.equal(false)
        peer.reply(3)
        peer.reply(1)
        expect(await Promise.all(outcomes)).to.deep.equal(['200', '200'])
        await peer.until(() => peer.closed)
      })

      it('sends those who wait for a stream elsewhere at once', async () => {
        await start(
          (request, peer) => {
            if (peer !== server.peers[0]) answer(request, peer)
          },
          {},
          { settings: [[SETTING.maxConcurrentStreams, 1]] },
        )
        const { outcomes, peer } = await underWay(1)
        const waiting = outcomeOf(pool)
        peer.goaway(2 ** 31 - 1, CODE.NO_ERROR)
        expect(await waiting).to.equal('200')
        expect(pool.stats().streams).to.equal(1)
        peer.reply(1)
        expect(await outcomes[0]).to.equal('200')
      })

      it('with ENHANCE_YOUR_CALM asks for calm, and its reason is told', async () => {
        await start()
        const { outcomes, peer } = await underWay(1)
        const failure = failureOf(pool)
        await peer.untilRequests(2)
        peer.goaway(1, CODE.ENHANCE_YOUR_CALM, '{"reason":"TooManyConnections"}')
        expect((await failure).kind).to.equal('calm')
        expect((await failure).message)
          .to.include('ENHANCE_YOUR_CALM')
          .and.include('TooManyConnections')
        // Node ends the session at once, our own client lets the older stream finish.
        peer.reply(1)
        expect(await outcomes[0]).to.equal(ours ? '200' : 'uncertain')
      })
    })

    describe('RST_STREAM', () => {
      const ROWS = [
        ['REFUSED_STREAM', 'not_processed'],
        ['ENHANCE_YOUR_CALM', 'uncertain'],
        ['CANCEL', 'uncertain'],
        ['INTERNAL_ERROR', 'uncertain'],
        ['NO_ERROR', 'uncertain'],
      ] as const
      for (const [code, kind] of ROWS) {
        it(`with ${code} is ${kind} and concerns one stream`, async () => {
          await start(({ streamId }, peer) => {
            if (streamId === 1) peer.reset(streamId, CODE[code])
            else peer.reply(streamId)
          })
          expect(await outcomeOf(pool)).to.equal(kind)
          expect(await outcomeOf(pool)).to.equal('200')
          expect(server.peers).to.have.length(1)
        })
      }

      it('after half an answer is uncertain', async () => {
        await start(({ streamId }, peer) => {
          peer.reply(streamId, 200, {}, 'half', false)
          peer.reset(streamId, CODE.CANCEL)
        })
        expect(await outcomeOf(pool)).to.equal('uncertain')
      })
    })

    describe('replies in odd shapes', () => {
      it('headers in CONTINUATION frames, cut anywhere', async () => {
        await start(({ streamId, headers }, peer) => {
          const block = peer.encode({ ':status': '200', 'apns-id': 'abc' })
          const cut = Math.min(Number(headers['x-cut']), block.length)
          peer.frame(FRAME.headers, FLAG.endStream, streamId, block.subarray(0, cut))
          peer.frame(FRAME.continuation, 0, streamId, block.subarray(cut, cut + 1))
          peer.frame(FRAME.continuation, FLAG.endHeaders, streamId, block.subarray(cut + 1))
        })
        for (let cut = 0; cut < 14; cut++) {
          const { headers } = await pool.request(requestOf('/', 'x', { 'x-cut': String(cut) }))
          expect(headers).to.deep.equal({ 'apns-id': 'abc' })
        }
      })

      it('padding, priority, and empty DATA', async () => {
        await start(({ streamId }, peer) => {
          const block = peer.encode({ ':status': '200' })
          const priority = Buffer.from('0000000010', 'hex')
          const flags = FLAG.endHeaders | FLAG.padded | FLAG.priority
          peer.frame(
            FRAME.headers,
            flags,
            streamId,
            Buffer.concat([Buffer.from([3]), priority, block, Buffer.alloc(3)]),
          )
          peer.frame(FRAME.priority, 0, streamId, priority)
          peer.frame(FRAME.data, FLAG.padded, streamId, Buffer.concat([Buffer.from('\x04ab'), Buffer.alloc(4)]))
          peer.frame(FRAME.data, FLAG.padded, streamId, Buffer.from([0]))
          peer.data(streamId, Buffer.from('cd'), false)
          peer.data(streamId, Buffer.alloc(0), true)
        })
        expect(await outcomeOf(pool)).to.equal('200 abcd')
      })

      it('frames and settings that nobody knows are passed over', async () => {
        await start(
          ({ streamId }, peer) => {
            peer.frame(0x7f, 0xff, streamId, Buffer.from('whatever'))
            peer.frame(0xee, 0, 0, Buffer.alloc(100))
            peer.reply(streamId)
          },
          {},
          { settings: [[0x4242, 7]] },
        )
        expect(await outcomeOf(pool)).to.equal('200')
      })

      it('heavy padding does not use the window up', async () => {
        // 230 kB of frames, in portions of 50 kB that a peer with a window of 65 535 may send.
        const padding = Buffer.concat([Buffer.from([255]), Buffer.alloc(255)])
        await start(({ streamId }, peer) => peer.reply(streamId, 200, {}, 'a', false))
        const { outcomes, peer } = await underWay(1)
        for (let portion = 1; portion <= 5; portion++) {
          for (let i = 0; i < 200; i++) peer.frame(FRAME.data, FLAG.padded, 1, padding)
          peer.ping()
          await peer.until(() => peer.framesOf(FRAME.ping).length === portion)
        }
        const given = peer.framesOf(FRAME.windowUpdate, 1).reduce((sum, f) => sum + f.payload.readUInt32BE(), 0)
        expect(given).to.be.greaterThan(5 * 200 * 256 - 65_535)
        peer.data(1, Buffer.from('b'), true)
        expect(await outcomes[0]).to.equal('200 ab')
      })

      const MALFORMED: [what: string, send: (id: number, peer: RawPeer) => void][] = [
        ['without a status', (id, peer) => peer.headers(id, { 'x-a': '1' }, true)],
        ['with a status that is none', (id, peer) => peer.headers(id, { ':status': 'abc' }, true)],
        ['with an upper-case header', (id, peer) => peer.headers(id, { ':status': '200', 'X-A': '1' }, true)],
        ['with a pseudo header of requests', (id, peer) => peer.headers(id, { ':status': '200', ':path': '/' }, true)],
        ['shorter than announced', (id, peer) => peer.reply(id, 200, { 'content-length': '10' }, 'four')],
        ['that ends with an informational status', (id, peer) => peer.headers(id, { ':status': '103' }, true)],
        ['with a body and no head', (id, peer) => peer.data(id, Buffer.from('x'), true)],
      ]
      for (const [what, send] of MALFORMED) {
        it(`a reply ${what} is uncertain`, async () => {
          await start(({ streamId }, peer) => send(streamId, peer))
          expect(await outcomeOf(pool)).to.equal('uncertain')
        })
      }
    })

    describe('flow control and settings', () => {
      it('a tiny window: the body comes in pieces, each when there is room', async () => {
        await start(undefined, {}, { settings: [[SETTING.initialWindowSize, 5]], refillWindow: false })
        const outcome = outcomeOf(pool, requestOf('/', 'twelve bytes'))
        const peer = await server.peer(0)
        const data = () => peer.framesOf(FRAME.data, 1).map(({ payload }) => payload.toString())
        await peer.until(() => data().join('').length === 5)
        peer.window(1, 3)
        await peer.until(() => data().join('').length === 8)
        peer.settings([[SETTING.initialWindowSize, 9]])
        await peer.untilRequests(1)
        expect(data().join('')).to.equal('twelve bytes')
        peer.reply(1)
        expect(await outcome).to.equal('200')
      })

      it('a window that shrinks below zero has to be filled up first', async () => {
        await start(undefined, {}, { settings: [[SETTING.initialWindowSize, 10]], refillWindow: false })
        const outcome = outcomeOf(pool, requestOf('/', '0123456789abcdef'))
        const peer = await server.peer(0)
        const sent = () => Buffer.concat(peer.framesOf(FRAME.data, 1).map(({ payload }) => payload)).toString()
        await peer.until(() => sent().length === 10)
        peer.settings([[SETTING.initialWindowSize, 0]])
        peer.window(1, 10)
        peer.ping()
        await peer.until(() => peer.framesOf(FRAME.ping).length === 1)
        expect(sent()).to.equal('0123456789')
        peer.window(1, 6)
        await peer.untilRequests(1)
        expect(sent()).to.equal('0123456789abcdef')
        peer.reply(1)
        expect(await outcome).to.equal('200')
      })

      it('the window of the connection is one for all streams', async () => {
        await start(answer, {}, { settings: [[SETTING.initialWindowSize, 1_000_000]], refillWindow: false })
        const outcomes = [0, 1, 2].map((i) => outcomeOf(pool, requestOf(`/${i}`, 'x'.repeat(30_000))))
        const peer = await server.peer(0)
        const sent = () => peer.framesOf(FRAME.data).reduce((sum, { payload }) => sum + payload.length, 0)
        await peer.until(() => sent() === 65_535)
        expect(await Promise.all(outcomes.slice(0, 2))).to.deep.equal(['200', '200'])
        peer.window(0, 100_000)
        expect(await outcomes[2]).to.equal('200')
        expect(sent()).to.equal(90_000)
      })

      it('one stream until the first answer, then more, all over one connection', async () => {
        await start(
          ({ streamId }, peer) => {
            if (streamId !== 1) return peer.reply(streamId)
            expect(pool.stats()).to.include({ streams: 1, waiting: 9 })
            peer.settings([[SETTING.maxConcurrentStreams, 100]])
            peer.reply(streamId)
          },
          {},
          { settings: [[SETTING.maxConcurrentStreams, 1]] },
        )
        const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(pool)))
        expect(outcomes).to.deep.equal(Array(10).fill('200'))
        expect(server.peers).to.have.length(1)
      })

      it('no stream at all: those who wait are asked for calm', async () => {
        await start(answer, { deadlineMs: 60 }, { settings: [[SETTING.maxConcurrentStreams, 0]] })
        expect(await outcomeOf(pool)).to.equal('calm')
      })

      it('another connection opens when all streams are taken, up to the cap', async () => {
        const held: [RawPeer, number][] = []
        let holding = false
        await start(
          ({ streamId }, peer) => {
            if (holding) held.push([peer, streamId])
            else peer.reply(streamId)
          },
          { maxSessions: 2 },
          { settings: [[SETTING.maxConcurrentStreams, 1]] },
        )
        expect(await outcomeOf(pool)).to.equal('200')
        holding = true
        const outcomes = Array.from({ length: 5 }, () => outcomeOf(pool))
        await (await server.peer(1)).untilRequests(1)
        expect(pool.stats()).to.deep.equal({ sessions: 2, streams: 2, waiting: 3 })
        holding = false
        for (const [peer, streamId] of held) peer.reply(streamId)
        expect(await Promise.all(outcomes)).to.deep.equal(Array(5).fill('200'))
        expect(server.peers).to.have.length(2)
      })

      it('PING is answered with its own payload, SETTINGS is acknowledged', async () => {
        await start()
        const { outcomes, peer } = await underWay(1)
        peer.ping()
        await peer.until(() => peer.framesOf(FRAME.ping).length === 1)
        expect(peer.framesOf(FRAME.ping)[0]).to.include({ flags: FLAG.ack })
        expect(peer.framesOf(FRAME.ping)[0]!.payload.toString()).to.equal('12345678')
        expect(peer.framesOf(FRAME.settings).filter(({ flags }) => flags === FLAG.ack)).to.have.length(1)
        peer.reply(1)
        expect(await outcomes[0]).to.equal('200')
      })
    })

    describe('silence', () => {
      let timers: FakeTimers
      beforeEach(() => {
        timers = fakeTimers()
      })
      afterEach(() => timers.end())

      /** Tells what becomes of a request that has arrived and gets no answer, or only half of one. */
      async function missed(path = '/'): Promise<string> {
        const before = server.peers.reduce((sum, { requests }) => sum + requests.length, 0)
        const outcome = outcomeOf(pool, requestOf(path))
        const peer = await server.peer(0)
        await peer.untilRequests(before + 1)
        timers.pass(ANSWERED_MS)
        return outcome
      }

      it('a request over its deadline is uncertain and its stream is cancelled', async () => {
        await start(
          ({ streamId }, peer) => {
            if (streamId !== 1) peer.reply(streamId)
          },
          { deadlineMs: ANSWERED_MS },
        )
        expect(await missed()).to.equal('uncertain')
        const peer = await server.peer(0)
        await peer.until(() => peer.framesOf(FRAME.reset, 1).length === 1)
        expect(peer.framesOf(FRAME.reset, 1)[0]!.payload.readUInt32BE()).to.equal(CODE.CANCEL)
        expect(await outcomeOf(pool)).to.equal('200')
        expect(server.peers).to.have.length(1)
      })

      it('an answer that stops half-way is uncertain too', async () => {
        await start(({ streamId }, peer) => peer.reply(streamId, 200, {}, 'half', false), { deadlineMs: ANSWERED_MS })
        expect(await missed()).to.equal('uncertain')
      })

      it('an answer after the deadline hurts nobody', async () => {
        await start(
          ({ streamId, headers }, peer) => {
            if (headers[':path'] === '/first') return
            peer.reply(1, 200, { 'x-late': 'yes' }, 'late')
            peer.reply(streamId, 200, { 'x-late': 'no' }, 'in time')
          },
          { deadlineMs: ANSWERED_MS },
        )
        expect(await missed('/first')).to.equal('uncertain')
        expect(await outcomeOf(pool, requestOf('/second'))).to.equal('200 in time')
      })

      it('two silent deadlines in a row: the next request gets another connection', async () => {
        await start((request, peer) => peer !== server.peers[0] && answer(request, peer), { deadlineMs: ANSWERED_MS })
        expect(await missed()).to.equal('uncertain')
        expect(await missed()).to.equal('uncertain')
        expect(await outcomeOf(pool)).to.equal('200')
        expect(server.peers).to.have.length(2)
      })

      it('a peer that does not answer PING after a missed deadline is dead', async () => {
        await start(
          ({ streamId }, peer) => {
            if (streamId === 3) peer.reply(streamId)
          },
          { deadlineMs: ANSWERED_MS, pingTimeoutMs: ANSWERED_MS },
          { answerPing: false },
        )
        expect(await missed()).to.equal('uncertain')
        const peer = await server.peer(0)
        await peer.until(() => peer.framesOf(FRAME.ping).length === 1)
        expect(peer.closed).to.equal(false)
        timers.pass(ANSWERED_MS)
        await peer.until(() => peer.closed)
        expect(pool.stats().streams).to.equal(0)
      })

      it('after a pause PING goes first, and the request only when it is answered', async () => {
        await start(answer, { pingIdleMs: 0 })
        expect(await outcomeOf(pool)).to.equal('200')
        const peer = await server.peer(0)
        const order = peer.frames.filter(({ type }) => type === FRAME.ping || type === FRAME.headers)
        expect(order.map(({ type }) => type)).to.deep.equal([FRAME.ping, FRAME.headers])
      })

      it('a peer that is gone after a pause got nothing', async () => {
        await start(answer, { pingIdleMs: 0, pingTimeoutMs: ANSWERED_MS }, { answerPing: false })
        const outcome = outcomeOf(pool)
        const peer = await server.peer(0)
        await peer.until(() => peer.framesOf(FRAME.ping).length === 1)
        timers.pass(ANSWERED_MS)
        expect(await outcome).to.equal('not_processed')
        expect((await server.peer(0)).requests).to.have.length(0)
      })

      it('a peer that never says SETTINGS is unreachable', async () => {
        await start(answer, { connectTimeoutMs: 80 }, { settings: false })
        expect(await outcomeOf(pool)).to.equal('unreachable')
      })
    })

    describe('cuts and garbage', () => {
      it('a cut before the answer is uncertain for all that were written', async () => {
        await start()
        const { outcomes, peer } = await underWay(3)
        peer.cut()
        expect(await Promise.all(outcomes)).to.deep.equal(Array(3).fill('uncertain'))
        expect(pool.stats()).to.deep.equal({ sessions: 0, streams: 0, waiting: 0 })
      })

      it('a cut inside the answer is uncertain', async () => {
        await start(({ streamId }, peer) => {
          peer.reply(streamId, 200, {}, 'half', false)
          peer.end()
        })
        expect(await outcomeOf(pool)).to.equal('uncertain')
      })

      it('an answer that came whole before the cut counts', async () => {
        await start(({ streamId }, peer) => {
          peer.reply(streamId, 200, {}, 'whole')
          peer.end()
        })
        expect(await outcomeOf(pool)).to.equal('200 whole')
      })

      const GARBAGE: [what: string, send: (peer: RawPeer) => void][] = [
        ['text', (peer) => peer.write('HTTP/1.1 500 Internal Server Error\r\n\r\n'.repeat(10))],
        ['headers that no table explains', (peer) => peer.frame(FRAME.headers, 5, 1, Buffer.from('ffffff', 'hex'))],
        ['a push', (peer) => peer.frame(FRAME.pushPromise, 4, 1, Buffer.from('0000000282', 'hex'))],
        ['DATA on stream 0', (peer) => peer.frame(FRAME.data, 1, 0, Buffer.from('x'))],
        ['a reply to a stream that was never opened', (peer) => peer.headers(99, { ':status': '200' }, true)],
        [
          'a frame inside a header block',
          (peer) => {
            peer.frame(FRAME.headers, 0, 1, Buffer.from([0x88]))
            peer.ping()
          },
        ],
        ['padding longer than its frame', (peer) => peer.frame(FRAME.data, 8, 1, Buffer.from([9, 0, 0]))],
        ['a window beyond 2³¹', (peer) => peer.window(0, 2 ** 31 - 1)],
        ['SETTINGS of a wrong size', (peer) => peer.frame(FRAME.settings, 0, 0, Buffer.alloc(5))],
        ['a CONTINUATION of nothing', (peer) => peer.frame(FRAME.continuation, 4, 1, Buffer.from([0x88]))],
      ]
      for (const [what, send] of GARBAGE) {
        it(`${what}: GOAWAY, the end of the connection, and the request is uncertain`, async () => {
          await start((request, peer) => (peer === server.peers[0] ? send(peer) : answer(request, peer)))
          expect(await outcomeOf(pool)).to.equal('uncertain')
          const peer = await server.peer(0)
          await peer.until(() => peer.closed)
          if (ours) expect(peer.framesOf(FRAME.goaway)[0]!.payload.readUInt32BE(4)).to.not.equal(CODE.NO_ERROR)
          expect(await outcomeOf(pool)).to.equal('200')
        })
      }

      it('a server that speaks HTTP/1.1 is unreachable', async () => {
        await start(answer, {}, { settings: false })
        const outcome = outcomeOf(pool)
        ;(await server.peer(0)).write('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
        expect(await outcome).to.equal('unreachable')
      })
    })

    describe('connecting', () => {
      it('a port that is closed is unreachable, and requests fail fast without an attempt each', async () => {
        server = await openRawHttp2Server()
        // Of no service, and only an administrator may listen there.
        pool = open({ origin: 'http://127.0.0.1:1' })
        const first = await Promise.all(Array.from({ length: 20 }, () => failureOf(pool)))
        expect(first.every(({ kind }) => kind === 'unreachable')).to.equal(true)
        expect(first[0]!.message).to.match(/ECONNREFUSED/)
        // Between attempts, of which there is one a second and then fewer.
        await eventually(async () => {
          const { kind, message } = await failureOf(pool)
          expect(kind).to.equal('unreachable')
          return /next attempt in \d\.\d s/.test(message)
        }, 'a request fails without an attempt')
      })

      it('a peer that drops every connection sees about one a second', async () => {
        await start()
        const began = performance.now()
        for (let i = 0; i < 30; i++) {
          const outcome = outcomeOf(pool)
          void server.peer(server.peers.length).then((peer) => peer.cut())
          expect(await outcome).to.be.oneOf(['unreachable', 'uncertain', 'not_processed'])
          await new Promise((resolve) => setImmediate(resolve))
        }
        expect(server.peers.length).to.be.at.most(3 + (performance.now() - began) / 1000)
      })

      it('100 requests at once make one connection', async () => {
        await start(answer)
        await Promise.all(Array.from({ length: 100 }, () => pool.request(requestOf('/'))))
        expect(server.peers).to.have.length(1)
      })

      it('a host that does not exist is unreachable', async () => {
        await start()
        const other = open({ origin: 'http://nowhere.invalid:1' })
        const failure = await failureOf(other)
        expect(failure.kind).to.equal('unreachable')
        expect(failure.message).to.include('nowhere.invalid:1')
        await other.close()
      })
    })

    it('a peer that reads nothing: everything settles, nothing is kept', async () => {
      await start(
        undefined,
        { deadlineMs: 150, pingTimeoutMs: 100 },
        { settings: [[SETTING.initialWindowSize, 2 ** 30]] },
      )
      const first = outcomeOf(pool)
      const peer = await server.peer(0)
      await peer.untilRequests(1)
      peer.window(0, 2 ** 30)
      peer.ping()
      await peer.until(() => peer.framesOf(FRAME.ping).length > 0)
      peer.stopReading()
      const body = Buffer.alloc(200_000, 'x')
      const outcomes = Array.from({ length: 100 }, () => outcomeOf(pool, { path: '/', headers: {}, body }))
      expect(await first).to.equal('uncertain')
      for (const outcome of await Promise.all(outcomes)) expect(outcome).to.be.oneOf(['uncertain', 'not_processed'])
      expect(pool.stats().streams).to.equal(0)
    })

    it('answers may come in any order', async () => {
      await start()
      const { outcomes, peer } = await underWay(20)
      const requests = byPath(peer.requests)
      for (let i = 19; i >= 0; i--) peer.reply(requests.get(`/${i}`)!.streamId, 200, {}, `answer ${i}`)
      expect(await Promise.all(outcomes)).to.deep.equal(outcomes.map((_, i) => `200 answer ${i}`))
    })
  })
}
