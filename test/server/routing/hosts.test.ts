import { request } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { loadConfig } from '../../../src/config.ts'
import { areaAddress, destinationOf } from '../../../src/server/routing/hosts.ts'
import { type Area, CONTRACT_AREAS } from '../../../src/server/routing/route.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { column, makeTable, restKey } from '../../support/tables.ts'

const SOCKET = { localAddress: '::ffff:127.0.0.1', localPort: 43_127 }
const configOf = async (flags: Record<string, string>) => (await loadConfig({ environment: {}, flags })).config

describe('the address of an area', () => {
  /** `baseUrl`, the host of the area, and its address when it was named by the host, or by its path. */
  const rows: [string, string, string, string][] = [
    ['', 'HOST.example', 'http://HOST.example:43127', 'http://127.0.0.1:43127/AREA'],
    ['', 'HOST.example:9000', 'http://HOST.example:9000', 'http://127.0.0.1:43127/AREA'],
    ['https://api.example', 'HOST.example', 'https://HOST.example', 'https://api.example/AREA'],
    ['https://api.example:8443', 'HOST.example', 'https://HOST.example:8443', 'https://api.example:8443/AREA'],
    ['https://api.example:8443', 'HOST.example:9000', 'https://HOST.example:9000', 'https://api.example:8443/AREA'],
    ['http://api.example:80', 'HOST.example', 'http://HOST.example', 'http://api.example/AREA'],
    ['https://api.example/', 'HOST.example', 'https://HOST.example', 'https://api.example/AREA'],
  ]
  for (const [baseUrl, host, byHost, byPath] of rows) {
    it(`with baseUrl ${baseUrl || 'unset'} is ${byHost} by host and ${byPath} by path`, async () => {
      const named = (text: string, area: Area) => text.replace('HOST', `${area}-host`).replace('AREA', area)
      for (const area of CONTRACT_AREAS) {
        const config = await configOf({ baseUrl, [`hosts.${area}`]: named(host, area) })
        expect(areaAddress(area, true, config, SOCKET)).to.equal(named(byHost, area))
        expect(areaAddress(area, false, config, SOCKET)).to.equal(named(byPath, area))
      }
    })
  }

  it('without baseUrl is of an IPv6 address in brackets', async () => {
    const config = await configOf({})
    expect(areaAddress('data', false, config, { localAddress: '::1', localPort: 1 })).to.equal('http://[::1]:1/data')
  })
})

describe('the host of an area', () => {
  it('is known whatever port stands behind it, here or there', async () => {
    for (const configured of ['data.example', 'data.example:8080', 'DATA.example']) {
      const config = await configOf({ 'hosts.data': configured })
      for (const host of ['data.example', 'data.example:1', 'Data.Example:8080']) {
        expect(destinationOf(host, '/v1/x', config)).to.deep.equal({ areas: ['data'], path: '/v1/x', byHost: true })
      }
      expect(destinationOf('api.example', '/v1/x', config).byHost).to.equal(false)
    }
  })
})

describe('a request names one host', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
  })
  after(() => test.close())

  /** The status of a request that is written as it stands. */
  const ask = (...lines: string[]) =>
    new Promise<string>((resolve, reject) => {
      const { port, hostname } = new URL(test.address)
      const socket = connect(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
      let text = ''
      socket.on('data', (chunk) => (text += chunk.toString()))
      socket.on('end', () => resolve(text.slice(9, 12)))
      socket.on('error', reject)
    })

  const CLOSE = 'Connection: close'
  for (const [name, wanted, ...lines] of [
    ['one', '200', 'GET /healthz HTTP/1.1', 'Host: a.example', CLOSE],
    ['one with a port', '200', 'GET /healthz HTTP/1.1', 'Host: [::1]:8080', CLOSE],
    ['none', '400', 'GET /healthz HTTP/1.1', CLOSE],
    ['two', '400', 'GET /healthz HTTP/1.1', 'Host: a.example', 'Host: b.example', CLOSE],
    ['the same twice, in another case', '400', 'GET /healthz HTTP/1.1', 'Host: a.example', 'hOST: a.example', CLOSE],
    ['two in one', '400', 'GET /healthz HTTP/1.1', 'Host: a.example, b.example', CLOSE],
    ['a user before it', '400', 'GET /healthz HTTP/1.1', 'Host: a.example@b.example', CLOSE],
    ['a path behind it', '400', 'GET /healthz HTTP/1.1', 'Host: a.example/x', CLOSE],
    ['a bracket that is open', '400', 'GET /healthz HTTP/1.1', 'Host: [', CLOSE],
    ['an escape that is none', '400', 'GET /healthz HTTP/1.1', 'Host: %zz', CLOSE],
    ['a port that there is not', '400', 'GET /healthz HTTP/1.1', 'Host: a.example:99999', CLOSE],
    ['an underscore and an empty port', '200', 'GET /healthz HTTP/1.1', 'Host: a_b:', CLOSE],
    ['the same in the request line', '200', 'GET http://A.example/healthz HTTP/1.1', 'Host: a.example', CLOSE],
    ['another one in the request line', '400', 'GET http://b.example/healthz HTTP/1.1', 'Host: a.example', CLOSE],
    ['another scheme in the request line', '400', 'GET ftp://a.example/healthz HTTP/1.1', 'Host: a.example', CLOSE],
    ['one in the request line without a path', '200', 'GET http://a.example HTTP/1.1', 'Host: a.example', CLOSE],
  ] as const) {
    it(`${wanted} for ${name}`, async () => {
      expect(await ask(...lines)).to.equal(wanted)
    })
  }
})

describe('Location under hosts.data without baseUrl', () => {
  it('leads back to the record, whatever port the request names', async () => {
    const test = await openTestServer({ settings: { 'hosts.data': 'localhost' } })
    try {
      const auth = await restKey(test)
      await makeTable(test, 'books', [column('title', 'string')])
      const { port } = new URL(test.address)
      const location = await new Promise<string | undefined>((resolve, reject) => {
        const headers = { host: 'localhost:1', authorization: auth, 'content-type': 'application/json' }
        request({ host: '127.0.0.1', port, method: 'POST', path: '/v1/data/1_books', headers }, (response) => {
          response.resume()
          resolve(response.headers.location)
        })
          .on('error', reject)
          .end('{"title":"New"}')
      })
      expect(location).to.equal(`http://localhost:${port}/v1/data/1_books/1`)
      const found = await test.call('GET', '/data/v1/data/1_books/1', { auth })
      expect(found.body).to.include({ title: 'New' })
    } finally {
      await test.close()
    }
  })
})
