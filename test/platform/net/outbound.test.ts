import dns from 'node:dns'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { isPublicAddress } from '../../../src/platform/net/address-guard.ts'
import { HttpFailure } from '../../../src/platform/net/http-exchange.ts'
import { lookupGuarded, type OutboundRequest, sendOutbound } from '../../../src/platform/net/outbound.ts'
import { makeCa } from '../../support/certificates.ts'

describe('public addresses', () => {
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.255.255',
    '2606:4700::1',
    '[2a00:1450::1]',
    '64:ff9b::808:808',
  ]) {
    it(`${address} is one`, () => expect(isPublicAddress(address)).to.equal(true))
  }
  for (const address of [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.5',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::1',
    'example.com',
    '',
  ]) {
    it(`${JSON.stringify(address)} is not`, () => expect(isPublicAddress(address)).to.equal(false))
  }
})

describe('an outbound request', () => {
  const ca = makeCa()
  const { certPem, keyPem } = ca.issue({ cn: 'localhost', altNames: ['localhost', '127.0.0.1'] })
  let server: Server
  let port: number
  let connections = 0
  before(async () => {
    server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
      if (request.url === '/redirect') return void response.writeHead(302, { location: '/other' }).end()
      if (request.url === '/long') return void response.writeHead(200).end('x'.repeat(100_000))
      if (request.url === '/cut')
        return void response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy())
      if (request.url === '/never') return undefined
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.once('end', () => response.writeHead(200, { 'x-method': request.method! }).end(Buffer.concat(chunks)))
      return undefined
    })
    server.on('connection', () => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const send = (path: string, over: Partial<OutboundRequest> = {}) =>
    sendOutbound({ url: `https://localhost:${port}${path}`, ca: [ca.certPem], allowPrivate: true, ...over })
  const failure = async (work: Promise<unknown>): Promise<HttpFailure> => {
    try {
      await work
    } catch (error) {
      if (error instanceof HttpFailure) return error
      throw error
    }
    throw new Error('it did not fail')
  }

  it('gives back status, headers, body and the end of the certificate', async () => {
    const reply = await send('/', { method: 'POST', body: 'hällo' })
    expect(reply).to.deep.include({ status: 200, isCut: false })
    expect(reply.body.toString()).to.equal('hällo')
    expect(reply.headers['x-method']).to.equal('POST')
    expect(reply.certificateEnds).to.be.greaterThan(Date.now())
  })

  it('reaches a private address only at the origins that may be there', async () => {
    const named = [`https://localhost:${port}`]
    expect(await send('/', { allowPrivate: named })).to.include({ status: 200 })
    for (const allowPrivate of [false, [], [`https://localhost:${port + 1}`], ['https://localhost']]) {
      expect((await failure(send('/', { allowPrivate }))).kind).to.equal('refused')
    }
    const other = `https://127.0.0.1:${port}/`
    expect((await failure(send('/', { allowPrivate: named, url: other }))).kind).to.equal('refused')
  })

  describe('to a name with several addresses', () => {
    const found = (...addresses: string[]) =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const { lookup } = dns
    afterEach(() => {
      dns.lookup = lookup
    })
    /** Returns what a look-up hands on of an answer. */
    function handedOn(answer: dns.LookupAddress[], options: { all?: boolean; allowPrivate?: boolean } = {}) {
      dns.lookup = ((...args: unknown[]) => {
        const done = args.at(-1) as (error: null, found: dns.LookupAddress[]) => void
        done(null, answer)
      }) as typeof dns.lookup
      const { promise, resolve } = Promise.withResolvers<unknown[]>()
      lookupGuarded(options.allowPrivate ?? false)('mixed.example', { all: options.all ?? true }, (...args) =>
        resolve(args),
      )
      return promise
    }

    it('takes the public ones only, wherever the private ones stand', async () => {
      const mixed = found('10.0.0.1', '8.8.8.8', '::1', '2606:4700::1', '169.254.169.254')
      expect(await handedOn(mixed)).to.deep.equal([null, found('8.8.8.8', '2606:4700::1')])
      expect(await handedOn(mixed, { all: false })).to.deep.equal([null, '8.8.8.8', 4])
    })

    it('refuses it when none is public, and takes all where private ones are allowed', async () => {
      const [error] = await handedOn(found('10.0.0.1', 'fd12::1'))
      expect(error).to.be.instanceOf(HttpFailure).and.include({ kind: 'refused' })
      expect((error as Error).message).to.include('10.0.0.1, fd12::1')
      const all = found('10.0.0.1', '8.8.8.8')
      expect(await handedOn(all, { allowPrivate: true })).to.deep.equal([null, all])
    })
  })

  it('follows no redirect', async () => {
    expect(await send('/redirect')).to.deep.include({ status: 302 })
  })

  it('cuts a long reply', async () => {
    const reply = await send('/long', { largestReply: 1000 })
    expect(reply.isCut).to.equal(true)
    expect(reply.body).to.have.length(1000)
  })

  it('tells a reply that was cut short, a late one and a wrong certificate apart', async () => {
    expect((await failure(send('/cut'))).kind).to.equal('uncertain')
    const late = await failure(send('/never', { deadlineMs: 300 }))
    expect(late.message).to.equal('no answer in time')
    expect((await failure(send('/', { ca: [] }))).kind).to.equal('untrusted')
  })

  it('tells who cannot be reached', async () => {
    // Of no service, and only an administrator may listen there.
    expect((await failure(send('/', { url: 'https://127.0.0.1:1/' }))).kind).to.equal('unreachable')
  })

  const refused: [string, RegExp][] = [
    ['http://example.com/', /only https/],
    ['https://user@example.com/', /user name/],
    ['https://example.com:8443/', /only port 443/],
    ['https://127.0.0.1/', /not a public address/],
    ['https://127.1/', /not a public address/],
    ['https://2130706433/', /not a public address/],
    ['https://0x7f000001/', /not a public address/],
    ['https://[::1]/', /^\[::1\] is not a public address/],
    ['https://[::ffff:127.0.0.1]/', /not a public address/],
    ['https://[64:ff9b::7f00:1]/', /not a public address/],
    ['https://169.254.169.254/latest', /not a public address/],
    ['https://localhost/', /localhost resolves to .*not a public address/],
    ['nonsense', /not a URL/],
  ]
  for (const [url, message] of refused) {
    it(`does not connect to ${url}`, async () => {
      const before = connections
      const error = await failure(sendOutbound({ url, ca: [ca.certPem] }))
      expect(error.kind).to.equal('refused')
      expect(error.message).to.match(message)
      expect(connections).to.equal(before)
    })
  }

  it('connects to the very address that was checked, whatever the name means a moment later', async () => {
    // A name that is public at the first look and private from then on.
    const original = dns.lookup
    const answers = ['93.184.215.14', '127.0.0.1']
    let looks = 0
    const fake = (_host: string, _options: unknown, done: (e: null, found: dns.LookupAddress[]) => void) =>
      done(null, [{ address: answers[Math.min(looks++, 1)]!, family: 4 }])
    dns.lookup = fake as unknown as typeof dns.lookup
    try {
      const seen: (dns.LookupAddress[] | string)[] = []
      const { lookupGuarded } = await import('../../../src/platform/net/outbound.ts')
      await new Promise<void>((resolve) =>
        lookupGuarded(false)('rebound.example', { all: true }, (_error, found) => {
          seen.push(found)
          resolve()
        }),
      )
      const second = await failure(sendOutbound({ url: 'https://rebound.example/', deadlineMs: 2000 }))
      expect(seen).to.deep.equal([[{ address: '93.184.215.14', family: 4 }]])
      expect(second.kind).to.equal('refused')
    } finally {
      dns.lookup = original
    }
  })
})
