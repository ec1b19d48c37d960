import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addPerson } from '../support/people.ts'
import { onSqliteDaily } from '../support/program.ts'

type Json = Record<string, unknown>

const KEYS = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') }
const SERVER = 'https://ntfy.example/up'

onSqliteDaily('a phone without Google', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind, settings: { 'webPush.unifiedPush': 'true' } })
  })
  beforeEach(() => test.startOver())
  after(() => test.close())

  let sent = 0
  const upload = (installId: string, events: readonly { type: string; data?: object }[]) =>
    test.call('POST', `/events/v1/app-installs/${installId}/events`, {
      auth: 'device',
      body: events.map((event) => ({ uuid: `e${sent++}`, timestamp: test.clock.now(), ...event })),
    })
  const tracked = (data: object) => ({ type: 'k.stats.installTracked', data })
  const registered = (endpoint: string) => ({
    type: 'k.push.deviceRegistered',
    data: { type: 3, token: { endpoint, keys: KEYS } },
  })
  const APP = { os: { id: 3, version: '15' }, device: { name: 'FP5' } }
  const PAGE = {
    sdk: { id: 10 },
    os: { id: 0 },
    runtime: { id: 8 },
    device: { name: 'Mozilla/5.0 (Linux; Android 15)' },
  }

  const installs = async (query = '&include=device'): Promise<Record<string, Json>> => {
    const { body } = await test.call('GET', `/crm/v2/users?currentPage=1&numberPerPage=9${query}`)
    const found = (body as { users: { installs: Json[] }[] }).users.flatMap((user) => user.installs)
    return Object.fromEntries(found.map((one) => [one.id, one]))
  }
  const transports = async () =>
    Object.fromEntries(Object.entries(await installs()).map(([id, { transport }]) => [id, transport]))

  it('is one whose details say that it is an app, in whatever order they come', async () => {
    await upload('both', [tracked(APP), registered(`${SERVER}1?up=1`)])
    await upload('details-first', [tracked(APP)])
    await upload('details-first', [registered(`${SERVER}2?up=1`)])
    await upload('token-first', [registered(`${SERVER}3?up=1`)])
    await upload('page', [registered(`${SERVER}4?up=1`), tracked(PAGE)])
    await upload('no-token', [tracked(APP)])
    const early = { both: 'unifiedpush', 'details-first': 'unifiedpush', page: 'web', 'no-token': null }
    expect(await transports()).to.deep.equal({ ...early, 'token-first': 'web' })
    await upload('token-first', [tracked(APP)])
    expect(await transports()).to.deep.equal({ ...early, 'token-first': 'unifiedpush' })
    await upload('both', [{ type: 'k.push.deviceUnsubscribed' }])
    expect(await transports()).to.include({ both: null })
  })

  it('is told by its transport in the older call, and never in what the contract closes', async () => {
    await upload('phone', [tracked(APP)])
    const path = '/push/v1/app-installs/phone/push-token'
    const body = { type: 3, token: { endpoint: `${SERVER}?up=1`, keys: KEYS } }
    expect((await test.call('PUT', path, { auth: 'device', body })).status).to.equal(204)
    expect(await transports()).to.deep.equal({ phone: 'unifiedpush' })
    const plain = (await installs(''))['phone']!
    expect(plain).to.include({ os: 'Android', subscribedToPushNotifications: true })
    expect(plain).not.to.have.any.keys('transport', 'runsIn')
  })

  it('is selected by its transport, whoever writes it how', async () => {
    await upload('phone', [tracked(APP), registered(`${SERVER}1?up=1`)])
    await upload('page', [tracked(PAGE), registered(`${SERVER}2?up=1`)])
    const preview = async (filter: object) => {
      const made = await test.call('POST', '/messages/v1/segments', { body: { name: JSON.stringify(filter), filter } })
      expect(made.status, JSON.stringify(made.body)).to.equal(201)
      const { id } = made.body as { id: number }
      const { body } = await test.call('GET', `/messages/v1/segments/${id}/preview`)
      return (body as { first: { installId: string }[] }).first.map(({ installId }) => installId)
    }
    expect(await preview({ field: 'transport', op: 'equals', value: 'UnifiedPush' })).to.deep.equal(['phone'])
    expect(await preview({ field: 'transport', op: 'notEquals', value: 'unifiedpush' })).to.deep.equal(['page'])
    const refused = await test.call('POST', '/messages/v1/segments', {
      body: { name: 'x', filter: { field: 'transport', op: 'equals', value: 'pigeon' } },
    })
    expect(refused.status).to.equal(422)
    expect(JSON.stringify(refused.body)).to.include('one of apns, fcm, web, unifiedpush, safari, hms')
  })

  it('is an Android phone for people', async () => {
    await upload('phone', [tracked(APP), registered(`${SERVER}1?up=1`)])
    const { token } = await addPerson(test.program)
    const ask = async (path: string) =>
      (await test.call('GET', `/admin/v1/apps/${test.first.id}${path}`, { auth: `Bearer ${token}` })).body as Json
    const { items } = (await ask('/profiles')) as { items: { id: number; platforms: string[] }[] }
    expect(items[0]!.platforms).to.deep.equal(['android'])
    const profile = (await ask(`/profiles/${items[0]!.id}`)) as { installs: { push: Json }[] }
    expect(profile.installs[0]!.push).to.include({ state: 'ready', platform: 'android', transport: 'unifiedpush' })
  })
})
