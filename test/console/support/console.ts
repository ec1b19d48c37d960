import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Context } from 'mocha'
import type { BrowserContext, Page } from 'puppeteer-core'
import type { RoleIn } from '../../../src/domain/admins/types.ts'
import { type AxeRules, axe } from '../../support/axe.ts'
import { needsChromium, openBrowser, PAGE_MS } from '../../support/browser.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson } from '../../support/people.ts'
import type { TestAppOptions } from '../../support/program.ts'

/** A server and a browser in which somebody is signed in to its console. */
export interface OpenConsole {
  server: TestServer
  browser: BrowserContext
  /** The page; 1280 px wide and light at first. */
  page: Page
  /** Id of the first app, `First`. */
  appId: number
  /** Faults that the console must not have: errors of its scripts and its policy, requests to another origin. */
  problems: string[]
  /** Goes to an address below `/console`, as a link within it does, and waits until it is drawn. Loads the console for who signed in since. */
  visit(path: string): Promise<void>
  /** Goes to one address after the other within the console, and tells what an expression of the page is on each. In one piece: to speak with the page costs as much as to draw it. */
  walk(paths: readonly string[], look: string): Promise<unknown[]>
  /** Presses the button, link, tab or menu item with this name, once it is there. */
  press(name: string): Promise<void>
  /** Chooses or ticks the one with this label. */
  choose(label: string): Promise<void>
  /** Writes a text into the field with this label, instead of what stands in it. */
  type(label: string, text: string): Promise<void>
  /** Closes the dialog that is open, by the key. */
  closeDialog(): Promise<void>
  /** Waits until the page shows this text. The first one after a press must be brought by it: a text that stood there before would wait for nothing, and is refused. */
  sees(text: string): Promise<void>
  /** Waits until the page shows this text no more. */
  misses(text: string): Promise<void>
  /** Signs a person with those roles in. */
  enter(roles?: RoleIn[]): Promise<void>
  /** Forgets who is signed in. */
  leave(): Promise<void>
  /** Sets the width in CSS pixels, the colours of the system, and whether a finger points; the page that is open is drawn anew. */
  look(width: number, theme: 'light' | 'dark', other?: { height?: number; isTouched?: boolean }): Promise<void>
  /** Returns what axe-core finds on the page as it is now: one line for each rule. */
  axe(rules?: AxeRules): Promise<string[]>
  /** Saves a picture in the folder that APPSVC_SHOTS names; does nothing without it. */
  shoot(name: string): Promise<void>
  close(): Promise<void>
}

const HEIGHT = 900
/** The longest time (ms) that a page may take to show what it should. */
const SETTLE_MS = PAGE_MS

type ConsoleOptions = TestAppOptions & { roles?: RoleIn[]; isNamed?: boolean }

/**
 * Opens a console before the tests of a suite, hands it to `begin`, which keeps and fills it, and closes it after them. A test during which
 * the console had a problem fails.
 */
export function useConsole(begin: (console: OpenConsole) => unknown, options?: ConsoleOptions): void {
  let console: OpenConsole | undefined
  before(async function () {
    console = await openConsole(this, options)
    await begin(console)
  })
  after(() => console?.close())
  afterEach(() => {
    expect(console!.problems.splice(0)).to.deep.equal([])
  })
}

/**
 * Opens a console for a suite, in its `before`: one Chromium for all of its tests. Somebody is signed in as an owner, unless
 * `roles` says otherwise (`[]`: nobody). `isNamed`: at `http://localhost`, which `baseUrl` names, as passkeys need it. Leaves the suite out where there is no Chromium.
 */
export async function openConsole(
  context: Context,
  { roles, isNamed = false, ...options }: ConsoleOptions = {},
): Promise<OpenConsole> {
  await needsChromium(context)
  const server = await openTestServer({ ...options, isNamed })
  const browser = await openBrowser()
  const page = await browser.newPage()
  const device = await page.createCDPSession()
  await page.evaluateOnNewDocument(WITHOUT_TRANSITIONS)
  await page.evaluateOnNewDocument(NOTES_COPYING)
  const origin = isNamed ? server.program.kernel.config.baseUrl : server.address
  const problems: string[] = []
  page.on('console', (message) => {
    // A sign-in that is asked for and refused is an answer like others; Chromium writes every one down.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) problems.push(`a request to ${url}`)
  })

  /** Counts who came and went; and who the page was loaded for. */
  let visitor = 0
  let loadedFor: number | undefined

  const load = async (path: string) => {
    // The first page waits until the console is built, which takes long on a busy machine.
    await page.goto(`${origin}/console${path}`, { timeout: 0 })
    await settled(page)
    loadedFor = visitor
  }

  /** Content that the page showed before the last press, until something that it brings was waited for. */
  let stood = ''
  const shown = async () => String(await page.evaluate('document.body.innerText'))

  /** Presses what `find` finds by its name, once it is there. Returns what the page showed before. */
  async function pressOn(find: string, name: string): Promise<string> {
    // A page that has read something meanwhile moves a button, or turns it off for a moment: then nothing was pressed yet.
    const begun = performance.now()
    for (;;) {
      if (performance.now() - begun > SETTLE_MS) throw new Error(`no press comes to “${name}”`)
      const [x, y, before] = (await until(page, `(${find})(${JSON.stringify(name)})`, POINT_OF, async () => {
        throw new Error(`there is nothing to press called “${name}” but: ${await shown()}`)
      })) as [number, number, string]
      await page.mouse.click(x, y)
      // What it opens is drawn by then, and covers what lies below it; what it copies is copied.
      if (await page.evaluate(`${COPIED}.then(() => ${DRAWN}).then(() => globalThis.isPressed?.() ?? true)`))
        return before
    }
  }

  const self: OpenConsole = {
    server,
    browser,
    page,
    appId: server.first.id,
    problems,
    async visit(path) {
      stood = ''
      const isElsewhere = loadedFor === visitor && page.url().startsWith(`${origin}/console/`)
      const address = JSON.stringify(`/console${path}`)
      if (!isElsewhere || !(await page.evaluate(`(${GO})(${address})`))) await load(path)
    },
    async walk(paths, look) {
      const addresses = JSON.stringify(paths.map((path) => `/console${path}`))
      return (await page.evaluate(`(async () => {
        const seen = []
        for (const address of ${addresses}) {
          if (!(await (${GO})(address))) throw new Error('there is something above ' + location.pathname)
          seen.push(${look})
        }
        return seen
      })()`)) as unknown[]
    },
    async choose(label) {
      await pressOn(CHOICE_OF, label)
    },
    async press(name) {
      stood = await pressOn(BUTTON_OF, name)
    },
    async type(label, text) {
      stood = ''
      await until(page, `(${FIELD_OF})(${JSON.stringify(label)})`, SELECT, () => {
        throw new Error(`there is no field called “${label}”`)
      })
      if (text === '') await page.keyboard.press('Backspace')
      // In one piece, as from a clipboard: every key would draw the page anew.
      else await page.keyboard.sendCharacter(text)
    },
    async closeDialog() {
      await page.keyboard.press('Escape')
      await until(page, `document.querySelector('dialog:modal') === null`, TOLD, () => {
        throw new Error('the dialog stays')
      })
    },
    async sees(text) {
      if (stood.includes(text))
        throw new Error(`“${text}” stood there before the last press: wait for what that brings`)
      await until(page, `document.body.innerText.includes(${JSON.stringify(text)})`, TOLD, async () => {
        throw new Error(`the page does not show “${text}” but: ${await shown()}`)
      })
      stood = ''
    },
    async misses(text) {
      await until(page, `!document.body.innerText.includes(${JSON.stringify(text)})`, TOLD, async () => {
        throw new Error(`the page still shows “${text}”: ${await shown()}`)
      })
      stood = ''
    },
    async enter(given) {
      visitor++
      const { cookie } = await addPerson(server.program, given ? { roles: given } : {})
      const [name, value] = cookie.split('=') as [string, string]
      await browser.setCookie({
        name,
        value,
        domain: new URL(origin).hostname,
        path: '/',
        httpOnly: true,
        sameSite: 'Strict',
      })
    },
    async leave() {
      visitor++
      await browser.deleteCookie(...(await browser.cookies()))
    },
    async look(width, theme, { height = HEIGHT, isTouched = false } = {}) {
      await Promise.all([
        device.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false }),
        device.send('Emulation.setEmulatedMedia', {
          features: [
            { name: 'prefers-color-scheme', value: theme },
            { name: 'prefers-reduced-motion', value: 'reduce' },
          ],
        }),
        device.send('Emulation.setTouchEmulationEnabled', { enabled: isTouched }),
      ])
      // The page hears of a finger last.
      await until(page, `matchMedia('(pointer: coarse)').matches === ${isTouched}`, TOLD, () => {
        throw new Error(`a finger does ${isTouched ? 'not ' : ''}point`)
      })
      await page.evaluate(DRAWN)
    },
    axe: (rules) => axe(page, rules),
    async shoot(name) {
      const folder = process.env['APPSVC_SHOTS']
      if (folder === undefined) return
      mkdirSync(folder, { recursive: true })
      // Not the function of puppeteer, which gives the page a width of its own.
      const { data } = await device.send('Page.captureScreenshot', { captureBeyondViewport: true })
      writeFileSync(join(folder, `${name}.png`), data, 'base64')
    },
    async close() {
      await browser.close()
      await server.close()
    },
  }
  await self.look(1280, 'light')
  if (roles === undefined || roles.length > 0) await self.enter(roles)
  return self
}

const SETTLED = `(document.querySelector('h1') !== null && document.querySelector('[aria-busy="true"]:not([data-example] *)') === null)`
/** Runs in the page: until it is drawn as it is now. */
const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))'
/** Runs in every page before its scripts: notes that something is being copied, which another process does. */
const NOTES_COPYING = `if (navigator.clipboard) {
  const { clipboard } = navigator
  const write = clipboard.writeText.bind(clipboard)
  clipboard.writeText = (text) => (globalThis.copying = write(text))
}`
/** Runs in the page: until nothing is being copied any more. */
const COPIED = 'Promise.resolve(globalThis.copying).catch(() => {})'
/** Runs in every page before its scripts: what changes has changed at once. Transitions of colours that are inherited follow one after the other. */
const WITHOUT_TRANSITIONS = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, ::before, ::after { transition: none !important }')
  document.adoptedStyleSheets = [sheet]
}`
/** Runs in the page: what is pressed by that name, in the dialog or menu that is open or on the page. */
const BUTTON_OF = `(name) => {
  const dialogs = document.querySelectorAll('dialog:modal')
  const within = dialogs[dialogs.length - 1] ?? document.querySelector('[role="menu"]:popover-open') ?? document
  return [...within.querySelectorAll('button, a, summary, [role="option"], label.choice')].find((one) =>
    one.checkVisibility() && one.ariaDisabled !== 'true' &&
    [one.ariaLabel, one.textContent].some((text) => text?.trim() === name))
}`
/** Runs in the page: what is chosen or ticked by a label with that text. */
const CHOICE_OF = `(label) => {
  const dialogs = document.querySelectorAll('dialog:modal')
  const within = dialogs[dialogs.length - 1] ?? document
  return [...within.querySelectorAll('label input')].find((one) => one.checkVisibility() && one.closest('label').textContent.includes(label))
}`
/** Runs in the page: the field with that label. */
const FIELD_OF = `(label) => {
  const dialogs = document.querySelectorAll('dialog:modal')
  const within = dialogs[dialogs.length - 1] ?? document
  return [...within.querySelectorAll('input, textarea, select')].find((one) =>
    one.checkVisibility() && (one.ariaLabel === label || [...(one.labels ?? [])].some((text) => text.textContent.trim() === label)))
}`

/** Runs in the page: where to point at what is pressed, and what the page shows before. `isPressed` says afterwards whether that came to it, and it was not off; a page that was left has none. */
const POINT_OF = `(one) => {
  const middle = () => {
    const { left, top, width, height } = [...one.getClientRects()].find(({ width }) => width > 0) ?? one.getBoundingClientRect()
    return [left + width / 2, top + height / 2]
  }
  if (!one.contains(document.elementFromPoint(...middle())))
    one.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const heard = new Set()
  const hear = (event) => {
    if (event.composedPath().includes(one)) {
      if (one.ariaDisabled !== 'true') heard.add(event.type)
    } else if (!heard.has('click')) {
      // The page has moved: whatever is there now was not meant.
      event.preventDefault()
      event.stopImmediatePropagation()
    }
  }
  const TYPES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']
  for (const type of TYPES) addEventListener(type, hear, true)
  globalThis.isPressed = () => {
    for (const type of TYPES) removeEventListener(type, hear, true)
    // Suggestions are chosen, and gone, when the button of the mouse goes down.
    return heard.has('click') || (heard.has('mousedown') && !(one.isConnected && one.checkVisibility()))
  }
  return [...middle(), document.body.innerText]
}`
/** Runs in the page: a field whose content is replaced by what is written. */
const SELECT = `(one) => {
  one.focus()
  one.select?.()
  return true
}`
const TOLD = '() => true'

/** Until nothing is being read any more and a heading stands there. Throws what the page shows instead. */
async function settled(page: Page): Promise<void> {
  await until(page, SETTLED, TOLD, async () => {
    throw new Error(
      `${page.url()} does not settle: ${String(await page.evaluate('document.body.innerHTML')).slice(0, 2000)}`,
    )
  })
}

/** The error of an evaluation when its page was left meanwhile. */
const LEFT = /context was destroyed|Cannot find context|Inspected target navigated/

/**
 * Waits until an expression of the page is something, and returns what the function `of` makes of it in the page. It is looked at when something changes instead of
 * with every frame, which would draw the page sixty times a second meanwhile. `failed` throws what there is instead after `SETTLE_MS`.
 */
async function until(
  page: Page,
  condition: string,
  of: string,
  failed: () => never | Promise<never>,
): Promise<unknown> {
  for (;;) {
    try {
      const [found] = (await page.evaluate(
        `(${CHANGED})(() => ${condition}).then(async (one) => one === undefined ? [] : [await (${of})(one)])`,
      )) as [unknown?]
      return found === undefined ? await failed() : found
    } catch (error) {
      if (!LEFT.test(String(error))) throw error
    }
  }
}

/**
 * Runs in the page: a promise of what the function returns once that is something; undefined after `SETTLE_MS`. What a document does not tell as a change of its own, such as
 * the end of an animation, is seen by the timer.
 */
const CHANGED = `(look) => new Promise((found, failed) => {
  const EVENTS = ['toggle', 'input', 'change', 'focusin', 'load', 'error', 'resize', 'transitionend', 'animationend']
  const OFTEN_MS = 250
  const SETTLE_MS = ${SETTLE_MS}
  const see = () => {
    try {
      const value = look()
      if (!value) return false
      end()
      found(value)
    } catch (error) {
      end()
      failed(error)
    }
    return true
  }
  const observer = new MutationObserver(see)
  const timer = setInterval(see, OFTEN_MS)
  const last = setTimeout(() => {
    end()
    found(undefined)
  }, SETTLE_MS)
  const end = () => {
    observer.disconnect()
    clearInterval(timer)
    clearTimeout(last)
    for (const event of EVENTS) removeEventListener(event, see, true)
  }
  if (see()) return
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  for (const event of EVENTS) addEventListener(event, see, true)
})`

/**
 * Runs in the page: goes to another page of the console as a link does, until it is drawn. False when the address is that of the page that is open,
 * or something is above it that was told or asked before.
 */
const GO = `async (address) => {
  if (document.querySelector('dialog:modal, :popover-open, .toast') !== null) return false
  if (location.pathname === new URL(address, location.href).pathname) return false
  history.pushState(null, '', address)
  dispatchEvent(new PopStateEvent('popstate'))
  await ${DRAWN}
  if (!(await (${CHANGED})(() => ${SETTLED}))) throw new Error(address + ' does not settle: ' + document.body.innerHTML.slice(0, 2000))
  return true
}`
