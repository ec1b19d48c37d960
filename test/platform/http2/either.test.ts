import { once } from 'node:events'
import http2 from 'node:http2'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { openEitherPool } from '../../../src/platform/http2/either.ts'
import { causedBy, Http2Failure, type Http2Pool, type PoolOptions } from '../../../src/platform/http2/types.ts'
import { HttpFailure } from '../../../src/platform/net/http-exchange.ts'
import { lookupGuarded } from '../../../src/platform/net/outbound.ts'
import { makeAuthority, makeRsaKey, makeServerIdentity } from '../../../src/sandbox/certificates.ts'
import { fakeTimers } from '../../support/fake-timers.ts'

type Server = https.Server | http2.Http2SecureServer

describe('a pool that speaks what its peer speaks', () => {
  const running: { close(): unknown }[] = []
  const now = Date.now()
  let identity: { key: string; cert: string }
  let ca: string
  before(async () => {
    const authority = makeAuthority(await makeRsaKey(), now)
    ca = authority.cert
    const life = { from: now - 86_400_000, to: now + 86_400_000 }
    identity = makeServerIdentity({ key: await makeRsaKey(), authority, hosts: ['localhost', '127.0.0.1'] }, life)
  })
  afterEach(async () => {
    for (const one of running.splice(0).reverse()) await one.close()
  })

  async function start(server: Server): Promise<number> {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    running.push({ close: () => new Promise((resolve) => server.close(resolve)) })
    return (server.address() as AddressInfo).port
  }
  function open(port: number, options: Partial<PoolOptions> = {}): Http2Pool {
    const pool = openEitherPool({ origin: `https://127.0.0.1:${port}`, ca: [ca], ...options })
    running.push(pool)
    return pool
  }
  const request = (body: string, path = '/push/1') => ({ path, headers: { ttl: '1' }, body: Buffer.from(body) })

  /** The same for both kinds of servers, whose requests differ in more than is used here. */
  async function echo(
    incoming: AsyncIterable<unknown> & {
      httpVersion: string
      url?: string | undefined
      headers: Record<string, unknown>
    },
    outgoing: { writeHead(status: number, headers: Record<string, string>): unknown; end(text: string): unknown },
  ): Promise<void> {
    let text = ''
    for await (const chunk of incoming) text += String(chunk)
    outgoing.writeHead(201, { location: '/m/1' })
    outgoing.end(`${incoming.httpVersion} ${incoming.url} ${String(incoming.headers.ttl)} ${text}`)
  }

  const servers: [string, () => Server, string][] = [
    ['HTTP/2', () => http2.createSecureServer({ ...identity }, (i, o) => void echo(i, o)), '2.0'],
    [
      'HTTP/2 where both are on offer',
      () => http2.createSecureServer({ ...identity, allowHTTP1: true }, (i, o) => void echo(i, o)),
      '2.0',
    ],
    [
      'HTTP/1.1 with one that refuses HTTP/2 in the handshake',
      () => https.createServer({ ...identity }, (i, o) => void echo(i, o)),
      '1.1',
    ],
    [
      'HTTP/1.1 with one that never heard of it',
      () => https.createServer({ ...identity, ALPNProtocols: [] }, (i, o) => void echo(i, o)),
      '1.1',
    ],
  ]
  for (const [name, make, version] of servers) {
    it(`speaks ${name}`, async () => {
      const pool = open(await start(make()))
      const replies = await Promise.all(['a', 'b', 'c'].map((body) => pool.request(request(body))))
      expect(replies.map(({ body }) => body)).to.deep.equal(
        ['a', 'b', 'c'].map((body) => `${version} /push/1 1 ${body}`),
      )
      expect(replies[0]).to.deep.include({ status: 201 })
      expect(replies[0]!.headers.location).to.equal('/m/1')
    })
  }

  it('keeps few connections of HTTP/1.1 and uses them again', async () => {
    const server = https.createServer({ ...identity }, (i, o) => void echo(i, o))
    let connections = 0
    server.on('secureConnection', () => connections++)
    const pool = open(await start(server), { maxSessions: 2 })
    await Promise.all(Array.from({ length: 10 }, (_, i) => pool.request(request(String(i)))))
    expect(connections).to.equal(2)
  })

  const failing: [string, (port: number) => Partial<PoolOptions>, string][] = [
    ['the certificate is for another name', (port) => ({ origin: `https://127.0.0.2:${port}` }), 'untrusted'],
    ['nobody vouches for it', () => ({ ca: [] }), 'untrusted'],
  ]
  for (const [name, options, kind] of failing) {
    it(`sends nothing when ${name}`, async () => {
      const server = https.createServer({ ...identity }, (i, o) => void echo(i, o))
      server.listen(0, '0.0.0.0')
      await once(server, 'listening')
      running.push({ close: () => new Promise((resolve) => server.close(resolve)) })
      let requests = 0
      server.on('request', () => requests++)
      const { port } = server.address() as AddressInfo
      const failure = await open(port, options(port))
        .request(request('x'))
        .catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(Http2Failure).and.include({ kind })
      expect(requests).to.equal(0)
    })
  }

  it('is uncertain when the connection is cut after the request, and late answers are none', async () => {
    const timers = fakeTimers()
    let cut = true
    const server = https.createServer({ ...identity }, (incoming) => {
      incoming.resume().on('end', () => (cut ? incoming.socket.destroy() : timers.pass(60_000)))
    })
    try {
      const pool = open(await start(server), { deadlineMs: 60_000 })
      const gone = await pool.request(request('x')).catch((error: unknown) => error)
      expect(gone).to.include({ kind: 'uncertain' })
      cut = false
      const late = await pool.request(request('x')).catch((error: unknown) => error)
      expect(late).to.include({ kind: 'uncertain' })
    } finally {
      timers.end()
    }
  })

  for (const [name, make] of servers.slice(0, 3)) {
    it(`cuts long answers off and goes by their status, over ${name}`, async () => {
      const server = make()
      server.removeAllListeners('request')
      server.on('request', (_: unknown, outgoing: http2.Http2ServerResponse) => {
        outgoing.on('error', () => {})
        outgoing.writeHead(201)
        outgoing.write('x'.repeat(100_000))
      })
      const { status, body } = await open(await start(server), { deadlineMs: 5000 }).request(request('x'))
      expect({ status, length: body.length }).to.deep.equal({ status: 201, length: 65_536 })
    })
  }

  it('refuses a request that cannot be written, and any after it was closed', async () => {
    const pool = open(await start(https.createServer({ ...identity }, (i, o) => void echo(i, o))))
    await pool.request(request('x'))
    const bad = await pool.request({ ...request('x'), headers: { a: 'b\r\nc: d' } }).catch((error: unknown) => error)
    expect(bad).to.be.instanceOf(TypeError)
    await pool.close()
    const closed = await pool.request(request('x')).catch((error: unknown) => error)
    expect(closed).to.include({ kind: 'not_processed' })
  })

  it('checks the address inside the look-up of the connection', async () => {
    let connections = 0
    const server = http2.createSecureServer({ ...identity })
    server.on('connection', () => connections++)
    const port = await start(server)
    const pool = open(port, { origin: `https://localhost:${port}`, lookup: lookupGuarded(false) })
    for (let i = 0; i < 2; i++) {
      const failure = await pool.request(request('x')).catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(Http2Failure)
      expect(causedBy(failure, HttpFailure)?.kind).to.equal('refused')
    }
    expect(connections).to.equal(0)
  })
})
