import { expect } from 'chai'
import { quickFindings } from '../../../src/doctor/todo.ts'
import { ruleOf, whyOf } from '../../../src/domain/series/why.ts'
import { invalid, isAppError } from '../../../src/platform/errors.ts'
import type { Program } from '../../../src/program.ts'

import { fanOut, withAndroids } from '../../support/delivery.ts'
import { erase } from '../../support/erasures.ts'
import { circle } from '../../support/geofences.ts'
import { addTemplates, addUser, handOut } from '../../support/in-app.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { daily, messageSeries, planAll, pushSeries } from '../../support/series.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

type Areas = Parameters<Parameters<Program['inTransaction']>[0]>[0]

const ERASED = 'everybody whom it named was erased: name others in its target, or end it'

onEachDatabase('a series that cannot go on', (kind) => {
  let test: TestProgram
  let appId: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
    test.clock.set(Date.parse('2026-03-01T12:00:00Z'))
    await withAndroids(test, 1)
    await addInstall(test.program, appId, 'phone', { user: 'anna' })
  })
  afterEach(() => test.close())

  const series = (id: number) => test.program.series.get(appId, id)
  const write = <T>(work: (tx: Areas) => Promise<T>) => test.program.inTransaction(work)
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (isAppError(error) ? `${error.code} ${error.message}` : String(error)),
    )
  const found = async () => (await quickFindings(test.program, appId)).filter(({ check }) => check === 'series')

  /** Plans until the day after tomorrow. */
  async function goOn(): Promise<void> {
    for (const time of ['2026-03-02T08:30:00Z', '2026-03-03T08:30:00Z']) {
      test.clock.set(Date.parse(time))
      await planAll(test)
      await fanOut(test)
      await handOut(test)
    }
  }

  it('says that everybody whom it named was erased, and goes on with others', async () => {
    for (const target of [{ userIds: ['anna'] }, { installIds: ['phone'], excludeInstallIds: ['other'] }]) {
      await addInstall(test.program, appId, 'phone', { user: 'anna' })
      const id = await pushSeries(test, { target })
      if ('userIds' in target) await erase(test, 'anna')
      else await erase(test, 'phone', 'install')
      await goOn()
      expect(await series(id)).to.include({ state: 'broken', why: ERASED })
      expect((await found()).map(({ what }) => what)).to.deep.equal([
        `series ${id} of app ${appId} is not sent any more: ${ERASED}`,
      ])
      expect(await refusal(write((tx) => tx.series.resume(appId, id)))).to.equal(`conflict ${ERASED}`)
      await write((tx) => tx.series.change(appId, id, { target: { broadcast: true } }))
      expect(await write((tx) => tx.series.resume(appId, id))).to.include({ state: 'active' })
      await write((tx) => tx.series.end(appId, id))
      test.clock.set(Date.parse('2026-03-01T12:00:00Z'))
    }
  })

  it('goes on with those who are left', async () => {
    const id = await pushSeries(test, { target: { userIds: ['anna', 'ben'], installIds: ['phone'] } })
    await erase(test, 'anna')
    await goOn()
    expect(await series(id)).to.include({ state: 'active', why: null })
  })

  it('says it of an in-app message, too', async () => {
    await addTemplates(test)
    await addUser(test, 'clara')
    const id = await messageSeries(test, { target: { userIds: ['clara'] } })
    await erase(test, 'clara')
    await goOn()
    expect(await series(id)).to.include({ state: 'broken', why: ERASED })
  })

  it('names the deleted fence, channel and purpose', async () => {
    const fence = await write((tx) =>
      tx.geofences.create(appId, { name: 'F', isEnabled: true, boundsGeoJson: circle([13.4, 52.5], 20_000), tags: [] }),
    )
    await write((tx) => tx.channels.create(appId, { uuid: 'news', name: 'News' }))
    const { uid } = (
      await write((tx) =>
        tx.purposes.put(appId, 'offers', { name: 'Offers', description: null, default: true, required: false }),
      )
    ).purpose
    const ids = [
      await pushSeries(test, { target: { geofenceIds: [fence.id] } }),
      await pushSeries(test, { target: { channelUuids: ['news'] } }),
      await pushSeries(test, { purpose: uid }),
    ]
    await test.program.kernel.db.write(async (sql) => {
      await sql('channels').update({ uuid: 'gone' })
      await sql('purposes').update({ uid: 'gone' })
      await sql('geofences').delete()
    })
    await goOn()
    const whys = await Promise.all(ids.map(async (id) => (await series(id)).why))
    expect(whys).to.deep.equal([
      `its geofence ${fence.id} is gone: make it again, or name another one (target.geofenceIds[0])`,
      'its channel "news" is gone: make it again, or name another one (target.channelUuids[0])',
      'its purpose "offers" is gone: make it again, or name another one (purpose)',
    ])
    expect((await found()).map(({ level }) => level)).to.deep.equal(['error', 'error', 'error'])
  })

  it('names the time zone that is not known any more', async () => {
    const id = await pushSeries(test, { schedule: daily() })
    await test.program.kernel.db.write(async (sql) => {
      const { request } = await sql('series').where({ id }).first('request')
      await sql('series')
        .where({ id })
        .update({ request: String(request).replace('Europe/Berlin', 'Mars/Base') })
    })
    await goOn()
    const why = 'its time zone "Mars/Base" is not known any more: choose another one in its schedule'
    expect(await series(id)).to.include({ state: 'broken', why })
    expect(await refusal(write((tx) => tx.series.resume(appId, id)))).to.equal(`conflict ${why}`)
  })

  it('is warned of by the doctor while it reaches nobody: held, or without a gateway', async () => {
    expect((await found()).map(({ what }) => what)).to.deep.equal(['no series is broken'])
    await pushSeries(test)
    expect((await found()).map(({ what }) => what)).to.deep.equal(['no series is broken'])
    await write((tx) => tx.instance.setHold({ since: test.clock.now(), reason: 'a backup was put in its place' }))
    expect((await found()).map(({ what, remedy }) => [what, remedy])).to.deep.equal([
      ['no time of a series is planned while this database is held', 'appsvc release'],
    ])
    await write((tx) => tx.instance.setHold(null))
    await write((tx) => tx.gateways.remove(appId, 'android'))
    expect((await found()).map(({ what, remedy }) => [what, remedy])).to.deep.equal([
      [
        `the series of app ${appId} reach nobody: it has no push gateway that can send`,
        `appsvc gateways set --app ${appId}`,
      ],
    ])
  })
})

describe('why a series broke', () => {
  const rows: [error: unknown, why: RegExp][] = [
    [invalid({ 'target.segmentUuid': ['there is no segment "a\\"b"'] }), /^its segment "a/],
    [invalid({ purpose: ['there is no purpose "x"'] }), /^its purpose "x" is gone/],
    [invalid({ 'content.url': ['is a path'] }), /^content.url is a path$/],
    [invalid({ a: ['is b'], c: ['is d'], e: ['is f'], g: ['is h'] }), /^a is b; c is d; e is f$/],
    [new Error('odd'), /^odd$/],
    [invalid({ a: ['x'.repeat(900)] }), /^.{500}$/],
  ]
  for (const [error, why] of rows) it(`reads ${String(why)}`, () => expect(whyOf(error)).to.match(why))

  it('tells a zone from a schedule that cannot be read', () => {
    const ruleIn = (schedule: unknown) => () => ruleOf({ id: 7, request: { schedule } })
    expect(ruleIn(daily({ timezone: 'Mars/Base' }))).to.throw(/time zone "Mars\/Base" is not known/)
    expect(ruleIn(daily({ cron: 'x' }))).to.throw(/the schedule of series 7 cannot be read/)
    expect(ruleIn(null)).to.throw(/the schedule of series 7 cannot be read/)
    expect(ruleIn(daily({ timezone: 'local' }))()).to.include({ timezone: 'local' })
  })
})
