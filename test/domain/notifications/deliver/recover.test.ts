import { expect } from 'chai'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { PLATFORM_TYPES } from '../../../../src/domain/gateways/registry.ts'
import { createLaneControl } from '../../../../src/domain/notifications/deliver/lane-control.ts'
import { giveUpPage, recoverPages } from '../../../../src/domain/notifications/deliver/recover.ts'
import { SLOT } from '../../../../src/domain/notifications/record/page.ts'
import { STATUS } from '../../../../src/domain/notifications/types.ts'
import {
  broadcast,
  deliverDue,
  deliverPages,
  deliveryParts,
  scriptedSender,
  sendWithoutAnswers,
  withAndroids,
} from '../../../support/delivery.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }

onEachDatabase('pages that lost their worker', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '20' } })
  })
  afterEach(() => test.close())

  const counts = (id: number) => test.program.ledger.counts(test.first.id, id)
  const status = async (id: number) => (await test.program.notifications.get(test.first.id, id)).status
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const outcomes = () => Object.fromEntries(test.program.kernel.outcomes)

  async function claim(owner: string) {
    const [lane] = await test.program.queue.dueLanes(test.clock.now(), 1)
    return (await test.program.inTransaction(({ queue }) => queue.claim(lane!, owner, test.clock.now(), 30_000)))!
  }

  it('sends again after a crash only to begun recipients, and only after a wait', async () => {
    await withAndroids(test, 20)
    const id = await broadcast(test)
    // The thread that dies: its answers never come, so its first two chunks stay begun.
    const { sender, sent: first } = scriptedSender(() => new Promise<Outcome>(() => {}))
    void deliverDue(test, sender, { chunk: 3, owner: 'dead' })
    while (first.length < 6) await turn()

    expect(await recoverPages(deliveryParts(test), { name: 'dead' })).to.equal(1)
    const { sender: second, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, second)
    expect(sent).to.have.lengthOf(14)
    expect(sent).to.not.include.members(first)
    expect(await counts(id)).to.include({ audience: 20, accepted: 14, pending: 6 })
    test.clock.advance(30_000)
    await deliverDue(test, second)
    expect(sent.slice(14).sort()).to.eql(first.sort())
    expect(await counts(id)).to.include({ audience: 20, accepted: 20, pending: 0 })
  })

  for (const column of ['content', 'schedule', 'target'] as const) {
    it(`are returned although the ${column} of one notification cannot be read any more`, async () => {
      await withAndroids(test, 4)
      const { sender, sent } = scriptedSender(() => new Promise<Outcome>(() => {}))
      const ids: number[] = []
      for (let i = 1; i <= 2; i++) {
        ids.push(await broadcast(test))
        void deliverDue(test, sender, { owner: 'dead' })
        while (sent.length < 4 * i) await turn()
      }
      const [broken, whole] = ids as [number, number]
      await test.program.kernel.db.write((sql) =>
        sql('notifications')
          .where({ id: broken })
          .update({ [column]: '[1]' }),
      )

      expect(await recoverPages(deliveryParts(test), { name: 'dead' })).to.equal(2)
      test.clock.advance(30_000)
      await deliverDue(test, scriptedSender(() => ACCEPTED).sender)
      expect(await counts(whole)).to.include({ audience: 4, accepted: 4, pending: 0 })
      // Pages that are there need neither the schedule nor the target.
      const end = column === 'content' ? { accepted: 0, failed: 4 } : { accepted: 4, failed: 0 }
      expect(await counts(broken)).to.include({ audience: 4, pending: 0, ...end })
    })
  }

  /** A worker that dies while nobody has answered; returns who was on the way. */
  async function die(count: number, chunk: number, owner: string): Promise<string[]> {
    const { sender, sent } = scriptedSender(() => new Promise<Outcome>(() => {}))
    void deliverDue(test, sender, { chunk, owner })
    while (sent.length < count) await turn()
    await recoverPages(deliveryParts(test), { name: owner })
    return sent
  }

  it('of many crashes finish outside of the retry budget, after a short wait', async () => {
    await withAndroids(test, 240)
    const id = await broadcast(test)
    for (let death = 0; death < 12; death++) await die(20, 20, `dead ${death}`)
    const { read } = test.program.kernel.db
    const again = await read('pages').where({ state: 'queued' }).select('after_crash', 'not_before', 'resends', 'total')
    expect(again.reduce((sum, { total }) => sum + total, 0)).to.equal(240)
    for (const { after_crash: afterCrash, not_before: notBefore, resends } of again) {
      expect(Boolean(afterCrash)).to.equal(true)
      expect(resends).to.equal(1)
      expect(notBefore - test.clock.now()).to.be.within(5000, 15_000)
    }
    expect(await test.program.vitals.waiting(test.clock.now())).to.deep.include.members([
      { laneId: 1, cause: 'after_crash', recipients: 240, firstAt: again[0]!.not_before, lastAt: again[0]!.not_before },
    ])
    const control = createLaneControl({ refusalLimit: 30, holds: 0 })
    control.note(ACCEPTED, test.clock.now(), 0.5)
    control.allowance(100, 0, test.clock.now(), 'retry')
    test.clock.advance(15_000)
    await deliverDue(test, scriptedSender(() => ACCEPTED).sender, { control })
    expect(await counts(id)).to.include({ audience: 240, accepted: 240, pending: 0 })
  })

  it('are resent within the budget when the gateway did not respond after the crash', async () => {
    await withAndroids(test, 4)
    await broadcast(test)
    await die(4, 10, 'dead')
    test.clock.advance(15_000)
    await deliverDue(test, scriptedSender(() => ({ kind: 'uncertain', reason: 'deadline' })).sender)
    const [page] = await test.program.kernel.db.read('pages').where({ state: 'queued' })
    expect(page).to.include({ resends: 2, total: 4 })
    expect(Boolean(page.after_crash)).to.equal(false)
    expect(page.not_before - test.clock.now()).to.equal(17_500)
  })

  it('delays a page whose delivery failed, and leaves the other pages of its worker alone', async () => {
    await withAndroids(test, 40)
    const id = await broadcast(test)
    const [lane] = await test.program.queue.dueLanes(test.clock.now(), 1)
    const claims = await test.program.inTransaction(async ({ queue }) => [
      (await queue.claim(lane!, 'worker', test.clock.now(), 30_000))!,
      (await queue.claim(lane!, 'worker', test.clock.now(), 30_000))!,
    ])
    await recoverPages(deliveryParts(test), { claim: claims[0]!, restMs: 30_000 })
    expect(await test.program.queue.dueLanes(test.clock.now(), 1)).to.eql([])
    expect(await test.program.queue.orphans(10, { name: 'worker' })).to.eql([claims[1]])

    test.clock.advance(30_000)
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    expect(sent).to.have.lengthOf(20)
    expect(await counts(id)).to.include({ audience: 40, accepted: 20, pending: 20 })
  })

  it('are recovered once when two processes look for them at the same time', async () => {
    await withAndroids(test, 20)
    const id = await broadcast(test)
    const { sender, sent } = scriptedSender(() => new Promise<Outcome>(() => {}))
    void deliverDue(test, sender, { chunk: 3, owner: 'dead' })
    while (sent.length < 6) await turn()
    const parts = deliveryParts(test)
    await Promise.all([recoverPages(parts, { name: 'dead' }), recoverPages(parts, { name: 'dead' })])
    expect(await counts(id)).to.include({ audience: 20, pending: 20 })
    const { sender: next, sent: again } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, next)
    test.clock.advance(30_000)
    await deliverDue(test, next)
    expect(again).to.have.lengthOf(20)
    expect(await counts(id)).to.include({ audience: 20, accepted: 20 })
  })

  it('give recipients that were sent to three times the outcome unknown, and count them', async () => {
    await withAndroids(test, 4)
    const id = await broadcast(test)
    for (let death = 0; death < 3; death++) {
      const { sender, sent } = scriptedSender(() => new Promise<Outcome>(() => {}))
      void deliverDue(test, sender, { owner: `dead ${death}` })
      while (sent.length < 4) await turn()
      await recoverPages(deliveryParts(test), { name: `dead ${death}` })
      test.clock.advance(30_000)
    }
    expect(await counts(id)).to.include({ audience: 4, unknown: 4, pending: 0 })
    expect(outcomes()).to.eql({ unknown: 4 })
  })

  it('merge late acceptances of the previous worker: nobody gets the message again, and each is counted once', async () => {
    await withAndroids(test, 6)
    const id = await broadcast(test)
    const late = await sendWithoutAnswers(
      test,
      6,
      (token) => (token < 'token-4' ? ACCEPTED : { kind: 'token_dead', reason: 'UNREGISTERED' }),
      { owner: 'stopped' },
    )
    await recoverPages(deliveryParts(test), { name: 'stopped' })
    await late.release()
    expect(await counts(id)).to.include({ audience: 6, accepted: 4, pending: 2 })

    test.clock.advance(30_000)
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    expect(sent.sort()).to.eql(['token-4', 'token-5'])
    expect(await counts(id)).to.include({ audience: 6, accepted: 6, pending: 0 })
    expect(await status(id)).to.equal(STATUS.sent)
    expect(outcomes()).to.eql({ accepted: 6 })
  })

  it('are closed when they become due and late acceptances have settled all recipients', async () => {
    await withAndroids(test, 3)
    const id = await broadcast(test)
    const late = await sendWithoutAnswers(test, 3, () => ACCEPTED, { owner: 'stopped' })
    await recoverPages(deliveryParts(test), { name: 'stopped' })
    await late.release()
    test.clock.advance(30_000)
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    expect(sent).to.eql([])
    expect(await counts(id)).to.include({ audience: 3, accepted: 3 })
    expect(await status(id)).to.equal(STATUS.sent)
  })

  it('merge late acceptances while another worker has them: pending recipients are not begun, begun ones are accepted', async () => {
    await withAndroids(test, 6)
    const id = await broadcast(test)
    const late = await sendWithoutAnswers(test, 6, () => ACCEPTED, { owner: 'stopped' })
    await recoverPages(deliveryParts(test), { name: 'stopped' })
    test.clock.advance(30_000)
    const { promise, resolve: answer } = Promise.withResolvers<void>()
    const other = scriptedSender(() => promise.then((): Outcome => ({ kind: 'uncertain', reason: 'cut' })))
    const done = deliverDue(test, other.sender, { chunk: 1, owner: 'other' })
    while (other.sent.length < 2) await turn()
    await late.release()
    answer()
    await done
    expect(other.sent).to.have.lengthOf(2)
    expect(await counts(id)).to.include({ audience: 6, accepted: 6, pending: 0, unknown: 0 })
    expect(await status(id)).to.equal(STATUS.sent)
    expect(outcomes()).to.eql({ accepted: 6 })
  })

  it('do not change when late responses concern no waiting recipient', async () => {
    await withAndroids(test, 4)
    const id = await broadcast(test)
    const late = await sendWithoutAnswers(test, 4, () => ACCEPTED, { owner: 'stopped' })
    await recoverPages(deliveryParts(test), { name: 'stopped' })
    test.clock.advance(30_000)
    await deliverDue(test, scriptedSender(() => ACCEPTED).sender, { owner: 'other' })
    await late.release()
    expect(await counts(id)).to.include({ audience: 4, accepted: 4, pending: 0 })
    expect(outcomes()).to.eql({ accepted: 4 })
  })

  it('that fail every time are given up: begun recipients are unknown, pending ones failed, both with the reason', async () => {
    await withAndroids(test, 5)
    const id = await broadcast(test)
    const { sender, sent } = scriptedSender(() => new Promise<Outcome>(() => {}))
    void deliverDue(test, sender, { chunk: 1, owner: 'stuck' })
    while (sent.length < 2) await turn()
    const [stuck] = await test.program.queue.orphans(1, { name: 'stuck' })
    await giveUpPage(deliveryParts(test), { ...stuck!, failures: 100 })
    expect(await counts(id)).to.include({ audience: 5, unknown: 2, failed: 3, pending: 0 })
    expect(await status(id)).to.equal(STATUS.failed)
    expect(outcomes()).to.eql({ unknown: 2, internal_error: 3 })
    const { failures } = await test.program.notifications.report(test.first.id, id)
    const reason = 'its page failed 100 times: see the log'
    expect(failures).to.eql([
      { kind: 'internal_error', reason, count: 3 },
      { kind: 'unknown', reason, count: 2 },
    ])
    expect(await test.program.queue.orphans(1, { all: true })).to.eql([])
  })

  it('count failed deliveries of a page, but not regular returns to the queue', async () => {
    await withAndroids(test, 5)
    await broadcast(test)
    for (let i = 0; i < 150; i++) {
      const peaceful = await claim('worker')
      expect(peaceful).to.include({ failures: 0, fence: i + 1 })
      await test.program.inTransaction(({ queue }) => queue.retry(peaceful, test.clock.now()))
    }
    for (let failures = 0; failures < 3; failures++) {
      const failed = await claim('worker')
      expect(failed).to.include({ failures })
      await recoverPages(deliveryParts(test), { claim: failed, restMs: 0 })
    }
    expect((await claim('worker')).failures).to.equal(3)
  })

  it('are cancelled or expired with their notification, when they are given up after that', async () => {
    await withAndroids(test, 5)
    const id = await broadcast(test, { ttl: 60 })
    test.clock.advance(60_000)
    await giveUpPage(deliveryParts(test), await claim('worker'))
    expect(await counts(id)).to.include({ audience: 5, expired: 5 })
  })

  it('call the notification sent when two workers close its last pages at the same moment', async () => {
    await withAndroids(test, 40)
    const id = await broadcast(test)
    const claims = [await claim('one'), await claim('two')]
    const laneId = (await test.program.gateways.lanes.list())[0]!.id
    let arrived = 0
    const { promise: both, resolve } = Promise.withResolvers<void>()
    const { sender } = scriptedSender(async () => {
      if (++arrived === 40) resolve()
      await both
      return ACCEPTED
    })
    const platform = PLATFORM_TYPES.android
    await Promise.all(
      claims.map((one) => {
        const control = createLaneControl({ refusalLimit: 30, holds: 0 })
        const lane = { laneId, platform, sender, control, holds: 0 }
        return deliverPages(deliveryParts(test, 20), one, lane)
      }),
    )
    expect(await counts(id)).to.include({ audience: 40, accepted: 40 })
    expect(await status(id)).to.equal(STATUS.sent)
  })

  it('only return to the queue when no recipient was begun', async () => {
    await withAndroids(test, 3)
    const id = await broadcast(test)
    await claim('dead')
    await recoverPages(deliveryParts(test), { name: 'dead' })
    const [page] = await test.program.ledger.pagesWith(test.first.id, id, 1)
    expect([...page!.outcomes]).to.eql([SLOT.pending, SLOT.pending, SLOT.pending])
    await deliverDue(test, scriptedSender(() => ACCEPTED).sender)
    expect(await counts(id)).to.include({ accepted: 3 })
  })
})
