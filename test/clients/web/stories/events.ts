import { expect } from 'chai'
import type { Page } from 'puppeteer-core'
import { eventually } from '../../../support/eventually.ts'
import type { Visitor } from '../support/shop.ts'
import { evaluate, type Stage } from '../support/stage.ts'

export function eventStories(stage: () => Stage): void {
  describe('and its events', () => {
    after(() => stage().shop.empty())
    let visitor: Visitor
    let page: Page
    let installId: string
    before(async () => {
      visitor = await stage().shop.enter('prompt')
      ;({ page, installId } = await stage().settled(visitor))
    })

    it('keeps them while it is offline, and sends each once', async () => {
      const { events, arrived, nothingWaits } = stage()
      await page.setOfflineMode(true)
      await evaluate(page, `app.track('cart.added', { cartId: 7 }); app.track('cart.paid')`)
      await eventually(async () => (await visitor.queue(page)).length === 2, 'two events wait')
      expect(await events(installId, 'cart.added')).to.deep.equal([])
      await page.setOfflineMode(false)
      await arrived(installId, 'cart.paid')
      await arrived(installId, 'cart.added')
      await nothingWaits(visitor, page)
    })

    it('sends them again when an answer is lost, with the same ids', async () => {
      const { events, nothingWaits } = stage()
      await evaluate(
        page,
        `window.real = fetch; window.lost = 0
        window.fetch = async (...all) => {
          const answer = await real(...all)
          if (lost++ === 0) throw new TypeError('the answer is lost')
          return answer
        }
        app.track('once'); 0`,
      )
      await page.waitForFunction('lost >= 2')
      await nothingWaits(visitor, page)
      expect(await events(installId, 'once')).to.have.length(1)
    })

    it('are those of one browser in two tabs; nothing is said twice, and the last goes when a tab goes', async () => {
      const { installOf, events, arrived, nothingWaits } = stage()
      const other = await visitor.open('/other')
      expect(await installOf(other)).to.equal(installId)
      await Promise.all(
        [page, other].map((tab, i) =>
          evaluate(tab, `for (let n = 0; n < 20; n++) app.track('step', { tab: ${i}, n })`),
        ),
      )
      await arrived(installId, 'step', 40)
      expect(await events(installId, 'k.stats.installTracked')).to.have.length(1)
      expect(await events(installId, 'k.inApp.statusUpdated')).to.have.length(1)

      await evaluate(page, `app.track('left', { by: 'link' }); location.href = 'about:blank'`)
      await arrived(installId, 'left')
      // The other tab finds it in the queue, too: it is stored once.
      await evaluate(other, `app.track('stayed')`)
      await arrived(installId, 'stayed')
      await nothingWaits(visitor, other)
      expect(await events(installId, 'left')).to.have.length(1)
      expect(visitor.problems).to.deep.equal([])
    })
  })
}
