import { expect } from 'chai'
import { type OpenConsole, openConsole } from './support/console.ts'
import { consoleRoutes } from './support/routes.ts'
import { fillScreens } from './support/samples.ts'
import { DIALOGS, FILLED, type Shown, shownCommands, tryShown, UNFINISHED } from './support/shown-commands.ts'

const WIDTHS = [1280, 390]
/** The rules of axe that ask for colours: all that a theme can break, as long as it changes nothing else of the page. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
const SCROLLED_WIDTH = 'document.documentElement.scrollWidth'
const CONTENT = 'document.body.innerHTML'

/**
 * Runs in the page: what can be pressed and is smaller than 44 px either way. Links within text and within the map have another
 * way to the same place, and a label counts with its box.
 */
const SMALL_TARGETS = `(() => {
  const LEAST = 43.5
  return [...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary), header :is(a, button)')]
    .filter((one) => one.checkVisibility() && one.type !== 'file' && !one.closest('svg, iframe'))
    .filter((one) => one.tagName !== 'A' || one.classList.contains('button'))
    .map((one) => [one, (one.closest('label') ?? one).getBoundingClientRect()])
    .filter(([, { width, height }]) => width < LEAST || height < LEAST)
    .map(([one, { width, height }]) => (one.ariaLabel ?? one.textContent).trim() + ' ' + Math.round(width) + 'x' + Math.round(height))
})()`

describe('the screens of the console', function () {
  this.timeout(120_000)
  let console: OpenConsole
  /** What stands in addresses for the parameters of the patterns. */
  let samples: Record<string, string>
  /** Commands and calls that were there to copy. */
  const shown: Shown[] = []

  before(async function () {
    console = await openConsole(this)
    samples = await fillScreens(console)
  })
  after(() => console?.close())
  afterEach(() => {
    expect(console.problems.splice(0)).to.deep.equal([])
  })

  /**
   * Looks at the page that is open in every width and theme. It is loaded once: a page is drawn anew when the window changes, and half of
   * the time of these tests was loading.
   */
  async function examine(name: string): Promise<void> {
    for (const width of WIDTHS) {
      await console.look(width, 'light')
      await console.shoot(`${name}-${width}-light`)
      expect(await console.axe(), `${width} light`).to.deep.equal([])
      expect(await console.page.evaluate(SCROLLED_WIDTH), 'it scrolls sideways').to.be.at.most(width)
      const light = await console.page.evaluate(CONTENT)
      await console.look(width, 'dark')
      await console.shoot(`${name}-${width}-dark`)
      const isSame = (await console.page.evaluate(CONTENT)) === light
      expect(await console.axe(isSame ? COLOUR_RULES : undefined), `${width} dark`).to.deep.equal([])
      expect(await console.page.evaluate(SCROLLED_WIDTH), 'it scrolls sideways').to.be.at.most(width)
    }
  }

  for (const pattern of consoleRoutes()) {
    it(`${pattern}: axe finds nothing, in light and dark, wide and narrow`, async () => {
      const path = pattern.replace(/:(\w+)/g, (_, name: string) => samples[name] ?? `no sample for ${name}`)
      expect(path, 'give it a sample').to.not.include('no sample')
      await console.visit(pattern === '/gallery' ? '/gallery?gallery' : path)
      await examine(pattern.replaceAll(/[/:]+/g, '-').slice(1) || 'start')
      // Looked at once more as the smallest phone shows it, and by the finger.
      const phone = await console.page.createCDPSession()
      await phone.send('Emulation.setTouchEmulationEnabled', { enabled: true })
      // The page is drawn anew for fingers some moments later; what is too small then is told below.
      await console.page.waitForFunction(`${SMALL_TARGETS}.length === 0`, { timeout: 2000 }).catch(() => {})
      expect(await console.page.evaluate(SMALL_TARGETS), 'too small for a finger').to.deep.equal([])
      await console.look(320, 'light')
      expect(await console.page.evaluate(SCROLLED_WIDTH), 'it scrolls sideways at 320 px').to.be.at.most(320)
      await phone.send('Emulation.setTouchEmulationEnabled', { enabled: false })
      await phone.detach()
      await console.look(1280, 'light')
      await FILLED[pattern]?.(console)
      if (!(pattern in UNFINISHED)) shown.push(...(await shownCommands(console.page, pattern)))
    })
  }

  it('what they show “as command” and “as curl” does what it says', async () => {
    await console.look(1280, 'light')
    for (const [name, path, steps] of DIALOGS) {
      await console.visit(path.replace(/:(\w+)/g, (_, parameter: string) => samples[parameter]!))
      await steps(console)
      shown.push(...(await shownCommands(console.page, name)))
    }
    expect(shown.length).to.be.above(60)
    expect(await tryShown(console, shown)).to.deep.equal([])
  })

  it('the sign-in page too', async () => {
    await console.leave()
    await console.visit('/account')
    await examine('sign-in')
    await console.enter()
  })
})
