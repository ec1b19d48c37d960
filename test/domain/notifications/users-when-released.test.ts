import { expect } from 'chai'
import type { Outcome } from '../../../src/domain/gateways/gateway.ts'
import { SOURCE, STATUS } from '../../../src/domain/notifications/types.ts'
import { fanOutDue } from '../../../src/workers/jobs/fan-out.ts'
import { createWake } from '../../../src/workers/jobs/job.ts'
import { deliverDue, fanOut, scriptedSender } from '../../support/delivery.ts'
import { erase } from '../../support/erasures.ts'
import { addGateway } from '../../support/gateways.ts'
import { addInstall, passTo } from '../../support/installs.ts'
import { parse } from '../../support/notification-forms.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const HOUR = 3_600_000
const ACCEPTED: Outcome = { kind: 'accepted' }
const ANN = { id: 1, name: 'ann@example.com' }
const BEN = { id: 2, name: 'ben@example.com' }

onEachDatabase('a push to users that somebody or something holds up', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '2' } })
    await addGateway(test)
  })
  afterEach(() => test.close())

  interface Where {
    timezone?: string
    hour?: number
  }
  async function phone(installId: string, user: string, { timezone, hour }: Where = {}): Promise<void> {
    const row = await addInstall(test.program, test.first.id, installId, { user })
    if (timezone === undefined && hour === undefined) return
    const at = { timezone: timezone ?? null, preferred_hour: hour ?? -1, zone_changed_at: test.clock.now() }
    await test.program.kernel.db.write((sql) => sql('installs').where({ id: row }).update(at))
  }

  const inAnHour = () => {
    const sendAt = new Date(test.clock.now() + HOUR).toISOString().slice(0, 16).replace('T', ' ')
    return { schedule: { sendAt, strategy: 'utc', pastTimes: 'ignore' } }
  }
  const bodyTo = (target: object, extra: object = {}) => ({ target, content: { title: 'T', message: 'M' }, ...extra })

  async function send(target: object, extra: object): Promise<number> {
    const { notification } = await test.program.inTransaction((tx) =>
      tx.sends.accept(test.first.id, SOURCE.messages, parse.messages(bodyTo(target, extra))),
    )
    return notification!.id
  }

  async function deliver(): Promise<string[]> {
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    return sent.map((token) => token.replace('token-', '')).sort()
  }
  async function sendDue(): Promise<string[]> {
    await fanOut(test)
    return deliver()
  }

  const report = (id: number) => test.program.notifications.report(test.first.id, id)

  describe('until a second person approves it', () => {
    const ask = (target: object, extra: object = {}) =>
      test.program.inTransaction((tx) => tx.approvals.ask(test.first.id, bodyTo(target, extra), ANN))
    const approve = (id: number, holdMs = 0) =>
      test.program.inTransaction((tx) => tx.approvals.approve(test.first.id, id, BEN, { holdMs }))

    it('goes to the phones of the moment in which it is sent, not of those in which it was written or approved', async () => {
      await phone('shared', 'anna')
      await phone('kept', 'anna')
      const { id } = await ask({ userIds: ['anna'], excludeInstallIds: ['tablet'] }, inAnHour())
      await passTo(test, 'shared', 'clara')
      await phone('second', 'anna')
      const { accepted } = await approve(id)
      await passTo(test, 'second', 'dora')
      await phone('third', 'anna')
      await phone('tablet', 'anna')
      test.clock.advance(HOUR)
      expect(await sendDue()).to.deep.equal(['kept', 'third'])
      expect((await report(accepted.notification!.id)).counts).to.include({ audience: 2, accepted: 2 })
    })

    it('is looked up again after the time in which it can be called back', async () => {
      await phone('shared', 'anna')
      const { id } = await ask({ userIds: ['anna'] })
      await approve(id, 10_000)
      expect(await sendDue()).to.deep.equal([])
      await passTo(test, 'shared', 'clara')
      await phone('new', 'anna')
      test.clock.advance(10_000)
      expect(await sendDue()).to.deep.equal(['new'])
    })

    it('waits on when nobody has a phone any more, and says who', async () => {
      await phone('shared', 'anna')
      const { id } = await ask({ userIds: ['anna'] })
      await passTo(test, 'shared', 'clara')
      const { approval, accepted } = await approve(id)
      expect([approval.state, accepted.notification]).to.deep.equal(['waiting', null])
      expect(accepted.errors).to.deep.equal({ unsubscribedUserIds: ['anna'] })
      await phone('new', 'anna')
      expect((await approve(id)).approval.state).to.equal('approved')
      expect(await sendDue()).to.deep.equal(['new'])
    })

    it('is not for a person who was erased before it was approved', async () => {
      await phone('gone', 'anna')
      await phone('other', 'ben')
      const { id } = await ask({ userIds: ['anna', 'ben'] })
      expect(await erase(test, 'anna')).to.equal('done')
      const { accepted } = await approve(id)
      expect(accepted.errors).to.deep.equal({ unknownUserIds: ['anna'] })
      expect(await sendDue()).to.deep.equal(['other'])
    })

    it('is tried once with ttl 0, after it was approved and the time to call it back', async () => {
      await phone('phone', 'anna')
      const { id } = await ask({ userIds: ['anna'] }, { ttl: 0 })
      test.clock.advance(20 * HOUR)
      const { accepted } = await approve(id, 60_000)
      test.clock.advance(60_000)
      expect(await sendDue()).to.deep.equal(['phone'])
      expect((await report(accepted.notification!.id)).counts).to.include({ accepted: 1, expired: 0 })
    })
  })

  describe('while the database is held after a restore', () => {
    const hold = (is: boolean) =>
      test.program.inTransaction((tx) =>
        tx.instance.setHold(is ? { since: test.clock.now(), reason: 'a backup was put in its place' } : null),
      )

    /** Takes one look as the loop does; resolves when it waits. */
    async function look(): Promise<void> {
      const stop = new AbortController()
      const wait = async () => stop.abort()
      const wake = { ...createWake(), wait }
      await fanOutDue({ program: test.program, owner: 'test', signal: stop.signal, wake, tick() {} })
    }

    for (const [when, extra] of [
      ['at once', () => ({})],
      ['at a time that passes meanwhile', inAnHour],
    ] as const) {
      it(`goes to the phones of the moment in which it is released (${when})`, async () => {
        await phone('shared', 'anna')
        await phone('kept', 'anna')
        await phone('bens', 'ben')
        const id = await send({ userIds: ['anna', 'ben'], excludeInstallIds: ['tablet'] }, extra())
        await hold(true)
        test.clock.advance(HOUR)
        await look()
        expect(await deliver()).to.deep.equal([])
        await passTo(test, 'shared', 'clara')
        await passTo(test, 'bens', 'anna')
        await phone('new', 'ben')
        await phone('tablet', 'ben')
        await hold(false)
        await look()
        expect(await deliver()).to.deep.equal(['bens', 'kept', 'new'])
        expect((await report(id)).counts).to.include({ audience: 3, accepted: 3, pending: 0 })
      })
    }

    it('is asked about again on pages that were made before', async () => {
      await phone('shared', 'anna')
      await phone('kept', 'anna')
      const id = await send({ userIds: ['anna'] }, {})
      await look()
      await hold(true)
      await passTo(test, 'shared', 'clara')
      await hold(false)
      expect(await deliver()).to.deep.equal(['kept'])
      expect((await report(id)).skips).to.deep.equal([{ reason: 'user_changed', count: 1 }])
    })
  })

  describe('until the hour at which each user is active', () => {
    /** Lets the time pass, due time by due time; who was sent to, with the time of day. */
    async function pass(): Promise<string[]> {
      const sent: string[] = []
      for (
        let next = await test.program.ledger.nextRunAt();
        next !== undefined;
        next = await test.program.ledger.nextRunAt()
      ) {
        test.clock.set(Math.max(next, test.clock.now()))
        const time = new Date(test.clock.now()).toISOString().slice(11, 16)
        for (const name of await sendDue()) sent.push(`${time} ${name}`)
      }
      return sent
    }
    const tomorrow = { schedule: { sendAt: '2026-03-02', strategy: 'intelligent', pastTimes: 'ignore' } }

    for (const [what, target] of [
      ['users', { userIds: ['anna', 'ben'] }],
      ['users and an install', { userIds: ['anna', 'ben'], installIds: ['bens'] }],
    ] as const) {
      it(`goes to the phones that they have at that hour (${what})`, async () => {
        await phone('passed', 'anna', { timezone: 'Europe/Berlin', hour: 9 })
        await phone('kept', 'anna', { timezone: 'Europe/Berlin', hour: 20 })
        await phone('bens', 'ben', { timezone: 'America/New_York', hour: 7 })
        const id = await send({ ...target, excludeInstallIds: ['tablet'] }, tomorrow)
        await passTo(test, 'passed', 'clara')
        await phone('new', 'anna', { timezone: 'Asia/Tokyo', hour: 13 })
        await phone('tablet', 'ben', { timezone: 'Asia/Tokyo', hour: 13 })
        expect(await pass()).to.deep.equal(['04:00 new', '12:00 bens', '19:00 kept'])
        const { counts, notification } = await report(id)
        expect(counts).to.include({ audience: 3, accepted: 3, pending: 0 })
        expect(notification.status).to.equal(STATUS.sent)
      })
    }

    it('reaches a phone that passes to them between two hours, and no phone twice', async () => {
      await phone('early', 'anna', { timezone: 'Asia/Tokyo', hour: 9 })
      await phone('late', 'ben', { timezone: 'America/New_York', hour: 20 })
      await phone('borrowed', 'clara', { timezone: 'Asia/Tokyo', hour: 9 })
      const id = await send({ userIds: ['anna', 'ben'] }, tomorrow)
      // Nine in Tokyo.
      test.clock.set(Date.parse('2026-03-02T00:00:00Z'))
      expect(await sendDue()).to.deep.equal(['early'])
      test.clock.advance(HOUR)
      await passTo(test, 'borrowed', 'anna')
      // Nothing is known of when he is active, so this phone is due again, at the usual hour.
      await passTo(test, 'early', 'ben')
      // Its hour has passed: it would have had it only if it had been there.
      await phone('new', 'anna', { timezone: 'Asia/Tokyo', hour: 9 })
      const sent = (await pass()).map((one) => one.slice(6)).sort()
      expect(sent).to.deep.equal(['borrowed', 'late'])
      expect((await report(id)).counts).to.include({ audience: 3, accepted: 3, pending: 0 })
    })
  })
})
