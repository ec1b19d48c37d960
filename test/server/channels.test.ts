import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { type Answer, basic, openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { describeShapes, onEachDatabase } from '../support/program.ts'
import { mountSmallDisk, needsSmallDisk } from '../support/small-disk.ts'

type Json = Record<string, unknown>

onEachDatabase('the channel interface', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  beforeEach(() => test.startOver())
  after(() => test.close())

  const errorsOf = ({ body }: Answer) => (body as { errors: Record<string, string[]> }).errors
  const create = async (body: object, path = '/messages/channels') => {
    const answer = await test.call('POST', path, { body })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body as Json & { id: number; uuid: string }
  }

  describe('of servers', () => {
    const routes: [string, string, object?][] = [
      ['POST', '/messages/channels', { uuid: 'x' }],
      ['POST', '/push/channels', { uuid: 'x' }],
      ['GET', '/messages/channels'],
      ['GET', '/push/channels/1'],
      ['PUT', '/messages/channels/1', {}],
      ['DELETE', '/push/channels/1'],
      ['POST', '/push/channels/1/subscriptions', { installIds: ['i'] }],
      ['DELETE', '/push/channels/1/subscriptions', { installIds: ['i'] }],
      ['POST', '/messages/v2/channels/x/subscriptions', { installIds: ['i'] }],
      ['DELETE', '/messages/v2/channels/x/subscriptions', { installIds: ['i'] }],
      ['POST', '/messages/v2/channels/x/subscribers-file'],
      ['GET', '/messages/v2/channels/x/imports'],
      ['GET', '/messages/v2/channels/x/imports/1'],
    ]
    for (const [method, path, body] of routes) {
      it(`asks for the server key on ${method} ${path}`, async () => {
        for (const auth of ['none', 'device', 'Basic !', 'Bearer x'] as const) {
          expect((await test.call(method, path, { auth, ...(body && { body }) })).status, auth).to.equal(401)
        }
      })
    }

    for (const host of ['messages', 'push']) {
      it(`a channel is made, changed and deleted on the ${host} host as the contract writes it`, async () => {
        const made = await test.call('POST', `/${host}/channels`, {
          body: { uuid: 'news', name: 'News', showInPortal: true, meta: { icon: 'n.png' } },
        })
        expect(made.status).to.equal(201)
        const { id } = made.body as { id: number }
        expect(made.body).to.deep.equal({
          id,
          appId: test.first.id,
          uuid: 'news',
          name: 'News',
          showInPortal: true,
          meta: { icon: 'n.png' },
          createdAt: '2026-03-01 12:00:00',
          updatedAt: '2026-03-01 12:00:00',
        })
        test.clock.advance(61_000)
        const path = `/${host}/channels/${id}`
        const changed = await test.call('PUT', path, { body: { meta: null, uuid: 'news-2', other: 1 } })
        expect(changed.status).to.equal(200)
        expect(changed.body).to.deep.equal({
          ...(made.body as Json),
          uuid: 'news-2',
          meta: null,
          updatedAt: '2026-03-01 12:01:01',
        })
        expect((await test.call('GET', path)).body).to.deep.equal(changed.body)
        const gone = await test.call('DELETE', path)
        expect([gone.status, gone.body]).to.deep.equal([204, undefined])
        for (const method of ['GET', 'DELETE', 'PUT']) {
          const answer = await test.call(method, path, method === 'PUT' ? { body: {} } : {})
          expect([answer.status, Object.keys(answer.body as Json)], method).to.deep.equal([404, ['error']])
        }
      })
    }

    it('only the uuid is needed; what is absent has its default', async () => {
      expect(await create({ uuid: 'x' })).to.include({ name: null, showInPortal: false, meta: null })
      expect(await create({ uuid: 'y', name: null, meta: null })).to.include({ name: null, meta: null })
    })

    const long = 'x'.repeat(256)
    for (const [body, keys] of [
      [{}, ['uuid']],
      [{ uuid: null }, ['uuid']],
      [{ uuid: '' }, ['uuid']],
      [{ uuid: 1.5 }, ['uuid']],
      [{ uuid: 2 ** 53 }, ['uuid']],
      [{ uuid: 5 }, ['uuid']],
      [{ uuid: long }, ['uuid']],
      [{ uuid: 'a\u0000' }, ['uuid']],
      [{ uuid: 'x', name: '' }, ['name']],
      [{ uuid: 'x', name: long }, ['name']],
      [{ uuid: 'x', name: 7 }, ['name']],
      [{ uuid: 'x', showInPortal: 'true' }, ['showInPortal']],
      [{ uuid: 'x', showInPortal: true }, ['name']],
      [{ uuid: 'x', showInPortal: true, name: null }, ['name']],
      [{ uuid: 'x', meta: [] }, ['meta']],
      [{ uuid: 'x', meta: 'm' }, ['meta']],
      [{ uuid: 'x', meta: { half: '\ud800' } }, ['meta.half']],
      [{ uuid: 1, name: 1, showInPortal: 1, meta: 1 }, ['uuid', 'name', 'showInPortal', 'meta']],
      [[], ['']],
      ['5', ['']],
      ['{"uuid"', ['']],
    ] as [unknown, string[]][]) {
      it(`creating ${JSON.stringify(body).slice(0, 60)} is 422 naming ${keys.join(', ')}`, async () => {
        const answer = await test.call('POST', '/channels', { body })
        expect(answer.status).to.equal(422)
        expect(errorsOf(answer)).to.have.all.keys(...keys)
        expect((await test.call('GET', '/channels')).body).to.deep.equal({ channels: [], next: null })
      })
    }

    it('a uuid that is taken is 422 naming it, also when a channel is changed', async () => {
      const first = await create({ uuid: 'a' })
      const second = await create({ uuid: 'b' })
      const again = await test.call('POST', '/push/channels', { body: { uuid: 'a' } })
      expect([again.status, Object.keys(errorsOf(again))]).to.deep.equal([422, ['uuid']])
      const moved = await test.call('PUT', `/channels/${second.id}`, { body: { uuid: 'a' } })
      expect([moved.status, Object.keys(errorsOf(moved))]).to.deep.equal([422, ['uuid']])
      expect((await test.call('PUT', `/channels/${first.id}`, { body: { uuid: 'a' } })).status).to.equal(200)
    })

    it('a channel in the portal cannot lose its name', async () => {
      const { id } = await create({ uuid: 'a', name: 'A', showInPortal: true })
      const answer = await test.call('PUT', `/channels/${id}`, { body: { name: null } })
      expect([answer.status, Object.keys(errorsOf(answer))]).to.deep.equal([422, ['name']])
      expect(
        (await test.call('PUT', `/channels/${id}`, { body: { name: null, showInPortal: false } })).body,
      ).to.include({
        name: null,
        showInPortal: false,
      })
    })

    for (const body of [{ uuid: '' }, { showInPortal: 1 }, { name: 1 }, { meta: 1 }]) {
      it(`changing to ${JSON.stringify(body)} is 422 and changes nothing`, async () => {
        const made = await create({ uuid: 'a', name: 'A', meta: { m: 1 } })
        const answer = await test.call('PUT', `/channels/${made.id}`, { body })
        expect([answer.status, Object.keys(errorsOf(answer))]).to.deep.equal([422, Object.keys(body)])
        expect((await test.call('GET', `/channels/${made.id}`)).body).to.deep.equal(made)
      })
    }

    it('the list goes on where the page before ended', async () => {
      for (const uuid of ['a', 'b', 'c']) await create({ uuid })
      const page = (await test.call('GET', '/push/channels?limit=2')).body as { channels: Json[]; next: number }
      expect(page.channels.map(({ uuid }) => uuid)).to.deep.equal(['a', 'b'])
      const rest = (await test.call('GET', `/channels?after=${page.next}`)).body as { channels: Json[]; next: null }
      expect([rest.channels.map(({ uuid }) => uuid), rest.next]).to.deep.equal([['c'], null])
      expect((await test.call('GET', '/channels?limit=0')).status).to.equal(422)
    })

    it('subscribers of the push host are all or nothing', async () => {
      await addInstall(test.program, test.first.id, 'one', { user: 'anna' })
      const { id } = await create({ uuid: 'c' })
      const path = `/push/channels/${id}/subscriptions`
      const counts = () => test.program.channels.counts(test.first.id, id)
      for (const body of [
        { installIds: ['one', 'nobody'] },
        { userIds: ['anna', 'nobody'] },
        { installIds: ['one'], userIds: ['nobody'] },
      ]) {
        for (const method of ['POST', 'DELETE']) {
          const answer = await test.call(method, path, { body })
          expect(answer.status).to.equal(404)
          expect((answer.body as { error: string }).error).to.include('"nobody"')
        }
      }
      expect(await counts()).to.deep.equal({ installs: 0, optedOut: 0, users: 0 })
      const both = { installIds: ['one', 'one'], userIds: ['anna'] }
      const done = await test.call('POST', path, { body: both })
      expect([done.status, done.body]).to.deep.equal([204, undefined])
      expect(await counts()).to.deep.equal({ installs: 1, optedOut: 0, users: 1 })
      expect((await test.call('DELETE', path, { body: both })).status).to.equal(204)
      expect(await counts()).to.deep.equal({ installs: 0, optedOut: 0, users: 0 })
      expect((await test.call('POST', '/push/channels/99/subscriptions', { body: both })).status).to.equal(404)
      expect((await test.call('POST', '/push/channels/x/subscriptions', { body: both })).status).to.equal(404)
    })

    it('subscribers of the messages host: the known ones are applied, the unknown ones told as they were written', async () => {
      await addInstall(test.program, test.first.id, '7', { user: 'anna' })
      const { id } = await create({ uuid: 'a/b c' })
      const path = `/messages/v2/channels/${encodeURIComponent('a/b c')}/subscriptions`
      const all = await test.call('POST', path, { body: { installIds: [7] } })
      expect([all.status, all.body]).to.deep.equal([204, undefined])
      const some = await test.call('POST', path, {
        body: { userIds: ['x', 'anna', 5, 'x', '5'], installIds: ['y', 7] },
      })
      expect([some.status, some.body]).to.deep.equal([
        200,
        { errors: { unknownInstallIds: ['y'], unknownUserIds: ['x', 5] } },
      ])
      expect(await test.program.channels.counts(test.first.id, id)).to.deep.equal({
        installs: 1,
        optedOut: 0,
        users: 1,
      })
      const away = await test.call('DELETE', path, { body: { userIds: ['anna', 'x'] } })
      expect([away.status, away.body]).to.deep.equal([200, { errors: { unknownUserIds: ['x'] } }])
      expect((await test.call('POST', '/v2/channels/no/subscriptions', { body: { userIds: ['x'] } })).status).to.equal(
        404,
      )
    })

    for (const [body, keys] of [
      [{}, ['installIds', 'userIds']],
      [{ installIds: [], userIds: [] }, ['installIds', 'userIds']],
      [{ installIds: 'one' }, ['installIds']],
      [{ installIds: null }, ['installIds', 'userIds']],
      [{ installIds: ['a', '', 1.5, {}] }, ['installIds[1]', 'installIds[2]', 'installIds[3]']],
      [{ userIds: ['x'.repeat(256)] }, ['userIds[0]']],
      [[], ['']],
      ['', ['']],
    ] as [unknown, string[]][]) {
      it(`subscribers ${JSON.stringify(body).slice(0, 60)} are 422 naming ${keys.join(', ')}`, async () => {
        const { id } = await create({ uuid: 'c' })
        for (const path of [`/push/channels/${id}/subscriptions`, '/messages/v2/channels/c/subscriptions']) {
          for (const method of ['POST', 'DELETE']) {
            const answer = await test.call(method, path, { body })
            expect(answer.status).to.equal(422)
            expect(errorsOf(answer)).to.have.all.keys(...keys)
          }
        }
      })
    }

    it('another app sees and changes nothing of it', async () => {
      const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
      const auth = basic(other.apiKey, other.serverKey)
      await addInstall(test.program, test.first.id, 'mine')
      const { id } = await create({ uuid: 'c', name: 'C' })
      await test.call('POST', `/push/channels/${id}/subscriptions`, { body: { installIds: ['mine'] } })
      for (const [method, path, body] of [
        ['GET', `/channels/${id}`],
        ['PUT', `/channels/${id}`, { name: 'stolen' }],
        ['DELETE', `/channels/${id}`],
        ['DELETE', `/push/channels/${id}/subscriptions`, { installIds: ['mine'] }],
        ['DELETE', '/messages/v2/channels/c/subscriptions', { installIds: ['mine'] }],
        ['GET', '/messages/v2/channels/c/imports'],
      ] as [string, string, object?][]) {
        expect((await test.call(method, path, { auth, ...(body && { body }) })).status, path).to.equal(404)
      }
      expect((await test.call('GET', '/channels', { auth })).body).to.deep.equal({ channels: [], next: null })
      // The same uuid is theirs to take, and our install unknown to them.
      expect((await test.call('POST', '/channels', { auth, body: { uuid: 'c' } })).status).to.equal(201)
      const answer = await test.call('POST', '/v2/channels/c/subscriptions', { auth, body: { installIds: ['mine'] } })
      expect(answer.body).to.deep.equal({ errors: { unknownInstallIds: ['mine'] } })
      expect(await test.program.channels.counts(test.first.id, id)).to.include({ installs: 1 })
    })

    it('a uuid that no channel can have is 404', async () => {
      for (const uuid of ['a%00b', 'x'.repeat(300), '%F0%9F%98%80']) {
        const subscribe = await test.call('POST', `/v2/channels/${uuid}/subscriptions`, { body: { userIds: ['x'] } })
        expect([subscribe.status, (await test.call('GET', `/v2/channels/${uuid}/imports`)).status]).to.deep.equal([
          404, 404,
        ])
      }
    })

    it('a repeat with the same idempotency key makes one channel', async () => {
      const headers = { 'idempotency-key': 'k' }
      const first = await test.call('POST', '/channels', { body: { uuid: 'a' }, headers })
      const again = await test.call('POST', '/channels', { body: { uuid: 'a' }, headers })
      expect([again.status, again.body]).to.deep.equal([201, first.body])
    })
  })

  describeShapes(kind, 'of devices', () => {
    const device = (method: string, path: string, body?: unknown) =>
      test.call(method, path, { auth: 'device', ...(body !== undefined && { body }) })
    const uuidsOf = async (path: string) =>
      ((await device('GET', path)).body as { uuid: string; subscribed: boolean }[]).map(
        ({ uuid, subscribed }) => `${uuid} ${subscribed ? 'yes' : 'no'}`,
      )
    const USER = '/crm/v1/users/anna/channels'
    const INSTALL = '/push/v1/app-installs/I1/channels'

    beforeEach(async () => {
      await create({ uuid: 'public', name: 'Public', meta: { a: 1 } })
      await create({ uuid: 'private' })
    })

    it('asks for the device key and answers browsers from everywhere', async () => {
      for (const [method, path] of [
        ['GET', USER],
        ['POST', `${USER}/subscriptions`],
        ['GET', INSTALL],
        ['PUT', `${INSTALL}/subscriptions`],
        ['DELETE', `${INSTALL}/subscriptions`],
        ['POST', '/push/v1/channels'],
      ] as const) {
        for (const auth of ['none', 'server'] as const) {
          const answer = await test.call(method, path, { auth })
          expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([401, '*'])
        }
        const preflight = await test.call('OPTIONS', path, { auth: 'none' })
        expect(preflight.status).to.equal(204)
        expect(preflight.headers.get('access-control-allow-methods')).to.include('DELETE').and.include('PUT')
        expect(preflight.headers.get('access-control-allow-headers')).to.include('authorization')
      }
    })

    it('the list has the shape that SDKs insist on', async () => {
      const answer = await device('GET', USER)
      expect([answer.status, answer.body]).to.deep.equal([
        200,
        [{ uuid: 'public', name: 'Public', subscribed: false, meta: { a: 1 } }],
      ])
      await device('POST', `${INSTALL}/subscriptions`, { uuids: ['private'] })
      expect((await device('GET', INSTALL)).body).to.deep.equal([
        { uuid: 'public', name: 'Public', subscribed: false, meta: { a: 1 } },
        { uuid: 'private', name: null, subscribed: true, meta: null },
      ])
    })

    it('an install is made on first sight, a user not before he is subscribed to something', async () => {
      const installs = async () =>
        (await test.program.crm.listInstalls(test.first.id, 0, 10)).map(({ installId }) => installId)
      await device('GET', USER)
      await device('DELETE', `${USER}/subscriptions`, { uuids: ['public'] })
      await device('PUT', `${USER}/subscriptions`, {})
      expect((await test.program.crm.lookupUsers(test.first.id, ['anna'])).size).to.equal(0)
      await device('POST', `${USER}/subscriptions`, { uuids: ['public'] })
      expect((await test.program.crm.lookupUsers(test.first.id, ['anna'])).size).to.equal(1)
      // Not in the list before an install or an association shows who it is.
      expect((await test.program.crm.listUsers(test.first.id, 1, 10)).total).to.equal(0)
      await device('GET', INSTALL)
      await device('POST', '/push/v1/app-installs/I2/channels/subscriptions', { uuids: [] })
      await device('POST', '/push/v1/channels', { uuid: 'new', installId: 'I3' })
      expect(await installs()).to.deep.equal(['I1', 'I2', 'I3'])
    })

    for (const [who, path] of [
      ['user', USER],
      ['install', INSTALL],
    ] as const) {
      it(`adds, removes and replaces the subscriptions of a ${who}`, async () => {
        const change = async (method: string, body: unknown) => {
          const answer = await device(method, `${path}/subscriptions`, body)
          expect([answer.status, answer.body], JSON.stringify(answer.body)).to.deep.equal([204, undefined])
          return uuidsOf(path)
        }
        expect(await change('POST', { uuids: ['private', 'private'] })).to.deep.equal(['public no', 'private yes'])
        expect(await change('POST', { uuids: [] })).to.deep.equal(['public no', 'private yes'])
        expect(await change('POST', {})).to.deep.equal(['public no', 'private yes'])
        expect(await change('PUT', { uuids: ['public'] })).to.deep.equal(['public yes'])
        expect(await change('DELETE', { uuids: [] })).to.deep.equal(['public yes'])
        expect(await change('DELETE', { uuids: ['public', 'private'] })).to.deep.equal(['public no'])
        for (const nothing of [{}, { uuids: [] }, { uuids: null }]) {
          await change('POST', { uuids: ['public', 'private'] })
          expect(await change('PUT', nothing), JSON.stringify(nothing)).to.deep.equal(['public no'])
        }
      })

      it(`an unknown uuid is 404 for a ${who}, and nothing is changed`, async () => {
        await device('POST', `${path}/subscriptions`, { uuids: ['private'] })
        for (const method of ['POST', 'PUT', 'DELETE']) {
          const answer = await device(method, `${path}/subscriptions`, { uuids: ['private', 'nowhere', 'public'] })
          expect(answer.status, method).to.equal(404)
          expect((answer.body as { error: string }).error).to.include('"nowhere"')
        }
        expect(await uuidsOf(path)).to.deep.equal(['public no', 'private yes'])
      })

      for (const [body, keys] of [
        [{ uuids: 'public' }, ['uuids']],
        [{ uuids: ['public', '', {}] }, ['uuids[1]', 'uuids[2]']],
        [{ uuids: Array.from({ length: 1001 }, String) }, ['uuids']],
        [[], ['']],
        ['', ['']],
      ] as [unknown, string[]][]) {
        it(`${JSON.stringify(body).slice(0, 40)} is 422 for a ${who}`, async () => {
          const answer = await device('POST', `${path}/subscriptions`, body)
          expect([answer.status, Object.keys(errorsOf(answer))]).to.deep.equal([422, keys])
          expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
        })
      }
    }

    it('any content type will do', async () => {
      const answer = await test.call('POST', `${INSTALL}/subscriptions`, {
        auth: 'device',
        body: '{"uuids":["public"]}',
        headers: { 'content-type': 'text/plain', accept: 'appliction/json' },
      })
      expect(answer.status).to.equal(204)
    })

    it('an identifier of several parts is one user', async () => {
      const path = `/crm/v1/users/${encodeURIComponent('a/b@c+d é')}/channels`
      await device('POST', `${path}/subscriptions`, { uuids: ['private'] })
      expect(await uuidsOf(path)).to.deep.equal(['public no', 'private yes'])
      expect((await test.program.crm.lookupUsers(test.first.id, ['a/b@c+d é'])).size).to.equal(1)
    })

    it('an identifier that nobody can have sees the public channels and is subscribed to none', async () => {
      for (const name of ['x'.repeat(256), 'a%00b']) {
        expect(await uuidsOf(`/crm/v1/users/${name}/channels`)).to.deep.equal(['public no'])
        const answer = await device('POST', `/crm/v1/users/${name}/channels/subscriptions`, { uuids: ['public'] })
        expect(answer.status).to.equal(422)
        expect((await device('GET', `/push/v1/app-installs/${name}/channels`)).status).to.equal(422)
      }
    })

    for (const path of ['/crm/v1/channels', '/push/v1/channels', '/v1/channels']) {
      it(`${path} makes a channel once and subscribes who asks`, async () => {
        const fresh = await device('POST', path, { uuid: 'mine', name: 'Mine', showInPortal: true, meta: { m: 1 } })
        expect([fresh.status, fresh.body]).to.deep.equal([
          201,
          { uuid: 'mine', name: 'Mine', subscribed: false, meta: { m: 1 } },
        ])
        const again = await device('POST', path, { uuid: 'mine', name: 'Other', userIdentifier: 'anna' })
        expect([again.status, again.body]).to.deep.equal([
          201,
          { uuid: 'mine', name: 'Mine', subscribed: true, meta: { m: 1 } },
        ])
        expect(await uuidsOf(USER)).to.deep.equal(['public no', 'mine yes'])
        const private_ = await device('POST', path, { uuid: 'own', name: null, meta: null, installId: 'I1' })
        expect([private_.status, private_.body]).to.deep.equal([
          201,
          { uuid: 'own', name: null, subscribed: true, meta: null },
        ])
        expect(await uuidsOf(INSTALL)).to.deep.equal(['public no', 'own yes'])
      })
    }

    for (const [body, keys] of [
      [{}, ['uuid']],
      [{ uuid: '' }, ['uuid']],
      [{ uuid: 'x', name: {} }, ['name']],
      [{ uuid: 'x', showInPortal: true }, ['name']],
      [{ uuid: 'x', showInPortal: true, name: ' ' }, ['name']],
      [{ uuid: 'x', showInPortal: 'maybe' }, ['showInPortal']],
      [{ uuid: 'x', meta: 'm' }, ['meta']],
      [{ uuid: 'x', installId: '' }, ['installId']],
      [{ uuid: 'x', userIdentifier: 5 }, ['userIdentifier']],
      [[], ['']],
    ] as [unknown, string[]][]) {
      it(`creating ${JSON.stringify(body)} is 422 naming ${keys.join(', ')}`, async () => {
        const answer = await device('POST', '/v1/channels', body)
        expect([answer.status, Object.keys(errorsOf(answer))]).to.deep.equal([422, keys])
      })
    }

    it('a private channel shows only to its subscribers, and the other app sees nothing', async () => {
      await device('POST', `${INSTALL}/subscriptions`, { uuids: ['private'] })
      expect(await uuidsOf('/push/v1/app-installs/I2/channels')).to.deep.equal(['public no'])
      const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
      const auth = basic(other.apiKey, other.secretKey)
      expect((await test.call('GET', INSTALL, { auth })).body).to.deep.equal([])
      const answer = await test.call('POST', `${INSTALL}/subscriptions`, { auth, body: { uuids: ['private'] } })
      expect(answer.status).to.equal(404)
    })
  })

  describeShapes(kind, 'of subscriber files', () => {
    const PATH = '/messages/v2/channels/c/subscribers-file'
    beforeEach(async () => {
      await create({ uuid: 'c' })
    })

    interface Part {
      content?: string | Uint8Array
      name?: string | null
      type?: string
      field?: string
    }

    /** A form with these parts, as browsers and HTTP libraries send it. */
    const upload = async (parts: Part[], path = PATH, headers: Record<string, string> = {}): Promise<Answer> => {
      const form = new FormData()
      for (const { content = 'anna\n', name = 'users.csv', type = 'text/csv', field = 'file' } of parts) {
        if (name === null) form.append(field, String(content))
        else form.append(field, new Blob([content], { type }), name)
      }
      const response = await fetch(test.address + path, {
        method: 'POST',
        headers: { authorization: basic(test.first.apiKey, test.first.serverKey), ...headers },
        body: form,
      })
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
    }
    const itOnSqlite = kind === 'sqlite' ? it : () => {}

    /** The files that wait: on PostgreSQL in the database, from their first slice on. */
    const filesLeft = async (): Promise<string[]> => {
      if (kind === 'postgres') {
        const rows: { file: string }[] = await test.program.kernel.db.read('subscriber_file_slices').distinct('file')
        return rows.map(({ file }) => `subscribers-${file}.csv`)
      }
      const directory = join(test.dir, 'uploads')
      return existsSync(directory) ? readdirSync(directory) : []
    }
    afterEach(async () => {
      rmSync(join(test.dir, 'uploads'), { recursive: true, force: true })
      await test.program.kernel.db.write((trx) => trx('subscriber_file_slices').delete())
    })

    // On PostgreSQL the file is in the database.
    itOnSqlite('gets 503 with Retry-After when the disk is full, and nothing of it stays', async function () {
      needsSmallDisk(this)
      const unmount = mountSmallDisk(join(test.dir, 'uploads'), '64k')
      try {
        const lines = Array.from({ length: 20_000 }, (_, i) => `person-${i}`)
        const answer = await upload([{ content: `${lines.join('\n')}\n` }])
        expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '30'])
        expect(answer.body).to.deep.equal({ error: 'the disk is full; try again' })
        expect(await filesLeft()).to.deep.equal([])
      } finally {
        unmount()
      }
    })

    it('is taken in, and the answer says where to look', async () => {
      const answer = await upload([
        { content: 'anna\nbert\n', field: 'whatever' },
        { name: null, content: 'ignored' },
      ])
      expect(answer.status).to.equal(202)
      const { import: taken } = answer.body as { import: Json & { id: string } }
      expect(taken).to.deep.equal({
        id: taken.id,
        state: 'queued',
        lines: 2,
        processed: 0,
        applied: 0,
        unknown: 0,
        error: null,
        createdAt: '2026-03-01 12:00:00',
        updatedAt: '2026-03-01 12:00:00',
      })
      expect(await filesLeft()).to.deep.equal([`subscribers-${taken.id}.csv`])
      const seen = await test.call('GET', `/messages/v2/channels/c/imports/${taken.id}`)
      expect(seen.body).to.deep.equal({ import: { ...taken, unknownUsers: [] } })
      expect((await test.call('GET', '/v2/channels/c/imports')).body).to.deep.equal({ imports: [taken], next: null })
      await create({ uuid: 'd' })
      expect((await test.call('GET', `/v2/channels/d/imports/${taken.id}`)).status).to.equal(404)
      expect((await test.call('GET', '/v2/channels/c/imports/1')).status).to.equal(404)
    })

    for (const type of [
      'application/vnd.ms-excel',
      'application/octet-stream',
      'application/csv',
      'Text/CSV; header=absent',
    ]) {
      it(`is taken in as ${type} too`, async () => {
        expect((await upload([{ type }])).status).to.equal(202)
      })
    }

    it('is taken in without a media type', async () => {
      const body = '--b\r\ncontent-disposition: form-data; name="file"; filename="u.csv"\r\n\r\nanna\r\n--b--\r\n'
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      expect((await test.call('POST', PATH, { body, headers })).status).to.equal(202)
    })

    it('an unknown channel is 404, and the file is not looked at', async () => {
      const answer = await upload(
        [{ content: new Uint8Array(3_000_000) }],
        '/messages/v2/channels/none/subscribers-file',
      )
      expect(answer.status).to.equal(404)
      expect(await filesLeft()).to.deep.equal([])
    })

    const x256 = 'x'.repeat(256)
    const refused: [string, Part[], string, RegExp][] = [
      ['no file', [], 'file', /is required/],
      ['a field that is no file', [{ name: null }], 'file', /is required/],
      ['two files', [{}, {}], 'file', /more than once/],
      ['another extension', [{ name: 'users.txt' }], 'file', /name that ends with \.csv/],
      ['an extension alone', [{ name: '.csv' }], 'file', /name that ends with \.csv/],
      ['another media type', [{ type: 'application/json' }], 'file', /media type text\/csv/],
      ['an empty file', [{ content: '' }], 'file', /is empty/],
      ['nothing but line ends', [{ content: '\r\n\n' }], 'file', /is empty/],
      ['two columns', [{ content: 'a\nb,c\n' }], 'file', /^line 2 has more than one column/],
      ['an empty line in between', [{ content: 'a\n\nb\n' }], 'file', /^line 2 is empty/],
      ['a long identifier', [{ content: `a\n${x256}\n` }], 'file', /^line 2 is longer than 255 characters/],
      ['no end of line for very long', [{ content: x256.repeat(1000) }], 'file', /^line 1 is longer than 255/],
      [
        'bytes that are no UTF-8',
        [{ content: new Uint8Array([97, 10, 0xff, 10]) }],
        'file',
        /^line 2 is not valid UTF-8/,
      ],
      ['UTF-16', [{ content: new Uint8Array([0xff, 0xfe, 97, 0]) }], 'file', /^line 1 is not valid UTF-8: .*UTF-16/],
      ['an open quote', [{ content: 'a\n"b\n' }], 'file', /^line 2 has a quote that is never closed/],
      ['a NUL', [{ content: 'a\n\0\n' }], 'file', /^line 2 contains a NUL/],
      [
        'more than 50 MiB',
        [{ content: 'x'.repeat(99).concat('\n').repeat(530_000) }],
        'file',
        /larger than 52428800 bytes/,
      ],
      ['too much of other fields', [{ name: null, content: 'x'.repeat(70_000) }, {}], '', /other fields/],
    ]
    for (const [what, parts, key, reason] of refused) {
      it(`${what} is 422, and nothing of the file stays`, async () => {
        const answer = await upload(parts)
        expect(answer.status).to.equal(422)
        expect(errorsOf(answer)).to.have.all.keys(key)
        expect(errorsOf(answer)[key]![0]).to.match(reason)
        expect(await filesLeft()).to.deep.equal([])
        expect((await test.call('GET', '/v2/channels/c/imports')).body).to.deep.equal({ imports: [], next: null })
      })
    }

    it('a body that is no form is refused', async () => {
      expect((await test.call('POST', PATH, { body: { file: 'x' } })).status).to.equal(415)
      expect(
        (await test.call('POST', PATH, { body: 'anna\n', headers: { 'content-type': 'text/csv' } })).status,
      ).to.equal(415)
      expect((await test.call('POST', PATH)).status).to.equal(422)
      for (const type of ['multipart/form-data', 'multipart/form-data; boundary=b']) {
        const answer = await test.call('POST', PATH, { body: 'anna\n', headers: { 'content-type': type } })
        expect([answer.status, Object.keys(errorsOf(answer))], type).to.deep.equal([422, ['']])
      }
      const packed = await upload([{}], PATH, { 'content-encoding': 'gzip' })
      expect(packed.status).to.equal(415)
    })

    it('an upload that breaks off leaves nothing', async () => {
      const abort = new AbortController()
      const body = new ReadableStream({
        pull(controller) {
          controller.enqueue(
            new TextEncoder().encode(
              '--b\r\ncontent-disposition: form-data; name="f"; filename="u.csv"\r\ncontent-type: text/csv\r\n\r\n' +
                // More than a slice.
                'anna\n'.repeat(120_000),
            ),
          )
          // Nothing more comes.
          return new Promise(() => {})
        },
      })
      const sent = fetch(test.address + PATH, {
        method: 'POST',
        signal: abort.signal,
        headers: {
          authorization: basic(test.first.apiKey, test.first.serverKey),
          'content-type': 'multipart/form-data; boundary=b',
        },
        body,
        duplex: 'half',
      })
      const failed = sent.then(
        () => false,
        () => true,
      )
      await eventually(async () => (await filesLeft()).length === 1, 'the file arrives')
      abort.abort()
      expect(await failed).to.equal(true)
      await eventually(async () => (await filesLeft()).length === 0, 'the file is removed')
    })

    it('a repeat with the same idempotency key and file is one import', async () => {
      const headers = { 'idempotency-key': 'once' }
      const first = await upload([{}], PATH, headers)
      const again = await upload([{}], PATH, headers)
      expect([again.status, again.body]).to.deep.equal([202, first.body])
      expect(await filesLeft()).to.have.length(1)
      const other = await upload([{ content: 'bert\n' }], PATH, headers)
      expect([other.status, Object.keys(errorsOf(other))]).to.deep.equal([422, ['Idempotency-Key']])
      expect(await filesLeft()).to.have.length(1)
    })
  })
})
