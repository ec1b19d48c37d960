import { generateKeyPairSync } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { expect } from 'chai'
import forge from 'node-forge'
import {
  describeSkew,
  type HttpRequest,
  isLoopback,
  keepConnections,
  readRetryAfter,
  sendHttp,
} from '../../../src/platform/net/http.ts'
import { HttpFailure } from '../../../src/platform/net/http-exchange.ts'
import { fakeTimers } from '../../support/fake-timers.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const certificate = selfSigned()
const servers: Server[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
})

async function listen(server: http.Server | https.Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function failure(request: Partial<HttpRequest> & { url: string }): Promise<HttpFailure> {
  try {
    await sendHttp({ method: 'GET', ...request })
  } catch (error) {
    expect(error).to.be.instanceOf(HttpFailure)
    return error as HttpFailure
  }
  throw new Error('it was answered')
}

describe('an outbound request', () => {
  it('sends its body over TLS that an extra authority vouches for', async () => {
    let seen = ''
    const port = await listen(
      https.createServer(certificate, (request, response) => {
        request.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk))
        request.on('end', () => response.writeHead(201, { 'X-One': 'a', 'set-cookie': ['b', 'c'] }).end('grüß'))
      }),
    )
    const reply = await sendHttp({
      method: 'POST',
      url: `https://localhost:${port}/token?x=1`,
      headers: { 'content-type': 'text/plain' },
      body: 'hällo',
      ca: [certificate.cert],
    })
    expect(seen).to.equal('hällo')
    expect(reply).to.deep.include({ status: 201, body: 'grüß' })
    expect(reply.headers).to.include({ 'x-one': 'a', 'set-cookie': 'b, c' })
  })

  it('does not go to a server whose certificate nobody vouches for', async () => {
    let asked = 0
    const port = await listen(https.createServer(certificate, () => asked++))
    expect((await failure({ url: `https://localhost:${port}/` })).kind).to.equal('untrusted')
    expect((await failure({ url: `https://127.0.0.1:${port}/`, ca: [certificate.cert] })).kind).to.equal('untrusted')
    expect(asked).to.equal(0)
  })

  it('still checks certificates when the environment says not to', async () => {
    const port = await listen(https.createServer(certificate, (_, response) => response.end()))
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      expect((await failure({ url: `https://localhost:${port}/` })).kind).to.equal('untrusted')
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
  })

  it('may be plain to this machine itself and to no other', async () => {
    const port = await listen(http.createServer((_, response) => response.end('plain')))
    expect((await sendHttp({ method: 'GET', url: `http://127.0.0.1:${port}/` })).body).to.equal('plain')
    for (const url of [
      'http://example.com/',
      'http://10.0.0.1/',
      'ftp://127.0.0.1/',
      'http://127.0.0.1.example.com/',
    ]) {
      expect((await failure({ url })).kind, url).to.equal('untrusted')
    }
    expect((await failure({ url: 'nonsense' })).kind).to.equal('unreachable')
  })

  it('does not follow a redirect', async () => {
    let asked = 0
    const port = await listen(
      http.createServer((_, response) => {
        asked++
        response.writeHead(302, { location: '/elsewhere' }).end()
      }),
    )
    expect((await sendHttp({ method: 'GET', url: `http://127.0.0.1:${port}/` })).status).to.equal(302)
    expect(asked).to.equal(1)
  })

  it('refuses a reply of more than 64 KiB', async () => {
    const port = await listen(http.createServer((_, response) => response.end('x'.repeat(64 * 1024 + 1))))
    const error = await failure({ url: `http://127.0.0.1:${port}/` })
    expect(error.kind).to.equal('uncertain')
    expect(error.message).to.contain('65536')
  })

  it('takes a reply of exactly 64 KiB', async () => {
    const port = await listen(http.createServer((_, response) => response.end('x'.repeat(64 * 1024))))
    expect((await sendHttp({ method: 'GET', url: `http://127.0.0.1:${port}/` })).body).to.have.length(65_536)
  })

  it('that is never answered ends at its deadline', async () => {
    const timers = fakeTimers()
    try {
      const port = await listen(http.createServer(() => timers.pass(60_000)))
      const error = await failure({ url: `http://127.0.0.1:${port}/`, deadlineMs: 60_000 })
      expect(error.kind).to.equal('uncertain')
      expect(error.message).to.contain('no answer in time')
    } finally {
      timers.end()
    }
  })

  it('whose reply is cut short is uncertain', async () => {
    const port = await listen(
      http.createServer((_, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('half', () => response.destroy())
      }),
    )
    expect((await failure({ url: `http://127.0.0.1:${port}/` })).kind).to.equal('uncertain')
  })

  it('to a closed port is unreachable', async () => {
    const server = http.createServer()
    const port = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    servers.length = 0
    expect((await failure({ url: `http://127.0.0.1:${port}/` })).kind).to.equal('unreachable')
  })
})

describe('kept connections', () => {
  it('serve request after request over TLS with the same authorities', async () => {
    let handshakes = 0
    const server = https.createServer(certificate, (_, response) => response.end('ok'))
    server.on('secureConnection', () => handshakes++)
    const port = await listen(server)
    const connections = keepConnections({ ca: [certificate.cert], max: 2 })
    for (let i = 0; i < 3; i++) {
      expect((await sendHttp({ method: 'GET', url: `https://localhost:${port}/`, connections })).body).to.equal('ok')
    }
    expect(handshakes).to.equal(1)
    connections.close()
  })

  it('never go to a server whose certificate nobody vouches for', async () => {
    const port = await listen(https.createServer(certificate, (_, response) => response.end()))
    const connections = keepConnections({ max: 2 })
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      expect((await failure({ url: `https://localhost:${port}/`, connections })).kind).to.equal('untrusted')
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
      connections.close()
    }
  })

  it('are not more than allowed: the others wait their turn', async () => {
    let open = 0
    let most = 0
    const server = http.createServer((_, response) => response.end('ok'))
    server.on('connection', (socket) => {
      most = Math.max(most, ++open)
      socket.once('close', () => open--)
    })
    const port = await listen(server)
    const connections = keepConnections({ max: 2 })
    const url = `http://127.0.0.1:${port}/`
    await Promise.all(Array.from({ length: 10 }, () => sendHttp({ method: 'GET', url, connections })))
    expect(most).to.be.at.most(2)
    connections.close()
  })

  it('that break under a second request leave it uncertain, not unsent', async () => {
    let asked = 0
    const port = await listen(
      http.createServer((request, response) => (++asked === 1 ? response.end() : request.socket.destroy())),
    )
    const connections = keepConnections({ max: 1 })
    const url = `http://127.0.0.1:${port}/`
    await sendHttp({ method: 'GET', url, connections })
    expect((await failure({ url, connections })).kind).to.equal('uncertain')
    expect(asked).to.equal(2)
    connections.close()
  })

  it('may bring longer replies where that is asked for', async () => {
    const port = await listen(http.createServer((_, response) => response.end('x'.repeat(100_000))))
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/` } as const
    expect((await sendHttp({ ...request, largestReply: 100_000 })).body).to.have.length(100_000)
    expect((await failure({ ...request, largestReply: 99_999 })).message).to.contain('99999')
  })
})

describe('header readers', () => {
  it('read Retry-After in both forms and believe at most an hour', () => {
    expect(readRetryAfter('120', NOW)).to.equal(120_000)
    expect(readRetryAfter(' 0 ', NOW)).to.equal(0)
    expect(readRetryAfter(new Date(NOW + 60_000).toUTCString(), NOW)).to.equal(60_000)
    expect(readRetryAfter('86400', NOW)).to.equal(3_600_000)
    for (const nonsense of [undefined, '', 'soon', '-5', '1.5', '7, 9', '2026-06-01'])
      expect(readRetryAfter(nonsense, NOW)).to.equal(undefined)
  })

  it('see a clock that differs by more than a minute', () => {
    expect(describeSkew(new Date(NOW - 61_000).toUTCString(), NOW)).to.contain('61 s ahead')
    expect(describeSkew(new Date(NOW + 120_000).toUTCString(), NOW)).to.contain('120 s behind')
    for (const fine of [undefined, 'x', new Date(NOW - 60_000).toUTCString()])
      expect(describeSkew(fine, NOW)).to.equal('')
  })

  it('know loopback when they see it', () => {
    for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', 'localhost', 'a.localhost'])
      expect(isLoopback(host)).to.equal(true)
    for (const host of ['128.0.0.1', '[::2]', 'localhost.example.com', '127.example'])
      expect(isLoopback(host)).to.equal(false)
  })
})

function selfSigned(): { key: string; cert: string } {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = pair.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString()
  const made = forge.pki.createCertificate()
  made.publicKey = forge.pki.publicKeyFromPem(pair.publicKey.export({ format: 'pem', type: 'spki' }).toString())
  made.serialNumber = '01'
  made.validity.notBefore = new Date(Date.now() - 86_400_000)
  made.validity.notAfter = new Date(Date.now() + 86_400_000)
  const name = [{ name: 'commonName', value: 'localhost' }]
  made.setSubject(name)
  made.setIssuer(name)
  made.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
  ])
  made.sign(forge.pki.privateKeyFromPem(key), forge.md.sha256.create())
  return { key, cert: forge.pki.certificateToPem(made) }
}
