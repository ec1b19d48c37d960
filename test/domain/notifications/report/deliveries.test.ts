import { expect } from 'chai'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { cancelNotification } from '../../../../src/domain/notifications/cancel.ts'
import { giveUpPage, recoverPages } from '../../../../src/domain/notifications/deliver/recover.ts'
import { RETRY_AFTER_MS } from '../../../../src/domain/webhooks/retry-schedule.ts'
import {
  broadcast,
  deliverDue,
  deliveryParts,
  fanOut,
  scriptedSender,
  sendWithoutAnswers,
  withAndroids,
} from '../../../support/delivery.ts'
import { openTestServer, type TestServer } from '../../../support/http.ts'
import { onEachDatabase } from '../../../support/program.ts'
import { addWebhook, scriptedEndpoints, webhookWorker } from '../../../support/webhooks.ts'

const DAY_MS = 86_400_000
const ACCEPTED: Outcome = { kind: 'accepted' }

interface Recipient {
  installId: string | null
  userId: string | null
  outcome: string
  kind: string | null
  reason: string | null
}
interface Shown {
  id: string
  type: string
  uuid: string
  userId: null
  installId: null
  data: { notificationId: number; recipients: Recipient[]; forgotten?: true }
}

onEachDatabase('pages of notifications in the event log', (kind) => {
  let test: TestServer
  beforeEach(async () => {
    test = await openTestServer({ kind, settings: { 'delivery.pageSize': '4' } })
    await withAndroids(test, 10)
  })
  afterEach(() => test.close())

  const ask = (deliveries = true) =>
    test.program.inTransaction((tx) => tx.apps.setLogSettings(test.first.id, { deliveries }))
  const deliver = (answer: (token: string) => Outcome = () => ACCEPTED) =>
    deliverDue(test, scriptedSender(answer).sender)
  const read = async (query = '') =>
    (await test.call('GET', `/messages/v1/events?limit=1000${query}`)).body as { events: Shown[]; next: string }
  /** Reads the events of pages as somebody who asked for them. */
  const pages = async () => (await read('&include=deliveries&types=notification.page')).events
  const recipients = async () => (await pages()).flatMap(({ data }) => data.recipients)
  const outcomes = async () =>
    (await recipients()).map(({ installId, outcome, kind: why, reason }) => [installId, outcome, why, reason])
  const installs = (...ns: number[]) => ns.map((n) => `install-${n}`)
  const stored = async () => (await test.program.kernel.db.read('events').where({ type: '' })).length

  /** Each closed page with a recipient of its own has one entry, and no other page has one. */
  async function expectExact(): Promise<void> {
    const { read: sql } = test.program.kernel.db
    const closed: { id: number; fence: number }[] = await sql('pages')
      .whereIn('state', ['done', 'buried'])
      .whereRaw('total > moved')
    const entries: { uuid: string }[] = await sql('events').where({ type: '' })
    expect(entries.map(({ uuid }) => uuid)).to.have.members(closed.map(({ id, fence }) => `page-${id}-${fence}`))
  }

  it('are not written when nobody asked, and readers who did not ask never see them', async () => {
    await broadcast(test)
    await deliver()
    expect(await stored()).to.equal(0)
    const refused = await test.call('GET', '/messages/v1/events?include=deliveries')
    expect(refused.status).to.equal(409)
    expect(JSON.stringify(refused.body)).to.include('PUT /v1/events/settings')
    expect((await test.call('GET', '/messages/v1/events?include=opens')).status).to.equal(422)

    const on = await test.call('PUT', '/messages/v1/events/settings', { body: { deliveries: true } })
    expect([on.status, on.body]).to.deep.equal([200, { deliveries: true }])
    const before = await read()
    await broadcast(test)
    await deliver()
    expect(await stored()).to.equal(3)
    const without = await read()
    expect(without.events.slice(before.events.length).map(({ type }) => type)).to.deep.equal(['notification.sent'])
    expect((await read('&types=notification.page')).events).to.deep.equal([])
    // However few events it asks for at once, a reader meets the event behind the pages.
    const next = (await test.call('GET', `/messages/v1/events?limit=1&after=${before.next}`)).body as typeof before
    expect(next.events.map(({ type }) => type)).to.deep.equal(['notification.sent'])
    expect((await test.program.eventLog.last({ appId: test.first.id, limit: 1 }))[0]!.type).to.equal(
      'notification.sent',
    )
    // For a follower of all apps, as that of NATS.
    const { events } = await test.program.eventLog.read({ limit: 1000 })
    expect(events.some(({ isPage }) => isPage)).to.equal(false)

    await ask(false)
    expect((await test.call('GET', '/messages/v1/events/settings')).body).to.deep.equal({ deliveries: false })
    await broadcast(test)
    await deliver()
    expect(await stored()).to.equal(3)
  })

  it('say of each recipient once what the list of recipients says', async () => {
    await ask()
    const id = await broadcast(test)
    await deliver((token) => (token === 'token-3' ? { kind: 'token_dead', reason: 'UNREGISTERED' } : ACCEPTED))
    const all = await pages()
    expect(all.map(({ data }) => [data.notificationId, data.recipients.length])).to.deep.equal([
      [id, 4],
      [id, 4],
      [id, 2],
    ])
    for (const { type, userId, installId, uuid } of all) {
      expect({ type, userId, installId }).to.deep.equal({ type: 'notification.page', userId: null, installId: null })
      expect(uuid).to.match(/^page-\d+-\d+$/)
    }
    const list = (await test.call('GET', `/messages/v2/notifications/${id}/recipients`)).body
    expect(await recipients()).to.deep.equal(list)
    expect(await outcomes()).to.deep.include(['install-3', 'failed', 'token_dead', 'UNREGISTERED'])
    await expectExact()
  })

  it('leave out who was moved to a retry page, and have no entry when nobody else is on them', async () => {
    await ask()
    await broadcast(test, { target: { installIds: installs(0, 1) } })
    let isSlow: (token: string) => boolean = (token) => token === 'token-1'
    await deliver((token) => (isSlow(token) ? { kind: 'throttled_recipient', reason: 'slow down' } : ACCEPTED))
    expect(await outcomes()).to.deep.equal([['install-0', 'accepted', null, null]])
    test.clock.advance(600_000)
    // The retry page moves its only recipient again.
    isSlow = () => true
    await deliver((token) => (isSlow(token) ? { kind: 'throttled_recipient', reason: 'slow down' } : ACCEPTED))
    expect(await pages()).to.have.length(1)
    test.clock.advance(3_600_000)
    await deliver()
    expect(await outcomes()).to.deep.equal([
      ['install-0', 'accepted', null, null],
      ['install-1', 'accepted', null, null],
    ])
    await expectExact()
  })

  it('come when held recipients are sent to, and for those who were left out, expired or cancelled', async () => {
    await ask()
    // It is noon: all are in quiet hours until two.
    const hold = { from: 11 * 60, to: 14 * 60, hold: true as const }
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { quiet: hold }))
    await broadcast(test, { target: { installIds: installs(0) } })
    await deliver()
    expect(await pages()).to.deep.equal([])
    const cancelled = await broadcast(test, { target: { installIds: installs(1) } })
    await deliver()
    const parts = { read: test.program, inTransaction: test.program.inTransaction, clock: test.clock }
    await cancelNotification(parts, test.first.id, cancelled)
    await deliver()
    expect(await outcomes()).to.deep.equal([['install-1', 'cancelled', null, null]])
    test.clock.advance(2 * 3_600_000)
    await deliver()
    expect(await outcomes()).to.deep.include(['install-0', 'accepted', null, null])

    const leaveOut = { from: 11 * 60, to: 20 * 60 }
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { quiet: leaveOut }))
    await broadcast(test, { target: { installIds: installs(2) } })
    await deliver()
    expect(await outcomes()).to.deep.include(['install-2', 'skipped', null, 'quiet_hours'])
    await broadcast(test, { target: { installIds: installs(3) } })
    test.clock.advance(60 * DAY_MS)
    await deliver()
    expect((await outcomes()).at(-1)!.slice(0, 2)).to.deep.equal(['install-3', 'expired'])
    expect(await pages()).to.have.length(4)
    await expectExact()
  })

  it('have an entry exactly when they closed: after a crash, given up, taken over, settled at once', async () => {
    await ask()
    await broadcast(test, { target: { installIds: installs(0, 1, 2) } })
    const { release } = await sendWithoutAnswers(test, 2, () => ACCEPTED, { chunk: 2, owner: 'dead' })
    await recoverPages(deliveryParts(test), { name: 'dead' })
    await expectExact()
    await deliver()
    // The answers of the first worker come after all: those who waited on the retry page are done.
    await release()
    test.clock.advance(3_600_000)
    await deliver()
    await expectExact()
    expect(await outcomes()).to.have.deep.members(installs(0, 1, 2).map((one) => [one, 'accepted', null, null]))

    await broadcast(test, { target: { installIds: installs(4) } })
    const [lane] = await test.program.queue.dueLanes(test.clock.now(), 1)
    const claim = await test.program.inTransaction((tx) => tx.queue.claim(lane!, 'x', test.clock.now(), 30_000))
    await expectExact()
    await giveUpPage(deliveryParts(test), claim!)
    expect((await outcomes()).at(-1)!.slice(0, 3)).to.deep.equal(['install-4', 'failed', 'internal_error'])
    // The page and its entry are one transaction: a rollback takes both back.
    const undone = test.program.inTransaction(async (tx) => {
      await tx.ledger.insertPage(
        { appId: test.first.id, notificationId: 1, rows: [1], slot: 5, notBefore: 0 },
        test.clock.now(),
      )
      throw new Error('undone')
    })
    expect(await undone.catch((error: Error) => error.message)).to.equal('undone')
    await expectExact()
  })

  it('are read without names once an install is gone, and without recipients once the page is forgotten', async () => {
    await ask()
    await broadcast(test, { target: { installIds: installs(0, 1) } })
    await deliver()
    const { row } = await test.program.crm.showInstall(test.first.id, 'install-0')
    await test.program.kernel.db.write((trx) => trx('installs').where({ id: row }).delete())
    const [gone, there] = await recipients()
    expect(gone).to.deep.equal({
      installId: null,
      userId: null,
      transport: null,
      outcome: 'accepted',
      kind: null,
      reason: null,
    })
    expect(there).to.include({ installId: 'install-1' })
    expect(there!.userId).to.be.a('string')
    test.clock.advance(40 * DAY_MS)
    await test.program.inTransaction((tx) => tx.notificationRetention.forget(1, 100))
    const [forgotten] = await pages()
    expect(forgotten!.data).to.deep.equal({ notificationId: 1, recipients: [], forgotten: true })
  })

  it('cannot be made by those who report events, nor held up by their ids', async () => {
    await ask()
    const type = 'notification.page'
    const event = (uuid: string) => ({
      type,
      uuid,
      timestamp: test.clock.now(),
      data: { notificationId: 1, pageId: 1 },
    })
    await test.program.inTransaction(async (tx) => {
      await tx.events.ingest(test.first.id, 'install-0', [event('page-1-1')])
      await tx.serverEvents.take(test.first.id, [{ ...event('page-1-1'), userId: 'anna' }])
      expect(await tx.serverEvents.take(test.first.id, [{ ...event('x'), type: '', userId: 'anna' }])).to.have.length(1)
    })
    await broadcast(test, { target: { installIds: installs(1) } })
    await deliver()
    await expectExact()
    const told = (await read('&types=notification.page')).events
    expect(told.map(({ data }) => data)).to.deep.equal([event('').data, event('').data])
    expect(await pages()).to.have.length(3)
  })

  it('do not make an answer long: it ends before the page with which there were more than 2000 recipients', async () => {
    await ask()
    await broadcast(test, { target: { installIds: installs(0) } })
    await deliver()
    const many = (from: number) => ({
      appId: test.first.id,
      notificationId: 1,
      rows: Array.from({ length: 900 }, (_, i) => from + i),
      slot: 5,
      notBefore: 0,
    })
    await test.program.inTransaction((tx) => tx.ledger.insertPages([1e6, 2e6, 3e6].map(many), test.clock.now()))
    const query = { appId: test.first.id, types: ['notification.page'], deliveries: true, limit: 100 }
    const first = await test.program.eventLog.read(query)
    expect([first.events.length, first.atEnd]).to.deep.equal([3, false])
    const second = await test.program.eventLog.read({ ...query, after: first.next })
    expect([second.events.length, second.atEnd]).to.deep.equal([1, true])
    const last = await test.program.eventLog.last(query)
    expect(last.map(({ cursor }) => cursor)).to.deep.equal([first.events[2]!, second.events[0]!].map((e) => e.cursor))
  })

  describe('in webhooks', () => {
    it('are written for a webhook that includes them, beside its types, whole and the same when repeated', async () => {
      const { webhook } = await addWebhook(test, { types: ['bought'], include: ['deliveries'], batch: { max: 10 } })
      await addWebhook(test, { url: 'https://other.example.com/' })
      const id = await broadcast(test)
      await deliver()
      const { received, send } = scriptedEndpoints(() => (received.length > 2 ? 200 : 500))
      const worker = webhookWorker(test, send)
      await worker.turn()
      // Another rule changes nothing about a message that is under way.
      await test.program.inTransaction((tx) => tx.webhooks.update(test.first.id, webhook.id, { include: null }))
      for (const wait of RETRY_AFTER_MS.slice(0, 2)) {
        test.clock.advance(wait)
        await worker.turn()
      }
      const own = received.filter(({ url }) => url === webhook.url)
      expect(own.map(({ text }) => text)).to.deep.equal(own.map(() => own[0]!.text))
      const events = own[0]!.body.data as Shown[]
      expect(events.map(({ type }) => type)).to.deep.equal(Array(3).fill('notification.page'))
      expect(events.flatMap(({ data }) => data.recipients)).to.have.length(10)
      expect(events[0]!.data.notificationId).to.equal(id)
      const others = received.filter(({ url }) => url !== webhook.url)
      expect(new Set(others.map(({ body }) => body.type))).to.deep.equal(new Set(['notification.sent']))
      // Nobody asks any more.
      const before = await stored()
      await broadcast(test)
      await deliver()
      expect(await stored()).to.equal(before)
    })

    it('are never cut: a page above 64 KiB comes whole', async () => {
      await addWebhook(test, { include: ['deliveries'] })
      await broadcast(test, { target: { installIds: installs(0) } })
      const rows = Array.from({ length: 1000 }, (_, i) => 1e6 + i)
      await test.program.inTransaction((tx) =>
        tx.ledger.insertPage(
          { appId: test.first.id, notificationId: 1, rows, slot: 5, notBefore: 0 },
          test.clock.now(),
        ),
      )
      const { received, send } = scriptedEndpoints()
      await webhookWorker(test, send).turn()
      expect(received[0]!.text.length).to.be.greaterThan(65_536)
      expect((received[0]!.body.data as Shown).data.recipients).to.have.length(1000)
    })

    it('that lag wait for pages, too', async () => {
      const { webhook } = await addWebhook(test, { types: ['bought'], include: ['deliveries'] })
      expect((await test.program.webhooks.get(test.first.id, webhook.id)).waitingSince).to.equal(null)
      await broadcast(test)
      await fanOut(test)
      await deliver()
      expect((await test.program.webhooks.get(test.first.id, webhook.id)).waitingSince).to.equal(test.clock.now())
    })
  })
})
