import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'

describe('the address that people try first', () => {
  let server: TestServer
  before(async () => {
    server = await openTestServer()
  })
  after(() => server.close())

  const get = (accept: string, method = 'GET') => fetch(`${server.address}/`, { method, headers: { Accept: accept } })

  it('answers a browser with a page that loads nothing and leads to the documents', async () => {
    const response = await get('text/html,application/xhtml+xml,*/*;q=0.8')
    const page = await response.text()
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect(response.headers.get('vary')).to.equal('Accept')
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)![1]!
    expect(response.headers.get('content-security-policy'))
      .to.include("default-src 'none'")
      .and.include(`'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    expect(page)
      .to.include('<a href="/docs">')
      .and.not.match(/<script|<link(?! rel="icon" href="data:)|<img|="https?:\/\/|url\(/)
    for (const [, path] of page.matchAll(/href="(\/[^"]*)"/g)) {
      expect((await fetch(`${server.address}${path}`)).status, path).to.equal(200)
    }
  })

  it('answers programs with JSON, HEAD without a body, and nothing else', async () => {
    const response = await get('*/*')
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8')
    expect(await response.json()).to.deep.equal({
      name: 'appsvc',
      console: '/console/',
      docs: '/docs',
      openapi: '/openapi.json',
      health: '/readyz',
    })
    expect(await (await get('text/html', 'HEAD')).text()).to.equal('')
    expect((await get('*/*', 'POST')).status).to.equal(404)
  })

  it('leaves the hosts of areas alone', async () => {
    const own = await openTestServer({ settings: { 'hosts.crm': 'localhost' } })
    const at = own.address.replace('127.0.0.1', 'localhost')
    const statuses = [(await fetch(`${own.address}/`)).status, (await fetch(`${at}/`)).status]
    await own.close()
    expect(statuses).to.deep.equal([200, 404])
  })

  const stray = (path: string, accept = 'text/html,application/xhtml+xml,*/*;q=0.8', method = 'GET') =>
    fetch(`${server.address}${path}`, { method, headers: { Accept: accept } })

  it('leads a browser on from an address at which there is nothing', async () => {
    for (const path of ['/welcome', '/push-templates/', '/index.html', '/wp-login.php?x=1', '/a//b']) {
      const response = await stray(path)
      expect(response.status, path).to.equal(404)
      expect(response.headers.get('content-type'), path).to.equal('text/html; charset=utf-8')
      const page = await response.text()
      expect(page, path).to.include('There is nothing at this address').and.include('<a href="/console/">')
      expect(page, path).not.to.include(path)
    }
    expect(await (await stray('/welcome', 'text/html', 'HEAD')).text()).to.equal('')
  })

  it('answers in JSON to programs, below the interface and where another method is meant', async () => {
    const answers = [
      await stray('/welcome', '*/*'),
      await stray('/welcome', 'application/json'),
      await stray('/welcome', 'text/html', 'POST'),
      await stray('/v2/nothing'),
      await stray('/v9'),
      await stray('/admin/nothing'),
      await stray('/push/nothing'),
    ]
    for (const answer of answers) {
      expect(answer.status, answer.url).to.equal(404)
      expect(await answer.json(), answer.url).to.have.property('error')
    }
  })
})
