import { expect } from 'chai'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { makeWebsiteP12 } from '../domain/gateways/safari/website.ts'
import { onEachDatabase } from '../support/app.ts'
import { openTestServer, type TestServer } from '../support/http.ts'

interface Configuration {
  platformConfigs: { platformType: number; createdAt: string; updatedAt: string }[]
}

onEachDatabase('the gateway configuration', (kind) => {
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
  beforeEach(async () => {
    server = await openTestServer({ kind })
  })
  afterEach(() => server.close())

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
    const { body } = await server.call('PUT', address(), { body: { hcm: { ...blocks.hcm, appId: '42' } } })
    const changed = (body as Configuration).platformConfigs.filter((one) => one.updatedAt !== one.createdAt)
    expect(changed.map(({ platformType }) => platformType)).to.deep.equal([5])
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
      const config = await server.app.gateways.find(server.first.id, 'web')
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
})
