import { createHash } from 'node:crypto'
import { expect } from 'chai'
import packageJson from '../../../package.json' with { type: 'json' }
import { openTestServer, type TestServer } from '../../support/http.ts'

const { version } = packageJson

interface Listed {
  name: string
  path: string
  versioned: string
  bytes: number
  integrity: string
}

describe('the door of the browser client', () => {
  let server: TestServer
  before(async () => {
    server = await openTestServer()
  })
  after(() => server.close())

  const get = (path: string, init: RequestInit = {}) => fetch(server.address + path, init)
  const list = async () => (await (await get('/sdk/v1/')).json()) as { version: string; files: Listed[] }

  it('lists its files with what browsers compare', async () => {
    const { version: said, files } = await list()
    expect(said).to.equal(version)
    expect(files.map(({ name }) => name)).to.deep.equal(['appsvc.js', 'worker.js'])
    for (const { name, path, versioned, bytes, integrity } of files) {
      expect(path).to.equal(`/sdk/v1/${name}`)
      const [usual, fixed] = await Promise.all(
        [path, versioned].map(async (one) => Buffer.from(await (await get(one)).arrayBuffer())),
      )
      expect(usual!.equals(fixed!)).to.equal(true)
      expect(usual).to.have.length(bytes)
      expect(integrity).to.equal(`sha384-${createHash('sha384').update(usual!).digest('base64')}`)
    }
  })

  const CACHED: [string, string][] = [
    ['/sdk/v1/appsvc.js', 'public, max-age=3600, stale-while-revalidate=86400'],
    ['/sdk/v1/worker.js', 'public, max-age=3600, stale-while-revalidate=86400'],
    ['/sdk/v1/appsvc.js.map', 'public, max-age=3600, stale-while-revalidate=86400'],
    [`/sdk/v1/appsvc-${version}.js`, 'public, max-age=31536000, immutable'],
    [`/sdk/v1/worker-${version}.js`, 'public, max-age=31536000, immutable'],
    ['/sdk/v1/', 'no-cache'],
  ]
  for (const [path, kept] of CACHED) {
    it(`lets pages of any origin load ${path}, and keep it: ${kept}`, async () => {
      const { status, headers } = await get(path, { headers: { Origin: 'https://shop.example' } })
      expect(status).to.equal(200)
      expect(headers.get('cache-control')).to.equal(kept)
      expect(headers.get('access-control-allow-origin')).to.equal('*')
      expect(headers.get('cross-origin-resource-policy')).to.equal('cross-origin')
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      expect(headers.get('content-type')).to.match(path.endsWith('.js') ? /^text\/javascript; charset=utf-8$/ : /json/)
    })
  }

  it('sends nothing again that the caller has, and compresses', async () => {
    const { headers } = await get('/sdk/v1/appsvc.js', { headers: { 'Accept-Encoding': 'br' } })
    expect(headers.get('content-encoding')).to.equal('br')
    const again = await get('/sdk/v1/appsvc.js', { headers: { 'If-None-Match': headers.get('etag')! } })
    expect([again.status, again.headers.get('cache-control')]).to.deep.equal([
      304,
      'public, max-age=3600, stale-while-revalidate=86400',
    ])
  })

  it('has the sources in its maps', async () => {
    const map = (await (await get('/sdk/v1/worker.js.map')).json()) as { sources: string[]; sourcesContent: string[] }
    expect(map.sources.join()).to.include('clients/web/src/worker/worker.ts')
    expect(map.sourcesContent).to.have.length(map.sources.length)
  })

  const REFUSED: [method: string, path: string, status: number, error: string][] = [
    [
      'GET',
      '/sdk/v1/appsvc-9.9.9.js',
      404,
      `there is no /sdk/v1/appsvc-9.9.9.js: /sdk/v1/ lists what this server, ${version}, has`,
    ],
    ['GET', '/sdk/v1/../v1/index.ts', 404, 'there is nothing at /sdk/v1/index.ts'],
    [
      'GET',
      '/sdk/v1/constructor',
      404,
      `there is no /sdk/v1/constructor: /sdk/v1/ lists what this server, ${version}, has`,
    ],
    ['POST', '/sdk/v1/appsvc.js', 405, 'POST is not supported here: use GET'],
  ]
  for (const [method, path, status, error] of REFUSED) {
    it(`answers ${method} ${path} with ${status}`, async () => {
      const answer = await get(path, { method })
      expect(answer.status).to.equal(status)
      const said = ((await answer.json()) as { error: string }).error
      if (!path.includes('..')) expect(said).to.equal(error)
    })
  }
})
