import { expect } from 'chai'
import type { HTTPResponse } from 'puppeteer-core'
import type { RoleIn } from '../../src/domain/admins/types.ts'
import { needs } from '../support/needs.ts'
import { type OpenConsole, openConsole } from './support/console.ts'
import { consoleRoutes, routesWithRights } from './support/routes.ts'
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

/** Runs in the page: its heading, and the primary buttons that can be pressed. */
const LOOK = `({
  title: document.querySelector('h1').textContent,
  primary: [...document.querySelectorAll('main .button.primary')]
    .filter((one) => one.checkVisibility() && one.ariaDisabled !== 'true')
    .map((one) => one.textContent.trim()),
})`

/** What roles in one app may do, and the primary buttons that they see, by the end of the address. */
const ROLES: Record<string, { rights: string[]; buttons: Record<string, string> }> = {
  viewer: { rights: ['see'], buttons: {} },
  operator: {
    rights: ['see', 'operate'],
    buttons: {
      '/tables': 'New table',
      '/tables/new': 'Create the table',
      '/links/settings': 'Save the settings',
      '/gateways/:platform': 'Save the gateway',
      '/webhooks': 'New webhook',
    },
  },
  marketer: {
    rights: ['see', 'campaign'],
    buttons: {
      '': 'Compose a push',
      '/push/new': 'Review and send',
      '/delivery': 'Compose a push',
      '/in-app': 'Compose a message',
      '/in-app/new': 'Send the message',
      '/segments': 'New segment',
      '/segments/new': 'Create the segment',
      '/segments/:segmentId': 'Save the segment',
      '/channels': 'New channel',
      '/channels/new': 'Create the channel',
      '/channels/:channelId': 'Subscribe people',
      '/geofences': 'New geofence',
      '/geofences/new': 'Create the geofence',
      '/geofences/:geofenceId': 'Save the geofence',
      '/links': 'New link',
      '/links/new': 'Create the link',
      '/links/:linkId/edit': 'Save the link',
      '/banners/new': 'Create the banner',
      '/banners/:bannerUuid': 'Save the banner',
      '/banners/prompts/new': 'Create the prompt',
      '/banners/prompts/:promptName': 'Save the prompt',
      '/tables/:tableAlias': 'New record',
    },
  },
}

describe('the screens of the console', () => {
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

  for (const [role, { rights, buttons }] of Object.entries(ROLES)) {
    it(`shows the role ${role} its pages and buttons, and asks the server for nothing that it may not see`, async () => {
      const refused: string[] = []
      const note = (response: HTTPResponse) => {
        if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`)
      }
      await console.enter([{ appId: console.appId, role: role as RoleIn['role'] }])
      await console.visit('/account')
      console.page.on('response', note)
      const shown: Record<string, string> = {}
      const closed: string[] = []
      const pages = routesWithRights().filter(({ right }) => right !== 'self' && right !== 'nobody')
      try {
        for (const { path: pattern } of pages) {
          await console.visit(pattern.replace(/:(\w+)/g, (_, name: string) => samples[name]!))
          const { title, primary } = (await console.page.evaluate(LOOK)) as { title: string; primary: string[] }
          if (title === 'Not for your role') closed.push(pattern)
          else if (primary.length > 0) shown[pattern.replace('/apps/:appId', '')] = primary.join(', ')
        }
      } finally {
        console.page.off('response', note)
        await console.enter()
      }
      expect(refused).to.deep.equal([])
      // Pages of the whole server want a role in the whole of it.
      const others = pages.filter(({ path, right }) => !path.includes(':appId') || !rights.includes(right))
      expect(closed).to.deep.equal(others.map(({ path }) => path))
      expect(shown).to.deep.equal(buttons)
    })
  }

  it('what they show “as command” and “as curl” does what it says', async function () {
    needs(this, 'curl')
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
