import { expect } from 'chai'
import { fanOut } from '../support/delivery.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'

const schedule = { sendAt: '2026-03-01 18:00', strategy: 'timezone', timezone: 'Europe/Berlin', pastTimes: 'ignore' }
const V2 = { target: { broadcast: true }, content: { title: 'T', message: 'M' } }

describe('scheduled notifications over HTTP', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
  })
  beforeEach(async () => {
    await test.startOver()
    await addInstall(test.program, test.first.id, 'a')
  })
  after(() => test.close())

  async function send(body: object, path = '/messages/v2/notifications'): Promise<number> {
    const answer = await test.call('POST', path, { body })
    expect(answer.status).to.be.oneOf([201, 202])
    const record = answer.body as { id: number; notification?: { id: number } }
    return record.notification?.id ?? record.id
  }
  const cancel = (id: number | string, auth: 'server' | 'none' = 'server') =>
    test.call('DELETE', `/messages/v2/scheduled-notifications/${id}`, { auth })

  it('are accepted with status 0, and their report shows schedule and due instants', async () => {
    const id = await send({ ...V2, schedule })
    const { body } = await test.call('GET', `/messages/v2/notifications/${id}`)
    expect(body).to.deep.include({
      status: 0,
      schedule,
      expiresAt: '2026-03-02T17:00:00+0000',
      dueInstants: [{ at: '2026-03-01T17:00:00+0000', state: 'due', zones: null }],
      unknownZones: 0,
    })
  })

  it('are taken in all three forms', async () => {
    const local = { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'nextDay' }
    const ids = [
      await send({ ...V2, schedule: local }),
      await send({ ...V2, schedule: local }, '/push/v2/notifications'),
      await send(
        { broadcast: true, title: 'T', message: 'M', scheduled: true, schedule: local },
        '/push/notifications',
      ),
    ]
    for (const id of ids) {
      const { body } = await test.call('GET', `/messages/v2/notifications/${id}`)
      expect(body).to.deep.include({ status: 0, schedule: local })
    }
  })

  it('take intelligentDelivery in the place of a schedule', async () => {
    const id = await send({ ...V2, intelligentDelivery: true })
    const { body } = await test.call('GET', `/messages/v2/notifications/${id}`)
    expect(body).to.deep.include({ status: 0, schedule: null, intelligentDelivery: true })
  })

  it('are listed by their next instant until they are through', async () => {
    const later = await send({ ...V2, schedule: { ...schedule, sendAt: '2026-03-05 18:00' } })
    const sooner = await send({ ...V2, schedule })
    await send(V2)
    const list = async () => {
      const { body } = await test.call('GET', '/messages/v2/scheduled-notifications?limit=10')
      return (body as { notifications: { id: number; nextAt: string }[] }).notifications
    }
    expect((await list()).map(({ id }) => id)).to.deep.equal([sooner, later])
    expect((await list())[0]!.nextAt).to.equal('2026-03-01T17:00:00+0000')
    await cancel(sooner)
    expect((await list()).map(({ id }) => id)).to.deep.equal([later])
  })

  it('are listed by the first instant at which a device is due, as their report has it', async () => {
    const id = await send({ ...V2, schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    const { body } = await test.call('GET', '/messages/v2/scheduled-notifications')
    // It is nine in Kiribati 14 hours before, where nobody is.
    expect(body).to.have.nested.property('notifications[0].nextAt', '2026-03-02T09:00:00+0000')
    const { body: report } = await test.call('GET', `/messages/v2/notifications/${id}`)
    expect(report).to.have.nested.property('dueInstants[0].at', '2026-03-02T09:00:00+0000')
  })

  it('are cancelled with 204 and no body, once', async () => {
    const id = await send({ ...V2, schedule })
    expect(await cancel(id)).to.deep.include({ status: 204, body: undefined })
    const again = await cancel(id)
    expect(again.status).to.equal(400)
    expect(again.body).to.deep.equal({ error: `notification ${id} was already cancelled` })
    const { body } = await test.call('GET', `/messages/v2/notifications/${id}`)
    expect(body).to.include({ status: 4 })
  })

  it('cannot be cancelled when they were sent', async () => {
    const id = await send({ ...V2, schedule })
    test.clock.advance(6 * 3_600_000)
    await fanOut(test)
    const { status, body } = await cancel(id)
    expect(status).to.equal(400)
    expect(body).to.have.property('error').that.is.a('string')
  })

  const edit = (id: number | string, body: object, auth?: 'none') =>
    test.call('PATCH', `/messages/v2/notifications/${id}`, { body, ...(auth && { auth }) })

  it('are edited, and answered with their report', async () => {
    const id = await send({ ...V2, schedule })
    test.clock.advance(60_000)
    const { status, body } = await edit(id, {
      content: { title: 'New', message: 'N' },
      schedule: { ...schedule, sendAt: '2026-03-01 19:00' },
    })
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      id,
      status: 0,
      title: 'New',
      schedule: { ...schedule, sendAt: '2026-03-01 19:00' },
      editedAt: '2026-03-01T12:01:00+0000',
      dueInstants: [{ at: '2026-03-01T18:00:00+0000', state: 'due', zones: null }],
    })
    expect((await test.call('GET', `/messages/v2/notifications/${id}`)).body).to.deep.equal(body)
  })

  it('are sent now when their time is null', async () => {
    const id = await send({ ...V2, schedule })
    const { body } = await edit(id, { schedule: null, intelligentDelivery: null })
    expect(body).to.deep.include({ status: 1, schedule: null, dueInstants: [] })
    expect((await test.call('GET', '/messages/v2/scheduled-notifications')).body).to.deep.equal({ notifications: [] })
    const again = await edit(id, { schedule: null })
    expect(again.status).to.equal(409)
    expect(again.body).to.deep.equal({
      error: `notification ${id} is not scheduled and cannot be edited: it is being sent`,
    })
  })

  it('are not edited with what no request has, for nobody, without the key or after their time', async () => {
    const id = await send({ ...V2, schedule })
    const before = (await test.call('GET', `/messages/v2/notifications/${id}`)).body
    const rows: [object, number][] = [
      [{ titel: 'x' }, 422],
      [{ content: { title: '' } }, 422],
      [{ target: { installIds: ['gone'] } }, 400],
    ]
    for (const [body, status] of rows) expect((await edit(id, body)).status, JSON.stringify(body)).to.equal(status)
    expect((await test.call('PATCH', `/messages/v2/notifications/${id}`, { body: [] as never })).status).to.equal(422)
    expect((await edit(id, { ttl: 60 }, 'none')).status).to.equal(401)
    for (const unknown of ['999', 'x', '0', '1e3'])
      expect((await edit(unknown, { ttl: 60 })).status, unknown).to.equal(404)
    expect((await test.call('GET', `/messages/v2/notifications/${id}`)).body).to.deep.equal(before)
    test.clock.advance(6 * 3_600_000)
    expect((await edit(id, { ttl: 60 })).status).to.equal(409)
  })

  it('are unknown under another id, and need the key', async () => {
    for (const id of ['999', 'x', '0', '1e3']) expect((await cancel(id)).status, id).to.equal(404)
    const id = await send({ ...V2, schedule })
    expect((await cancel(id, 'none')).status).to.equal(401)
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    const auth = basic(other.apiKey, other.serverKey)
    expect((await test.call('DELETE', `/messages/v2/scheduled-notifications/${id}`, { auth })).status).to.equal(404)
    expect((await test.program.notifications.get(test.first.id, id)).status).to.equal(0)
  })
})
