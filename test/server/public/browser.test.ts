import { expect } from 'chai'
import type { BrowserContext, Page } from 'puppeteer-core'
import type { LinkSettingsChange } from '../../../src/domain/links/settings/settings.ts'
import type { NewLink } from '../../../src/domain/links/types.ts'
import { ANDROIDS, IPHONES, MAC_SAFARI, PREVIEWERS } from '../../domain/links/agents.ts'
import { needsChromium, openBrowser } from '../../support/browser.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { newLink } from '../../support/links.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'
import { visit } from '../../support/visit.ts'

const APP_STORE = 'https://apps.apple.com/app/id123456789'

/** Texts that want to be more than text: each would call `alert`, add an element or an attribute, or leave the page. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</style></noscript></textarea><img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '" autofocus onfocus="alert(1)',
  '--><script>alert(1)</script><!--',
  ']]><script>alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u2028alert(1)//',
  '`${alert(1)}`',
  '{{constructor.constructor("alert(1)")()}}',
  'javascript:alert(1)',
  '0;url=javascript:alert(1)',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<base href=https://evil.example/>',
  '<iframe srcdoc="<script>parent.alert(1)</script>">',
  '\u202egnp.exe <b>bold</b> \u0000'.replace('\u0000', ''),
  '%3Cscript%3Ealert(1)%3C/script%3E',
]

/** Runs in the page: what it made of the texts. (Browser code is text here, for our types know no DOM.) */
const INSPECTION = `((document) => ({
  title: document.querySelector('h1').textContent,
  description: document.querySelector('.about').textContent,
  shared: document.querySelector('meta[property="og:title"]').content,
  scripts: document.scripts.length,
  strange: document.querySelectorAll('svg, img, iframe, base, object, main script, [onload], [onerror], [onfocus], [onclick], [onmouseover]').length,
  links: [...document.links].map(({ protocol }) => protocol),
  refresh: document.querySelectorAll('meta[http-equiv]').length,
}))`

/** Runs in the page: the least contrast of a text (WCAG 2.2, 1.4.3), how wide the page is, which way a text runs. */
const LOOKS = `(() => {
  const rgb = (color) => color.match(/[\\d.]+/g).map(Number)
  const light = (color) => {
    const [r, g, b] = rgb(color).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor
    return rgb(color)[3] === 0 && element.parentElement ? behind(element.parentElement) : color
  }
  const contrasts = [...document.querySelectorAll('h1, .about, .from, .note, a, button, .mark')].map((text) => {
    const [a, b] = [light(getComputedStyle(text).color), light(behind(text))].sort((x, y) => y - x)
    return (a + 0.05) / (b + 0.05)
  })
  return {
    least: Math.min(...contrasts),
    wide: document.documentElement.scrollWidth,
    direction: getComputedStyle(document.querySelector('.about')).direction,
  }
})()`

/** Runs in a page of another origin: what the page at an address says to it when asked. */
const ask = (address: string) => `new Promise((resolve) => {
  const frame = document.createElement('iframe')
  const messages = []
  addEventListener('message', ({ data, origin }) => {
    messages.push({ data, origin })
    if (messages.length === 1) frame.contentWindow.postMessage({ type: 'REQUEST_FINGERPRINT' }, '*')
    else resolve(messages)
  })
  frame.src = ${JSON.stringify(address)}
  document.body.append(frame)
})`

describe('the jump page in a browser', function () {
  this.timeout(PROGRAMS_MS)
  before(async function () {
    await needsChromium(this)
  })
  let test: TestServer
  let browser: BrowserContext
  let origin: string
  let base: string
  let appId: number

  before(async () => {
    test = await openTestServer()
    appId = test.first.id
    const stores = { appStoreUrl: APP_STORE, androidPackage: 'com.example.app' }
    await test.program.inTransaction((tx) => tx.links.configure(appId, stores))
    const site = await test.program.links.site(appId)
    base = test.program.links.baseOf(site)
    origin = `http://${site.settings.subdomain}.localhost:${new URL(test.address).port}`
    browser = await openBrowser()
    await browser.setPermission(origin, { permission: { name: 'clipboard-write' }, state: 'granted' })
    await browser.setPermission(origin, { permission: { name: 'clipboard-read' }, state: 'granted' })
  })
  after(async () => {
    await browser?.close()
    await test?.close()
  })

  const make = async (...given: Partial<NewLink>[]) =>
    test.program.inTransaction((tx) => tx.links.create(appId, given.map(newLink)))

  interface Watched {
    page: Page
    /** Addresses elsewhere that the page wanted. */
    wanted: string[]
    alerts(): Promise<number>
  }

  /** The page of all tests: a new one costs three times as much as to load it again. */
  let watched: Watched | undefined

  async function watch(): Promise<Watched> {
    const page = await browser.newPage()
    const wanted: string[] = []
    await page.evaluateOnNewDocument('window.alerts = 0; window.alert = () => { window.alerts++ }')
    await page.setRequestInterception(true)
    page.on('request', (request) => {
      if (request.url().startsWith(origin)) return void request.continue()
      wanted.push(request.url())
      // An answer without content: the browser stays where it is.
      void request.respond({ status: 204 })
    })
    return { page, wanted, alerts: () => page.evaluate('window.alerts') as Promise<number> }
  }

  async function open(url: string | undefined, agent: string = IPHONES.Safari, script = true): Promise<Watched> {
    watched ??= await watch()
    watched.wanted.length = 0
    await watched.page.setUserAgent({ userAgent: agent })
    await watched.page.setJavaScriptEnabled(script)
    if (url !== undefined) await watched.page.goto(url)
    return watched
  }

  it('takes nothing that a link says for more than text', async () => {
    const links = await make(
      ...HOSTILE.map((text, i) => ({
        slug: `x/${i}~.-_`,
        content: { title: text, description: text },
        desktopWebFallbackUrl: `https://example.com/?d=${encodeURIComponent(text)}#'"onclick=alert(1)`,
        mobileWebFallbackUrl: `https://example.com/?m='"><svg/onload=alert(1)>&${encodeURIComponent(text)}`,
      })),
    )
    const expected = (text: string) => ({ title: text, description: text, shared: text, strange: 0, refresh: 0 })
    const { page, wanted, alerts } = await open(undefined)
    for (const [i, link] of links.entries()) {
      await page.goto(`${origin}/${link.slug}?q=${HOSTILE[i]!}`)
      expect(await page.evaluate(`${INSPECTION}(document)`), HOSTILE[i]).to.deep.equal({
        ...expected(HOSTILE[i]!),
        scripts: 1,
        links: ['https:', 'https:'],
      })
      expect(await alerts(), HOSTILE[i]).to.equal(0)
      expect(wanted, HOSTILE[i]).to.deep.equal([])
    }
    // What previewers get has no script that could act, so it is enough to read it.
    for (const [i, link] of links.entries()) {
      const path = `/${link.slug}?q=${encodeURIComponent(HOSTILE[i]!)}`
      const { text } = await visit(test.address, { host: new URL(origin).host, path, agent: PREVIEWERS.Slack })
      const parsed = `new DOMParser().parseFromString(${JSON.stringify(text)}, 'text/html')`
      expect(await page.evaluate(`${INSPECTION}(${parsed})`), HOSTILE[i]).to.deep.equal({
        ...expected(HOSTILE[i]!),
        scripts: 0,
        links: ['https:'],
      })
    }
  })

  it('copies exactly the link when it is asked to, and then goes to the store', async () => {
    const [link] = await make({ slug: 'copy/me' })
    const { page, wanted } = await open(`${origin}/${link!.slug}?a=1&b=%20x`)
    const clipboard = () => page.evaluate('navigator.clipboard.readText()')
    await page.evaluate("navigator.clipboard.writeText('before')")
    await page.click('#copy')
    await page.waitForFunction("document.querySelector('#said').textContent === 'Link copied'")
    expect(await clipboard()).to.equal(`${base}/copy/me?a=1&b=%20x`)
    expect(wanted).to.deep.equal([])

    await page.evaluate("navigator.clipboard.writeText('before')")
    const asked = page.waitForRequest((request) => request.url().startsWith('https://apps.apple.com'))
    await page.click('#store')
    expect((await asked).url()).to.equal(APP_STORE)
    expect(await clipboard()).to.equal(`${base}/copy/me?a=1&b=%20x`)
  })

  it('shows the link when the browser does not let it copy', async () => {
    await make({ slug: 'no-clipboard' })
    const { page } = await open(`${origin}/no-clipboard`)
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('no'))
      document.execCommand = () => false`)
    await page.click('#copy')
    await page.waitForFunction("!document.querySelector('#link').hidden")
    const seen = await page.evaluate("[document.querySelector('#link').textContent, document.activeElement.id]")
    expect(seen).to.deep.equal([`${base}/no-clipboard`, 'copy'])
  })

  it('works without script, and with the keyboard', async () => {
    await make({ slug: 'plain' })
    const { page } = await open(`${origin}/plain`, IPHONES.Safari, false)
    const seen = await page.evaluate(
      "[...document.querySelectorAll('main a, main button, main noscript, main p')].filter((one) => one.checkVisibility()).map((one) => one.textContent.trim())",
    )
    expect(seen).to.deep.equal(['Open in the App Store', `${base}/plain`, 'Continue on the website'])

    const other = await open(`${origin}/plain`)
    const order: string[] = []
    for (let i = 0; i < 3; i++) {
      await other.page.keyboard.press('Tab')
      order.push(String(await other.page.evaluate('document.activeElement.textContent.trim()')))
    }
    expect(order).to.deep.equal(['Open in the App Store', 'Copy link', 'Continue on the website'])
    const tree = await other.page.evaluate(
      "[document.documentElement.lang, document.querySelectorAll('main').length, document.querySelectorAll('h1').length, document.title]",
    )
    expect(tree).to.deep.equal(['en', 1, 1, 'Open in First'])
  })

  it('stays on an iPad and goes on from a Mac', async () => {
    await make({ slug: 'mac' })
    for (const points of [5, 0]) {
      const page = await browser.newPage()
      const wanted: string[] = []
      await page.setUserAgent({ userAgent: MAC_SAFARI })
      const session = await page.createCDPSession()
      await session.send('Emulation.setTouchEmulationEnabled', {
        enabled: points > 0,
        ...(points > 0 && { maxTouchPoints: points }),
      })
      await page.setRequestInterception(true)
      page.on('request', (request) => {
        if (!request.url().startsWith('https://')) return void request.continue()
        if (request.isNavigationRequest()) wanted.push(request.url())
        void request.respond({ status: 200, contentType: 'text/html', body: '<h1>desktop</h1>' })
      })
      await page.goto(`${origin}/mac`)
      const heading = points > 0 ? 'Open in First' : 'desktop'
      await page.waitForFunction(`document.querySelector('h1')?.textContent === '${heading}'`)
      expect(wanted).to.deep.equal(points > 0 ? [] : ['https://example.com/desktop'])
      if (points > 0) {
        expect(await page.evaluate('getComputedStyle(document.body).visibility')).to.equal('visible')
      }
      await page.close()
    }
  })

  it('can be read: text stands out in light and dark, and nothing is wider than a small phone', async () => {
    await make({ slug: 'look', content: { title: 'W'.repeat(80), description: 'قصير' } })
    const { page } = await open(`${origin}/look`)
    await page.setViewport({ width: 320, height: 568 })
    for (const value of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
      const seen = (await page.evaluate(LOOKS)) as { least: number; wide: number; direction: string }
      expect(seen.least, value).to.be.above(4.5)
      expect(seen.wide).to.equal(320)
      expect(seen.direction).to.equal('rtl')
    }
  })

  describe('of an app that has a colour and shows computers a code', () => {
    const configure = async (change: LinkSettingsChange) => {
      await test.program.inTransaction((tx) => tx.links.configure(appId, change))
      // The server knows a site for two seconds.
      test.clock.advance(5001)
    }
    after(() => configure({ color: null, offersCode: false }))

    it('can be read whatever the colour is', async () => {
      await make({ slug: 'colour', content: { title: 'Sale', description: 'Half' } })
      for (const color of ['#000000', '#ffffff', '#ffe600', '#777777', '#181c23', '#0b6157']) {
        await configure({ color })
        const { page } = await open(`${origin}/colour`)
        for (const value of ['light', 'dark']) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
          const seen = (await page.evaluate(LOOKS)) as { least: number }
          expect(seen.least, `${color}, ${value}`).to.be.above(4.4)
        }
      }
    })

    it('has the code for a computer, and the buttons for an iPad', async () => {
      await configure({ offersCode: true })
      await make({ slug: 'code' })
      for (const points of [5, 0]) {
        const page = await browser.newPage()
        await page.setUserAgent({ userAgent: MAC_SAFARI })
        const session = await page.createCDPSession()
        await session.send('Emulation.setTouchEmulationEnabled', {
          enabled: points > 0,
          ...(points > 0 && { maxTouchPoints: points }),
        })
        await page.goto(`${origin}/code?from=flyer`)
        const shown = await page.evaluate(
          "[...document.querySelectorAll('.code svg, #store')].filter((one) => one.checkVisibility()).map((one) => one.tagName)",
        )
        expect(shown).to.deep.equal([points > 0 ? 'A' : 'svg'])
        await page.close()
      }
    })
  })

  it('has a fingerprint page that speaks with web views and frames, in texts only', async () => {
    const heard =
      'window.heard = []; window.Android = { postClientMessage: (text) => window.heard.push(JSON.parse(text)) }'
    const page = await browser.newPage()
    await page.setUserAgent({ userAgent: ANDROIDS.Samsung })
    await page.evaluateOnNewDocument(heard)
    await page.goto(`${test.address}/fingerprint`)
    await page.evaluate("postHostMessage({ type: 'REQUEST_FINGERPRINT' })")
    await page.waitForFunction('window.heard.length === 2')
    const [ready, made] = (await page.evaluate('window.heard')) as [
      object,
      { type: string; data: { components: Record<string, unknown> } },
    ]
    expect(ready).to.deep.equal({ type: 'READY' })
    expect(made.type).to.equal('FINGERPRINT_GENERATED')
    expect(made.data.components).to.include({ platform: 'Android', osMajor: '14' })
    expect(Object.keys(made.data.components)).to.have.members([
      'platform',
      'osMajor',
      'screen',
      'pixelRatio',
      'language',
      'timeZone',
    ])
    for (const value of Object.values(made.data.components)) expect(value).to.be.a('string')
    await page.close()

    const outer = await browser.newPage()
    await outer.setUserAgent({ userAgent: ANDROIDS.Samsung })
    await outer.goto(`${test.address}/healthz`)
    const elsewhere = test.address.replace('127.0.0.1', 'localhost')
    const framed = (await outer.evaluate(ask(`${elsewhere}/fingerprint`))) as { data: typeof made; origin: string }[]
    expect(framed.map(({ data }) => data.type)).to.deep.equal(['READY', 'FINGERPRINT_GENERATED'])
    expect(framed[1]!.data.data.components, 'the same in a frame').to.deep.equal(made.data.components)
    expect(framed[0]!.origin).to.equal(elsewhere)
    await outer.close()
  })
})
