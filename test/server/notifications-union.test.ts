import { expect } from 'chai'
import { deliverDue, fanOut, scriptedSender } from '../support/delivery.ts'
import { addGateway } from '../support/gateways.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onSqliteDaily } from '../support/program.ts'

type Json = Record<string, unknown>

const FORMS = {
  push: { path: '/push/v2/notifications', status: 202 },
  legacy: { path: '/push/notifications', status: 201 },
} as const

onSqliteDaily('a target of several groups', (kind) => {
  let test: TestServer
  let channelId: number
  before(async () => {
    // Pages of two: a walk takes several steps.
    test = await openTestServer({ kind, settings: { 'delivery.pageSize': '2' } })
  })
  beforeEach(async () => {
    await test.startOver()
    const { program, first } = test
    await addGateway(test)
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await addInstall(program, first.id, id, { user: `user-${id}` })
    await addInstall(program, first.id, 'quiet', { subscribed: false })
    await program.inTransaction(async (tx) => {
      const channel = await tx.channels.create(first.id, { uuid: 'news', name: 'News' })
      channelId = channel.id
      const installIds = ['b', 'c', 'd', 'quiet']
      await tx.subscriptions.changeSubscribers(first.id, channelId, { installIds }, { subscribe: true, all: true })
    })
  })
  after(() => test.close())

  /** Sends through a form; the record and the errors, wherever the form has them. */
  async function send(form: keyof typeof FORMS, target: Json, more: Json = {}) {
    const { path, status } = FORMS[form]
    const texts = { title: 'T', message: 'M' }
    const body = form === 'push' ? { target, content: texts, ...more } : { ...target, ...texts, ...more }
    const answer = await test.call('POST', path, { body })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(status)
    const { notification = answer.body, errors } = answer.body as { notification?: Json; errors?: Json }
    return { notification: notification as { id: number; filters: Json }, errors }
  }

  /** Everybody who is sent to now, sorted. */
  async function sentTo(): Promise<string[]> {
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await deliverDue(test, sender)
    return sent.map((token) => token.replace('token-', '')).sort()
  }
  const reportOf = (id: number) => test.program.notifications.report(test.first.id, id)

  for (const form of ['push', 'legacy'] as const) {
    describe(`in the ${form} form`, () => {
      it('means whoever is in one of them, each install once', async () => {
        const target = { installIds: ['a', 'b'], userIds: ['user-c'], channelUuids: ['news'], channelIds: [channelId] }
        const { notification, errors } = await send(form, target)
        expect([notification.filters, errors]).to.deep.equal([target, undefined])
        expect(await sentTo()).to.deep.equal(['a', 'b', 'c', 'd'])
        const { counts, notification: after } = await reportOf(notification.id)
        expect([counts.audience, counts.accepted, after.status]).to.deep.equal([4, 4, 3])
      })

      it('means everybody when everybody is one of them', async () => {
        await send(form, { broadcast: true, installIds: ['a'], channelUuids: ['news'] })
        expect(await sentTo()).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f'])
      })

      it('leaves the excluded out of all of them', async () => {
        await send(form, { installIds: ['a', 'b'], channelUuids: ['news'], excludeInstallIds: ['b', 'c'] })
        expect(await sentTo()).to.deep.equal(['a', 'd'])
        await send(form, { broadcast: true, userIds: ['user-a'], excludeInstallIds: ['a', 'b', 'c'] })
        expect(await sentTo()).to.deep.equal(['d', 'e', 'f'])
      })

      it('is accepted when nobody of those named can be reached, as long as there is another group', async () => {
        const target = { installIds: ['nobody', 'quiet'], userIds: ['noone'], channelUuids: ['news'] }
        const { errors } = await send(form, target)
        if (form === 'push') {
          expect(errors).to.deep.equal({
            unknownInstallIds: ['nobody'],
            unsubscribedInstallIds: ['quiet'],
            unknownUserIds: ['noone'],
          })
        }
        expect(await sentTo()).to.deep.equal(['b', 'c', 'd'])
      })

      it('reaches everybody at their own local time, once', async () => {
        const zones: [string, string[]][] = [
          ['Asia/Tokyo', ['a', 'b']],
          ['Europe/Berlin', ['c', 'd', 'e']],
        ]
        for (const [timezone, ids] of zones) {
          await test.program.kernel.db.write((trx) =>
            trx('installs').whereIn('install_id', ids).update({ timezone, zone_changed_at: 0 }),
          )
        }
        const schedule = { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' }
        const more = form === 'push' ? { schedule } : { scheduled: true, schedule }
        const target = { installIds: ['a', 'e'], channelUuids: ['news'] }
        const { notification } = await send(form, target, more)
        const sent: string[] = []
        for (;;) {
          const next = await test.program.ledger.nextRunAt()
          if (next === undefined) break
          test.clock.set(Math.max(next, test.clock.now()))
          const now = await sentTo()
          if (now.length > 0) sent.push(`${new Date(test.clock.now()).toISOString().slice(11, 16)} ${now.join(' ')}`)
        }
        expect(sent).to.deep.equal(['00:00 a b', '08:00 c d e'])
        expect((await reportOf(notification.id)).counts).to.include({ audience: 5, accepted: 5 })
      })

      it('is refused for a channel that there is not', async () => {
        const target = { installIds: ['a'], channelUuids: ['nope'] }
        const body =
          form === 'push' ? { target, content: { title: 'T', message: 'M' } } : { ...target, title: 'T', message: 'M' }
        const answer = await test.call('POST', FORMS[form].path, { body })
        expect(answer.status).to.equal(422)
        expect(Object.keys((answer.body as { errors: Json }).errors)).to.deep.equal([
          `${form === 'push' ? 'target.' : ''}channelUuids[0]`,
        ])
      })
    })
  }

  it('is answered with 400 when only named ones are given and none can be reached', async () => {
    const target = { installIds: ['nobody', 'quiet'], channelUuids: [], broadcast: false }
    const body = { target, content: { title: 'T', message: 'M' } }
    expect((await test.call('POST', FORMS.push.path, { body })).status).to.equal(400)
  })

  it('is still refused by the latest form, of notifications and of in-app messages', async () => {
    const target = { installIds: ['a'], channelUuids: ['news'] }
    for (const [path, more] of [
      ['/messages/v2/notifications', { content: { title: 'T', message: 'M' } }],
      ['/messages/v1/in-app-messages', { template: 't', presentedWhen: 'never' }],
    ] as const) {
      const answer = await test.call('POST', path, { body: { target, ...more } })
      expect(answer.status, path).to.equal(422)
      expect((answer.body as { errors: Json }).errors, path).to.have.all.keys('target')
    }
  })
})
