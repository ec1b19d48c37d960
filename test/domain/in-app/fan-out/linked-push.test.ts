import { expect } from 'chai'
import { buildApnsHeaders, buildApnsPayload } from '../../../../src/domain/gateways/apns/payload.ts'
import { stepMessage } from '../../../../src/domain/in-app/fan-out/step.ts'
import { STATUS as IN_APP } from '../../../../src/domain/in-app/types.ts'
import { withdrawMessage } from '../../../../src/domain/in-app/withdraw.ts'
import { cancelNotification } from '../../../../src/domain/notifications/cancel.ts'
import { SOURCE, STATUS } from '../../../../src/domain/notifications/types.ts'
import { collect } from '../../../../src/platform/concurrency/chunks.ts'
import { deliverDue, fanOut, scriptedSender } from '../../../support/delivery.ts'
import { addGateway } from '../../../support/gateways.ts'
import { accept, addTemplates, addUser, handOut, holders } from '../../../support/in-app.ts'
import { addInstall } from '../../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const ANNOUNCED = { notification: { title: 'News', message: 'Look inside' } }

/** Either may win; each round shows that the other fits. */
const RACES = 10

onEachDatabase('the push that announces an in-app message', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await addTemplates(test)
    await addGateway(test)
    await addUser(test, 'ann', { subscribed: true })
    await addUser(test, 'bob', { subscribed: true })
    await addUser(test, 'mute')
    await addUser(test, 'off', { subscribed: true, enabled: false })
  })
  afterEach(() => test.close())

  const report = (id: number) => test.program.inApp.report(test.first.id, id)
  const pushOf = async (id: number) => {
    const { push } = await report(id)
    return test.program.notifications.report(test.first.id, push!.id)
  }

  /** Accepts a message and hands out what is due. */
  async function send(extra: object = {}): Promise<{ id: number; pushId: number }> {
    const { message } = await accept(test, { ...ANNOUNCED, ...extra })
    await handOut(test)
    return { id: message!.id, pushId: message!.notificationId! }
  }

  async function deliver(): Promise<string[]> {
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await deliverDue(test, sender)
    return sent.sort()
  }

  it('leaves out the excluded installs of users who get the message', async () => {
    await addInstall(test.program, test.first.id, 'ann-tablet', { user: 'ann' })
    const { id } = await send({ target: { userIds: ['ann', 'bob'], excludeInstallIds: ['ann-phone', 'bob-phone'] } })
    expect(await holders(test, id)).to.deep.equal(['ann'])
    expect(await deliver()).to.deep.equal(['token-ann-tablet'])
  })

  it('goes to the subscribed installs of exactly those who got the message', async () => {
    const { id } = await send()
    expect(await holders(test, id)).to.deep.equal(['ann', 'bob', 'mute'])
    expect(await deliver()).to.deep.equal(['token-ann-phone', 'token-bob-phone'])
    const { notification, counts } = await pushOf(id)
    expect(notification).to.deep.include({
      source: SOURCE.inApp,
      status: STATUS.sent,
      filters: { broadcast: true },
      content: { ...ANNOUNCED.notification, background: false, inAppMessageId: id, ios: {}, android: {} },
    })
    expect(counts).to.include({ audience: 2, accepted: 2 })
    expect((await report(id)).push).to.deep.include({ status: STATUS.sent })
  })

  it('carries the message id and replaces earlier copies on the device', async () => {
    const { id, pushId } = await send({
      notification: {
        ...ANNOUNCED.notification,
        ios: { media: { pictureUrl: 'https://example.com/ios.png' } },
        android: { pictureUrl: 'https://example.com/android.png' },
      },
    })
    const { content } = await test.program.notifications.get(test.first.id, pushId)
    const message = {
      content: { ...content, notificationId: pushId },
      expiresAt: test.clock.now(),
      replacementKey: 'n1',
    }
    expect(content.android).to.deep.equal({ pictureUrl: 'https://example.com/android.png' })
    const payload = buildApnsPayload(message.content)
    expect(payload.aps).to.include({ 'content-available': 1 })
    expect(payload.custom?.a).to.deep.include({ 'k.deepLink': { type: 1, data: { id } } })
    expect(payload.attachments).to.deep.equal({ pictureUrl: 'https://example.com/ios.png' })
    expect(buildApnsHeaders(message)['apns-collapse-id']).to.equal(`k-in-app-message:${id}`)
  })

  it('is open until the fan-out of the message is finished, and closes when the last push is sent', async () => {
    const { message } = await accept(test, ANNOUNCED)
    const pushId = message!.notificationId!
    await test.program.inTransaction((tx) => tx.fanOut.finish(test.first.id, [pushId]))
    expect((await test.program.notifications.get(test.first.id, pushId)).status).to.equal(STATUS.queued)
    expect(await test.program.ledger.nextRunAt()).to.equal(undefined)
    await handOut(test)
    expect((await test.program.notifications.get(test.first.id, pushId)).status).to.equal(STATUS.sending)
    await deliver()
    expect((await test.program.notifications.get(test.first.id, pushId)).status).to.equal(STATUS.sent)
  })

  it('fails when nobody who got the message is subscribed, and the message does not', async () => {
    const { id } = await send({ target: { userIds: ['mute'] } })
    expect((await report(id)).message.status).to.equal(IN_APP.sent)
    expect((await pushOf(id)).notification).to.include({ status: STATUS.failed, statusReason: 'nobody is subscribed' })
  })

  it('follows the schedule of the message', async () => {
    const schedule = { sendAt: '2026-03-01 15:00', strategy: 'utc', pastTimes: 'ignore' }
    const { id, pushId } = await send({ schedule })
    expect(await deliver()).to.deep.equal([])
    const [upcoming] = await collect(test.program.notifications.upcoming(test.first.id, 10))
    expect(upcoming!.notification.id).to.equal(pushId)
    expect(upcoming!.nextAt).to.equal(Date.parse('2026-03-01T15:00:00Z'))
    test.clock.set(Date.parse('2026-03-01T15:00:00Z'))
    await handOut(test)
    expect(await deliver()).to.deep.equal(['token-ann-phone', 'token-bob-phone'])
    expect((await pushOf(id)).notification.status).to.equal(STATUS.sent)
  })

  it('is not sent when it would be too late; the message is', async () => {
    const { id } = await send({ schedule: { sendAt: '2026-03-01 15:00', strategy: 'utc', pastTimes: 'ignore' } })
    test.clock.set(Date.parse('2026-03-02T15:00:00Z'))
    await handOut(test)
    expect(await deliver()).to.deep.equal([])
    expect((await report(id)).message).to.include({ status: IN_APP.sent, recipients: 3 })
    expect((await pushOf(id)).counts).to.include({ audience: 2, expired: 2 })
  })

  it('goes to users who are due now, when the same walk also covers users who were due long ago', async () => {
    await addUser(test, 'tokyo', { subscribed: true, timezone: 'Asia/Tokyo' })
    await addUser(test, 'berlin', { subscribed: true, timezone: 'Europe/Berlin' })
    const { id } = await send({ schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    test.clock.set(Date.parse('2026-03-02T08:30:00Z'))
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal(['berlin', 'tokyo'])
    expect(await deliver()).to.deep.equal(['token-berlin-phone'])
    expect((await pushOf(id)).counts).to.include({ audience: 2, accepted: 1, expired: 1 })
  })

  it('obeys quiet hours and frequency cap; the message does not', async () => {
    await addUser(test, 'tokyo', { subscribed: true, timezone: 'Asia/Tokyo' })
    await test.program.inTransaction((tx) =>
      tx.apps.restrain(test.first.id, { quiet: { from: 20 * 60, to: 8 * 60 }, cap: { count: 1, hours: 24 } }),
    )
    const first = await send()
    expect(await deliver()).to.deep.equal(['token-ann-phone', 'token-bob-phone'])
    expect((await pushOf(first.id)).skips).to.deep.equal([{ reason: 'quiet_hours', count: 1 }])
    const second = await send()
    expect(await deliver()).to.deep.equal([])
    expect((await pushOf(second.id)).counts).to.include({ audience: 3, skipped: 3 })
    for (const { id } of [first, second]) expect((await report(id)).message.recipients).to.equal(4)
  })

  it('lives no longer than the message, and no longer than any push', async () => {
    const hour = 3_600_000
    const expiry = async (extra: object) => {
      const { pushId } = await send(extra)
      const page = await test.program.kernel.db.read('pages').where({ notification_id: pushId }).first('expires_at')
      return (page.expires_at - test.clock.now()) / hour
    }
    expect(await expiry({ ttl: { expiresIn: 3, units: 'h' } })).to.equal(3)
    expect(await expiry({ ttl: { expiresIn: 30, units: 'd' } })).to.equal(24)
  })

  it('can be cancelled by itself: the message goes on', async () => {
    const { program, clock, first } = test
    const { id, pushId } = await send({
      schedule: { sendAt: '2026-03-01 15:00', strategy: 'utc', pastTimes: 'ignore' },
    })
    await cancelNotification({ read: program, inTransaction: program.inTransaction, clock }, first.id, pushId)
    clock.set(Date.parse('2026-03-01T15:00:00Z'))
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal(['ann', 'bob', 'mute'])
    expect(await deliver()).to.deep.equal([])
    expect((await pushOf(id)).notification.status).to.equal(STATUS.cancelled)
    expect((await pushOf(id)).counts.audience).to.equal(0)
  })

  it('cannot be cancelled by itself once the last walk of the message began', async () => {
    const { program, clock, first } = test
    const { pushId } = await send()
    const refused = await cancelNotification(
      { read: program, inTransaction: program.inTransaction, clock },
      first.id,
      pushId,
    )
      .then(() => undefined)
      .catch((error: Error) => error.message)
    expect(refused).to.equal(`notification ${pushId} is already being sent`)
  })

  it('gets no pages from a step that was read before it was cancelled', async () => {
    const { program, clock, first } = test
    const { message } = await accept(test, ANNOUNCED)
    const ready = await program.inAppFanOut.read((await program.inAppFanOut.open(message!.id))!)
    await cancelNotification(
      { read: program, inTransaction: program.inTransaction, clock },
      first.id,
      message!.notificationId!,
    )
    expect(await program.inTransaction((tx) => tx.inAppFanOut.store(ready))).to.equal('done')
    expect(await holders(test, message!.id)).to.deep.equal(['ann', 'bob', 'mute'])
    expect((await pushOf(message!.id)).counts.audience).to.equal(0)
  })

  it('goes with its app', async () => {
    const { program, first } = test
    await send()
    await program.inTransaction((tx) => tx.apps.delete(first.id))
    for (const table of ['in_app_messages', 'user_messages', 'notifications', 'runs']) {
      expect(await program.kernel.db.read(table).first(), table).to.equal(undefined)
    }
  })

  describe('of a message that is withdrawn', () => {
    const withdraw = (id: number, appId = test.first.id) => {
      const { program, clock } = test
      return withdrawMessage({ read: program, inTransaction: program.inTransaction, clock }, appId, id)
    }

    it('is not sent any more', async () => {
      const { id } = await send()
      await withdraw(id)
      expect(await deliver()).to.deep.equal([])
      expect((await report(id)).message).to.include({
        status: IN_APP.withdrawn,
        withdrawnAt: test.clock.now(),
        recipients: 3,
      })
      expect((await pushOf(id)).notification).to.include({
        status: STATUS.cancelled,
        statusReason: 'its in-app message was withdrawn',
      })
      expect((await pushOf(id)).counts).to.include({ audience: 2, cancelled: 2 })
    })

    it('stays sent when it was', async () => {
      const { id } = await send()
      await deliver()
      await withdraw(id)
      expect((await pushOf(id)).notification.status).to.equal(STATUS.sent)
    })

    it('goes to nobody if it is withdrawn before it is due', async () => {
      const { program, clock } = test
      const { id } = await send({ schedule: { sendAt: '2026-03-01 15:00', strategy: 'utc', pastTimes: 'ignore' } })
      await withdraw(id)
      clock.set(Date.parse('2026-03-01T15:00:00Z'))
      await handOut(test)
      expect(await stepMessage({ read: program, inTransaction: program.inTransaction }, id)).to.equal('lost')
      expect(await holders(test, id)).to.deep.equal([])
      expect(await deliver()).to.deep.equal([])
    })

    it('changes nothing the second time, and there must be such a message', async () => {
      const { id } = await send()
      await withdraw(id)
      const before = (await report(id)).message
      test.clock.advance(5000)
      await withdraw(id)
      expect((await report(id)).message).to.deep.equal(before)
      const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
      for (const [wrong, appId] of [
        [id + 1, test.first.id],
        [id, other.id],
      ] as const) {
        const refused = await withdraw(wrong, appId).catch((error: Error) => error)
        expect(refused).to.include({ code: 'not_found', message: `there is no in-app message ${wrong}` })
      }
    })

    it('has a whole step or nothing of it when both happen at once', async () => {
      const { program } = test
      for (let round = 0; round < RACES; round++) {
        const { message } = await accept(test, ANNOUNCED)
        const { id } = message!
        await Promise.all([stepMessage({ read: program, inTransaction: program.inTransaction }, id), withdraw(id)])
        const { message: after, push } = await report(id)
        expect(after).to.include({ status: IN_APP.withdrawn, nextAt: null })
        const isGiven = after.recipients > 0
        expect(await holders(test, id)).to.have.length(isGiven ? 3 : 0)
        expect(push!.counts.audience).to.equal(isGiven ? 2 : 0)
        expect(push!.status).to.equal(STATUS.cancelled)
        expect(await deliver()).to.deep.equal([])
      }
    })

    it('is waited for while a request is in flight', async () => {
      const { id } = await send()
      const answer = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      const { sender } = scriptedSender(async () => {
        begun.resolve()
        await answer.promise
        return { kind: 'accepted' }
      })
      const delivery = deliverDue(test, sender)
      await begun.promise
      let isWithdrawn = false
      const withdrawn = withdraw(id).then(() => {
        isWithdrawn = true
      })
      await new Promise((resolve) => setImmediate(resolve))
      expect(isWithdrawn).to.equal(false)
      answer.resolve()
      await Promise.all([delivery, withdrawn])
      expect(isWithdrawn).to.equal(true)
    })
  })
})
