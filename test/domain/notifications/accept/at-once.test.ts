import { expect } from 'chai'
import { cancelNotification } from '../../../../src/domain/notifications/cancel.ts'
import type { NotificationRequest } from '../../../../src/domain/notifications/request/request.ts'
import { SOURCE, STATUS } from '../../../../src/domain/notifications/types.ts'
import { deliverDue, scriptedSender, withAndroids } from '../../../support/delivery.ts'
import { hear } from '../../../support/hear.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onEachDatabase('a send to a few', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '3' } })
    await withAndroids(test, 5)
    // The first send of an app finds no lane, and makes it.
    await test.program.inTransaction((tx) => tx.gateways.lanes.ensure(test.first.id, 'android', test.clock.now()))
  })
  afterEach(() => test.close())

  const content = { title: 'T', message: 'M', background: false, ios: {}, android: {} }
  const named = (count: number) => ({ userIds: Array.from({ length: count }, (_, i) => `install-${i}`) })
  async function accept(changes: Partial<NotificationRequest> = {}): Promise<number> {
    const request = { targeting: named(1), content, contentPath: 'content', ...changes }
    const { notification } = await test.program.inTransaction((tx) =>
      tx.sends.accept(test.first.id, SOURCE.messages, request),
    )
    return notification!.id
  }
  const stored = async (table: 'runs' | 'pages', id: number) =>
    test.program.kernel.db.read(table).where({ notification_id: id }).orderBy('id')
  const report = (id: number) => test.program.notifications.report(test.first.id, id)
  const send = async () => {
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(test, sender)
    return sent
  }

  for (const [what, targeting, recipients] of [
    ['a user', named(1), 1],
    ['an install', { installIds: ['install-0'] }, 1],
    ['a user and their install', { ...named(1), installIds: ['install-0'] }, 1],
    ['as many users as fit on a page', named(3), 3],
  ] as const) {
    it(`to ${what} has its page when it is accepted, and no run`, async () => {
      const id = await accept({ targeting: targeting as NotificationRequest['targeting'] })
      expect(await stored('runs', id)).to.eql([])
      const [page, ...others] = await stored('pages', id)
      expect(others).to.eql([])
      expect(page).to.include({ state: 'queued', total: recipients })
      expect((await report(id)).notification.status).to.equal(STATUS.queued)
      expect(await send()).to.have.lengthOf(recipients)
      const { notification, counts } = await report(id)
      expect(notification.status).to.equal(STATUS.sent)
      expect(counts).to.include({ audience: recipients, accepted: recipients, pending: 0 })
    })
  }

  for (const [what, changes] of [
    ['to more users than fit on a page', { targeting: named(4) }],
    ['with a schedule', { schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'now' } }],
    ['that is held for a while', { holdMs: 5000 }],
    ['with a rate limit', { rateLimit: 1 }],
    ['to everybody', { targeting: { broadcast: true } }],
    [
      'to a user whose other install is on a gateway that the app does not have',
      { targeting: named(1), elsewhere: true },
    ],
  ] as [string, Partial<NotificationRequest> & { elsewhere?: true }][]) {
    it(`${what} has a run instead`, async () => {
      const { elsewhere, ...request } = changes
      if (elsewhere)
        await test.program.kernel.db.write((trx) =>
          trx('installs')
            .where({ install_id: 'install-1' })
            .update({
              platform: 1,
              user_id: trx('installs').where({ install_id: 'install-0' }).select('user_id'),
            }),
        )
      const id = await accept(request)
      expect(await stored('pages', id)).to.eql([])
      expect(await stored('runs', id)).to.have.lengthOf.at.least(1)
    })
  }

  it('has a run while the database is held: who has the installs at its release gets the push', async () => {
    const { program, clock } = test
    await program.inTransaction((tx) => tx.instance.setHold({ since: clock.now(), reason: 'restored' }))
    const id = await accept()
    expect(await stored('pages', id)).to.eql([])
    expect(await stored('runs', id)).to.have.lengthOf(1)
  })

  it('can be called off until a worker begins it, and then gets nobody', async () => {
    const { program, clock } = test
    const id = await accept({ targeting: named(3) })
    await cancelNotification({ read: program, inTransaction: program.inTransaction, clock }, test.first.id, id)
    expect(await send()).to.eql([])
    const { notification, counts } = await report(id)
    expect(notification.status).to.equal(STATUS.cancelled)
    expect(counts).to.include({ audience: 3, cancelled: 3, pending: 0 })
  })

  it('that is begun where it is claimed ends as it should when it turns out that it cannot be sent', async () => {
    const ids: number[] = []
    for (let i = 0; i < 5; i++) ids.push(await accept({ targeting: { installIds: [`install-${i}`] } }))
    const { db } = test.program.kernel
    await db.write(async (trx) => {
      await trx('installs').where({ install_id: 'install-1' }).update({ subscribed: false })
      await trx('notifications').where({ id: ids[2] }).update({ content: '[' })
      await trx('notifications').where({ id: ids[3] }).update({ expires_at: test.clock.now() })
    })
    const begun: string[] = []
    const end = hear(db, ({ sql }) => {
      if (/^UPDATE pages/i.test(sql)) begun.push(sql)
    })
    expect((await send()).toSorted()).to.eql(['token-0', 'token-4'])
    end()
    expect(begun).to.have.lengthOf.at.least(4)
    const ends = await Promise.all(ids.map(async (id) => (await report(id)).counts))
    for (const counts of ends) expect(counts).to.include({ audience: 1, pending: 0 })
    const [first, gone, unreadable, late, last] = ends
    expect([first!.accepted, gone!.skipped, unreadable!.failed, late!.expired, last!.accepted]).to.eql([1, 1, 1, 1, 1])
    for (const id of ids) expect((await report(id)).notification.status).to.be.oneOf([STATUS.sent, STATUS.failed])
  })

  it('is begun together with others, which keep their own contents, counts and ends', async () => {
    const ids: number[] = []
    for (let i = 0; i < 5; i++) {
      const one = { targeting: { installIds: [`install-${i}`] }, content: { ...content, title: `to ${i}` } }
      ids.push(await accept(one))
    }
    const got: string[] = []
    const { sender } = scriptedSender((token, message) => {
      got.push(`${token} ${message.content.title}`)
      return token === 'token-3' ? { kind: 'token_dead', reason: 'gone' } : { kind: 'accepted' }
    })
    await deliverDue(test, sender)
    expect(got.toSorted()).to.eql([0, 1, 2, 3, 4].map((i) => `token-${i} to ${i}`))
    for (const [i, id] of ids.entries()) {
      const { notification, counts } = await report(id)
      expect(notification.status, String(i)).to.equal(i === 3 ? STATUS.failed : STATUS.sent)
      expect(counts, String(i)).to.include(i === 3 ? { accepted: 0, failed: 1 } : { accepted: 1, failed: 0 })
    }
  })
})
