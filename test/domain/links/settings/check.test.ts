import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { checkDomain } from '../../../../src/domain/links/settings/check.ts'
import { judgeAppleDocument, judgeGoogleDocument } from '../../../../src/domain/links/settings/check-documents.ts'
import { appleAppSiteAssociation, assetLinks } from '../../../../src/domain/links/settings/well-known.ts'
import type { LinkSettings } from '../../../../src/domain/links/types.ts'
import { HttpFailure } from '../../../../src/platform/net/http-exchange.ts'
import { type SendOutbound, sendOutbound } from '../../../../src/platform/net/outbound.ts'
import { makeCa } from '../../../support/certificates.ts'

const PRINT = Array(32).fill('AB').join(':')
const SETTINGS: LinkSettings = {
  subdomain: 'abc',
  domain: 'go.example.com',
  iosTeamId: 'ABCDE12345',
  iosBundleIds: ['com.a'],
  androidPackage: 'com.a',
  androidSha256: [PRINT],
  appStoreUrl: null,
  playStoreUrl: null,
  fingerprintWindow: 0,
  offersClipboard: true,
  color: null,
  offersCode: false,
  icon: null,
}

type Answer = (response: ServerResponse) => void

describe('checking a link domain', () => {
  const ca = makeCa()
  const { certPem, keyPem } = ca.issue({ cn: 'localhost' })
  let server: Server
  let domain: string
  let apple: Answer
  let google: Answer
  const json =
    (body: unknown, headers: Record<string, string> = {}, status = 200): Answer =>
    (response) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

  before(async () => {
    const routes = (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/.well-known/apple-app-site-association') return apple(response)
      if (request.url === '/.well-known/assetlinks.json') return google(response)
      return response.writeHead(404).end()
    }
    server = createServer({ cert: certPem, key: keyPem }, (request, response) => void routes(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    domain = `localhost:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    apple = json(appleAppSiteAssociation(SETTINGS))
    google = json(assetLinks(SETTINGS))
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const check = async (over: Partial<Parameters<typeof checkDomain>[0]> = {}) => {
    const findings = await checkDomain({
      domain,
      settings: SETTINGS,
      send: sendOutbound,
      ca: [ca.certPem],
      allowPrivate: true,
      monotonic: () => 0,
      now: Date.now() - 30 * 86_400_000,
      ...over,
    })
    return findings.map(({ level, what, remedy }) => `${level}: ${what}${remedy ? ` | ${remedy}` : ''}`)
  }
  /** Returns what is wrong, without the remark about the port of the test. */
  const wrong = async (over = {}) => (await check(over)).filter((one) => !/^ok|port 443 only/.test(one))

  it('finds nothing wrong with what we serve', async () => {
    expect(await check()).to.deep.equal([
      'warning: phones use port 443 only | use another port for tests only',
      `ok: ${domain} resolves, and its certificate is trusted`,
      'ok: apple-app-site-association: names ABCDE12345.com.a',
      'ok: assetlinks.json: names com.a with 1 fingerprints',
    ])
  })

  const answers: [string, Answer, RegExp][] = [
    [
      'a redirect',
      (r) => void r.writeHead(301, { location: 'https://www.example.com/x' }).end(),
      /answers 301, a redirect to https:\/\/www.*\| the proxy must/,
    ],
    ['the last redirect', (r) => void r.writeHead(399).end(), /answers 399, a redirect to an unknown place;/],
    ['201', json({}, {}, 201), /answers 201 instead of 200/],
    ['299', json({}, {}, 299), /answers 299 instead of 200/],
    ['300', json({}, {}, 300), /answers 300, a redirect to an unknown place;/],
    ['400', json({}, {}, 400), /answers 400 instead of 200/],
    ['404', (r) => void r.writeHead(404).end(), /answers 404 instead of 200/],
    ['500', (r) => void r.writeHead(500).end(), /answers 500/],
    [
      'HTML',
      (r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /its content type is text\/html instead/,
    ],
    ['no content type', (r) => void r.writeHead(200).end('[]'), /its content type is none instead/],
    [
      'half a document',
      (r) => void r.writeHead(200, { 'content-type': 'application/json' }).end('{"appl'),
      /is not JSON/,
    ],
    ['a very long one', json('x'.repeat(200_000)), /larger than 128 KiB/],
    ['a connection that is cut', (r) => void r.destroy(), /the request to .* failed/],
  ]
  for (const [what, answer, message] of answers) {
    it(`says what is wrong with ${what}`, async () => {
      apple = answer
      const found = await wrong()
      expect(found[0]).to.match(message)
      for (const one of found) expect(one, 'every one with a remedy').to.match(/^error: .* \| ./)
    })
  }

  it('takes a content type with a charset', async () => {
    google = json(assetLinks(SETTINGS), { 'content-type': 'Application/JSON; charset=utf-8' })
    expect(await wrong()).to.deep.equal([])
  })

  it('says when the certificate is not trusted', async () => {
    expect((await wrong({ ca: [] }))[0]).to.match(/failed: .*\| the proxy needs a certificate/)
  })

  it('says when the certificate ends soon and when the answer is slow', async () => {
    let clock = 0
    const found = await wrong({ now: Date.now(), monotonic: () => (clock += 4000) })
    expect(found.join('\n'))
      .to.match(/certificate ends in 0 days/)
      .and.match(/took 4 s/)
  })

  it('connects to no private address', async () => {
    const found = await wrong({ allowPrivate: false, domain: 'localhost' })
    expect(found).to.have.length(1)
    expect(found[0]).to.match(/not a public address/)
  })

  it('says how to make a name that does not resolve, and asks once only', async () => {
    let asked = 0
    const send: SendOutbound = () => {
      asked++
      throw new HttpFailure('unknown_host', 'getaddrinfo ENOTFOUND')
    }
    expect(await wrong({ send, domain: 'go.example.com' })).to.deep.equal([
      "error: go.example.com does not resolve | create a DNS record for go.example.com: a CNAME to this server's public name, or A and AAAA with its addresses",
    ])
    expect(asked).to.equal(1)
  })

  it('says when the domain is of no app, without asking it', async () => {
    expect(await wrong({ settings: undefined, domain: 'go.example.com' })).to.deep.equal([
      'error: no app has the domain go.example.com, so nothing is served there | appsvc links settings --app APP --domain go.example.com',
    ])
  })

  it('says what the settings lack', async () => {
    const ios = { ...SETTINGS, androidPackage: null }
    expect(await wrong({ settings: ios })).to.deep.equal([
      'warning: assetlinks.json is not served: the app lacks the settings for it | appsvc links settings --app APP with --android-package and --android-sha256',
    ])
    const neither = await wrong({ settings: { ...ios, iosTeamId: null } })
    expect(neither.filter((one) => one.startsWith('error'))).to.have.length(2)
  })
})

describe('a served Apple document', () => {
  const judge = (document: unknown) =>
    judgeAppleDocument(document, SETTINGS).map(({ level, what }) => `${level}: ${what}`)
  const rows: [string, unknown, RegExp][] = [
    ['of the older form', { applinks: { details: [{ appID: 'ABCDE12345.com.a', paths: ['*'] }] } }, /^ok/],
    ['of the newer form', { applinks: { details: [{ appIDs: ['X', 'ABCDE12345.com.a'] }] } }, /^ok/],
    [
      'of another app',
      { applinks: { details: [{ appIDs: ['X.com.b'] }] } },
      /does not name ABCDE12345\.com\.a \(but X\.com\.b\)/,
    ],
    ['without details', { applinks: {} }, /no applinks\.details/],
    ['that is a list', [], /no applinks\.details/],
    ['with nonsense inside', { applinks: { details: [null, 5, { appIDs: 'x' }, { appIDs: [5] }] } }, /does not name/],
    ['that is null', null, /no applinks\.details/],
  ]
  for (const [what, document, message] of rows) it(what, () => expect(judge(document)[0]).to.match(message))
})

describe('a served Google document', () => {
  const judge = (document: unknown) =>
    judgeGoogleDocument(document, SETTINGS).map(({ level, what }) => `${level}: ${what}`)
  const statement = (target: object, relation = ['delegate_permission/common.handle_all_urls']) => [
    { relation, target },
  ]
  const target = { package_name: 'com.a', sha256_cert_fingerprints: ['FF', PRINT] }
  const rows: [string, unknown, RegExp][] = [
    ['with further fingerprints', statement(target), /^ok/],
    [
      'with another relation only',
      statement(target, ['delegate_permission/common.get_login_creds']),
      /does not name com\.a/,
    ],
    ['of another package', statement({ ...target, package_name: 'com.b' }), /does not name com\.a \(but com\.b\)/],
    [
      'without our fingerprint',
      statement({ ...target, sha256_cert_fingerprints: ['FF'] }),
      /does not have the fingerprint AB:/,
    ],
    ['in lower case', statement({ ...target, sha256_cert_fingerprints: [PRINT.toLowerCase()] }), /lower case/],
    ['that is no list', {}, /not a list/],
    [
      'with nonsense inside',
      [null, { relation: 5 }, { relation: ['delegate_permission/common.handle_all_urls'] }],
      /does not name/,
    ],
  ]
  for (const [what, document, message] of rows) it(what, () => expect(judge(document)[0]).to.match(message))
})
