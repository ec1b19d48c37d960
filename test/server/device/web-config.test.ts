import { expect } from 'chai'
import { checkBlocks } from '../../../src/domain/gateways/service.ts'
import type { Areas } from '../../../src/program.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { onSqliteDaily } from '../../support/program.ts'

type Json = Record<string, unknown>

onSqliteDaily('the configuration of the web SDK', (kind) => {
  let test: TestServer
  beforeEach(async () => {
    test = await openTestServer({ kind })
  })
  afterEach(() => test.close())

  const read = async (base = '/push') =>
    (await test.call('GET', `${base}/v1/web/config`, { auth: 'device' })).body as Json
  const configure = async (web: object) => {
    const answer = await test.call('PUT', `/push/v1/apps/${test.first.id}`, { body: { web } })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    return answer.body as Json
  }

  it('has no key before there is a gateway, so that prompts stay off', async () => {
    expect(await read()).to.deep.equal({ publicKey: '', safariPushId: null, prompts: {} })
  })

  it('has the current key and the icon, at once after a rotation, and never the private half', async () => {
    const answer = await configure({ iconUrl: 'https://example.com/i.png' })
    expect((answer.platformConfigs as Json[]).map(({ platformType }) => platformType)).to.deep.equal([3])
    const first = await read()
    expect(Buffer.from(first.publicKey as string, 'base64url')).to.have.length(65)
    expect(first.iconUrl).to.equal('https://example.com/i.png')
    await configure({ rotate: true })
    const second = await read('')
    expect(second.publicKey).not.to.equal(first.publicKey)
    expect(second).not.to.have.property('iconUrl')
    const { secret } = (await test.program.gateways.credential(test.first.id, 'web'))!
    const { keys } = secret as { keys: { publicKey: string; privateKey: string }[] }
    expect(keys.map(({ publicKey }) => publicKey)).to.deep.equal([second.publicKey, first.publicKey])
    const stored = await test.program.kernel.db.read('gateway_configs').select()
    for (const { privateKey } of keys) expect(JSON.stringify([stored, second])).not.to.include(privateKey)
  })

  it('keeps the keys on a plain repetition of the configuration', async () => {
    await configure({ iconUrl: 'https://example.com/i.png' })
    const { publicKey } = await read()
    await configure({ iconUrl: 'https://example.com/j.png' })
    expect(await read()).to.include({ publicKey, iconUrl: 'https://example.com/j.png' })
  })

  it('is refused to strangers, and to servers; any page may ask', async () => {
    for (const auth of ['none', 'server'] as const) {
      expect((await test.call('GET', '/push/v1/web/config', { auth })).status).to.equal(401)
    }
    const answer = await test.call('GET', '/push/v1/web/config', {
      auth: 'device',
      headers: { origin: 'https://shop.example' },
    })
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
    expect(answer.headers.get('cache-control')).to.equal('private, no-cache')
    const preflight = await test.call('OPTIONS', '/push/v1/web/config', {
      auth: 'none',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    })
    expect(preflight.status).to.be.within(200, 204)
  })

  it('has nothing for the form that would hand out keys without asking who it is', async () => {
    expect((await test.call('GET', '/push/v2/web/config?tenantId=1&installId=x', { auth: 'none' })).status).to.equal(
      404,
    )
  })

  it('names the website push id of Safari when there is one', async () => {
    const now = test.clock.now()
    await test.program.kernel.db.write((trx) =>
      trx('gateway_configs').insert({
        app_id: test.first.id,
        platform: 4,
        sealed: '',
        facts: JSON.stringify({ websitePushId: 'web.com.example', warnings: [] }),
        sendable: true,
        version: 1,
        created_at: now,
        updated_at: now,
      }),
    )
    expect(await read()).to.include({ safariPushId: 'web.com.example' })
  })

  it('carries the prompts by their names, in the order of their creation', async () => {
    const { program, first } = test
    const bell = await program.inTransaction((tx) => tx.prompts.create(first.id, 'zz-bell', { type: 'bell' }))
    await program.inTransaction(async (tx) => {
      await tx.prompts.create(first.id, 'another', { type: 'bell', position: 'bottom-left' })
      const second = await tx.apps.create({ name: 'Second' })
      await tx.prompts.create(second.id, 'theirs', { type: 'bell' })
    })
    const prompts = (await read()).prompts as Record<string, Json>
    expect(Object.keys(prompts)).to.deep.equal(['zz-bell', 'another'])
    expect(prompts['zz-bell']).to.deep.equal({ uuid: bell.uuid, ...bell.design })
    await program.inTransaction((tx) => tx.prompts.update(first.id, 'zz-bell', { position: 'bottom-left' }))
    const after = (await read()).prompts as Record<string, Json>
    expect(after['zz-bell']).to.include({ uuid: bell.uuid, position: 'bottom-left' })
    await program.inTransaction((tx) => tx.prompts.delete(first.id, 'zz-bell'))
    expect((await read()).prompts).to.have.all.keys('another')
  })

  const failing: [string, (tx: Areas, appId: number) => Promise<unknown>, string][] = [
    ['a name that is taken', (tx, appId) => tx.prompts.create(appId, 'bell', { type: 'bell' }), 'conflict'],
    ['a name with blanks', (tx, appId) => tx.prompts.create(appId, 'my bell', { type: 'bell' }), 'invalid'],
    [
      'a change of a prompt that there is not',
      (tx, appId) => tx.prompts.update(appId, 'x\0', { type: 'bell' }),
      'not_found',
    ],
    ['a deletion of a prompt that there is not', (tx, appId) => tx.prompts.delete(appId, 'x\0'), 'not_found'],
    ["a deletion of another app's prompt", (tx, appId) => tx.prompts.delete(appId + 1, 'bell'), 'not_found'],
  ]
  for (const [name, work, code] of failing) {
    it(`refuses ${name}`, async () => {
      await test.program.inTransaction((tx) => tx.prompts.create(test.first.id, 'bell', { type: 'bell' }))
      const error = await test.program
        .inTransaction((tx) => work(tx, test.first.id))
        .then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
      expect(error).to.include({ code })
    })
  }

  it('allows fifty prompts', async () => {
    const { program, first } = test
    await program.inTransaction(async (tx) => {
      for (let i = 0; i < 50; i++) await tx.prompts.create(first.id, `p${i}`, { type: 'bell' })
    })
    const error = await program
      .inTransaction((tx) => tx.prompts.create(first.id, 'one-more', { type: 'bell' }))
      .catch((e: unknown) => e)
    expect(error).to.include({ code: 'conflict' })
  })

  it('remembers with which key a subscription was made', async () => {
    const { program, first, clock } = test
    await program.inTransaction(async ({ crm, gateways }) => {
      await gateways.configure(first.id, await checkBlocks({ web: {} }, clock.now()))
      const install = await crm.ensureInstall(first.id, 'browser', clock.now())
      const keys = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') }
      await crm.registerToken(
        first.id,
        install,
        { type: 3, token: { endpoint: 'https://fcm.googleapis.com/fcm/send/1', keys } },
        clock.now(),
      )
      const { id } = ((await gateways.find(first.id, 'web'))!.facts.keys as { id: string }[])[0]!
      await crm.rememberEnvironment(first.id, install.row, 'https://fcm.googleapis.com/fcm/send/1', `vapid:${id}`)
      const [recipient] = await crm.deliveryRecipients(first.id, [install.row])
      expect(recipient!.environment).to.equal(`vapid:${id}`)
    })
  })
})
