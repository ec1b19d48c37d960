import { expect } from 'chai'
import { quickFindings } from '../../../src/doctor/todo.ts'
import { requestWithout } from '../../../src/domain/erasures/without-names.ts'
import { cancelNotification } from '../../../src/domain/notifications/cancel.ts'
import { STATUS } from '../../../src/domain/notifications/types.ts'
import type { SeriesReport } from '../../../src/domain/series/service.ts'
import { isAppError } from '../../../src/platform/errors.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { addTemplates, addUser, handOut, holders } from '../../support/in-app.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { daily, messageSeries, planAll, pushBody, pushSeries, repeatPush } from '../../support/series.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

onEachDatabase('a push that repeats', (kind) => {
  let test: TestProgram
  let appId: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
    test.clock.set(Date.parse('2026-03-01T12:00:00Z'))
    await withAndroids(test, 2)
  })
  afterEach(() => test.close())

  const report = (id: number): Promise<SeriesReport> => test.program.series.report(appId, id)
  const series = (id: number) => test.program.series.get(appId, id)
  const step = (id: number, what: 'pause' | 'resume' | 'end') =>
    test.program.inTransaction((tx) => tx.series[what](appId, id))
  const change = (id: number, body: Record<string, unknown>) =>
    test.program.inTransaction((tx) => tx.series.change(appId, id, body))
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) =>
        isAppError(error) ? `${error.code} ${JSON.stringify(error.details.fields ?? error.message)}` : error,
    )
  const count = async () => Number((await test.program.kernel.db.read('notifications').count({ n: '*' }).first())!.n)
  const notification = (id: number) => test.program.notifications.get(appId, id)
  const times = async (id: number) =>
    (await report(id)).occurrences.map(({ local, state, status }) => `${local} ${state} ${status}`)

  /** Lets the clock go on to a moment, hour by hour, while everything works. */
  async function until(moment: string): Promise<string[]> {
    const tokens: string[] = []
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    for (const end = Date.parse(moment); test.clock.now() < end; ) {
      test.clock.set(Math.min(end, test.clock.now() + HOUR))
      await planAll(test)
      await fanOut(test)
      await handOut(test)
      sent.length = 0
      await deliverDue(test, sender)
      for (const token of sent) tokens.push(`${new Date(test.clock.now()).toISOString().slice(5, 16)} ${token}`)
    }
    return tokens
  }

  it('answers with its first time, which is scheduled, and goes out at each of its times', async () => {
    const { notification, errors, series } = await repeatPush(test)
    expect(errors).to.deep.equal({})
    expect(notification).to.include({ status: STATUS.scheduled, seriesId: series!.series.id })
    expect(notification!.schedule).to.deep.equal({
      strategy: 'timezone',
      timezone: 'Europe/Berlin',
      sendAt: '2026-03-02 09:00',
      pastTimes: 'ignore',
    })
    expect(series!.series).to.include({ state: 'active', planned: '2026-03-02 09:00', sent: 1 })
    expect(series!.next.map(({ local }) => local.slice(5, 10))).to.deep.equal([
      '03-02',
      '03-03',
      '03-04',
      '03-05',
      '03-06',
    ])
    expect(await until('2026-03-04T12:00:00Z')).to.deep.equal([
      '03-02T08:00 token-0',
      '03-02T08:00 token-1',
      '03-03T08:00 token-0',
      '03-03T08:00 token-1',
      '03-04T08:00 token-0',
      '03-04T08:00 token-1',
    ])
    const { occurrences, series: after } = await report(series!.series.id)
    expect(after).to.include({ sent: 4, missed: 0, unreached: 0, planned: '2026-03-05 09:00' })
    expect(occurrences.map(({ local, status }) => `${local} ${status}`)).to.deep.equal([
      `2026-03-05 09:00 ${STATUS.scheduled}`,
      `2026-03-04 09:00 ${STATUS.sent}`,
      `2026-03-03 09:00 ${STATUS.sent}`,
      `2026-03-02 09:00 ${STATUS.sent}`,
    ])
  })

  it('goes to whoever is there at each time', async () => {
    await pushSeries(test)
    expect(await until('2026-03-02T12:00:00Z')).to.have.length(2)
    await withAndroids(test, 3)
    expect(await until('2026-03-03T12:00:00Z')).to.have.length(3)
  })

  it('ends by itself after its last time', async () => {
    const id = await pushSeries(test, { schedule: daily({ endsAt: '2026-03-03 09:00' }) })
    expect(await until('2026-03-05T12:00:00Z')).to.have.length(4)
    expect(await series(id)).to.include({ state: 'ended', why: 'its last time is over', dueAt: null, sent: 2 })
    expect((await report(id)).next).to.deep.equal([])
  })

  it('is refused when no time is left', async () => {
    const refused = await refusal(repeatPush(test, { schedule: daily({ endsAt: '2026-03-01 09:00' }) }))
    expect(refused).to.equal('invalid {"schedule.cron":["has no time left: move endsAt, or choose other times"]}')
    expect(await count()).to.equal(0)
    expect(await test.program.series.list(appId, { limit: 10 })).to.deep.equal({ series: [], next: null })
  })

  it('is not made when nobody who is named can be reached', async () => {
    const made = await repeatPush(test, { target: { userIds: ['nobody'] } })
    expect(made).to.deep.include({ notification: null, series: undefined, errors: { unknownUserIds: ['nobody'] } })
    expect((await test.program.series.list(appId, { limit: 10 })).series).to.deep.equal([])
  })

  it('counts times at which nobody is there any more, and goes on', async () => {
    const row = await addInstall(test.program, appId, 'phone', { user: 'anna' })
    const id = await pushSeries(test, { target: { userIds: ['anna'] } })
    await test.program.kernel.db.write((sql) =>
      sql('installs').where({ id: row }).update({ token: null, subscribed: false }),
    )
    await until('2026-03-04T12:00:00Z')
    expect((await times(id)).filter((one) => one.includes('unreached'))).to.have.length.at.least(1)
    expect(await series(id)).to.include({ state: 'active' })
  })

  it('leaves out what was missed for too long, and counts it', async () => {
    const id = await pushSeries(test)
    test.clock.set(Date.parse('2026-03-04T12:00:00Z'))
    await planAll(test)
    await fanOut(test)
    await planAll(test)
    expect(await series(id)).to.include({ missed: 3, sent: 2, planned: '2026-03-05 09:00' })
    expect(await times(id)).to.deep.equal([
      `2026-03-05 09:00 planned ${STATUS.scheduled}`,
      `2026-03-02 09:00 planned ${STATUS.failed}`,
    ])
  })

  it('counts the same when the send was given up before the next time was planned', async () => {
    const id = await pushSeries(test)
    test.clock.set(Date.parse('2026-03-04T12:00:00Z'))
    await fanOut(test)
    await planAll(test)
    expect(await series(id)).to.include({ missed: 3, sent: 2, planned: '2026-03-05 09:00' })
  })

  it('sends what is a little late, also a time that was not planned yet', async () => {
    const id = await pushSeries(test, { schedule: daily({ cron: '0,30 9 * * *' }) })
    test.clock.set(Date.parse('2026-03-02T08:40:00Z'))
    await planAll(test)
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await deliverDue(test, sender)
    expect(sent).to.have.length(4)
    expect(await series(id)).to.include({ missed: 0, sent: 3, planned: '2026-03-03 09:00' })
  })

  it('counts a year of missed times in steps', async () => {
    const id = await pushSeries(test, { schedule: daily({ cron: '*/15 * * * *' }) })
    test.clock.set(Date.parse('2026-04-01T12:05:00Z'))
    await planAll(test)
    const { missed, planned, state } = await series(id)
    expect({ planned, state }).to.deep.equal({ planned: '2026-04-01 14:15', state: 'active' })
    // 31 days of 96 quarters, less an hour that was skipped and the four and a bit that are not too late.
    expect(missed).to.be.within(2950, 2976)
  })

  it('plans nothing twice when the clock goes back, and nothing early', async () => {
    const id = await pushSeries(test)
    await until('2026-03-02T08:00:00Z')
    for (const moment of [
      '2026-03-01T12:00:00Z',
      '2026-03-02T07:59:59Z',
      '2026-03-02T08:00:00Z',
      '2026-03-02T08:30:00Z',
    ]) {
      test.clock.set(Date.parse(moment))
      await planAll(test)
      await fanOut(test)
    }
    expect(await count()).to.equal(2)
    expect(await series(id)).to.include({ sent: 2, planned: '2026-03-03 09:00' })
  })

  it('can be paused across a time, which calls off what is planned, and resumed', async () => {
    const id = await pushSeries(test)
    expect(await step(id, 'pause')).to.include({ state: 'paused', dueAt: null })
    expect((await report(id)).next).to.deep.equal([])
    expect(await until('2026-03-03T12:00:00Z')).to.deep.equal([])
    expect(await step(id, 'resume')).to.include({ state: 'active', planned: '2026-03-04 09:00' })
    expect(await until('2026-03-04T12:00:00Z')).to.have.length(2)
    expect(await times(id)).to.deep.equal([
      `2026-03-05 09:00 planned ${STATUS.scheduled}`,
      `2026-03-04 09:00 planned ${STATUS.sent}`,
      `2026-03-02 09:00 called-off ${STATUS.cancelled}`,
    ])
    const called = (await report(id)).occurrences.at(-1)!
    expect(await notification(called.notificationId!)).to.include({ statusReason: `series ${id} was paused` })
  })

  it('takes a time anew that was called off before it began', async () => {
    const id = await pushSeries(test)
    const before = (await report(id)).occurrences[0]!
    await step(id, 'pause')
    expect(await step(id, 'resume')).to.include({ planned: '2026-03-02 09:00' })
    const [after, ...others] = (await report(id)).occurrences
    expect(others).to.deep.equal([])
    expect(after).to.include({ local: before.local, state: 'planned', status: STATUS.scheduled })
    expect(after!.notificationId).not.to.equal(before.notificationId)
    expect(await notification(before.notificationId!)).to.include({ status: STATUS.cancelled })
    expect(await until('2026-03-02T12:00:00Z')).to.have.length(2)
  })

  it('goes on after one of its times was cancelled, and does not bring that back', async () => {
    const id = await pushSeries(test)
    const { notificationId } = (await report(id)).occurrences[0]!
    const { program, clock } = test
    await cancelNotification({ read: program, inTransaction: program.inTransaction, clock }, appId, notificationId!)
    expect((await report(id)).next[0]!.local).to.equal('2026-03-03 09:00')
    await change(id, { content: { title: 'T2', message: 'M' } })
    expect(await series(id)).to.include({ planned: '2026-03-03 09:00' })
    expect(await until('2026-03-03T12:00:00Z')).to.deep.equal(['03-03T08:00 token-0', '03-03T08:00 token-1'])
  })

  it('changes from its next time on: what is planned is made anew, what has begun goes on', async () => {
    const id = await pushSeries(test)
    const before = (await report(id)).occurrences[0]!.notificationId!
    await change(id, { content: { title: 'Later', message: 'M' }, ttl: 60, schedule: daily({ cron: '0 10 * * *' }) })
    const [next, former] = (await report(id)).occurrences
    expect(next).to.include({ local: '2026-03-02 10:00', status: STATUS.scheduled })
    expect(former).to.include({ local: '2026-03-02 09:00', state: 'called-off', status: STATUS.cancelled })
    expect(await notification(before)).to.include({ statusReason: `series ${id} was changed` })
    expect((await notification(next!.notificationId!)).content).to.include({ title: 'Later' })
    expect(await until('2026-03-02T12:00:00Z')).to.deep.equal(['03-02T09:00 token-0', '03-02T09:00 token-1'])
    await change(id, { ttl: null })
    expect((await series(id)).request).not.to.have.property('ttl')
    expect(await refusal(change(id, { content: { title: 'T' } }))).to.equal(
      'invalid {"content.message":["is required"]}',
    )
    expect(await refusal(change(id, { schedule: null }))).to.match(/schedule.strategy.*must be recurring/)
    expect(await refusal(change(id, { cron: '0 9 * * *' }))).to.match(/^invalid .*"cron":\["belongs into schedule/)
    expect(await refusal(change(id, { paused: true }))).to.match(/^invalid .*"paused":\["is no key of the request/)
    expect(await refusal(change(id, { target: { segmentUuid: 'gone' } }))).to.match(/^invalid .*target.segmentUuid/)
    expect((await series(id)).request).to.deep.include({ target: { broadcast: true } })
  })

  it('allows only the steps that its state does', async () => {
    const id = await pushSeries(test)
    expect(await refusal(step(id, 'resume'))).to.match(/^conflict .*is active and cannot be resumed/)
    await step(id, 'pause')
    expect(await refusal(step(id, 'pause'))).to.match(/^conflict .*is paused and cannot be paused/)
    await change(id, { ttl: 5 })
    expect(await series(id)).to.include({ state: 'paused', dueAt: null })
    expect(await step(id, 'end')).to.include({ state: 'ended', why: 'ended on request' })
    for (const what of ['pause', 'resume', 'end'] as const)
      expect(await refusal(step(id, what))).to.match(/^conflict .*is ended/)
    expect(await refusal(change(id, {}))).to.match(/^conflict/)
    expect(await refusal(step(id + 1, 'end'))).to.match(/^not_found/)
    expect(await until('2026-03-04T12:00:00Z')).to.deep.equal([])
  })

  it('breaks when it cannot be sent any more, says why, and goes on once it is mended', async () => {
    await test.program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'news', name: 'News' }))
    const id = await pushSeries(test, { target: { channelUuids: ['news'] } })
    const row = await test.program.kernel.db.read('channels').where({ uuid: 'news' }).first()
    await test.program.kernel.db.write((sql) => sql('channels').where({ id: row.id }).update({ uuid: 'old' }))
    await until('2026-03-02T12:00:00Z')
    expect(await series(id)).to.include({ state: 'broken', dueAt: null, planned: '2026-03-02 09:00' })
    expect((await series(id)).why).to.equal(
      'its channel "news" is gone: make it again, or name another one (target.channelUuids[0])',
    )
    expect(await test.program.series.broken(appId, 5)).to.have.length(1)
    expect(await refusal(step(id, 'resume'))).to.match(/^invalid .*target.channelUuids/)
    await test.program.kernel.db.write((sql) => sql('channels').where({ id: row.id }).update({ uuid: 'news' }))
    expect(await step(id, 'resume')).to.include({ state: 'active', why: null, planned: '2026-03-03 09:00' })
    expect(await test.program.series.broken(undefined, 5)).to.deep.equal([])
  })

  it('breaks when its segment is deleted, also while it is paused', async () => {
    const { uuid } = await test.program.inTransaction((tx) =>
      tx.segments.create(appId, { name: 'VIPs', filter: { field: 'os', op: 'eq', value: 'Android' } }),
    )
    const id = await pushSeries(test, { target: { segmentUuid: uuid } })
    const remove = () => test.program.inTransaction((tx) => tx.segments.delete(appId, { uuid }))
    expect(await refusal(remove())).to.match(/^conflict .*is not sent yet/)
    await step(id, 'pause')
    await remove()
    expect(await series(id)).to.include({ state: 'broken', why: `its segment "${uuid}" was deleted` })
  })

  it('is bounded: an app has at most a thousand', async () => {
    const id = await pushSeries(test)
    await test.program.kernel.db.write(async (sql) => {
      const { id: _, ...row } = await sql('series').where({ id }).first()
      for (let i = 0; i < 9; i++)
        await sql('series').insert(Array.from({ length: 111 }, () => ({ ...row, due_at: null })))
    })
    expect(await refusal(repeatPush(test))).to.match(/^conflict .*1000 series already: end some/)
    await step(id, 'end')
    await repeatPush(test)
  })

  it('is asked for its confirmation once, when it is made', async () => {
    await test.program.kernel.db.write((sql) => sql('apps').where({ id: appId }).update({ confirm_above: 1 }))
    expect(await refusal(repeatPush(test))).to.match(/^invalid .*confirm/)
    const id = await pushSeries(test, { confirm: 2 })
    await withAndroids(test, 4)
    expect(await until('2026-03-03T12:00:00Z')).to.have.length(8)
    expect(await series(id)).to.include({ state: 'active' })
  })

  it('goes out once a local day, where each phone is then', async () => {
    await test.program.kernel.db.write(async (sql) => {
      const rows = await sql('installs').where({ app_id: appId }).orderBy('id').select('id')
      await sql('installs')
        .where({ id: rows[0].id })
        .update({ timezone: 'Asia/Tokyo', zone_changed_at: test.clock.now() })
      await sql('installs')
        .where({ id: rows[1].id })
        .update({ timezone: 'America/New_York', zone_changed_at: test.clock.now() })
    })
    await pushSeries(test, { schedule: daily({ timezone: 'local' }) })
    expect(await until('2026-03-04T15:00:00Z')).to.deep.equal([
      '03-02T00:00 token-0',
      '03-02T14:00 token-1',
      '03-03T00:00 token-0',
      '03-03T14:00 token-1',
      '03-04T00:00 token-0',
      '03-04T14:00 token-1',
    ])
  })

  it('is forgotten with its times a while after it ended, and goes with its app', async () => {
    const id = await pushSeries(test)
    await step(id, 'end')
    const other = await pushSeries(test)
    const forget = (days: number) => test.program.inTransaction((tx) => tx.series.forget(days, 100))
    test.clock.advance(3 * DAY)
    expect([await forget(0), await forget(4), await forget(2), await forget(2)]).to.deep.equal([0, 0, 2, 0])
    expect(await refusal(report(id))).to.match(/^not_found/)
    await test.program.inTransaction((tx) => tx.apps.close(appId))
    expect(await series(other)).to.include({ state: 'ended', why: 'the app is being deleted' })
  })

  it('forgets whom its request names when they are erased', () => {
    const request = pushBody({
      target: { userIds: ['anna', 'ben', 7], excludeInstallIds: ['phone'] },
      userMeta: { anna: { seat: 1 }, ben: { seat: 2 } },
    })
    expect(requestWithout(request, new Set(['anna', 'phone', '7']))).to.deep.equal({
      ...request,
      target: { userIds: ['ben'], excludeInstallIds: [] },
      userMeta: { ben: { seat: 2 } },
    })
    expect(requestWithout(pushBody(), new Set(['anna']))).to.deep.equal(pushBody())
  })

  it('is made when a second person approves it', async () => {
    const [anna, ben] = [1, 2].map((id) => ({ id, name: `person-${id}@example.com` }))
    const asked = await test.program.inTransaction((tx) => tx.approvals.ask(appId, pushBody(), anna!))
    const { accepted } = await test.program.inTransaction((tx) =>
      tx.approvals.approve(appId, asked.id, ben!, { holdMs: 5000 }),
    )
    expect(accepted.notification).to.include({ status: STATUS.scheduled })
    expect(await series(accepted.notification!.seriesId!)).to.include({ state: 'active', planned: '2026-03-02 09:00' })
  })

  it('is named by the doctor while it is broken', async () => {
    const id = await pushSeries(test)
    const check = async () => {
      const found = await quickFindings(test.program, appId)
      return found.filter(({ check }) => check === 'series').map(({ level, what }) => `${level}: ${what}`)
    }
    expect(await check()).to.deep.equal(['ok: no series is broken'])
    await test.program.kernel.db.write((sql) =>
      sql('series').where({ id }).update({ state: 'broken', why: 'no template' }),
    )
    expect(await check()).to.deep.equal([`error: series ${id} of app ${appId} is not sent any more: no template`])
  })

  describe('as an in-app message', () => {
    beforeEach(async () => {
      await addTemplates(test)
      await addUser(test, 'anna', { subscribed: true })
    })

    it('is given at each of its times, with its push', async () => {
      const id = await messageSeries(test, { notification: { title: 'N', message: 'M' } })
      const sent = await until('2026-03-03T12:00:00Z')
      expect(sent.filter((one) => one.startsWith('03-02T08:00'))).to.have.length.at.least(1)
      const { occurrences, title } = await report(id)
      expect(title).to.equal('Hello')
      expect(occurrences.map(({ status }) => status)).to.deep.equal([0, 3, 3])
      expect(await holders(test, occurrences[1]!.messageId!)).to.include('anna')
      const message = await test.program.inApp.get(appId, occurrences[1]!.messageId!)
      expect(message).to.include({ seriesId: id })
    })

    it('is called off with its push while it is paused', async () => {
      const id = await messageSeries(test, { notification: { title: 'N', message: 'M' } })
      const { messageId } = (await report(id)).occurrences[0]!
      await step(id, 'pause')
      const message = await test.program.inApp.get(appId, messageId!)
      expect(message).to.include({ status: 4, statusReason: `series ${id} was paused` })
      expect(await notification(message.notificationId!)).to.include({ status: STATUS.cancelled })
      expect(await until('2026-03-03T12:00:00Z')).to.deep.equal([])
    })

    it('breaks when its template is deleted', async () => {
      const id = await messageSeries(test)
      await test.program.inTransaction((tx) => tx.templates.delete(appId, 'plain'))
      expect(await series(id)).to.include({ state: 'broken', why: 'its template "plain" was deleted' })
      expect(await refusal(step(id, 'resume'))).to.match(/^not_found/)
      await change(id, { template: 'hello', content: { Name: 'Ann' } })
      expect(await step(id, 'resume')).to.include({ state: 'active', planned: '2026-03-02 09:00' })
    })
  })
})
