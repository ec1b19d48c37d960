import { expect } from 'chai'
import { routes } from '../../../src/server/routes.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'

/** Everything that SDKs call (docs/reference/device-protocol.md section 1), as browsers and misspelt headers meet it. */
describe('every door for devices', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
  })
  after(() => test.close())

  const doors = routes
    .filter(({ device }) => device)
    .map(({ method, path, needs }) => ({ method: method.toUpperCase(), path: path.replace(/:\w+/g, 'x'), needs }))

  it('answers the preflight of a browser without keys', async () => {
    for (const { method, path } of doors) {
      const { status, headers } = await test.call('OPTIONS', path, {
        auth: 'none',
        headers: { origin: 'https://shop.example', 'access-control-request-method': method },
      })
      expect(status, path).to.equal(204)
      expect(headers.get('access-control-allow-origin'), path).to.equal('*')
      expect(headers.get('access-control-allow-headers'), path).to.equal('authorization, content-type, accept')
      expect(headers.get('access-control-allow-methods'), path).to.include(method)
      expect(headers.get('allow'), path).to.include(method)
    }
  })

  it('lets a browser read its refusals', async () => {
    for (const { method, path, needs } of doors.filter((door) => door.needs !== 'path-key')) {
      const { status, headers } = await test.call(method, path, { auth: 'none' })
      expect(status, `${path} ${needs}`).to.equal(401)
      expect(headers.get('access-control-allow-origin'), path).to.equal('*')
    }
  })

  it('minds no Accept', async () => {
    for (const { method, path } of doors) {
      const { status } = await test.call(method, path, { auth: 'device', headers: { accept: 'appliction/json' } })
      expect(status, `${method} ${path}`).to.be.below(500).and.not.equal(406).and.not.equal(415)
    }
  })

  it('is there for every call that the SDKs make', () => {
    const known = new Set(doors.map(({ method, path }) => `${method} ${path}`))
    for (const call of [
      'POST /v1/app-installs/x/events',
      'GET /v1/users/x/channels',
      ...['POST', 'DELETE', 'PUT'].flatMap((method) => [
        `${method} /v1/users/x/channels/subscriptions`,
        `${method} /v1/app-installs/x/channels/subscriptions`,
      ]),
      'POST /v1/channels',
      'GET /v1/app-installs/x/channels',
      'GET /v1/deeplinks/x',
      'GET /v1/deeplinks/_taps',
      'GET /v1/banners',
      'POST /v1/banners/x/taps',
      'POST /v1/track/x/acra/x',
      'POST /v1/track/x/kscrash/x',
      'POST /b2.2/x/x',
      'POST /v1/users/x/checkins',
      'GET /v1/users/x/open-checkins',
      'DELETE /v1/users/x/checkins/x',
      'DELETE /v1/users/x/checkins/x/contacts/x',
      'PUT /v1/app-installs/x',
      'PUT /v1/app-installs/x/location',
      'PUT /v1/app-installs/x/user-id',
      'PUT /v1/app-installs/x/push-token',
      'DELETE /v1/app-installs/x/push-token',
      'POST /v1/app-installs/x/opens',
    ]) {
      expect(known, call).to.include(call)
    }
  })

  it('takes names of any text in its path, as one segment', async () => {
    // The Android encoder leaves !*'() alone; the Swift one writes everything but letters, digits and -._~ as UTF-8.
    for (const name of ['a/b', 'anna+x@example.com', 'Łuk 日本 😀', '50%2F', "!*'()~-._", ' ', '?#&=;:,$']) {
      const encoded = encodeURIComponent(name)
      const path = `/v1/app-installs/${encoded}/events`
      expect((await test.call('POST', path, { auth: 'device', body: [] })).status, name).to.equal(202)
      const { installId } = await test.program.crm.showInstall(test.first.id, name)
      expect(installId).to.equal(name)
      const channel = { uuid: `of ${name}`, showInPortal: false, userIdentifier: name }
      expect((await test.call('POST', '/v1/channels', { auth: 'device', body: channel })).status, name).to.equal(201)
      const listed = await test.call('GET', `/v1/users/${encoded}/channels`, { auth: 'device' })
      expect(listed.body, name).to.deep.include({ uuid: channel.uuid, name: null, subscribed: true, meta: null })
      const left = await test.call('DELETE', `/v1/users/${encoded}/channels/subscriptions`, {
        auth: 'device',
        body: { uuids: [channel.uuid] },
      })
      expect(left.status, name).to.equal(204)
      expect((await test.call('GET', `/v1/users/${encoded}/channels`, { auth: 'device' })).body, name).to.deep.equal([])
    }
  })
})
