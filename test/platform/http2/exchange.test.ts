import { once } from 'node:events'
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { Http2Pool, PoolOptions } from '../../../src/platform/http2/types.ts'
import { many } from '../../support/depth.ts'
import { BOTH, listen, outcomeOf, portOf, requestOf } from './both.ts'

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: string) => void

for (const [name, open] of BOTH) {
  describe(`requests to Node's own server with ${name}`, () => {
    let server: Http2Server
    let pool: Http2Pool
    let handler: Handler
    let connections: number

    const openPool = (options: Partial<PoolOptions> = {}) => {
      pool = open({ origin: `http://127.0.0.1:${portOf(server)}`, ...options })
      return pool
    }

    beforeEach(async () => {
      connections = 0
      handler = (stream, _, body) => {
        stream.respond({ ':status': 200 })
        stream.end(body)
      }
      server = createServer({ settings: { maxConcurrentStreams: 200 } })
      server.on('session', () => connections++)
      server.on('stream', (stream, headers) => {
        void text(stream).then((body) => handler(stream, headers, body))
      })
      await listen(server)
    })

    afterEach(async () => {
      await pool.close()
      server.close()
      await once(server, 'close')
    })

    it('a warmed pool has its session before the first request, and warming it again opens no other', async () => {
      const warm = openPool()
      await warm.warm()
      expect(warm.stats()).to.deep.equal({ sessions: 1, streams: 0, waiting: 0 })
      await Promise.all([warm.warm(), warm.warm()])
      expect(await outcomeOf(warm)).to.equal('200 hello')
      expect(connections).to.equal(1)
    })

    it('warming never throws: not without a server, and not after the end', async () => {
      const nowhere = open({ origin: 'http://127.0.0.1:1' })
      await nowhere.warm()
      expect(await outcomeOf(nowhere)).to.equal('unreachable')
      await nowhere.close()
      await openPool().close()
      await pool.warm()
      expect(connections).to.equal(0)
    })

    it('the request arrives as it was given and the reply comes back whole', async () => {
      let seen: IncomingHttpHeaders = {}
      handler = (stream, headers, body) => {
        seen = headers
        stream.respond({ ':status': 201, date: 'Mon, 21 Oct 2013 20:13:21 GMT', 'apns-id': 'x-1' })
        stream.end(`${body} wörld`)
      }
      const reply = await openPool().request(requestOf('/3/device/ab', 'hello', { 'apns-topic': 'com.example' }))
      expect(reply.status).to.equal(201)
      expect(reply.headers).to.include({ date: 'Mon, 21 Oct 2013 20:13:21 GMT', 'apns-id': 'x-1' })
      expect(reply.body).to.equal('hello wörld')
      expect(seen).to.include({
        ':method': 'POST',
        ':path': '/3/device/ab',
        ':scheme': 'http',
        'apns-topic': 'com.example',
        'content-type': 'application/json',
      })
      expect(seen[':authority']).to.equal(`127.0.0.1:${portOf(server)}`)
    })

    it('an empty body, an empty reply', async () => {
      handler = (stream) => stream.respond({ ':status': 410 }, { endStream: true })
      expect(await outcomeOf(openPool(), requestOf('/', ''))).to.equal('410')
    })

    const AT_ONCE = many(400, { whole: 2000 })
    it(`${AT_ONCE} requests at once over one connection each get their own reply`, async () => {
      openPool({ maxSessions: 1 })
      const paths = Array.from({ length: AT_ONCE }, (_, i) => `/${i}`)
      const replies = await Promise.all(paths.map((path) => pool.request(requestOf(path, path, { 'apns-id': path }))))
      expect(replies.map(({ body }) => body)).to.deep.equal(paths)
      expect(connections).to.equal(1)
      expect(pool.stats()).to.deep.equal({ sessions: 1, streams: 0, waiting: 0 })
    })

    it('a body larger than every window arrives whole', async () => {
      const body = 'abcdefgh'.repeat(40_000)
      handler = (stream, _, received) => {
        stream.respond({ ':status': 200 })
        stream.end(String(received === body))
      }
      expect(await outcomeOf(openPool(), requestOf('/', body))).to.equal('200 true')
    })

    it('a reply is cut off at 64 KiB and its connection goes on', async () => {
      handler = (stream, headers) => {
        stream.on('error', () => {})
        stream.respond({ ':status': 200 })
        stream.end('y'.repeat(Number(headers['x-size'])))
      }
      openPool()
      for (const [size, kept] of [
        [65_535, 65_535],
        [65_536, 65_536],
        [65_537, 65_536],
        [1_000_000, 65_536],
        [10, 10],
      ] as const) {
        const { body } = await pool.request(requestOf('/', 'x', { 'x-size': String(size) }))
        expect(body).to.equal('y'.repeat(kept))
      }
      expect(connections).to.equal(1)
    })

    it('hundreds of large replies do not run out of window', async () => {
      handler = (stream) => {
        stream.respond({ ':status': 200 })
        stream.end('z'.repeat(20_000))
      }
      openPool({ maxSessions: 1 })
      const replies = await Promise.all(Array.from({ length: 300 }, () => pool.request(requestOf('/'))))
      expect(replies.every(({ body }) => body.length === 20_000)).to.equal(true)
    })

    it('informational replies are passed over and trailers are accepted', async () => {
      handler = (stream) => {
        stream.additionalHeaders({ ':status': 103, link: '</a>' })
        stream.respond({ ':status': 200 }, { waitForTrailers: true })
        stream.on('wantTrailers', () => stream.sendTrailers({ 'x-checksum': '1' }))
        stream.end('body')
      }
      expect(await outcomeOf(openPool())).to.equal('200 body')
    })

    it('an early answer to a body that is still on its way counts', async () => {
      server.removeAllListeners('stream')
      server.on('stream', (stream: ServerHttp2Stream) => {
        stream.on('error', () => {})
        stream.respond({ ':status': 413 })
        stream.end('too large')
      })
      expect(await outcomeOf(openPool(), requestOf('/', 'x'.repeat(300_000)))).to.equal('413 too large')
    })

    it('headers that repeat are joined', async () => {
      handler = (stream) => {
        stream.respond({ ':status': 200, 'x-a': ['1', '2'] })
        stream.end()
      }
      const { headers } = await openPool().request(requestOf('/'))
      expect(headers['x-a']).to.equal('1, 2')
    })

    it('our own cap of streams is kept and the rest wait in order', async () => {
      const seen: string[] = []
      let running = 0
      let most = 0
      handler = (stream, headers) => {
        most = Math.max(most, ++running)
        seen.push(headers[':path']!)
        setImmediate(() => {
          running--
          stream.respond({ ':status': 200 })
          stream.end()
        })
      }
      openPool({ maxStreams: 2, maxSessions: 1 })
      const paths = Array.from({ length: 20 }, (_, i) => `/${i}`)
      const all = Promise.all(paths.map((path) => pool.request(requestOf(path))))
      expect(pool.stats().waiting).to.equal(20)
      await all
      expect(most).to.equal(2)
      expect(seen).to.deep.equal(paths)
    })

    it('close lets running requests finish, refuses the waiting ones and ends the connection', async () => {
      let answer = () => {}
      const started = new Promise<void>((resolve) => {
        handler = (stream) => {
          answer = () => {
            stream.respond({ ':status': 200 })
            stream.end('late')
          }
          resolve()
        }
      })
      openPool({ maxStreams: 1, maxSessions: 1 })
      const running = outcomeOf(pool)
      const waiting = outcomeOf(pool)
      await started
      const closed = pool.close()
      expect(await waiting).to.equal('not_processed')
      expect(await outcomeOf(pool)).to.equal('not_processed')
      answer()
      expect(await running).to.equal('200 late')
      await closed
      expect(pool.stats()).to.deep.equal({ sessions: 0, streams: 0, waiting: 0 })
    })

    it('a request that nobody could send is the fault of its caller and reaches nobody', async () => {
      openPool()
      const wrong = [
        requestOf('no-slash'),
        requestOf('/with space'),
        requestOf('/', '', { 'x-a': 'line\r\nbreak' }),
        requestOf('/', '', { 'x-a': 'snow ☃' }),
        requestOf('/', '', { 'X-Upper': 'a' }),
        requestOf('/', '', { ':path': '/' }),
        requestOf('/', '', { connection: 'close' }),
      ]
      for (const request of wrong) {
        const error = await pool.request(request).then(
          () => undefined,
          (error: unknown) => error,
        )
        expect(error).to.be.instanceOf(TypeError)
      }
      expect(connections).to.equal(0)
    })

    it('an origin that is none is refused at once', () => {
      openPool()
      expect(() => open({ origin: 'ftp://x' })).to.throw('must start with https://')
      expect(() => open({ origin: 'gateway' })).to.throw('not the origin of a gateway')
    })
  })
}
