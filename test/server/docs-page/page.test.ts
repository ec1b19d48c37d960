import { createHash } from 'node:crypto'
import { type IncomingHttpHeaders, request } from 'node:http'
import { expect } from 'chai'
import { parseJsonBytes } from '../../../src/platform/json/json.ts'
import { fieldsOf, typeText } from '../../../src/server/docs-page/fields.ts'
import { DOCS_POLICY, renderDocs } from '../../../src/server/docs-page/page.ts'
import { buildOpenApi } from '../../../src/server/openapi/document.ts'
import { openApiText } from '../../../src/server/openapi/text.ts'
import { routes } from '../../../src/server/routes.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'

describe('the documents door', () => {
  let server: TestServer

  before(async () => {
    server = await openTestServer()
  })
  after(() => server.close())

  it('serves the OpenAPI document without a key', async () => {
    const response = await fetch(`${server.address}/openapi.json`)
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8')
    expect(parseJsonBytes(new Uint8Array(await response.arrayBuffer()))).to.deep.equal(
      JSON.parse(openApiText(buildOpenApi(routes))),
    )
  })

  it('serves a page that names every route and may load nothing', async () => {
    const response = await fetch(`${server.address}/docs`)
    const page = await response.text()
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).to.equal(DOCS_POLICY)
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
    for (const methods of Object.values(buildOpenApi(routes).paths)) {
      for (const { operationId } of Object.values(methods)) expect(page).to.include(`<details id="${operationId}">`)
    }
    expect(page).to.include('<h3>Answer, for example</h3><pre>').and.include('&quot;uuid&quot;: &quot;news&quot;')
    // Addresses in the text of examples load nothing.
    expect(page).to.not.match(
      /<script[^>]|<link(?! rel="icon" href="data:)|<img|<iframe|\sstyle=|\son\w+=|="https?:\/\/|url\(/,
    )
  })

  it('begins with the calls that most servers begin with, and ends with the host of earlier forms', async () => {
    const page = await (await fetch(`${server.address}/docs`)).text()
    const first = /<ul class="first">(.*?)<\/ul>/s.exec(page)![1]!
    expect(first.match(/<li>/g)).to.have.length(6)
    expect(first).to.include('Send a notification')
    const sections = [...page.matchAll(/<section id="(\w+)">/g)].map(([, name]) => name)
    expect(sections.slice(0, -1)).to.have.members(buildOpenApi(routes).tags.map(({ name }) => name))
    expect([sections[0], ...sections.slice(-2)]).to.deep.equal(['messages', 'push', 'schemas'])
  })

  it('compresses both once, and sends neither to somebody who has it', async () => {
    for (const path of ['/openapi.json', '/docs']) {
      const sizes: Record<string, number> = {}
      for (const encoding of ['identity', 'gzip', 'br']) {
        const { headers, bytes, status } = await raw(path, { 'accept-encoding': encoding })
        expect([status, headers['content-encoding'] ?? 'identity', headers.vary]).to.deep.equal([
          200,
          encoding,
          'Accept-Encoding',
        ])
        sizes[encoding] = bytes
        const again = await raw(path, { 'accept-encoding': encoding, 'if-none-match': `"other", ${headers.etag!}` })
        expect([again.status, again.bytes, again.headers.etag]).to.deep.equal([304, 0, headers.etag])
      }
      expect(sizes.identity, path).to.be.above(100_000)
      expect(sizes.gzip, path).to.be.below(sizes.identity! / 4)
      expect(sizes.br, path).to.be.below(sizes.gzip!)
    }
  })

  /** fetch unpacks what it gets. */
  const raw = (path: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: number }>((resolve, reject) => {
      request(`${server.address}${path}`, { headers }, (answer) => {
        let bytes = 0
        answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, bytes }))
      })
        .on('error', reject)
        .end()
    })

  it('is answered whatever its query is', async () => {
    for (const odd of ['a%00b', '%ED%A0%80', '%C0%80', '%zz', '%', '__proto__', 'x'.repeat(3000)]) {
      expect((await fetch(`${server.address}/docs?x=${odd}`, { method: 'HEAD' })).status, odd).to.equal(200)
    }
  })

  it('answers HEAD without a body and leaves other methods to the routes', async () => {
    const head = await fetch(`${server.address}/docs`, { method: 'HEAD' })
    expect(head.status).to.equal(200)
    expect(await head.text()).to.equal('')
    expect((await fetch(`${server.address}/docs`, { method: 'POST' })).status).to.equal(404)
  })
})

describe('the page of the interface', () => {
  for (const part of ['style', 'script']) {
    it(`has exactly the one ${part} that its policy allows`, () => {
      const parts = renderDocs(buildOpenApi(routes)).split(new RegExp(`</?${part}>`))
      expect(parts).to.have.length(3)
      const digest = createHash('sha256').update(parts[1]!).digest('base64')
      expect(DOCS_POLICY).to.include(`${part}-src 'sha256-${digest}'`)
    })
  }

  it('has a command for each request, with keys in variables and bodies in quotes that no text can leave', () => {
    const page = renderDocs(buildOpenApi(routes))
    expect(page.match(/<pre data-call="[^"]*">curl/g)).to.have.length(
      buildOpenApi(routes).paths && page.match(/<h3>Answers/g)!.length,
    )
    expect(page, 'a list asks for a page').to.include('/crm/v2/users?currentPage=1&amp;numberPerPage=')
    expect(page, 'an upload sends a file')
      .to.include('-F &#39;file=@file.csv&#39;')
      .and.not.include('multipart/form-data&#39;')
    expect(page).to.include('-u &quot;$APPSVC_API_KEY:$APPSVC_SERVER_KEY&quot;')
    const document = buildOpenApi(routes)
    const [path, methods] = Object.entries(document.paths).find(([, { post }]) => post?.requestBody)!
    const { content } = methods['post']!.requestBody!
    content['application/json']!.example = { text: "it's" }
    const changed = renderDocs({ ...document, paths: { [path]: methods } })
    expect(changed).to.include(`-d &#39;{&quot;text&quot;:&quot;it&#39;\\&#39;&#39;s&quot;}&#39;`)
  })

  it('shows text of the declarations as text', () => {
    const evil = '</code><script>alert("1")</script>'
    const document = buildOpenApi([{ ...routes[0]!, summary: evil, also: { 400: evil, 404: `\`${evil}\`` } }])
    const page = renderDocs({ ...document, info: { ...document.info, title: evil, description: evil } })
    expect(page.match(/<script/g)).to.have.length(1)
    expect(page).to.not.include('<script>alert')
    expect(page.split('&lt;/code&gt;&lt;script&gt;alert(&quot;1&quot;)').length - 1).to.be.at.least(5)
  })
})

describe('the fields of a body', () => {
  it('are listed depth first with their path, type and bounds', () => {
    const schema = {
      type: 'object',
      properties: {
        to: { type: 'object', properties: { ids: { type: 'array', items: { type: ['string', 'integer'] } } } },
        buttons: {
          type: 'array',
          maxItems: 2,
          items: {
            type: 'object',
            properties: { id: { type: 'string', minLength: 1, maxLength: 9 } },
            required: ['id'],
          },
        },
        ttl: { type: 'integer', minimum: 0, maximum: 60, default: 5, description: 'Seconds' },
      },
      required: ['to'],
    }
    expect(fieldsOf(schema)).to.eql([
      { name: 'to', type: 'object', required: true, notes: '' },
      { name: 'to.ids', type: 'list of string or integer', required: false, notes: '' },
      { name: 'buttons', type: 'list of object', required: false, notes: 'at most 2 items' },
      { name: 'buttons[].id', type: 'string', required: true, notes: 'at most 9 characters' },
      { name: 'ttl', type: 'integer', required: false, notes: 'Seconds; 0 to 60; default `5`' },
    ])
  })

  it('have a type that people can read', () => {
    expect(typeText({})).to.equal('any')
    expect(typeText({ type: ['object', 'null'] })).to.equal('object or null')
    expect(typeText({ type: 'string', enum: ['a', 'b'] })).to.equal('one of a, b')
  })
})
