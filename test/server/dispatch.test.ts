import { Agent, request } from 'node:http'
import { expect } from 'chai'
import { ANSWER_MS } from '../../src/platform/db/answering.ts'
import { STALE_TICK_MS, startWatch } from '../../src/workers/watch.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'

describe('the HTTP door', () => {
  let server: TestServer

  before(async () => {
    server = await openTestServer({ settings: { 'hosts.push': 'push.example.com', 'limits.body': '1024' } })
  })
  after(() => server.close())

  const own = () => `/v1/apps/${server.first.id}`

  describe('keys', () => {
    const refused: [string, () => string][] = [
      ['no header', () => 'none'],
      ['another scheme', () => 'Bearer abc'],
      ['no base64', () => 'Basic §§§'],
      ['no colon', () => `Basic ${Buffer.from('abc').toString('base64')}`],
      ['an empty pair', () => basic('', '')],
      ['an unknown API key', () => basic('ak_unknown', server.first.serverKey)],
      ['a wrong server key', () => basic(server.first.apiKey, 'sk_wrong')],
      ['the secret key of devices', () => basic(server.first.apiKey, server.first.secretKey)],
      ['the keys in the wrong order', () => basic(server.first.serverKey, server.first.apiKey)],
      ['the API key twice', () => basic(server.first.apiKey, server.first.apiKey)],
    ]
    for (const [what, auth] of refused) {
      it(`answers 401 to ${what}`, async () => {
        const answer = await server.call('GET', `/push${own()}`, { auth: auth() })
        expect(answer.status).to.equal(401)
        expect(answer.headers.get('www-authenticate')).to.match(/^Basic realm="/)
        expect(answer.body).to.have.property('error').that.is.a('string')
      })
    }

    it('checks the key before it reads the body', async () => {
      const answer = await server.call('PUT', `/push${own()}`, { auth: 'none', body: '{broken' })
      expect(answer.status).to.equal(401)
    })

    it('takes the scheme in any case', async () => {
      const auth = basic(server.first.apiKey, server.first.serverKey).replace('Basic', 'BASIC')
      expect((await server.call('GET', `/push${own()}`, { auth })).status).to.equal(200)
    })

    it('answers 403 for another app and for one that does not exist, alike', async () => {
      const other = await server.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
      const foreign = await server.call('GET', `/push/v1/apps/${other.id}`)
      const missing = await server.call('GET', '/push/v1/apps/999999')
      const nonsense = await server.call('GET', '/push/v1/apps/abc')
      expect([foreign.status, missing.status, nonsense.status]).to.eql([403, 403, 403])
      expect(foreign.body).to.eql(missing.body)
    })

    it('honours a rotated key until its grace ends, and the new one at once', async () => {
      const app = await server.program.inTransaction((tx) => tx.apps.create({ name: 'Rotating' }))
      const fresh = await server.program.inTransaction((tx) => tx.apps.rotate(app.id, 'server', 60_000))
      const status = async (key: string) =>
        (await server.call('GET', `/push/v1/apps/${app.id}`, { auth: basic(app.apiKey, key) })).status
      expect(await status(app.serverKey)).to.equal(200)
      expect(await status(fresh)).to.equal(200)
      server.clock.advance(60_001)
      expect(await status(app.serverKey)).to.equal(401)
      expect(await status(fresh)).to.equal(200)
    })
  })

  describe('addresses', () => {
    it('answers an area under its prefix, at the root and under its host name', async () => {
      expect((await server.call('GET', `/push${own()}`)).status).to.equal(200)
      expect((await server.call('GET', own())).status).to.equal(200)
      expect(await statusWithHost('push.example.com', own())).to.equal(200)
      expect(await statusWithHost('PUSH.example.com:8080', own())).to.equal(200)
    })

    it('does not answer one area under the prefix or host of another', async () => {
      expect((await server.call('GET', `/crm${own()}`)).status).to.equal(404)
      expect(await statusWithHost('push.example.com', '/v2/users')).to.equal(404)
    })

    it('answers 404 to an unknown path, also without keys', async () => {
      const answer = await server.call('GET', '/nothing/here', { auth: 'none' })
      expect(answer.status).to.equal(404)
      expect(answer.body).to.have.property('error')
    })

    it('answers 405 with Allow to a known path with another method', async () => {
      const answer = await server.call('DELETE', `/push${own()}`)
      expect(answer.status).to.equal(405)
      expect(answer.headers.get('allow')).to.equal('PUT, GET, HEAD, OPTIONS')
    })

    it('answers 400 to a path that is not percent-encoded UTF-8', async () => {
      expect(await statusWithHost('localhost', '/push/v1/apps/%ff')).to.equal(400)
    })

    function statusWithHost(host: string, path: string): Promise<number> {
      const { hostname, port } = new URL(server.address)
      return new Promise((resolve, reject) => {
        const headers = { host, authorization: basic(server.first.apiKey, server.first.serverKey) }
        request({ hostname, port, path, headers }, (response) => {
          response.resume()
          resolve(response.statusCode!)
        })
          .on('error', reject)
          .end()
      })
    }
  })

  describe('bodies', () => {
    const rows: [string, { body: string | Uint8Array; headers?: Record<string, string> }, number, RegExp?][] = [
      ['another media type', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415],
      ['a form', { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
      ['no media type at all', { body: '{}', headers: { 'content-type': '' } }, 415, /Content-Type: application\/json/],
      ['a compressed body', { body: '{}', headers: { 'content-encoding': 'gzip' } }, 415],
      ['too many bytes', { body: JSON.stringify({ a: 'x'.repeat(2000) }) }, 413],
      ['an empty body', { body: '' }, 422, /body is required/],
      ['a body cut in half', { body: '{"ios": {"p12"' }, 422, /position/],
      ['malformed UTF-8', { body: new Uint8Array([0x22, 0xff, 0x22]) }, 422, /UTF-8/],
      ['nesting without end', { body: '['.repeat(500) }, 422, /deeper/],
      ['an array where an object is wanted', { body: '[]' }, 422, /object/],
      ['null', { body: 'null' }, 422],
    ]
    for (const [what, options, status, text] of rows) {
      it(`answers ${status} to ${what}`, async () => {
        const answer = await server.call('PUT', `/push${own()}`, options)
        expect(answer.status, JSON.stringify(answer.body)).to.equal(status)
        expect(answer.body).to.have.property('error')
        if (status === 422) expect((answer.body as { errors: Record<string, string[]> }).errors['']).to.be.an('array')
        if (text) expect(JSON.stringify(answer.body)).to.match(text)
      })
    }

    it('takes JSON with a charset and with a vendor type', async () => {
      for (const type of ['application/json; charset=utf-8', 'application/vnd.api+json']) {
        const answer = await server.call('PUT', `/push${own()}`, { body: '{}', headers: { 'content-type': type } })
        expect(answer.status).to.equal(422)
      }
    })
  })

  describe('health', () => {
    it('answers /healthz and /readyz without keys', async () => {
      expect((await server.call('GET', '/healthz', { auth: 'none' })).status).to.equal(200)
      expect((await server.call('GET', '/readyz', { auth: 'none' })).status).to.equal(200)
    })

    it('is not ready while a worker loop stands still, and stays ready while only sending is held', async () => {
      const { kernel } = server.program
      const ready = () => server.call('GET', '/readyz', { auth: 'none' })
      const watch = await startWatch(server.program, { alone: true, node: 'here' })
      await watch.close()
      expect((await ready()).status).to.equal(200)

      // One that never turned is known by when it was to start.
      kernel.ticks.set('deliver-1', server.clock.monotonic() - STALE_TICK_MS - 1000)
      kernel.breakdowns.set('deliver-1', 'no memory')
      await server.program.inTransaction((tx) => tx.instance.setHold({ since: 1, reason: 'it was restored' }))
      await (await startWatch(server.program, { alone: true, node: 'here' })).close()
      const both = await ready()
      expect(both.status).to.equal(503)
      expect((both.body as { error: string }).error).to.match(/deliver-1 is stuck: no memory/)
      expect((both.body as { warnings: string[] }).warnings).to.have.lengthOf(1)

      kernel.ticks.clear()
      await (await startWatch(server.program, { alone: true, node: 'here' })).close()
      const held = await ready()
      expect(held.status).to.equal(200)
      expect((held.body as { warnings: string[] }).warnings.join()).to.include('it was restored')
      await server.program.inTransaction((tx) => tx.instance.setHold(null))
      kernel.faults.settle([])
    })

    it('names a database that keeps its connections and says nothing, and everything else beside it', async () => {
      const { kernel } = server.program
      const { db, clock } = kernel
      const silent = { ...db, read: { raw: () => new Promise(() => {}) } }
      // Whoever waits for an answer finds the time over at once; nobody else wakes up.
      const sleep = (ms: number, signal?: AbortSignal) =>
        ms === ANSWER_MS
          ? Promise.resolve()
          : new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
      Object.assign(kernel, { db: silent, clock: { ...clock, sleep } })
      kernel.ticks.set('deliver-1', clock.monotonic() - STALE_TICK_MS - 1000)
      try {
        await (await startWatch(server.program, { alone: true, node: 'here' })).close()
        expect(kernel.faults.list().map(({ kind }) => kind)).to.deep.equal(['database', 'worker'])
        const answer = await server.call('GET', '/readyz', { auth: 'none' })
        expect(answer.status).to.equal(503)
        expect((answer.body as { error: string }).error).to.match(/^the database does not answer: no answer for 10 s; /)
      } finally {
        Object.assign(kernel, { db, clock })
        kernel.ticks.clear()
        kernel.faults.settle([])
      }
    })
  })

  it('tells a client that is still sending that its body is too large, and takes its next request on the same connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { port } = new URL(server.address)
    const send = (bytes: number) =>
      new Promise<{ status: number | undefined; local: number | undefined }>((resolve, reject) => {
        const { apiKey, serverKey } = server.first
        const headers = {
          authorization: basic(apiKey, serverKey),
          'content-type': 'application/json',
          'content-length': bytes,
        }
        const call = request({ agent, port, method: 'PUT', path: '/crm/v1/users/u/attributes', headers }, (answer) => {
          const local = answer.socket.localPort
          answer.resume().on('end', () => resolve({ status: answer.statusCode, local }))
        })
        call.on('error', reject)
        call.end(Buffer.alloc(bytes, ' ').fill('{}', 0, 2))
      })
    const large = await send(20_000_000)
    expect(large.status).to.equal(413)
    expect(await send(100)).to.deep.equal({ status: 200, local: large.local })
    agent.destroy()
  })
})
