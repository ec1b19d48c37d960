import { expect } from 'chai'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { acceptBroadcast, broadcast, deliverDue, scriptedSender, withAndroids } from '../../../support/delivery.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const DAY_MS = 86_400_000

onEachDatabase('old notifications', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  const count = async (table: string) => (await test.program.kernel.db.read(table)).length
  const forget = (days: number, limit: number) =>
    test.program.inTransaction((tx) => tx.notificationRetention.forget(days, limit))
  const open = (id: number, uuid: string) =>
    test.program.inTransaction((tx) =>
      tx.events.ingest(test.first.id, 'install-0', [
        { type: 'k.push.opened', uuid, timestamp: test.clock.now(), data: { id } },
      ]),
    )

  it('are forgotten although the filters of one cannot be read', async () => {
    await withAndroids(test, 2)
    const [broken, whole] = [await broadcast(test), await broadcast(test)]
    await deliverDue(test, scriptedSender(() => ({ kind: 'accepted' })).sender)
    await test.program.kernel.db.write((sql) => sql('notifications').where({ id: broken }).update({ filters: '{' }))
    test.clock.advance(3 * DAY_MS)
    while ((await forget(1, 10)) === 10) continue
    expect(await count('pages')).to.equal(0)
    for (const id of [broken, whole])
      expect((await test.program.notifications.report(test.first.id, id)).counts).to.include({
        audience: 2,
        accepted: 2,
      })
  })

  it('lose their recipients in slices, and their reports stay what they were', async () => {
    const { program, first, clock } = test
    await withAndroids(test, 4)
    const { sender } = scriptedSender((token) =>
      token === 'token-3' ? { kind: 'payload_error', reason: 'TooLong', everyone: false } : { kind: 'accepted' },
    )
    const id = await broadcast(test, { target: { installIds: [0, 1, 3].map((i) => `install-${i}`) } })
    await deliverDue(test, sender)
    await open(id, 'o1')
    const before = await program.notifications.report(first.id, id)
    expect(before.counts).to.include({ audience: 3, accepted: 2, failed: 1 })
    expect(before.notification.opened).to.equal(1)

    clock.advance(3 * DAY_MS)
    expect(await forget(0, 100), 'switched off').to.equal(0)
    expect(await forget(30, 100), 'too young').to.equal(0)
    const rows = (await count('pages')) + (await count('notification_opens')) + (await count('delivery_failures'))
    expect(rows).to.be.greaterThan(2)
    expect(await forget(1, 1)).to.equal(1)
    expect(await program.notifications.report(first.id, id), 'half way').to.deep.equal(before)
    while ((await forget(1, 1)) === 1) continue

    for (const table of ['pages', 'notification_opens', 'delivery_failures'])
      expect(await count(table), table).to.equal(0)
    const after = await program.notifications.report(first.id, id)
    expect(after.notification.filters).to.deep.equal({ installIds: [] })
    expect({ ...after, notification: { ...after.notification, filters: {} } }).to.deep.equal({
      ...before,
      notification: { ...before.notification, filters: {} },
    })
    // Nobody knows any more whether this one was counted.
    await open(id, 'o2')
    expect((await program.notifications.report(first.id, id)).notification.opened).to.equal(1)
    expect(await count('notification_opens')).to.equal(0)
  })

  for (const slice of [3, 7, 250]) {
    it(`of two apps are forgotten together, ${slice} rows at a time, and each keeps its own counts`, async () => {
      const { program, clock } = test
      const other = { ...test, first: await program.inTransaction((tx) => tx.apps.create({ name: 'Other' })) }
      const ids: { app: number; id: number; audience: number }[] = []
      for (const one of [test, other]) {
        await withAndroids(one, 5)
        for (let i = 1; i <= 5; i++) {
          const installIds = Array.from({ length: i }, (_, n) => `install-${n}`)
          const userMeta = { 'install-0': { seat: i } }
          ids.push({ app: one.first.id, id: await broadcast(one, { target: { installIds }, userMeta }), audience: i })
        }
      }
      const failed: Outcome = { kind: 'payload_error', reason: 'TooLong', everyone: false }
      const { sender } = scriptedSender((token) => (token === 'token-2' ? failed : { kind: 'accepted' }))
      await deliverDue(test, sender)
      clock.advance(3 * DAY_MS)
      const young = await acceptBroadcast(test, { target: { installIds: ['install-1'] } })
      await deliverDue(test, sender)
      let slices = 0
      for (let gone = slice; gone === slice; slices++) {
        gone = await forget(1, slice)
        expect(gone).to.be.at.most(slice)
        expect(slices).to.be.below(100)
      }
      const left: number[] = await program.kernel.db.read('pages').distinct().pluck('notification_id')
      expect(left).to.deep.equal([young])
      expect(await count('notification_user_meta')).to.equal(0)
      for (const { app, id, audience } of ids) {
        const { counts, notification } = await program.notifications.report(app, id)
        const failures = audience >= 3 ? 1 : 0
        expect(counts).to.include({ audience, failed: failures, accepted: audience - failures, pending: 0 })
        expect(notification.filters).to.deep.equal({ installIds: [] })
      }
    })
  }

  it('that are not over keep theirs, however old they are', async () => {
    await withAndroids(test, 1)
    const id = await broadcast(test)
    test.clock.advance(90 * DAY_MS)
    expect(await forget(1, 100)).to.equal(0)
    const { sender } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(test, sender)
    expect((await test.program.notifications.report(test.first.id, id)).counts).to.include({ expired: 1 })
    expect(await forget(1, 100)).to.be.greaterThan(0)
  })
})
