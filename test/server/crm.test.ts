import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'

type Json = Record<string, unknown>

describe('the CRM interface', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
  })
  beforeEach(() => test.startOver())
  after(() => test.close())

  const errorsOf = (body: unknown) => (body as { errors: Record<string, string[]> }).errors
  const upload = (installId: string, events: unknown) =>
    test.call('POST', `/events/v1/app-installs/${installId}/events`, { auth: 'device', body: events })

  for (const [method, path] of [
    ['GET', '/crm/v2/users?currentPage=1&numberPerPage=1'],
    ['GET', '/crm/v1/users/anna/attributes'],
    ['PUT', '/crm/v1/users/anna/attributes'],
    ['DELETE', '/crm/v1/users/anna/attributes'],
  ] as const) {
    it(`asks for the server key on ${method} ${path.split('?')[0]}`, async () => {
      for (const auth of ['none', 'device', 'Basic !', 'Bearer x'] as const) {
        expect((await test.call(method, path, { auth, ...(method === 'PUT' && { body: {} }) })).status, auth).to.equal(
          401,
        )
      }
    })
  }

  it('shows only what is on disk, and after a failure of the disk what it knows', async () => {
    const path = '/crm/v1/users/anna/attributes'
    await test.call('PUT', path, { body: { plan: 'free' } })
    const { db } = test.program.kernel
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    db.settled = () => {
      asked.resolve()
      return gate.promise
    }
    let isAnswered = false
    const answer = test.call('GET', path).finally(() => (isAnswered = true))
    await asked.promise
    // A whole call on another connection is answered meanwhile.
    await test.call('GET', '/healthz', { auth: 'none' })
    expect(isAnswered).to.equal(false)
    gate.reject(new Error('the disk failed'))
    expect((await answer).body).to.deep.equal({ plan: 'free' })
  })

  describe('PATCH v1/users/:userId/attributes', () => {
    const path = '/crm/v1/users/anna/attributes'
    const stored = async () => (await test.call('GET', path)).body

    it('changes what it names, deletes what is null, and leaves the rest', async () => {
      await test.call('PUT', path, { body: { plan: 'free', visits: 3, address: { city: 'Kiel', zip: '24103' } } })
      const body = { plan: 'gold', visits: null, address: { zip: null, street: 'Holtenauer' }, tags: ['a'] }
      const answer = await test.call('PATCH', path, {
        body,
        headers: { 'content-type': 'application/merge-patch+json' },
      })
      const attributes = { plan: 'gold', address: { city: 'Kiel', street: 'Holtenauer' }, tags: ['a'] }
      expect(answer.status).to.equal(200)
      expect(answer.body).to.deep.equal({ identifier: 'anna', attributes })
      expect(await stored()).to.deep.equal(attributes)
    })

    it('makes an unknown user', async () => {
      expect((await test.call('PATCH', path, { body: { plan: 'gold', coupon: null } })).status).to.equal(200)
      expect(await stored()).to.deep.equal({ plan: 'gold' })
    })

    it('refuses what is no object, what is too large together, and asks for the server key', async () => {
      expect((await test.call('PATCH', path, { body: ['a'] })).status).to.equal(422)
      await test.call('PUT', path, { body: { a: 'x'.repeat(200_000) } })
      const answer = await test.call('PATCH', path, { body: { b: 'x'.repeat(200_000) } })
      expect(answer.status).to.equal(422)
      expect(errorsOf(answer.body)).to.have.property('attributes')
      for (const auth of ['none', 'device'] as const) {
        expect((await test.call('PATCH', path, { auth, body: {} })).status).to.equal(401)
      }
    })
  })

  describe('GET v2/users', () => {
    it('shows users as the contract writes them', async () => {
      await upload('I1', [
        {
          type: 'k.stats.installTracked',
          uuid: '1',
          timestamp: test.clock.now() - 5000,
          data: {
            app: { version: '3.1' },
            sdk: { id: 4, version: '10.0.0' },
            os: { id: 1, version: '15.4' },
            device: { name: 'iPhone13,2', tz: 'Europe/London', locale: 'en-GB' },
          },
        },
        {
          type: 'k.stats.userAssociated',
          uuid: '2',
          timestamp: test.clock.now() - 4000,
          data: { id: 'anna', attributes: { a: 1 } },
        },
      ])
      await upload('I2', [])
      const answer = await test.call('GET', '/crm/v2/users?currentPage=1&numberPerPage=50')
      expect(answer.status).to.equal(200)
      const second = { ...(answer.body as { users: Json[] }).users[1] }
      expect(answer.body).to.deep.equal({
        users: [
          {
            identifier: 'anna',
            attributes: { a: 1 },
            firstActive: '2026-03-01T11:59:56+0000',
            lastActive: '2026-03-01T11:59:56+0000',
            inAppEnabled: false,
            createdAt: '2026-03-01T12:00:00+0000',
            updatedAt: '2026-03-01T12:00:00+0000',
            installs: [
              {
                id: 'I1',
                subscribedToPushNotifications: false,
                os: 'iOS',
                osVersion: '15.4',
                sdkType: 'swift',
                sdkVersion: '10.0.0',
                lastActive: '2026-03-01T11:59:56+0000',
                appVersion: '3.1',
                countryIsoCode: 'GB',
                timezone: 'Europe/London',
                locale: 'en-GB',
                deviceModel: 'iPhone13,2',
                deviceName: 'iPhone 12',
              },
            ],
          },
          second,
        ],
        totalUsers: 2,
        currentPage: 1,
      })
      expect(second).to.include({ identifier: 'I2' })
      expect((second.installs as Json[])[0]).to.include({ id: 'I2', os: null, deviceName: null })
    })

    it('tells what the contract does not know of installs only when asked', async () => {
      const listed = async (query: string) => {
        const { body } = await test.call('GET', `/crm/v2/users?currentPage=1&numberPerPage=9${query}`)
        return (body as { users: { installs: Json[] }[] }).users.map(({ installs }) => installs[0]!)
      }
      const data = { app: { target: '2' }, device: { isSimulator: true }, ios: { push: { timeSensitive: false } } }
      await upload('I1', [{ type: 'k.stats.installTracked', uuid: '1', timestamp: test.clock.now(), data }])
      await upload('I2', [])
      const plain = await listed('')
      for (const install of plain)
        expect(install).not.to.have.any.keys('buildKind', 'simulator', 'timeSensitive', 'transport')
      expect(await listed('&include=device')).to.deep.equal([
        { ...plain[0], buildKind: 'release', simulator: true, timeSensitive: false, transport: null },
        { ...plain[1], buildKind: null, simulator: null, timeSensitive: null, transport: null },
      ])
    })

    it('has an empty page past the end', async () => {
      const answer = await test.call('GET', '/v2/users?currentPage=7&numberPerPage=1000')
      expect(answer.body).to.deep.equal({ users: [], totalUsers: 0, currentPage: 7 })
    })

    for (const [query, keys] of [
      ['', ['currentPage', 'numberPerPage']],
      ['?currentPage=1', ['numberPerPage']],
      ['?currentPage=0&numberPerPage=1001', ['currentPage', 'numberPerPage']],
      ['?currentPage=1.5&numberPerPage=abc', ['currentPage', 'numberPerPage']],
      ['?currentPage=1&currentPage=2&numberPerPage=5', ['currentPage']],
      ['?currentPage=1&numberPerPage=5&include=everything', ['include']],
    ] as const) {
      it(`answers 422 to "${query}", naming ${keys.join(' and ')}`, async () => {
        const answer = await test.call('GET', `/crm/v2/users${query}`)
        expect(answer.status).to.equal(422)
        expect(errorsOf(answer.body)).to.have.all.keys(...keys)
      })
    }
  })

  describe('attributes', () => {
    for (const identifier of ['anna', 'a/b', 'a@b.example', 'a+b', 'a b', 'größe 😀', '100%', '..', 'attributes']) {
      it(`of ${JSON.stringify(identifier)} are put, read and deleted`, async () => {
        const path = `/crm/v1/users/${identifier === '..' ? '%2E%2E%2F' : encodeURIComponent(identifier)}/attributes`
        const called = identifier === '..' ? '../' : identifier
        const put = await test.call('PUT', path, { body: { x: [1, null] } })
        expect([put.status, put.body]).to.deep.equal([200, { identifier: called, attributes: { x: [1, null] } }])
        const read = await test.call('GET', path)
        expect([read.status, read.body]).to.deep.equal([200, { x: [1, null] }])
        const removed = await test.call('DELETE', path)
        expect([removed.status, removed.body]).to.deep.equal([204, undefined])
        expect((await test.call('GET', path)).body).to.deep.equal({})
      })
    }

    it('of an unknown user are 404 to read and 400 to delete', async () => {
      const read = await test.call('GET', '/crm/v1/users/nobody/attributes')
      expect([read.status, Object.keys(read.body as Json)]).to.deep.equal([404, ['error']])
      const removed = await test.call('DELETE', '/crm/v1/users/nobody/attributes')
      expect([removed.status, Object.keys(removed.body as Json)]).to.deep.equal([400, ['error']])
    })

    for (const body of ['', '{', 'null', '[]', '5', '"x"', '{"a":1}}']) {
      it(`answer 422 to the body ${JSON.stringify(body)} and make no user`, async () => {
        const answer = await test.call('PUT', '/crm/v1/users/anna/attributes', { body })
        expect(answer.status).to.equal(422)
        expect(errorsOf(answer.body)).to.have.all.keys('')
        expect((await test.call('GET', '/crm/v1/users/anna/attributes')).status).to.equal(404)
      })
    }

    it('cannot be given to a user whose name no database can store', async () => {
      for (const name of ['a%00b', 'x'.repeat(256)]) {
        const answer = await test.call('PUT', `/crm/v1/users/${name}/attributes`, { body: {} })
        expect([answer.status, Object.keys(errorsOf(answer.body))]).to.deep.equal([422, ['userId']])
        expect((await test.call('GET', `/crm/v1/users/${name}/attributes`)).status).to.equal(404)
        expect((await test.call('DELETE', `/crm/v1/users/${name}/attributes`)).status).to.equal(400)
      }
    })
  })
})
