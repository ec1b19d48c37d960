import { expect } from 'chai'
import type { Page } from 'puppeteer-core'
import { accept, addTemplates, handOut } from '../../../support/in-app.ts'
import type { Visitor } from '../support/shop.ts'
import { evaluate, type Json, type Stage } from '../support/stage.ts'

const LIST = 'app.inbox.list().then((all) => JSON.parse(JSON.stringify(all)))'

export function inAppStories(stage: () => Stage): void {
  describe('and in-app messages', () => {
    after(() => stage().shop.empty())
    let visitor: Visitor
    let page: Page
    let installId: string
    before(async () => {
      await addTemplates(stage().server)
      visitor = await stage().shop.enter('prompt')
      ;({ page, installId } = await stage().settled(visitor))
    })

    async function send(extra: object = {}): Promise<number> {
      const { server } = stage()
      server.clock.set(Date.now())
      const { message } = await accept(server, { target: { userIds: [installId] }, ...extra })
      await handOut(server)
      return message!.id
    }

    it('shows them in the frame, in one tab, and reports what becomes of them', async () => {
      const { events, arrived } = stage()
      const id = await send({ inbox: { title: 'Hello', subtitle: 'From us' } })
      await evaluate(page, 'app.inbox.refresh()')
      const frame = await (await page.waitForSelector('iframe'))!.contentFrame()
      await frame.waitForSelector('[role=dialog]')
      expect(await evaluate(page, `document.querySelector('iframe').getAttribute('sandbox')`)).to.equal('allow-scripts')
      await arrived(installId, 'k.message.read')
      expect(await evaluate(page, 'app.inbox.unread()')).to.equal(0)
      // Another tab has it, too, and shows it no second time.
      const other = await visitor.open('/other')
      await stage().nothingWaits(visitor, other)
      expect(await evaluate(other, `document.querySelector('iframe')`)).to.equal(null)

      await page.bringToFront()
      await page.keyboard.press('Escape')
      await arrived(installId, 'k.message.dismissed')
      await page.waitForFunction(`document.querySelector('iframe') === null`)
      const reports = (await events(installId)).filter(({ type }) => type.startsWith('k.message.'))
      expect(reports.map(({ type, data }) => [type.replace('k.message.', ''), data])).to.deep.equal([
        ['delivered', { type: 2, id }],
        ['opened', { type: 2, id }],
        ['read', { type: 2, id }],
        ['dismissed', { type: 2, id }],
      ])

      const [item] = (await evaluate(other, LIST)) as Json[]
      expect(item).to.include({ id, title: 'Hello', subtitle: 'From us', isRead: true, imageUrl: null })
      await evaluate(other, `app.inbox.remove(${id})`)
      await arrived(installId, 'k.message.inbox.deleted')
      expect(await evaluate(page, LIST)).to.deep.equal([])
      await other.close()
      expect(visitor.problems).to.deep.equal([])
    })

    it('opens one of the inbox, and counts those that are not read', async () => {
      const inbox = { title: 'Hello', subtitle: '' }
      const [one, two] = [await send({ inbox, presentedWhen: 'never' }), await send({ inbox, presentedWhen: 'never' })]
      await evaluate(page, 'app.inbox.refresh()')
      expect(await evaluate(page, 'app.inbox.unread()')).to.equal(2)
      await page.bringToFront()
      await evaluate(page, `app.inbox.open(${one})`)
      await page.waitForSelector('iframe')
      await stage().arrived(installId, 'k.message.opened', 2)
      await evaluate(page, `app.inbox.markRead(${two})`)
      await page.waitForFunction('heard.at(-1)[1].unread === 0')
      const heard = (await evaluate(page, 'heard')) as [string, Json][]
      expect(heard.slice(-3)).to.deep.equal([2, 1, 0].map((unread) => ['inbox.changed', { unread }]))
    })

    it('gives nobody the messages of the user before, also when they arrive late', async () => {
      await send({ inbox: { title: 'For one only', subtitle: '' }, presentedWhen: 'never' })
      const late = `window.real = fetch
        window.fetch = async (...all) => {
          const answer = await real(...all)
          if (String(all[0]).includes('/messages') && !window.release) await new Promise((resolve) => (window.release = resolve))
          return answer
        }
        app.inbox.refresh(); 0`
      await evaluate(page, late)
      await page.waitForFunction('window.release')
      await evaluate(page, `window.known = app.user.is('dora'); 0`)
      await evaluate(page, `app.inbox.list().then(() => release())`)
      await evaluate(page, 'known.then(() => app.inbox.refresh())')
      expect(await evaluate(page, LIST)).to.deep.equal([])
    })

    it('gets none when the page does not want them', async () => {
      const { arrived, events } = stage()
      await visitor.open('/', { inApp: false })
      await arrived(installId, 'k.inApp.statusUpdated', 3)
      const said = await events(installId, 'k.inApp.statusUpdated')
      // Of the browser, of the user, and of the user on this page.
      expect(said.map(({ data }) => data.consented)).to.deep.equal([true, true, false])
    })
  })
}
