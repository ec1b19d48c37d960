import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { MAX_KEYS } from '../../../src/domain/apps/issued-keys.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts'
import { credential } from '../../support/gateways.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson } from '../../support/people.ts'

interface Shown {
  platform: string
  state: string
  facts: { name: string; values: string[] }[]
  ends: string | null
}

describe('gateways, keys and webhooks of the admin interface', () => {
  let sandbox: Sandbox
  let dir: string
  let test: TestServer
  let token: string

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-rehearsal-'))
    sandbox = await startSandbox({ dir, clock: { ...systemClock, now: () => test?.clock.now() ?? Date.now() } })
    test = await openTestServer({ settings: { ...sandbox.settings, 'gateways.caFile': join(dir, 'ca.pem') } })
    // Certificates are judged by the machine's clock.
    test.clock.set(Date.now())
    token = (await addPerson(test.program)).token
  })
  after(async () => {
    await test?.close()
    await sandbox?.close()
    rmSync(dir, { recursive: true, force: true })
  })

  async function call<T>(method: string, path: string, body?: unknown, expected?: number): Promise<T> {
    const answer = await test.call(method, `/admin/v1/apps/${test.first.id}${path}`, {
      auth: `Bearer ${token}`,
      ...(body !== undefined && { body }),
    })
    if (expected !== undefined) expect(answer.status, JSON.stringify(answer.body)).to.equal(expected)
    else expect(answer.status, JSON.stringify(answer.body)).to.be.below(300)
    return answer.body as T
  }
  const stateOf = async (platform: string): Promise<Shown> =>
    (await call<{ items: Shown[] }>('GET', '/gateway-states')).items.find((one) => one.platform === platform)!

  it('recognises a service account without storing it, and never says its key', async () => {
    const { serviceAccount } = sandbox.credentials
    const answer = await call<{ items: Shown[] }>('POST', '/gateways/recognise', { android: { serviceAccount } })
    expect(answer.items[0]!.facts).to.deep.include({
      name: 'projectId',
      label: 'project',
      values: ['appsvc-sandbox'],
    })
    expect(JSON.stringify(answer)).to.not.include('PRIVATE')
    expect((await stateOf('android')).state).to.equal('missing')
  })

  it('says in a sentence which wrong file it is', async () => {
    for (const [file, says] of [
      [{ projectInfo: {}, client: [] }, 'is google-services.json'],
      [{ installed: { clientId: 'x' } }, 'is an OAuth client'],
      [{ type: 'authorized_user' }, 'is a file of the type "authorized_user", not a service account'],
      [{}, 'is required'],
    ] as const) {
      const body = { android: { serviceAccount: file } }
      expect(JSON.stringify(await call('POST', '/gateways/recognise', body, 422))).to.include(
        says.replaceAll('"', '\\"'),
      )
    }
  })

  it('tells the steps and the fields of every gateway', async () => {
    for (const { platform } of (await call<{ items: Shown[] }>('GET', '/gateway-states')).items) {
      const { ways } = await call<{ ways: { steps: unknown[]; fields: { name: string }[] }[] }>(
        'GET',
        `/gateways/${platform}`,
      )
      expect(ways.length, platform).to.be.above(0)
      for (const { steps, fields } of ways) expect([steps.length, fields.length].every((n) => n > 0)).to.equal(true)
    }
    await call('GET', '/gateways/fax', undefined, 404)
  })

  it('refuses to rehearse without the gateway of the phone, then lets gateways lead to the sandbox and registers phones', async () => {
    await call('POST', '/sandbox/phones', { kind: 'chrome' }, 409)
    const { platforms } = await call<{ platforms: string[] }>('POST', '/sandbox', undefined)
    expect(platforms).to.include.members(['ios', 'android', 'web'])
    expect((await call<{ platforms: string[] }>('POST', '/sandbox')).platforms).to.deep.equal([])
    expect((await stateOf('ios')).state).to.equal('ready')
    expect((await stateOf('ios')).ends).to.be.a('string')
    for (const kind of ['iphone', 'android', 'chrome', 'unifiedpush']) {
      const phone = await call<{ installId: string; name: string }>('POST', '/sandbox/phones', { kind, userId: 'anna' })
      expect(phone.name).to.match(/ of anna$/)
      const install = await test.program.crm.showInstall(test.first.id, phone.installId)
      expect([install.subscribed, install.userIdentifier]).to.deep.equal([true, 'anna'])
      const { notification } = await call<{ notification: number }>('POST', '/push-tries', { to: phone.installId })
      expect(notification).to.be.above(0)
    }
    await call('POST', '/push-tries', { to: 'nobody' }, 422)
  })

  it('checks a gateway with its vendor, and tells the remedy of what is wrong', async () => {
    const good = await call<{ findings: { level: string }[] }>('POST', '/gateways/android/check')
    expect(good.findings.map(({ level }) => level)).to.include('ok')
    await sandbox.setPlan({ rules: [{ match: { on: 'fcm-token' }, effect: { reason: 'invalid_grant' } }] })
    const bad = await call<{ findings: { level: string; remedy: string | null }[] }>('POST', '/gateways/android/check')
    await sandbox.setPlan({})
    expect(bad.findings.find(({ level }) => level === 'error')!.remedy).to.include('the key was deleted')
    await call('POST', '/gateways/safari/check', undefined, 404)
  })

  it('says where to look when the sandbox is gone', async () => {
    const lonely = await openTestServer({ settings: { 'sandbox.url': 'http://127.0.0.1:1' } })
    const android = credential()
    await lonely.program.inTransaction((tx) => tx.gateways.configure(lonely.first.id, { android }))
    const auth = `Bearer ${(await addPerson(lonely.program)).token}`
    const gateways = await lonely.call('POST', '/admin/v1/apps/1/sandbox', { auth })
    const phone = await lonely.call('POST', '/admin/v1/apps/1/sandbox/phones', { auth, body: { kind: 'android' } })
    await lonely.close()
    for (const { status, body } of [gateways, phone]) {
      expect(status).to.equal(503)
      expect(JSON.stringify(body)).to.include('start appsvc sandbox again')
    }
  })

  it('has none to lead to where the server has no sandbox', async () => {
    const plain = await openTestServer()
    const auth = `Bearer ${(await addPerson(plain.program)).token}`
    const { status } = await plain.call('POST', '/admin/v1/apps/1/sandbox', { auth })
    await plain.close()
    expect(status).to.equal(409)
  })

  it('makes a key that is told once, lists its first characters, and revokes it', async () => {
    await call('POST', '/keys', { kind: 'server', scope: ['delete'] }, 422)
    const made = await call<{ id: number; key: string; hint: string }>('POST', '/keys', {
      kind: 'server',
      name: 'newsletter',
      scope: ['send'],
    })
    expect(made.key).to.match(/^ss_/)
    const list = JSON.stringify(await call('GET', '/keys'))
    expect(list).to.include(made.hint).and.not.include(made.key)
    await call('DELETE', `/keys/${made.id}`)
    await call('DELETE', '/keys/999', undefined, 404)
    await test.program.inTransaction(async ({ restKeys }) => {
      for (let i = 0; i < MAX_KEYS; i++) await restKeys.create(test.first.id, { permissions: ['read'] })
    })
    await call('POST', '/keys', { kind: 'rest', scope: ['read'] }, 409)
    const { issued } = await call<{ issued: { revoked: string | null }[] }>('GET', '/keys')
    expect(issued[0]!.revoked).to.be.a('string')
  })

  it('replaces a key of the app, and both work until the grace period is over', async () => {
    const { key, formerEnds } = await call<{ key: string; formerEnds: string }>('POST', '/keys/server/rotate', {
      graceSeconds: 3600,
    })
    expect(formerEnds).to.be.a('string')
    const { own } = await call<{ own: { kind: string; ends: string | null }[] }>('GET', '/keys')
    expect(own.filter(({ kind }) => kind === 'server').map(({ ends }) => ends !== null)).to.deep.equal([true, false])
    const works = (one: string) => test.program.apps.authenticate(test.first.apiKey, one, 'server')
    expect([await works(test.first.serverKey), await works(key)]).to.deep.equal([1, 1])
    test.clock.advance(3_601_000)
    expect([await works(test.first.serverKey), await works(key)]).to.deep.equal([undefined, 1])
    await call('POST', '/keys/master/rotate', { graceSeconds: 0 }, 404)
  })

  it('switches signed users on with a key that is told once, and replaces it as the other keys', async () => {
    type Keys = { own: { kind: string; ends: string | null; value: string | null }[] }
    const signing = async () => (await call<Keys>('GET', '/keys')).own.filter(({ kind }) => kind === 'signing')
    const set = (mode: string) => call<{ mode: string; key: string | null }>('PUT', '/signed-users', { mode })
    expect(await call('GET', '/signed-users')).to.deep.equal({ mode: 'off' })
    expect(await signing()).to.deep.equal([])
    await call('PUT', '/signed-users', { mode: 'yes' }, 422)
    const { mode, key } = await set('optional')
    expect([mode, key?.slice(0, 3)]).to.deep.equal(['optional', 'uk_'])
    expect((await set('require')).key).to.equal(null)
    expect(JSON.stringify(await call('GET', '/keys'))).to.not.include(key)
    const token = await test.program.signedIds.sign(test.first.id, 'anna', null)
    const named = () => test.program.signedIds.nameForDevice(test.first.id, token)
    const rotated = await call<{ kind: string; key: string }>('POST', '/keys/signing/rotate', { graceSeconds: 3600 })
    expect(rotated).to.include({ kind: 'signing' })
    expect((await signing()).map(({ ends, value }) => [ends !== null, value])).to.deep.equal([
      [false, null],
      [true, null],
    ])
    expect(await named()).to.equal('anna')
    test.clock.advance(3_601_000)
    expect(await named().catch(({ code }: { code: string }) => code)).to.equal('forbidden')
    expect(await set('off')).to.deep.equal({ mode: 'off', key: null })
  })

  it('sends a test message to a webhook and says what came of it', async () => {
    const made = await test.program.inTransaction((tx) =>
      tx.webhooks.create(test.first.id, { url: sandbox.urls.web, types: null, batch: { max: 1, waitMs: 0 } }),
    )
    const answer = await call<{ taken: boolean; status: number; reason: string }>(
      'POST',
      `/webhooks/${made.webhook.id}/test`,
    )
    expect(answer).to.include({ taken: false })
    expect(answer.reason).to.match(/answered \d+/)
  })

  it('writes down who did it, without any secret', async () => {
    const { entries } = (await test.program.audit.list({ limit: 100 })) as unknown as { entries: unknown[] }
    const log = JSON.stringify(entries)
    expect(log).to.include('keys.create').and.include('gateways.rehearse').and.include('sandbox.phones.create')
    expect(log).to.include('signed-users.update')
    expect(log).to.not.match(/"(?:ss|sk|dk|rk|uk)_[\w-]{20}/)
  })
})
