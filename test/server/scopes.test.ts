import { expect } from 'chai'
import { deleteApp } from '../../src/domain/apps/deletion.ts'
import { MAX_KEYS, SCOPES, type Scope } from '../../src/domain/apps/issued-keys.ts'
import { routes } from '../../src/server/routes.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { describeShapes, onEachDatabase } from '../support/program.ts'

const serverRoutes = routes.filter(({ needs }) => needs === 'server-key' || needs === 'own-app')

describe('scopes of routes', () => {
  it('every route of a server key names its scope, and no other route does', () => {
    const named = routes.filter(({ scope }) => scope !== undefined)
    expect(named.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(
      serverRoutes.map(({ method, path }) => `${method} ${path}`),
    )
    for (const { scope, path } of named) expect(SCOPES, path).to.include(scope)
  })

  it('reading changes nothing: only GETs and what stores nothing have the scope read', () => {
    const writing = serverRoutes.filter(({ scope, method }) => scope === 'read' && method !== 'get')
    expect(writing.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'post /v1/push-templates/:uid/preview',
      'post /v1/templates/:uid/preview',
      'post /v1/geofences/import/preview',
      'put /dsyms',
    ])
  })

  it('whatever sends needs the scope send, and whatever is of users the scope crm', () => {
    const scopeOf = (method: string, path: string) =>
      serverRoutes.filter((one) => one.method === method && one.path === path).map(({ scope }) => scope)
    expect(scopeOf('post', '/v2/notifications')).to.deep.equal(['send', 'send'])
    expect(scopeOf('post', '/notifications')).to.deep.equal(['send'])
    expect(scopeOf('post', '/v1/in-app-messages')).to.deep.equal(['send'])
    for (const { area, path, scope } of serverRoutes) if (area === 'crm') expect(scope, path).to.equal('crm')
  })
})

onEachDatabase('scoped server keys', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  after(() => test.close())

  const make = (...permissions: Scope[]) =>
    test.program.inTransaction((tx) => tx.serverKeys.create(test.first.id, { permissions }))
  const authOf = (key: string) => basic(test.first.apiKey, key)

  describeShapes(kind, 'at every route', () => {
    it('a key opens every route of its scopes and no other, and the refusal names the scope that is missing', async () => {
      for (const scope of SCOPES) {
        const auth = authOf((await make(scope)).key)
        for (const route of serverRoutes) {
          const [area] = [route.area].flat()
          const path = `/${area}${route.path}`.replace(':appId', String(test.first.id)).replace(/[:*]\w+/g, '999999')
          // Nothing of a body: what is let in is refused for that, and stays without effect.
          const { status, body } = await test.call(route.method.toUpperCase(), path, {
            auth,
            ...(route.method === 'get' ? {} : { body: '[' }),
          })
          const what = `${route.method} ${path} with ${scope}`
          if (route.scope === scope) expect(status, what).to.not.be.oneOf([401, 403])
          else {
            expect(status, what).to.equal(403)
            expect(body, what).to.have.property('error').that.includes(`the scope ${route.scope}`).and.includes(scope)
          }
        }
      }
    })
  })

  it("the app's own server key keeps all scopes", async () => {
    for (const path of [
      '/messages/v2/notifications',
      '/crm/v1/users/nobody/attributes',
      `/push/v1/apps/${test.first.id}`,
    ]) {
      expect((await test.call('GET', path)).status, path).to.not.be.oneOf([401, 403])
    }
  })

  it('a key of no route kind but its own, of another app, revoked or half of one is 401', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const { key, id } = await make('read', 'send', 'crm', 'admin')
    const read = (auth: string, path = '/messages/v2/notifications') => test.call('GET', path, { auth })
    expect((await read(authOf(key))).status).to.equal(200)
    for (const auth of [
      basic(other.apiKey, key),
      basic('ak_unknown', key),
      basic(key, ''),
      basic(key, key),
      authOf(`${key}x`),
      authOf(key.slice(0, -1)),
      authOf('ss_'),
    ]) {
      const answer = await read(auth)
      expect(answer.status, auth).to.equal(401)
      expect(answer.headers.get('www-authenticate')).to.match(/^Basic realm=/)
    }
    expect((await read(authOf(key), '/data/v1/data/1_books')).status, 'no REST key').to.equal(401)
    expect((await read(basic(key, ''), '/data/v1/data/1_books')).status, 'no REST key either').to.equal(401)
    expect((await read(authOf(key), '/push/v1/web/config')).status, 'no device key').to.equal(401)
    expect((await read(authOf(key), `/push/v1/apps/${other.id}`)).status, 'no key of that app').to.equal(403)

    await test.program.inTransaction((tx) => tx.serverKeys.revoke(test.first.id, id))
    expect((await read(authOf(key))).status, 'revoked').to.equal(401)
  })

  it('REST keys and server keys do not open the doors of each other', async () => {
    const rest = await test.program.inTransaction((tx) => tx.restKeys.create(test.first.id, { permissions: ['read'] }))
    const auth = authOf(rest.key)
    expect((await test.call('GET', '/messages/v2/notifications', { auth })).status).to.equal(401)
    expect(await test.program.serverKeys.authenticate(rest.key)).to.equal(undefined)
    expect(await test.program.restKeys.authenticate((await make('read')).key)).to.equal(undefined)
  })

  it('notes when it was used last, once an hour, and no refused use', async () => {
    const { key, id } = await make('read')
    const last = async () => (await test.program.serverKeys.find(test.first.id, id))!.lastUsedAt
    await test.call('POST', '/messages/v2/notifications', { auth: authOf(key), body: {} })
    expect(await last()).to.equal(null)
    await test.call('GET', '/messages/v2/notifications', { auth: authOf(key) })
    const first = await last()
    expect(first).to.equal(test.clock.now())
    test.clock.advance(59 * 60_000)
    await test.call('GET', '/messages/v2/notifications', { auth: authOf(key) })
    expect(await last()).to.equal(first)
    test.clock.advance(60_000)
    await test.call('GET', '/messages/v2/notifications', { auth: authOf(key) })
    expect(await last()).to.equal(first! + 3_600_000)
  })

  it('is stored as a digest, and its id names no key of the other kind', async () => {
    const { key, id } = await make('send')
    const rest = await test.program.inTransaction((tx) => tx.restKeys.create(test.first.id, { permissions: ['read'] }))
    const rows = await test.program.kernel.db.read('issued_keys')
    expect(JSON.stringify(rows)).to.not.include(key.slice(8)).and.to.not.include(rest.key.slice(8))
    expect(id).to.not.equal(rest.id)
    expect(await test.program.restKeys.find(test.first.id, id)).to.equal(undefined)
  })

  it('an app has only so many in force, also when they are made at once; a revoked one makes room', async () => {
    const { id: appId } = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Many' }))
    const one = () => test.program.inTransaction((tx) => tx.serverKeys.create(appId, { permissions: ['read'] }))
    const made = await Promise.allSettled(Array.from({ length: MAX_KEYS + 5 }, one))
    expect(made.filter(({ status }) => status === 'fulfilled')).to.have.length(MAX_KEYS)
    const [key] = await test.program.serverKeys.list(appId)
    await test.program.inTransaction((tx) => tx.serverKeys.revoke(appId, key!.id))
    expect((await one()).hint).to.match(/^ss_/)
  })

  it('goes with its app, and stops as soon as that begins to be deleted', async () => {
    const gone = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Gone' }))
    const { key } = await test.program.inTransaction((tx) => tx.serverKeys.create(gone.id, { permissions: ['read'] }))
    await test.program.inTransaction((tx) => tx.apps.close(gone.id))
    expect(await test.program.serverKeys.authenticate(key)).to.equal(undefined)
    await deleteApp(
      { inTransaction: test.program.inTransaction, clock: { monotonic: () => 0, sleep: async () => {} } },
      gone.id,
    )
    expect(await test.program.serverKeys.list(gone.id)).to.deep.equal([])
  })
})
