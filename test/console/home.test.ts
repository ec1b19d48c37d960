import { expect } from 'chai'
import { readPicture } from '../../src/domain/pictures/schema.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../support/delivery.ts'
import { smallPng } from '../support/pictures.ts'
import { type OpenConsole, useConsole } from './support/console.ts'

/** The widest bar of a chart, in pixels. */
const WIDEST_BAR = 48
const OPENS = 'figure:has([aria-label^="Opens by hour"])'
const MARKED = `[...document.querySelectorAll('.nav [aria-current]')].map((one) => one.textContent)`
const ALARMS = `[...document.querySelectorAll('.main :is(.note.warn, .note.bad)')].filter((one) => one.checkVisibility()).length`

describe('the home of an app', () => {
  let console: OpenConsole
  let home: string

  useConsole((opened) => {
    console = opened
    home = `/apps/${console.appId}`
  })

  /** Webhooks whose last attempt failed. */
  const failWebhooks = async (count: number) => {
    const { program, clock } = console.server
    for (let i = 0; i < count; i++)
      await program.inTransaction((tx) => tx.webhooks.create(console.appId, { url: `https://hooks.example/${i}` }))
    const failing_since = clock.now()
    await program.kernel.db.write((sql) => sql('webhooks').where({ app_id: console.appId }).update({ failing_since }))
    // What the checks found is kept for five seconds.
    clock.advance(6000)
    await console.visit('/account')
    await console.visit(home)
  }

  /** The number of alarms, those of this machine with them. */
  const alarms = async () => {
    const zone = `fetch('/admin/v1/apps/${console.appId}/overview?zone=UTC&days=7')`
    return (await console.page.evaluate(
      `${zone}.then(async (answer) => (await answer.json()).alarms.length)`,
    )) as number
  }

  it('shows three alarms and folds the others, unless that is a single one', async () => {
    await console.visit(home)
    await failWebhooks(4 - (await alarms()))
    expect([await alarms(), await console.page.evaluate(ALARMS)]).to.deep.equal([4, 4])
    expect(await console.page.evaluate('document.body.innerText')).to.not.match(/\d more\b/)
    await failWebhooks(1)
    expect([await alarms(), await console.page.evaluate(ALARMS)]).to.deep.equal([5, 3])
    await console.press('2 more')
    expect(await console.page.evaluate(ALARMS)).to.equal(5)
  })

  it('is marked in the navigation, and nothing is at an address without a page', async () => {
    const pages = [
      home,
      `${home}/users`,
      `${home}/push/approvals`,
      `${home}/nothing`,
      `${home}/users/7/nothing`,
      '/nothing',
    ]
    await console.visit('/account')
    expect(await console.walk(pages, MARKED)).to.deep.equal([['Home'], ['Users'], ['Compose a push'], [], [], []])
  })

  it('has the initials of the app instead of an icon that cannot be read', async () => {
    const { program } = console.server
    await program.inTransaction(async (tx) => {
      const given = readPicture('icon.png', smallPng())
      const { picture } = await tx.pictures.add(console.appId, given.name, given.picture)
      await tx.pictures.setIcon(console.appId, tx.pictures.urlOf(picture))
    })
    await console.enter()
    await console.visit(home)
    const mark = () => console.page.$eval('.switcher .mark', (one) => [one.className, one.innerHTML])
    expect((await mark())[0]).to.equal('mark plain')
    await console.page.$eval('.switcher .mark img', (image) => image.dispatchEvent(new Event('error')))
    await console.page.waitForSelector('.switcher .mark:not(.plain)')
    expect(await mark()).to.deep.equal(['mark', 'F'])
  })

  it('leads to a report in which the opens of a single hour are a bar, not a wall', async () => {
    const { server, appId, page } = console
    await withAndroids(server, 2)
    const id = await broadcast(server)
    await deliverDue(server, scriptedSender(() => ({ kind: 'accepted' })).sender)
    const opened = { type: 'k.push.opened', uuid: 'o1', timestamp: server.clock.now(), data: { id } }
    await server.program.inTransaction((tx) => tx.events.ingest(appId, 'install-0', [opened]))
    for (const width of [390, 1280]) {
      await console.look(width, 'light')
      await console.visit('/account')
      await console.visit(`${home}/delivery/${id}`)
      await page.waitForSelector(`${OPENS} rect`)
      const [bar, plot] = await page.$eval(OPENS, (figure) =>
        ['rect', 'svg'].map((name) => figure.querySelector(name)!.getBoundingClientRect().width),
      )
      expect(bar, `at ${width}`).to.be.within(4, WIDEST_BAR)
      expect(plot).to.be.above(200)
    }
  })
})
