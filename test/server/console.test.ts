import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createHandler } from '../../src/server/handler.ts'
import { routes } from '../../src/server/routes.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { openTestProgram } from '../support/program.ts'

interface Raw {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Fetches with any Host header and without decompression. */
function ask(address: string, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(address + path, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject).end()
  })
}

describe('the door of the console', () => {
  let server: TestServer
  before(async () => {
    server = await openTestServer()
  })
  after(() => server.close())

  it('answers every address below it with the page, under a policy that lets nothing in from elsewhere', async () => {
    for (const path of ['/console/', '/console/apps/1/users', '/console/no/such/page']) {
      const { status, headers, body } = await ask(server.address, path)
      expect(status, path).to.equal(200)
      expect(body.toString())
        .to.include('<div id="console">')
        .and.not.match(/<style|<script>|style="/)
      expect(headers['content-security-policy']).to.equal(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; " +
          "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      )
      expect(headers['x-content-type-options']).to.equal('nosniff')
      expect(headers['referrer-policy']).to.equal('no-referrer')
      expect(headers['cache-control']).to.equal('no-cache')
    }
    const bare = await ask(server.address, '/console?a=b')
    expect([bare.status, bare.headers['location']]).to.deep.equal([308, '/console/?a=b'])
  })

  it('lets browsers keep files for ever, and the page until it changes', async () => {
    const page = await ask(server.address, '/console/')
    const [, name] = /src="([^"]+)"/.exec(page.body.toString())!
    const file = await ask(server.address, name!)
    expect(file.headers['cache-control']).to.equal('public, max-age=31536000, immutable')
    expect(file.headers['content-type']).to.equal('text/javascript; charset=utf-8')
    for (const path of ['/console/', name!]) {
      const { headers } = await ask(server.address, path)
      const again = await ask(server.address, path, { 'If-None-Match': headers['etag'] as string })
      expect([again.status, again.body.length], path).to.deep.equal([304, 0])
    }
  })

  it('compresses as the caller likes it, and says that it depends on that', async () => {
    const plain = await ask(server.address, '/console/', { 'Accept-Encoding': 'identity' })
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const [accepted, taken] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
    ] as const) {
      const { headers, body } = await ask(server.address, '/console/', { 'Accept-Encoding': accepted })
      expect([headers['content-encoding'], headers['vary']]).to.deep.equal([taken, 'Accept-Encoding'])
      expect(unpack[taken](body).equals(plain.body)).to.equal(true)
    }
    expect(plain.headers['content-encoding']).to.equal(undefined)
  })

  it('lets nobody but the console frame its page for messages', async () => {
    for (const path of ['/console/iar/', '/console/iar']) {
      const { headers } = await ask(server.address, path)
      expect(String(headers['content-security-policy']), path).to.match(/frame-ancestors '(self|none)'/)
      expect(headers['x-frame-options'], path).to.match(/^(SAMEORIGIN|DENY)$/)
    }
  })

  it('refuses other methods, and says when a file is not there any more', async () => {
    expect((await ask(server.address, '/console/', {}, 'POST')).status).to.equal(405)
    const gone = await ask(server.address, '/console/files/main-OLD.js')
    expect([gone.status, gone.body.toString()]).to.deep.equal([
      404,
      '{"error":"there is no main-OLD.js (any more): load the console again"}',
    ])
    const head = await ask(server.address, '/console/', {}, 'HEAD')
    expect([head.status, head.body.length]).to.deep.equal([200, 0])
  })
})

describe('where the console answers', () => {
  /** Statuses of the console, its interface and the rest of the server. */
  const PATHS = ['/console/', '/console', '/admin/v1/state', '/readyz', '/docs']

  async function statuses(address: string, host?: string): Promise<number[]> {
    const all = await Promise.all(PATHS.map((path) => ask(address, path, host === undefined ? {} : { Host: host })))
    return all.map(({ status }) => status)
  }

  /** A server whose answers are not compared with the interface document, which tells nothing of closed doors. */
  async function openClosed(settings: Record<string, string>) {
    const test = await openTestProgram({ settings })
    const handler = createHandler(test.program, routes)
    const servers = [
      createServer({ keepAliveTimeout: 0 }, handler.handle),
      createServer({ keepAliveTimeout: 0 }, handler.handleConsole),
    ] as const
    const addresses = await Promise.all(
      servers.map(async (one) => {
        await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
        return `http://127.0.0.1:${(one.address() as AddressInfo).port}`
      }),
    )
    return {
      main: addresses[0]!,
      aside: addresses[1]!,
      async close() {
        await Promise.all(servers.map((one) => new Promise((resolve) => one.close(resolve))))
        await handler.close()
        await test.close()
      },
    }
  }

  it('nowhere when it is off, and the front page does not name it', async () => {
    const server = await openClosed({ 'console.enabled': 'false' })
    expect(await statuses(server.main)).to.deep.equal([404, 404, 404, 200, 200])
    expect((await ask(server.main, '/', { Accept: 'text/html' })).body.toString()).to.not.include('/console')
    await server.close()
  })

  it('only at its host name, where nothing else answers', async () => {
    const server = await openClosed({ 'hosts.console': 'console.example.com' })
    expect(await statuses(server.main)).to.deep.equal([404, 404, 404, 200, 200])
    expect(await statuses(server.main, 'Console.example.com:443')).to.deep.equal([200, 308, 200, 404, 404])
    const front = await ask(server.main, '/', { Host: 'console.example.com' })
    expect([front.status, front.headers['location']]).to.deep.equal([302, '/console/'])
    await server.close()
  })

  it('only at the listener of its own, where nothing else answers', async () => {
    const server = await openClosed({ 'console.listen': '127.0.0.1:9999' })
    expect(await statuses(server.main)).to.deep.equal([404, 404, 404, 200, 200])
    expect(await statuses(server.aside)).to.deep.equal([200, 308, 200, 404, 404])
    expect((await ask(server.aside, '/')).headers['location']).to.equal('/console/')
    await server.close()
  })
})
