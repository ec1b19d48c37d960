import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type BrowserContext, type CDPSession, type Page, TargetType, type WebWorker } from 'puppeteer-core'
import { createSenders } from '../../../../src/domain/gateways/senders.ts'
import { gatewaySettings } from '../../../../src/domain/gateways/settings.ts'
import { snippetsFor } from '../../../../src/present/snippets.ts'
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { openBrowser } from '../../../support/browser.ts'
import { deliverDue } from '../../../support/delivery.ts'
import { openTestServer, type TestServer } from '../../../support/http.ts'
import { openSandbox } from '../../../support/sandbox.ts'

/**
 * A website with the browser client, under the strictest policy that it promises to work with, and a server behind it. The push service is the
 * stand-in of the sandbox: real ones are beyond this machine.
 */
export interface Shop {
  server: TestServer
  sandbox: Sandbox
  /** Address of the website; the server has another one. */
  origin: string
  /** Somebody who was never here: a browser profile of their own. */
  enter(permission?: 'granted' | 'denied' | 'prompt'): Promise<Visitor>
  /** Sends what is due through the gateway of the first app, or of another one. */
  deliver(appId?: number): Promise<void>
  /** Everybody leaves. */
  empty(): Promise<void>
  /** The policy of the pages; a test may loosen or tighten it. */
  policy: string
  close(): Promise<void>
}

export interface Visitor {
  context: BrowserContext
  /** Opens a page of the website, in a tab of its own, with options for the client besides its keys. `before` runs ahead of all its scripts. */
  open(path?: string, options?: object, before?: string): Promise<Page>
  /** Gives the pushes that the stand-in took for this browser, since the last call, to its worker. Returns how many. */
  receive(): Promise<number>
  /** Texts of the pushes that the stand-in took for this browser, in their order. */
  taken(): string[]
  /** Plays a browser that gets a declarative push: tells the worker of the notification with this data, and shows it. */
  propose(data: unknown): Promise<void>
  /** The service worker, as soon as it runs. */
  worker(): Promise<WebWorker>
  /** The notifications that are shown. */
  shown(): Promise<
    { title: string; body: string; icon: string; tag: string; actions: { action: string; title: string }[] }[]
  >
  /**
   * Does to the notification that is shown what a person would: clicks it or one of its buttons, or dismisses it. Returns what the worker then did with
   * windows, which browsers do only for a person: `focus http://…` and `open http://…`.
   */
  react(event: 'notificationclick' | 'notificationclose', action?: string): Promise<string[]>
  /** Errors of pages and worker, and breaches of the policy. */
  problems: string[]
  /** Sets the permission to show notifications. */
  permit(state: 'granted' | 'denied' | 'prompt'): Promise<void>
  /** Events that wait in the browser. */
  queue(page: Page): Promise<object[]>
  /** The browser drops the subscription, and tells the worker. */
  changeSubscription(): Promise<void>
  close(): Promise<void>
}

interface Subscription {
  endpoint: string
  expirationTime: number | null
  keys: object
}

/** Path of the worker of the service that a website used before. */
export const FORMER_WORKER = '/OneSignalSDKWorker.js'

const EXAMPLE = join(import.meta.dirname, '../../../../clients/web/example')

/** Runs in each page before its own scripts: the push manager of a browser whose push service is the stand-in. */
const PUSH_MANAGER = `(() => {
  const made = (found) => found && {
    ...found.subscription,
    options: { applicationServerKey: Uint8Array.from(atob(found.key), (c) => c.charCodeAt(0)).buffer },
    toJSON: () => found.subscription,
    unsubscribe: async () => standIn('unsubscribe'),
  }
  const ask = async (what, key) => made(JSON.parse(await standIn(what, key)))
  PushManager.prototype.getSubscription = () => ask('find')
  PushManager.prototype.subscribe = (options) => ask('subscribe', btoa(String.fromCharCode(...options.applicationServerKey)))
})()`

export async function openShop(): Promise<Shop> {
  const server = await openTestServer({ settings: { 'outbound.allowPrivate': 'true' } })
  const sandbox = await openSandbox({ keep: 1000 })
  // The push service judges tokens by the machine's clock, as do pages.
  server.clock.set(Date.now())
  const { program, first } = server
  const subject = { iconUrl: 'https://shop.example/icon.png', subject: 'mailto:push@shop.example' }
  await server.call('PUT', `/push/v1/apps/${first.id}`, { body: { web: subject } })
  const caFile = join(server.dir, 'push-service.pem')
  writeFileSync(caFile, sandbox.ca)
  const settings = gatewaySettings({ ...program.kernel.config, 'gateways.caFile': caFile })
  const senders = createSenders(program.gateways, settings, () => server.clock.now())
  const visitors: Visitor[] = []

  const site = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const path = request.url!.split('?', 1)[0]!
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html'
    response.writeHead(200, {
      'Content-Type': `${type}; charset=utf-8`,
      // The shortest page has its script inside.
      ...(type === 'text/html' && !path.startsWith('/shortest/') && { 'Content-Security-Policy': shop.policy }),
    })
    response.end(
      path.startsWith('/shortest/')
        ? shortestPage()
        : path.startsWith('/example/')
          ? exampleFile(path)
          : path === '/page.js'
            ? pageScript()
            : path === '/appsvc-worker.js' || path === FORMER_WORKER
              ? exampleFile('/appsvc-worker.js')
              : PAGE,
    )
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))

  /** A file of clients/web/example as a developer puts it on their site: with their server and keys. */
  const exampleFile = (path: string) =>
    readFileSync(join(EXAMPLE, path.replace(/^\/(example\/)?/, '') || 'index.html'), 'utf8')
      .replaceAll('https://app.example.com', server.address)
      .replaceAll('API_KEY', first.apiKey)
      .replaceAll('SECRET_KEY', first.secretKey)
  /** The page that README.md and the console show. */
  const shortestPage = () =>
    snippetsFor({ ...first, url: server.address })
      .find(({ name }) => name === 'web')!
      .files.find(({ name }) => name === 'index.html')!.text
  const pageScript = () => `import { appsvc } from '${server.address}/sdk/v1/appsvc.js'
    window.appsvc = appsvc
    window.heard = []
    window.app = appsvc.start({ url: '${server.address}', apiKey: '${first.apiKey}', secretKey: '${first.secretKey}', ...window.startOptions })
    for (const event of ['push.received', 'push.opened', 'push.changed', 'inbox.changed', 'in-app.link']) {
      app.on(event, (what) => heard.push([event, what]))
    }
    document.querySelector('#ask').onclick = async () => { window.asked = await app.push.ask() }
  `

  const shop: Shop = {
    server,
    sandbox,
    origin: `http://localhost:${(site.address() as AddressInfo).port}`,
    policy: [
      "default-src 'none'",
      `script-src 'self' ${server.address}`,
      `connect-src ${server.address}`,
      `frame-src ${server.address}`,
      "worker-src 'self'",
      'img-src data: https:',
      "require-trusted-types-for 'script'",
      'trusted-types appsvc',
    ].join('; '),
    async enter(permission = 'granted') {
      const visitor = await makeVisitor(shop, permission)
      visitors.push(visitor)
      return visitor
    },
    deliver: async (appId = first.id) => {
      server.clock.set(Date.now())
      await deliverDue(server, await senders.find(appId, 'web'))
    },
    async empty() {
      await Promise.all(visitors.splice(0).map((visitor) => visitor.close()))
    },
    async close() {
      await shop.empty()
      site.closeAllConnections()
      await new Promise((resolve) => site.close(resolve))
      await senders.close()
      await sandbox.close()
      await server.close()
    },
  }
  return shop
}

/** Runs in the worker: the notifications on the screen. */
const SHOWN = `registration.getNotifications().then((all) =>
  all.map(({ title, body, icon, tag, actions }) => ({ title, body, icon, tag, actions: actions.map(({ action, title }) => ({ action, title })) })))`

/** Runs in the worker: an event of the notification that is shown, with what only a person's click allows recorded. */
const REACT = `async (type, action) => {
  const did = []
  clients.openWindow = async (url) => void did.push('open ' + url)
  WindowClient.prototype.focus = async function () { did.push('focus ' + this.url) }
  const [notification] = await registration.getNotifications()
  const event = new NotificationEvent(type, { notification, action })
  const waits = []
  event.waitUntil = (promise) => waits.push(promise)
  dispatchEvent(event)
  await Promise.all(waits)
  notification.close()
  return did
}`

/** Runs in the worker: the event of a declarative push, with its notification and no data (W3C Push API). */
const PROPOSE = `async (data) => {
  const event = Object.assign(new Event('push'), { data: null, notification: { data } })
  const waits = []
  event.waitUntil = (promise) => waits.push(promise)
  dispatchEvent(event)
  await Promise.all(waits)
}`

/** Runs in a page: the events of an app that wait. */
const QUEUE = `(apiKey) => new Promise((resolve) => {
  const opening = indexedDB.open('appsvc')
  opening.onsuccess = () => {
    const asking = opening.result.transaction('appsvc').objectStore('appsvc').get(apiKey + ' queue')
    asking.onsuccess = () => (opening.result.close(), resolve(asking.result ?? []))
  }
})`

/** Runs in the worker: the event of a browser that dropped the subscription, where the next one is this. */
const CHANGE = `async (subscription) => {
  const made = { ...subscription, options: {}, toJSON: () => subscription }
  PushManager.prototype.getSubscription = async () => null
  PushManager.prototype.subscribe = async () => made
  const event = new Event('pushsubscriptionchange')
  const waits = []
  event.waitUntil = (promise) => waits.push(promise)
  dispatchEvent(event)
  await Promise.all(waits)
}`

const PAGE = `<!doctype html>
<html lang="en">
<head><title>Shop</title><link rel="icon" href="data:,"></head>
<body><main><h1>Shop</h1><button id="ask">Tell me</button></main><script type="module" src="/page.js"></script></body>
</html>`

async function makeVisitor(shop: Shop, permission: 'granted' | 'denied' | 'prompt'): Promise<Visitor> {
  const context = await openBrowser('whole')
  const problems: string[] = []
  let current: { subscription: Subscription; key: string } | undefined
  let given = 0

  /** The push service of this browser, and the person before it. */
  async function standIn(what: string, key?: string): Promise<string> {
    if (what === 'permit') await visitor.permit('granted')
    if (what === 'unsubscribe') current = undefined
    if (what === 'subscribe') {
      given = 0
      current ??= {
        subscription: shop.sandbox.subscribe({ publicKey: Buffer.from(key!, 'base64').toString('base64url') }),
        key: key!,
      }
    }
    return JSON.stringify(current ?? null)
  }

  /** A session that speaks to the worker, and the number of its registration. A new page would hide those that are open. */
  async function speakToWorker(): Promise<{ session: CDPSession; registrationId: string }> {
    const page = (await context.pages()).at(-1) ?? (await context.newPage())
    const session = await page.createCDPSession()
    const registered = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        for (const { registrationId, scopeURL } of registrations) {
          if (scopeURL.startsWith(shop.origin)) resolve(registrationId)
        }
      })
    })
    await session.send('ServiceWorker.enable')
    return { session, registrationId: await registered }
  }

  const visitor: Visitor = {
    context,
    problems,
    permit: (state) => context.setPermission(shop.origin, { permission: { name: 'notifications' }, state }),
    async open(path = '/', options = {}, before = '') {
      const page = await context.newPage()
      page.on('pageerror', (error) => problems.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) problems.push(message.text())
      })
      await page.exposeFunction('standIn', standIn)
      await page.evaluateOnNewDocument(PUSH_MANAGER)
      await page.evaluateOnNewDocument(`window.startOptions = ${JSON.stringify(options)}`)
      await page.evaluateOnNewDocument(before)
      await page.goto(shop.origin + path)
      if (!/^.(example|shortest)./.test(path)) await page.waitForFunction('window.app')
      return page
    },
    async receive() {
      const { session, registrationId } = await speakToWorker()
      const all = visitor.taken()
      for (const payload of all.slice(given)) {
        await session.send('ServiceWorker.deliverPushMessage', { origin: shop.origin, registrationId, data: payload })
      }
      await session.detach()
      const count = all.length - given
      given = all.length
      return count
    },
    // The newest comes first.
    taken: () =>
      shop.sandbox
        .received({ token: current?.subscription.endpoint, taken: true })
        .map(({ payload }) => payload)
        .toReversed(),
    async propose(data) {
      const running = await visitor.worker()
      await running.evaluate(`(${PROPOSE})(${JSON.stringify(data)})`)
    },
    async worker() {
      const target = await context.waitForTarget((one) => one.type() === TargetType.SERVICE_WORKER)
      return (await target.worker())!
    },
    async shown() {
      const worker = await visitor.worker()
      return (await worker.evaluate(SHOWN)) as never
    },
    async react(event, action = '') {
      const worker = await visitor.worker()
      return (await worker.evaluate(`(${REACT})(${JSON.stringify(event)}, ${JSON.stringify(action)})`)) as string[]
    },
    queue: async (page) => (await page.evaluate(`(${QUEUE})('${shop.server.first.apiKey}')`)) as object[],
    async changeSubscription() {
      const running = await visitor.worker()
      const { publicKey } = (await shop.server.call('GET', '/push/v1/web/config', { auth: 'device' })).body as {
        publicKey: string
      }
      const key = Buffer.from(publicKey, 'base64url').toString('base64')
      const subscription = shop.sandbox.subscribe({ publicKey })
      current = { subscription, key }
      given = 0
      await running.evaluate(`(${CHANGE})(${JSON.stringify(subscription)})`)
    },
    close: () => context.close(),
  }
  await visitor.permit(permission)
  return visitor
}
