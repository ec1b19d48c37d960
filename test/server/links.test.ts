import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'
import { newLink } from '../support/links.ts'
import { onSqliteDaily } from '../support/program.ts'

type Json = Record<string, unknown>
type Created = { id: number; url: string }[]

onSqliteDaily('the deep link interface', (kind) => {
  let test: TestServer
  let host: string
  before(async () => {
    test = await openTestServer({ kind })
    host = `http://${test.first.linkHostLabel}.localhost:8080`
  })
  after(() => test.close())

  const PATH = '/links/v1/deep-links'
  const post = (body: unknown, headers = {}) => test.call('POST', PATH, { body, headers })
  const create = async (...links: unknown[]) => {
    const { status, body } = await post(links)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body as Created
  }
  const errorsOf = async (body: unknown) => {
    const answer = await post(body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(422)
    return (answer.body as { errors: Record<string, string[]> }).errors
  }
  const count = async () => {
    const { body } = await test.call('GET', `${PATH}?limit=1000`)
    return (body as { deepLinks: unknown[] }).deepLinks.length
  }

  it('answers one id and one address for each item, in order', async () => {
    const made = await create(newLink({ slug: 'b' }), newLink({ slug: 'a/1~x.y_z-Q' }), newLink())
    expect(made.map((one) => Object.keys(one))).to.deep.equal(made.map(() => ['id', 'url']))
    expect(made.map(({ url }) => url)).to.deep.equal([
      `${host}/b`,
      `${host}/a/1~x.y_z-Q`,
      `${host}/${made[2]!.url.slice(-16)}`,
    ])
    expect(made[2]!.url.slice(-16)).to.match(/^[\w-]{16}$/)
    expect(new Set(made.map(({ id }) => id)).size).to.equal(3)
    for (const { id } of made) expect(id).to.be.a('number')
  })

  it('answers at the root too, and never with the Host of the request', async () => {
    const { body } = await test.call('POST', '/v1/deep-links', { body: [newLink({ slug: 'root' })] })
    expect((body as Created)[0]!.url).to.equal(`${host}/root`)
  })

  it('shows a link with what was given and its counts', async () => {
    const full = {
      slug: 'full',
      linkData: { screen: 'offer', list: [1, null, { a: true }], empty: {} },
      content: { title: 'Ümläut 😀', description: 'D' },
      desktopWebFallbackUrl: 'https://example.com/d?x=1#y',
      mobileWebFallbackUrl: 'http://m.example.com',
      reportingMeta: { campaign: 'spring', deep: { er: [1] } },
      expiresAt: '2026-03-01T14:00:00.0+02:00',
      lookupLimit: 2,
      unknownField: 'is ignored',
    }
    const [made] = await create(full)
    const { body } = await test.call('GET', `${PATH}/${made!.id}`)
    const { unknownField: _, ...known } = full
    expect(body).to.deep.equal({
      ...known,
      id: made!.id,
      url: `${host}/full`,
      state: 'expired',
      expiresAt: '2026-03-01T12:00:00+0000',
      lookups: 0,
      clicks: 0,
      createdAt: '2026-03-01T12:00:00+0000',
      updatedAt: '2026-03-01T12:00:00+0000',
    })
  })

  it('leaves out what was not given, and empty texts', async () => {
    const [made] = await create({ ...newLink(), content: { title: '' } })
    expect((await test.call('GET', `${PATH}/${made!.id}`)).body).to.deep.include({
      content: {},
      reportingMeta: null,
      expiresAt: null,
      lookupLimit: null,
      state: 'active',
    })
  })

  it('keeps linkData as it is, whatever its keys are called', async () => {
    const linkData = '{"__proto__": {"x": 1}, "constructor": 2, "": 3, "a.b": [0.1, -1e3]}'
    const { desktopWebFallbackUrl: url } = newLink()
    const body = `[{"linkData": ${linkData}, "desktopWebFallbackUrl": "${url}", "mobileWebFallbackUrl": "${url}", "__proto__": 1}]`
    const made = await test.call('POST', PATH, { body, headers: { 'content-type': 'application/json' } })
    expect(made.status).to.equal(200)
    const shown = (await test.call('GET', `${PATH}/${(made.body as Created)[0]!.id}`)).body as { linkData: object }
    expect(JSON.stringify(shown.linkData)).to.equal(JSON.stringify(JSON.parse(linkData)))
  })

  it('says one thing of an empty address, and how deep a body may be', async () => {
    expect((await errorsOf([newLink({ mobileWebFallbackUrl: '' })]))['[0].mobileWebFallbackUrl']).to.have.length(1)
    const deep = `[{"linkData": {"a": ${'['.repeat(70)}${']'.repeat(70)}}}]`
    expect(await errorsOf(deep)).to.deep.equal({ '': ['is nested deeper than 64 levels'] })
  })

  it('lists page by page', async () => {
    const first = (await test.call('GET', `${PATH}?limit=2`)).body as { deepLinks: { id: number }[]; next: number }
    expect(first.deepLinks).to.have.length(2)
    expect(first.next).to.equal(first.deepLinks[1]!.id)
    const second = (await test.call('GET', `${PATH}?limit=2&after=${first.next}`)).body as typeof first
    expect(second.deepLinks[0]!.id).to.be.greaterThan(first.next)
    expect((await test.call('GET', `${PATH}?limit=0`)).status).to.equal(422)
  })

  const wrong: [string, unknown, string[]][] = [
    ['an empty item', [{}], ['[0].linkData', '[0].desktopWebFallbackUrl', '[0].mobileWebFallbackUrl']],
    [
      'wrong types, in every item that has them',
      [
        newLink(),
        {
          linkData: [],
          desktopWebFallbackUrl: 5,
          mobileWebFallbackUrl: '',
          slug: 7,
          content: 'x',
          reportingMeta: 'x',
          expiresAt: 1893456000,
          lookupLimit: '5',
        },
        { ...newLink(), content: { title: 5, description: [] }, lookupLimit: 1.5 },
      ],
      [
        '[1].linkData',
        '[1].desktopWebFallbackUrl',
        '[1].mobileWebFallbackUrl',
        '[1].slug',
        '[1].content',
        '[1].reportingMeta',
        '[1].expiresAt',
        '[1].lookupLimit',
        '[2].content.title',
        '[2].content.description',
        '[2].lookupLimit',
      ],
    ],
    [
      'linkData that is null or text',
      [
        { ...newLink(), linkData: null },
        { ...newLink(), linkData: 'x' },
      ],
      ['[0].linkData', '[1].linkData'],
    ],
    [
      'null where something is required',
      [{ linkData: null, desktopWebFallbackUrl: null, mobileWebFallbackUrl: null }],
      ['[0].linkData', '[0].desktopWebFallbackUrl', '[0].mobileWebFallbackUrl'],
    ],
    [
      'NUL inside linkData',
      [newLink({ linkData: { a: [{ b: 'x\0' }] }, reportingMeta: { '\0': 1 } })],
      ['[0].linkData.a[0].b', '[0].reportingMeta'],
    ],
    ['NUL in a title', [{ ...newLink(), content: { title: '\0' } }], ['[0].content.title']],
    [
      'a limit of none',
      [newLink({ lookupLimit: 0 }), newLink({ lookupLimit: -1 })],
      ['[0].lookupLimit', '[1].lookupLimit'],
    ],
    [
      'a slug twice, which names the later one',
      [newLink({ slug: 'x' }), newLink({ slug: 'y' }), { ...newLink({ slug: 'x' }), linkData: 1 }],
      ['[2].slug', '[2].linkData'],
    ],
    ['an object', newLink(), ['']],
    ['an empty list', [], ['']],
    ['no JSON', '[{"linkData"', ['']],
    ['null for an item', [null], ['[0]']],
    ['501 items', Array.from({ length: 501 }, () => newLink()), ['']],
  ]
  for (const [what, body, keys] of wrong) {
    it(`answers 422 to ${what}, names every wrong key and stores nothing`, async () => {
      const before = await count()
      expect(Object.keys(await errorsOf(body))).to.have.members(keys)
      expect(await count()).to.equal(before)
    })
  }

  const targets: [string, boolean][] = [
    ['https://example.com', true],
    ['HTTP://EXAMPLE.com:8443/a b'.replace(' ', '%20'), true],
    ['https://münchen.example/straße?q=ü#f', true],
    ['http://192.168.0.1/', true],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['myapp://open', false],
    ['/relative', false],
    ['//example.com', false],
    ['example.com', false],
    ['https:example.com', false],
    ['https://', false],
    ['https://user@example.com/', false],
    ['https://user:secret@example.com/', false],
    ['https://example.com/\r\nSet-Cookie: a=b', false],
    [' https://example.com', false],
    ['https:\\\\example.com', false],
    [`https://example.com/${'x'.repeat(2048)}`, false],
  ]
  for (const [url, ok] of targets) {
    it(`${ok ? 'takes' : 'refuses'} ${JSON.stringify(url.slice(0, 40))} as a fallback`, async () => {
      const answer = await post([newLink({ desktopWebFallbackUrl: url, mobileWebFallbackUrl: url })])
      expect(answer.status).to.equal(ok ? 200 : 422)
      if (ok) return
      const { errors } = answer.body as { errors: Record<string, string[]> }
      expect(Object.keys(errors)).to.deep.equal(['[0].desktopWebFallbackUrl', '[0].mobileWebFallbackUrl'])
      expect(errors['[0].desktopWebFallbackUrl']).to.have.length(1)
    })
  }

  const slugs: [string, RegExp][] = [
    ['', /must not be empty/],
    ['a b', /only the characters/],
    ['a%2fb', /only the characters/],
    ['ä', /only the characters/],
    ['a?b', /only the characters/],
    ['//a', /must not begin or end with \//],
    ['a/', /must not begin or end with \//],
    ['a//b', /two of them in a row/],
    ['a/../b', /\. or \.\. as a segment/],
    ['.', /\. or \.\. as a segment/],
    ['_taps', /reserved _taps/],
    ['_taps/x', /reserved _taps/],
    ['.well-known/assetlinks.json', /reserved \.well-known/],
    ['x'.repeat(256), /at most 255 characters/],
  ]
  for (const [slug, message] of slugs) {
    it(`refuses the slug ${JSON.stringify(slug.slice(0, 30))} with one sentence`, async () => {
      const errors = await errorsOf([newLink(), { ...newLink(), slug }])
      expect(Object.keys(errors)).to.deep.equal(['[1].slug'])
      expect(errors['[1].slug']).to.have.length(1)
      expect(errors['[1].slug']![0]).to.match(message)
    })
  }

  it('takes a slug of 255 characters and one that only begins like a reserved word', async () => {
    await create(newLink({ slug: 'x'.repeat(255) }), newLink({ slug: '_tapsy' }), newLink({ slug: 'a/_taps/..b' }))
  })

  it('refuses a batch with a taken slug as a whole, and names it by its place', async () => {
    await create(newLink({ slug: 'mine' }))
    const before = await count()
    const errors = await errorsOf([newLink(), newLink({ slug: 'new-one' }), newLink({ slug: 'mine' })])
    expect(errors).to.deep.equal({ '[2].slug': ['is taken: the app has a link "mine"'] })
    expect(await count()).to.equal(before)
    await create(newLink({ slug: 'MINE' }))
  })

  it('does the same request with the same Idempotency-Key once', async () => {
    const body = [newLink({ slug: 'once' })]
    const first = await post(body, { 'idempotency-key': 'k1' })
    const second = await post(body, { 'idempotency-key': 'k1' })
    expect([first.status, second.status]).to.deep.equal([200, 200])
    expect(second.body).to.deep.equal(first.body)
    expect((await post(body)).status).to.equal(422)
  })

  it('takes 500 links in one request', async () => {
    const body = Array.from({ length: 500 }, (_, i) => newLink({ linkData: { i, text: 'x'.repeat(2500) } }))
    expect(JSON.stringify(body).length).to.be.greaterThan(1_048_576)
    expect(await create(...body)).to.have.length(500)
  })

  it('reads and changes the link settings of the app, and names every wrong key', async () => {
    const put = (body: unknown) => test.call('PUT', '/links/v1/link-settings', { body })
    const { body: before } = await test.call('GET', '/links/v1/link-settings')
    expect(before).to.deep.include({ appId: test.first.id, links: host, domain: null, iosBundleIds: [] })
    const changed = await put({ domain: 'go.example.com', iosTeamId: 'ABCDE12345', iosBundleIds: ['com.a'] })
    expect(changed.status).to.equal(200)
    expect(changed.body).to.deep.equal({
      ...(before as Json),
      links: 'https://go.example.com',
      domain: 'go.example.com',
      iosTeamId: 'ABCDE12345',
      iosBundleIds: ['com.a'],
    })
    expect((await create(newLink({ slug: 'on-own-host' })))[0]!.url).to.equal('https://go.example.com/on-own-host')
    const wrong = await put({ domain: 'x', iosBundleIds: ['com.b', ''], appStoreUrl: 5 })
    expect(wrong.status).to.equal(422)
    const { errors } = wrong.body as { errors: Json }
    expect(Object.keys(errors)).to.have.members(['domain', 'iosBundleIds[1]', 'appStoreUrl'])
    expect((await put({ domain: null, iosTeamId: null, iosBundleIds: [] })).body).to.deep.equal(before)
  })

  it('asks for the server key', async () => {
    for (const [method, path] of [
      ['POST', PATH],
      ['GET', PATH],
      ['GET', `${PATH}/1`],
      ['GET', '/links/v1/link-settings'],
      ['PUT', '/links/v1/link-settings'],
    ] as const) {
      for (const auth of ['none', 'device', 'Basic !'] as const) {
        const body = method === 'GET' ? undefined : [newLink()]
        expect((await test.call(method, path, { auth, body })).status, `${method} ${path} ${auth}`).to.equal(401)
      }
    }
  })

  it('does not show the links of another app', async () => {
    const [mine] = await create(newLink())
    const { apiKey, serverKey } = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const auth = `Basic ${Buffer.from(`${apiKey}:${serverKey}`).toString('base64')}`
    expect((await test.call('GET', `${PATH}/${mine!.id}`, { auth })).status).to.equal(404)
    expect((await test.call('GET', PATH, { auth })).body).to.deep.equal({ deepLinks: [], next: null })
    for (const id of ['0', 'x', '99999999']) expect((await test.call('GET', `${PATH}/${id}`)).status).to.equal(404)
  })

  it('tells of each link with its reportingMeta', async () => {
    const [made] = await create(newLink({ reportingMeta: { campaign: 1 }, slug: 'told' }))
    const events = await test.program.events.after(test.first.id, 0, 10_000)
    const mine = events.filter(({ data }) => (data as Json).linkId === made!.id)
    expect(mine.map(({ type, data }) => [type, data])).to.deep.equal([
      ['link.created', { linkId: made!.id, slug: 'told', reportingMeta: { campaign: 1 } }],
    ])
  })
})
