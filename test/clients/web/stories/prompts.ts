import { expect } from 'chai'
import type { Page } from 'puppeteer-core'
import { axe } from '../../../support/axe.ts'
import { eventually } from '../../../support/eventually.ts'
import type { Visitor } from '../support/shop.ts'
import { ALLOWS, evaluate, type Json, LATER, type Stage } from '../support/stage.ts'

const WORDS = { heading: 'News?', body: 'One a day.', acceptAction: 'Yes', declineAction: 'No' }

const BELL = { type: 'bell', trigger: { event: 'bell' }, position: 'bottom-left' }
const ALERT = {
  type: 'alert',
  trigger: { event: 'alert', filters: [['path', 'in', ['/shop/*']]] },
  labels: { alert: WORDS, thanksForSubscribing: 'Thank you!' },
  backgroundMask: { colors: { bg: 'rgba(0, 0, 0, .5)' } },
  imageUrl: 'https://shop.example/news.png',
  uiActions: { decline: { type: 'remind', delay: { duration: 1, timeUnit: 'hours' } } },
  actions: [
    { type: 'subscribeToChannel', channelUuid: 'news' },
    {
      type: 'userChannelSelectInline',
      channels: { presentedUuids: ['sport', 'extra'], checkedUuids: ['sport'] },
    },
  ],
}
const BANNER = {
  type: 'banner',
  trigger: { event: 'banner' },
  labels: { banner: WORDS },
  overlay: {
    labels: { heading: 'Press Allow', body: 'Up there.' },
    links: [{ label: 'Why?', url: 'https://shop.example/why' }],
    colors: { shade: '#0008', strip: '#ffffff', text: '#14181f' },
  },
  actions: [
    {
      type: 'userChannelSelectDialog',
      channels: { presentedUuids: 'all', checkedUuids: 'none' },
      dialogConfig: {
        labels: { heading: 'Which?', confirmAction: 'These' },
        colors: { bg: '#ffffff', fg: '#14181f', confirmActionBg: '#1753d8', confirmActionFg: '#ffffff' },
        position: 'center',
      },
    },
  ],
}
const PROMPTS: Json[] = [BELL, ALERT, BANNER]

const SUBSCRIBED = `app.channels.list().then((all) => all.filter(({ subscribed }) => subscribed).map(({ uuid }) => uuid).sort())`
/** The person takes their time to answer. */
const WAITS = `let answer; window.answer = () => answer()
  Notification.requestPermission = () => new Promise((resolve) => { answer = () => resolve('granted') })
  Object.defineProperty(Notification, 'permission', { value: 'default', configurable: true }); 0`

const inShadow = (selector: string) => `pierce/${selector}`
/** Findings of axe on what the client put into the page. */
const findings = (page: Page) => axe(page, { without: ['region', 'landmark-one-main', 'page-has-heading-one'] })
const press = async (page: Page, selector: string) => (await page.waitForSelector(inShadow(selector)))!.click()

export function promptStories(stage: () => Stage): void {
  describe('and prompts', () => {
    after(() => stage().shop.empty())
    let visitor: Visitor
    let page: Page
    before(async () => {
      const { shop, server } = stage()
      for (const uuid of ['news', 'sport', 'extra']) {
        await server.call('POST', '/messages/channels', { body: { uuid, name: uuid.toUpperCase() } })
      }
      await server.program.inTransaction(async (tx) => {
        for (const design of PROMPTS) await tx.prompts.create(server.first.id, String(design.type), design)
      })
      visitor = await shop.enter('prompt')
      page = await visitor.open('/', {}, ALLOWS)
    })
    after(async () => {
      const { program, first } = stage().server
      await program.inTransaction(async (tx) => {
        for (const { type } of PROMPTS) await tx.prompts.delete(first.id, String(type))
      })
    })
    afterEach(() => evaluate(page, 'app.push.stop()'))

    it('shows a bell, whose click asks', async () => {
      await evaluate(page, `app.track('bell')`)
      await page.waitForSelector(inShadow('.bell.bottom-left'))
      expect(await findings(page)).to.deep.equal([])
      await press(page, '.bell')
      await page.waitForSelector(inShadow('.thanks'))
      expect(await findings(page)).to.deep.equal([])
      expect(await evaluate(page, 'app.push.state()')).to.deep.equal({ state: 'subscribed' })
    })

    it('shows an alert to those who meet its filters, and subscribes to what they ticked', async () => {
      await evaluate(page, `app.track('alert', { path: '/about' }); app.track('alert', { path: '/shop/shoes' })`)
      await page.waitForSelector(inShadow('dialog.alert'))
      expect(await findings(page)).to.deep.equal([])
      await press(page, 'label:nth-child(2) input')
      await press(page, 'button.yes')
      const subscribed = async () => JSON.stringify(await evaluate(page, SUBSCRIBED))
      await eventually(async () => (await subscribed()) === '["extra","news","sport"]', 'all channels')
      expect(visitor.problems).to.deep.equal([])
    })

    it('shows a banner, words beside the question, and a choice of channels behind it', async () => {
      await evaluate(page, WAITS)
      await evaluate(page, `app.track('banner')`)
      await page.waitForSelector(inShadow('dialog.banner'))
      expect(await findings(page)).to.deep.equal([])
      await press(page, 'button.yes')
      await page.waitForSelector(inShadow('.strip'))
      expect(await findings(page)).to.deep.equal([])
      await evaluate(page, 'answer()')
      await page.waitForSelector(inShadow('dialog.center'))
      expect(await page.$(inShadow('.strip'))).to.equal(null)
      expect(await findings(page)).to.deep.equal([])
      await press(page, 'dialog button.yes')
      await eventually(async () => JSON.stringify(await evaluate(page, SUBSCRIBED)) === '[]', 'no channel')
      expect(visitor.problems).to.deep.equal([])
    })

    it('shows none while it waits for its time, to who cannot, and where the page wants none', async () => {
      const { installOf, arrived } = stage()
      const show = `app.track('alert', { path: '/shop/' })`
      const first = await visitor.open()
      await evaluate(first, show)
      await press(first, '.actions button')
      const soon = await visitor.open('/soon')
      await evaluate(soon, `${show}; app.track('bell')`)
      await soon.waitForSelector(inShadow('.bell'))
      expect(await soon.$(inShadow('dialog'))).to.equal(null)
      const later = await visitor.open('/later', {}, LATER)
      await evaluate(later, show)
      await later.waitForSelector(inShadow('dialog.alert'))

      const unwanted = await visitor.open('/', { prompts: false })
      const installId = await installOf(unwanted)
      await evaluate(unwanted, `app.track('bell')`)
      await arrived(installId, 'bell', 3)
      await visitor.permit('denied')
      await evaluate(later, `app.track('bell')`)
      await arrived(installId, 'bell', 4)
      for (const one of [unwanted, later]) expect(await one.$(inShadow('.bell'))).to.equal(null)
    })
  })
}
