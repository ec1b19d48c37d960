import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import { expect } from 'chai'
import { createHandler } from '../../src/server/handler.ts'
import { listen, type RunningServer } from '../../src/server/index.ts'
import { connectionCounts } from '../../src/server/listener.ts'
import { routes } from '../../src/server/routes.ts'
import { createHttp2Door } from '../../src/server/tls/http2-door.ts'
import { createSecureListener } from '../../src/server/tls/secure-listener.ts'
import { identityFor, makeAuthority } from '../support/acme/authority.ts'
import { basic } from '../support/basic.ts'
import { eventually } from '../support/eventually.ts'
import { newLink } from '../support/links.ts'
import { openTestProgram, type TestProgram } from '../support/program.ts'

const NAME = 'push.example.com'
const authority = makeAuthority()
const identity = identityFor(authority, [NAME, 'localhost'])

interface Answer {
  status: number
  headers: http2.IncomingHttpHeaders
  body: string
}

describe('the server speaks TLS', () => {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  const certFile = join(dir, 'cert.pem')
  const keyFile = join(dir, 'key.pem')
  let test: TestProgram
  let server: RunningServer
  let session: http2.ClientHttp2Session

  const put = ({ cert, key }: { cert: string; key: string }) => {
    writeFileSync(`${certFile}.new`, cert)
    writeFileSync(keyFile, key)
    renameSync(`${certFile}.new`, certFile)
  }
  const settings = {
    port: '0',
    'tls.certFile': certFile,
    'tls.keyFile': keyFile,
    'tls.host': '127.0.0.1',
    'tls.port': '0',
    'tls.httpPort': '0',
  }
  const trusted = { ca: authority.root, servername: NAME, host: '127.0.0.1' }
  const connectH2 = (options: http2.SecureClientSessionOptions = {}) => {
    const made = http2.connect(`https://127.0.0.1:${server.securePort}`, { ...trusted, ...options })
    made.on('error', () => {})
    return made
  }

  function ask(headers: http2.OutgoingHttpHeaders, body?: string | Buffer, of = session): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = of.request({ ':authority': NAME, ...headers }, { endStream: body === undefined })
      let got: http2.IncomingHttpHeaders = {}
      const chunks: Buffer[] = []
      stream.on('response', (given) => (got = given))
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', reject)
      stream.on('close', () =>
        resolve({ status: Number(got[':status']), headers: got, body: Buffer.concat(chunks).toString() }),
      )
      if (body !== undefined) stream.end(body)
    })
  }

  before(async () => {
    put(identity)
    test = await openTestProgram({ settings: { ...settings, 'limits.body': '2048' } })
    server = await listen(test.program)
    session = connectH2()
  })
  after(async () => {
    session.destroy()
    await server.close()
    await test.close()
    rmSync(dir, { recursive: true, force: true })
  })

  it('and names the one of its files that is none', async () => {
    const wrong = await openTestProgram({ settings: { ...settings, 'tls.keyFile': dir } })
    try {
      const error = await listen(wrong.program).catch((thrown: Error) => thrown)
      expect(error).to.be.instanceOf(Error).with.property('message').that.includes(`${dir} is no regular file`)
    } finally {
      await wrong.close()
    }
  })

  it('by HTTP/2 and by HTTP/1.1 with the same answers', async () => {
    const { status, headers, body } = await ask({ ':path': '/healthz' })
    expect([status, body]).to.deep.equal([200, '{"status":"ok"}'])
    expect(headers['content-length']).to.equal('15')
    expect(headers['strict-transport-security']).to.equal('max-age=2592000')
    expect(headers['date']).to.be.a('string')
    expect(headers['connection']).to.equal(undefined)
    const h1 = await new Promise<http.IncomingMessage>((resolve) => {
      https.get({ ...trusted, port: server.securePort, path: '/healthz', agent: false }, resolve)
    })
    h1.resume()
    expect([h1.httpVersion, h1.statusCode, h1.headers['strict-transport-security']]).to.deep.equal([
      '1.1',
      200,
      'max-age=2592000',
    ])
  })

  it('and takes bodies, refuses long ones, and answers HEAD without one', async () => {
    const { appId = test.first.id, apiKey, serverKey } = { ...test.first }
    expect(appId).to.equal(test.first.id)
    const headers = {
      ':path': '/channels',
      ':method': 'POST',
      authorization: basic(apiKey, serverKey),
      'content-type': 'application/json',
    }
    const made = await ask(headers, JSON.stringify({ uuid: 'news', name: 'News' }))
    expect(made.status, made.body).to.equal(201)
    const long = await ask(headers, JSON.stringify({ uuid: 'x', name: 'x'.repeat(5000) }))
    expect([long.status, long.body]).to.deep.equal([
      413,
      '{"error":"the body is larger than 2048 bytes: send less at once"}',
    ])
    const head = await ask({ ...headers, ':method': 'HEAD', ':path': '/healthz' })
    expect([head.status, head.body]).to.deep.equal([200, ''])
  })

  it('and answers many requests of one connection, long ones too', async () => {
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, i) => ask({ ':path': i % 20 === 0 ? '/openapi.json' : '/healthz' })),
    )
    expect(all.map(({ status }) => status)).to.deep.equal(Array.from({ length: 60 }, () => 200))
    expect(() => JSON.parse(all[0]!.body)).to.not.throw()
  })

  it('and knows the host of a request by :authority', async () => {
    const { status } = await ask({ ':path': '/healthz', ':authority': 'a b' }).catch(() => ({ status: 0 }))
    expect(status).to.be.oneOf([0, 400])
    const two = await ask({ ':path': '/healthz', ':authority': NAME, host: 'evil.example' })
    expect([two.status, two.body]).to.deep.equal([
      400,
      '{"error":"the request names two hosts: :authority and Host differ"}',
    ])
    expect((await ask({ ':path': '/healthz', ':authority': NAME, host: NAME })).status).to.equal(200)
    const none = await ask({ ':path': '/healthz', ':authority': undefined, host: '' }).catch((error: Error) => error)
    expect(none).to.be.instanceOf(Error).with.property('message').that.includes('PROTOCOL_ERROR')
    expect((await ask({ ':path': '/healthz', ':authority': undefined, host: NAME })).status).to.equal(200)
    expect((await ask({ ':path': '/healthz', ':authority': NAME, host: NAME.toUpperCase() })).status).to.equal(200)
    const found = await ask({ ':path': '/nothing' })
    expect(found.status).to.equal(404)
  })

  describe('behind a proxy that speaks TLS to it', () => {
    const behind = async (trustedProxies: string) => {
      const more = { trustedProxies, baseUrl: `https://${NAME}`, 'limits.newPerAddress': '1' }
      const app = await openTestProgram({ settings: { ...settings, ...more } })
      const running = await listen(app.program)
      const two = http2.connect(`https://127.0.0.1:${running.securePort}`, trusted)
      const { apiKey, serverKey, secretKey } = app.first
      /** The same request by HTTP/2 and by HTTP/1.1. */
      const by = {
        two: (path: string, key: string, body: unknown, headers: Record<string, string>) => {
          const all = { authorization: basic(apiKey, key), 'content-type': 'application/json', ...headers }
          return ask({ ':method': 'POST', ':path': path, ...all }, JSON.stringify(body), two)
        },
        one: (path: string, key: string, body: unknown, headers: Record<string, string>) =>
          new Promise<{ status: number; body: string }>((resolve, reject) => {
            const all = { host: NAME, authorization: basic(apiKey, key), 'content-type': 'application/json' }
            const asked = https.request(
              {
                ...trusted,
                port: running.securePort,
                path,
                method: 'POST',
                headers: { ...all, ...headers },
                agent: false,
              },
              (response) => {
                text(response).then((got) => resolve({ status: response.statusCode!, body: got }), reject)
              },
            )
            asked.on('error', reject)
            asked.end(JSON.stringify(body))
          }),
      }
      const close = async () => {
        two.destroy()
        await running.close()
        await app.close()
      }
      return { by, serverKey, secretKey, close }
    }

    for (const version of ['two', 'one'] as const) {
      it(`counts callers by the address that the proxy saw, and makes https addresses whatever it says (HTTP/${version})`, async () => {
        const { by, serverKey, secretKey, close } = await behind('127.0.0.1')
        const upload = async (install: string, headers: Record<string, string>) =>
          (await by[version](`/v1/app-installs/${install}/events`, secretKey, [], headers)).status
        try {
          expect(await upload('a', { 'x-forwarded-for': '192.0.2.1, 198.51.100.9' })).to.equal(202)
          expect(await upload('b', { 'x-forwarded-for': '192.0.2.2, 198.51.100.9' })).to.equal(503)
          expect(await upload('c', { 'x-forwarded-for': '192.0.2.2' })).to.equal(202)
          const said = {
            'x-forwarded-proto': 'http',
            'x-forwarded-host': 'evil.example',
            forwarded: 'host=evil.example',
          }
          const made = await by[version]('/links/v1/deep-links', serverKey, [newLink({})], said)
          expect(made.status, made.body).to.equal(200)
          expect(made.body).to.include(`https://`).and.not.include('http://').and.not.include('evil.example')
        } finally {
          await close()
        }
      })

      it(`counts by the connection when it is not named (HTTP/${version})`, async () => {
        const { by, secretKey, close } = await behind('10.0.0.7')
        const upload = async (install: string) =>
          (await by[version](`/v1/app-installs/${install}/events`, secretKey, [], { 'x-forwarded-for': '192.0.2.1' }))
            .status
        try {
          // The machine's own calls are not counted; those of 192.0.2.1 would be.
          expect([await upload('a'), await upload('b')]).to.deep.equal([202, 202])
        } finally {
          await close()
        }
      })
    }
  })

  it('and ends a connection that takes back its requests again and again', async () => {
    const never = { idleMs: 3_600_000, requestMs: 3_600_000, writeMs: 3_600_000, onRefused() {} }
    const door = createHttp2Door(() => {}, never)
    const plain = createServer((socket) => door.accept(socket as tls.TLSSocket))
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const rude = http2.connect(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`)
    const closed = new Promise((resolve) => rude.on('error', () => {}).once('close', resolve))
    await new Promise((resolve) => rude.once('remoteSettings', resolve))
    while (!rude.destroyed && !rude.closed) {
      const ends = Array.from({ length: 50 }, () => {
        const stream = rude.request({ ':path': '/' })
        stream.on('error', () => {})
        // Later, or nothing of it leaves.
        setImmediate(() => stream.close(http2.constants.NGHTTP2_CANCEL))
        return new Promise((resolve) => stream.once('close', resolve))
      })
      await Promise.all(ends)
    }
    await closed
    door.close()
    plain.close()
  })

  it('and does not hold what a client with a tiny window does not take', async () => {
    const slow = connectH2({ settings: { initialWindowSize: 1 } })
    const streams = Array.from({ length: 20 }, () => slow.request({ ':path': '/openapi.json', ':authority': NAME }))
    for (const stream of streams) stream.on('error', () => {})
    await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('response', resolve))))
    expect((await ask({ ':path': '/healthz' })).status).to.equal(200)
    slow.destroy()
  })

  it('from TLS 1.2 on', async () => {
    const old = tls.connect({
      ...trusted,
      port: server.securePort!,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1.1',
    } as tls.ConnectionOptions)
    expect(
      await new Promise((resolve) =>
        old.once('error', () => resolve('refused')).once('secureConnect', () => resolve('taken')),
      ),
    ).to.equal('refused')
    old.destroy()
  })

  for (const baseUrl of [`https://${NAME}`, `https://${NAME}:8443`]) {
    it(`and leads browsers to ${baseUrl}, when that is its address, whatever the port is here`, async () => {
      const named = await openTestProgram({ settings: { ...settings, baseUrl } })
      const running = await listen(named.program)
      try {
        const got = await fetch(`${running.plainAddress}/a`, { redirect: 'manual' })
        expect(got.headers.get('location')).to.equal(`${baseUrl}/a`)
      } finally {
        await running.close()
        await named.close()
      }
    })
  }

  it('and leads browsers from http to https, but no keys', async () => {
    const at = server.plainAddress!
    const got = await fetch(`${at}/a?b=1`, { redirect: 'manual' })
    expect([got.status, got.headers.get('location')]).to.deep.equal([
      308,
      `https://127.0.0.1:${server.securePort}/a?b=1`,
    ])
    for (const init of [
      { method: 'POST', body: '{}' },
      { headers: { authorization: basic('a', 'b') } },
      { method: 'DELETE' },
    ]) {
      const refused = await fetch(`${at}/channels`, { ...init, redirect: 'manual' })
      expect([refused.status, refused.headers.get('location')]).to.deep.equal([403, null])
      expect(await refused.text()).to.contain('https://')
    }
  })

  it('and takes new files without a pause, and refuses files that do not fit', async () => {
    const shown = () =>
      new Promise<string>((resolve, reject) => {
        const socket = tls.connect({ ...trusted, port: server.securePort! }, () => {
          resolve(socket.getPeerCertificate().serialNumber)
          socket.destroy()
        })
        socket.once('error', reject)
      })
    const first = await shown()
    const other = identityFor(authority, [NAME])
    put(other)
    await server.reload()
    const second = await shown()
    expect(second).to.not.equal(first)
    expect((await ask({ ':path': '/healthz' })).status).to.equal(200)
    copyFileSync(certFile, `${certFile}.good`)
    writeFileSync(certFile, identity.cert)
    await server.reload()
    expect(await shown()).to.equal(second)
    writeFileSync(certFile, 'not a certificate')
    await server.reload()
    expect(await shown()).to.equal(second)
    put(identity)
    await server.reload()
    expect(await shown()).to.equal(first)
  })

  it('and resumes in another thread what a client began in one', async () => {
    const ticketSeed = new Uint8Array(32).fill(7)
    const threads = await Promise.all(
      [1, 2].map(async () => {
        const handler = createHandler(test.program, routes)
        const made = await createSecureListener({
          program: test.program,
          handler,
          counts: connectionCounts(test.program)!,
          ticketSeed,
          speaks: false,
        })
        await new Promise<void>((resolve) => made.server.listen(0, '127.0.0.1', resolve))
        return {
          ...made,
          port: (made.server.address() as { port: number }).port,
          end: () => Promise.all([made.close(), handler.close()]),
        }
      }),
    )
    const ticket = await new Promise<Buffer>((resolve, reject) => {
      const socket = tls.connect({ ...trusted, port: threads[0]!.port })
      socket.once('session', (given) => {
        resolve(given)
        socket.destroy()
      })
      socket.once('error', reject)
    })
    const isReused = await new Promise<boolean>((resolve, reject) => {
      const socket = tls.connect({ ...trusted, port: threads[1]!.port, session: ticket }, () => {
        resolve(socket.isSessionReused())
        socket.destroy()
      })
      socket.once('error', reject)
    })
    expect(isReused).to.equal(true)
    await Promise.all(threads.map(({ end }) => end()))
  })

  it('and lets running requests finish when it stops', async () => {
    const own = await listen(test.program)
    const one = http2.connect(`https://127.0.0.1:${own.securePort}`, trusted)
    one.on('error', () => {})
    await ask({ ':path': '/healthz' }, undefined, one)
    const closed = new Promise((resolve) => one.once('close', resolve))
    await own.close()
    await closed
    await eventually(() => one.destroyed, 'the connection ends')
  })
})
