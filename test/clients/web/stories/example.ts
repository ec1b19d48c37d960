import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { axe } from '../../../support/axe.ts'
import { broadcast } from '../../../support/delivery.ts'
import type { Stage } from '../support/stage.ts'

const EXAMPLE = join(import.meta.dirname, '../../../../clients/web/example')
const shows = (selector: string, text: string) =>
  `document.querySelector('${selector}').textContent.includes(${JSON.stringify(text)})`

export function exampleStories(stage: () => Stage): void {
  describe('and the example', () => {
    afterEach(() => stage().shop.empty())

    it('needs no more than the page that README.md and the console show', async () => {
      const { shop, server, counted } = stage()
      const visitor = await shop.enter('prompt')
      const saysYes = `Notification.requestPermission = () => standIn('permit').then(() => 'granted')`
      const page = await visitor.open('/shortest/', {}, saysYes)
      await page.click('#ask')
      await page.waitForFunction(shows('#ask', 'subscribed'))
      const id = await broadcast(server, { target: { broadcast: true }, content: { title: 'Fresh', message: 'Bread' } })
      await shop.deliver()
      expect(await visitor.receive()).to.equal(1)
      await counted(id, { delivered: 1, opened: 0, dismissed: 0 })
      expect((await visitor.shown()).map(({ title, body }) => `${title}: ${body}`)).to.deep.equal(['Fresh: Bread'])
      expect(visitor.problems).to.deep.equal([])
    })

    it('does what it shows, in at most eighty lines', async () => {
      const lines = readdirSync(EXAMPLE).map((name) => readFileSync(join(EXAMPLE, name), 'utf8').split('\n').length - 1)
      expect(lines.reduce((sum, count) => sum + count)).to.be.at.most(80)

      const { shop, server } = stage()
      await server.call('PUT', '/crm/v1/purposes/offers', { body: { name: 'Offers', default: false } })
      const visitor = await shop.enter('prompt')
      const saysYes = `Notification.requestPermission = () => standIn('permit').then(() => 'granted')`
      const page = await visitor.open('/example/', {}, saysYes)
      await page.waitForFunction(shows('#state', 'Nobody was asked yet.'))
      expect(await axe(page)).to.deep.equal([])
      await page.click('#ask')
      await page.waitForFunction(shows('#state', 'You will hear of it.'))
      await page.click('#offers')

      const content = { title: 'Rye', message: 'Ready', url: `${shop.origin}/example/` }
      await broadcast(server, { target: { userIds: ['baker'] }, content })
      await shop.deliver()
      expect(await visitor.receive()).to.equal(1)
      await page.waitForFunction(shows('#log', 'arrived: Rye'))
      expect(await visitor.react('notificationclick')).to.deep.equal([`focus ${shop.origin}/example/`])
      await page.waitForFunction(shows('#log', 'opened: Rye'))
      const allowed = await server.program.purposes.allowedBy(server.first.id, 'baker')
      expect(allowed.find(({ purpose }) => purpose.uid === 'offers')).to.include({ allowed: true })
      expect(visitor.problems).to.deep.equal([])
    })
  })
}
