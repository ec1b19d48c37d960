import { expect } from 'chai'
import { CODE, FRAME, SETTING } from '../../../src/platform/http2/frames.ts'
import { type Batch, Http2Failure, type Http2Pool, type PoolOptions } from '../../../src/platform/http2/types.ts'
import { many } from '../../support/depth.ts'
import {
  openRawHttp2Server,
  type RawHttp2Server,
  type RawOptions,
  type RawPeer,
  type RawRequest,
} from '../../support/raw-http2-server.ts'
import { BOTH } from './both.ts'

const HEADERS = { 'content-type': 'application/json', 'x-topic': 'com.example.app' }

interface Sent {
  /** The outcome of each: `200`, `400 body` or the kind of failure. */
  outcomes: Promise<string[]>
  /** Settled so far. */
  settled: () => number
}

/** Sends `count` requests `/0`, `/1` … with their number as body. Fails when one is settled twice, or at once. */
function sendBatch(pool: Http2Pool, count: number, parts: Partial<Batch> = {}): Sent {
  const outcomes: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  let settled = 0
  let began = false
  const settle = (index: number, outcome: string) => {
    if (!began) reject(new Error(`${index} was settled inside send`))
    if (outcomes[index] !== undefined) reject(new Error(`${index} was settled twice`))
    outcomes[index] = outcome
    if (++settled === count) resolve(outcomes)
  }
  const batch: Batch = {
    headers: () => HEADERS,
    path: (index) => `/${index}`,
    writeBody(index, out) {
      out.reserve(16)
      out.latin1(`body ${index}`)
    },
    accepted: (index) => settle(index, '200'),
    replied: (index, { status, body }) => settle(index, `${status} ${body}`.trim()),
    failed: (index, error) => settle(index, error instanceof Http2Failure ? error.kind : error.name),
    ...parts,
  }
  for (let index = 0; index < count; index++) pool.send(batch, index)
  began = true
  return { outcomes: promise, settled: () => settled }
}

const answer = ({ streamId }: RawRequest, peer: RawPeer) => peer.reply(streamId)
const all = (count: number, outcome: string) => Array.from({ length: count }, () => outcome)
const numberOf = ({ headers }: RawRequest) => Number(headers[':path']!.slice(1))

for (const [name, open] of BOTH) {
  describe(`a batch with ${name}`, () => {
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

    afterEach(async () => {
      const closed = pool.close()
      await server.close()
      await closed
    })

    it('every request arrives with its own path and body and the headers of all', async () => {
      // More than a peer allows at once.
      const count = many(150, { whole: 500 })
      await start(answer)
      expect(await sendBatch(pool, count).outcomes).to.deep.equal(all(count, '200'))
      const { requests } = await server.peer(0)
      expect(requests.map(({ body }) => body.toString())).to.deep.equal(requests.map((one) => `body ${numberOf(one)}`))
      expect(new Set(requests.map(numberOf)).size).to.equal(count)
      for (const { headers } of requests) expect(headers).to.include({ ...HEADERS, ':method': 'POST' })
    })

    it('answers of every kind reach the request that they are for', async () => {
      await start((request, peer) => {
        const number = numberOf(request)
        if (number % 5 === 0) peer.reply(request.streamId, 200, { 'apns-id': `${number}` }, '{"name":"n"}')
        else if (number % 5 === 1) peer.reply(request.streamId, 410, {}, `gone ${number}`)
        else if (number % 5 === 2) peer.reset(request.streamId, CODE.REFUSED_STREAM)
        else if (number % 5 === 3) peer.reset(request.streamId, CODE.INTERNAL_ERROR)
        else peer.reply(request.streamId, 201)
      })
      const outcomes = await sendBatch(pool, 100).outcomes
      const expected = (i: number) => ['200', `410 gone ${i}`, 'not_processed', 'uncertain', '201'][i % 5]
      expect(outcomes).to.deep.equal(Array.from({ length: 100 }, (_, i) => expected(i)))
    })

    it('a batch without `accepted` gets headers and body of a 200', async () => {
      await start(({ streamId }, peer) => peer.reply(streamId, 200, { 'apns-id': 'x-1' }, 'fine'))
      const seen: unknown[] = []
      const replied = Promise.withResolvers<void>()
      pool.send(
        {
          headers: () => HEADERS,
          path: () => '/',
          writeBody: () => {},
          replied(index, reply) {
            seen.push(index, reply.status, reply.headers['apns-id'], reply.body)
            replied.resolve()
          },
          failed: (_, error) => replied.reject(error),
        },
        7,
      )
      await replied.promise
      expect(seen).to.deep.equal([7, 200, 'x-1', 'fine'])
    })

    it('a large error body comes whole up to 64 KiB, and what is longer is cut off', async () => {
      await start((request, peer) => {
        peer.headers(request.streamId, { ':status': '400' }, false)
        const size = numberOf(request) === 0 ? 60_000 : 90_000
        for (let sent = 0; sent < size; sent += 10_000) {
          peer.data(request.streamId, Buffer.alloc(10_000, 'x'), sent + 10_000 >= size)
        }
      })
      const outcomes = await sendBatch(pool, 2).outcomes
      expect(outcomes[0]).to.equal(`400 ${'x'.repeat(60_000)}`)
      expect(outcomes[1]).to.match(/^400 x{65536}$/)
    })

    it('a 200 that is shorter than it says is no answer', async () => {
      await start(({ streamId }, peer) => peer.reply(streamId, 200, { 'content-length': '5' }, 'four'))
      expect(await sendBatch(pool, 3).outcomes).to.deep.equal(all(3, 'uncertain'))
    })

    it('GOAWAY in the middle: what is above its last id was not processed, what is below finishes', async () => {
      await start()
      const { outcomes } = sendBatch(pool, 10)
      const peer = await server.peer(0)
      await peer.untilRequests(10)
      peer.goaway(9, CODE.NO_ERROR)
      for (const id of [1, 3, 5, 7, 9]) peer.reply(id)
      expect(await outcomes).to.deep.equal([...all(5, '200'), ...all(5, 'not_processed')])
    })

    it('a peer that allows one stream gets all, one after the other', async () => {
      await start(answer, {}, { settings: [[SETTING.maxConcurrentStreams, 1]] })
      const { outcomes } = sendBatch(pool, 20)
      expect(pool.stats().waiting).to.be.at.least(19)
      expect(await outcomes).to.deep.equal(all(20, '200'))
    })

    it('a peer that never answers: all that was written is uncertain after the deadline', async () => {
      await start(undefined, { deadlineMs: 60 })
      expect(await sendBatch(pool, 30).outcomes).to.deep.equal(all(30, 'uncertain'))
    })

    it('a connection that is cut: what was on its way is uncertain', async () => {
      await start((request, peer) => {
        if (numberOf(request) === 7) peer.cut()
      })
      expect(await sendBatch(pool, 8).outcomes).to.deep.equal(all(8, 'uncertain'))
    })

    it('closing lets what is on its way finish, and what waits was not processed', async () => {
      await start(undefined, { maxSessions: 1 }, { settings: [[SETTING.maxConcurrentStreams, 4]] })
      const { outcomes } = sendBatch(pool, 10)
      const peer = await server.peer(0)
      await peer.untilRequests(4)
      const closed = pool.close()
      for (const { streamId } of peer.requests) peer.reply(streamId)
      expect(await outcomes).to.deep.equal([...all(4, '200'), ...all(6, 'not_processed')])
      await closed
      expect(await sendBatch(pool, 3).outcomes).to.deep.equal(all(3, 'not_processed'))
    })

    it('what can never be sent is refused alone, by a TypeError', async () => {
      await start(answer)
      const path = (index: number) => (index === 1 ? 'no slash' : `/${index}`)
      expect(await sendBatch(pool, 3, { path }).outcomes).to.deep.equal(['200', 'TypeError', '200'])
    })

    it('large bodies go out as the windows of the peer allow', async () => {
      await start(answer)
      const body = Buffer.alloc(40_000, 'y')
      const writeBody: Batch['writeBody'] = (_, out) => {
        out.reserve(body.length)
        out.copy(body)
      }
      expect(await sendBatch(pool, 20, { writeBody }).outcomes).to.deep.equal(all(20, '200'))
      const { requests, frames } = await server.peer(0)
      expect(requests.map((request) => request.body.length)).to.deep.equal(Array.from({ length: 20 }, () => 40_000))
      expect(frames.filter(({ type }) => type === FRAME.data).length).to.be.above(20)
    })

    it('a failed request may be sent again from inside the callback', async () => {
      await start((request, peer) => {
        if (peer === server.peers[0]) peer.goaway(0, CODE.NO_ERROR)
        else answer(request, peer)
      })
      const accepted = Promise.withResolvers<void>()
      let left = 50
      const batch: Batch = {
        headers: () => HEADERS,
        path: (index) => `/${index}`,
        writeBody: () => {},
        accepted: () => void (--left === 0 && accepted.resolve()),
        replied: () => accepted.reject(new Error('a reply')),
        failed: (index) => pool.send(batch, index),
      }
      for (let index = 0; index < 50; index++) pool.send(batch, index)
      await accepted.promise
      expect((await server.peer(1)).requests.length).to.equal(50)
    })
  })
}

describe('a batch to a place where nobody listens', () => {
  for (const [name, open] of BOTH) {
    it(`is unreachable with ${name}, all of it`, async () => {
      const pool = open({ origin: 'http://127.0.0.1:1' })
      expect(await sendBatch(pool, 10).outcomes).to.deep.equal(all(10, 'unreachable'))
      expect(await sendBatch(pool, 10).outcomes, 'during the pause').to.deep.equal(all(10, 'unreachable'))
      await pool.close()
    })
  }
})
