import { expect } from 'chai'
import type { Finding, GatewaySettings, PushMessage } from '../../../../src/domain/gateways/gateway.ts'
import { openSafari } from '../../../../src/domain/gateways/safari/client.ts'
import { IconFailure, makeIcons } from '../../../../src/domain/gateways/safari/icons.ts'
import { cardOf } from '../../../../src/sandbox/card.ts'
import { type Sandbox, startSandbox } from '../../../../src/sandbox/sandbox.ts'
import { makePng, openedWebsite } from './website.ts'

const TOKEN = 'ab'.repeat(32)

describe('the sender of website pushes', () => {
  let sandbox: Sandbox
  let settings: GatewaySettings
  let opened: Awaited<ReturnType<typeof openedWebsite>>

  before(async () => {
    sandbox = await startSandbox()
    settings = {
      apnsUrl: sandbox.urls.apns,
      apnsSandboxUrl: sandbox.urls.apnsSandbox,
      fcmUrl: '',
      fcmTokenUrl: '',
      hcmUrl: '',
      hcmTokenUrl: '',
      allowPrivate: true,
      ca: [sandbox.ca],
      pushAddress: 'https://push.example/push',
    }
    const { websitePushId: _, ...certificate } = sandbox.credentials.website
    opened = await openedWebsite({
      ...certificate,
      siteUrl: 'https://shop.example',
      iconUrl: 'https://shop.example/icon.png',
    })
  })
  after(() => sandbox.close())

  const sender = (fetchIcons = () => makeIcons(makePng(256, 256))) =>
    openSafari(opened, settings, Date.now, { fetchIcons })
  const message = (change: Partial<PushMessage['content']> = {}): PushMessage => ({
    content: {
      notificationId: 77,
      title: 'T',
      message: 'M',
      background: false,
      ios: {},
      android: {},
      url: 'https://shop.example/sale',
      ...change,
    },
    expiresAt: Date.now() + 3_600_000,
    replacementKey: 'n77',
  })

  it('sends to APNs in production, under the website push id, and the click leads to the page with the id', async () => {
    const open = sender()
    const outcome = await open.send(open.prepare(message()), { token: TOKEN.toUpperCase() })
    await open.close()
    expect(outcome).to.include({ kind: 'accepted' })
    const [received] = sandbox.received({ token: TOKEN })
    expect(received).to.include({ environment: 'production', topic: 'web.com.example.app', notificationId: '77' })
    expect(JSON.parse(received!.payload)).to.deep.equal({
      aps: { alert: { title: 'T', body: 'M' }, 'url-args': ['sale?knid=77'] },
    })
    expect(cardOf(received!)).to.include({ platform: 'safari', title: 'T', body: 'M', url: 'sale?knid=77' })
    expect(received!.headers).to.include({ 'apns-push-type': 'alert', 'apns-collapse-id': 'n77' })
  })

  it('takes the topic that the browser registered, and suspects the token when the certificate is not for it', async () => {
    const open = sender()
    const prepared = open.prepare(message())
    const outcomes = await Promise.all(
      ['web.com.example.app', 'web.other'].map((topic) => open.send(prepared, { token: TOKEN, topic })),
    )
    await open.close()
    expect(outcomes[0]).to.include({ kind: 'accepted' })
    expect(outcomes[1]).to.include({ kind: 'token_suspect', reason: 'TopicDisallowed (web.other)' })
  })

  it('hears that a token is dead', async () => {
    sandbox.declareDevice({ gateway: 'apns', token: 'cd'.repeat(32), deadSince: 1000 })
    const open = sender()
    const outcome = await open.send(open.prepare(message()), { token: 'cd'.repeat(32) })
    await open.close()
    expect(outcome).to.deep.include({ kind: 'token_dead', reason: 'Unregistered', since: 1_000_000 })
  })

  it('sends nothing that cannot be shown, and nothing that is too large', async () => {
    const open = sender()
    for (const change of [{ title: '', message: '', background: true }, { message: 'x'.repeat(5000) }]) {
      const outcome = await open.send(open.prepare(message(change)), { token: 'ef'.repeat(32) })
      expect(outcome).to.include({ kind: 'payload_error', everyone: true })
    }
    await open.close()
    expect(sandbox.received({ token: 'ef'.repeat(32) })).to.deep.equal([])
  })

  const findings = async (fetchIcons?: () => ReturnType<typeof makeIcons>, change: Partial<GatewaySettings> = {}) => {
    const open = openSafari(opened, { ...settings, ...change }, Date.now, {
      fetchIcons: fetchIcons ?? (() => makeIcons(makePng(256, 256))),
    })
    const found: Finding[] = await open.probe()
    await open.close()
    return found.map(({ level, what }) => `${level}: ${what}`)
  }

  it('finds that all is well: credential, expiry, packages', async () => {
    const found = await findings()
    expect(found).to.include('ok: APNs (production) accepts the credential')
    expect(found).to.include('ok: push packages can be made and are valid')
    expect(found.filter((line) => line.startsWith('error'))).to.deep.equal([])
  })

  it('finds that the icon is not there, or small, or not square', async () => {
    const gone = await findings(() => Promise.reject(new IconFailure('the icon cannot be fetched: gone')))
    expect(gone).to.include('error: the icon cannot be fetched: gone')
    const small = await findings(() => makeIcons(makePng(64, 32)))
    expect(small).to.include('warning: the icon has 64 × 32 pixels: it is shown with margins and is enlarged')
  })

  it('finds that there is no https address for Safari', async () => {
    const found = await findings(undefined, { pushAddress: 'http://127.0.0.1:8080/push' })
    expect(found.join()).to.contain('error: Safari requires an https address of this server')
  })
})
