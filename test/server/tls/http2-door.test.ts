import { once } from 'node:events'
import http2 from 'node:http2'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { mock } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { createHttp2Door, type Http2Door } from '../../../src/server/tls/http2-door.ts'
import { eventually } from '../../support/eventually.ts'

/** Time-outs that no machine misses: only the time that the test lets pass counts. */
const [IDLE_MS, REQUEST_MS, WRITE_MS] = [3_600_000, 1_800_000, 900_000]

describe('an HTTP/2 connection on which nothing moves', () => {
  const { now } = performance
  let ahead = 0
  let door: Http2Door
  let server: Server
  let client: http2.ClientHttp2Session
  const refused: string[] = []
  /** Requests that have begun, by path. */
  const begun: string[] = []

  beforeEach(async () => {
    ahead = 0
    refused.length = 0
    begun.length = 0
    performance.now = () => now.call(performance) + ahead
    mock.timers.enable({ apis: ['setInterval'] })
    door = createHttp2Door(
      (request, response) => {
        begun.push(request.url!)
        if (request.url === '/long') response.end('x'.repeat(1_000_000))
        else if (request.url === '/read') request.resume()
        else if (request.url === '/short') request.resume().on('end', () => response.end('hello'))
      },
      {
        idleMs: IDLE_MS,
        requestMs: REQUEST_MS,
        writeMs: WRITE_MS,
        onRefused: (why, address) => void refused.push(`${why} ${address}`),
      },
    )
    server = createServer((socket) => door.accept(socket as TLSSocket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    client.on('error', () => {})
    await once(client, 'remoteSettings')
  })
  afterEach(async () => {
    client.destroy()
    door.close()
    server.close()
    mock.timers.reset()
    performance.now = now
  })

  /** Lets time pass, and the door look at its connections. */
  function pass(ms: number): void {
    ahead += ms
    mock.timers.tick(5000)
  }
  const ask = (path: string, options: http2.ClientSessionRequestOptions = { endStream: true }) => {
    const stream = client.request({ ':path': path, ...(options.endStream === false && { ':method': 'POST' }) }, options)
    stream.on('error', () => {})
    return stream
  }
  const answerOf = async (path: string) => {
    const stream = ask(path)
    stream.resume()
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders]
    await once(stream, 'close')
    return headers[':status']
  }
  /** Answers to what was asked after it show that the door has seen the frames before. */
  const settle = () => answerOf('/short')

  it('is closed when nothing was asked for as long as it may be idle', async () => {
    pass(IDLE_MS - 60_000)
    expect(await answerOf('/short')).to.equal(200)
    pass(IDLE_MS - 60_000)
    expect(await answerOf('/short'), 'since the last answer').to.equal(200)
    const closed = once(client, 'close')
    pass(IDLE_MS + 1)
    await closed
  })

  it('stays while a request is under way', async () => {
    ask('/never')
    await eventually(() => begun.length === 1, 'the request has begun')
    pass(IDLE_MS + 1)
    pass(IDLE_MS + 1)
    expect(await answerOf('/short')).to.equal(200)
  })

  it('loses a request whose body does not come, and no other', async () => {
    const late = ask('/never', { endStream: false })
    const whole = ask('/never')
    await eventually(() => begun.length === 2, 'both requests have begun')
    pass(REQUEST_MS - 60_000)
    await settle()
    expect(late.closed).to.equal(false)
    const closed = once(late, 'close')
    pass(60_001)
    await closed
    expect(late.rstCode).to.equal(http2.constants.NGHTTP2_CANCEL)
    await settle()
    expect(whole.closed, 'its body was there').to.equal(false)
    expect(refused).to.deep.equal([])
  })

  it('keeps a request whose body has come in time', async () => {
    const stream = ask('/read', { endStream: false })
    await eventually(() => begun.length === 1, 'the request has begun')
    stream.end('body')
    await settle()
    pass(REQUEST_MS + 1)
    await settle()
    expect(stream.closed).to.equal(false)
  })

  it('loses an answer that the client does not take, and is named then', async () => {
    const stuck = ask('/long')
    await once(stuck, 'response')
    // The door sees how much is unread, and then that it stays so much.
    pass(1)
    pass(WRITE_MS - 60_000)
    expect([stuck.closed, refused]).to.deep.equal([false, []])
    const closed = once(stuck, 'close')
    pass(60_001)
    await closed
    expect(refused).to.deep.equal(['writeTimeout 127.0.0.1'])
    expect(await answerOf('/short')).to.equal(200)
  })

  it('keeps an answer that the client takes slowly', async () => {
    const slow = ask('/long')
    await once(slow, 'response')
    let read = 0
    slow.on('data', (chunk: Buffer) => {
      read += chunk.length
      slow.pause()
    })
    for (let i = 0; i < 3; i++) {
      pass(WRITE_MS - 60_000)
      const before = read
      slow.resume()
      await eventually(() => read > before, 'a part was read')
      await settle()
    }
    expect([slow.closed, refused]).to.deep.equal([false, []])
  })
})
