import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { inspectPackage, readZip } from '../../../src/domain/gateways/safari/package-check.ts'
import { checkBlocks } from '../../../src/domain/gateways/service.ts'
import { BLOCK, makePng, WEBSITE_PUSH_ID } from '../../domain/gateways/safari/website.ts'
import { makeCa } from '../../support/certificates.ts'
import { broadcast, deliverDue, scriptedSender } from '../../support/delivery.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { onSqliteDaily } from '../../support/program.ts'

const TOKEN = 'AB01'.repeat(16)

onSqliteDaily('what Safari calls', (kind) => {
  let server: TestServer
  let website: Server
  let dir: string
  let iconStatus = 200
  let iconFetches = 0
  let base: string

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-safari-'))
    const ca = makeCa()
    writeFileSync(join(dir, 'ca.pem'), ca.certPem)
    const { certPem, keyPem } = ca.issue({ cn: '127.0.0.1' })
    const icon = makePng(256, 256)
    website = createServer({ cert: certPem, key: keyPem }, (_request, response) => {
      iconFetches++
      response.writeHead(iconStatus).end(iconStatus === 200 ? icon : '')
    })
    website.listen(0, '127.0.0.1')
    await once(website, 'listening')
    server = await openTestServer({
      kind,
      settings: {
        baseUrl: 'https://appsvc.example',
        'outbound.allowPrivate': 'true',
        'gateways.caFile': join(dir, 'ca.pem'),
      },
    })
    base = `/push/safari/${server.first.apiKey}`
  })
  after(async () => {
    await server.close()
    website.closeAllConnections()
    website.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const configure = async (change: object = {}) => {
    const iconUrl = `https://127.0.0.1:${(website.address() as AddressInfo).port}/icon.png`
    const blocks = await checkBlocks({ safari: { ...BLOCK, iconUrl, ...change } }, Date.now())
    await server.program.inTransaction((tx) => tx.gateways.configure(server.first.id, blocks))
  }
  const getPackage = (path = `${base}/v2/pushPackages/${WEBSITE_PUSH_ID}`, body?: string) =>
    fetch(server.address + path, { method: 'POST', ...(body !== undefined && { body }) })
  const authorization = async () => {
    const files = readZip(Buffer.from(await (await getPackage()).arrayBuffer()))
    const { authenticationToken } = JSON.parse(files.get('website.json')!.toString()) as { authenticationToken: string }
    return `ApplePushNotifications ${authenticationToken}`
  }
  const registration = (version = 'v2', token = TOKEN, id = WEBSITE_PUSH_ID) =>
    `${base}/${version}/devices/${token}/registrations/${id}`
  const subscribed = async (installId: string) =>
    (await server.program.crm.lookupInstalls(server.first.id, [installId])).get(installId)?.subscribed

  it('says that the app has no gateway', async () => {
    expect((await getPackage()).status).to.equal(409)
    expect(await (await getPackage()).text()).to.contain('no safari gateway')
    for (const version of ['v1', 'v2']) {
      expect((await getPackage(`${base}/${version}/pushPackages/${WEBSITE_PUSH_ID}`)).status).to.equal(409)
      for (const method of ['POST', 'DELETE']) {
        const { status } = await server.call(method, registration(version), { auth: 'ApplePushNotifications x' })
        expect(status, `${method} ${version}`).to.equal(409)
      }
    }
  })

  describe('with a gateway', () => {
    before(() => configure())

    for (const version of ['v1', 'v2'] as const) {
      it(`gets a package of ${version}, whatever the page says of itself`, async () => {
        for (const body of [undefined, '', '{"id":7}', 'not JSON']) {
          const response = await getPackage(`${base}/${version}/pushPackages/${WEBSITE_PUSH_ID}`, body)
          expect(response.status).to.equal(200)
          expect(response.headers.get('content-type')).to.equal('application/zip')
          const bytes = Buffer.from(await response.arrayBuffer())
          const expected = { websitePushId: WEBSITE_PUSH_ID, version, now: server.clock.now() }
          // The certificates of this test are of today, the clock of the server is not.
          expect(inspectPackage(bytes, expected).filter((fault) => !fault.includes('not valid now'))).to.deep.equal([])
          expect(JSON.parse(readZip(bytes).get('website.json')!.toString())).to.include({
            webServiceURL: `https://appsvc.example/push/safari/${server.first.apiKey}`,
          })
        }
      })
    }

    it('fetches the icon once for all of them, and gives every visitor a token of his own', async () => {
      expect(iconFetches).to.equal(1)
      expect(await authorization()).not.to.equal(await authorization())
      expect(iconFetches).to.equal(1)
    })

    it('answers 404 for an unknown key or id', async () => {
      expect((await getPackage(`${base}/v2/pushPackages/web.other`)).status).to.equal(404)
      expect((await getPackage(`/push/safari/nobody/v2/pushPackages/${WEBSITE_PUSH_ID}`)).status).to.equal(404)
      expect((await getPackage(`${base}/v3/pushPackages/${WEBSITE_PUSH_ID}`)).status).to.equal(404)
    })

    it('takes a permission away and gives it back to the install that has the token', async () => {
      const auth = await authorization()
      const data = { type: 4, token: TOKEN, bundleId: WEBSITE_PUSH_ID }
      const event = { type: 'k.push.deviceRegistered', uuid: 'u1', timestamp: server.clock.now(), data }
      expect((await server.call('POST', registration(), { auth })).status).to.equal(200)
      await server.program.inTransaction((tx) => tx.events.ingest(server.first.id, 'mac', [event]))
      expect(await subscribed('mac')).to.equal(true)
      server.clock.advance(1000)
      const gone = await server.call('DELETE', registration('v2', TOKEN.toLowerCase()), { auth })
      expect([gone.status, gone.body]).to.deep.equal([200, undefined])
      expect(await subscribed('mac')).to.equal(false)
      expect((await server.call('DELETE', registration('v1'), { auth })).status).to.equal(200)
      server.clock.advance(1000)
      expect((await server.call('POST', registration('v1'), { auth })).status).to.equal(200)
      expect(await subscribed('mac')).to.equal(true)
    })

    it('makes an install that registers another token after that subscribed again', async () => {
      const auth = await authorization()
      await server.call('DELETE', registration(), { auth })
      expect(await subscribed('mac')).to.equal(false)
      server.clock.advance(1000)
      const data = { type: 4, token: 'CD'.repeat(32), bundleId: WEBSITE_PUSH_ID }
      const event = { type: 'k.push.deviceRegistered', uuid: 'u2', timestamp: server.clock.now(), data }
      await server.program.inTransaction((tx) => tx.events.ingest(server.first.id, 'mac', [event]))
      expect(await subscribed('mac')).to.equal(true)
    })

    it('is sent to as long as it is allowed', async () => {
      const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
      const auth = await authorization()
      await broadcast(server)
      await deliverDue(server, sender)
      expect(sent).to.deep.equal(['cd'.repeat(32)])
      await server.call('DELETE', registration('v2', 'CD'.repeat(32)), { auth })
      await broadcast(server)
      await deliverDue(server, sender)
      expect(sent).to.have.length(1)
    })

    const wrong = ['none', 'ApplePushNotifications', 'ApplePushNotifications x', 'Basic YTpi']
    for (const auth of wrong) {
      it(`answers 401 to ${auth}`, async () => {
        for (const version of ['v1', 'v2']) {
          for (const method of ['POST', 'DELETE']) {
            const { status, headers } = await server.call(method, registration(version), { auth })
            expect(status).to.equal(401)
            expect(headers.get('www-authenticate')).to.equal('ApplePushNotifications')
          }
        }
      })
    }

    it('answers 401 to a token that was changed, or is of another app', async () => {
      const auth = await authorization()
      const changed = auth.slice(0, -1) + (auth.endsWith('0') ? '1' : '0')
      expect((await server.call('DELETE', registration(), { auth: changed })).status).to.equal(401)
      const other = await server.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
      const blocks = await checkBlocks({ safari: BLOCK }, Date.now())
      await server.program.inTransaction((tx) => tx.gateways.configure(other.id, blocks))
      const path = `/push/safari/${other.apiKey}/v2/devices/${TOKEN}/registrations/${WEBSITE_PUSH_ID}`
      expect((await server.call('DELETE', path, { auth })).status).to.equal(401)
    })

    it('refuses what is no device token, and ids of others', async () => {
      const auth = await authorization()
      for (const version of ['v1', 'v2']) {
        for (const method of ['POST', 'DELETE']) {
          const refused = await server.call(method, registration(version, 'hello'), { auth })
          expect(refused.status, `${method} ${version}`).to.equal(422)
        }
      }
      expect((await server.call('DELETE', registration('v2', TOKEN, 'web.other'), { auth })).status).to.equal(404)
      expect((await server.call('DELETE', registration('v2', '..%2f..%00'), { auth })).status).to.equal(422)
    })

    it('takes what Safari has to say, cut and with nothing that moves a terminal', async () => {
      const said: object[] = []
      const { log } = server.program.kernel
      const info = log.info
      log.info = (fields) => void said.push(fields)
      try {
        const logs = ['Signature verification of push package failed', '\u001b[2J\u202eevil', 'x'.repeat(9999), 7, null]
        expect((await server.call('POST', `${base}/v2/log`, { auth: 'none', body: { logs } })).status).to.equal(200)
        expect((await server.call('POST', `${base}/v1/log`, { auth: 'none', body: { logs: 'one' } })).status).to.equal(
          200,
        )
        const many = { logs: Array.from({ length: 5000 }, () => 'y') }
        expect((await server.call('POST', `${base}/v1/log`, { auth: 'none', body: many })).status).to.equal(200)
      } finally {
        log.info = info
      }
      const lines = said.map((fields) => (fields as { said: string }).said)
      expect(lines[0]).to.equal('Signature verification of push package failed')
      expect(lines[1]).to.equal('\\u{1b}[2J\\u{202e}evil')
      expect(lines[2]).to.equal('x'.repeat(500))
      expect(lines[3]).to.equal('one')
      expect(lines).to.have.length(24)
    })

    it('takes empty and foreign words for a log without harm', async () => {
      for (const body of [{}, { logs: {} }, { logs: null }]) {
        expect((await server.call('POST', `${base}/v2/log`, { auth: 'none', body })).status).to.equal(200)
      }
      expect((await server.call('POST', `${base}/v2/log`, { auth: 'none', body: '[1]' })).status).to.equal(422)
    })

    it('answers 503 when the icon is gone, and again with packages when it is back', async () => {
      iconStatus = 404
      await configure({ websiteName: 'Renamed' })
      const before = iconFetches
      for (let i = 0; i < 3; i++) {
        const response = await getPackage()
        expect(response.status).to.equal(503)
        expect(response.headers.get('retry-after')).to.equal('60')
        expect(await response.text())
          .to.contain('icon')
          .and.not.to.contain('127.0.0.1')
      }
      expect(iconFetches).to.equal(before + 1)
      iconStatus = 200
      server.clock.advance(61_000)
      expect((await getPackage()).status).to.equal(200)
    })

    it('keeps the icon that it has when it cannot be fetched anew a day later', async () => {
      iconStatus = 500
      const before = iconFetches
      server.clock.advance(25 * 3_600_000)
      for (let i = 0; i < 3; i++) expect((await getPackage()).status).to.equal(200)
      iconStatus = 200
      expect(iconFetches).to.be.at.most(before + 1)
    })

    it('has enough of somebody who asks without end', async () => {
      const statuses = new Set<number>()
      for (let i = 0; i < 320; i++) statuses.add((await getPackage(`${base}/v2/pushPackages/web.other`)).status)
      expect(statuses).to.deep.equal(new Set([404, 503]))
      expect((await getPackage(`${base}/v1/pushPackages/web.other`)).status).to.equal(503)
    })
  })
})

onSqliteDaily('Safari without an https address of the service', (kind) => {
  it('is told that nothing can be made', async () => {
    const server = await openTestServer({ kind, settings: { 'outbound.allowPrivate': 'true' } })
    try {
      const blocks = await checkBlocks({ safari: BLOCK }, Date.now())
      await server.program.inTransaction((tx) => tx.gateways.configure(server.first.id, blocks))
      const path = `/safari/${server.first.apiKey}/v2/pushPackages/${WEBSITE_PUSH_ID}`
      const { status, body } = await server.call('POST', path, { auth: 'none' })
      expect(status).to.equal(409)
      expect(JSON.stringify(body)).to.contain('baseUrl')
    } finally {
      await server.close()
    }
  })
})
