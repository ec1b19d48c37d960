import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Browser, Page } from 'puppeteer-core'
import { sendRenderer } from '../../../src/server/renderer/door.ts'
import { previewPage } from '../../../src/server/renderer/preview.ts'
import { CHROMIUM, openBrowser } from '../../support/browser.ts'

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
const ANDROID = APP(
  'window.Android = { postClientMessage(json) { if (typeof json !== "string") throw new Error("text"); hear(JSON.parse(json)) } }',
)
const IOS = APP(
  'window.webkit = { messageHandlers: { inAppHost: { postMessage(message) { hear(structuredClone(message)) } } } }',
)

const button = (text: unknown, actions: unknown = [{ type: 'closeMessage' }], more: object = {}) => ({
  type: 'button',
  text,
  actions,
  ...more,
})
const message = (nodes: unknown[], frame: object = {}, defaults?: object) => ({
  ver: 1,
  frame: { type: 'alert', nodes, ...frame },
  ...(defaults && { defaults }),
})
const HELLO = message([{ type: 'heading', text: 'Hello' }, { type: 'text', text: 'World' }, button('OK')])

/** Texts that want to be more than text. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '" autofocus onfocus="alert(1)',
  '--><script>alert(1)</script><!--',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u2028alert(1)//',
  '`${alert(1)}`',
  '{{constructor.constructor("alert(1)")()}}',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'red;background:url(https://evil.example/x)',
  '<iframe srcdoc="<script>parent.alert(1)</script>">',
  '__proto__',
]

;(CHROMIUM ? describe : describe.skip)('the renderer page in a browser', function () {
  this.timeout(60_000)
  let browser: Browser
  let server: Server
  /** Where the page is, and pictures that come, never come, and are not there. */
  let origin: string
  let page: Page
  let faults: string[]

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
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    await browser?.close()
    server?.closeAllConnections()
    server?.close()
  })
  afterEach(async () => {
    await page.close()
    expect(faults).to.deep.equal([])
  })

  interface Options {
    app?: string
    width?: number
    height?: number
    features?: { name: string; value: string }[]
    path?: string
  }

  /** A web view with our page in it. Motion is off where it does not matter. */
  async function open({ app = ANDROID, width = 390, height = 844, features = [], path = '/iar' }: Options = {}) {
    page = await browser.newPage()
    faults = []
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (said) => {
      if (said.type() === 'error' && !said.text().includes('Failed to load')) faults.push(said.text())
    })
    page.on('dialog', (dialog) => {
      faults.push(`alert ${dialog.message()}`)
      void dialog.dismiss()
    })
    await page.setViewport({ width, height })
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }, ...features])
    await page.evaluateOnNewDocument(app)
    await page.goto(origin + path)
    await heard(1)
  }

  const run = (code: string): Promise<unknown> => page.evaluate(code)
  const tell = (type: string, data?: unknown) => run(`void postHostMessage(${JSON.stringify({ type, data })})`)
  const present = (content: unknown) => tell('PRESENT_MESSAGE', content)
  const sent = () => run('sent') as Promise<{ type: string; data?: unknown }[]>
  const types = async () => (await sent()).map(({ type }) => type)
  const heard = (many: number) => page.waitForFunction(`sent.length >= ${many}`, { timeout: 8000 })
  const click = (selector: string) => run(`document.querySelector(${JSON.stringify(selector)}).click()`)

  /** Opens the page and a message in it. */
  async function show(content: unknown, options: Options = {}) {
    await open(options)
    await present(content)
    await heard(2)
  }

  const CLOSED_BY_HAND = [
    { type: 'READY' },
    { type: 'MESSAGE_OPENED' },
    { type: 'EXECUTE_ACTIONS', data: { actions: [{ type: 'closeMessage', data: {} }] } },
    { type: 'MESSAGE_CLOSED' },
  ]

  for (const [name, app] of Object.entries({ Android: ANDROID, iOS: IOS })) {
    it(`${name}: is ready, shows, asks to close, closes, and takes the next message`, async () => {
      await show(HELLO, { app })
      expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED'])
      expect(await run('document.querySelector("[role=dialog]").textContent'))
        .to.include('Hello')
        .and.include('World')
      await click('.close')
      await heard(4)
      expect(await sent()).to.deep.equal(CLOSED_BY_HAND)
      expect(await run('document.querySelectorAll("[role=dialog]").length')).to.equal(0)
      await present(message([{ type: 'heading', text: 'Next' }]))
      await heard(5)
      expect(await types()).to.deep.equal([...CLOSED_BY_HAND.map(({ type }) => type), 'MESSAGE_OPENED'])
      expect(await run('document.querySelector("h1").textContent')).to.equal('Next')
    })
  }

  it('in a frame: hears the page around it and nobody else', async () => {
    page = await browser.newPage()
    faults = []
    await page.goto(`${origin}/elsewhere`)
    const said = await run(`new Promise((resolve) => {
      const frame = document.createElement('iframe')
      const said = []
      const tell = (type, data) => frame.contentWindow.postMessage({ type, data }, '*')
      addEventListener('message', ({ data, source }) => {
        if (source !== frame.contentWindow) return
        said.push(data.type)
        if (data.type === 'READY') {
          const other = document.body.appendChild(document.createElement('iframe'))
          other.contentWindow.eval('parent.frames[0].postMessage({ type: "CLOSE_MESSAGE" }, "*")')
          tell('NOBODY_KNOWS'); frame.contentWindow.postMessage(null, '*'); frame.contentWindow.postMessage('text', '*')
          tell('PRESENT_MESSAGE', ${JSON.stringify(HELLO)})
        }
        if (data.type === 'MESSAGE_OPENED') tell('CLOSE_MESSAGE')
        if (data.type === 'MESSAGE_CLOSED') resolve(said)
      })
      frame.src = ${JSON.stringify(`${origin.replace('127.0.0.1', 'localhost')}/iar`)}
      document.body.append(frame)
    })`)
    expect(said).to.deep.equal(['READY', 'MESSAGE_OPENED', 'MESSAGE_CLOSED'])
  })

  it('opened by itself it says what it is for', async () => {
    page = await browser.newPage()
    faults = []
    await page.goto(`${origin}/iar`)
    expect(await run('document.body.textContent')).to.include('Apps open this page')
  })

  it('every node and layer is drawn, marks and numbers too', async () => {
    const spans = [
      'plain ',
      ['loud', { bold: true, italic: true, underline: true, strike: true, color: '#ff0000', size: 30 }],
      ['list', ['bold']],
      7,
    ]
    await show(
      message(
        [
          { type: 'heading', text: 'Heading', align: 'end', color: '#00ff00', size: 40 },
          { type: 'subheading', text: 'Sub' },
          { type: 'text', text: spans },
          { type: 'image', src: `${origin}/ok.svg`, alt: 'A picture', width: 50, radius: 9 },
          { type: 'video', src: `${origin}/none.mp4`, alt: 'A film', poster: `${origin}/ok2.svg` },
          { type: 'unheard-of', text: 'secret' },
          button('Small', [], { style: { size: 'small', bg: '#112233', radius: 5 } }),
          button(['Wi', ['de', { bold: true }]]),
        ],
        {
          type: 'inset',
          stackingGravity: 'bottom-up',
          backgroundLayers: [
            { type: 'color', color: '#ffffff' },
            {
              type: 'gradient',
              stops: [
                { color: '#ffffff', at: 0 },
                { color: '#eeeeee', at: 100 },
              ],
              angle: 45,
            },
            { type: 'image', src: `${origin}/ok.svg`, fit: 'contain' },
            { type: 'video', src: `${origin}/none.mp4` },
          ],
        },
        { font: { family: 'serif', size: 20 }, fontColor: '#333333', lang: 'en-GB' },
      ),
    )
    await page.waitForFunction('!document.querySelector("video[controls]")')
    const seen = await run(`(() => {
      const style = (selector) => getComputedStyle(document.querySelector(selector))
      const heading = style('h1')
      return {
        texts: [...document.querySelectorAll('h1, h2, p, .button')].map((element) => element.textContent),
        heading: [heading.textAlign, heading.color, heading.fontSize],
        marks: document.querySelectorAll('p strong, p em, p u, p s').length,
        loud: [style('p span:nth-child(2)').color, style('p span:nth-child(2)').fontSize],
        pictures: [...document.querySelectorAll('.node > img')].map((img) => [img.alt, img.style.width, img.naturalWidth]),
        small: [style('.small').backgroundColor, style('.small').color, style('.small').borderRadius],
        layers: [...document.querySelectorAll('.layers > *')].map((layer) => layer.tagName),
        gradient: style('.layers > :nth-child(2)').backgroundImage,
        frame: [document.querySelector('[role=dialog]').className, style('[role=dialog]').fontFamily.slice(0, 8), document.querySelector('[role=dialog]').lang],
      }
    })()`)
    expect(seen).to.deep.equal({
      texts: ['Heading', 'Sub', 'plain loudlist7', 'Small', 'Wide'],
      heading: ['end', 'rgb(0, 255, 0)', '40px'],
      marks: 5,
      loud: ['rgb(255, 0, 0)', '30px'],
      pictures: [
        ['A picture', '50%', 800],
        ['A film', '', 800],
      ],
      small: ['rgb(17, 34, 51)', 'rgb(255, 255, 255)', '5px'],
      layers: ['DIV', 'DIV', 'IMG', 'VIDEO'],
      gradient: 'linear-gradient(45deg, rgb(255, 255, 255) 0%, rgb(238, 238, 238) 100%)',
      frame: ['frame inset bottom-up slide poster own closable', 'ui-serif', 'en-GB'],
    })
  })

  it('actions of every type reach the app as they are', async () => {
    const actions = [
      { type: 'trackConversionEvent', data: { eventType: 'bought', data: { deep: [1, { a: null }] } } },
      { type: 'subscribeToChannel', data: { channelUuid: 'c-1' } },
      { type: 'openUrl', data: { url: 'https://example.com/?a=1#b' } },
      { type: 'deepLink', data: { deepLink: { screen: 'cart', id: 7 } } },
      { type: 'requestAppStoreRating', data: {} },
      { type: 'promptPushPermission', data: {} },
      { type: 'closeMessage', data: {} },
    ]
    await show(message([button('All', actions)]))
    await run('answers = false')
    await click('.button')
    await heard(3)
    expect((await sent())[2]).to.deep.equal({ type: 'EXECUTE_ACTIONS', data: { actions } })
  })

  it('actions that would stop an app are left out, and one without data gets some', async () => {
    const broken = [
      { type: 'unheardOf', data: {} },
      { type: 'toString', data: {} },
      { type: 'openUrl' },
      { type: 'openUrl', data: { url: 'javascript:alert(1)' } },
      { type: 'openUrl', data: { url: ' java\nscript:alert(1)' } },
      { type: 'openUrl', data: { url: '/sale' } },
      { type: 'trackConversionEvent', data: {} },
      { type: 'subscribeToChannel', data: { channelUuid: 5 } },
      { type: 'deepLink', data: { deepLink: 'text' } },
      null,
      { type: 'requestAppStoreRating' },
    ]
    await show(message([button('One', broken)]))
    await click('.button')
    await heard(3)
    const actions = [{ type: 'requestAppStoreRating', data: {} }]
    expect((await sent())[2]).to.deep.equal({ type: 'EXECUTE_ACTIONS', data: { actions } })
  })

  it('addresses go out as older systems can open them', async () => {
    const openings = {
      'https://example.com/?a=[1]&b=it%27s#c': 'https://example.com/?a=[1]&b=it%27s#c',
      'https://münchen.de/ä?q=a|b&c=100%': 'https://xn--mnchen-3ya.de/%C3%A4?q=a%7Cb&c=100%25',
      'shop://sale/ü': 'shop://sale/%C3%BC',
      'HTTPS://Example.com/A': 'https://example.com/A',
    }
    await open()
    for (const [url, plain] of Object.entries(openings)) {
      const before = (await sent()).length
      await present(message([button(url, [{ type: 'openUrl', data: { url } }])]))
      await heard(before + 1)
      await click('.button')
      await heard(before + 2)
      const actions = [{ type: 'openUrl', data: { url: plain } }]
      expect((await sent())[before + 1]).to.deep.equal({ type: 'EXECUTE_ACTIONS', data: { actions } })
    }
  })

  it('two taps on a button are one', async () => {
    await show(message([button('Go', [{ type: 'openUrl', data: { url: 'https://example.com' } }])]))
    await click('.button')
    await click('.button')
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED', 'EXECUTE_ACTIONS'])
  })

  it('a message is closed once, however often the app asks', async () => {
    await show(HELLO, { features: [{ name: 'prefers-reduced-motion', value: 'no-preference' }] })
    await tell('CLOSE_MESSAGE')
    await tell('CLOSE_MESSAGE')
    await heard(3)
    await tell('CLOSE_MESSAGE')
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED', 'MESSAGE_CLOSED'])
  })

  it('closing is told when the animation is over, without motion at once', async () => {
    const closing = 'postHostMessage({ type: "CLOSE_MESSAGE" }), sent.length'
    await show(HELLO, { features: [{ name: 'prefers-reduced-motion', value: 'no-preference' }] })
    expect(await run(closing)).to.equal(2)
    await heard(3)
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
    await present(HELLO)
    await heard(4)
    expect(await run(closing)).to.equal(5)
  })

  it('an app that closes before there was a message is free at once', async () => {
    await open()
    await tell('CLOSE_MESSAGE')
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_CLOSED'])
    await tell('CLOSE_MESSAGE')
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_CLOSED'])
  })

  it('another message takes the place of the one that is shown; the same one again is only confirmed', async () => {
    await show(HELLO)
    await run('document.querySelector("h1").mark = true')
    await present(HELLO)
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED', 'MESSAGE_OPENED'])
    expect(await run('document.querySelector("h1").mark')).to.equal(true)
    await present(message([{ type: 'heading', text: 'Urgent' }]))
    await heard(4)
    expect(await run('[...document.querySelectorAll("h1")].map((h1) => h1.textContent)')).to.deep.equal(['Urgent'])
  })

  for (const [name, content] of Object.entries({
    nothing: null,
    'a text': 'hello',
    'no frame': { ver: 1 },
    'no nodes': message([]),
    'nodes that nobody knows': message([{ type: 'carousel', text: 'x' }, null, 5]),
    'empty texts': message([
      { type: 'text', text: '' },
      { type: 'heading', text: [] },
    ]),
  })) {
    it(`a document with ${name} gives the app its screen back, as dismissed and never opened`, async () => {
      await show(content)
      await heard(3)
      expect(await sent()).to.deep.equal(CLOSED_BY_HAND.filter(({ type }) => type !== 'MESSAGE_OPENED'))
      expect(await run('document.body.children.length')).to.equal(0)
    })
  }

  it('an app that does not answer a close gets its screen back too', async () => {
    await open()
    await run('answers = false')
    await present(null)
    await heard(3)
    expect(await types()).to.deep.equal(['READY', 'EXECUTE_ACTIONS', 'MESSAGE_CLOSED'])
  })

  it('a message without a way out gets a close button', async () => {
    const track = [{ type: 'trackConversionEvent', data: { eventType: 'x' } }]
    await show(message([{ type: 'text', text: 'x' }, button('Count me', track)], { closeButton: 'none' }))
    expect(await run('document.querySelectorAll(".close").length')).to.equal(1)
    await present(message([{ type: 'text', text: 'x' }, button('Bye')], { closeButton: 'none' }))
    await heard(3)
    expect(await run('document.querySelectorAll(".close").length')).to.equal(0)
  })

  it('keeps clear of notches', async () => {
    await open({ width: 844, height: 390 })
    await tell('SET_NOTCH_INSETS', {
      hasNotchOnTheLeft: true,
      hasNotchOnTheRight: false,
      insetTop: 20,
      insetRight: 0,
      insetBottom: 10.5,
      insetLeft: 60,
    })
    await present(
      message([{ type: 'text', text: 'x', align: 'start' }, button('OK')], {
        type: 'fullscreen',
        closeButton: 'top-left',
      }),
    )
    await heard(2)
    const [text, close] = (await run(
      `['.node', '.close'].map((selector) => document.querySelector(selector).getBoundingClientRect().toJSON())`,
    )) as { left: number; top: number }[]
    expect(text!.left).to.be.at.least(60)
    expect(close!.left).to.be.at.least(60)
    expect(close!.top).to.be.at.least(20)
    await tell('SET_NOTCH_INSETS', { insetTop: -5, insetLeft: 'x' })
    expect(await run('document.querySelector(".close").getBoundingClientRect().left')).to.be.lessThan(60)
  })

  it('is light or dark as the device is, and changes with it', async () => {
    const colors = message([{ type: 'heading', text: 'x', color: { light: '#111111', dark: '#eeeeee' } }])
    await show(colors, { features: [{ name: 'prefers-color-scheme', value: 'dark' }] })
    const look = `['.frame', 'h1'].map((selector) => getComputedStyle(document.querySelector(selector))).map(({ backgroundColor, color }, i) => i ? color : backgroundColor)`
    expect(await run(look)).to.deep.equal(['rgb(28, 30, 36)', 'rgb(238, 238, 238)'])
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
    await page.waitForFunction('!document.querySelector(".dark")')
    expect(await run(look)).to.deep.equal(['rgb(255, 255, 255)', 'rgb(17, 17, 17)'])
  })

  it('text of one colour can be read in the dark', async () => {
    const dark = [{ name: 'prefers-color-scheme', value: 'dark' }]
    await show(message([{ type: 'text', text: 'x' }], {}, { fontColor: '#111111' }), { features: dark })
    expect(await run('getComputedStyle(document.querySelector(".frame")).backgroundColor')).to.equal(
      'rgb(255, 255, 255)',
    )
  })

  it('Arabic runs from the right, and the close button is on the other side', async () => {
    await show(
      message(
        [
          { type: 'heading', text: '«مرحبا»' },
          { type: 'text', text: 'English words', align: 'start' },
        ],
        { type: 'inset' },
        { lang: 'ar' },
      ),
    )
    const seen = await run(`({
      dir: document.querySelector('.frame').dir,
      texts: ['h1', 'p'].map((selector) => getComputedStyle(document.querySelector(selector)).direction),
      left: document.querySelector('.close').getBoundingClientRect().left < 100,
      close: document.querySelector('.close').getAttribute('aria-label'),
    })`)
    expect(seen).to.deep.equal({ dir: 'rtl', texts: ['rtl', 'ltr'], left: true, close: 'إغلاق' })
  })

  it('is a dialog with a name, focus moves in and goes round, and Escape closes', async () => {
    await show(message([{ type: 'heading', text: 'Named' }, button('A', []), button('B', [])]))
    const focused = 'document.activeElement.getAttribute("aria-label") || document.activeElement.textContent'
    expect(
      await run(
        `(({ role, ariaModal, ariaLabelledByElements }) => [role, ariaModal, ariaLabelledByElements[0].textContent])(document.activeElement)`,
      ),
    ).to.deep.equal(['dialog', 'true', 'Named'])
    const round = []
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('Tab')
      round.push(await run(focused))
    }
    expect(round).to.deep.equal(['Close', 'A', 'B', 'Close'])
    await page.keyboard.down('Shift')
    await page.keyboard.press('Tab')
    await page.keyboard.up('Shift')
    expect(await run(focused)).to.equal('B')
    await page.keyboard.press('Escape')
    await heard(4)
    expect(await sent()).to.deep.equal(CLOSED_BY_HAND)
  })

  it('a message that does not say its language is in none, rather than in English', async () => {
    await show(HELLO)
    expect(await run('document.querySelector(".frame").getAttribute("lang")')).to.equal('')
    expect(await run('document.querySelector(".close").getAttribute("aria-label")')).to.equal('Close')
  })

  it('a message of pictures is named by their words', async () => {
    await show(message([{ type: 'image', src: `${origin}/ok.svg`, alt: 'Red shoes' }]))
    expect(await run('document.activeElement.getAttribute("aria-label")')).to.equal('Red shoes')
  })

  it('a word longer than a button is broken inside it', async () => {
    const word = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'
    await show(message(['small', 'regular', 'wide'].map((size) => button(word, [], { style: { size } }))), {
      width: 240,
    })
    const over = 'document.querySelector(".scroll").scrollWidth - document.querySelector(".scroll").clientWidth'
    expect(await run(over)).to.equal(0)
  })

  it('the cross and the edge of a card are seen in forced colours', async () => {
    await open()
    const session = await page.createCDPSession()
    await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] })
    await present(HELLO)
    await heard(2)
    const seen = await run(`(() => {
      const color = (selector, pseudo) => getComputedStyle(document.querySelector(selector), pseudo).backgroundColor
      return [color('.close > i') !== color('.close', '::before'), getComputedStyle(document.querySelector('.frame')).borderTopWidth]
    })()`)
    expect(seen).to.deep.equal([true, '2px'])
  })

  for (const [type, width, height] of [
    ['alert', 390, 844],
    ['inset', 844, 390],
    ['fullscreen', 320, 480],
  ] as const) {
    it(`${type}: long words scroll inside, the close button stays, and everything is big enough to touch`, async () => {
      const text = Array.from({ length: 40 }, () => ({
        type: 'text',
        text: 'A sentence that is not short. '.repeat(3),
      }))
      await show(message([...text, button('Small', [], { style: { size: 'small' } })], { type }), { width, height })
      await run('document.documentElement.style.fontSize = "200%"')
      const seen = (await run(`(() => {
        const scroll = document.querySelector('.scroll')
        scroll.scrollTop = 1e6
        const close = document.querySelector('.close').getBoundingClientRect()
        const hit = document.elementFromPoint(close.left + close.width / 2, close.top + close.height / 2)
        const last = document.querySelector('.actions .button').getBoundingClientRect()
        return {
          moved: scroll.scrollTop > 500, wide: scroll.scrollWidth <= scroll.clientWidth, reach: scroll.tabIndex,
          page: document.documentElement.scrollHeight <= innerHeight, hit: !!hit.closest('.close'), last: last.bottom <= innerHeight,
          sizes: [...document.querySelectorAll('button')].map((b) => b.getBoundingClientRect()).every((b) => b.width >= 44 && b.height >= 44),
        }
      })()`)) as object
      expect(seen).to.deep.equal({ moved: true, wide: true, reach: 0, page: true, hit: true, last: true, sizes: true })
    })
  }

  it('a broken picture is its words, an ornament nothing, and the message is shown', async () => {
    await show(
      message(
        [
          { type: 'image', src: `${origin}/none.png`, alt: 'A map' },
          { type: 'image', src: `${origin}/none2.png`, alt: '' },
          { type: 'image', src: 'javascript:alert(1)', alt: 'No picture' },
          { type: 'video', src: `${origin}/none.mp4`, alt: 'A film' },
          { type: 'text', text: 'Words' },
        ],
        { backgroundLayers: [{ type: 'image', src: `${origin}/none3.png` }] },
      ),
    )
    await page.waitForFunction('document.querySelectorAll(".alt").length === 3')
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED'])
    expect(await run('[...document.querySelectorAll(".alt")].map((box) => box.textContent)')).to.deep.equal([
      'A map',
      'No picture',
      'A film',
    ])
    expect(await run('document.querySelectorAll("img, video").length')).to.equal(0)
  })

  it('a picture that never comes does not hold the message back for long', async () => {
    await open()
    const began = performance.now()
    await present(
      message([
        { type: 'image', src: `${origin}/never.png`, alt: 'x' },
        { type: 'text', text: 'Words' },
      ]),
    )
    await heard(2)
    // The clients' own patience is 8 s.
    expect(performance.now() - began).to.be.lessThan(6000)
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED'])
  })

  it('closing while pictures are awaited is not followed by an opening', async () => {
    await open()
    await present(message([{ type: 'image', src: `${origin}/never.png`, alt: 'x' }]))
    await tell('CLOSE_MESSAGE')
    await present(HELLO)
    await heard(3)
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_CLOSED', 'MESSAGE_OPENED'])
  })

  it('hostile texts stay texts in every place there is', async () => {
    await open()
    for (const text of HOSTILE) {
      const before = (await sent()).length
      await present({
        ver: text,
        frame: {
          type: 'alert',
          stackingGravity: text,
          closeButton: text,
          animation: text,
          backgroundLayers: [
            { type: 'color', color: text },
            {
              type: 'gradient',
              stops: [
                { color: text, at: text },
                { color: { light: text, dark: text }, at: 1 },
              ],
              angle: text,
            },
            { type: 'image', src: text, fit: text },
            { type: 'video', src: text, poster: text },
            { type: text },
          ],
          nodes: [
            { type: 'heading', text, align: text, color: text, size: text },
            { type: 'text', text: [text, [text, { bold: text, color: text, size: text }], [text, [text]]] },
            { type: 'image', src: text, alt: text, width: text, radius: text },
            { type: 'video', src: text, poster: text, captions: text, alt: text },
            {
              ...button(text, [{ type: text, data: { url: text } }]),
              style: { fg: text, bg: text, border: text, size: text, radius: text },
            },
            { type: text, text },
          ],
        },
        defaults: { font: { family: text, size: text }, fontColor: text, dir: text, lang: text },
      })
      await heard(before + 1)
      await page.waitForFunction('!document.querySelector("video")')
      const seen = await run(`({
        heading: document.querySelector('h1').textContent,
        scripts: document.scripts.length,
        strange: document.querySelectorAll('svg, iframe, body img, [onload], [onerror], [onfocus], [onmouseover], [autofocus], [href^=javascript]').length,
        style: /evil|alert/.test([...document.querySelectorAll('[style]')].map((e) => e.getAttribute('style')).join()),
        sent: sent[sent.length - 1].type,
      })`)
      expect(seen).to.deep.equal({ heading: text, scripts: 1, strange: 0, style: false, sent: 'MESSAGE_OPENED' })
    }
  })

  it('works without a network once it was loaded', async () => {
    await open()
    await page.setOfflineMode(true)
    await page.goto(`${origin}/iar`)
    await heard(1)
    await present(
      message([
        { type: 'image', src: `${origin}/far.png`, alt: 'A map' },
        { type: 'text', text: 'Words' },
      ]),
    )
    await heard(2)
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED'])
    await page.setOfflineMode(false)
  })

  it('words can be read: on our surface, on colours and over pictures', async () => {
    const words = [
      { type: 'heading', text: 'x' },
      { type: 'text', text: 'y' },
      button('a'),
      button('b'),
      button('c', [], { style: { bg: '#e4572e' } }),
    ]
    const least = `(() => {
      const rgb = (color) => color.match(/[\\d.]+/g).map(Number)
      const light = (color) => {
        const [r, g, b] = rgb(color).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
      }
      const solid = (element) => { const c = getComputedStyle(element).backgroundColor; return rgb(c)[3] === undefined ? c : element.className.includes('frame') ? getComputedStyle(document.querySelector('.layers > *') || element).backgroundColor : solid(element.parentElement) }
      return Math.min(...[...document.querySelectorAll('h1, p, .button')].map((element) => {
        const [a, b] = [light(getComputedStyle(element).color), light(solid(element))].sort((x, y) => y - x)
        return (a + 0.05) / (b + 0.05)
      }))
    })()`
    await open()
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      for (const backgroundLayers of [
        [],
        [{ type: 'color', color: '#5b2be0' }],
        [{ type: 'color', color: '#ffd84d' }],
        [{ type: 'color', color: '#777777' }],
        Array.from({ length: 8 }, () => ({ type: 'color', color: '#00000040' })),
      ]) {
        const before = (await sent()).length
        await present(message(words, { backgroundLayers }))
        await heard(before + 1)
        expect(await run(least), JSON.stringify(backgroundLayers)).to.be.at.least(4)
      }
    }
  })

  it('a preview is one file that shows the message and says what its buttons do', async () => {
    page = await browser.newPage()
    faults = []
    page.on('pageerror', (error) => faults.push(String(error)))
    const text = '</script><script>alert(1)</script>'
    await page.setContent(
      previewPage(
        message([
          { type: 'heading', text },
          button('Go', [{ type: 'openUrl', data: { url: 'https://example.com/' } }]),
        ]),
        { title: text },
      ),
    )
    await page.waitForSelector('.stage.in')
    expect(
      await run('[document.title, document.querySelector("h1").textContent, document.scripts.length]'),
    ).to.deep.equal([text, text, 3])
    await click('.button')
    await page.waitForFunction('!document.querySelector(".stage")')
    expect(await run('document.getElementById("said").textContent')).to.equal('openUrl {"url":"https://example.com/"}')
    await click('#again')
    await page.waitForSelector('.stage.in')
  })
})
