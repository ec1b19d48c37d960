import { expect } from 'chai'
import { createBanner, newBanner } from '../../src/domain/links/banners/schema.ts'
import type { DeepLink, NewLink } from '../../src/domain/links/types.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import { ANDROIDS, IPHONES } from '../domain/links/agents.ts'
import { type Answer, basic, openTestServer, type TestServer } from '../support/http.ts'
import { newLink } from '../support/links.ts'
import { haveUsed } from '../support/misses.ts'
import { onEachDatabase } from '../support/program.ts'

type Json = Record<string, unknown>

const COMPONENTS = { platform: 'iOS', osMajor: '17', screen: '390x844', timeZone: 'Europe/Berlin', mark: '~~~???>>>' }
const encode = (components: unknown) => Buffer.from(JSON.stringify(components)).toString('base64')
const LABELS = { heading: 'Better in the app', body: 'Try it', acceptAction: 'Get', declineAction: 'No' }

onEachDatabase('links as SDKs see them', (kind) => {
  let test: TestServer
  let base: string
  let count = 0

  before(async () => {
    test = await openTestServer({ kind, settings: { 'links.domain': 'lnk.example.com' } })
    const stores = { appStoreUrl: 'https://apps.apple.com/app/id123456789', androidPackage: 'com.example.app' }
    await test.program.inTransaction((tx) => tx.links.configure(test.first.id, { ...stores, fingerprintWindow: 3600 }))
    base = test.program.links.baseOf(await test.program.links.site(test.first.id))
  })
  after(() => test.close())

  const make = async (given: Partial<NewLink> = {}): Promise<DeepLink> =>
    (await test.program.inTransaction((tx) => tx.links.create(test.first.id, [newLink(given)])))[0]!
  const look = (path: string, agent?: string): Promise<Answer> =>
    test.call('GET', `/links/v1/${path}`, {
      auth: 'device',
      headers: agent === undefined ? {} : { 'user-agent': agent },
    })
  const matched = async (linkId: number) =>
    (await test.program.events.after(test.first.id, 0, 10_000))
      .filter(({ type, data }) => type === 'link.matched' && data?.linkId === linkId)
      .map(({ data }) => data)

  it('answers a look-up with the data and an object of what there is to show', async () => {
    const { id } = await make({ slug: 'one', linkData: { screen: 'sale', n: [1, null] }, reportingMeta: { c: 1 } })
    const answer = await look('deeplinks/one?wasDeferred=0&utm=x&utm=y&wasDeferred=1&__proto__=z')
    expect([answer.status, answer.body]).to.deep.equal([
      200,
      { linkData: { screen: 'sale', n: [1, null] }, content: {} },
    ])
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
    await make({ slug: 'two', content: { title: 'T' } })
    expect((await look('deeplinks/two?wasDeferred=1')).body).to.deep.equal({ linkData: {}, content: { title: 'T' } })
    expect(await matched(id)).to.deep.equal([
      { linkId: id, slug: 'one', route: 'direct', wasDeferred: false, reportingMeta: { c: 1 } },
    ])
  })

  it('takes the slug as one segment, with its slashes percent-encoded', async () => {
    const { id } = await make({ slug: 'spring/2026/Sale-1.~_' })
    expect((await look('deeplinks/spring%2F2026%2FSale-1.~_?wasDeferred=1')).status).to.equal(200)
    expect((await look('deeplinks/spring%2f2026%2fSale%2D1.~_')).status).to.equal(200)
    expect((await look('deeplinks/spring/2026/Sale-1.~_')).status).to.equal(404)
    expect((await look('deeplinks/spring%2F2026%2Fsale-1.~_')).status).to.equal(404)
    expect(await matched(id)).to.have.length(2)
  })

  it('says expired and over the limit with the link, unknown without', async () => {
    await make({ slug: 'old/link', expiresAt: test.clock.now() })
    const old = await look('deeplinks/old%2Flink?wasDeferred=0')
    expect([old.status, old.body]).to.deep.equal([410, { linkUrl: `${base}/old/link` }])
    const { id } = await make({ slug: 'once', lookupLimit: 1 })
    expect((await look('deeplinks/once')).status).to.equal(200)
    const over = await look('deeplinks/once?wasDeferred=1')
    expect([over.status, over.body]).to.deep.equal([429, { linkUrl: `${base}/once` }])
    expect(await matched(id)).to.have.length(1)
    for (const slug of ['nothing', '%20', '..%2Fx', 'a%00', 'x'.repeat(300)]) {
      expect((await look(`deeplinks/${slug}`)).status, slug).to.equal(404)
    }
  })

  it('counts no HEAD, which has the status of the GET', async () => {
    const { id } = await make({ slug: 'headed', lookupLimit: 1 })
    const head = async (path: string) =>
      (await test.call('HEAD', `/links/v1/deeplinks/${path}`, { auth: 'device' })).status
    expect(await head('headed')).to.equal(200)
    expect(await head('headed')).to.equal(200)
    expect(await test.program.links.get(test.first.id, id)).to.include({ lookups: 0 })
    expect((await look('deeplinks/headed')).status).to.equal(200)
    expect(await head('headed')).to.equal(429)
    expect(await head('unheard')).to.equal(404)
  })

  it('takes a doubled slash, which old SDKs write, on device routes only', async () => {
    await make({ slug: 'doubled' })
    expect((await look('/deeplinks/doubled')).status).to.equal(200)
    expect((await test.call('GET', '//v1//deeplinks/doubled', { auth: 'device' })).status).to.equal(200)
    expect((await test.call('GET', '/links/v1//deep-links')).status).to.equal(404)
    expect((await test.call('GET', '/links//v1/link-settings')).status).to.equal(404)
  })

  it('answers what no database can hold as unknown', async () => {
    const made = await banner((await make()).slug)
    expect((await look('banners?webInstallId=%00')).status).to.equal(200)
    expect((await look('deeplinks/_taps?fingerprint=%00')).status).to.equal(404)
    expect((await tap('%00', {})).status).to.equal(404)
    for (const odd of [null, 7, 'a\0', [], {}, { platform: {} }, { a: ['x'] }]) {
      expect((await tap(made.uuid, { webInstallId: odd, fingerprint: odd })).status).to.equal(204)
      expect((await tap(made.uuid, { webInstallId: 'w', fingerprint: { components: odd } })).status).to.equal(204)
      expect((await find(odd)).status).to.equal(404)
    }
  })

  it('gives a link with one look-up to exactly one of a hundred who ask at once', async () => {
    const { id } = await make({ slug: 'last', lookupLimit: 1 })
    const answers = await Promise.all(Array.from({ length: 100 }, () => look('deeplinks/last?wasDeferred=1')))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).to.have.length(1)
    expect(statuses.filter((status) => status === 429)).to.have.length(99)
    expect(await test.program.links.get(test.first.id, id)).to.include({ lookups: 1 })
  })

  it('wants the secret key, finds no link of another app, and lets browsers ask from anywhere', async () => {
    await make({ slug: 'mine' })
    for (const auth of ['none', 'server'] as const) {
      expect((await test.call('GET', '/links/v1/deeplinks/mine', { auth })).status, auth).to.equal(401)
    }
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const auth = basic(other.apiKey, other.secretKey)
    expect((await test.call('GET', '/v1/deeplinks/mine', { auth })).status).to.equal(404)
    for (const path of ['/v1/deeplinks/mine', '/links/v1/banners?webInstallId=x', '/links/v1/banners/x/taps']) {
      const asked = await test.call('OPTIONS', path, { auth: 'none' })
      expect([asked.status, asked.headers.get('access-control-allow-origin')]).to.deep.equal([204, '*'])
      expect(asked.headers.get('access-control-allow-headers')).to.equal('authorization, content-type, accept')
      const refused = await test.call(path.endsWith('taps') ? 'POST' : 'GET', path, {
        auth: 'none',
        headers: { accept: 'appliction/json' },
      })
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).to.deep.equal([401, '*'])
    }
  })

  it('stops a guesser with 503 and never with 429', async () => {
    const guessed = await openTestServer({ kind })
    try {
      const guess = () => guessed.call('GET', '/links/v1/deeplinks/guess', { auth: 'device' })
      // All but ten of a thousand at once, and one is forgiven every 250 ms.
      haveUsed(guessed, 'missed slugs', 990 * 250)
      const answers = await Promise.all(Array.from({ length: 10 }, guess))
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([404]))
      const stopped = await guess()
      expect([stopped.status, stopped.headers.get('retry-after')]).to.deep.equal([503, '1'])
      guessed.clock.advance(250)
      expect((await guess()).status).to.equal(404)
    } finally {
      await guessed.close()
    }
  })

  const banner = async (slug: string, more: Json = {}) => {
    const input = newBanner(parseJson(createBanner, { link: slug, labels: LABELS, ...more }))
    return test.program.inTransaction((tx) => tx.banners.create(test.first.id, input))
  }
  const tap = (uuid: string, body: unknown, headers: Record<string, string> = { 'user-agent': IPHONES.Safari }) =>
    test.call('POST', `/links/v1/banners/${uuid}/taps`, { auth: 'device', body, headers })
  const find = (components: unknown, agent?: string) =>
    look(`deeplinks/_taps?fingerprint=${encodeURIComponent(encode(components))}`, agent)
  /** Components that no other test has. */
  const device = (more: Json = {}) => ({ ...COMPONENTS, serial: String(++count), ...more })

  it('shows banners with the store of the phone, and opens the app where it is known to be', async () => {
    const { id } = await make({ slug: 'banner/link', linkData: { b: 1 }, reportingMeta: { from: 'banner' } })
    const { uuid } = await banner('banner/link', { imageUrl: 'https://example.com/i.png', colors: { fg: '#fff' } })
    const list = async (agent: string, query = '?webInstallId=w1') => {
      const answer = await look(`banners${query}`, agent)
      expect([answer.status, answer.headers.get('cache-control')]).to.deep.equal([200, 'private, max-age=3600'])
      return (answer.body as Json[]).find((one) => one.uuid === uuid) as Json & { uiActions: Json }
    }
    const deepLinkUrl = `${base}/banner/link`
    const shown = await list(IPHONES.Safari)
    expect(shown).to.deep.equal({
      uuid,
      type: 'ddl_banner',
      position: 'bottom',
      trigger: { event: 'k.pageViewed' },
      imageUrl: 'https://example.com/i.png',
      labels: LABELS,
      colors: { ...(shown.colors as Json), fg: '#fff' },
      uiActions: {
        accept: { type: 'openStore', url: 'https://apps.apple.com/app/id123456789', deepLinkUrl },
        decline: { type: 'decline' },
      },
    })
    expect(Object.keys(shown.colors as Json)).to.have.length(7)
    expect((await list(ANDROIDS.Chrome, '')).uiActions.accept).to.deep.equal({
      type: 'openStore',
      url: `https://play.google.com/store/apps/details?id=com.example.app&referrer=${encodeURIComponent(deepLinkUrl)}`,
      deepLinkUrl,
    })

    const components = device()
    const tapped = await tap(uuid, { webInstallId: 'w1', fingerprint: components })
    expect([tapped.status, tapped.headers.get('access-control-allow-origin')]).to.deep.equal([204, '*'])
    expect((await list(IPHONES.Safari)).uiActions.accept).to.have.property('type', 'openStore')
    const found = await find(components, 'Shop/12 CFNetwork/1494.0.7 Darwin/23.4.0')
    expect([found.status, found.body]).to.deep.equal([200, { linkUrl: deepLinkUrl, linkData: { b: 1 }, content: {} }])
    expect((await list(IPHONES.Safari)).uiActions.accept).to.deep.equal({ type: 'openDeeplink', deepLinkUrl })
    expect((await list(IPHONES.Safari, '?webInstallId=w2')).uiActions.accept).to.have.property('type', 'openStore')
    expect(await matched(id)).to.deep.equal([
      { linkId: id, slug: 'banner/link', route: 'fingerprint', wasDeferred: true, reportingMeta: { from: 'banner' } },
    ])
    const clicks = (await test.program.events.after(test.first.id, 0, 10_000)).filter(
      ({ type }) => type === 'link.clicked',
    )
    expect(clicks.map(({ data }) => data)).to.deep.include({
      linkId: id,
      slug: 'banner/link',
      platform: 'ios',
      route: 'banner',
      bannerUuid: uuid,
      reportingMeta: { from: 'banner' },
    })
    expect(await test.program.links.get(test.first.id, id)).to.include({ clicks: 1, lookups: 1 })
    expect((await find(components)).status, 'each tap is used once').to.equal(404)
  })

  it('reads the fingerprint in every form in which clients send it', async () => {
    await make({ slug: 'forms' })
    const { uuid } = await banner('forms')
    const forms: ((text: string) => string)[] = [
      encodeURIComponent,
      (text) => text,
      (text) => text.replace(/=+$/, ''),
      (text) => text.replaceAll('=', '%3D'),
    ]
    for (const form of forms) {
      const components = device()
      await tap(uuid, {
        webInstallId: `form ${count}`,
        fingerprint: Object.fromEntries(Object.entries(components).toReversed()),
      })
      const encoded = encode(components)
      expect(encoded).to.include('+')
      expect((await look(`deeplinks/_taps?fingerprint=${form(encoded)}`)).status, form(encoded)).to.equal(200)
    }
    for (const query of [
      '',
      '?fingerprint=',
      '?fingerprint=%',
      '?fingerprint=e30=',
      '?fingerprint=bm8=',
      `?fingerprint=${encode([])}`,
    ]) {
      expect((await look(`deeplinks/_taps${query}`)).status, query).to.equal(404)
    }
  })

  it('matches nothing when two could be meant, when it is too late, or when the system is another', async () => {
    await make({ slug: 'guess' })
    const { uuid } = await banner('guess')
    const twins = device()
    await tap(uuid, { webInstallId: 'twin 1', fingerprint: twins })
    await tap(uuid, { webInstallId: 'twin 2', fingerprint: twins })
    expect((await find(twins)).status).to.equal(404)

    const [prompt, patient] = [device(), device()]
    await tap(uuid, { webInstallId: 'prompt', fingerprint: prompt })
    await tap(uuid, { webInstallId: 'patient', fingerprint: patient })
    test.clock.advance(3_599_999)
    expect((await find(prompt)).status).to.equal(200)
    test.clock.advance(1)
    expect((await find(patient)).status).to.equal(404)

    const other = { ...device(), platform: '', osMajor: '' }
    await tap(uuid, { webInstallId: 'other', fingerprint: other })
    expect((await find(other, 'Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8)')).status).to.equal(404)
    expect((await find(other, 'Shop/12 CFNetwork/1390 Darwin/22.0.0')).status).to.equal(404)
    expect((await find({ ...other, screen: '1x1' })).status).to.equal(404)
    expect((await find(other, 'Shop/12 CFNetwork/1494 Darwin/23.4.0')).status).to.equal(200)
  })

  it('lets the last tap of a browser count, and one of many look-ups at once', async () => {
    await make({ slug: 'first tap'.replace(' ', '-') })
    await make({ slug: 'second-tap' })
    const components = device()
    await tap((await banner('first-tap')).uuid, { webInstallId: 'again', fingerprint: components })
    await tap((await banner('second-tap')).uuid, { webInstallId: 'again', fingerprint: components })
    const answers = await Promise.all(Array.from({ length: 10 }, () => find(components)))
    const found = answers.filter(({ status }) => status === 200)
    expect(found.map(({ body }) => (body as Json).linkUrl)).to.deep.equal([`${base}/second-tap`])
    expect(answers.filter(({ status }) => status === 404)).to.have.length(9)
  })

  it('says expired and over the limit here too', async () => {
    const expiring = await make({ slug: 'expiring', expiresAt: test.clock.now() + 1000 })
    const limited = await make({ slug: 'limited', lookupLimit: 1 })
    const [soon, full] = [device(), device()]
    await tap((await banner(expiring.slug)).uuid, { webInstallId: 'soon', fingerprint: soon })
    await tap((await banner(limited.slug)).uuid, { webInstallId: 'full', fingerprint: full })
    await look('deeplinks/limited')
    test.clock.advance(1000)
    const [gone, over] = [await find(soon), await find(full)]
    expect([gone.status, gone.body]).to.deep.equal([410, { linkUrl: `${base}/expiring` }])
    expect([over.status, over.body]).to.deep.equal([429, { linkUrl: `${base}/limited` }])
  })

  it('answers every tap, and keeps none of those who do not want to be recognised', async () => {
    await make({ slug: 'quiet' })
    const { uuid } = await banner('quiet')
    for (const [headers, name] of [
      [{ 'sec-gpc': '1' }, 'gpc'],
      [{ dnt: '1' }, 'dnt'],
    ] as const) {
      const components = device()
      expect((await tap(uuid, { webInstallId: name, fingerprint: components }, headers)).status).to.equal(204)
      expect((await find(components)).status).to.equal(404)
    }
    for (const body of [{}, { fingerprint: 7 }, { fingerprint: { a: {} } }]) {
      expect((await tap(uuid, body)).status).to.equal(204)
    }
    for (const [webInstallId, isKept] of [
      [undefined, false],
      ['', false],
      ['x\0', false],
      ['y'.repeat(256), false],
      ['y'.repeat(255), true],
    ] as const) {
      const components = device()
      expect((await tap(uuid, { webInstallId, fingerprint: components })).status).to.equal(204)
      expect((await find(components)).status, String(webInstallId)).to.equal(isKept ? 200 : 404)
    }
    expect((await tap(uuid, 'no json')).status).to.equal(422)
    expect((await tap(uuid, [])).status).to.equal(422)
    expect((await tap('unknown', {})).status).to.equal(404)
  })

  it('keeps no tap and matches nothing while the app does not want guesses, and has no banners to begin with', async () => {
    const other = await openTestServer({ kind })
    try {
      const call = (method: string, path: string, body?: unknown) =>
        other.call(method, `/links/v1/${path}`, { auth: 'device', ...(body !== undefined && { body }) })
      expect((await call('GET', 'banners')).body).to.deep.equal([])
      await other.program.inTransaction(async (tx) => {
        await tx.links.create(other.first.id, [newLink({ slug: 'x' })])
        await tx.banners.create(other.first.id, newBanner(parseJson(createBanner, { link: 'x', labels: LABELS })))
      })
      const [shown] = (await call('GET', 'banners?webInstallId=w')).body as (Json & { uiActions: Json })[]
      expect(shown!.uiActions.accept).to.have.property('url', 'https://example.com/mobile')
      await call('POST', `banners/${String(shown!.uuid)}/taps`, { webInstallId: 'w', fingerprint: COMPONENTS })
      await other.program.inTransaction((tx) => tx.links.configure(other.first.id, { fingerprintWindow: 3600 }))
      expect(
        (await call('GET', `deeplinks/_taps?fingerprint=${encodeURIComponent(encode(COMPONENTS))}`)).status,
      ).to.equal(404)
    } finally {
      await other.close()
    }
  })

  it('forgets taps that wait for nobody, and remembers where the app is', async () => {
    await make({ slug: 'forget' })
    const { uuid } = await banner('forget')
    const components = device()
    await tap(uuid, { webInstallId: 'stays', fingerprint: components })
    expect((await find(components)).status).to.equal(200)
    await tap(uuid, { webInstallId: 'goes', fingerprint: device() })
    test.clock.advance(86_400_001)
    while ((await test.program.inTransaction((tx) => tx.taps.forget(100))) > 0);
    const left = await test.program.kernel.db
      .read('link_taps')
      .whereIn('web_install_id', ['stays', 'goes'])
      .pluck('web_install_id')
    expect(left).to.deep.equal(['stays'])
  })
})
