import dns from 'node:dns'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { requestEndpoint } from '../../../src/domain/webhooks/send/request.ts'
import { sendOutbound } from '../../../src/platform/net/outbound.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { makeCa } from '../../support/certificates.ts'

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDMfrKTzpNjlA='

describe('a request to an endpoint', () => {
  const ca = makeCa()
  const { certPem, keyPem } = ca.issue({ cn: 'localhost', altNames: ['localhost'] })
  const asked: string[] = []
  const answers: Record<string, RequestListener> = {
    '/dies': (request, response) => request.once('end', () => response.destroy()).resume(),
    '/redirects': (_, response) => response.writeHead(307, { location: '/taken' }).end(),
    '/slow': () => {},
    '/drips': (_, response) => void response.writeHead(200).write('x'.repeat(8192)),
    '/taken': (request, response) => request.once('end', () => response.writeHead(204).end()).resume(),
  }
  let server: Server
  let origin: string
  before(async () => {
    server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
      asked.push(request.url!)
      answers[request.url!]!(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `https://localhost:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const parts = (deadlineMs?: number) => ({
    send: (request: Parameters<typeof sendOutbound>[0]) =>
      sendOutbound({ ...request, ...(deadlineMs !== undefined && { deadlineMs }) }),
    clock: systemClock,
    ca: [ca.certPem],
    allowPrivate: [origin],
  })
  const ask = (path: string, deadlineMs?: number) =>
    requestEndpoint(parts(deadlineMs), { url: `${origin}${path}`, secrets: [SECRET] }, 'evt_1_1-1', '{}')

  it('that is taken is a success, whatever the answer goes on with', async () => {
    expect(await ask('/taken')).to.include({ status: 204, reason: null })
    expect(await ask('/drips')).to.include({ status: 200, reason: null })
  })

  it('whose connection dies after it was read may have been taken: it is a failure, and comes again', async () => {
    const { status, reason } = await ask('/dies')
    expect(status).to.equal(null)
    expect(reason).to.be.a('string').and.not.equal('')
  })

  it('ends at once when it is broken off', async () => {
    const stop = new AbortController()
    const asking = requestEndpoint(
      parts(),
      { url: `${origin}/slow`, secrets: [SECRET] },
      'evt_1_1-1',
      '{}',
      stop.signal,
    )
    stop.abort()
    expect(await asking).to.include({ status: null })
  })

  it('is not followed to another address', async () => {
    asked.length = 0
    const { status, reason } = await ask('/redirects')
    expect(status).to.equal(307)
    expect(reason).to.include('redirects are not followed')
    expect(asked).to.deep.equal(['/redirects'])
  })

  it('ends at its deadline', async () => {
    expect(await ask('/slow', 50)).to.include({ status: null, reason: 'no answer in time' })
  })

  it('is not sent to a name that resolves to a private address', async () => {
    const { lookup } = dns
    const fake = (_: string, __: object, callback: (error: null, found: object[]) => void) =>
      callback(null, [{ address: '10.0.0.1', family: 4 }])
    dns.lookup = fake as unknown as typeof dns.lookup
    try {
      const endpoint = { url: 'https://hooks.example.com/', secrets: [SECRET] }
      const { status, reason } = await requestEndpoint(parts(), endpoint, 'evt_1_1-1', '{}')
      expect(status).to.equal(null)
      expect(reason).to.include('10.0.0.1').and.include('not a public address')
    } finally {
      dns.lookup = lookup
    }
  })
})
