import { expect } from 'chai'
import type { Outcome } from '../../../src/domain/gateways/gateway.ts'
import { onEachDatabase, openTestApp, type TestApp } from '../../support/app.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../../support/delivery.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }

onEachDatabase('delivering with restraint', (kind) => {
  let test: TestApp

  beforeEach(async () => {
    // Twelve noon in UTC.
    test = await openTestApp({ kind })
  })
  afterEach(() => test.close())

  const report = (id: number) => test.app.notifications.report(test.first.id, id)

  it('leaves out who is in quiet hours where he is, and says so', async () => {
    await withAndroids(test, 4)
    const zones = { 'install-0': 'Asia/Tokyo', 'install-1': 'America/New_York' }
    for (const [install, timezone] of Object.entries(zones)) {
      await test.app.kernel.db.write((trx) => trx('installs').where({ install_id: install }).update({ timezone }))
    }
    // 21:00 in Tokyo, 7:00 in New York, 12:00 for those without a zone.
    await test.app.inTransaction((tx) => tx.apps.restrain(test.first.id, { quiet: { from: 20 * 60, to: 8 * 60 } }))
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
    await test.app.inTransaction((tx) => tx.apps.restrain(test.first.id, { cap: { count: 2, hours: 24 } }))
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
    expect(await test.app.kernel.db.read('send_history')).to.have.lengthOf(0)
  })
})
