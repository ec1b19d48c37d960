import { expect } from 'chai'
import { MAX_BATCH } from '../../src/domain/events/ingest/envelope.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { uploadedEvents } from '../support/uploaded.ts'

describe('the device interface', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
  })
  beforeEach(() => test.startOver())
  after(() => test.close())

  const device = (method: string, path: string, body?: unknown) => test.call(method, path, { auth: 'device', body })
  const event = (uuid: string, more: object = {}) => ({ type: 'x', uuid, timestamp: 1, ...more })
  const install = () => test.program.crm.showInstall(test.first.id, 'I1')
  const stored = () => uploadedEvents(test.program, test.first.id)

  it('takes events with 202 and an empty object', async () => {
    const answer = await device('POST', '/events/v1/app-installs/I1/events', [event('1'), event('2', { data: null })])
    expect([answer.status, answer.body]).to.deep.equal([202, {}])
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
    expect(await stored()).to.have.length(2)
  })

  it('takes them again with the same answer and stores nothing twice', async () => {
    for (let i = 0; i < 2; i++) {
      const answer = await device('POST', '/v1/app-installs/I1/events', [event('1')])
      expect([answer.status, answer.body]).to.deep.equal([202, {}])
    }
    expect(await stored()).to.have.length(1)
  })

  it('names the events it refuses and takes the others', async () => {
    const answer = await device('POST', '/events/v1/app-installs/I1/events', [event('1'), { type: 'x', timestamp: 1 }])
    expect([answer.status, answer.body]).to.deep.equal([
      202,
      { refused: [{ index: 1, errors: { uuid: ['is required'] } }] },
    ])
  })

  it('reads the body whatever its content type says', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8']) {
      const body = JSON.stringify([event(type)])
      const answer = await test.call('POST', '/v1/app-installs/I1/events', {
        auth: 'device',
        body,
        headers: { 'content-type': type, accept: 'appliction/json' },
      })
      expect(answer.status, type).to.equal(202)
    }
  })

  for (const body of ['', '{', 'null', '{}', '"x"']) {
    it(`answers 422 to the batch ${JSON.stringify(body)}`, async () => {
      const answer = await device('POST', '/v1/app-installs/I1/events', body)
      expect(answer.status).to.equal(422)
      expect((answer.body as { errors: object }).errors).to.have.all.keys('')
    })
  }

  it('answers 413 to a batch that no device sends', async () => {
    const many = Array.from({ length: MAX_BATCH + 1 }, (_, i) => event(String(i)))
    expect((await device('POST', '/v1/app-installs/I1/events', many)).status).to.equal(413)
  })

  it('takes a thousand events of a kilobyte each, once', async () => {
    const many = Array.from({ length: MAX_BATCH }, (_, i) => event(String(i), { data: { text: 'x'.repeat(1000) } }))
    for (let i = 0; i < 2; i++) expect((await device('POST', '/v1/app-installs/I1/events', many)).status).to.equal(202)
    expect(await test.program.events.after(test.first.id, 0, 2 * MAX_BATCH)).to.have.length(MAX_BATCH)
  })

  it('answers a repeated Idempotency-Key with the first answer', async () => {
    const send = (body: object[]) =>
      test.call('POST', '/v1/app-installs/I1/events', { auth: 'device', body, headers: { 'idempotency-key': 'k' } })
    const [first, second] = [await send([event('1'), { type: 'x' }]), await send([event('1'), { type: 'x' }])]
    expect(first.status).to.equal(202)
    expect(second.body).to.deep.equal(first.body)
    expect(second.headers.get('idempotency-replayed')).to.equal('true')
    expect((await send([event('2')])).status).to.equal(422)
    expect(await stored()).to.have.length(1)
  })

  it('opens to the secret key only', async () => {
    for (const auth of ['none', 'server'] as const) {
      expect((await test.call('POST', '/v1/app-installs/I1/events', { auth, body: [] })).status).to.equal(401)
    }
  })

  it('takes the calls of older SDKs as the events they became', async () => {
    const statuses = [
      await device('PUT', '/events/v1/app-installs/I1', {
        os: { id: 3, version: '9' },
        sdk: { id: 2 },
        device: { name: 'Pixel' },
      }),
      await device('PUT', '/events/v1/app-installs/I1/location', { lat: 1, lng: 2 }),
      await device('PUT', '/events/v1/app-installs/I1/user-id', { id: 'anna' }),
      await device('PUT', '/push/v1/app-installs/I1/push-token', { token: 't', type: 2 }),
      await device('POST', '/push/v1/app-installs/I1/opens', { id: 7 }),
    ].map((answer) => answer.status)
    expect(statuses).to.deep.equal([204, 204, 204, 204, 204])
    expect(await install()).to.include({ os: 'Android', userIdentifier: 'anna', subscribed: true })
    expect((await stored()).map((one) => one.type)).to.deep.equal([
      'k.stats.installTracked',
      'k.engage.locationUpdated',
      'k.stats.userAssociated',
      'k.push.deviceRegistered',
      'k.push.opened',
    ])
    expect((await device('DELETE', '/push/v1/app-installs/I1/push-token')).status).to.equal(204)
    expect(await install()).to.include({ subscribed: false })
  })

  it('keeps install ids apart by case and takes any text as one', async () => {
    for (const id of ['a', 'A', 'a%2Fb', 'x%20y']) {
      expect((await device('POST', `/v1/app-installs/${id}/events`, [])).status).to.equal(202)
    }
    const all = await test.program.crm.listInstalls(test.first.id, 0, 10)
    expect(all.map((one) => one.installId)).to.deep.equal(['a', 'A', 'a/b', 'x y'])
  })

  it('answers 422 to an install id that no database can store', async () => {
    expect((await device('POST', '/v1/app-installs/a%00b/events', [])).status).to.equal(422)
  })
})
