import { expect } from 'chai'
import { transform } from 'esbuild'
import { rendererFiles } from '../../../src/server/renderer/files.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { visit } from '../../support/visit.ts'

const FOR_EVER = 'public, max-age=31536000, immutable'
const OWN_HOST = 'iar.example.com'

describe('the door of the renderer page', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ settings: { 'hosts.renderer': OWN_HOST } })
  })
  after(() => test.close())

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET', host = 'localhost') =>
    visit(test.address, { host, path, method, headers })

  /** Addresses that a page asks for, as a browser makes them from the page's own. */
  const addresses = (text: string, base: string) =>
    [...text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, url]) => new URL(url!, base).href)

  for (const [at, folder] of [
    ['http://localhost/iar', 'http://localhost/iar/'],
    ['http://localhost/iar/', 'http://localhost/iar/'],
    ['http://localhost/iar?x=1', 'http://localhost/iar/'],
    [`http://${OWN_HOST}/`, `http://${OWN_HOST}/`],
    [`http://${OWN_HOST}/iar`, `http://${OWN_HOST}/iar/`],
  ] as const) {
    it(`${at} is the page, and its files are found from there`, async () => {
      const { host, pathname, search } = new URL(at)
      const page = await get(pathname + search, {}, 'GET', host)
      expect(page.status).to.equal(200)
      expect(page.headers['content-type']).to.equal('text/html; charset=utf-8')
      expect(page.headers['cache-control']).to.equal('public, max-age=300')
      const files = addresses(page.text, at)
      expect(files).to.have.length(2)
      for (const url of files) {
        expect(url)
          .to.match(/\.[0-9a-f]{12}\.(js|css)$/)
          .and.satisfy((text: string) => text.startsWith(folder))
        const file = await get(new URL(url).pathname, {}, 'GET', host)
        expect(file.status).to.equal(200)
        expect(file.headers['cache-control']).to.equal(FOR_EVER)
        expect(file.headers['x-content-type-options']).to.equal('nosniff')
        expect(file.headers['content-type']).to.match(/^text\/(javascript|css); charset=utf-8$/)
      }
    })
  }

  it('a proxy may put any path before it', async () => {
    for (const path of ['/iar', '/iar/']) {
      const page = await get(path)
      for (const url of addresses(page.text, `https://example.com/mobile/backend${path}`)) {
        expect(url).to.satisfy((text: string) => text.startsWith('https://example.com/mobile/backend/iar/'))
      }
    }
  })

  it('lets script and style come from here only, pictures from anywhere, and every page frame it', async () => {
    const { headers } = await get('/iar')
    const policy = headers['content-security-policy'] as string
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      'img-src https: http: data:',
      'media-src https: http:',
      'frame-ancestors *',
      "base-uri 'none'",
    ]) {
      expect(policy.split('; ')).to.include(rule)
    }
    expect(policy).not.to.include('unsafe')
    expect(headers['referrer-policy']).to.equal('no-referrer')
    expect(headers['x-content-type-options']).to.equal('nosniff')
    expect(headers).not.to.have.any.keys('x-frame-options', 'set-cookie')
  })

  it('who has the page hears that it is still the same', async () => {
    for (const path of ['/iar', '/iar/', `/iar/${rendererFiles().script.name}`]) {
      const first = await get(path)
      const etag = first.headers.etag!
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(path, { 'if-none-match': tag })
        expect(again.status).to.equal(304)
        expect(again.text).to.equal('')
        expect(again.headers.etag).to.equal(etag)
        expect(again.headers['cache-control']).to.equal(first.headers['cache-control'])
      }
      expect((await get(path, { 'if-none-match': '"other"' })).status).to.equal(200)
    }
  })

  it('HEAD says what GET says, without the page', async () => {
    for (const path of ['/iar', `/iar/${rendererFiles().style.name}`]) {
      const [whole, head] = [await get(path), await get(path, {}, 'HEAD')]
      expect(head.status).to.equal(200)
      expect(head.text).to.equal('')
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
        expect(head.headers[name]).to.equal(whole.headers[name])
      }
    }
  })

  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    it(`${method} is not possible`, async () => {
      const answer = await get('/iar', {}, method)
      expect(answer.status).to.equal(405)
      expect(answer.headers.allow).to.equal('GET, HEAD')
    })
  }

  for (const path of [
    '/iar/script.js',
    '/iar/script.000000000000.js',
    '/iar/index.html',
    '/iar/main.js',
    '/iar/x/',
    '/iar/..%2fstyle.css',
    '/iar/__proto__',
    '/iar//',
  ]) {
    it(`there is no ${path}`, async () => {
      const answer = await get(path)
      expect(answer.status).to.equal(404)
      expect(answer.headers['cache-control']).to.equal('no-store')
    })
  }

  it('the link host of an app has links there, not the page', async () => {
    const { host } = new URL(test.program.links.baseOf(await test.program.links.site(test.first.id)))
    expect((await get('/iar', {}, 'GET', host)).status).to.equal(404)
  })

  it('other paths that begin alike are not its', async () => {
    const { text } = await get('/iarx')
    expect(text).not.to.include('renderer').and.not.to.include('<html')
  })

  it('the whole page is small, and says nothing of where its sources are', async () => {
    const { script, style, index } = rendererFiles()
    const size = [script.text, style.text, index].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    expect(size).to.be.lessThan(32 * 1024)
    expect(script.text).not.to.match(/^(import|export) /m)
    expect(script.text).not.to.include('sourceMappingURL')
  })

  it('is written in words that old web views know', async () => {
    const { script } = rendererFiles()
    const write = async (target: string) => (await transform(script.text, { target })).code
    expect(await write('es2015')).to.equal(await write('esnext'))
    expect(script.text).not.to.match(/,\n\)/)
    expect(script.text).not.to.match(
      /\.(at|flat|flatMap|replaceAll|fromEntries|entries|values|includes|padStart|append|replaceChildren|closest)\(/,
    )
  })

  it('never writes markup', () => {
    const { script } = rendererFiles()
    expect(script.text).not.to.match(
      /innerHTML|outerHTML|insertAdjacent|document\.write|createContextual|eval\(|Function\(/,
    )
  })
})
