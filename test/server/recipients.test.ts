import { expect } from 'chai'
import type { Outcome } from '../../src/domain/gateways/gateway.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../support/delivery.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addPerson } from '../support/people.ts'
import { onEachDatabase } from '../support/program.ts'

const pathOf = (id: number | string) => `/push/v2/notifications/${id}/recipients`

onEachDatabase('the recipients of a notification', (kind) => {
  let test: TestServer
  let id: number
  before(async () => {
    test = await openTestServer({ kind, settings: { 'delivery.pageSize': '2' } })
  })
  beforeEach(async () => {
    await test.startOver()
    await withAndroids(test, 5)
    id = await broadcast(test)
  })
  after(() => test.close())

  const read = async (query = '', path = pathOf(id)) => (await test.call('GET', `${path}${query}`)).body as object[]
  const deliver = (answers: Record<string, Outcome>) =>
    deliverDue(test, scriptedSender((token) => answers[token] ?? { kind: 'accepted' }).sender)
  const line = (n: number, outcome: string, kind: string | null = null, reason: string | null = null) => ({
    installId: `install-${n}`,
    // A retired token leads nowhere.
    transport: kind === 'token_dead' ? null : 'fcm',
    outcome,
    kind,
    reason,
  })

  it('come a line each, with outcome and reason, on both hosts', async () => {
    await deliver({ 'token-1': { kind: 'token_dead', reason: 'UNREGISTERED' } })
    const answer = await test.call('GET', pathOf(id))
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.equal('application/x-ndjson; charset=utf-8')
    const lines = answer.body as { userId: string }[]
    expect(lines.map(({ userId, ...one }) => (expect(userId).to.be.a('string'), one))).to.have.deep.members([
      line(0, 'accepted'),
      line(1, 'failed', 'token_dead', 'UNREGISTERED'),
      line(2, 'accepted'),
      line(3, 'accepted'),
      line(4, 'accepted'),
    ])
    expect(await read('', `/messages/v2/notifications/${id}/recipients`)).to.deep.equal(lines)
  })

  it('come as a file for people, and the audit log says who took it', async () => {
    await deliver({ 'token-1': { kind: 'token_dead', reason: 'UNREGISTERED' } })
    const { token } = await addPerson(test.program)
    const answer = await fetch(`${test.address}/admin/v1/apps/${test.first.id}/deliveries/${id}/recipients.csv`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.match(/^text\/csv/)
    expect(answer.headers.get('content-disposition')).to.equal(
      `attachment; filename="notification-${id}-recipients.csv"`,
    )
    const [head, ...lines] = (await answer.text()).trimEnd().split('\r\n')
    expect(head).to.equal('install,user,outcome,kind,reason,explanation,transport')
    expect(lines).to.have.length(5)
    expect(lines.filter((one) => /^install-1,.*,failed,token_dead,UNREGISTERED,/.test(one))).to.have.length(1)
    const { entries } = await test.program.audit.list({ limit: 1 })
    expect(entries[0]).to.include({ action: 'notifications.recipients.export', target: String(id) })
  })

  it('are pending until they are sent to', async () => {
    expect((await read('?outcome=pending')).length).to.equal(5)
    expect(await read('?outcome=accepted')).to.deep.equal([])
  })

  it('are counted once while one of them waits on a retry page', async () => {
    await deliver({ 'token-2': { kind: 'throttled_recipient', reason: 'slow down' } })
    const lines = await read()
    expect(lines).to.have.length(5)
    expect(await read('?outcome=pending')).to.have.length(1)
    const { counts } = (await test.call('GET', `/messages/v2/notifications/${id}`)).body as { counts: object }
    expect(counts).to.include({ audience: 5, accepted: 4, pending: 1 })
  })

  it('lose their names with the install, not their outcome', async () => {
    await deliver({})
    const { row } = await test.program.crm.showInstall(test.first.id, 'install-3')
    await test.program.kernel.db.write((trx) => trx('installs').where({ id: row }).delete())
    expect(await read()).to.deep.include({
      installId: null,
      userId: null,
      transport: null,
      outcome: 'accepted',
      kind: null,
      reason: null,
    })
  })

  it('are not shown to another app, nor for a word that is no outcome', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const auth = `Basic ${Buffer.from(`${other.apiKey}:${other.serverKey}`).toString('base64')}`
    expect((await test.call('GET', pathOf(id), { auth })).status).to.equal(404)
    expect((await test.call('GET', pathOf(999))).status).to.equal(404)
    expect((await test.call('GET', pathOf(id), { auth: 'none' })).status).to.equal(401)
    const wrong = await test.call('GET', `${pathOf(id)}?outcome=lost`)
    expect(wrong.status).to.equal(422)
    expect(wrong.body).to.have.nested.property('errors.outcome')
  })
})
