import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { type AcmeError, certificateId, createAcmeClient } from '../../../src/platform/acme/client.ts'
import type { SendHttp } from '../../../src/platform/net/http.ts'
import { HttpFailure } from '../../../src/platform/net/http-exchange.ts'
import { makeSelfSigned } from '../../support/certificates.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const DIRECTORY = 'https://ca.test/directory'
const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

/** An authority that answers the calls after those for the directory and the first nonce, one after the other. */
function authority(
  replies: readonly Reply[],
  directory: Reply = {},
  first: Reply = { headers: { 'replay-nonce': 'first' } },
) {
  const left = [...replies]
  const asked: string[] = []
  const sent: Parameters<SendHttp>[0][] = []
  const client = createAcmeClient({
    directory: DIRECTORY,
    key,
    account: 'https://ca.test/account/1',
    ca: [],
    now: () => NOW,
    send: async (request) => {
      const { method, url } = request
      sent.push(request)
      asked.push(`${method} ${url}`)
      const known = {
        newNonce: `${DIRECTORY}/nonce`,
        newOrder: `${DIRECTORY}/order`,
        renewalInfo: `${DIRECTORY}/renewal`,
      }
      const reply: Reply =
        url === DIRECTORY ? { body: known, ...directory } : url === known.newNonce ? first : (left.shift() ?? {})
      const { status = 200, headers = {}, body = {} } = reply
      return {
        status,
        headers: { ...(headers['replay-nonce'] !== '' && { 'replay-nonce': 'next', ...headers }) },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }
    },
  })
  return { client, asked, sent }
}

async function errorOf(work: Promise<unknown>): Promise<AcmeError> {
  return work.then(
    () => expect.fail('nothing was refused'),
    (error: AcmeError) => error,
  )
}

const problem = (type: string, detail?: string) => ({ type: `urn:ietf:params:acme:error:${type}`, detail })
const CERTIFICATE = `${DIRECTORY}/certificate`

describe('a client of ACME', () => {
  for (const [reply, type, said] of [
    [{ status: 400, body: problem('malformed', 'no') }, 'malformed', 'answered 400: no'],
    [{ status: 403, body: problem('unauthorized', 'not yours') }, 'unauthorized', 'answered 403: not yours'],
    [{ status: 429, body: problem('rateLimited', 'slowly') }, 'rateLimited', 'answered 429: slowly'],
    [{ status: 429, body: '' }, 'rateLimited', 'answered 429: no explanation'],
    [{ status: 428, body: '' }, 'away', 'answered 428: no explanation'],
    [{ status: 499, body: problem('malformed') }, 'malformed', 'answered 499: urn:ietf:params:acme:error:malformed'],
    [{ status: 500, body: problem('malformed', 'oh') }, 'away', 'answered 500: oh'],
    [{ status: 503, body: '<html>' }, 'away', 'answered 503: no explanation'],
  ] as const) {
    it(`calls ${reply.status} with ${JSON.stringify(reply.body)} ${type}`, async () => {
      const error = await errorOf(authority([reply]).client.download(CERTIFICATE))
      expect(error.type).to.equal(type)
      expect(error.message).to.equal(`the certificate authority ${said}`)
    })
  }

  it('takes 399 for an answer', async () => {
    expect(await authority([{ status: 399, body: 'chain' }]).client.download(CERTIFICATE)).to.equal('chain')
  })

  it('cuts what an authority says after 500 characters', async () => {
    const error = await errorOf(
      authority([{ status: 400, body: problem('malformed', 'x'.repeat(501)) }]).client.download(CERTIFICATE),
    )
    expect(error.message).to.match(/^[^x]*x{500}$/)
  })

  it('waits as long as it is told, a week at most', async () => {
    for (const [said, ms] of [
      ['30', 30_000],
      [String(8 * 86_400), 7 * 86_400_000],
    ] as const) {
      const reply = { status: 429, headers: { 'retry-after': said }, body: '' }
      expect((await errorOf(authority([reply]).client.download(CERTIFICATE))).retryAfterMs).to.equal(ms)
    }
  })

  it('tries a refused nonce again, four times', async () => {
    const refused = { status: 400, body: problem('badNonce') }
    const good = authority([refused, refused, refused, refused, { body: 'chain' }])
    expect(await good.client.download(CERTIFICATE)).to.equal('chain')
    expect(good.asked.filter((one) => one === `POST ${CERTIFICATE}`)).to.have.length(5)
    const bad = authority([refused, refused, refused, refused, refused, { body: 'chain' }])
    expect((await errorOf(bad.client.download(CERTIFICATE))).type).to.equal('badNonce')
  })

  it('sends a signed JWS with the nonce of the last answer that had one, and nothing with GET', async () => {
    const { client, sent } = authority([{}, { headers: { 'replay-nonce': '' } }, {}])
    for (let i = 0; i < 3; i++) await client.download(CERTIFICATE)
    const nonces = sent.map(({ method, headers = {}, body }) => {
      expect(headers).to.include({ 'User-Agent': 'appsvc' })
      if (method === 'GET') return expect([body, headers['Content-Type']]).to.deep.equal([undefined, undefined])
      expect(headers['Content-Type']).to.equal('application/jose+json')
      const { protected: header } = JSON.parse(String(body)) as { protected: string }
      const { nonce, kid, url, alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, string>
      expect({ kid, url, alg }).to.deep.equal({ kid: 'https://ca.test/account/1', url: CERTIFICATE, alg: 'ES256' })
      return nonce
    })
    expect(nonces.filter((nonce) => typeof nonce === 'string')).to.deep.equal(['first', 'next', 'first'])
    expect(
      sent.filter(({ url }) => url === `${DIRECTORY}/nonce`),
      'asked anew when an answer had none',
    ).to.have.length(2)
  })

  it('keeps the nonce that it has when an answer brings none', async () => {
    const none = { headers: { 'replay-nonce': '' } }
    const { client, sent } = authority([], { headers: { 'replay-nonce': 'of the directory' } }, none)
    await client.download(CERTIFICATE)
    const { protected: header } = JSON.parse(String(sent.at(-1)!.body)) as { protected: string }
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).to.include({ nonce: 'of the directory' })
  })

  it('needs a directory that is answered with 200', async () => {
    const { client } = authority([], { status: 201 })
    expect((await errorOf(client.order('a.test', undefined))).type).to.equal('away')
  })

  it('needs the address of an order, and JSON', async () => {
    expect((await errorOf(authority([{}]).client.order('a.test', undefined))).message).to.match(/named no order$/)
    const text = authority([{ headers: { location: 'https://ca.test/order/1' }, body: 'no' }])
    expect((await errorOf(text.client.order('a.test', undefined))).type).to.equal('malformed')
  })

  it('says of an authority that cannot be reached that it is away', async () => {
    const client = createAcmeClient({
      directory: DIRECTORY,
      key,
      account: undefined,
      ca: [],
      now: () => NOW,
      send: () => Promise.reject(new HttpFailure('refused', 'no route')),
    })
    expect((await errorOf(client.download(CERTIFICATE))).type).to.equal('away')
  })

  it('shows an order with why it failed, and an authorization by the kinds of its challenges', async () => {
    const order = { status: 'invalid', authorizations: [], finalize: 'f', error: problem('caa', 'forbidden by CAA') }
    const { problem: why, status } = await authority([{ body: order }]).client.readOrder('https://ca.test/order/1')
    expect({ why, status }).to.deep.equal({ why: 'forbidden by CAA', status: 'invalid' })
    const challenges = [
      { type: 'http-01', url: 'u', token: 't' },
      { type: 'tls-alpn-01', url: 'v', token: 's', error: problem('dns', 'no address') },
    ]
    const read = await authority([{ body: { status: 'pending', challenges } }]).client.readAuthorization(
      'https://ca.test/z',
    )
    expect(read.challenges).to.deep.equal({
      'http-01': { url: 'u', token: 't' },
      'tls-alpn-01': { url: 'v', token: 's' },
    })
    expect(read.problem).to.equal('no address')
  })
})

/** The extension that names the key of the issuer, as DER: a sequence of [0] and the identifier. */
const keyOf = (identifier: Buffer) =>
  Buffer.concat([Buffer.from([0x30, identifier.length + 2, 0x80, identifier.length]), identifier]).toString('latin1')

describe('the name of a certificate for renewal information', () => {
  it('is the key of its issuer and its serial number', () => {
    const identifier = Buffer.from('69885b6b87464041e1b37b847ba0ae2cde01c8d4', 'hex')
    const { certPem } = makeSelfSigned({ cn: 'a.test', extensions: { '2.5.29.35': keyOf(identifier) } })
    const serial = Buffer.from(new X509Certificate(certPem).serialNumber, 'hex').toString('base64url')
    expect(certificateId(certPem)).to.equal(`aYhba4dGQEHhs3uEe6CuLN4ByNQ.${serial}`)
  })

  it('has the serial number as a signed integer: a zero in front of what would be negative', () => {
    // The second is the example of RFC 9773 4.1.
    for (const [serial, written] of [
      ['7f654321', 'f2VDIQ'],
      ['0087654321', 'AIdlQyE'],
      ['0080000001', 'AIAAAAE'],
      ['01', 'AQ'],
    ] as const) {
      const extensions = { '2.5.29.35': keyOf(Buffer.alloc(20, 7)) }
      const { certPem } = makeSelfSigned({ cn: 'a.test', serial, extensions })
      expect(certificateId(certPem)!.split('.')[1], serial).to.equal(written)
    }
  })

  it('is missing without that key, and with an extension of another form', () => {
    expect(certificateId(makeSelfSigned({ cn: 'a.test' }).certPem)).to.equal(undefined)
    const other = Buffer.from([0x30, 3, 0x81, 1, 7]).toString('latin1')
    expect(certificateId(makeSelfSigned({ cn: 'a.test', extensions: { '2.5.29.35': other } }).certPem)).to.equal(
      undefined,
    )
  })

  it('is asked for by the client, which reads when to renew', async () => {
    const identifier = Buffer.alloc(20, 7)
    const { certPem } = makeSelfSigned({ cn: 'a.test', extensions: { '2.5.29.35': keyOf(identifier) } })
    const start = '2026-04-01T00:00:00Z'
    const window = (end: string, status = 200) =>
      authority([{ status, body: { suggestedWindow: { start, end } } }]).client.renewalWindow(certPem)
    const from = Date.parse(start)
    expect(await window('2026-04-02T00:00:00Z')).to.deep.equal({ from, to: from + 86_400_000 })
    expect(await window(start)).to.deep.equal({ from, to: from })
    expect(await window('2026-03-31T00:00:00Z')).to.equal(undefined)
    expect(await window('2026-04-02T00:00:00Z', 201)).to.equal(undefined)
  })
})
