import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onEachDatabase } from '../support/program.ts'

interface Answer {
  status: number
  body: { notification?: { id: number; title: string; filters: object }; errors?: Record<string, unknown> }
}

onEachDatabase('sends to few that come at the same time', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
    for (let i = 0; i < 10; i++) await addInstall(test.program, test.first.id, `install-${i}`, { user: `user-${i}` })
    await addInstall(test.program, test.first.id, 'quiet', { subscribed: false, user: 'silent' })
  })
  after(() => test.close())

  const send = async (target: object, content: object, headers: Record<string, string> = {}): Promise<Answer> =>
    (await test.call('POST', '/messages/v2/notifications', { body: { target, content }, headers })) as unknown as Answer
  const sent = (title: string): Promise<{ id: number; content: string }[]> =>
    test.program.kernel.db.read('notifications').whereLike('content', `%"${title}"%`)

  it('get an answer of their own each, and what is refused takes nothing else along', async () => {
    const asked = Array.from({ length: 60 }, (_, i) => {
      const content = { title: `T${i}`, message: 'M' }
      if (i % 6 === 1) return send({ userIds: [`nobody-${i}`] }, content)
      if (i % 6 === 2) return send({ installIds: ['quiet', `install-${i % 10}`] }, content)
      // No gateway takes it.
      if (i % 6 === 3) return send({ userIds: ['user-1'] }, { ...content, message: 'x'.repeat(9000) })
      // A path, and the app has no website.
      if (i % 6 === 4) return send({ userIds: ['user-1'] }, { ...content, url: '/offers' })
      return send({ userIds: [`user-${i % 10}`, `user-${(i + 1) % 10}`] }, content)
    })
    for (const [i, { status, body }] of (await Promise.all(asked)).entries()) {
      const kept = [202, 400, 202, 422, 422, 202][i % 6]
      expect(status, `send ${i}: ${JSON.stringify(body)}`).to.equal(kept)
      if (i % 6 === 1) expect(body.errors).to.deep.equal({ unknownUserIds: [`nobody-${i}`] })
      if (i % 6 === 2) expect(body.errors).to.deep.equal({ unsubscribedInstallIds: ['quiet'] })
      if (i % 6 === 4) expect(body.errors).to.have.all.keys('content.url')
      if (kept === 202) expect(body.notification!.title).to.equal(`T${i}`)
      expect(await sent(`T${i}`), `send ${i}`).to.have.lengthOf(kept === 202 ? 1 : 0)
    }
  })

  it('with one Idempotency-Key are one send, and each gets its answer', async () => {
    const key = { 'Idempotency-Key': 'order-1' }
    const content = { title: 'once', message: 'M' }
    const others = Array.from({ length: 10 }, (_, i) =>
      send({ userIds: ['user-2'] }, { title: `beside ${i}`, message: 'M' }),
    )
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => send({ userIds: ['user-1'] }, content, key)),
      ...others,
    ])
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 20 }, () => 202))
    const ids = new Set(answers.slice(0, 10).map(({ body }) => body.notification!.id))
    expect(ids.size).to.equal(1)
    expect(await sent('once')).to.have.lengthOf(1)
  })

  it('asks for confirmation as it does one by one', async () => {
    await test.call('PUT', '/messages/v1/restraint', { body: { confirmAbove: 1 } })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        send({ userIds: i % 2 ? ['user-1', 'user-2'] : ['user-3'] }, { title: `confirm ${i}`, message: 'M' }),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 12 }, (_, i) => (i % 2 ? 422 : 202)))
  })
})
