import { expect } from 'chai'
import type { Outcome } from '../../../src/domain/gateways/gateway.ts'
import { stepRun } from '../../../src/domain/notifications/fan-out/step.ts'
import { SOURCE, STATUS } from '../../../src/domain/notifications/types.ts'
import { Unreadable } from '../../../src/platform/values/unreadable.ts'
import { deliverDue, fanOut, scriptedSender } from '../../support/delivery.ts'
import { erase } from '../../support/erasures.ts'
import { addGateway } from '../../support/gateways.ts'
import { accept, addTemplates, handOut } from '../../support/in-app.ts'
import { addInstall, passTo } from '../../support/installs.ts'
import { FORMS, type Form, parse } from '../../support/notification-forms.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const HOUR = 3_600_000
const ACCEPTED: Outcome = { kind: 'accepted' }
const SOURCES = { messages: SOURCE.messages, push: SOURCE.push, legacy: SOURCE.legacy }

/** A body of a form, due in an hour unless it is sent at once. */
function bodyOf(form: Form, target: object, sendAt: string | null): object {
  const schedule = sendAt === null ? {} : { schedule: { sendAt, strategy: 'utc', pastTimes: 'ignore' } }
  if (form === 'legacy') return { ...target, title: 'T', message: 'M', scheduled: sendAt !== null, ...schedule }
  return { target, content: { title: 'T', message: 'M' }, ...schedule }
}

onEachDatabase('a push to users', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(() => open())
  afterEach(() => test.close())

  async function open(pageSize = '1000'): Promise<void> {
    test = await openShared({ settings: { 'delivery.pageSize': pageSize } })
    await addGateway(test)
  }

  const phone = (installId: string, user?: string) =>
    addInstall(test.program, test.first.id, installId, user === undefined ? {} : { user })

  interface How {
    form?: Form
    later?: boolean
    extra?: object
  }
  async function send(target: object, { form = 'messages', later = true, extra = {} }: How = {}) {
    const { program, clock, first } = test
    const sendAt = new Date(clock.now() + HOUR).toISOString().slice(0, 16).replace('T', ' ')
    const body = { ...bodyOf(form, target, later ? sendAt : null), ...extra }
    const found = await program.inTransaction((tx) => tx.sends.accept(first.id, SOURCES[form], parse[form](body)))
    return { id: found.notification!.id, errors: found.errors }
  }

  async function deliver(answer: (token: string) => Outcome = () => ACCEPTED): Promise<string[]> {
    const { sender, sent } = scriptedSender(answer)
    await deliverDue(test, sender)
    return sent.map((token) => token.replace('token-', '')).sort()
  }

  async function due(answer?: (token: string) => Outcome): Promise<string[]> {
    test.clock.advance(HOUR)
    await fanOut(test)
    return deliver(answer)
  }

  const report = (id: number) => test.program.notifications.report(test.first.id, id)

  for (const form of FORMS) {
    it(`goes to the phones that they use when it is sent, not when it was accepted (${form})`, async () => {
      await phone('shared', 'anna')
      await phone('old', 'anna')
      await phone('other', 'ben')
      const { id, errors } = await send({ userIds: ['anna', 'nobody'] }, { form })
      expect(errors).to.deep.equal({ unknownUserIds: ['nobody'] })
      await passTo(test, 'shared', 'clara')
      await phone('new', 'anna')
      await passTo(test, 'other', 'anna')
      expect(await due()).to.deep.equal(['new', 'old', 'other'])
      const { counts, notification } = await report(id)
      expect(counts).to.include({ audience: 3, accepted: 3, skipped: 0 })
      expect(notification.status).to.equal(STATUS.sent)
    })

    it(`leaves out an excluded phone that registers only after it was accepted (${form})`, async () => {
      await phone('phone', 'anna')
      const { id } = await send({ userIds: ['anna'], excludeInstallIds: ['tablet', 'never'] }, { form })
      const toAll = await send({ broadcast: true, excludeInstallIds: ['tablet', 'phone'] }, { form })
      await phone('tablet', 'anna')
      await phone('stranger')
      expect(await due()).to.deep.equal(['phone', 'stranger'])
      expect((await report(id)).counts.audience).to.equal(1)
      expect((await report(toAll.id)).counts.audience).to.equal(1)
    })
  }

  it('ends when none of them has a phone any more', async () => {
    await phone('shared', 'anna')
    const { id } = await send({ userIds: ['anna'] })
    await passTo(test, 'shared', 'clara')
    expect(await due()).to.deep.equal([])
    const { counts, notification } = await report(id)
    expect(counts.audience).to.equal(0)
    expect(notification).to.include({ status: STATUS.failed, statusReason: 'nobody is subscribed' })
  })

  it('leaves out users who were unknown or unsubscribed when it was accepted, as it said', async () => {
    await phone('phone', 'anna')
    await addInstall(test.program, test.first.id, 'mute', { user: 'ben', subscribed: false })
    const { errors } = await send({ userIds: ['anna', 'ben', 'clara'] })
    expect(errors).to.deep.equal({ unknownUserIds: ['clara'], unsubscribedUserIds: ['ben'] })
    await phone('loud', 'ben')
    await phone('hers', 'clara')
    expect(await due()).to.deep.equal(['phone'])
  })

  it('reaches a named install whoever uses it, and each install once', async () => {
    await phone('a', 'anna')
    await phone('b', 'ben')
    const { id } = await send({ installIds: ['a', 'b'], userIds: ['anna', 'ben'] })
    await passTo(test, 'b', 'clara')
    await phone('c', 'ben')
    expect(await due()).to.deep.equal(['a', 'b', 'c'])
    expect((await report(id)).counts.audience).to.equal(3)
  })

  it('skips a phone that passes to somebody else while it waits to be sent', async () => {
    await phone('a', 'anna')
    await phone('b', 'ben')
    const { id } = await send({ userIds: ['anna', 'ben'] }, { later: false })
    await fanOut(test)
    await passTo(test, 'a', 'clara')
    expect(await deliver()).to.deep.equal(['b'])
    const { counts, skips } = await report(id)
    expect(counts).to.include({ audience: 2, accepted: 1, skipped: 1 })
    expect(skips).to.deep.equal([{ reason: 'user_changed', count: 1 }])
  })

  it('reaches a phone that passes to another user who is named as well', async () => {
    await phone('a', 'anna')
    await phone('b', 'ben')
    await send({ userIds: ['anna', 'ben'] }, { later: false })
    await fanOut(test)
    await passTo(test, 'a', 'ben')
    expect(await deliver()).to.deep.equal(['a', 'b'])
  })

  it('skips a phone that passes to somebody else before a retry', async () => {
    await phone('a', 'anna')
    const { id } = await send({ userIds: ['anna'] }, { later: false })
    await fanOut(test)
    expect(await deliver(() => ({ kind: 'throttled_recipient', reason: 'TooMany', afterMs: 1000 }))).to.deep.equal([
      'a',
    ])
    await passTo(test, 'a', 'clara')
    test.clock.advance(2000)
    expect(await deliver()).to.deep.equal([])
    expect((await report(id)).skips).to.deep.equal([{ reason: 'user_changed', count: 1 }])
  })

  it('reaches each phone once when phones change hands between two steps', async () => {
    await test.close()
    await open('2')
    const names = ['anna', 'ben', 'clara', 'dora', 'emil', 'fred']
    for (const name of names) await phone(name, name)
    // Between two steps, the phone that the first one found passes to a user of the last.
    const { id } = await send({ userIds: names }, { later: false })
    const { program } = test
    const [run] = await program.ledger.dueRuns(test.clock.now(), 1)
    await stepRun({ read: program, inTransaction: (work) => program.inTransaction(work) }, run!)
    await passTo(test, 'anna', 'fred')
    await passTo(test, 'fred', 'clara')
    await fanOut(test)
    expect(await deliver()).to.deep.equal(names)
    expect((await report(id)).counts).to.include({ audience: 6, accepted: 6, skipped: 0 })
  })

  it('reaches whoever is in a union once, by the people at the moment', async () => {
    await test.close()
    await open('2')
    const { program, first } = test
    const filter = { field: 'identifier', op: 'known', value: true }
    const { uuid } = await program.inTransaction((tx) => tx.segments.create(first.id, { name: 'known', filter }))
    // Rows in no order: the named ones come first, and higher than those of the segment.
    for (const name of ['s1', 's2', 's3']) await phone(name, `u-${name}`)
    for (const name of ['a', 'b', 'c', 'd']) await phone(name, name)
    await phone('stranger')
    const target = { segmentUuid: uuid, userIds: ['a', 'b', 'c'], installIds: ['d'] }
    const { id } = await send(target, { form: 'push' })
    expect(await due()).to.deep.equal(['a', 'b', 'c', 'd', 's1', 's2', 's3'])
    expect((await report(id)).counts.audience).to.equal(7)
    const counted = await program.audience.count(first.id, (await program.ledger.walked(first.id, id))!.target)
    expect(counted.platforms.android).to.equal(7)
  })

  it('reaches new phones of a user in their own zones, and none of those that are gone', async () => {
    const { program, clock, first } = test
    await phone('home', 'anna')
    await phone('away', 'anna')
    const at = (installId: string, timezone: string) =>
      program.kernel.db.write((sql) => sql('installs').where({ install_id: installId }).update({ timezone }))
    await at('home', 'Europe/Berlin')
    await at('away', 'America/New_York')
    const sendAt = new Date(clock.now() + 24 * HOUR).toISOString().slice(0, 10)
    const schedule = { sendAt: `${sendAt} 23:00`, strategy: 'local', pastTimes: 'ignore' }
    const body = { target: { userIds: ['anna'] }, content: { title: 'T', message: 'M' }, schedule }
    const { notification } = await program.inTransaction((tx) =>
      tx.sends.accept(first.id, SOURCE.messages, parse.messages(body)),
    )
    await passTo(test, 'away', 'clara')
    await phone('tokyo', 'anna')
    await at('tokyo', 'Asia/Tokyo')
    const order: string[] = []
    for (let next = await program.ledger.nextRunAt(); next !== undefined; next = await program.ledger.nextRunAt()) {
      clock.set(Math.max(next, clock.now()))
      await fanOut(test)
      order.push(...(await deliver()))
    }
    expect(order).to.deep.equal(['tokyo', 'home'])
    expect((await report(notification!.id)).counts).to.include({ audience: 2, accepted: 2 })
  })

  it('is not sent to an anonymous user whose install belongs to a person by then', async () => {
    await phone('quiet')
    await phone('signs-in')
    await send({ userIds: ['quiet', 'signs-in'] })
    await passTo(test, 'signs-in', 'anna')
    expect(await due()).to.deep.equal(['quiet'])
  })

  it('is not sent to a person who was erased, nor to whoever comes under the same name', async () => {
    await phone('old', 'anna')
    await phone('other', 'ben')
    const { id } = await send({ userIds: ['anna', 'ben'], excludeInstallIds: ['new'] })
    expect(await erase(test, 'anna')).to.equal('done')
    await phone('again', 'anna')
    expect(await due()).to.deep.equal(['other'])
    const { notification, counts } = await report(id)
    expect(counts.audience).to.equal(1)
    expect(notification.filters).to.deep.equal({ userIds: ['ben'], excludeInstallIds: ['new'] })
  })

  it('keeps nobody on the erasure list although its filters cannot be read', async () => {
    await phone('old', 'anna')
    await phone('other', 'ben')
    const { id } = await send({ userIds: ['anna', 'ben'] })
    await test.program.kernel.db.write((sql) =>
      sql('notifications').where({ id }).update({ filters: '{"userIds":["anna"' }),
    )
    expect(await erase(test, 'anna')).to.equal('done')
    const stored = await test.program.kernel.db.read('notifications').where({ id }).first('filters')
    expect(stored.filters).to.equal('{}')
  })

  it('ends when it cannot be read who is excluded', async () => {
    await phone('a', 'anna')
    const { id } = await send({ userIds: ['anna'], excludeInstallIds: ['tablet'] })
    await test.program.kernel.db.write((sql) => sql('notifications').where({ id }).update({ filters: '{' }))
    test.clock.advance(HOUR)
    const [run] = await test.program.ledger.dueRuns(test.clock.now(), 1)
    const step = stepRun({ read: test.program, inTransaction: (work) => test.program.inTransaction(work) }, run!)
    const error = await step.then(String, (thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(Unreadable)
    expect(await deliver()).to.deep.equal([])
  })

  it('asks who uses each phone again while a rate limit lets few through', async () => {
    for (const name of ['a', 'b', 'c']) await phone(name, `user-${name}`)
    const extra = { rateLimit: 1 }
    const { id } = await send({ userIds: ['user-a', 'user-b', 'user-c'] }, { later: false, extra })
    await fanOut(test)
    expect(await deliver()).to.deep.equal(['a'])
    await passTo(test, 'c', 'stranger')
    const sent: string[] = []
    for (let second = 0; second < 6; second++) {
      test.clock.advance(1000)
      sent.push(...(await deliver()))
    }
    expect(sent).to.deep.equal(['b'])
    expect((await report(id)).skips).to.deep.equal([{ reason: 'user_changed', count: 1 }])
  })

  it('skips a phone that passes to somebody else in quiet hours that hold', async () => {
    const { program, first, clock } = test
    await phone('a', 'anna')
    await phone('b', 'ben')
    const minute = Math.floor(clock.now() / 60_000) % 1440
    const quiet = { from: (minute + 1430) % 1440, to: (minute + 60) % 1440, hold: true as const }
    await program.inTransaction((tx) => tx.apps.restrain(first.id, { quiet }))
    const { id } = await send({ userIds: ['anna', 'ben'] }, { later: false })
    await fanOut(test)
    expect(await deliver()).to.deep.equal([])
    await passTo(test, 'a', 'clara')
    clock.advance(HOUR)
    expect(await deliver()).to.deep.equal(['b'])
    expect((await report(id)).skips).to.deep.equal([{ reason: 'user_changed', count: 1 }])
  })

  it('announces an in-app message only to phones whose user has it', async () => {
    const { program, first, clock } = test
    await addTemplates(test)
    for (const name of ['anna', 'ben']) {
      const row = await phone(name, name)
      await program.inTransaction((tx) =>
        tx.crm.setInAppEnabled(first.id, { row, installId: name }, name, true, clock.now()),
      )
    }
    const notification = { title: 'T', message: 'M' }
    const { message } = await accept(test, { target: { userIds: ['anna', 'ben'] }, notification })
    await handOut(test)
    await passTo(test, 'anna', 'clara')
    expect(await deliver()).to.deep.equal(['ben'])
    expect((await report(message!.notificationId!)).skips).to.deep.equal([{ reason: 'user_changed', count: 1 }])
  })

  it('leaves out a user whose only install was excluded before it registered, from an in-app message too', async () => {
    const { program, first, clock } = test
    await addTemplates(test)
    const row = await phone('first', 'anna')
    const enable = (of: string, at: number) =>
      program.inTransaction((tx) =>
        tx.crm.setInAppEnabled(first.id, { row: at, installId: of }, 'anna', true, clock.now()),
      )
    await enable('first', row)
    const notification = { title: 'T', message: 'M' }
    const sendAt = new Date(clock.now() + HOUR).toISOString().slice(0, 16).replace('T', ' ')
    const schedule = { sendAt, strategy: 'utc', pastTimes: 'ignore' }
    const target = { userIds: ['anna'], excludeInstallIds: ['tablet'] }
    const { message } = await accept(test, { target, notification, schedule })
    await phone('tablet', 'anna')
    await passTo(test, 'first', 'clara')
    clock.advance(HOUR)
    await handOut(test)
    expect(await deliver()).to.deep.equal([])
    expect((await program.inAppMessages.find(first.id, message!.id))!.excluded).to.equal(1)
  })
})
