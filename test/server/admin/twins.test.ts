import { expect } from 'chai'
import { twinRoutes } from '../../../src/server/admin/twins.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addInstall } from '../../support/installs.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'
import { column } from '../../support/tables.ts'

describe('routes of the server API for people', () => {
  let test: TestServer
  let owner: TestPerson
  let viewer: TestPerson
  let base: string
  let channel: string

  before(async () => {
    test = await openTestServer()
    owner = await addPerson(test.program)
    base = `/admin/v1/apps/${test.first.id}`
    viewer = await addPerson(test.program, { roles: [{ appId: test.first.id, role: 'viewer' }], scopes: ['see'] })
    await addInstall(test.program, test.first.id, 'i1', { user: 'alice@example.com' })
  })
  after(() => test.close())

  const call = (method: string, path: string, body?: unknown, who = owner) =>
    test.call(method, `${base}${path}`, { auth: `Bearer ${who.token}`, ...(body !== undefined && { body }) })
  const audit = async () =>
    (await test.program.audit.list({ limit: 100 })).entries.map(({ action, target, before, after, who }) => ({
      action,
      target,
      before,
      after,
      who,
    }))

  it('answer what the server API answers', async () => {
    const made = await call('POST', '/channels', { uuid: 'news', name: 'News' })
    expect(made.status).to.equal(201)
    channel = String((made.body as { id: number }).id)
    const same = await test.call('GET', `/messages/channels/${channel}`)
    expect((await call('GET', `/channels/${channel}`)).body).to.deep.equal(same.body)
    expect((await call('GET', '/channels')).body).to.deep.equal((await test.call('GET', '/messages/channels')).body)
    expect((await call('POST', '/channels', { name: 7 })).body).to.have.nested.property('errors.name')
  })

  it('tell the audit log what a thing was before and what it is now', async () => {
    const answer = await call('PUT', `/channels/${channel}`, { name: 'Fresh news' })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    const [row] = await audit()
    expect(row).to.include({ action: 'channels.update', target: channel })
    expect(row!.before).to.include({ name: 'News' })
    expect(row!.after).to.include({ name: 'Fresh news' })
  })

  it('leave no row when the call is refused', async () => {
    const before = (await audit()).length
    expect((await call('PUT', '/channels/nobody', { name: 'x' })).status).to.equal(404)
    expect((await call('PUT', `/channels/${channel}`, { name: 7 })).status).to.equal(422)
    expect(await audit()).to.have.length(before)
  })

  it('name nobody in the audit log when people are changed, and say the same of the same person', async () => {
    const path = `/users/${encodeURIComponent('alice@example.com')}/attributes`
    await call('PUT', path, { city: 'Vienna' })
    await call('PATCH', path, { city: 'Graz' })
    const [second, first] = await audit()
    expect(first).to.include({ action: 'users.attributes.update', before: null, after: null })
    expect(first!.target).to.match(/^[0-9a-f]{16}$/)
    expect(second!.target).to.equal(first!.target)
    expect(JSON.stringify(await audit())).to.not.include('alice')
  })

  it('keep credentials of gateways out of the audit log', async () => {
    const answer = await call('PUT', '/gateways', { android: { serviceAccount: '{"private_key":"S3cret"}' } })
    expect(answer.status).to.equal(422)
    await call('PUT', '/gateways', { web: {} })
    const [row] = await audit()
    expect(row).to.include({ action: 'gateways.update', before: null, after: null })
  })

  it('show viewers how many there are and nobody of them', async () => {
    const { status, body } = await call('GET', '/users?currentPage=1&numberPerPage=10', undefined, viewer)
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(JSON.stringify(body)).to.not.include('alice')
    const [user] = (body as { users: { identifier: string; installs: unknown[] }[] }).users
    expect(user).to.include({ identifier: 'al•••' })
    expect(user!.installs).to.have.length(1)
    expect(JSON.stringify(user!.installs)).to.include('"id":"•••"')
    expect((await call('POST', '/channels', { name: 'x' }, viewer)).status).to.equal(403)
    // Neither by what cannot be masked nor by what a filter finds.
    const attributes = `/users/${encodeURIComponent('alice@example.com')}/attributes`
    expect((await call('GET', attributes, undefined, viewer)).status).to.equal(403)
    expect((await call('GET', attributes)).status).to.equal(200)
    const filter = encodeURIComponent('{"field":"attributes.city","op":"equals","value":"Graz"}')
    expect((await call('GET', `/users?filter=${filter}`, undefined, viewer)).status).to.equal(403)
    expect((await call('GET', `/users?filter=${filter}`)).status).to.equal(200)
  })

  it('answer addresses below the app', async () => {
    await test.program.inTransaction((tx) => tx.tables.create(test.first.id, 'things', [column('n', 'integer')]))
    const { status, headers } = await call('POST', `/data/${test.first.id}_things`, { n: 1 })
    expect(status).to.equal(201)
    expect(headers.get('location')).to.match(new RegExp(`^http://[^/]+${base}/data/\\d+_things/\\d+$`))
  })

  it('are of one app, ask for a right, and note every write', () => {
    for (const { method, path, right, audit: action, needs } of twinRoutes) {
      expect(path).to.match(/^\/v1\/apps\/:appId\//)
      expect(needs, path).to.equal('person')
      expect(right, path).to.be.a('string')
      // A count that is kept is what was asked for, and no change.
      const asks = /\/(preview|count)$/.test(path)
      if (method !== 'get' && !asks) expect(action, path).to.match(/^[a-z-]+(\.[a-z-]+)+$/)
    }
    const named = twinRoutes.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(named).size).to.equal(named.length)
  })
})
