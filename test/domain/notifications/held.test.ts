import { expect } from 'chai'
import type { Outcome } from '../../../src/domain/gateways/gateway.ts'
import { cancelNotification } from '../../../src/domain/notifications/cancel.ts'
import { recoverPages } from '../../../src/domain/notifications/deliver/recover.ts'
import { STATUS } from '../../../src/domain/notifications/types.ts'
import { nextMinuteOfDay } from '../../../src/domain/schedules/schedule.ts'
import { createProgram } from '../../../src/program.ts'
import { broadcast, deliverDue, deliveryParts, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }
const HOUR = 3_600_000
const NOBODY = { pending: 0, accepted: 0, failed: 0, expired: 0, cancelled: 0, skipped: 0, unknown: 0 }

describe('the end of quiet hours', () => {
  const cases: [what: string, minute: string, zone: string, now: string, end: string][] = [
    ['later today', '07:00', 'UTC', '2026-03-01T02:00:30Z', '2026-03-01T07:00:00Z'],
    ['tomorrow', '07:00', 'UTC', '2026-03-01T23:15:00Z', '2026-03-02T07:00:00Z'],
    ['where the install is', '07:00', 'Asia/Kolkata', '2026-03-01T20:00:00Z', '2026-03-02T01:30:00Z'],
    ['an hour sooner when clocks go forward', '07:00', 'Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00Z'],
    ['an hour later when clocks go back', '07:00', 'Europe/Berlin', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00Z'],
    ['past the gap when the clock skips it', '02:30', 'Europe/Berlin', '2026-03-29T00:10:00Z', '2026-03-29T01:30:00Z'],
    ['the first of two', '02:30', 'Europe/Berlin', '2026-10-24T23:10:00Z', '2026-10-25T00:30:00Z'],
    ['the second of two', '02:30', 'Europe/Berlin', '2026-10-25T01:10:00Z', '2026-10-25T01:30:00Z'],
  ]
  for (const [what, time, zone, now, end] of cases) {
    it(`is ${what}`, () => {
      const [hour, minute] = time.split(':').map(Number)
      const at = nextMinuteOfDay(hour! * 60 + minute!, zone, Date.parse(now))
      expect(new Date(at).toISOString()).to.equal(new Date(end).toISOString())
    })
  }
})

onEachDatabase('quiet hours that hold', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    // Twelve noon in UTC.
    test = await openShared({ settings: { 'delivery.pageSize': '4' } })
    await withAndroids(test, 10)
    await moveTo('Asia/Tokyo', 0, 3, 6)
    await moveTo('America/New_York', 1)
    await quiet({ from: 20 * 60, to: 8 * 60, hold: true })
  })
  afterEach(() => test.close())

  const quiet = (quiet: { from: number; to: number; hold?: true } | null) =>
    test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { quiet }))
  const report = (id: number) => test.program.notifications.report(test.first.id, id)
  const countsOf = async (id: number) => (await report(id)).counts
  async function moveTo(timezone: string, ...is: number[]): Promise<void> {
    const names = is.map((i) => `install-${i}`)
    await test.program.kernel.db.write((trx) => trx('installs').whereIn('install_id', names).update({ timezone }))
  }
  async function deliver(): Promise<string[]> {
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender, { chunk: 3 })
    return sent.sort()
  }
  const others = [2, 4, 5, 7, 8, 9].map((i) => `token-${i}`)

  /** Every recipient is in exactly one state. */
  async function expectWhole(id: number, expected: object): Promise<void> {
    const { audience, pending, accepted, failed, expired, cancelled, skipped, unknown } = await countsOf(id)
    expect({ audience, pending, accepted, failed, expired, cancelled, skipped, unknown }).to.deep.equal({
      ...NOBODY,
      audience: 10,
      ...expected,
    })
  }

  it('send when they end, in each time zone by itself', async () => {
    const id = await broadcast(test)
    // 21:00 in Tokyo, 7:00 in New York.
    expect(await deliver()).to.deep.equal(others)
    await expectWhole(id, { accepted: 6, pending: 4 })
    test.clock.advance(HOUR - 1)
    expect(await deliver()).to.deep.equal([])
    test.clock.advance(1)
    expect(await deliver()).to.deep.equal(['token-1'])
    test.clock.advance(10 * HOUR - 1)
    expect(await deliver()).to.deep.equal([])
    test.clock.advance(1)
    expect(await deliver()).to.deep.equal(['token-0', 'token-3', 'token-6'])
    await expectWhole(id, { accepted: 10 })
    expect((await report(id)).notification.status).to.equal(STATUS.sent)
  })

  it('hold the rest of a page at once, on one page for each time at which they end', async () => {
    await quiet({ from: 0, to: 1439, hold: true })
    await broadcast(test)
    const { sender } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender, { chunk: 1 })
    const held: { total: number }[] = await test.program.kernel.db
      .read('pages')
      .where({ state: 'queued' })
      .select('total')
    // Ten recipients on three pages, in at most three zones each.
    expect(held.length).to.be.at.most(7)
    expect(held.reduce((sum, { total }) => sum + total, 0)).to.equal(10)
  })

  it('judge again who wakes: in another zone, by another rule, and by the cap, which counts when it is sent', async () => {
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { cap: { count: 1, hours: 24 } }))
    const first = await broadcast(test)
    expect(await deliver()).to.deep.equal(others)
    const second = await broadcast(test)
    expect(await deliver()).to.deep.equal([])
    expect(await countsOf(second)).to.include({ skipped: 6, pending: 4 })
    // New York's only one is in Honolulu at 8:00 there: half past two in the night.
    await moveTo('Pacific/Honolulu', 1)
    test.clock.advance(HOUR)
    expect(await deliver()).to.deep.equal([])
    test.clock.advance(5 * HOUR)
    expect(await deliver()).to.deep.equal(['token-1'])
    test.clock.advance(5 * HOUR)
    expect(await deliver()).to.deep.equal(['token-0', 'token-3', 'token-6'])
    await expectWhole(first, { accepted: 10 })
    await expectWhole(second, { skipped: 10 })
  })

  it('end as expired what expires before', async () => {
    const id = await broadcast(test, { ttl: 2 * 3600 })
    await deliver()
    test.clock.advance(HOUR)
    expect(await deliver()).to.deep.equal(['token-1'])
    await expectWhole(id, { accepted: 7, pending: 3 })
    test.clock.advance(HOUR)
    expect(await deliver()).to.deep.equal([])
    await expectWhole(id, { accepted: 7, expired: 3 })
    expect((await report(id)).notification.status).to.equal(STATUS.sent)
  })

  it('can be cancelled while somebody is held, and then nobody waits any longer', async () => {
    const id = await broadcast(test)
    await deliver()
    const { program, clock, first } = test
    const parts = { read: program, inTransaction: program.inTransaction, clock }
    await cancelNotification(parts, first.id, id)
    expect(await deliver()).to.deep.equal([])
    await expectWhole(id, { accepted: 6, cancelled: 4 })
    const again = await cancelNotification(parts, first.id, id).catch((error: Error) => error.message)
    expect(again).to.include('already cancelled')
    const sent = await broadcast(test, { priority: 'transactional' })
    expect(await deliver()).to.have.lengthOf(10)
    const refusal = await cancelNotification(parts, first.id, sent).catch((error: Error) => error.message)
    expect(refusal).to.include('already sent')
  })

  it('lose nobody when the worker dies at any transaction, before and after it holds', async () => {
    for (const transactions of [0, 1, 2, 3, 5, 8]) {
      const id = await broadcast(test)
      const { sender } = scriptedSender(() => ACCEPTED)
      const parts = deliveryParts(test, 3)
      let left = transactions
      const { promise: died, resolve: die } = Promise.withResolvers<void>()
      const dying: typeof parts = {
        ...parts,
        inTransaction(work) {
          if (left-- > 0) return parts.inTransaction(work)
          die()
          return new Promise(() => {})
        },
      }
      await Promise.race([died, deliverDue(test, sender, { parts: dying, owner: 'dead' })])
      await recoverPages(deliveryParts(test), { name: 'dead' })
      // A minute later for who is sent to again, then 8:00 in New York and in Tokyo, then noon again.
      for (const wait of [60_000, HOUR, 10 * HOUR]) {
        test.clock.advance(wait)
        await deliver()
      }
      expect(await countsOf(id), `after ${transactions} transactions`).to.include({ accepted: 10, pending: 0 })
      test.clock.advance(13 * HOUR - 60_000)
    }
  })

  it('survive a restart: what is held is in the database', async () => {
    const id = await broadcast(test)
    await deliver()
    const { config, log, vault, db } = test.program.kernel
    const restarted = createProgram({ config, clock: test.clock, log, vault, db })
    test.clock.advance(11 * HOUR)
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue({ ...test, program: restarted }, sender)
    expect(sent.sort()).to.deep.equal(['token-0', 'token-1', 'token-3', 'token-6'])
    await expectWhole(id, { accepted: 10 })
  })

  it('do not slow down what has a rate: who is held keeps nobody waiting', async () => {
    const id = await broadcast(test, { rateLimit: 100 })
    expect(await deliver()).to.deep.equal(others)
    await expectWhole(id, { accepted: 6, pending: 4 })
    expect(await test.program.runs.waiting(id)).to.equal(0)
  })
})
