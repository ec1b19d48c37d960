import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type OpenConsole, useConsole } from './support/console.ts'
import { consoleRoutes } from './support/routes.ts'
import { saidByConsole } from './support/said.ts'
import { fillScreens } from './support/samples.ts'
import { DIALOGS } from './support/shown-commands.ts'

const PAGES = join(import.meta.dirname, '../../src/console')
const TAB = '{ title: document.title, heading: document.querySelector("h1").textContent }'

/** Runs in the page: what the open dialog gives the focus to, and its buttons at the bottom. */
const DIALOG = `(() => {
  const dialog = document.querySelector('dialog:modal')
  const now = document.activeElement
  const fields = [...dialog.querySelectorAll('.dialog-body :is(input, select, textarea)')].filter((one) => one.checkVisibility())
  const isDark = getComputedStyle(document.documentElement).backgroundColor !== getComputedStyle(document.body).backgroundColor
  return {
    isOnField: fields.length === 0 || fields.includes(now),
    isOnCross: now.getAttribute('aria-label') === 'Close',
    isDark,
    acts: [...dialog.querySelectorAll('.form-foot, .dialog-foot')].map((foot) => [...foot.querySelectorAll('.button')].map((one) =>
      one.type === 'submit' || one.matches('.primary, .danger'))),
  }
})()`

/** Runs in the page: how wide the open menu is, and which edge it shares with its button. */
const MENU = `(() => {
  const menu = document.querySelector('.menu:popover-open')
  const button = document.querySelector('[aria-controls="' + menu.id + '"]').getBoundingClientRect()
  const { left, right, width } = menu.getBoundingClientRect()
  return { width, isAligned: Math.abs(left - button.left) < 1 || Math.abs(right - button.right) < 1, isInside: left >= 0 && right <= innerWidth }
})()`

const isOpen = `document.querySelector('dialog:modal') !== null`

describe('the frame of the console', () => {
  let console: OpenConsole
  let samples: Record<string, string>
  const at = (pattern: string) => pattern.replace(/:(\w+)/g, (_, name: string) => samples[name]!)

  useConsole(async (opened) => {
    console = opened
    samples = await fillScreens(console)
  })

  it('goes to a page, a notification or a user by a word, from the keyboard and from the menu', async () => {
    const { page, appId } = console
    const find = async (text: string, shown: string) => {
      await page.keyboard.down('Control')
      await page.keyboard.press('k')
      await page.keyboard.up('Control')
      await page.waitForSelector('.palette input')
      await console.type('Page, app, notification or user', text)
      await page.waitForSelector(`::-p-xpath(//dialog//*[@role="option"][contains(., "${shown}")])`)
    }
    await console.visit(`/apps/${appId}`)
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    // Pages stand there before anything is typed, and one key is enough to leave.
    await page.waitForSelector(`::-p-xpath(//dialog//*[@role="option"][contains(., "Delivery")])`)
    await console.closeDialog()
    await find('quiet ho', 'Rules')
    await console.closeDialog()
    await find('gold', 'Gold, or young')
    await console.closeDialog()
    const filter = { field: 'os', op: 'equals', value: 'iOS' } as const
    await console.server.program.inTransaction(async (tx) => {
      for (let i = 0; i <= 50; i++) await tx.segments.create(appId, { name: `Many ${i}`, filter })
    })
    await find('many 50', 'Many 50')
    await console.closeDialog()
    const fallbacks = { desktopWebFallbackUrl: 'https://a.example/', mobileWebFallbackUrl: 'https://a.example/' }
    await console.server.program.inTransaction((tx) =>
      tx.links.create(appId, [{ slug: 'Spring-Sale', linkData: {}, ...fallbacks }]),
    )
    await find('Spring-Sale', 'Spring-Sale')
    await console.closeDialog()
    await find('segm', 'Segments')
    await console.shoot('palette')
    await page.keyboard.press('Enter')
    await console.sees('New segment')
    // A field has the cursor.
    await console.visit(`/apps/${appId}/users`)
    await page.focus('.user-search input')
    await find('person-one-nobody', 'Nothing found')
    // One key is enough, whatever was found.
    await console.closeDialog()
    await find(samples['notificationId']!, `Notification ${samples['notificationId']}`)
    await page.keyboard.press('Enter')
    await console.sees('From recipients to opening')
    await find('alice', 'alice')
    await page.keyboard.press('Enter')
    await console.sees('Timeline')
    await (await page.waitForSelector('.side-foot button'))!.click()
    await console.press('What is new in 0.1.0')
    await console.sees('A console at /console')
    expect(await page.evaluate(DIALOG)).to.deep.include({ isOnCross: false })
    await console.closeDialog()
  })

  it('gives every page a title of its own in the window', async () => {
    const patterns = consoleRoutes().filter(
      (path) => !['/', '/setup', '/link', '/gallery', '/apps/:appId'].includes(path),
    )
    await console.visit(at('/apps/:appId'))
    const home = await console.page.evaluate('document.title')
    expect(home).to.equal('Home · First · appsvc')
    const found = (await console.walk(patterns.map(at), `(${TAB})`)) as { title: string; heading: string }[]
    for (const [i, { title, heading }] of found.entries()) {
      expect(title, patterns[i]).to.match(/^.+ · First · appsvc$/)
      expect(title, patterns[i]).to.include(heading)
    }
    const titles = found.map(({ title }, i) => `${title}: ${patterns[i]}`)
    const seen = new Set<string>()
    const again = found.flatMap(({ title }, i) => (seen.size === seen.add(title).size ? [titles[i]] : []))
    expect(again).to.deep.equal([])
  })

  it('begins dialogs with their first field, never with the cross, and ends them with the button that acts', async () => {
    for (const [name, path, steps] of DIALOGS) {
      if (name === 'why not') continue
      await console.visit('/account')
      await console.visit(at(path))
      // Only what opens it: a field that is written into has the focus for that.
      await steps({
        ...console,
        type: async (label, text) => ((await console.page.evaluate(isOpen)) ? undefined : console.type(label, text)),
      })
      const { isOnField, isOnCross, isDark, acts } = (await console.page.evaluate(DIALOG)) as {
        isOnField: boolean
        isOnCross: boolean
        isDark: boolean
        acts: boolean[][]
      }
      expect({ name, isOnField, isOnCross, isDark }).to.deep.equal({
        name,
        isOnField: true,
        isOnCross: false,
        isDark: true,
      })
      for (const foot of acts) expect(foot, name).to.deep.equal(foot.map((_, i) => i === foot.length - 1))
      await console.closeDialog()
    }
  })

  it('opens menus of at least 200 px at the edge of their button', async () => {
    const menus = [
      ['/people', 'Actions for Person 1: Change'],
      ['/apps/:appId/webhooks/:webhookId', 'More'],
      ['/apps/:appId/users/:profileId', 'More'],
      ['/account', 'Switch the app: F1First'],
    ] as const
    for (const [path, name] of menus.slice(1, 3)) {
      await console.visit(at(path))
      await console.press(name)
      const { width, isAligned, isInside } = (await console.page.evaluate(MENU)) as {
        width: number
        isAligned: boolean
        isInside: boolean
      }
      expect(width, path).to.be.at.least(200)
      expect({ path, isAligned, isInside }).to.deep.equal({ path, isAligned: true, isInside: true })
      await console.page.keyboard.press('Escape')
    }
  })

  it('takes a toast away with the page that made it', async () => {
    await console.visit('/gallery?gallery')
    await console.press('Show a toast')
    await console.sees('Taken back.')
    await console.press('Health')
    await console.misses('Taken back.')
  })
})

describe('what the console shows once', () => {
  let console: OpenConsole

  useConsole((opened) => (console = opened))

  const shown = (look = 'dialog:modal .once') =>
    console.page.evaluate(`document.querySelector('${look}')?.innerText ?? ''`)

  it('stays whatever people press beside its own buttons, and is asked about when nothing was copied', async () => {
    const { page, appId } = console
    await console.visit('/account')
    await console.visit(`/apps/${appId}/keys`)
    await console.press('New key')
    await console.type('Name', 'newsletter')
    await console.press('Create the key')
    await page.waitForSelector('dialog:modal .once')
    const key = await shown()
    expect(key).to.match(/^\S{20,}$/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await page.evaluate('history.back()')
    await console.sees('You have not copied it')
    expect(await shown()).to.equal(key)
    expect(page.url()).to.match(/\/keys$/)
    await console.press('Done')
    expect(await shown()).to.equal(key)
    await console.press('Copy')
    await console.misses('You have not copied it')
    await console.press('Done')
    await page.waitForSelector('dialog:modal', { hidden: true })
  })

  it('closes without copying for who says so', async () => {
    await console.visit('/people')
    await console.press('Invite somebody')
    await console.type('E-mail address', 'carla@example.com')
    await console.type('Name', 'Carla')
    await console.press('Create the invitation')
    await console.sees('Hand this link to Carla')
    const width = await console.page.evaluate(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog:modal'))`,
    )
    expect(width).to.equal(0)
    await console.press('Done')
    await console.press('Close without copying')
    await console.press('Actions for Carla: Change')
    await console.press('New invitation link')
    await console.sees('Hand this link to Carla')
    await console.press('Download')
    await console.press('Done')
    await console.page.waitForSelector('dialog:modal', { hidden: true })
  })

  it('holds the page of a new app until its keys were copied', async () => {
    await console.visit('/new-app')
    await console.type('Name', 'Second')
    await console.press('Create the app')
    await console.sees('Second is ready')
    await console.press('Set up its gateways')
    await console.sees('Leave without copying?')
    await console.closeDialog()
    await console.press('Copy')
    await console.press('Set up its gateways')
    await console.sees('Pushes leave through the vendor')
  })

  it('is shown in one way', () => {
    const says = /shown (?:this once|only now|only once)|not shown again/
    const files = new Set(saidByConsole().flatMap(({ file, text }) => (says.test(text) ? [file] : [])))
    for (const file of files) {
      if (file !== 'parts/shown-once.tsx') expect(readFileSync(join(PAGES, file), 'utf8'), file).to.match(/<ShownOn/)
    }
  })
})

describe('times in the console', () => {
  it('are told as the future only where something is due', () => {
    /** Names of instants to come. */
    const DUE = /(?:^|\.)(?:next|nextAt|dueAt|ends|expires|expiresAt|\w*[uU]ntil)$/
    let count = 0
    for (const file of globSync('pages/**/*.tsx', { cwd: PAGES })) {
      for (const [, at, rest] of readFileSync(join(PAGES, file), 'utf8').matchAll(
        /<Time [^>]*?at=\{([^}]+)\}([^>]*)\/>/g,
      )) {
        if (rest!.includes('isExact')) continue
        count++
        expect(rest!.includes('isDue'), `${file}: ${at}`).to.equal(DUE.test(at!))
      }
    }
    expect(count).to.be.above(40)
  })
})
