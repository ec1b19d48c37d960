import { expect } from 'chai'
import { basic, openTestServer, type TestServer } from '../../support/http.ts'

/** Status, and the header that says when to come back. */
type Seen = [status: number, retryAfter: string | null]

describe('wrong keys', () => {
  let test: TestServer
  afterEach(() => test.close())

  const open = async (wrongKeys: number, more: Record<string, string> = {}) => {
    const settings = { trustedProxies: '127.0.0.1', 'limits.wrongKeys': String(wrongKeys), ...more }
    test = await openTestServer({ settings })
  }
  async function ask(path: string, auth: string, from = '192.0.2.1'): Promise<Seen> {
    const answer = await test.call('GET', path, { auth, headers: { 'x-forwarded-for': from } })
    return [answer.status, answer.headers.get('retry-after')]
  }
  const users = '/crm/v2/users'
  const wrong = () => basic(test.first.apiKey, 'sk_wrong')
  const right = () => basic(test.first.apiKey, test.first.serverKey)
  const device = () => `/push/v1/app-installs/some-install/channels`

  it('are 429 for servers when there are too many, each time with the moment to come back', async () => {
    await open(3)
    for (let i = 0; i < 3; i++) expect(await ask(users, wrong())).to.deep.equal([401, null])
    for (let i = 0; i < 3; i++) expect(await ask(users, wrong())).to.deep.equal([429, '20'])
    expect(await ask(`/push/v1/apps/${test.first.id}`, wrong())).to.deep.equal([429, '20'])
    test.clock.advance(20_000)
    expect(await ask(users, wrong())).to.deep.equal([401, null])
    expect(await ask(users, wrong())).to.deep.equal([429, '20'])
  })

  it('are 503 for devices, which take 429 for something else', async () => {
    await open(2)
    for (let i = 0; i < 2; i++) expect(await ask(device(), wrong())).to.deep.equal([401, null])
    expect(await ask(device(), wrong())).to.deep.equal([503, '30'])
  })

  it('of REST keys count by what stands for the key', async () => {
    await open(1)
    expect(await ask('/data/v1/data/places', basic('rk_wrong', ''))).to.deep.equal([401, null])
    expect(await ask('/data/v1/data/places', basic('rk_wrong', ''))).to.deep.equal([429, '60'])
    expect(await ask('/data/v1/data/places', basic('rk_other', ''))).to.deep.equal([401, null])
  })

  it('never lock out the right one, from the same address and with the same name', async () => {
    await open(1)
    for (let i = 0; i < 20; i++) await ask(users, wrong())
    expect((await ask(users, right()))[0]).to.equal(422)
    expect((await ask(`/push/v1/apps/${test.first.id}`, right()))[0]).to.equal(200)
    expect((await ask(device(), basic(test.first.apiKey, test.first.secretKey)))[0]).to.equal(200)
    const { key } = await test.program.inTransaction((tx) =>
      tx.restKeys.create(test.first.id, { permissions: ['read'] }),
    )
    expect((await ask('/data/v1/data/places', basic(key, '')))[0]).to.equal(404)
  })

  it('of many names from one address end too, and other addresses are not held up', async () => {
    await open(1)
    const of = (name: number, from?: string) => ask(users, basic(`ak_${name}`, 'x'), from)
    for (let name = 0; name < 10; name++) expect(await of(name)).to.deep.equal([401, null])
    expect(await of(10)).to.deep.equal([429, '6'])
    expect(await of(0, '192.0.2.2')).to.deep.equal([401, null])
    expect(await of(1, '2001:db8::1')).to.deep.equal([401, null])
    expect(await of(1, '2001:db8::2')).to.deep.equal([429, '60'])
  })

  it('are told from no keys at all, which nobody is refused for', async () => {
    await open(1)
    for (const auth of ['none', 'Bearer x', 'Basic §', 'none'])
      expect(await ask(users, auth)).to.deep.equal([401, null])
    expect(await ask(users, wrong())).to.deep.equal([401, null])
  })

  it('hold up nobody on the machine itself, and nobody at all with 0', async () => {
    await open(1)
    for (let i = 0; i < 3; i++) expect((await ask(users, wrong(), '127.0.0.1'))[0]).to.equal(401)
    for (let i = 0; i < 3; i++) expect((await ask(users, wrong(), '::1'))[0]).to.equal(401)
    await test.close()
    await open(0)
    for (let i = 0; i < 3; i++) expect(await ask(users, wrong())).to.deep.equal([401, null])
  })

  it('are spoken of in the log once in a while, and counted', async () => {
    await open(1)
    const lines: Record<string, unknown>[] = []
    const warn = (about: object, message: string) => lines.push({ ...about, message })
    Object.assign(test.program.kernel, { log: { ...test.program.kernel.log, warn } })
    for (let i = 0; i < 4; i++) await ask(users, wrong())
    expect(lines.map(({ limit, who, refused }) => [limit, who, refused])).to.deep.equal([
      ['limits.wrongKeys', '192.0.2.1', 1],
    ])
    const text = await (await fetch(`${test.address}/metrics`)).text()
    expect(text).to.include('appsvc_refusals_total{limit="limits.wrongKeys"} 3')
  })
})
