import { expect } from 'chai'
import { deleteApp } from '../../../src/domain/apps/deletion.ts'
import type { Outcome } from '../../../src/domain/gateways/gateway.ts'
import type { PushCounts } from '../../../src/domain/statistics/types.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { addInstall } from '../../support/installs.ts'
import { newLink } from '../../support/links.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { insertInstalls } from '../../support/scenario/world-installs.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const HOUR_MS = 3_600_000
const NOTHING: PushCounts = {
  accepted: 0,
  failed: 0,
  expired: 0,
  cancelled: 0,
  skipped: 0,
  unknown: 0,
  delivered: 0,
  opened: 0,
  dismissed: 0,
}

onEachDatabase('statistics', (kind) => {
  let test: TestProgram
  let uuid = 0

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  const statistics = () => test.program.statistics
  const tell = (type: string, install: string, id: number) =>
    test.program.inTransaction((tx) => {
      const event = { type, uuid: `told-${++uuid}`, timestamp: test.clock.now(), data: { type: 1, id } }
      return tx.events.ingest(test.first.id, install, [event])
    })

  /** A broadcast to four phones, one of which has no token any more; two open it, one of them two hours later. */
  async function sendOne(): Promise<number> {
    await withAndroids(test, 4)
    const id = await broadcast(test)
    const gone: Outcome = { kind: 'token_dead', reason: 'UNREGISTERED' }
    const { sender } = scriptedSender((token) => (token === 'token-3' ? gone : { kind: 'accepted' }))
    await deliverDue(test, sender)
    await tell('k.message.delivered', 'install-0', id)
    await tell('k.message.opened', 'install-0', id)
    await tell('k.message.opened', 'install-0', id)
    test.clock.advance(2 * HOUR_MS)
    await tell('k.message.opened', 'install-1', id)
    return id
  }

  it('add up what became of a notification, by platform and by hour, and agree with its report', async () => {
    const id = await sendOne()
    const course = await statistics().pushCourse(test.first.id, id)
    const counted = { ...NOTHING, accepted: 3, failed: 1, delivered: 1, opened: 2 }
    expect(course.platforms).to.deep.equal([{ platform: 'android', ...counted }])
    expect(course.hours.map(({ hour, accepted, opened }) => [hour, accepted, opened])).to.deep.equal([
      [0, 3, 1],
      [2, 0, 1],
    ])
    const { counts, notification } = await test.program.notifications.report(test.first.id, id)
    expect([counts.accepted, counts.failed]).to.deep.equal([3, 1])
    expect([notification.delivered, notification.opened]).to.deep.equal([1, 2])
  })

  it('leave tests out of the figures of the app, and not out of their own', async () => {
    await sendOne()
    const id = await broadcast(test, { isTest: true })
    const { sender } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(test, sender)
    await tell('k.message.opened', 'install-2', id)
    const counted = { ...NOTHING, accepted: 3, opened: 1 }
    expect((await statistics().pushCourse(test.first.id, id)).platforms).to.deep.equal([
      { platform: 'android', ...counted },
    ])
    const { total } = await statistics().pushDays(test.first.id, { days: 1 })
    expect(total).to.deep.equal({ ...NOTHING, accepted: 3, failed: 1, delivered: 1, opened: 2 })
  })

  it('show every day of an app in the zone that is asked for, also days without pushes', async () => {
    await sendOne()
    const { days, total, zone } = await statistics().pushDays(test.first.id, { days: 3, zone: 'Pacific/Auckland' })
    expect(zone).to.equal('Pacific/Auckland')
    expect(days).to.have.length(3)
    expect(total).to.deep.equal({ ...NOTHING, accepted: 3, failed: 1, delivered: 1, opened: 2 })
    const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
    expect(days.at(-1)!.day).to.equal(local.format(test.clock.now()))
    test.clock.advance(5 * 24 * HOUR_MS)
    const later = await statistics().pushDays(test.first.id, { days: 3 })
    expect(later.days.map(({ platforms }) => platforms)).to.deep.equal([[], [], []])
    expect(later.total).to.deep.equal(NOTHING)
  })

  it('count pages that one statement closes, of several apps and platforms, and none of them twice', async () => {
    const { program, first } = test
    const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const outcomes = { state: 'done', accepted: 2, failed: 1, updated_at: HOUR_MS }
    await program.kernel.db.write(async (trx) => {
      await trx('apps').where({ id: other.id }).update({ logs_deliveries: true })
      /** A page of a new notification; the id of the notification. */
      const addPage = async (
        appId: number,
        laneId: number | null,
        { isTest = false, ...page }: { isTest?: boolean; state?: string; moved?: number } = {},
      ) => {
        const texts = { filters: '{}', target: '{}', content: '{}' }
        const times = { created_at: 1, updated_at: 1 }
        const [row] = await trx('notifications')
          .insert({ app_id: appId, source: 1, status: 2, ...texts, is_test: isTest, expires_at: 9e12, ...times })
          .returning('id')
        const recipients = {
          first_install: 1,
          last_install: 3,
          recipients: Buffer.from([1]),
          outcomes: Buffer.from([0]),
          total: 3,
        }
        const id = row.id as number
        await trx('pages').insert({
          app_id: appId,
          notification_id: id,
          lane_id: laneId,
          state: 'claimed',
          not_before: 1,
          ...recipients,
          ...times,
          ...page,
        })
        return id
      }
      const addLane = async (appId: number, platform: number) => {
        const [row] = await trx('lanes').insert({ app_id: appId, platform, updated_at: 1 }).returning('id')
        return row.id as number
      }
      const [android, ios, others] = [
        await addLane(first.id, 2),
        await addLane(first.id, 1),
        await addLane(other.id, 2),
      ]
      await addPage(first.id, android)
      await addPage(first.id, ios)
      await addPage(first.id, null)
      await addPage(first.id, ios, { isTest: true })
      // Closed before, and all of its recipients have moved to other pages: neither counts now.
      await addPage(first.id, android, { state: 'done' })
      await addPage(first.id, android, { moved: 3 })
      const logged = [await addPage(other.id, others), await addPage(other.id, others)]
      await trx('push_hours').delete()
      await trx('pages').update(outcomes)
      const counted: Record<string, string | number>[] = await trx('push_hours')
        .select('app_id', 'platform', 'hour')
        .sum({ accepted: 'accepted', failed: 'failed' })
        .where({ notification_id: 0 })
        .groupBy('app_id', 'platform', 'hour')
        .orderBy(['app_id', 'platform'])
      const numbers = counted.map((row) => [
        row.app_id,
        row.platform,
        row.hour,
        Number(row.accepted),
        Number(row.failed),
      ])
      expect(numbers).to.deep.equal([
        [first.id, 0, 1, 2, 1],
        [first.id, 1, 1, 2, 1],
        [first.id, 2, 1, 2, 1],
        [other.id, 2, 1, 4, 2],
      ])
      const own = await trx('push_hours').where('notification_id', '>', 0).sum({ accepted: 'accepted' }).first()
      expect(Number(own!.accepted)).to.equal(12)
      const events = await trx('events').select('app_id', 'data').orderBy('id')
      const told = events.map(({ app_id, data }) => [
        app_id,
        JSON.parse(data).notificationId,
        JSON.parse(data).recipients,
      ])
      expect(told).to.deep.equal(logged.map((id) => [other.id, id, 3]))
      // Again: nothing closes.
      await trx('pages').update({ accepted: 3 })
      expect(await trx('events').select('id')).to.have.length(2)
    })
  })

  for (const [what, options, field] of [
    ['no days', { days: 0 }, 'days'],
    ['more days than are kept', { days: 91 }, 'days'],
    ['half a day', { days: 1.5 }, 'days'],
    ['a zone that does not exist', { zone: 'Mars/Olympus' }, 'zone'],
  ] as const) {
    it(`of ${what} are refused, and the field is named`, async () => {
      const error: unknown = await statistics()
        .pushDays(test.first.id, options)
        .then(
          () => undefined,
          (failure: unknown) => failure,
        )
      expect(error).to.be.instanceOf(AppError)
      expect((error as AppError).code).to.equal('invalid')
      expect((error as AppError).details.fields).to.have.property(field)
    })
  }

  it('count visits of a link and of all links by day, platform and route', async () => {
    const { program, first, clock } = test
    const [one, other] = await program.inTransaction((tx) => tx.links.create(first.id, [newLink({}), newLink({})]))
    const click = (linkId: number, platform: string, route: string) => ({
      appId: first.id,
      linkId,
      at: clock.now(),
      data: { platform, route },
    })
    const batch = [
      click(one!.id, 'ios', 'jumpPage'),
      click(one!.id, 'ios', 'jumpPage'),
      click(one!.id, 'desktop', 'desktopWeb'),
      click(other!.id, 'ios', 'jumpPage'),
      click(9999, 'ios', 'jumpPage'),
    ]
    await program.inTransaction((tx) => tx.links.recordClicks(batch))
    await program.inTransaction((tx) =>
      tx.links.countLookup(first.id, one!.id, clock.now(), { data: { route: 'slug' } }),
    )
    const ofOne = await statistics().linkDays(first.id, { linkId: one!.id, days: 2 })
    expect(ofOne.total).to.deep.equal({ clicks: 3, matches: 1 })
    expect(ofOne.days.map(({ clicks, matches }) => [clicks, matches])).to.deep.equal([
      [0, 0],
      [3, 1],
    ])
    expect(ofOne.platforms[0]).to.deep.equal({ platform: 'ios', clicks: 2, matches: 0 })
    expect(ofOne.routes.map(({ route }) => route).sort()).to.deep.equal(['desktopWeb', 'jumpPage', 'slug'])
    expect((await statistics().linkDays(first.id)).total).to.deep.equal({ clicks: 4, matches: 1 })
  })

  it('count installs as they come, change and go', async () => {
    const { program, first } = test
    await addInstall(program, first.id, 'a')
    await addInstall(program, first.id, 'b')
    await addInstall(program, first.id, 'c', { subscribed: false })
    const now = test.clock.now()
    await program.inTransaction(async (tx) => {
      const install = await tx.crm.ensureInstall(first.id, 'b', now)
      await tx.crm.setNotificationsEnabled(first.id, install, false, now + 1)
    })
    expect(await statistics().installs(first.id)).to.deep.equal({
      total: 3,
      reachable: 1,
      off: 1,
      withoutToken: 1,
      platforms: [
        { platform: 'android', total: 2, reachable: 1, off: 1, withoutToken: 0 },
        { platform: null, total: 1, reachable: 0, off: 0, withoutToken: 1 },
      ],
    })
    await program.kernel.db.write((trx) => trx('installs').where({ install_id: 'a' }).delete())
    expect((await statistics().installs(first.id)).reachable).to.equal(0)
  })

  it('count installs that come and go by day, beside the days before', async () => {
    const { program, first, clock } = test
    const period = (days: number) => statistics().installPeriod(first.id, days)
    const none = { added: 0, gained: 0, lost: 0, optedOut: 0 }
    expect(await period(7)).to.deep.equal({ changes: none, before: null, countedSince: null })
    const day = new Date(clock.now()).toISOString().slice(0, 10)
    for (const name of ['refused', 'off', 'moved', 'stays']) await addInstall(program, first.id, name)
    await addInstall(program, first.id, 'silent', { subscribed: false })
    expect(await period(7)).to.deep.equal({
      changes: { ...none, added: 5, gained: 4 },
      before: null,
      countedSince: day,
    })

    clock.advance(13 * 24 * HOUR_MS)
    await program.inTransaction(async (tx) => {
      const at = clock.now()
      const install = (name: string) => tx.crm.ensureInstall(first.id, name, at)
      const { row } = await install('refused')
      await tx.crm.retireToken(first.id, row, 'token-refused', 'UNREGISTERED')
      await tx.crm.setNotificationsEnabled(first.id, await install('off'), false, at)
      // Its token ends up on another install: one is lost and one gained.
      await tx.crm.registerToken(first.id, await install('silent'), { token: 'token-moved', type: 2 }, at)
      // What stays reachable, and what had been out of reach, changes nothing.
      await tx.crm.registerToken(first.id, await install('stays'), { token: 'token-new', type: 2 }, at)
      await tx.crm.setNotificationsEnabled(first.id, await install('refused'), false, at)
    })
    expect(await period(7)).to.deep.equal({
      changes: { ...none, gained: 1, lost: 2, optedOut: 1 },
      before: { ...none, added: 5, gained: 4 },
      countedSince: day,
    })
    // The eight days before would begin two days before the first.
    expect((await period(8)).before).to.equal(null)
    expect(await period(14)).to.deep.equal({
      changes: { added: 5, gained: 5, lost: 2, optedOut: 1 },
      before: null,
      countedSince: day,
    })
    const { gained, lost, optedOut } = (await period(14)).changes
    expect((await statistics().installs(first.id)).reachable).to.equal(gained - lost - optedOut)
  })

  it('show pushes beside those of the days before, as far as hours are kept', async () => {
    await sendOne()
    test.clock.advance(7 * 24 * HOUR_MS)
    const { days, total, before } = await statistics().pushPeriod(test.first.id, { days: 7 })
    expect(days).to.have.length(7)
    expect(total).to.deep.equal(NOTHING)
    expect(before).to.deep.equal({ ...NOTHING, accepted: 3, failed: 1, delivered: 1, opened: 2 })
    expect((await statistics().pushPeriod(test.first.id, { days: 45 })).before).to.deep.equal(NOTHING)
    const long = await statistics().pushPeriod(test.first.id, { days: 46 })
    expect(long.before).to.equal(null)
    expect(long.total).to.include({ accepted: 3, opened: 2 })
  })

  it('count installs of one statement, and of several apps', async () => {
    const { program, first } = test
    const second = await program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await program.kernel.db.write(async (trx) => {
      await insertInstalls(trx, first.id, 30)
      await insertInstalls(trx, second.id, 5)
    })
    expect(await statistics().installs(first.id)).to.include({ total: 30, reachable: 30 })
    expect(await statistics().installs(second.id)).to.include({ total: 5, reachable: 5 })
    const added = await program.kernel.db
      .read('install_days')
      .groupBy('app_id')
      .orderBy('app_id')
      .sum({ added: 'added', gained: 'gained' })
    expect(added.map((row) => [Number(row.added), Number(row.gained)])).to.deep.equal([
      [30, 30],
      [5, 5],
    ])
    await program.kernel.db.write((trx) => trx('installs').whereIn('install_id', ['install-1', 'install-2']).delete())
    expect(await statistics().installs(first.id)).to.include({ total: 28, reachable: 28 })
    expect(await statistics().installs(second.id)).to.include({ total: 3, reachable: 3 })
  })

  it('are forgotten after 90 days, and with their app', async () => {
    const { program, first, clock } = test
    await sendOne()
    const rows = async () => (await program.kernel.db.read('push_hours')).length
    const forget = (limit: number) => program.inTransaction((tx) => tx.statistics.forget(limit))
    expect(await forget(10)).to.equal(0)
    clock.advance(93 * 24 * HOUR_MS)
    expect(await rows()).to.be.above(0)
    await forget(1)
    await forget(100)
    expect(await rows()).to.equal(0)
    // Changes of installs stay for a year, so that the first day of counting is known.
    const changes = async () => (await program.kernel.db.read('install_days')).length
    expect(await changes()).to.be.above(0)
    clock.advance(300 * 24 * HOUR_MS)
    await forget(100)
    expect(await changes()).to.equal(0)
    await addInstall(program, first.id, 'late')
    await deleteApp({ inTransaction: program.inTransaction, clock }, first.id)
    for (const table of ['push_hours', 'link_days', 'install_counts', 'install_days']) {
      expect(await program.kernel.db.read(table).where({ app_id: first.id }), table).to.deep.equal([])
    }
  })
})
