import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { expect } from 'chai'
import { createSenders } from '../../../src/domain/gateways/senders.ts'
import { gatewaySettings } from '../../../src/domain/gateways/settings.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts'
import { broadcast, deliverDue } from '../../support/delivery.ts'
import { basic, openTestServer, type TestServer } from '../../support/http.ts'
import { onSqliteDaily } from '../../support/program.ts'

/**
 * A web page with the public web SDK (1.11) in Chromium, as it was seen on the wire: its requests byte for byte and in its order,
 * with the questions that the browser asks first, and its browser's refusal to hand over what CORS does not allow. The push goes
 * through the real gateway to a push service that decrypts it with the browser's keys.
 */

type Json = Record<string, unknown>

interface Wish {
  method?: string
  url: string
  body?: unknown
  /** From the service worker: without the hints that only pages send. */
  worker?: true
}

interface Got {
  status: number
  body: unknown
}

const PAGE = 'https://shop.example'
const HOSTS = { push: 'push.example', events: 'events.example', links: 'links.example' }
const PUSH = `https://${HOSTS.push}`
const EVENTS = `https://${HOSTS.events}`
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
const HINTS = {
  'sec-ch-ua-platform': '"Linux"',
  'sec-ch-ua': '"Not:A-Brand";v="8", "Chromium";v="156"',
  'sec-ch-ua-mobile': '?0',
}
const FETCH = {
  Origin: PAGE,
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
  Referer: `${PAGE}/`,
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-GB,en;q=0.9',
}
const SIMPLE = ['GET', 'HEAD', 'POST']

const WELCOME = {
  type: 'alert',
  labels: { alert: { heading: 'News?', body: 'One a day.', acceptAction: 'Yes', declineAction: 'No' } },
  actions: [
    { type: 'subscribeToChannel', channelUuid: 'news' },
    { type: 'userChannelSelectInline', channels: { presentedUuids: ['sport', 'extra'], checkedUuids: ['sport'] } },
  ],
}

/** `fetch` of a page in Chromium, to one server that all hosts lead to. `asked` lists the preflights. */
function chromium(address: string, authorization: string) {
  const asked: string[] = []
  const allowedBefore = new Map<string, string[]>()

  async function wire(method: string, url: string, headers: Record<string, string>, body?: string) {
    const { host, pathname, search } = new URL(url)
    const { hostname, port } = new URL(address)
    const call = request({
      hostname,
      port,
      method,
      path: pathname + search,
      agent: false,
      headers: {
        Host: host,
        ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
        'User-Agent': AGENT,
        ...headers,
      },
    })
    const answered = once(call, 'response')
    call.end(body)
    const [response] = (await answered) as [IncomingMessage]
    return { status: response.statusCode!, headers: response.headers, text: await readText(response) }
  }

  const listOf = (headers: IncomingHttpHeaders, name: string) =>
    String(headers[name] ?? '')
      .toLowerCase()
      .split(/\s*,\s*/)

  /** Fetch standard, 4.8 and 4.9: without it the script gets a TypeError and no answer. */
  async function ask(method: string, url: string): Promise<void> {
    if (allowedBefore.get(url)?.includes(method.toLowerCase())) return
    const { status, headers } = await wire('OPTIONS', url, {
      Accept: '*/*',
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'authorization,content-type',
      ...FETCH,
    })
    const methods = listOf(headers, 'access-control-allow-methods')
    expect(status, `OPTIONS ${url}`).to.be.within(200, 299)
    expect(headers['access-control-allow-origin']).to.be.oneOf(['*', PAGE])
    // A star does not cover this one.
    expect(listOf(headers, 'access-control-allow-headers')).to.include.members(['authorization', 'content-type'])
    if (!SIMPLE.includes(method)) expect(methods).to.include(method.toLowerCase())
    allowedBefore.set(url, [...methods, method.toLowerCase()])
    asked.push(`${method} ${url}`)
  }

  async function fetch({ method = 'GET', url, body, worker }: Wish): Promise<Got> {
    await ask(method, url)
    const headers = {
      Authorization: authorization,
      Accept: 'application/json',
      // Also when nothing is sent.
      'Content-Type': 'application/json',
      ...(!worker && HINTS),
      ...FETCH,
    }
    const got = await wire(method, url, headers, body === undefined ? undefined : JSON.stringify(body))
    expect(got.headers['access-control-allow-origin'], `${method} ${url}`).to.be.oneOf(['*', PAGE])
    return { status: got.status, body: got.text === '' ? undefined : JSON.parse(got.text) }
  }

  return { fetch, asked }
}

onSqliteDaily('a page with the web SDK', (kind) => {
  let test: TestServer
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ keep: 100 })
  })
  after(() => sandbox.close())

  beforeEach(async () => {
    sandbox.reset()
    test = await openTestServer({
      kind,
      settings: {
        'hosts.push': HOSTS.push,
        'hosts.events': HOSTS.events,
        'hosts.links': HOSTS.links,
        'outbound.allowPrivate': 'true',
      },
    })
    // The push service judges tokens by the machine's clock.
    test.clock.set(Date.now())
    await configure({ iconUrl: `${PAGE}/icon.png`, subject: 'mailto:push@shop.example' })
    const { program, first } = test
    await program.inTransaction((tx) => tx.prompts.create(first.id, 'welcome', WELCOME))
    for (const uuid of ['news', 'sport', 'extra']) {
      await test.call('POST', '/messages/channels', { body: { uuid, name: uuid.toUpperCase() } })
    }
    browser = chromium(test.address, basic(first.apiKey, first.secretKey))
    installId = randomUUID()
    userId = installId
    const caFile = join(test.dir, 'push-service.pem')
    writeFileSync(caFile, sandbox.ca)
    const settings = gatewaySettings({ ...program.kernel.config, 'gateways.caFile': caFile })
    const senders = createSenders(program.gateways, settings, () => test.clock.now())
    deliver = async () => {
      await deliverDue(test, await senders.find(first.id, 'web'))
    }
    closeSenders = () => senders.close()
  })
  afterEach(async () => {
    await closeSenders()
    await test.close()
  })

  let browser: ReturnType<typeof chromium>
  let installId: string
  let userId: string
  let deliver: () => Promise<void>
  let closeSenders: () => Promise<void>

  const configure = async (web: object) => {
    const { status } = await test.call('PUT', `/push/v1/apps/${test.first.id}`, { body: { web } })
    expect(status).to.equal(200)
  }
  const install = `${PUSH}/v1/app-installs`
  const channels = () => browser.fetch({ url: `${install}/${installId}/channels` })
  const subscribed = async () =>
    ((await channels()).body as { uuid: string; subscribed: boolean }[])
      .filter((channel) => channel.subscribed)
      .map(({ uuid }) => uuid)
  const change = (method: string, uuids: string[]) =>
    browser.fetch({ method, url: `${install}/${installId}/channels/subscriptions`, body: { uuids } })
  /** Always one event a request. */
  const track = async (type: string, data?: unknown, worker?: true) => {
    const body = [{ type, uuid: randomUUID(), timestamp: test.clock.now(), data, userId }]
    const url = `${EVENTS}/v1/app-installs/${installId}/events`
    const got = await browser.fetch({ method: 'POST', url, body, ...(worker && { worker }) })
    expect(got).to.deep.equal({ status: 202, body: {} })
  }
  const details = {
    app: { bundle: 'shop.example', version: '0.0.0', target: 2 },
    sdk: { id: 10, version: '1.11.0' },
    runtime: { id: 8, version: AGENT },
    os: { id: 0, version: '0.0.0' },
    device: { name: AGENT, tz: 'Europe/London', isSimulator: false, locale: 'en-GB' },
  }
  /** Sends what a start of the page sends: two events at once, and the configuration before the channels. */
  const start = async (): Promise<{ publicKey: string; prompts: Record<string, Json> }> => {
    const [, , config] = await Promise.all([
      track('k.stats.installTracked', details),
      track('k.pageViewed', { title: 'Shop', path: '/' }),
      browser.fetch({ url: `${PUSH}/v1/web/config` }),
    ])
    expect(config.status).to.equal(200)
    expect((await channels()).status).to.equal(200)
    return config.body as { publicKey: string; prompts: Record<string, Json> }
  }
  const register = async (publicKey: string) => {
    const subscription = sandbox.subscribe({ publicKey })
    await track('k.push.deviceRegistered', { type: 3, token: subscription })
    return subscription
  }
  const pushes = (endpoint: string) =>
    sandbox
      .received({ token: endpoint, taken: true })
      .map(({ payload }) => JSON.parse(payload) as Json & { data: { 'k.message': { type: number; data: Json } } })

  it('is asked, says yes, gets the push and reports that it was opened', async () => {
    const { publicKey, prompts } = await start()
    expect(browser.asked).to.have.members([
      `POST ${EVENTS}/v1/app-installs/${installId}/events`,
      `GET ${PUSH}/v1/web/config`,
      `GET ${install}/${installId}/channels`,
      // The second event did not wait for the answer about the first.
      `POST ${EVENTS}/v1/app-installs/${installId}/events`,
    ])
    expect(await test.program.crm.showInstall(test.first.id, installId)).to.include({
      os: 'Linux',
      sdkType: 'web',
      sdkVersion: '1.11.0',
      timezone: 'Europe/London',
      locale: 'en-GB',
      deviceName: 'Chrome on Linux',
      subscribed: false,
    })
    // The SDK reads these without a look whether they are there.
    const { welcome } = prompts as { welcome: Json & { uiActions: Json; colors: Json } }
    expect(welcome).to.include.all.keys('uuid', 'type', 'trigger', 'position', 'labels', 'colors', 'uiActions')
    expect([welcome.trigger, welcome.uiActions]).to.deep.equal([
      { event: 'k.pageViewed' },
      { decline: { type: 'decline' } },
    ])
    expect(welcome.colors.alert).to.include.all.keys('fg', 'bg', 'acceptActionBg', 'declineActionFg')

    userId = 'anna@example.com'
    await track('k.stats.userAssociated', { id: userId, attributes: { tier: 'gold', nested: { a: [1] } } })
    expect(await test.program.crm.attributes(test.first.id, userId)).to.deep.equal({ tier: 'gold', nested: { a: [1] } })

    const { endpoint } = await register(publicKey)
    expect(await subscribed()).to.deep.equal([])
    for (const [method, uuids] of [
      ['POST', ['news']],
      ['DELETE', ['extra']],
      ['POST', ['sport']],
    ] as const) {
      expect(await change(method, [...uuids])).to.deep.equal({ status: 204, body: undefined })
    }
    expect(await subscribed()).to.have.members(['news', 'sport'])

    const content = { title: 'Sale ☀', message: 'Half', url: `${PAGE}/sale?x=1`, data: { sku: 'a1', n: { deep: [1] } } }
    const id = await broadcast(test, {
      target: { channelUuids: ['news'] },
      content,
      android: { pictureUrl: `${PAGE}/pic.png` },
    })
    await deliver()
    const message = { type: 1, data: { id } }
    expect(pushes(endpoint)).to.deep.equal([
      {
        title: 'Sale ☀',
        msg: 'Half',
        data: { sku: 'a1', n: { deep: [1] }, 'k.message': message },
        url: `${PAGE}/sale?x=1`,
        image: `${PAGE}/pic.png`,
        icon: `${PAGE}/icon.png`,
      },
    ])

    await track('k.message.delivered', { type: message.type, id }, true)
    await track('k.message.opened', { type: message.type, id }, true)
    const opens = await test.call('GET', `/messages/notifications/${id}/install-opens`)
    expect((opens.body as Json[]).map((open) => open.installId)).to.deep.equal([installId])
    const { notification } = await test.program.notifications.report(test.first.id, id)
    expect(notification).to.include({ delivered: 1, opened: 1 })

    await track('k.stats.userAssociationCleared', { oldUserIdentifier: userId })
    expect(await test.program.crm.showInstall(test.first.id, installId)).to.include({ userIdentifier: installId })
  })

  it('gets pushes with the old key, and once with the new one when it has subscribed anew', async () => {
    const before = await register((await start()).publicKey)
    test.clock.advance(1000)
    await configure({ rotate: true })
    await broadcast(test)
    await deliver()
    expect(pushes(before.endpoint)).to.have.length(1)

    const after = await register((await start()).publicKey)
    await broadcast(test)
    await deliver()
    expect([before, after].map(({ endpoint }) => pushes(endpoint).length)).to.deep.equal([1, 1])
    expect(sandbox.counts().web).to.include({ taken: 2, refused: 0 })
  })

  it('makes, takes, leaves and clears channels; empty lists are in order', async () => {
    const own = { uuid: 'own', name: 'Own', showInPortal: true, meta: { a: 1 }, installId }
    const made = await browser.fetch({ method: 'POST', url: `${PUSH}/v1/channels`, body: own })
    expect(made).to.deep.equal({
      status: 201,
      body: { uuid: 'own', name: 'Own', subscribed: true, meta: { a: 1 } },
    })
    for (const method of ['POST', 'DELETE']) expect((await change(method, [])).status).to.equal(204)
    expect(await subscribed()).to.deep.equal(['own'])
    expect((await change('PUT', ['extra'])).status).to.equal(204)
    expect(await subscribed()).to.deep.equal(['extra'])
    expect((await change('PUT', [])).status).to.equal(204)
    expect(await subscribed()).to.deep.equal([])
  })

  it('may read every refusal', async () => {
    const stranger = chromium(test.address, basic(test.first.apiKey, 'wrong'))
    const events = `${EVENTS}/v1/app-installs/${installId}/events`
    const banners = `https://${HOSTS.links}/v1/banners`
    const taps = `${banners}/${randomUUID()}/taps`
    const refused: [() => Promise<Got>, number][] = [
      [() => stranger.fetch({ url: `${PUSH}/v1/web/config` }), 401],
      [() => stranger.fetch({ url: `${install}/${installId}/channels` }), 401],
      [() => stranger.fetch({ method: 'POST', url: events, body: [] }), 401],
      [() => stranger.fetch({ url: `${banners}?webInstallId=${installId}` }), 401],
      [() => change('POST', ['nowhere']), 404],
      [() => browser.fetch({ method: 'POST', url: `${PUSH}/v1/channels`, body: { uuid: '' } }), 422],
      [() => browser.fetch({ method: 'POST', url: events, body: 'no list' }), 422],
      [() => browser.fetch({ method: 'POST', url: taps, body: { webInstallId: 'x', fingerprint: {} } }), 404],
    ]
    for (const [ask, status] of refused) {
      const got = await ask()
      expect(got.status, JSON.stringify(got.body)).to.equal(status)
      expect(got.body).to.have.property('error')
    }
  })
})
