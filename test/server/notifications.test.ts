import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'

type Json = Record<string, unknown>
type Created = Json & { id: number }

const V2 = { target: { broadcast: true }, content: { title: 'T', message: 'M' } }
const FLAT = { broadcast: true, title: 'T', message: 'M' }

/** The three ways in, each with a small right body and what a right one is answered with. */
const FORMS = [
  { path: '/messages/v2/notifications', body: V2, status: 202, source: 1 },
  { path: '/push/v2/notifications', body: V2, status: 202, source: 2 },
  { path: '/push/notifications', body: FLAT, status: 201, source: 3 },
] as const

describe('the notifications interface', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
  })
  beforeEach(async () => {
    await test.startOver()
    await addInstall(test.program, test.first.id, 'a', { user: 'ann' })
    await addInstall(test.program, test.first.id, 'quiet', { subscribed: false })
  })
  after(() => test.close())

  const send = (path: string, body: unknown) => test.call('POST', path, { body })
  const read = (path: string) => test.call('GET', path)
  const errorsOf = (body: unknown) => (body as { errors: Record<string, string[]> }).errors

  for (const { path, body, status, source } of FORMS) {
    describe(`POST ${path}`, () => {
      it(`takes a right body with ${status} and the record`, async () => {
        const answer = await send(path, body)
        expect(answer.status).to.equal(status)
        const record = (status === 202 ? (answer.body as Json).notification : answer.body) as Json
        expect(record).to.deep.equal({
          id: record.id,
          appId: test.first.id,
          source,
          status: 1,
          filters: { broadcast: true },
          title: 'T',
          message: 'M',
          data: null,
          createdAt: '2026-03-01T12:00:00+0000',
          updatedAt: '2026-03-01T12:00:00+0000',
        })
        expect(record.id).to.be.a('number')
        if (status === 202) expect(Object.keys(answer.body as Json)).to.deep.equal(['notification'])
      })

      it('asks for the server key', async () => {
        for (const auth of ['none', 'device', 'Basic !', 'Bearer x'] as const) {
          const answer = await test.call('POST', path, { auth, body })
          expect(answer.status, auth).to.equal(401)
          expect(answer.headers.get('www-authenticate')).to.match(/^Basic /)
        }
      })

      it('refuses a body that is not JSON', async () => {
        const answer = await send(path, '{"target":')
        expect(answer.status).to.equal(422)
        expect(Object.keys(errorsOf(answer.body))).to.deep.equal([''])
      })

      it('refuses a wrong body and names every wrong key', async () => {
        const answer = await send(path, {})
        expect(answer.status).to.equal(422)
        const keys = source === 3 ? ['', 'message', 'title'] : ['content', 'content.message', 'content.title', 'target']
        expect(Object.keys(errorsOf(answer.body)).sort()).to.deep.equal(keys)
        expect(answer.body).to.have.property('error', 'validation failed')
      })

      it('refuses what is too large for a gateway', async () => {
        const data = { text: 'x'.repeat(5000) }
        const answer = await send(path, source === 3 ? { ...FLAT, data } : { ...V2, content: { ...V2.content, data } })
        expect(answer.status).to.equal(422)
        expect(Object.keys(errorsOf(answer.body))).to.deep.equal([source === 3 ? 'message' : 'content'])
      })

      it('takes a list of installs that is larger than other bodies may be', async () => {
        const installIds = [
          'a',
          ...Array.from({ length: 40_000 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`),
        ]
        const answer = await send(
          path,
          source === 3 ? { ...FLAT, broadcast: false, installIds } : { ...V2, target: { installIds } },
        )
        expect(answer.status).to.equal(status)
      })

      it('does the same request once for an Idempotency-Key', async () => {
        const options = { body, headers: { 'Idempotency-Key': 'k1' } }
        const first = await test.call('POST', path, options)
        const second = await test.call('POST', path, options)
        expect(second.status).to.equal(status)
        expect(second.body).to.deep.equal(first.body)
        const listed = (await read('/messages/v2/notifications')).body as { notifications: Json[] }
        expect(listed.notifications).to.have.length(1)
      })
    })
  }

  for (const { path } of FORMS.slice(0, 2)) {
    it(`${path} tells which targets cannot be reached next to the record`, async () => {
      const target = { installIds: ['z', 'a', 5, 'quiet'], userIds: ['ann', 'zoe'] }
      const answer = await send(path, { ...V2, target })
      expect(answer.status).to.equal(202)
      expect(answer.body).to.have.nested.property('notification.filters').that.deep.equals(target)
      expect(errorsOf(answer.body)).to.deep.equal({
        unknownInstallIds: ['z', 5],
        unsubscribedInstallIds: ['quiet'],
        unknownUserIds: ['zoe'],
      })
    })

    it(`${path} answers 400 with a null notification when nobody can be reached`, async () => {
      const answer = await send(path, { ...V2, target: { installIds: ['z', 'quiet'], userIds: [7, 'quiet'] } })
      expect(answer.status).to.equal(400)
      expect(answer.body).to.deep.equal({
        notification: null,
        errors: {
          unknownInstallIds: ['z'],
          unsubscribedInstallIds: ['quiet'],
          unknownUserIds: [7],
          unsubscribedUserIds: ['quiet'],
        },
      })
    })
  }

  it('takes the latest form at the bare path', async () => {
    const answer = await send('/v2/notifications', { ...V2, buttons: [{ id: 'a' }] })
    expect(answer.status).to.equal(422)
    expect(Object.keys(errorsOf(answer.body))).to.deep.equal(['buttons[0].text'])
    expect((await send('/v2/notifications', V2)).body).to.have.nested.property('notification.source', 1)
  })

  it('takes a legacy notification for nobody, and its report says why it failed', async () => {
    const answer = await send('/push/notifications', { title: 'T', message: 'M', installIds: ['z'], data: { a: 1 } })
    expect(answer.status).to.equal(201)
    expect(answer.body).to.deep.include({ status: 5, filters: { installIds: ['z'] }, data: { a: 1 } })
    expect(answer.body).not.to.have.property('errors')
    const report = await read(`/messages/v2/notifications/${(answer.body as Created).id}`)
    expect((report.body as Json).statusReason).to.include('unknown installs: 1')
  })

  it('reports the record with its counts', async () => {
    const { notification } = (await send('/messages/v2/notifications', { ...V2, ttl: 60 })).body as {
      notification: Created
    }
    const report = await read(`/messages/v2/notifications/${notification.id}`)
    expect(report.status).to.equal(200)
    const { counts, ...record } = report.body as { counts: object }
    expect(record).to.deep.include({
      ...notification,
      statusReason: null,
      expiresAt: '2026-03-01T12:01:00+0000',
      schedule: null,
    })
    expect(counts).to.deep.equal({
      audience: 0,
      pending: 0,
      accepted: 0,
      failed: 0,
      expired: 0,
      cancelled: 0,
      skipped: 0,
      unknown: 0,
      delivered: 0,
      opened: 0,
      dismissed: 0,
      failures: [],
      skips: [],
      expiries: [],
    })
  })

  it('lists records, newest first, with a cursor', async () => {
    for (let i = 0; i < 3; i++) await send('/messages/v2/notifications', V2)
    const first = (await read('/messages/v2/notifications?limit=2')).body as { notifications: Json[]; next: number }
    const rest = (await read(`/messages/v2/notifications?limit=2&after=${first.next}`)).body as typeof first
    const ids = [...first.notifications, ...rest.notifications].map(({ id }) => id as number)
    expect(ids)
      .to.deep.equal(ids.toSorted((a, b) => b - a))
      .and.to.have.length(3)
    expect(rest.next).to.equal(null)
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'after=x', 'after=0']) {
      const answer = await read(`/messages/v2/notifications?${query}`)
      expect(answer.status, query).to.equal(422)
      expect(Object.keys(errorsOf(answer.body))).to.deep.equal([query.split('=')[0]])
    }
  })

  describe('opens', () => {
    for (const area of ['/messages', '/push', '']) {
      it(`are read at ${area}/notifications/{id}/install-opens and user-opens`, async () => {
        const { notification } = (await send('/messages/v2/notifications', V2)).body as { notification: Created }
        expect((await read(`${area}/notifications/${notification.id}/install-opens`)).body).to.deep.equal([])
        const event = {
          type: 'k.message.opened',
          uuid: 'u',
          timestamp: test.clock.now(),
          data: { type: 1, id: notification.id },
        }
        await test.program.inTransaction((tx) => tx.events.ingest(test.first.id, 'a', [event]))
        const installs = await read(`${area}/notifications/${notification.id}/install-opens`)
        expect(installs.status).to.equal(200)
        expect(installs.body).to.deep.equal([{ installId: 'a', openedAt: '2026-03-01 12:00:00' }])
        const users = await read(`${area}/notifications/${notification.id}/user-opens`)
        expect(users.status).to.equal(200)
        expect(users.body).to.deep.equal([{ userId: 'ann', openedAt: '2026-03-01 12:00:00' }])
      })
    }

    it('ask for the server key', async () => {
      for (const path of ['install-opens', 'user-opens']) {
        expect((await test.call('GET', `/push/notifications/1/${path}`, { auth: 'device' })).status).to.equal(401)
        expect((await test.call('GET', `/messages/notifications/1/${path}`, { auth: 'none' })).status).to.equal(401)
      }
    })
  })

  it('answers 404 for a notification that the app does not have, whatever is asked of it', async () => {
    const second = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    const foreign = await test.program.inTransaction(async (tx) => {
      const content = { title: 'T', message: 'M', background: false, ios: {}, android: {} }
      return tx.sends.accept(second.id, 1, { targeting: { broadcast: true }, content, contentPath: 'content' })
    })
    for (const id of [foreign.notification!.id, 999_999, 0, -1, 'x', '1.0', '%00', '99999999999999999999']) {
      for (const path of [
        `/v2/notifications/${id}`,
        `/notifications/${id}/install-opens`,
        `/notifications/${id}/user-opens`,
      ]) {
        const answer = await read(`/messages${path}`)
        expect(answer.status, path).to.equal(404)
        expect((answer.body as Json).error, path).to.be.a('string')
      }
    }
  })
})
