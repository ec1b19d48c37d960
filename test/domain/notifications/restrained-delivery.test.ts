import { expect } from 'chai'
import type { Outcome } from '../../../src/domain/gateways/gateway.ts'
import type { DeliveryAreas } from '../../../src/domain/notifications/deliver/delivery-parts.ts'
import { createLaneControl } from '../../../src/domain/notifications/deliver/lane-control.ts'
import { recoverPages } from '../../../src/domain/notifications/deliver/recover.ts'
import { STATUS } from '../../../src/domain/notifications/types.ts'
import { broadcast, deliverDue, deliveryParts, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { openTransaction, untilSomebodyWaits, watchedParts } from '../../support/locks.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }

onEachDatabase('delivering with restraint', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    // Twelve noon in UTC.
    test = await openShared({ settings: { 'delivery.pageSize': '20' } })
  })
  afterEach(() => test.close())

  const report = (id: number) => test.program.notifications.report(test.first.id, id)

  it('leaves out who is in quiet hours where he is, and says so', async () => {
    await withAndroids(test, 4)
    const zones = { 'install-0': 'Asia/Tokyo', 'install-1': 'America/New_York' }
    for (const [install, timezone] of Object.entries(zones)) {
      await test.program.kernel.db.write((trx) => trx('installs').where({ install_id: install }).update({ timezone }))
    }
    // 21:00 in Tokyo, 7:00 in New York, 12:00 for those without a zone.
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { quiet: { from: 20 * 60, to: 8 * 60 } }))
    const id = await broadcast(test)
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    expect(sent.sort()).to.eql(['token-2', 'token-3'])
    const { counts, skips } = await report(id)
    expect(counts).to.include({ audience: 4, accepted: 2, skipped: 2, pending: 0 })
    expect(skips).to.eql([{ reason: 'quiet_hours', count: 2 }])
  })

  it('sends no install more than the cap within its window, over notifications', async () => {
    await withAndroids(test, 2)
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { cap: { count: 2, hours: 24 } }))
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    const skipped: number[] = []
    for (const hours of [0, 1, 1, 23]) {
      test.clock.advance(hours * 3_600_000)
      const id = await broadcast(test)
      await deliverDue(test, sender)
      skipped.push((await report(id)).counts.skipped)
    }
    expect(skipped).to.eql([0, 0, 2, 0])
    expect(sent).to.have.lengthOf(6)
  })

  it('keeps the rate of a notification and lets others of the lane through meanwhile', async () => {
    await withAndroids(test, 30)
    const slow = await broadcast(test, { rateLimit: 10 })
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    expect(sent).to.have.lengthOf(10)
    const quick = await broadcast(test)
    await deliverDue(test, sender)
    expect((await report(quick)).counts.accepted).to.equal(30)
    const before = sent.length
    test.clock.advance(500)
    await deliverDue(test, sender)
    expect(sent.length - before).to.equal(5)
    for (let i = 0; i < 6; i++) {
      test.clock.advance(500)
      await deliverDue(test, sender)
    }
    expect((await report(slow)).counts).to.include({ audience: 30, accepted: 30, pending: 0 })
  })

  it('does nothing of it unless it is set', async () => {
    await withAndroids(test, 3)
    await broadcast(test)
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    expect(sent).to.have.lengthOf(3)
    expect(await test.program.kernel.db.read('send_history')).to.have.lengthOf(0)
  })

  const cap = (count: number) =>
    test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { cap: { count, hours: 24 } }))
  const sentTimes = async () => {
    const rows: { sent: string }[] = await test.program.kernel.db.read('send_history').select('sent')
    return rows.map(({ sent }) => (JSON.parse(sent) as number[]).length)
  }
  const holding: [string, Outcome][] = [
    ['refuses the credential', { kind: 'config_error', reason: 'PERMISSION_DENIED' }],
    ['asks to slow down', { kind: 'throttled_gateway', reason: '429' }],
  ]
  for (const [what, outcome] of holding) {
    it(`counts nobody for whom the gateway ${what}: they get the message when the lane goes on`, async () => {
      await withAndroids(test, 12)
      await cap(1)
      const id = await broadcast(test)
      await deliverDue(test, scriptedSender(() => outcome).sender, { chunk: 5 })
      expect((await sentTimes()).filter((times) => times > 0)).to.eql([])
      test.clock.advance(10 * 60_000)
      await deliverDue(test, scriptedSender(() => ACCEPTED).sender)
      expect((await report(id)).counts).to.include({ accepted: 12, skipped: 0, pending: 0 })
      expect(new Set(await sentTimes())).to.eql(new Set([1]))
    })
  }

  it('lets another notification have the place of one that has to wait, and then leaves that one out', async () => {
    await withAndroids(test, 3)
    await cap(1)
    const waiting = await broadcast(test)
    await deliverDue(test, scriptedSender(() => ({ kind: 'config_error', reason: 'wrong' })).sender)
    test.clock.advance(10 * 60_000)
    await test.program.kernel.db.write((trx) =>
      trx('pages')
        .where({ notification_id: waiting })
        .update({ not_before: test.clock.now() + 1000 }),
    )
    const other = await broadcast(test)
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    expect((await report(other)).counts).to.include({ accepted: 3 })
    test.clock.advance(1000)
    await deliverDue(test, sender)
    expect(sent).to.have.lengthOf(3)
    expect((await report(waiting)).counts).to.include({ accepted: 0, skipped: 3, pending: 0 })
  })

  it('judges nobody again to whom it sends again: neither after a lost answer nor after a crash, and counts them once', async () => {
    await withAndroids(test, 6)
    await cap(1)
    const id = await broadcast(test)
    const seen = new Set<string>()
    const { sender } = scriptedSender((token) => {
      if (seen.has(token) || token > 'token-2') return ACCEPTED
      seen.add(token)
      return { kind: 'uncertain', reason: 'deadline' }
    })
    await deliverDue(test, sender)
    expect((await report(id)).counts).to.include({ accepted: 3, pending: 3 })

    await cap(2)
    const crashed = await broadcast(test)
    const dying = scriptedSender(() => new Promise<Outcome>(() => {}))
    void deliverDue(test, dying.sender, { owner: 'dead' })
    while (dying.sent.length < 6) await new Promise((resolve) => setImmediate(resolve))
    await recoverPages(deliveryParts(test), { name: 'dead' })

    // Now the night begins, and everybody has had as many as the app allows.
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { quiet: { from: 0, to: 1439 } }))
    test.clock.advance(30_000)
    await deliverDue(test, sender)
    for (const one of [id, crashed])
      expect((await report(one)).counts).to.include({ accepted: 6, skipped: 0, pending: 0 })
    expect(await sentTimes()).to.eql([2, 2, 2, 2, 2, 2])
  })

  it('is exact when three notifications go out at once, and everybody gets one', async () => {
    await withAndroids(test, 60)
    await cap(1)
    const ids = [await broadcast(test), await broadcast(test), await broadcast(test)]
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await Promise.all(ids.map((id) => deliverDue(test, sender, { owner: `worker-${id}`, chunk: 7 })))
    expect(sent.toSorted())
      .to.eql([...new Set(sent)].sort())
      .and.to.have.lengthOf(60)
    const counts = await Promise.all(ids.map(async (id) => (await report(id)).counts))
    expect(counts.reduce((sum, { skipped }) => sum + skipped, 0)).to.equal(120)
    expect(counts.map(({ pending }) => pending)).to.eql([0, 0, 0])
  })

  it('closes a page of which everybody is left out', async () => {
    await withAndroids(test, 12)
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { quiet: { from: 0, to: 1439 } }))
    const id = await broadcast(test)
    await deliverDue(test, scriptedSender(() => ACCEPTED).sender, { chunk: 5 })
    expect((await report(id)).counts).to.include({ skipped: 12, pending: 0 })
    expect((await test.program.notifications.get(test.first.id, id)).status).to.equal(STATUS.failed)
  })

  if (kind !== 'postgres') return

  for (const known of [false, true]) {
    it(`makes a second one wait for the first where both are about to send to installs that ${known ? 'got something before' : 'never got anything'}`, async () => {
      await withAndroids(test, 5)
      await cap(known ? 2 : 1)
      if (known) {
        await broadcast(test)
        await deliverDue(test, scriptedSender(() => ACCEPTED).sender)
      }
      const [one, two] = [await broadcast(test), await broadcast(test)]
      const rows = await test.program.kernel.db.read('installs').orderBy('id').pluck('id')
      const admit = async ({ restraint }: DeliveryAreas, notificationId: number) => {
        const rules = (await restraint.rulesOf(test.first.id, [notificationId])).get(notificationId)!
        const asked = { notificationId, rules, toBegin: rows, withdrawn: new Map(), again: [], others: () => [] }
        return (await restraint.admit(test.first.id, [asked], test.clock.now()))[0]!
      }
      const first = await openTransaction(test, (tx) => admit(tx, one))
      expect([...first.value.admitted]).to.eql(rows)
      const second = test.program.inTransaction((tx) => admit(tx, two))
      await untilSomebodyWaits(test)
      await first.end()
      expect([...(await second).leftOut.keys()]).to.eql(rows)
    })
  }

  it('never makes two wait for each other, whatever recipients they share', async () => {
    await withAndroids(test, 40)
    await cap(3)
    const id = await broadcast(test)
    const rows: number[] = await test.program.kernel.db.read('installs').orderBy('id').pluck('id')
    const rules = (await test.program.restraint.rulesOf(test.first.id, [id])).get(id)!
    let seed = 11
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    const rounds = 30
    let asked = 0
    const times = new Map<number, number>()
    const work = async () => {
      for (let round = 0; round < rounds; round++) {
        const some = rows.filter(() => random() < 0.5)
        const [admission] = await test.program.inTransaction(({ restraint }) => {
          asked++
          const one = { notificationId: id, rules, toBegin: some, withdrawn: new Map(), again: [], others: () => [] }
          return restraint.admit(test.first.id, [one], test.clock.now())
        })
        for (const row of admission!.admitted) times.set(row, (times.get(row) ?? 0) + 1)
      }
    }
    await Promise.all([work(), work(), work(), work()])
    expect(asked, 'a deadlock would have made one ask again').to.equal(4 * rounds)
    expect([...times.values()]).to.eql(rows.map(() => 3))
  })

  it('lets two pages of a notification with a rate limit take their turns: they never wait for each other', async () => {
    await withAndroids(test, 40)
    const id = await broadcast(test, { rateLimit: 1000 })
    await test.program.kernel.db.write((trx) =>
      trx('pages').where({ notification_id: id }).update({ not_before: test.clock.now() }),
    )
    let asked = 0
    const both = Promise.withResolvers<void>()
    const parts = watchedParts(test, 20, async () => {
      if (++asked === 2) both.resolve()
      if (asked <= 2) await Promise.race([both.promise, untilSomebodyWaits(test)])
    })
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await Promise.all(
      ['one', 'two'].map(async (owner) => {
        const control = createLaneControl({ refusalLimit: 30, holds: 0 })
        control.note(ACCEPTED, test.clock.now(), 0.5)
        await deliverDue(test, sender, { owner, control, parts, maxRecipients: 1 })
      }),
    )
    expect(sent).to.have.lengthOf(40)
    expect(asked, 'a deadlock would have made one ask again').to.equal(2)
  })
})
