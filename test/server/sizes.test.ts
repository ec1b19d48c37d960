import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'
import { newLink } from '../support/links.ts'
import { onSqliteDaily } from '../support/program.ts'
import { uploadedEvents } from '../support/uploaded.ts'

/** An object of exactly so many bytes as JSON. */
const sized = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) })
const problem = (bytes: number, allowed: number, setting: string) =>
  `has ${bytes} bytes as JSON, ${allowed} are allowed (${setting})`

let uuids = 0
const event = (over: object = {}) => ({ type: 'seen', uuid: `size-${uuids++}`, timestamp: 1, ...over })

onSqliteDaily('what may be stored', (kind) => {
  let test: TestServer
  let appId: number
  before(async () => {
    test = await openTestServer({ kind })
  })
  beforeEach(async () => {
    await test.startOver()
    appId = test.first.id
  })
  after(() => test.close())

  const call = (method: string, path: string, body: unknown, auth: 'server' | 'device' = 'device') =>
    test.call(method, path, { auth, body })
  const upload = (events: unknown[], install = 'a') => call('POST', `/v1/app-installs/${install}/events`, events)
  const stored = async () => (await uploadedEvents(test.program, appId)).map(({ uuid, data }) => [uuid, data])

  it('is bounded at every door of a server, and the answer names field and limit', async () => {
    const links = '/v1/deep-links'
    const send = { target: { broadcast: true }, content: { title: 't', message: 'm' } }
    const doors = [
      ['PUT', '/v1/users/anna/attributes', sized, 'attributes', 'limits.attributes'],
      ['POST', '/channels', (n: number) => ({ uuid: `c${n}`, meta: sized(n) }), 'meta', 'limits.channelMeta'],
      ['POST', links, (n: number) => [newLink({ linkData: sized(n) })], '[0].linkData', 'limits.linkData'],
      ['POST', links, (n: number) => [newLink({ reportingMeta: sized(n) })], '[0].reportingMeta', 'limits.linkData'],
      [
        'POST',
        '/messages/v2/notifications',
        (n: number) => ({ ...send, reportingMeta: sized(n) }),
        'reportingMeta',
        'limits.reportingMeta',
      ],
      [
        'POST',
        '/messages/v2/notifications',
        (n: number) => ({ ...send, userMeta: { anna: sized(n), ben: { a: 1 } } }),
        'userMeta.anna',
        'limits.reportingMeta',
      ],
    ] as const
    for (const [method, path, body, field, setting] of doors) {
      const whole = await call(method, path, body(65_536), 'server')
      expect(whole.status, `${path} ${field}`).to.be.oneOf([200, 201, 202])
      const large = await call(method, path, body(65_537), 'server')
      expect([large.status, large.body], `${path} ${field}`).to.deep.equal([
        422,
        { error: 'validation failed', errors: { [field]: [problem(65_537, 65_536, setting)] } },
      ])
    }
    expect(await test.program.crm.attributes(appId, 'anna')).to.deep.equal(sized(65_536))
  })

  it('leaves a channel as it is whose meta was stored before there was a limit', async () => {
    const { id } = (await call('POST', '/channels', { uuid: 'old' }, 'server')).body as { id: number }
    const meta = sized(200_000)
    const text = JSON.stringify(meta)
    await test.program.kernel.db.write(async (trx) => trx('channels').where({ id }).update({ meta: text }))
    expect((await call('PUT', `/channels/${id}`, { name: 'Old' }, 'server')).body).to.deep.include({
      name: 'Old',
      meta,
    })
    expect((await call('PUT', `/channels/${id}`, { meta }, 'server')).status).to.equal(422)
    // Apps call this at every start, with what they have always called it with.
    const again = await call('POST', '/v1/channels', { uuid: 'old', meta })
    expect([again.status, again.body]).to.deep.equal([201, { uuid: 'old', name: 'Old', subscribed: false, meta }])
    expect((await test.call('GET', '/v1/users/ben/channels', { auth: 'device' })).body).to.deep.equal([again.body])
  })

  it('is less for the channel of a device, which every other device gets', async () => {
    expect((await call('POST', '/v1/channels', { uuid: 'a', meta: sized(4096) })).status).to.equal(201)
    const large = await call('POST', '/v1/channels', { uuid: 'b', meta: sized(4097) })
    expect([large.status, large.body]).to.deep.equal([
      422,
      { error: 'validation failed', errors: { meta: [problem(4097, 4096, 'limits.deviceChannelMeta')] } },
    ])
  })

  it('is bounded for a check-in', async () => {
    const meta = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 'x'.repeat(1000)]))
    const checkin = (people: number) => ({
      location: 'Bar',
      contacts: Array.from({ length: people }, () => ({ lastName: 'Doe', meta })),
      deviceKey: 'k',
    })
    expect((await call('POST', '/v1/users/anna/checkins', checkin(1))).status).to.equal(201)
    const large = await call('POST', '/v1/users/anna/checkins', checkin(2))
    expect(large.status).to.equal(422)
    expect(JSON.stringify(large.body)).to.include('"contacts"').and.include('(limits.checkin)')
  })

  it('does not take a large event, nor lose the good ones of its batch, however often it comes', async () => {
    const good = [event({ data: sized(65_536) }), event({ data: null })]
    const batch = [good[0], event({ data: sized(65_537) }), good[1]]
    const refused = { refused: [{ index: 1, errors: { data: [problem(65_537, 65_536, 'limits.event')] } }] }
    for (let i = 0; i < 2; i++) {
      const { status, body } = await upload(batch)
      expect([status, body]).to.deep.equal([202, refused])
    }
    expect((await stored()).map(([uuid]) => uuid)).to.deep.equal(good.map(({ uuid }) => uuid))
  })

  it('measures what is stored: numbers that become longer do not get by', async () => {
    const numbers = `[${'1e20,'.repeat(8000)}1]`
    const body = `[{"type":"seen","uuid":"n","timestamp":1,"data":{"list":${numbers}}}]`
    expect(body.length).to.be.below(65_536)
    expect(JSON.stringify((await upload(body as unknown as unknown[])).body)).to.include('limits.event')
    expect(await stored()).to.deep.equal([])
  })

  it('takes an association without attributes that are too large: what comes next for one person must not reach another', async () => {
    await upload([event({ type: 'k.stats.userAssociated', data: { id: 'anna', attributes: { a: 1 } } })])
    const large = event({ type: 'k.stats.userAssociated', data: { id: 'ben', attributes: sized(65_537) } })
    const next = event()
    for (let i = 0; i < 2; i++) {
      const { status, body } = await upload([large, next])
      const errors = { 'data.attributes': [problem(65_537, 65_536, 'limits.attributes')] }
      expect([status, body]).to.deep.equal([202, { trimmed: [{ index: 0, errors }] }])
    }
    expect((await test.program.crm.showInstall(appId, 'a')).userIdentifier).to.equal('ben')
    expect(await test.program.crm.attributes(appId, 'ben')).to.deep.equal({})
    expect((await stored())[1]).to.deep.equal([large.uuid, { id: 'ben' }])
    expect(await stored()).to.have.length(3)
  })

  it('lets crash reports be larger, which are not kept in their event', async () => {
    const crash = (bytes: number) =>
      event({ type: 'k.crash.loggedException', data: { format: 'raven', report: sized(bytes) } })
    expect((await upload([crash(1_000_000)])).body).to.deep.equal({})
    expect(await test.program.crashes.list(appId, {}, undefined, 10)).to.have.length(1)
    expect(JSON.stringify((await upload([crash(2_097_153)])).body)).to.include('limits.crashBody')
    expect(await stored()).to.have.length(1)
  })

  it('says 422 to an older SDK whose whole call is what is too large', async () => {
    const large = await call('PUT', '/v1/app-installs/a/user-id', { id: 'anna', more: sized(70_000) })
    expect(large.status).to.equal(422)
    expect(JSON.stringify(large.body)).to.include('limits.event')
    expect((await call('PUT', '/v1/app-installs/a/user-id', { id: 'anna' })).status).to.equal(204)
  })

  it('is bounded for the keys of a subscription, which nothing but their length showed', async () => {
    const keys = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') }
    const token = (p256dh: string) => ({ endpoint: 'https://fcm.googleapis.com/fcm/send/1', keys: { ...keys, p256dh } })
    const register = (p256dh: string) =>
      upload([event({ type: 'k.push.deviceRegistered', data: { type: 3, token: token(p256dh) } })])
    await register(keys.p256dh + '='.repeat(60_000))
    expect(await test.program.crm.showInstall(appId, 'a')).to.include({ platform: null })
    await register(`${keys.p256dh}=`)
    expect(await test.program.crm.showInstall(appId, 'a')).to.include({ platform: 3 })
  })
})

onSqliteDaily('what may be stored, with other settings', (kind) => {
  let test: TestServer
  afterEach(() => test.close())

  it('is what the settings say', async () => {
    const settings = { 'limits.attributes': '1024', 'limits.event': '4096', 'limits.deviceChannelMeta': '10' }
    test = await openTestServer({ kind, settings })
    const attributes = (bytes: number) => test.call('PUT', '/v1/users/anna/attributes', { body: sized(bytes) })
    expect([(await attributes(1024)).status, (await attributes(1025)).status]).to.deep.equal([200, 422])
    const data = { id: 'ben', attributes: sized(2000) }
    const body = [event({ type: 'k.stats.userAssociated', data })]
    const { body: answer } = await test.call('POST', '/v1/app-installs/a/events', { auth: 'device', body })
    expect(JSON.stringify(answer)).to.include('trimmed').and.include('limits.attributes')
    const channel = { uuid: 'c', meta: { text: 'long' } }
    expect((await test.call('POST', '/v1/channels', { auth: 'device', body: channel })).status).to.equal(422)
  })
})
