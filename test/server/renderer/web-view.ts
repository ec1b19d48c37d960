import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { BrowserContext, NewDocumentScriptEvaluation, Page } from 'puppeteer-core'
import { sendRenderer } from '../../../src/server/renderer/door.ts'
import { needsChromium, openBrowser } from '../../support/browser.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

// The page's own code runs as text: our types know no DOM.

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600"><rect width="800" height="600" fill="#357"/></svg>'

/** An app around the page, as the SDKs are: hears the page, and answers a dismissal with CLOSE_MESSAGE. */
const APP = (hear: string) => `
window.sent = []
window.answers = true
window.hear = (message) => {
  sent.push(message)
  const asks = message.type === 'EXECUTE_ACTIONS' && message.data.actions.some((action) => action.type === 'closeMessage')
  if (asks && answers) setTimeout(() => postHostMessage({ type: 'CLOSE_MESSAGE', data: null }))
}
${hear}`
export const ANDROID = APP(
  'window.Android = { postClientMessage(json) { if (typeof json !== "string") throw new Error("text"); hear(JSON.parse(json)) } }',
)
export const IOS = APP(
  'window.webkit = { messageHandlers: { inAppHost: { postMessage(message) { hear(structuredClone(message)) } } } }',
)

export const button = (text: unknown, actions: unknown = [{ type: 'closeMessage' }], more: object = {}) => ({
  type: 'button',
  text,
  actions,
  ...more,
})
export const message = (nodes: unknown[], frame: object = {}, defaults?: object) => ({
  ver: 1,
  frame: { type: 'alert', nodes, ...frame },
  ...(defaults && { defaults }),
})
export const HELLO = message([{ type: 'heading', text: 'Hello' }, { type: 'text', text: 'World' }, button('OK')])

/** Calls that an app hears of a message that is shown and then closed. */
export const CLOSED_BY_HAND = [
  { type: 'READY' },
  { type: 'MESSAGE_OPENED' },
  { type: 'EXECUTE_ACTIONS', data: { actions: [{ type: 'closeMessage', data: {} }] } },
  { type: 'MESSAGE_CLOSED' },
]

interface Options {
  app?: string
  width?: number
  height?: number
  features?: { name: string; value: string }[]
  path?: string
}

export type WebView = ReturnType<typeof webView>

/** Tests that need a Chromium; without one they are left out. */
export function describeInBrowser(name: string, tests: (view: WebView) => void): void {
  describe(name, function () {
    this.timeout(PROGRAMS_MS)
    before(async function () {
      await needsChromium(this)
    })
    tests(webView())
  })
}

/** A web view that each test loads anew, and an app around it. After each one nothing may have been said on the console. */
function webView() {
  let browser: BrowserContext | undefined
  let server: Server
  let page: Page
  const faults: string[] = []
  /** The app around the page that is open, which the next one must not have. */
  let around: NewDocumentScriptEvaluation | undefined

  before(async () => {
    browser = await openBrowser()
    server = createServer((request, response) => {
      const url = request.url!
      if (url.startsWith('/iar')) sendRenderer(request, response)
      else if (url === '/elsewhere') response.setHeader('Content-Type', 'text/html').end('<p>A shop')
      else if (url.startsWith('/ok')) response.setHeader('Content-Type', 'image/svg+xml').end(PICTURE)
      else if (!url.startsWith('/never')) response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    page = await browser.newPage()
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (said) => {
      if (said.type() === 'error' && !said.text().includes('Failed to load')) faults.push(said.text())
    })
    page.on('dialog', (dialog) => {
      faults.push(`alert ${dialog.message()}`)
      void dialog.dismiss()
    })
  })
  after(async () => {
    await browser?.close()
    server?.closeAllConnections()
    server?.close()
  })
  afterEach(() => {
    expect(faults.splice(0)).to.deep.equal([])
  })

  /** A web view with nothing in it. */
  async function blank() {
    await surround(undefined)
    await page.goto('about:blank')
  }

  /** Puts an app around the next page that is loaded, instead of the one before. */
  async function surround(app: string | undefined) {
    if (around) await page.removeScriptToEvaluateOnNewDocument(around.identifier)
    around = app === undefined ? undefined : await page.evaluateOnNewDocument(app)
  }

  /** A web view with our page in it. Motion is off where it does not matter. */
  async function open({ app = ANDROID, width = 390, height = 844, features = [], path = '/iar' }: Options = {}) {
    await page.setViewport({ width, height })
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }, ...features])
    await surround(app)
    await page.goto(origin() + path)
    await heard(1)
  }

  /** The origin of the page, and of pictures that come, never come, and are not there. */
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const run = (code: string): Promise<unknown> => page.evaluate(code)
  const tell = (type: string, data?: unknown) => run(`void postHostMessage(${JSON.stringify({ type, data })})`)
  const present = (content: unknown) => tell('PRESENT_MESSAGE', content)
  const sent = () => run('sent') as Promise<{ type: string; data?: unknown }[]>
  const types = async () => (await sent()).map(({ type }) => type)
  const heard = (many: number) => page.waitForFunction(`sent.length >= ${many}`)
  const click = (selector: string) => run(`document.querySelector(${JSON.stringify(selector)}).click()`)

  /** Opens the page and a message in it. */
  async function show(content: unknown, options: Options = {}) {
    await open(options)
    await present(content)
    await heard(2)
  }

  return {
    get page() {
      return page
    },
    get origin() {
      return origin()
    },
    blank,
    open,
    run,
    tell,
    present,
    sent,
    types,
    heard,
    click,
    show,
  }
}
