import { expect } from 'chai'
import type { SigningMode } from '../../../src/domain/crm/types.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addInstall, usersPage } from '../../support/installs.ts'
import { itOfShape, onEachDatabase } from '../../support/program.ts'
import { uploadedEvents } from '../../support/uploaded.ts'
import { addMessage, giveMessage } from '../../support/user-messages.ts'

type Json = Record<string, unknown>

const DAY = 86_400_000
const FRESH = '3f2b8a54-0c1d-4e5f-8a6b-7c8d9e0f1a2b'
const I1 = '00000000-0000-4000-8000-000000000001'
const I2 = '00000000-0000-4000-8000-000000000002'

onEachDatabase('signed users', (kind) => {
  const itAnswers = itOfShape(kind)
  let test: TestServer
  let appId: number
  let uuid = 0
  beforeEach(async () => {
    test = await openTestServer({ kind })
    appId = test.first.id
  })
  afterEach(() => test.close())

  const setMode = (mode: SigningMode) => test.program.inTransaction((tx) => tx.signedIds.setMode(appId, mode))
  const sign = (identifier: string, expiresAt: number | null = null) =>
    test.program.signedIds.sign(appId, identifier, expiresAt)
  const send = async (events: Json[], installId = I1) => {
    const body = events.map((event) => ({ uuid: `u${uuid++}`, timestamp: test.clock.now(), ...event }))
    const { status } = await test.call('POST', `/events/v1/app-installs/${installId}/events`, { auth: 'device', body })
    return status
  }
  const login = (id: unknown, attributes?: Json) =>
    send([{ type: 'k.stats.userAssociated', data: { id, ...(attributes && { attributes }) } }])
  const current = async (installId = I1) => (await test.program.crm.showInstall(appId, installId)).userIdentifier
  const stored = () => uploadedEvents(test.program, appId)
  const identifiers = async () => (await usersPage(test.program, appId, 1, 100)).users.map((user) => user.identifier)
  const device = (method: string, path: string, body?: unknown) =>
    test.call(method, path, { auth: 'device', ...(body !== undefined && { body }) })

  it('a login with a token is a login of the user it names, and the token is not kept', async () => {
    await setMode('require')
    const token = await sign('anna')
    expect(await login(token, { plan: 'gold' })).to.equal(202)
    expect(await current()).to.equal('anna')
    expect(await identifiers()).to.deep.equal(['anna'])
    expect(await test.program.crm.attributes(appId, 'anna')).to.deep.equal({ plan: 'gold' })
    await send([
      { type: 'k.inApp.statusUpdated', data: { consented: true }, userId: token },
      { type: 'shop.viewed', data: null, userId: token },
      { type: 'k.stats.userAssociationCleared', data: { oldUserIdentifier: token }, userId: token },
    ])
    expect((await test.program.crm.showUser(appId, 'anna')).inAppEnabled).to.equal(true)
    expect(await current()).to.equal(I1)
    const events = await stored()
    expect(JSON.stringify(events)).to.not.include('su1.')
    expect(events.map((event) => event.userIdentifier)).to.deep.equal([I1, 'anna', 'anna', 'anna'])
    expect(events[0]!.data).to.deep.equal({ id: 'anna', attributes: { plan: 'gold' } })
    expect(events[3]!.data).to.deep.equal({ oldUserIdentifier: 'anna' })
  })

  itAnswers('are signed for a server, which keeps nothing of a token either', async () => {
    await setMode('optional')
    const headers = { 'idempotency-key': 'once' }
    const { status } = await test.call('POST', '/crm/v1/users/anna/token', { body: {}, headers })
    expect(status).to.equal(200)
    expect(await test.program.kernel.db.read('idempotency_keys')).to.deep.equal([])
  })

  it('require: a plain login is stored without its effect, and never a 4xx', async () => {
    await test.program.inTransaction((tx) => tx.crm.putAttributes(appId, 'anna', { plan: 'gold' }))
    await setMode('require')
    expect(await login('anna', { plan: 'none' })).to.equal(202)
    expect(await login('nobody')).to.equal(202)
    expect(await login(12)).to.equal(202)
    expect(await login(I1)).to.equal(202)
    expect(await current()).to.equal(I1)
    expect(await identifiers()).to.deep.equal(['anna', I1])
    expect(await test.program.crm.attributes(appId, 'anna')).to.deep.equal({ plan: 'gold' })
    expect((await stored()).map(({ userIdentifier, data }) => [userIdentifier, data?.id])).to.deep.equal([
      [I1, 'anna'],
      [I1, 'nobody'],
      [I1, 12],
      [I1, I1],
    ])
  })

  it('require: events in the name of a plain user belong to the current one and do nothing for either', async () => {
    await addInstall(test.program, appId, I2, { user: 'anna' })
    const id = await addMessage(test.program, appId)
    await addInstall(test.program, appId, I1, { user: 'bob' })
    await giveMessage(test.program, appId, id, ['anna', 'bob'])
    await setMode('require')
    await send([
      { type: 'k.inApp.statusUpdated', data: { consented: true }, userId: 'anna' },
      { type: 'k.message.read', data: { type: 2, id }, userId: 'anna' },
      { type: 'k.push.deviceRegistered', data: { token: 'fresh', type: 2 }, userId: 'anna' },
    ])
    expect((await stored()).map((event) => event.userIdentifier)).to.deep.equal(['bob', 'bob', 'bob'])
    for (const name of ['anna', 'bob']) {
      expect((await test.program.crm.showUser(appId, name)).inAppEnabled, name).to.equal(false)
    }
    const { read } = await test.program.kernel.db.read('in_app_messages').where({ id }).first('read')
    expect(read).to.equal(0)
    // What an install says of itself holds.
    const [recipient] = await test.program.crm.deliveryRecipients(appId, [
      (await test.program.crm.showInstall(appId, I1)).row,
    ])
    expect(recipient!.token).to.equal('fresh')
  })

  itAnswers(
    'require: a known user is not to be had for his identifier, also when that looks like an install',
    async () => {
      const known = '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10'
      const anonymous = '0b8a2c64-1d0e-4a53-8f27-5d1f0e6c9a21'
      await test.program.inTransaction((tx) => tx.crm.putAttributes(appId, known, { plan: 'gold' }))
      await setMode('require')
      for (const path of ['messages', 'channels', 'open-checkins?deviceKey=k']) {
        const area = path === 'messages' ? 'push' : 'crm'
        const at = (name: string) => device('GET', `/${area}/v1/users/${name}/${path}`)
        expect((await at(known)).status, path).to.equal(403)
        expect((await at(await sign(known))).status, path).to.equal(200)
        // Nobody of the name yet: the first call of a new install.
        expect((await at(anonymous)).status, path).to.not.equal(403)
      }
    },
  )

  itAnswers('require: an anonymous install speaks for itself', async () => {
    await setMode('require')
    expect(await send([{ type: 'k.inApp.statusUpdated', data: { consented: true }, userId: I1 }])).to.equal(202)
    expect((await test.program.crm.showUser(appId, I1)).inAppEnabled).to.equal(true)
  })

  itAnswers('require: an install cannot be called like a known user to become him', async () => {
    await test.program.inTransaction((tx) => tx.crm.putAttributes(appId, 'anna', {}))
    await setMode('require')
    expect(await send([{ type: 'a' }], 'anna')).to.equal(403)
    expect((await device('GET', '/push/v1/app-installs/anna/channels')).status).to.equal(403)
    expect((await test.program.crm.showUser(appId, 'anna')).installs).to.deep.equal([])
  })

  it('require: an install cannot wait under the name of a user who has not logged in yet', async () => {
    await addInstall(test.program, appId, 'older', {})
    await setMode('require')
    for (const name of ['carl', 'carl@example.com', '4711']) {
      expect(await send([{ type: 'a' }], name)).to.equal(403)
      expect((await device('GET', `/push/v1/app-installs/${name}/channels`)).status).to.equal(403)
      expect((await device('PUT', `/v1/app-installs/${name}`, {})).status).to.equal(403)
      expect((await device('POST', `/v1/track/${test.first.apiKey}/acra/${name}`, {})).status).to.equal(403)
    }
    expect(await login(await sign('carl'))).to.equal(202)
    const { installs } = await test.program.crm.showUser(appId, 'carl')
    expect(installs.map(({ installId }) => installId)).to.deep.equal([I1])
    // SDKs write their UUIDs in either case, and an install that is known goes on.
    expect(await send([{ type: 'a' }], FRESH.toUpperCase())).to.equal(202)
    expect(await send([{ type: 'a' }], 'older')).to.equal(202)
  })

  itAnswers('an install is never called like a token', async () => {
    await setMode('optional')
    const token = await sign('anna')
    for (const mode of ['optional', 'off'] as const) {
      await setMode(mode)
      expect(await send([{ type: 'a' }], token), mode).to.equal(403)
      expect((await device('GET', `/push/v1/app-installs/${token}/channels`)).status, mode).to.equal(403)
    }
    expect(await identifiers()).to.deep.equal([])
  })

  itAnswers('a wrong token never becomes a user, whatever the app asks for', async () => {
    await setMode('optional')
    const token = await sign('anna')
    // The sixth last character, of which every bit counts.
    const forged = `${token.slice(0, -6)}${token.at(-6) === 'A' ? 'B' : 'A'}${token.slice(-5)}`
    const wrong = [forged, 'su1.YW5uYQ.0.x', await sign('anna', test.clock.now() - 1)]
    for (const mode of ['require', 'optional', 'off'] as const) {
      await setMode(mode)
      for (const one of wrong) {
        expect(await login(one)).to.equal(202)
        expect(await send([{ type: 'k.inApp.statusUpdated', data: { consented: true }, userId: one }])).to.equal(202)
        expect((await device('GET', `/crm/v1/users/${one}/channels`)).status, mode).to.equal(403)
      }
    }
    expect(await identifiers()).to.deep.equal([I1])
    expect(JSON.stringify(await stored())).to.not.include('su1.')
  })

  itAnswers(
    'optional: tokens and plain identifiers name the same user; off: tokens that are out there still do',
    async () => {
      await setMode('optional')
      const token = await sign('anna')
      await login('anna')
      expect(await current()).to.equal('anna')
      await login('bob')
      await login(token)
      expect(await current()).to.equal('anna')
      await setMode('off')
      await login('bob')
      await login(token)
      expect(await current()).to.equal('anna')
      expect(await identifiers()).to.have.members(['anna', 'bob'])
    },
  )

  describe('in the lists of devices', () => {
    const calls: [string, string, string, ((user: string) => unknown)?][] = [
      ['channels', 'GET', '/crm/v1/users/USER/channels'],
      ['subscribing', 'POST', '/crm/v1/users/USER/channels/subscriptions', () => ({ uuids: ['news'] })],
      ['unsubscribing', 'DELETE', '/crm/v1/users/USER/channels/subscriptions', () => ({ uuids: ['news'] })],
      ['replacing', 'PUT', '/crm/v1/users/USER/channels/subscriptions', () => ({ uuids: ['news'] })],
      ['making a channel', 'POST', '/crm/v1/channels', (user) => ({ uuid: 'news', userIdentifier: user })],
      ['messages', 'GET', '/push/v1/users/USER/messages'],
      ['check-ins', 'GET', '/crm/v1/users/USER/open-checkins?deviceKey=k'],
    ]
    for (const [what, method, path, body] of calls) {
      itAnswers(`${what}: require takes tokens and installs, and is 403 for plain identifiers`, async () => {
        await test.call('POST', '/messages/channels', { body: { uuid: 'news', name: 'News' } })
        await addInstall(test.program, appId, I2, { user: 'anna' })
        const call = async (user: string) => {
          const { status } = await device(method, path.replace('USER', encodeURIComponent(user)), body?.(user))
          return status < 300 ? 'taken' : status
        }
        expect(await call('anna')).to.equal('taken')
        await setMode('require')
        const token = await sign('anna')
        expect(await call('anna')).to.equal(403)
        expect(await call('stranger')).to.equal(403)
        expect(await call(token)).to.equal('taken')
        expect(await call(I2)).to.equal('taken')
        expect(await call(FRESH)).to.equal(what === 'messages' ? 404 : 'taken')
        expect(await identifiers()).to.not.include(token)
      })
    }

    it('a user who was first met in a call is none whom everybody may name', async () => {
      await test.call('POST', '/messages/channels', { body: { uuid: 'news', name: 'News' } })
      await setMode('require')
      const path = (user: string) => `/crm/v1/users/${user}/channels/subscriptions`
      expect((await device('POST', path(await sign('carl')), { uuids: ['news'] })).status).to.equal(204)
      expect((await device('PUT', path('carl'), { uuids: [] })).status).to.equal(403)
    })

    itAnswers('older SDKs log in with a token as newer ones do', async () => {
      await setMode('require')
      await device('PUT', `/events/v1/app-installs/${I1}/user-id`, { id: await sign('anna') })
      await device('PUT', `/events/v1/app-installs/${I2}/user-id`, { id: 'anna' })
      expect([await current(I1), await current(I2)]).to.deep.equal(['anna', I2])
    })

    itAnswers('a token reaches what the user has', async () => {
      await addInstall(test.program, appId, I2, { user: 'anna' })
      const id = await addMessage(test.program, appId)
      await giveMessage(test.program, appId, id, ['anna'])
      await setMode('require')
      const { body } = await device('GET', `/push/v1/users/${await sign('anna')}/messages`)
      expect((body as Json[]).map((message) => message.id)).to.deep.equal([id])
    })
  })

  describe('tokens for servers', () => {
    const ask = (body: unknown = {}, user = 'anna@example.com', auth: 'server' | 'device' | 'none' = 'server') =>
      test.call('POST', `/crm/v1/users/${encodeURIComponent(user)}/token`, { auth, body })

    itAnswers('are made on demand, with an expiry when one is asked for', async () => {
      await setMode('optional')
      const { status, body } = await ask({ expiresIn: 3600 })
      expect(status).to.equal(200)
      const token = await sign('anna@example.com', test.clock.now() + 3_600_000)
      expect(body).to.deep.equal({ userId: 'anna@example.com', token, expiresAt: '2026-03-01T13:00:00+0000' })
      expect((await ask()).body).to.deep.include({ token: await sign('anna@example.com'), expiresAt: null })
    })

    itAnswers('need the server key, a body that makes sense, and signed users switched on', async () => {
      expect((await ask()).status).to.equal(409)
      await setMode('optional')
      for (const auth of ['device', 'none'] as const) expect((await ask({}, 'anna', auth)).status, auth).to.equal(401)
      for (const body of [{ expiresIn: 1 }, { expiresIn: 'soon' }, []]) expect((await ask(body)).status).to.equal(422)
      for (const user of ['x'.repeat(200), await sign('anna')]) {
        const { status, body } = await ask({}, user)
        expect([status, Object.keys((body as { errors: Json }).errors)], user).to.deep.equal([422, ['userId']])
      }
    })
  })

  it('a new key leaves tokens of the old one good for the time of grace', async () => {
    const key = await setMode('optional')
    expect(key).to.match(/^uk_[\w-]{43}$/)
    expect(await setMode('require')).to.equal(undefined)
    const token = await sign('anna')
    const rotated = await test.program.inTransaction((tx) => tx.signedIds.rotate(appId, DAY))
    expect(rotated).to.match(/^uk_/).and.not.equal(key)
    expect(await sign('anna')).to.not.equal(token)
    const list = async (named: string) => (await device('GET', `/crm/v1/users/${named}/channels`)).status
    expect([await list(token), await list(await sign('anna'))]).to.deep.equal([200, 200])
    test.clock.advance(DAY)
    expect([await list(token), await list(await sign('anna'))]).to.deep.equal([403, 200])
    await test.program.inTransaction((tx) => tx.signedIds.rotate(appId, 0))
    expect((await test.program.signedIds.report(appId)).keys).to.have.length(1)
  })

  itAnswers('keys are sealed in the store', async () => {
    const key = (await setMode('optional'))!
    const rows = await test.program.kernel.db.read('user_signing_keys').select()
    expect(JSON.stringify(rows)).to.not.include(key).and.not.include(key.slice(10))
  })

  itAnswers('an app that signs has no bearing on another', async () => {
    await setMode('require')
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    expect(await test.program.signedIds.report(other.id)).to.deep.equal({ mode: 'off', keys: [] })
    expect(await test.program.signedIds.nameForDevice(other.id, 'anna')).to.equal('anna')
    const token = await sign('anna')
    let refused = ''
    await test.program.signedIds.nameForDevice(other.id, token).catch((error: Error) => (refused = error.message))
    expect(refused).to.include('not signed with a key of this app')
  })
})

onEachDatabase('installs of one user', (kind) => {
  it('are as many as the setting says; who is over keeps his user', async () => {
    const test = await openTestServer({ kind, settings: { 'limits.installsPerUser': '2' } })
    try {
      for (const installId of ['I1', 'I2', 'I3']) {
        const body = [{ type: 'k.stats.userAssociated', uuid: installId, timestamp: 1, data: { id: 'anna' } }]
        const path = `/events/v1/app-installs/${installId}/events`
        expect((await test.call('POST', path, { auth: 'device', body })).status).to.equal(202)
      }
      const user = await test.program.crm.showUser(test.first.id, 'anna')
      expect(user.installs.map((install) => install.installId)).to.deep.equal(['I1', 'I2'])
      expect((await test.program.crm.showInstall(test.first.id, 'I3')).userIdentifier).to.equal('I3')
    } finally {
      await test.close()
    }
  })
})
