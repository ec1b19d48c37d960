import { expect } from 'chai'
import type { HTTPResponse } from 'puppeteer-core'
import type { RoleIn } from '../../src/domain/admins/types.ts'
import { LOW_CONTRASTS, lowContrasts } from '../support/contrast.ts'
import { reaches } from '../support/depth.ts'
import { type OpenConsole, useConsole } from './support/console.ts'
import { consoleRoutes, routesWithRights } from './support/routes.ts'
import { fillScreens } from './support/samples.ts'
import { DIALOGS, FILLED, type Shown, shownCommands, tryShown, UNFINISHED } from './support/shown-commands.ts'

/** Width, theme of the system, and what else is told to `OpenConsole.look`. */
const LOOKS = {
  wide: [1280, 'light'],
  dark: [1280, 'dark'],
  /** Nobody looks at more than the top, which is all that is painted. */
  strip: [1280, 'light', { height: 100 }],
  phone: [390, 'light'],
  /** The smallest phone, under a finger. */
  narrow: [320, 'dark', { isTouched: true }],
} satisfies Record<string, Parameters<OpenConsole['look']>>
/** Has the bar and the menu that phones get instead of the navigation: axe looks at it there in every run. */
const HOME = 'apps-appId'
/** The rule of axe that takes most of its time, where `lowContrasts` looks at every text in both themes. */
const CONTRAST_RULE = 'color-contrast'
/** The rules of axe that ask for colours: all that a theme can break, as long as it changes nothing else of the page. */
const COLOUR_RULES = [CONTRAST_RULE, 'link-in-text-block']
/** Runs in the page: how wide it is, if it scrolls sideways. */
const TOO_WIDE = `[document.documentElement.scrollWidth].filter((width) => width > innerWidth)`

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

/** Runs in the page: heads of the cells of lists that show nothing but the dash, for which a phone has no room. */
const DASHES = `[...document.querySelectorAll('.table.cards td')]
  .filter((one) => one.checkVisibility() && one.innerText.trim() === '–')
  .map((one) => one.dataset.label)`

/** Runs in the page: its heading, and the primary buttons that can be pressed. */
const LOOK = `({
  title: document.querySelector('h1').textContent,
  primary: [...document.querySelectorAll('main .button.primary')]
    .filter((one) => one.checkVisibility() && one.ariaDisabled !== 'true')
    .map((one) => one.textContent.trim()),
})`

/** The part that axe leaves out in `npm test`: the navigation, which is the same on every page of an app and is seen on one of them. */
const frameOf = (name: string) => (!reaches('whole') && name.startsWith(`${HOME}-`) ? ['nav.nav'] : [])

/** Runs in the page: what stands out too little in light and in the dark that people choose, and whether it scrolls sideways. */
const WIDE_FAULTS = `(() => {
  const root = document.documentElement
  const light = ${LOW_CONTRASTS}
  root.dataset.theme = 'dark'
  const dark = ${LOW_CONTRASTS}
  delete root.dataset.theme
  return { light, dark, tooWide: ${TOO_WIDE} }
})()`
const NARROW_FAULTS = `({ dark: ${LOW_CONTRASTS}, dashes: ${DASHES}, tooSmall: ${SMALL_TARGETS}, tooWide: ${TOO_WIDE} })`

/** Pages that hide from viewers what all other roles see. On the rest they see what operators and marketers both see, which `npm test` leaves to these. */
const MASKED = [
  '/apps/:appId/users',
  '/apps/:appId/users/:profileId',
  '/apps/:appId/checkins',
  '/apps/:appId/links/:linkId',
]

/** Rights of roles in one app, and the primary buttons that they see, by the end of the address. */
const ROLES: Record<string, { rights: string[]; buttons: Record<string, string> }> = {
  viewer: { rights: ['see'], buttons: {} },
  operator: {
    rights: ['see', 'operate'],
    buttons: {
      '/tables': 'New table',
      '/tables/new': 'Create the table',
      '/restraint': 'Save the rules',
      '/settings': 'Save the settings',
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
      '/push-templates': 'New push template',
      '/push-templates/:pushTemplateUid': 'Start a push from it',
      '/push-templates/:pushTemplateUid/edit': 'Save the push template',
      '/push-templates/+new': 'Save the push template',
      '/series/:seriesId/change': 'Save the series',
      '/in-app': 'Compose a message',
      '/in-app/new': 'Review and send',
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
  /** Values in addresses for the parameters of the patterns. */
  let samples: Record<string, string>
  /** Commands and calls that were there to copy. */
  const shown: Shown[] = []

  useConsole(async (opened) => {
    console = opened
    samples = await fillScreens(console)
  })

  /** The look of the page that is open; undefined while that changes. */
  let look: keyof typeof LOOKS | undefined

  async function lookAt(next: keyof typeof LOOKS): Promise<void> {
    if (look === next) return
    look = undefined
    const [width, theme, other]: Parameters<OpenConsole['look']> = LOOKS[next]
    await console.look(width, theme, other)
    look = next
  }

  /**
   * Looks at the page that is open, wide and narrow, light and dark. It is loaded once, and drawn anew when the window changes: so every other page
   * is seen narrow first, and the window changes once for each.
   */
  async function examine(name: string): Promise<void> {
    const both = [examineWide, examineNarrow]
    for (const one of look === 'narrow' ? both.toReversed() : both) await one(name)
    if (reaches('whole') || name === HOME) await examineByAxe(name)
  }

  async function examineWide(name: string): Promise<void> {
    await lookAt('wide')
    await console.shoot(`${name}-wide-light`)
    expect(await console.axe({ without: [CONTRAST_RULE], besides: frameOf(name) })).to.deep.equal([])
    expect(await console.page.evaluate(WIDE_FAULTS)).to.deep.equal({ light: [], dark: [], tooWide: [] })
  }

  async function examineNarrow(name: string): Promise<void> {
    await lookAt('narrow')
    await console.shoot(`${name}-phone-dark`)
    expect(await console.page.evaluate(NARROW_FAULTS)).to.deep.equal({
      dark: [],
      dashes: [],
      tooSmall: [],
      tooWide: [],
    })
  }

  /** Expects that axe finds nothing else: of colours in dark, and on a phone. */
  async function examineByAxe(name: string): Promise<void> {
    await lookAt('dark')
    await console.shoot(`${name}-wide-dark`)
    expect(await console.axe({ only: COLOUR_RULES }), 'dark').to.deep.equal([])
    await lookAt('phone')
    expect(await console.axe(), 'on a phone').to.deep.equal([])
    expect(await console.page.evaluate(TOO_WIDE), 'it scrolls sideways').to.deep.equal([])
  }

  for (const pattern of consoleRoutes()) {
    it(`${pattern}: axe finds nothing, texts stand out in light and dark, and it fits phones and fingers`, async () => {
      const path = pattern.replace(/:(\w+)/g, (_, name: string) => samples[name] ?? `no sample for ${name}`)
      expect(path, 'give it a sample').to.not.include('no sample')
      await console.visit(pattern === '/gallery' ? '/gallery?gallery' : path)
      await examine(pattern.replaceAll(/[/:]+/g, '-').slice(1) || 'start')
      if (pattern in FILLED) await lookAt('wide')
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
      await lookAt('strip')
      await console.visit('/account')
      console.page.on('response', note)
      const shown: Record<string, string> = {}
      const closed: string[] = []
      const isShort = role === 'viewer' && !reaches('whole')
      const pages = routesWithRights()
        .filter(({ right }) => right !== 'self' && right !== 'nobody')
        .filter(({ path, right }) => !isShort || MASKED.includes(path) || !rights.includes(right))
      try {
        const paths = pages.map(({ path }) => path.replace(/:(\w+)/g, (_, name: string) => samples[name]!))
        const seen = (await console.walk(paths, LOOK)) as { title: string; primary: string[] }[]
        for (const [i, { title, primary }] of seen.entries()) {
          const { path } = pages[i]!
          if (title === 'Not for your role') closed.push(path)
          else if (primary.length > 0) shown[path.replace('/apps/:appId', '')] = primary.join(', ')
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

  it('what they show “as command” and “as curl” does what it says', async () => {
    await lookAt('wide')
    let open: string | undefined
    for (const [name, path, steps] of DIALOGS) {
      if (path !== open) await console.visit(path.replace(/:(\w+)/g, (_, parameter: string) => samples[parameter]!))
      open = path
      await steps(console)
      shown.push(...(await shownCommands(console.page, name)))
      await console.closeDialog()
    }
    expect(shown.length).to.be.above(60)
    expect(await tryShown(console, shown)).to.deep.equal([])
  })

  it('would show a text that is too faint, whatever makes it so', async () => {
    await lookAt('wide')
    await console.visit('/account')
    const faint: [style: string, says: string][] = [
      ['color: #8a8a8a; background: #fff', '3.45 (#8a8a8a on #ffffff)'],
      ['color: #000; opacity: 0.4; background: #fff', '2.85 (#999999 on #ffffff)'],
      ['color: color-mix(in srgb, #fff, #000 40%); background: #fff', '2.85 (#999999 on #ffffff)'],
      ['color: #8a8a8a; background: #fff; font-size: 24px', ''],
      ['color: #767676; background: #fff', ''],
    ]
    for (const [style, says] of faint) {
      await console.page.evaluate(`{
        const text = document.createElement('p')
        text.id = 'faint'
        text.textContent = 'Faint'
        text.style.cssText = ${JSON.stringify(style)}
        document.querySelector('main').append(text)
      }`)
      const found = await lowContrasts(console.page)
      expect(found, style).to.deep.equal(says === '' ? [] : [`Faint: ${says}`])
      await console.page.evaluate(`document.querySelector('#faint').remove()`)
    }
  })

  it('the sign-in page too', async () => {
    await console.leave()
    await console.visit('/account')
    await examine('sign-in')
    await console.enter()
  })
})
