import { expect } from 'chai'
import type { DeepLink, NewLink } from '../../../src/domain/links/types.ts'
import { readPicture } from '../../../src/domain/pictures/schema.ts'
import { listen } from '../../../src/server/index.ts'
import { FOR_EVER } from '../../../src/server/public/pictures.ts'
import { ANDROIDS, DESKTOPS, IPHONES, MAC_SAFARI, PREVIEWERS, PROGRAMS } from '../../domain/links/agents.ts'
import { eventually } from '../../support/eventually.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { newLink } from '../../support/links.ts'
import { smallGif } from '../../support/pictures.ts'
import { onSqliteDaily, openTestProgram } from '../../support/program.ts'
import { type Visit, type Visited, visit } from '../../support/visit.ts'

const WINDOWS = DESKTOPS['Chrome on Windows']
const STORES = {
  iosTeamId: 'ABCDE12345',
  iosBundleIds: ['com.example.app'],
  androidPackage: 'com.example.app',
  androidSha256: [Array.from({ length: 32 }, () => 'AB').join(':')],
  appStoreUrl: 'https://apps.apple.com/app/id123456789',
}

onSqliteDaily('a link host', (kind) => {
  let test: TestServer
  let host: string
  const SETTINGS = { baseUrl: 'https://api.example.com', 'links.domain': 'lnk.example.com' }

  before(async () => {
    test = await openTestServer({ kind, settings: SETTINGS })
    await test.program.inTransaction((tx) => tx.links.configure(test.first.id, STORES))
    host = `${(await test.program.links.site(test.first.id)).settings.subdomain}.lnk.example.com`
  })
  after(() => test.close())

  const make = async (given: Partial<NewLink> = {}): Promise<DeepLink> =>
    (await test.program.inTransaction((tx) => tx.links.create(test.first.id, [newLink(given)])))[0]!
  const go = (path: string, more: Partial<Visit> = {}): Promise<Visited> =>
    visit(test.address, { host, path, agent: WINDOWS, ...more })

  it('sends a desktop to the page of the link, and nothing else of the request with it', async () => {
    const { slug } = await make({ desktopWebFallbackUrl: 'https://example.com/Täg?x=1' })
    const seen = await go(`/${slug}?next=https://evil.example&x=2`)
    expect(seen.status).to.equal(302)
    expect(seen.headers).to.deep.include({
      location: 'https://example.com/T%C3%A4g?x=1',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-length': '0',
    })
    for (const agent of [PROGRAMS.curl, 'Something/1.0']) {
      expect((await go(`/${slug}`, { agent })).headers.location).to.equal('https://example.com/T%C3%A4g?x=1')
    }
    expect((await visit(test.address, { host, path: `/${slug}` })).status).to.equal(302)
  })

  it('shows a phone the page with the store and the whole link to copy, query included', async () => {
    const { slug } = await make({ content: { title: 'Spring <sale>', description: 'All "half" price' } })
    const page = await go(`/${slug}?ref=a&b="><script>alert(1)</script>`, { agent: IPHONES.Safari })
    expect(page.status).to.equal(200)
    expect(page.headers['content-type']).to.equal('text/html; charset=utf-8')
    const nonce = /script-src 'nonce-([^']+)'/.exec(page.headers['content-security-policy'] as string)![1]!
    expect(page.headers['content-security-policy']).to.equal(
      `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    const url = `https://${host}/${slug}?ref=a&amp;b=%22%3E%3Cscript%3Ealert(1)%3C/script%3E`
    expect(page.text)
      .to.include(`data-link="${url}"`)
      .and.include('<h1 dir="auto">Spring &lt;sale&gt;</h1>')
      .and.include('content="app-id=123456789, app-argument=')
      .and.include('href="https://apps.apple.com/app/id123456789"')
      .and.include('href="https://example.com/mobile"')
      .and.include('<meta property="og:description" content="All &quot;half&quot; price">')
      .and.not.include('<script>alert')
    expect(Buffer.byteLength(page.text)).to.be.below(15_000)
    expect((await go(`/${slug}`, { agent: IPHONES.Safari })).text).to.not.include(nonce)
  })

  it('reads no more than 1 KB of what a browser calls itself', async () => {
    const { slug } = await make()
    const iPhone = ` ${IPHONES.Safari}`
    const within = 'x'.repeat(1024 - iPhone.length)
    expect((await go(`/${slug}`, { agent: within + iPhone })).text).to.include('data-link')
    expect((await go(`/${slug}`, { agent: 'x'.repeat(1024) + iPhone })).status).to.equal(302)
  })

  it('gives Android the link as install referrer', async () => {
    const { slug } = await make({ slug: 'deep/er' })
    const store = 'https://play.google.com/store/apps/details?id=com.example.app&amp;referrer='
    const page = await go('/deep%2Fer/?q=1', { agent: ANDROIDS.Chrome })
    expect(page.text).to.include(`href="${store}${encodeURIComponent(`https://${host}/${slug}?q=1`)}"`)
  })

  it('sends a Mac on by script and an iPad not, and without script both', async () => {
    const { slug } = await make({ desktopWebFallbackUrl: 'https://example.com/?a=1&b="x"' })
    const page = await go(`/${slug}`, { agent: MAC_SAFARI })
    const escaped = 'https://example.com/?a=1&amp;b=%22x%22'
    expect(page.text)
      .to.include(`class="check" data-desktop="${escaped}"`)
      .and.include(`<noscript><meta http-equiv="refresh" content="0;url=${escaped}"></noscript>`)
  })

  it('shows a preview to those who make previews, and says the same to all of them', async () => {
    const { slug } = await make({ content: { title: 'Spring', description: 'Sale' } })
    for (const agent of Object.values(PREVIEWERS)) {
      const page = await go(`/${slug}`, { agent })
      expect(page.status).to.equal(200)
      expect(page.text)
        .to.include('<meta property="og:title" content="Spring">')
        .and.include('<meta property="og:description" content="Sale">')
        .and.include(`<meta property="og:url" content="https://${host}/${slug}">`)
        .and.include('<meta name="twitter:card" content="summary">')
        .and.not.include('data-link')
    }
  })

  it('sends an address as a header takes it, and one that needs nothing as it is', async () => {
    const rows: [given: string, sent: string][] = [
      ['https://example.com', 'https://example.com/'],
      ['https://example.com/a.html?x=%20&y[]=1#z', 'https://example.com/a.html?x=%20&y[]=1#z'],
      ['https://example.com/~a;b=c/!$(d)*+,@:', 'https://example.com/~a;b=c/!$(d)*+,@:'],
      ['https://example.com/a/./b/../c', 'https://example.com/a/c'],
      ['https://example.com/a"b<c>', 'https://example.com/a%22b%3Cc%3E'],
      ['HTTPS://EXAMPLE.com:443/x', 'https://example.com/x'],
      ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
      ['http://1.2.3/x', 'http://1.2.0.3/x'],
    ]
    for (const [given, sent] of rows) {
      const { slug } = await make({ desktopWebFallbackUrl: given })
      for (let i = 0; i < 3; i++) expect((await go(`/${slug}`)).headers.location, given).to.equal(sent)
    }
  })

  it('knows its host however it is written, and no path that is not a slug', async () => {
    await make({ slug: 'odd/path' })
    for (const name of [host.toUpperCase(), `${host}:8080`, `${host}:`, `${host}.`, `${host}.:80`]) {
      expect((await go('/odd/path', { host: name })).status, name).to.equal(302)
    }
    for (const path of [
      '//odd/path',
      '/odd/path/',
      '/odd%2fpath',
      '/%6fdd/path',
      '/odd/path?%',
      '/odd/path?a=%0d%0aX:1',
    ]) {
      expect((await go(path)).status, path).to.equal(302)
    }
    const none = ['/', '//', '/odd', '/odd//path', '/./odd/path', '/x/../odd/path', '/%2e%2e/odd/path', '/odd/path%00']
    none.push('/%', '/%zz', '/%C0%AF', '/odd/path%3Fx', '/odd/path;x', '/__proto__', `/${'a'.repeat(9000)}`, '/_taps')
    for (const path of none) expect((await go(path)).status, path.slice(0, 30)).to.equal(404)
    for (const name of [`x.${host}`, 'nobody.lnk.example.com', `${'a'.repeat(300)}.lnk.example.com`]) {
      expect((await go('/odd/path', { host: name })).status, name.slice(0, 30)).to.equal(404)
    }
    expect((await go('/odd/path', { host: `x@${host}` })).status).to.equal(400)
  })

  it('answers HEAD as GET without the body', async () => {
    const { slug } = await make()
    const seen = await go(`/${slug}`, { method: 'HEAD' })
    expect([seen.status, seen.headers.location, seen.text]).to.deep.equal([302, 'https://example.com/desktop', ''])
    const page = await go(`/${slug}`, { method: 'HEAD', agent: IPHONES.Safari })
    expect([page.status, page.text]).to.deep.equal([200, ''])
    expect(Number(page.headers['content-length'])).to.be.above(1000)
    const posted = await go(`/${slug}`, { method: 'POST' })
    expect([posted.status, posted.headers.allow]).to.deep.equal([405, 'GET, HEAD'])
  })

  it('still leads people from an expired link and from one that is used up', async () => {
    const old = await make({ expiresAt: test.clock.now() - 1 })
    const used = await make({ lookupLimit: 1 })
    await test.program.inTransaction((tx) => tx.links.countLookup(test.first.id, used.id, test.clock.now()))
    for (const { slug } of [old, used]) {
      expect((await go(`/${slug}`)).headers.location).to.equal('https://example.com/desktop')
      expect((await go(`/${slug}`, { agent: IPHONES.Safari })).text).to.include('data-link')
    }
  })

  it('says 404 where there is no link: a page to browsers, JSON to programs', async () => {
    const nowhere = [
      '/',
      '/unknown',
      '/%',
      '/%2e%2e/x',
      '/a//b',
      '/_taps',
      '/%00',
      `/${'x'.repeat(300)}`,
      '/healthz',
      '/docs',
    ]
    for (const path of [...nowhere, '/links/v1/deep-links', '/l/x/y', '/fingerprint', '/metrics', '//evil.example']) {
      const page = await go(path, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
      expect([path, page.status, page.headers['content-type']]).to.deep.equal([path, 404, 'text/html; charset=utf-8'])
      expect(page.headers['cache-control']).to.equal('no-store')
    }
    const { status, text } = await go('/unknown', { headers: { accept: 'application/json' } })
    expect([status, JSON.parse(text)]).to.deep.equal([404, { error: 'there is no link at this address' }])
    expect((await go('/unknown', { headers: { 'accept-language': 'de-DE,en;q=0.5' } })).text).to.include('lang="de"')
  })

  it('works from the moment a link is made, and forgets what changed within seconds', async () => {
    expect((await go('/soon')).status).to.equal(404)
    await make({ slug: 'soon' })
    expect((await go('/soon')).status).to.equal(302)
    await test.program.inTransaction((tx) => tx.links.configure(test.first.id, { appStoreUrl: null }))
    test.clock.advance(5001)
    expect((await go('/soon', { agent: IPHONES.Safari })).headers.location).to.equal('https://example.com/mobile')
    const put = await test.call('PUT', '/links/v1/link-settings', { body: STORES })
    expect(put.status).to.equal(200)
    expect((await go('/soon', { agent: IPHONES.Safari })).status, 'at once when it was told here').to.equal(200)
  })

  it('has the documents of operating systems, and says so when there is nothing in them', async () => {
    const apple = await go('/.well-known/apple-app-site-association', { agent: 'AASA-Bot/1.0.0' })
    expect([apple.status, apple.headers['content-type'], apple.headers['cache-control']]).to.deep.equal([
      200,
      'application/json',
      'public, max-age=3600',
    ])
    expect(JSON.parse(apple.text)).to.have.nested.property(
      'applinks.details[0].appIDs[0]',
      'ABCDE12345.com.example.app',
    )
    const google = await go('/.well-known/assetlinks.json')
    expect([google.status, google.headers['content-type']]).to.deep.equal([200, 'application/json'])
    expect(JSON.parse(google.text)).to.have.nested.property('[0].target.package_name', 'com.example.app')

    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const { settings } = await test.program.links.site(other.id)
    for (const path of ['/.well-known/apple-app-site-association', '/.well-known/assetlinks.json', '/.well-known/x']) {
      const seen = await go(path, { host: `${settings.subdomain}.lnk.example.com`, headers: { accept: 'text/html' } })
      expect([seen.status, seen.headers['content-type']]).to.deep.equal([404, 'application/json; charset=utf-8'])
      expect(JSON.parse(seen.text)).to.have.property('error')
    }
  })

  it('shows the icon of the app, on its own host and by path, and none where there is none', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
      'base64',
    )
    expect((await go('/.well-known/app-icon')).status).to.equal(404)
    const link = await make()
    const agent = IPHONES.Safari
    const before = await go(`/${link.slug}`, { agent })
    expect(before.text).to.include('<div class="mark"').and.not.include('og:image')
    const icon = `data:image/png;base64,${png.toString('base64')}`
    await test.program.inTransaction((tx) => tx.links.configure(test.first.id, { icon }))
    // A change in this process shows at once.
    const page = await go(`/${link.slug}`, { agent })
    const src = /<img class="mark" src="([^"]+)"/.exec(page.text)![1]!
    expect(page.text).to.include(
      `<meta property="og:image" content="${new URL(src, `https://${host}/${link.slug}`).href}">`,
    )
    expect(page.headers['content-security-policy']).to.include("img-src 'self'")
    const image = await go(`/${src}`)
    expect([image.status, image.headers['content-type'], image.headers['x-content-type-options']]).to.deep.equal([
      200,
      'image/png',
      'nosniff',
    ])
    expect(image.headers['content-length']).to.equal(String(png.length))
    const byPath = await go(`/l/${host.split('.')[0]}/${src}`, { host: 'api.example.com' })
    expect([byPath.status, byPath.headers['content-type']]).to.deep.equal([200, 'image/png'])
    for (const seen of [image, byPath]) expect(seen.headers['cache-control']).to.equal(FOR_EVER)
    for (const path of ['/.well-known/app-icon', `/${src}0`, `/${src.replace(/=.*/, '=other')}`]) {
      expect((await go(path)).headers['cache-control'], path).to.equal('public, max-age=3600')
    }
    await test.program.inTransaction((tx) => tx.links.configure(test.first.id, { icon: null }))
  })

  it('shows the picture that is the icon of the app, unless the link settings have another', async () => {
    const { name, picture } = readPicture('icon.gif', smallGif())
    const { uid } = await test.program.inTransaction(async (tx) => {
      const made = await tx.pictures.add(test.first.id, name, picture)
      await tx.pictures.setIcon(test.first.id, made.picture.uid)
      return made.picture
    })
    const link = await make()
    const { text } = await go(`/${link.slug}`, { agent: IPHONES.Safari })
    const src = `.well-known/app-icon?v=${uid.slice(0, 12)}`
    expect(text).to.include(`<img class="mark" src="${src}" alt="">`)
    expect(text).to.include(`<meta property="og:image" content="https://${host}/${src}">`)
    expect(text).to.include('<meta name="twitter:card" content="summary">')
    const image = await go(`/${src}`)
    expect([image.status, image.headers['content-type'], image.headers['x-content-type-options']]).to.deep.equal([
      200,
      'image/gif',
      'nosniff',
    ])
    expect(image.headers['content-length']).to.equal(String(picture.bytes.length))
    expect(image.headers['cache-control']).to.equal(FOR_EVER)
    const again = await go('/.well-known/app-icon', { headers: { 'if-none-match': String(image.headers.etag) } })
    expect([again.status, again.text, again.headers.etag]).to.deep.equal([304, '', image.headers.etag])
    expect((await go(`/${src}`, { headers: { 'if-none-match': '"another"' } })).status).to.equal(200)
    const own = { icon: 'data:image/png;base64,iVBORw0KGgo=' }
    await test.program.inTransaction((tx) => tx.links.configure(test.first.id, own))
    expect((await go(`/${link.slug}`, { agent: IPHONES.Safari })).text).to.not.include(src)
    await test.program.inTransaction((tx) => tx.links.configure(test.first.id, { icon: null }))
    await test.program.inTransaction((tx) => tx.pictures.delete(test.first.id, uid, true))
    expect((await go(`/${link.slug}`, { agent: IPHONES.Safari })).text, 'at once').to.include('<div class="mark"')
    expect((await go('/.well-known/app-icon')).status).to.equal(404)
  })

  it('is found by its own host name and by path, never with the links of another app', async () => {
    await make({ slug: 'mine/too' })
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Third' }))
    await test.program.inTransaction((tx) => tx.links.configure(other.id, { domain: 'go.example.org' }))
    const { settings } = await test.program.links.site(other.id)
    expect((await go('/mine/too', { host: 'go.example.org' })).status).to.equal(404)
    expect((await go('/mine/too', { host: `${settings.subdomain}.lnk.example.com` })).status).to.equal(404)
    const theirs = newLink({ slug: 'mine/too', desktopWebFallbackUrl: 'https://example.org/theirs' })
    await test.program.inTransaction((tx) => tx.links.create(other.id, [theirs]))
    for (const where of ['go.example.org', 'GO.example.org:443', 'go.example.org.']) {
      expect((await go('/mine/too', { host: where })).headers.location).to.equal('https://example.org/theirs')
    }
    const label = host.split('.')[0]!
    for (const path of [
      `/l/${label}/mine/too`,
      `/links/l/${label}/mine%2Ftoo`,
      `/l/${label.toUpperCase()}/mine/too?x`,
    ]) {
      expect((await go(path, { host: 'api.example.com' })).headers.location).to.equal('https://example.com/desktop')
    }
    expect((await go(`/l/${label}/nothing`, { host: 'api.example.com' })).status).to.equal(404)
    expect((await go('/l/nobody/mine/too', { host: 'api.example.com' })).status).to.equal(404)
    expect((await go('/healthz', { host: 'api.example.com' })).status).to.equal(200)
    for (const path of ['/healthz', '/l/x/y', '/.well-known/assetlinks.json']) {
      expect((await go(path, { host: 'nobody.lnk.example.com' })).status).to.equal(404)
    }
  })

  it('counts visits of people, and each is an event', async () => {
    const link = await make({ slug: 'counted', reportingMeta: { campaign: 7 } })
    const long = await make({ reportingMeta: { text: 'x'.repeat(2000) } })
    await go(`/${long.slug}`, { agent: WINDOWS })
    await go('/counted', { agent: WINDOWS })
    await go('/counted', { agent: IPHONES.Safari })
    await go('/counted', { agent: ANDROIDS.Chrome })
    for (const agent of [...Object.values(PREVIEWERS), PROGRAMS.curl]) await go('/counted', { agent })
    await go('/counted', { method: 'HEAD' })
    await go('/counted', { headers: { 'sec-purpose': 'prefetch' } })
    const counted = async () => (await test.program.links.get(link.appId, link.id)).clicks
    await eventually(async () => (await counted()) >= 3, 'the clicks are counted')
    expect(await counted()).to.equal(3)
    const clicked = async ({ id }: DeepLink) =>
      (await test.program.events.after(link.appId, 0, 1000)).flatMap(({ type, data }) =>
        type === 'link.clicked' && data?.linkId === id ? [data] : [],
      )
    expect(await clicked(long)).to.deep.equal([
      { linkId: long.id, slug: long.slug, platform: 'desktop', route: 'desktopWeb', reportingMeta: long.reportingMeta },
    ])
    expect(await clicked(link)).to.deep.equal([
      { linkId: link.id, slug: 'counted', platform: 'desktop', route: 'desktopWeb', reportingMeta: { campaign: 7 } },
      { linkId: link.id, slug: 'counted', platform: 'ios', route: 'jumpPage', reportingMeta: { campaign: 7 } },
      { linkId: link.id, slug: 'counted', platform: 'android', route: 'jumpPage', reportingMeta: { campaign: 7 } },
    ])
  })
})

describe('a program on a laptop', () => {
  it('has the links of its apps below localhost', async () => {
    const test = await openTestServer()
    try {
      await test.program.inTransaction((tx) => tx.links.create(test.first.id, [newLink({ slug: 'x' })]))
      const { settings } = await test.program.links.site(test.first.id)
      const host = `${settings.subdomain}.localhost:8080`
      expect((await visit(test.address, { host, path: '/x' })).headers.location).to.equal('https://example.com/desktop')
    } finally {
      await test.close()
    }
  })

  it('writes the clicks that it has in memory before it ends', async () => {
    const test = await openTestProgram({ settings: { port: '0' } })
    try {
      const [link] = await test.program.inTransaction((tx) => tx.links.create(test.first.id, [newLink({ slug: 'x' })]))
      const { settings } = await test.program.links.site(test.first.id)
      const server = await listen(test.program)
      // The port that the system chose is in the addresses from now on.
      expect(test.program.links.baseOf({ settings })).to.equal(
        `http://${settings.subdomain}.localhost:${new URL(server.address).port}`,
      )
      await visit(server.address, { host: `${settings.subdomain}.localhost`, path: '/x', agent: WINDOWS })
      await server.close()
      expect((await test.program.links.get(test.first.id, link!.id)).clicks).to.equal(1)
    } finally {
      await test.close()
    }
  })
})
