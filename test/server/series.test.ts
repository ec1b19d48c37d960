import { expect } from 'chai'
import { withAndroids } from '../support/delivery.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addTemplates, addUser, inAppBody } from '../support/in-app.ts'
import { daily, planAll, pushBody } from '../support/series.ts'

type Json = Record<string, unknown>

const PATH = '/messages/v1/series'
const PUSHES = '/messages/v2/notifications'

describe('the series interface', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
  })
  beforeEach(async () => {
    await test.startOver()
    await withAndroids(test, 1)
  })
  after(() => test.close())

  const send = (extra: object = {}) => test.call('POST', PUSHES, { body: pushBody(extra) })
  const made = async (extra: object = {}) => ((await send(extra)).body as { series: { id: number } }).series.id
  const MONDAYS = daily({ cron: '0 9 * * MON' })

  it('makes one of a push with a schedule that repeats, and answers with its first notification', async () => {
    const { status, body } = await send({ schedule: MONDAYS })
    expect(status).to.equal(202)
    const { notification, series, ...others } = body as { notification: Json; series: Json }
    expect(others).to.deep.equal({})
    expect(notification).to.deep.include({ status: 0, title: 'T', seriesId: series.id })
    expect(series).to.deep.equal({
      id: series.id,
      state: 'active',
      next: [
        '2026-03-02T08:00:00+0000',
        '2026-03-09T08:00:00+0000',
        '2026-03-16T08:00:00+0000',
        '2026-03-23T08:00:00+0000',
        // The clock has been put forward.
        '2026-03-30T07:00:00+0000',
      ],
    })
    const report = (await test.call('GET', `${PUSHES}/${String(notification.id)}`)).body
    expect(report).to.deep.include({
      seriesId: series.id,
      schedule: { sendAt: '2026-03-02 09:00', strategy: 'timezone', pastTimes: 'ignore', timezone: 'Europe/Berlin' },
    })
  })

  it('names the wrong fields of a schedule with their remedies', async () => {
    const errors = async (schedule: object) => ((await send({ schedule })).body as { errors: Json }).errors
    expect(await errors({ strategy: 'recurring' })).to.have.keys('schedule.cron', 'schedule.timezone')
    expect(await errors(daily({ cron: '0,10 * * * *' }))).to.deep.equal({
      'schedule.cron': ['comes again after 10 minutes: leave at least 15 between two times, such as */15 * * * *'],
    })
    expect(await errors(daily({ sendAt: '2026-03-02 09:00', pastTimes: 'nextDay' }))).to.have.keys(
      'schedule.sendAt',
      'schedule.pastTimes',
    )
    expect(await errors(daily({ cron: '0 0 30 2 *', timezone: 'Berlin' }))).to.have.keys(
      'schedule.cron',
      'schedule.timezone',
    )
    expect(await errors(daily({ startsAt: '2026-05-01 00:00', endsAt: '2026-05-01 00:00' }))).to.deep.equal({
      'schedule.endsAt': ['must be later than startsAt'],
    })
    expect(await errors(daily({ evry: 2 }))).to.have.keys('schedule.evry')
    const both = await test.call('POST', PUSHES, { body: { ...pushBody(), intelligentDelivery: true } })
    expect(both.status).to.equal(422)
    expect((await test.call('GET', PATH)).body).to.deep.equal({ series: [], next: null })
  })

  it('answers a request that does not repeat as it did, and the other forms know no such schedule', async () => {
    const once = { strategy: 'timezone', timezone: 'Europe/Berlin', sendAt: '2026-03-02 09:00', pastTimes: 'ignore' }
    for (const schedule of [undefined, once]) {
      const { body } = await test.call('POST', PUSHES, { body: { ...pushBody(), schedule } })
      expect(body).to.have.keys('notification')
      expect((body as { notification: Json }).notification).not.to.have.property('seriesId')
    }
    for (const path of ['/push/v2/notifications', '/push/notifications']) {
      const flat = { broadcast: true, title: 'T', message: 'M', scheduled: true, schedule: MONDAYS }
      const body = path === '/push/notifications' ? flat : pushBody({ schedule: MONDAYS })
      expect((await test.call('POST', path, { body })).status).to.equal(422)
    }
  })

  it('previews its next times, and stores nothing', async () => {
    const { status, body } = await test.call('POST', `${PUSHES}/preview`, {
      body: pushBody({ schedule: daily({ timezone: 'local' }) }),
    })
    expect(status).to.equal(200)
    expect((body as { next: string[] }).next.slice(0, 2)).to.deep.equal(['2026-03-02 09:00', '2026-03-03 09:00'])
    expect((await test.call('GET', PATH)).body).to.deep.equal({ series: [], next: null })
    const plain = await test.call('POST', `${PUSHES}/preview`, { body: { ...pushBody(), schedule: undefined } })
    expect(plain.body).not.to.have.property('next')
  })

  it('lists them page by page, by state too, and reads one with its request and its last times', async () => {
    const ids = [await made(), await made(), await made()]
    await test.call('POST', `${PATH}/${ids[1]}/pause`)
    const list = async (query: string) => {
      const { body } = await test.call('GET', `${PATH}?${query}`)
      const { series, next } = body as { series: Json[]; next: number | null }
      return [series.map(({ id }) => ids.indexOf(id as number)), next === null ? null : ids.indexOf(next)]
    }
    expect(await list('limit=2')).to.deep.equal([[2, 1], 1])
    expect(await list(`limit=2&after=${ids[1]}`)).to.deep.equal([[0], null])
    expect(await list('state=paused')).to.deep.equal([[1], null])
    expect((await test.call('GET', `${PATH}?state=odd`)).status).to.equal(422)
    const { body } = await test.call('GET', `${PATH}/${ids[0]}`)
    expect(body).to.deep.include({
      id: ids[0],
      appId: test.first.id,
      kind: 'push',
      state: 'active',
      why: null,
      title: 'T',
      schedule: daily(),
      planned: '2026-03-02 09:00',
      sent: 1,
      missed: 0,
      unreached: 0,
      endedAt: null,
      request: pushBody(),
    })
    const [{ notificationId, ...occurrence }] = (body as { occurrences: Json[] }).occurrences as [Json]
    expect(notificationId).to.be.a('number')
    expect(occurrence).to.deep.equal({ local: '2026-03-02 09:00', state: 'planned', messageId: null, status: 0 })
  })

  it('takes each step where the state allows it, 409 where not, 404 for those of others', async () => {
    const id = await made()
    const step = async (name: string) => {
      const { status, body } = await test.call('POST', `${PATH}/${id}/${name}`)
      return `${status} ${(body as { state?: string }).state ?? (body as { error: string }).error}`
    }
    expect(await step('pause')).to.equal('200 paused')
    expect(await step('pause')).to.match(/^409 series \d+ is paused and cannot be paused/)
    expect(await step('resume')).to.equal('200 active')
    expect(await step('resume')).to.match(/^409/)
    expect(await step('end')).to.equal('200 ended')
    for (const name of ['pause', 'resume', 'end']) expect(await step(name)).to.match(/^409 .*make another one/)
    expect((await test.call('PATCH', `${PATH}/${id}`, { body: { ttl: 5 } })).status).to.equal(409)
    for (const path of [`${PATH}/${id + 1}`, `${PATH}/x`]) expect((await test.call('GET', path)).status).to.equal(404)
  })

  it('changes what is sent from the next time on', async () => {
    const id = await made()
    const { status, body } = await test.call('PATCH', `${PATH}/${id}`, {
      body: { content: { title: 'Other', message: 'M' }, schedule: daily({ cron: '30 10 * * *' }) },
    })
    expect(status).to.equal(200)
    expect(body).to.deep.include({ title: 'Other', planned: '2026-03-02 10:30', sent: 1 })
    expect((body as { occurrences: Json[] }).occurrences.map(({ local, state }) => [local, state])).to.deep.equal([
      ['2026-03-02 10:30', 'planned'],
      ['2026-03-02 09:00', 'called-off'],
    ])
    const wrong = await test.call('PATCH', `${PATH}/${id}`, { body: { target: { broadcast: true, userIds: ['a'] } } })
    expect(wrong.status).to.equal(422)
    expect(Object.keys((wrong.body as { errors: Json }).errors)).to.deep.equal(['target'])
    expect((await test.call('PATCH', `${PATH}/${id}`, { body: [] })).status).to.equal(422)
    const foreign = await test.call('PATCH', `${PATH}/${id}`, { body: { state: 'ended', id: 5, nope: 1, ttl: 60 } })
    expect(foreign.status).to.equal(422)
    expect((foreign.body as { errors: object }).errors).to.have.all.keys('state', 'id', 'nope')
  })

  it('goes on when a time of it is cancelled', async () => {
    const id = await made()
    const { body } = await test.call('GET', `${PATH}/${id}`)
    const { notificationId } = (body as { occurrences: { notificationId: number }[] }).occurrences[0]!
    const path = `/messages/v2/scheduled-notifications/${notificationId}`
    expect((await test.call('DELETE', path)).status).to.equal(204)
    const after = (await test.call('GET', `${PATH}/${id}`)).body as { state: string; next: string[] }
    expect([after.state, after.next[0]]).to.deep.equal(['active', '2026-03-03T08:00:00+0000'])
    test.clock.set(Date.parse('2026-03-02T08:00:00Z'))
    await planAll(test)
    expect((await test.call('GET', `${PATH}/${id}`)).body).to.deep.include({ planned: '2026-03-03 09:00' })
  })

  it('makes one of an in-app message', async () => {
    await addTemplates(test)
    await addUser(test, 'ann')
    const { status, body } = await test.call('POST', '/messages/v1/in-app-messages', {
      body: inAppBody({ schedule: daily() }),
    })
    expect(status).to.equal(202)
    const { message, series } = body as { message: Json; series: Json }
    expect(message).to.deep.include({ status: 0, seriesId: series.id })
    expect((await test.call('GET', `${PATH}/${String(series.id)}`)).body).to.deep.include({
      kind: 'in-app',
      title: 'Hello',
    })
    expect((await test.call('DELETE', '/messages/v1/templates/plain')).status).to.equal(204)
    expect((await test.call('GET', `${PATH}/${String(series.id)}`)).body).to.deep.include({
      state: 'broken',
      why: 'its template "plain" was deleted',
      next: [],
    })
  })

  it('breaks one of an in-app message whose push template is deleted', async () => {
    await addTemplates(test)
    await addUser(test, 'ann')
    const template = { uid: 'monday', content: { title: 'T', message: 'M' } }
    expect((await test.call('POST', '/messages/v1/push-templates', { body: template })).status).to.equal(201)
    const { body } = await test.call('POST', '/messages/v1/in-app-messages', {
      body: inAppBody({ schedule: daily(), notification: { template: 'monday' } }),
    })
    const { message, series } = body as { message: Json; series: Json }
    const used = { title: 'T', message: 'M', template: { uid: 'monday', version: 1 } }
    expect(message.notification).to.deep.equal(used)
    expect((await test.call('DELETE', '/messages/v1/push-templates/monday')).status).to.equal(204)
    expect((await test.call('GET', `${PATH}/${String(series.id)}`)).body).to.deep.include({
      state: 'broken',
      why: 'its push template "monday" was deleted',
    })
  })

  it('shows the push template of one that has no title of its own', async () => {
    const template = { uid: 'monday', content: { title: 'T', message: 'M' } }
    expect((await test.call('POST', '/messages/v1/push-templates', { body: template })).status).to.equal(201)
    const id = await made({ content: { template: 'monday' } })
    expect((await test.call('GET', `${PATH}/${id}`)).body).to.deep.include({ title: 'monday' })
  })

  it('answers a repeated request with the same series', async () => {
    const headers = { 'idempotency-key': 'k-1' }
    const [one, two] = [
      await test.call('POST', PUSHES, { body: pushBody(), headers }),
      await test.call('POST', PUSHES, { body: pushBody(), headers }),
    ]
    expect(two.body).to.deep.equal(one.body)
    expect(((await test.call('GET', PATH)).body as { series: Json[] }).series).to.have.length(1)
  })
})
