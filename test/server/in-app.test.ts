import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addTemplates, addUser, handOut, holders, inAppBody } from '../support/in-app.ts'

type Json = Record<string, unknown>

const PATH = '/messages/v1/in-app-messages'

describe('the in-app messages interface', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
  })
  beforeEach(async () => {
    await test.startOver()
    await addTemplates(test)
    await addUser(test, 'ann')
    await addUser(test, 'off', { enabled: false })
  })
  after(() => test.close())

  const send = (extra: object = {}) => test.call('POST', PATH, { body: inAppBody(extra) })
  const errorsOf = (body: unknown) => (body as { errors: Record<string, string[]> }).errors

  it('takes a right body with 202 and the record', async () => {
    const answer = await send({
      template: 'hello',
      content: { Name: 'Ann' },
      notification: { title: 'T', message: 'M', android: { pictureUrl: 'https://example.com/a.png' } },
    })
    expect(answer.status).to.equal(202)
    expect(Object.keys(answer.body as Json)).to.deep.equal(['message'])
    const { message } = answer.body as { message: Json }
    expect(message).to.deep.equal({
      id: message.id,
      appId: test.first.id,
      status: 1,
      filters: { broadcast: true },
      template: 'hello',
      content: { Name: 'Ann' },
      notification: { title: 'T', message: 'M' },
      createdAt: '2026-03-01T12:00:00+0000',
      updatedAt: '2026-03-01T12:00:00+0000',
    })
    expect(message.id).to.be.a('number')
  })

  it('tells who cannot get it next to the record', async () => {
    const answer = await send({ target: { userIds: ['nobody', 'ann', 'off'] } })
    expect(answer.status).to.equal(202)
    expect(errorsOf(answer.body)).to.deep.equal({ unknownUserIds: ['nobody'], unsubscribedUserIds: ['off'] })
  })

  it('answers 400 with a null message when nobody who was named can get it', async () => {
    const answer = await send({ target: { userIds: ['nobody'], installIds: ['off-phone', 7] } })
    expect(answer.status).to.equal(400)
    expect(answer.body).to.deep.equal({
      message: null,
      errors: { unknownInstallIds: [7], unsubscribedInstallIds: ['off-phone'], unknownUserIds: ['nobody'] },
    })
    expect((await test.call('GET', PATH)).body).to.deep.equal({ messages: [], next: null })
  })

  it('answers 422 before 404 before 422 for the tags before 400', async () => {
    const nobody = { userIds: ['nobody'] }
    const wrongBody = await send({ template: 'gone', presentedWhen: 'x', content: { A: 1 }, target: nobody })
    expect(wrongBody.status).to.equal(422)
    expect(Object.keys(errorsOf(wrongBody.body))).to.deep.equal(['presentedWhen'])
    const unknown = await send({ template: 'gone', content: { A: 1 }, target: nobody })
    expect([unknown.status, unknown.body]).to.deep.equal([404, { error: 'there is no template "gone"' }])
    const wrongTags = await send({ template: 'hello', content: { A: 1 }, target: nobody })
    expect(wrongTags.status).to.equal(422)
    expect(Object.keys(errorsOf(wrongTags.body)).sort()).to.deep.equal(['content.A', 'content.Name'])
    expect((await send({ template: 'hello', content: { Name: 'Ann' }, target: nobody })).status).to.equal(400)
  })

  it('refuses a wrong body and names every wrong key', async () => {
    const answer = await test.call('POST', PATH, { body: {} })
    expect(answer.status).to.equal(422)
    expect(Object.keys(errorsOf(answer.body)).sort()).to.deep.equal([
      'presentedWhen',
      'target',
      'template',
      'ttl',
      'ttl.expiresIn',
      'ttl.units',
    ])
    const broken = await test.call('POST', PATH, { body: '{"target":' })
    expect([broken.status, Object.keys(errorsOf(broken.body))]).to.deep.equal([422, ['']])
  })

  for (const [method, path] of [
    ['POST', PATH],
    ['GET', PATH],
    ['GET', `${PATH}/1`],
    ['DELETE', `${PATH}/1`],
  ] as const) {
    it(`${method} ${path} asks for the server key`, async () => {
      for (const auth of ['none', 'device', 'Basic !'] as const) {
        expect((await test.call(method, path, { auth })).status, auth).to.equal(401)
      }
    })
  }

  it('does the same request once for an Idempotency-Key', async () => {
    const options = { body: inAppBody(), headers: { 'Idempotency-Key': 'k1' } }
    const [first, second] = [await test.call('POST', PATH, options), await test.call('POST', PATH, options)]
    expect(second.body).to.deep.equal(first.body)
    expect(((await test.call('GET', PATH)).body as { messages: Json[] }).messages).to.have.length(1)
  })

  it('leaves an Idempotency-Key unused when it stored nothing', async () => {
    const once = (target: object) =>
      test.call('POST', PATH, { body: inAppBody({ target }), headers: { 'Idempotency-Key': 'k1' } })
    expect((await once({ userIds: ['off'] })).status).to.equal(400)
    expect((await once({ userIds: ['ann'] })).status).to.equal(202)
    expect((await once({ userIds: ['off'] })).status).to.equal(422)
  })

  it('lists messages, newest first, page by page', async () => {
    for (const template of ['plain', 'plain', 'plain']) await send({ template })
    const page = async (query: string) =>
      (await test.call('GET', `${PATH}?${query}`)).body as { messages: { id: number }[]; next: number | null }
    const first = await page('limit=2')
    const second = await page(`limit=2&after=${first.next}`)
    const ids = [...first.messages, ...second.messages].map(({ id }) => id)
    expect(ids).to.have.length(3)
    expect(ids).to.deep.equal(ids.toSorted((a, b) => b - a))
    expect(second.next).to.equal(null)
    expect((await test.call('GET', `${PATH}?limit=0`)).status).to.equal(422)
  })

  it('tells what became of one', async () => {
    const { message } = (await send({ inbox: { title: 'T', subtitle: '', from: '2026-03-01T13:00:00+01:00' } }))
      .body as { message: { id: number } }
    await handOut(test)
    const { status, body } = await test.call('GET', `${PATH}/${message.id}`)
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      id: message.id,
      status: 3,
      statusReason: null,
      templateVersion: 1,
      presentedWhen: 'immediately',
      ttlSeconds: 86_400,
      inbox: { title: 'T', subtitle: '', from: '2026-03-01T12:00:00+0000', to: null, imageUrl: null },
      schedule: null,
      nextAt: null,
      withdrawnAt: null,
      counts: { recipients: 1, skipped: 0, delivered: 0, shown: 0, dismissed: 0, read: 0, inboxDeleted: 0 },
      push: null,
    })
  })

  it('takes one back, and again', async () => {
    const { message } = (await send()).body as { message: { id: number } }
    const remove = () => test.call('DELETE', `${PATH}/${message.id}`)
    expect((await remove()).status).to.equal(204)
    expect((await remove()).status).to.equal(204)
    await handOut(test)
    expect(await holders(test, message.id)).to.deep.equal([])
    expect((await test.call('GET', `${PATH}/${message.id}`)).body).to.deep.include({ status: 4 })
  })

  const schedule = { strategy: 'utc', sendAt: '2026-03-01 18:00', pastTimes: 'ignore' }
  const scheduled = async (extra: object = {}) =>
    ((await send({ schedule, ...extra })).body as { message: { id: number } }).message.id
  const edit = (id: number | string, body: object, more: object = {}) =>
    test.call('PATCH', `${PATH}/${id}`, { body, ...more })

  it('edits one that is scheduled, and answers with its report', async () => {
    const id = await scheduled({ template: 'hello', content: { Name: 'Ann' } })
    test.clock.advance(60_000)
    const { status, body } = await edit(id, {
      content: { Name: 'Bob' },
      notification: { title: 'T', message: 'M' },
      schedule: { ...schedule, sendAt: '2026-03-01 19:00' },
    })
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      id,
      status: 0,
      title: 'Hello Bob',
      schedule: { ...schedule, sendAt: '2026-03-01 19:00' },
      nextAt: '2026-03-01T19:00:00+0000',
      editedAt: '2026-03-01T12:01:00+0000',
    })
    expect(body).to.nested.include({ 'push.status': 0 })
    expect((await test.call('GET', `${PATH}/${id}`)).body).to.deep.equal(body)
  })

  it('sends one now when its time is null', async () => {
    const id = await scheduled()
    const { body } = await edit(id, { schedule: null, intelligentDelivery: null })
    expect(body).to.deep.include({ status: 1, schedule: null, nextAt: '2026-03-01T12:00:00+0000' })
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal(['ann'])
    const again = await edit(id, { schedule: null })
    expect([again.status, again.body]).to.deep.equal([
      409,
      { error: `in-app message ${id} was sent and cannot be edited: send another one` },
    ])
  })

  it('edits nothing with what no request has, for nobody, without the key or after its time', async () => {
    const id = await scheduled()
    const before = (await test.call('GET', `${PATH}/${id}`)).body
    const rows: [object, number][] = [
      [{ titel: 'x' }, 422],
      [{ template: '' }, 422],
      [{ __proto__: null, constructor: 1 }, 422],
      [{ template: 'gone' }, 404],
      [{ target: { userIds: ['gone', 'off'] } }, 400],
    ]
    for (const [body, status] of rows) expect((await edit(id, body)).status, JSON.stringify(body)).to.equal(status)
    expect((await test.call('PATCH', `${PATH}/${id}`, { body: [] as never })).status).to.equal(422)
    expect((await edit(id, { data: null }, { auth: 'none' })).status).to.equal(401)
    expect((await test.call('GET', `${PATH}/${id}`)).body).to.deep.equal(before)
    test.clock.advance(6 * 3_600_000)
    expect((await edit(id, { data: null })).status).to.equal(409)
  })

  it('says of one that is unknown, of another app or no number that there is none', async () => {
    const { message } = (await send()).body as { message: { id: number } }
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      for (const id of [message.id + 1, 'x', '0']) {
        const more = method === 'PATCH' ? { body: {} } : {}
        expect((await test.call(method, `${PATH}/${id}`, more)).status, `${method} ${id}`).to.equal(404)
      }
    }
  })
})
