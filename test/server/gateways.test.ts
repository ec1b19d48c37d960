import { expect } from 'chai'
import { createSenders } from '../../src/domain/gateways/senders.ts'
import { gatewaySettings } from '../../src/domain/gateways/settings.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { makeWebsiteP12 } from '../domain/gateways/safari/website.ts'
import { broadcast, deliverDue, withAndroids } from '../support/delivery.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { onSqliteDaily } from '../support/program.ts'

interface Configuration {
  platformConfigs: { platformType: number; createdAt: string; updatedAt: string }[]
}

onSqliteDaily('the gateway configuration', (kind) => {
  let server: TestServer
  let sandbox: Sandbox
  let blocks: Record<'ios' | 'android' | 'web' | 'safari' | 'hcm', Record<string, unknown>>
  before(async () => {
    sandbox = await startSandbox({ keep: 0 })
    const { p12, serviceAccount, hcm } = sandbox.credentials
    const site = { siteUrl: 'https://example.com', iconUrl: 'https://example.com/icon.png' }
    blocks = {
      ios: { p12: p12.p12, password: p12.password, mode: 'production' },
      android: { serviceAccount },
      web: { iconUrl: 'https://example.com/icon.png' },
      safari: { p12: makeWebsiteP12(), password: 'secret', ...site },
      hcm,
    }
  })
  after(() => sandbox.close())
  before(async () => {
    server = await openTestServer({ kind })
  })
  beforeEach(() => server.startOver())
  after(() => server.close())

  const address = () => `/push/v1/apps/${server.first.id}`
  const types = (body: unknown) => (body as Configuration).platformConfigs.map(({ platformType }) => platformType)

  it('takes all five in one call, and shows one entry for each', async () => {
    const put = await server.call('PUT', address(), { body: blocks })
    expect(put.status).to.equal(200)
    expect(types(put.body)).to.deep.equal([1, 2, 3, 4, 5])
    const got = await server.call('GET', address())
    expect(types(got.body)).to.deep.equal([1, 2, 3, 4, 5])
    expect(JSON.stringify(got.body)).to.not.include(String(blocks.hcm['appIdPassword']))
    server.clock.advance(5000)
    const { body } = await server.call('PUT', address(), { body: { hcm: { ...blocks.hcm, appId: 42 } } })
    const changed = (body as Configuration).platformConfigs.filter((one) => one.updatedAt !== one.createdAt)
    expect(changed.map(({ platformType }) => platformType)).to.deep.equal([5])
  })

  it('lets critical alerts through in every form once it says that the app has the entitlement', async () => {
    const ios = { sound: { critical: true, volume: 1 }, interruptionLevel: 'critical' }
    const content = { title: 'T', message: 'M' }
    const sends: [string, object, number][] = [
      ['/messages/v2/notifications', { target: { broadcast: true }, content, ios }, 202],
      ['/push/v2/notifications', { target: { broadcast: true }, content, ios }, 202],
      ['/push/notifications', { broadcast: true, ...content, ios }, 201],
    ]
    const statuses = async () => {
      const found: unknown[] = []
      for (const [path, body] of sends) {
        const { status, body: answer } = await server.call('POST', path, { body })
        found.push([status, Object.keys((answer as { errors?: object }).errors ?? {}).sort()])
      }
      return found
    }
    const put = async (critical: unknown) =>
      server.call('PUT', address(), { body: { ios: { ...blocks.ios, ...(critical !== undefined && { critical }) } } })
    const refused = sends.map(() => [422, ['ios.interruptionLevel', 'ios.sound.critical']])
    const taken = sends.map(([, , status]) => [status, []])

    expect(await statuses()).to.deep.equal(refused)
    await put(undefined)
    expect(await statuses()).to.deep.equal(refused)
    const wrong = await put('yes')
    expect([wrong.status, wrong.body]).to.deep.equal([
      422,
      { error: 'validation failed', errors: { 'ios.critical': ['must be true or false'] } },
    ])
    expect((await put(true)).status).to.equal(200)
    expect(await statuses()).to.deep.equal(taken)
    // A renewed credential does not say it again.
    await put(undefined)
    expect(await statuses()).to.deep.equal(taken)
    await put(false)
    expect(await statuses()).to.deep.equal(refused)
  })

  it('takes the App ID of Huawei as an integer only, as the contract says', async () => {
    const put = (appId: unknown) => server.call('PUT', address(), { body: { hcm: { ...blocks.hcm, appId } } })
    for (const wrong of ['101234567', 1.5, 0, -1, true]) {
      const { status, body } = await put(wrong)
      expect([status, Object.keys((body as { errors: object }).errors)], String(wrong)).to.deep.equal([
        422,
        ['hcm.appId'],
      ])
    }
    expect((await put(101_234_567)).status).to.equal(200)
  })

  it('names every wrong field of every block, and stores nothing then', async () => {
    const { status, body } = await server.call('PUT', address(), {
      body: {
        ...blocks,
        android: { serviceAccount: { ...(blocks.android['serviceAccount'] as object), clientEmail: 'nobody' } },
        web: { iconUrl: 5 },
        safari: { siteUrl: 'x' },
        hcm: { appId: 'abc' },
      },
    })
    expect(status).to.equal(422)
    const named = Object.keys((body as { errors: object }).errors)
    expect(named).to.include.members([
      'android.serviceAccount.clientEmail',
      'web.iconUrl',
      'safari.p12',
      'safari.siteUrl',
      'safari.iconUrl',
      'hcm.appId',
      'hcm.appIdPassword',
    ])
    expect(named.filter((name) => name.startsWith('ios'))).to.deep.equal([])
    expect(types((await server.call('GET', address())).body)).to.deep.equal([])
  })

  it('loses no key that a page may have seen, however many configure at once', async () => {
    const seen = new Set<string>()
    const ring = async () => {
      const config = await server.program.gateways.find(server.first.id, 'web')
      return (config!.facts.keys as { id: string }[]).map(({ id }) => id)
    }
    const configure = async (i: number) => {
      const web = i % 3 === 0 ? { rotate: true } : { iconUrl: `https://example.com/${i}.png` }
      const { status } = await server.call('PUT', address(), { body: { web } })
      expect(status).to.equal(200)
      for (const id of await ring()) seen.add(id)
    }
    await Promise.all(Array.from({ length: 9 }, (_, i) => configure(i)))
    expect(await ring()).to.include.members([...seen])
    // The pair of the first block, and one for each rotation.
    expect(seen.size).to.be.within(3, 4)
  })

  it('removes one gateway, and who waits for it ends as failed, also in a lane that was held', async () => {
    await withAndroids(server, 3)
    const id = await broadcast(server)
    const [lane] = await server.program.gateways.lanes.list(server.first.id)
    const until = server.clock.now() + 3_600_000
    const hold = { until, kind: 'config_error', reason: 'the key is wrong', holds: 5 } as const
    await server.program.inTransaction((tx) => tx.gateways.lanes.hold(lane!.id, hold, server.clock.now()))
    const senders = createSenders(server.program.gateways, gatewaySettings(server.program.kernel.config), () =>
      server.clock.now(),
    )
    expect(await deliverDue(server, await senders.find(server.first.id, 'android'))).to.equal(0)

    expect((await server.call('DELETE', `${address()}/platform-configs/android`)).status).to.equal(204)
    expect(types((await server.call('GET', address())).body)).to.deep.equal([])
    expect(await deliverDue(server, await senders.find(server.first.id, 'android'))).to.equal(1)
    await senders.close()
    const report = (await server.call('GET', `/messages/v2/notifications/${id}`)).body
    expect(JSON.stringify(report)).to.include('no_gateway')
    expect(await server.program.ledger.counts(server.first.id, id)).to.include({ pending: 0, failed: 3 })
  })

  it('is removed by the name of its block or by its number; others stay', async () => {
    await server.call('PUT', address(), { body: { web: {}, hcm: blocks.hcm, android: blocks.android } })
    const remove = (platform: string) => server.call('DELETE', `${address()}/platform-configs/${platform}`)
    expect((await remove('5')).status).to.equal(204)
    expect(types((await server.call('GET', address())).body)).to.deep.equal([2, 3])
    expect((await remove('hcm')).body).to.deep.equal({ error: `app ${server.first.id} has no hcm gateway` })
    for (const unknown of ['windows', '9', '__proto__']) expect((await remove(unknown)).status).to.equal(404)
    const other = await server.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    expect((await server.call('DELETE', `/push/v1/apps/${other.id}/platform-configs/web`)).status).to.equal(403)
  })
})
