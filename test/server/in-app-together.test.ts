import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addTemplates, addUser, inAppBody } from '../support/in-app.ts'
import { onEachDatabase } from '../support/program.ts'

onEachDatabase('in-app messages that are sent at the same time', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
    await addTemplates(test)
    for (let i = 0; i < 12; i++) await addUser(test, `user-${i}`)
    await addUser(test, 'off', { enabled: false })
  })
  after(() => test.close())

  const send = (extra: object, headers = {}) =>
    test.call('POST', '/messages/v1/in-app-messages', { body: inAppBody(extra), headers })

  it('are stored once each, and one that is refused leaves the others alone', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 12 }, (_, i) =>
        send({
          target: { userIds: [`user-${i}`] },
          template: 'hello',
          content: { Name: `N${i}` },
          ...(i % 3 === 0 && { notification: { title: `T${i}`, message: 'M' } }),
        }),
      ),
      send({ target: { userIds: ['user-1'] }, template: 'unknown' }),
      send({ target: { userIds: ['off'] } }),
      send({ target: { userIds: ['user-2'] }, template: 'hello', content: { Unknown: 'x' } }),
    ])
    expect(answers.map(({ status }) => status)).to.deep.equal([...Array.from({ length: 12 }, () => 202), 404, 400, 422])
    const ids = answers.slice(0, 12).map(({ body }) => (body as { message: { id: number } }).message.id)
    const stored = await test.program.kernel.db
      .read('in_app_messages')
      .orderBy('id')
      .select('id', 'tag_values', 'notification_id')
    expect(stored.map(({ id }: { id: number }) => id)).to.have.members(ids)
    for (const [i, id] of ids.entries()) {
      const row = stored.find((one: { id: number }) => one.id === id)!
      const values: unknown = typeof row.tag_values === 'string' ? JSON.parse(row.tag_values) : row.tag_values
      expect(values).to.deep.equal({ Name: `N${i}` })
      expect(row.notification_id !== null, `linked push of ${i}`).to.equal(i % 3 === 0)
    }
  })

  it('are one message for one idempotency key', async () => {
    const before = await test.program.kernel.db.read('in_app_messages').pluck('id')
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => send({ target: { userIds: ['user-3'] } }, { 'idempotency-key': 'once' })),
    )
    const accepted = answers.filter(({ status }) => status === 202)
    expect(accepted).to.have.length.above(0)
    expect(answers.every(({ status }) => status === 202 || status === 409)).to.equal(true)
    const after = await test.program.kernel.db.read('in_app_messages').pluck('id')
    expect(after.length - before.length).to.equal(1)
  })
})
