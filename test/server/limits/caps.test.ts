import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createBanner, newBanner } from '../../../src/domain/links/banners/schema.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import { createHandler } from '../../../src/server/handler.ts'
import { routes } from '../../../src/server/routes.ts'
import { basic, openTestServer, type TestServer } from '../../support/http.ts'
import { newLink } from '../../support/links.ts'
import { itOfShape, onEachDatabase, openTestProgram } from '../../support/program.ts'

let uuids = 0
const event = (over: { data?: { text: string } } = {}) => ({
  type: 'seen',
  uuid: `caps-${uuids++}`,
  timestamp: 1,
  ...over,
})
const batch = (count: number) => Array.from({ length: count }, () => event())

/** The whole answer to somebody who has to wait. */
const wait = (what: string, seconds: number) => [
  503,
  String(seconds),
  { error: `too many ${what}: try again in ${seconds} s` },
]
const newcomers = (seconds: number) => wait('new installs and other records from this address', seconds)

onEachDatabase('what a device may fill the database with', (kind) => {
  const itAnswers = itOfShape(kind)
  let test: TestServer
  let appId: number
  afterEach(() => test.close())

  const open = async (settings: Record<string, string>) => {
    test = await openTestServer({ kind, settings: { trustedProxies: '127.0.0.1', ...settings } })
    appId = test.first.id
  }
  /** A call of a device behind an address. */
  async function call(method: string, path: string, body?: unknown, from = '192.0.2.1') {
    const answer = await test.call(method, path, { auth: 'device', body, headers: { 'x-forwarded-for': from } })
    return answer.status === 503 ? [503, answer.headers.get('retry-after'), answer.body] : answer.status
  }
  const upload = (install: string, events: unknown[], from?: string) =>
    call('POST', `/v1/app-installs/${install}/events`, events, from)
  const installs = async () => (await test.program.crm.listInstalls(appId, 0, 100)).map(({ installId }) => installId)
  const rowsOf = async (table: string) =>
    Number((await test.program.kernel.db.read(table).count({ n: '*' }).first())!.n)

  it('ends the new installs of an address, not the calls of those that are known, nor those of other addresses', async () => {
    await open({ 'limits.newPerAddress': '3' })
    for (const install of ['a', 'b', 'c', 'a', 'b']) expect(await upload(install, batch(2))).to.equal(202)
    expect(await upload('d', batch(2))).to.deep.equal(newcomers(1200))
    expect(await call('PUT', '/v1/app-installs/d', {})).to.deep.equal(newcomers(1200))
    expect(await upload('a', batch(2))).to.equal(202)
    expect(await call('PUT', '/v1/app-installs/b/location', { lat: 1, lng: 2 })).to.equal(204)
    expect(await upload('e', batch(1), '192.0.2.2')).to.equal(202)
    expect(await installs()).to.have.members(['a', 'b', 'c', 'e'])
    expect(await test.program.events.after(appId, 0, 100)).to.have.length(14)
    test.clock.advance(1_200_000)
    expect(await upload('d', batch(2))).to.equal(202)
    expect(await upload('f', batch(2))).to.deep.equal(newcomers(1200))
  })

  itAnswers('holds up nobody on the machine itself', async () => {
    await open({ 'limits.newPerAddress': '1', 'limits.eventsPerInstall': '1' })
    for (const from of ['127.0.0.1', '::1']) {
      for (const install of ['a', 'b', 'a']) expect(await upload(install, batch(3), from)).to.equal(202)
    }
    expect(await test.program.events.after(appId, 0, 100)).to.have.length(18)
  })

  itAnswers('holds every door to it through which something new comes', async () => {
    await open({ 'limits.newPerAddress': '1' })
    const news = { uuid: 'news', name: 'News', showInPortal: true, meta: null }
    await test.program.inTransaction((tx) => tx.channels.create(appId, news))
    const labels = { heading: 'h', body: 'b', acceptAction: 'a', declineAction: 'd' }
    const banner = await test.program.inTransaction(async (tx) => {
      await tx.links.create(appId, [newLink({ slug: 'banner' })])
      return tx.banners.create(appId, newBanner(parseJson(createBanner, { link: 'banner', labels })))
    })
    expect(await upload('a', [])).to.equal(202)
    const before = await rowsOf('users')
    const { apiKey } = test.first
    const checkin = { location: 'Bar', partySize: 1, contacts: [{ lastName: 'Doe' }], deviceKey: 'k' }
    const doors = [
      ['GET', '/v1/app-installs/d/channels'],
      ['POST', '/v1/app-installs/d/channels/subscriptions', { uuids: ['news'] }],
      ['POST', '/push/v1/channels', { uuid: 'news', name: 'News', showInPortal: true, installId: 'd' }],
      ['POST', '/crm/v1/channels', { uuid: 'news', name: 'News', showInPortal: true, userIdentifier: 'd' }],
      ['POST', '/v1/channels', { uuid: 'mine', name: 'Mine', showInPortal: true }],
      ['POST', '/v1/users/d/channels/subscriptions', { uuids: ['news'] }],
      ['PUT', '/v1/users/d/channels/subscriptions', { uuids: ['news'] }],
      ['POST', `/v1/track/${apiKey}/acra/d`, { STACK_TRACE: 'x' }],
      ['POST', '/v1/users/d/checkins', checkin],
      ['POST', `/v1/banners/${banner.uuid}/taps`, { webInstallId: 'w', fingerprint: { a: '1' } }],
      ['DELETE', '/v1/app-installs/d/push-token'],
      ['POST', '/v1/app-installs/d/opens', { id: 1 }],
    ] as const
    for (const [method, path, body] of doors) {
      expect(await call(method, path, body), `${method} ${path}`).to.deep.equal(newcomers(3600))
    }
    expect([await installs(), await rowsOf('users')]).to.deep.equal([['a'], before])
    expect(await rowsOf('channels')).to.equal(1)
    expect(await test.program.crashes.list(appId, {}, undefined, 10)).to.deep.equal([])
    expect((await test.program.checkins.list(appId, undefined, 10)).checkins).to.deep.equal([])
    const known = [
      ['GET', '/v1/app-installs/a/channels', undefined, 200],
      ['POST', '/v1/app-installs/a/channels/subscriptions', { uuids: ['news'] }, 204],
      ['POST', '/push/v1/channels', { uuid: 'news', name: 'News', showInPortal: true, installId: 'a' }, 201],
      ['POST', '/v1/users/a/channels/subscriptions', { uuids: ['news'] }, 204],
      ['PUT', '/v1/users/d/channels/subscriptions', {}, 204],
      ['DELETE', '/v1/users/d/channels/subscriptions', { uuids: ['news'] }, 204],
      ['GET', '/v1/users/d/channels', undefined, 200],
      ['POST', `/v1/track/${apiKey}/acra/a`, { STACK_TRACE: 'x' }, 204],
    ] as const
    for (const [method, path, body, status] of known) {
      expect(await call(method, path, body), `${method} ${path}`).to.equal(status)
    }
  })

  itAnswers('counts nothing of a call that changes nothing', async () => {
    await open({ 'limits.newPerAddress': '1' })
    for (const whose of ['app-installs', 'users']) {
      expect(await call('POST', `/v1/${whose}/d/channels/subscriptions`, { uuids: ['no'] })).to.equal(404)
    }
    expect(await upload('d', batch(1))).to.equal(202)
  })

  itAnswers('counts what is kept of an Idempotency-Key, which no SDK sends, and no repetition', async () => {
    await open({ 'limits.newPerAddress': '1' })
    expect(await upload('a', [], '192.0.2.9')).to.equal(202)
    const once = async (key: string) => {
      const headers = { 'idempotency-key': key, 'x-forwarded-for': '192.0.2.1' }
      return (await test.call('POST', '/v1/app-installs/a/opens', { auth: 'device', body: { id: 1 }, headers })).status
    }
    expect([await once('k1'), await once('k1'), await once('k2')]).to.deep.equal([204, 204, 503])
    expect(await rowsOf('idempotency_keys')).to.equal(1)
  })

  it('takes an upload of events whole or not at all, and what was too much is waited for', async () => {
    await open({ 'limits.eventsPerInstall': '10' })
    const nine = batch(9)
    expect(await upload('a', nine)).to.equal(202)
    // What came before and what is refused costs nothing.
    expect(await upload('a', nine)).to.equal(202)
    expect(await upload('a', [{}, {}])).to.equal(202)
    const ten = batch(10)
    expect(await upload('a', ten)).to.equal(202)
    const more = batch(1)
    const refused = wait('events of this install', 3600)
    expect(await upload('a', more)).to.deep.equal(refused)
    expect(await upload('a', nine)).to.deep.equal(refused)
    expect(await call('PUT', '/v1/app-installs/a', {})).to.deep.equal(refused)
    expect(await upload('b', batch(1))).to.equal(202)
    expect(await test.program.events.after(appId, 0, 100)).to.have.length(20)
    test.clock.advance(3_600_000)
    expect(await upload('a', more)).to.equal(202)
  })

  itAnswers('counts large events by their size', async () => {
    await open({ 'limits.eventsPerInstall': '10' })
    expect(await upload('a', [event({ data: { text: 'x'.repeat(20_000) } })])).to.equal(202)
    expect(await upload('a', batch(1))).to.deep.equal(wait('events of this install', 11 * 360))
  })

  it('counts an install once whose first calls come at the same time', async () => {
    await open({ 'limits.newPerAddress': '2' })
    const together = Array.from({ length: 8 }, () => upload('a', batch(1)))
    expect(new Set(await Promise.all(together))).to.deep.equal(new Set([202]))
    expect(await upload('b', batch(1))).to.equal(202)
    expect(await upload('c', batch(1))).to.deep.equal(newcomers(1800))
  })

  itAnswers('tells who sends an unusable name that it is one', async () => {
    await open({ 'limits.newPerAddress': '1' })
    expect(await upload('a', [])).to.equal(202)
    expect(await upload('x'.repeat(300), [])).to.equal(422)
    expect(await call('GET', `/v1/app-installs/${'x'.repeat(300)}/channels`)).to.equal(422)
  })

  itAnswers('is not limited with 0', async () => {
    await open({ 'limits.newPerAddress': '0', 'limits.eventsPerInstall': '0' })
    for (const install of ['a', 'b', 'c']) expect(await upload(install, batch(50))).to.equal(202)
    expect(await test.program.events.after(appId, 0, 1000)).to.have.length(150)
  })

  it('ends the channels that devices make in an app, also on the machine itself, not those that are there', async () => {
    await open({ 'limits.newChannelsPerApp': '2' })
    const make = (uuid: string, from?: string) => call('POST', '/v1/channels', { uuid }, from)
    expect([await make('a'), await make('b', '192.0.2.2'), await make('a')]).to.deep.equal([201, 201, 201])
    const refused = wait('new channels of this app', 1800)
    for (const from of ['192.0.2.3', '127.0.0.1']) expect(await make('c', from)).to.deep.equal(refused)
    expect([await make('a'), await rowsOf('channels')]).to.deep.equal([201, 2])
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const { status } = await test.call('POST', '/v1/channels', {
      auth: basic(other.apiKey, other.secretKey),
      body: { uuid: 'c' },
    })
    expect(status).to.equal(201)
    expect((await test.call('POST', '/channels', { body: { uuid: 'server' } })).status).to.equal(201)
    test.clock.advance(1_800_000)
    expect([await make('c'), await make('d')]).to.deep.equal([201, refused])
  })

  /** An upload whose body has exactly so many bytes. */
  const bytes = (install: string, count: number, from?: string) => {
    const one = event({ data: { text: '' } })
    one.data!.text = 'x'.repeat(count - JSON.stringify([one]).length)
    return upload(install, [one], from)
  }

  itAnswers(
    'ends the bytes of an address, a quarter of an hour of them at once, not those of others nor of the machine',
    async () => {
      await open({ 'limits.bytesPerAddress': '36000' })
      expect([await bytes('a', 5000), await bytes('b', 5000)]).to.deep.equal([202, 202])
      // 1000 too much came before it was known, and one byte must be free.
      const refused = wait('bytes from this address', 101)
      expect(await bytes('c', 100)).to.deep.equal(refused)
      expect(await call('PUT', '/v1/app-installs/a', {})).to.deep.equal(refused)
      expect(await call('POST', `/v1/track/${test.first.apiKey}/acra/a`, { STACK_TRACE: 'x' })).to.deep.equal(refused)
      expect(await call('GET', '/v1/app-installs/a/channels')).to.equal(200)
      for (const from of ['192.0.2.2', '127.0.0.1', '127.0.0.1', '127.0.0.1']) {
        expect(await bytes('d', 9000, from)).to.equal(202)
      }
      test.clock.advance(101_000)
      expect([await bytes('a', 100), await bytes('a', 100)]).to.deep.equal([202, wait('bytes from this address', 10)])
    },
  )

  itAnswers(
    'ends the bytes of an app, wherever they come from, and counts what a schema refuses, but nothing that the limit refuses',
    async () => {
      await open({ 'limits.bytesPerApp': '40000' })
      for (let i = 0; i < 3; i++) expect(await upload('a', 'no array' as never, '127.0.0.1')).to.equal(422)
      expect(await bytes('a', 9000)).to.equal(202)
      expect(await bytes('b', 9000, '127.0.0.1')).to.equal(202)
      for (const from of ['127.0.0.1', '192.0.2.2']) {
        expect(await bytes('c', 100, from)).to.deep.equal(wait('bytes of devices of this app', 723))
      }
      const text = await (await fetch(`${test.address}/metrics`)).text()
      expect(text).to.include('appsvc_device_refusals_total{limit="limits.bytesPerApp"} 2')
      expect(text).to.include('appsvc_device_refusals_total{limit="limits.bytesPerAddress"} 0')
      expect(text).to.include('appsvc_device_refusals_total{limit="limits.newChannelsPerApp"} 0')
    },
  )

  const refused: [name: string, status: number, path: string, body: string, headers?: Record<string, string>][] = [
    ['invalid JSON', 422, '/v1/app-installs/a/events', '['.repeat(2400)],
    ['JSON that a schema refuses', 422, '/v1/app-installs/a/events', JSON.stringify('x'.repeat(2400))],
    ['bytes that are no text', 422, '/v1/app-installs/a/events', `"${'\0'.repeat(2400)}`],
    [
      'a form with too many fields',
      413,
      '/v1/app-installs/a/opens',
      'a&'.repeat(1200),
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    ['a body that is too large', 413, '/v1/app-installs/a/events', 'x'.repeat(3000)],
    ['too many events', 413, '/v1/app-installs/a/events', `[${'1,'.repeat(1100)}1]`],
    ['an install id that cannot be stored', 422, '/v1/app-installs/%00/events', `[${' '.repeat(2400)}]`],
    ['a banner that nobody has', 404, '/v1/banners/nobody/taps', `{"a":"${'x'.repeat(2400)}"}`],
    ['a crash report of another encoding', 415, '/v1/track/KEY/acra/a', 'x'.repeat(2400), { 'content-encoding': 'br' }],
  ]
  for (const [name, status, path, body, headers] of refused) {
    itAnswers(`counts ${name} against its address as it counts what it accepts`, async () => {
      await open({ 'limits.bytesPerAddress': '16000', 'limits.deviceBody': '2500', 'limits.crashBody': '2500' })
      const at = path.replace('KEY', test.first.apiKey)
      const method =
        at.includes('opens') || at.includes('taps') || at.includes('events') || at.includes('acra') ? 'POST' : 'PUT'
      const once = async (from: string) => {
        const given = { 'x-forwarded-for': from, ...headers }
        return (await test.call(method, at, { auth: 'device', body, headers: given })).status
      }
      expect([await once('192.0.2.1'), await once('192.0.2.1'), await once('192.0.2.1')]).to.deep.equal([
        status,
        status,
        503,
      ])
      expect(await once('192.0.2.2')).to.equal(status)
    })
  }

  itAnswers('counts a packed report as large as it comes out, and what is more than it lets out', async () => {
    await open({ 'limits.bytesPerAddress': '400000' })
    const report = async (bytes: Buffer, from: string) => {
      const headers = { 'x-forwarded-for': from, 'content-encoding': 'gzip' }
      const answer = await test.call('POST', `/v1/track/${test.first.apiKey}/acra/a`, {
        auth: 'device',
        body: bytes,
        headers,
      })
      return answer.status
    }
    const report50 = gzipSync(JSON.stringify({ STACK_TRACE: 'x'.repeat(50_000) }))
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const statuses = async (bytes: Buffer, from: string) => [
      await report(bytes, from),
      await report(bytes, from),
      await report(bytes, from),
    ]
    expect(await statuses(report50, '192.0.2.1')).to.deep.equal([204, 204, 503])
    expect(bomb.length).to.be.within(9000, 11_000)
    expect(await statuses(bomb, '192.0.2.2')).to.deep.equal([413, 503, 503])
  })

  itAnswers('counts what is kept of an answer to an Idempotency-Key, too', async () => {
    await open({ 'limits.bytesPerAddress': '8000' })
    const meta = { text: 'x'.repeat(3000) }
    await test.program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'large', meta }))
    const once = async (key: string) => {
      const headers = { 'idempotency-key': key, 'x-forwarded-for': '192.0.2.1' }
      return (await test.call('POST', '/v1/channels', { auth: 'device', body: { uuid: 'large' }, headers })).status
    }
    expect([await once('k1'), await once('k2')]).to.deep.equal([201, 503])
  })

  itAnswers('is spoken of in the log once in a while, and counted', async () => {
    await open({ 'limits.newPerAddress': '1', 'limits.eventsPerInstall': '1' })
    const lines: Record<string, unknown>[] = []
    const warn = (about: object, message: string) => lines.push({ ...about, message })
    Object.assign(test.program.kernel, { log: { ...test.program.kernel.log, warn } })
    await upload('a', batch(5))
    for (let i = 0; i < 3; i++) await upload(`new ${i}`, batch(1))
    await upload('a', batch(1))
    test.clock.advance(60_000)
    await upload('b', batch(1))
    expect(lines.map(({ limit, who, refused }) => [limit, who, refused])).to.deep.equal([
      ['limits.newPerAddress', '192.0.2.1', 1],
      ['limits.eventsPerInstall', `${appId} a`, 1],
      ['limits.newPerAddress', '192.0.2.1', 3],
    ])
    const text = await (await fetch(`${test.address}/metrics`)).text()
    expect(text).to.include('appsvc_device_refusals_total{limit="limits.newPerAddress"} 4')
    expect(text).to.include('appsvc_device_refusals_total{limit="limits.eventsPerInstall"} 1')
  })
})

describe('the address of a caller', () => {
  it('is the one of IPv4 also where the server listens for IPv6', async () => {
    const test = await openTestProgram({
      settings: { trustedProxies: '::ffff:127.0.0.1', 'limits.newPerAddress': '1' },
    })
    const handler = createHandler(test.program, routes)
    const server = createServer({ keepAliveTimeout: 0 }, handler.handle)
    try {
      // What a socket of `::` says of a caller by IPv4; not every machine has IPv6.
      server.on('connection', (socket) => Object.defineProperty(socket, 'remoteAddress', { value: '::ffff:127.0.0.1' }))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const upload = async (install: string, from: string) => {
        const response = await fetch(`http://127.0.0.1:${port}/v1/app-installs/${install}/events`, {
          method: 'POST',
          headers: { authorization: basic(test.first.apiKey, test.first.secretKey), 'x-forwarded-for': from },
          body: '[]',
        })
        await response.arrayBuffer()
        return response.status
      }
      expect(await upload('a', '192.0.2.1')).to.equal(202)
      expect(await upload('b', '192.0.2.1')).to.equal(503)
      expect(await upload('c', '::ffff:192.0.2.1')).to.equal(503)
      expect(await upload('d', '::ffff:192.0.2.2')).to.equal(202)
      // Some proxies write the port as well.
      expect(await upload('e', '192.0.2.2:40001')).to.equal(503)
      expect(await upload('f', '[2001:db8::1]:40001')).to.equal(202)
      expect(await upload('g', '2001:db8::2')).to.equal(503)
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await handler.close()
      await test.close()
    }
  })

  it('is what the nearest of our proxies saw, whatever the caller wrote before it', async () => {
    const settings = { trustedProxies: '127.0.0.1, 10.0.0.7', 'limits.newPerAddress': '1' }
    const test = await openTestServer({ settings })
    try {
      const upload = async (install: string, from: string) => {
        const headers = { 'x-forwarded-for': from }
        return (await test.call('POST', `/v1/app-installs/${install}/events`, { auth: 'device', headers, body: [] }))
          .status
      }
      expect(await upload('a', '192.0.2.1, 198.51.100.9')).to.equal(202)
      expect(await upload('b', '192.0.2.2, 198.51.100.9')).to.equal(503)
      expect(await upload('c', '192.0.2.3, 198.51.100.9, 10.0.0.7')).to.equal(503)
      // What was made up did not cost its owner anything.
      expect(await upload('d', '192.0.2.3')).to.equal(202)
    } finally {
      await test.close()
    }
  })

  it('is that of the connection when no proxy of ours is at its other end', async () => {
    const test = await openTestServer({ settings: { trustedProxies: '10.0.0.7', 'limits.newPerAddress': '1' } })
    try {
      const upload = async (install: string, from: string) => {
        const headers = { 'x-forwarded-for': from }
        return (await test.call('POST', `/v1/app-installs/${install}/events`, { auth: 'device', headers, body: [] }))
          .status
      }
      // The machine's own calls are not counted; those of 192.0.2.1 would be.
      expect(await upload('a', '192.0.2.1')).to.equal(202)
      expect(await upload('b', '192.0.2.1')).to.equal(202)
    } finally {
      await test.close()
    }
  })
})
