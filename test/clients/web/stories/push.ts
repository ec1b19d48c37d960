import { expect } from 'chai'
import type { Page } from 'puppeteer-core'
import { eventually } from '../../../support/eventually.ts'
import type { Visitor } from '../support/shop.ts'
import { evaluate, type Json, LATER, type Stage } from '../support/stage.ts'

export function pushStories(stage: () => Stage): void {
  describe('and pushes', () => {
    after(() => stage().shop.empty())
    let visitor: Visitor
    let page: Page
    let installId: string
    before(async () => {
      const { shop, ask, installOf } = stage()
      visitor = await shop.enter()
      page = await visitor.open()
      expect(await ask(page)).to.deep.equal({ state: 'subscribed' })
      installId = await installOf(page)
    })

    it('shows what comes, and counts what becomes of it', async () => {
      const { shop, push, counted, events, showInstall } = stage()
      const known = { sdkType: 'web', subscribed: true, deviceName: 'Chrome on Linux' }
      expect(await showInstall(installId)).to.include(known)
      const url = `${shop.origin}/sale`
      const buttons = [{ id: 'later', text: 'Later' }]
      const content = { title: 'Sale', message: 'Half', url, data: { sku: 'a1' } }
      const pictures = { icon: 'https://shop.example/icon.png', image: 'https://shop.example/pic.png' }
      const id = await push(visitor, installId, { content, buttons, android: { pictureUrl: pictures.image } })
      expect(await visitor.shown()).to.deep.equal([
        { title: 'Sale', body: 'Half', icon: pictures.icon, tag: '', actions: [{ action: 'later', title: 'Later' }] },
      ])
      await page.waitForFunction('heard.some(([event]) => event === "push.received")')
      const seen = { id, ...content, ...pictures, buttons }
      expect(await evaluate(page, 'heard.at(-1)')).to.deep.equal(['push.received', seen])

      // No window shows the address: one opens, and its page hears of the click.
      expect(await visitor.react('notificationclick', 'later')).to.deep.equal([`open ${url}`])
      await counted(id, { delivered: 1, opened: 1, dismissed: 0 })
      const [reported] = await events(installId, 'k.message.opened')
      expect(reported!.data).to.deep.equal({ type: 1, id, actionId: 'later' })
      const opened = await visitor.open('/sale')
      await opened.waitForFunction('heard.length > 0')
      expect(await evaluate(opened, 'heard')).to.deep.equal([['push.opened', { ...seen, action: 'later' }]])

      // A window shows it: it comes to the front.
      await push(visitor, installId, { content: { ...content, url: `${url}#now` } })
      expect(await visitor.react('notificationclick')).to.deep.equal([`focus ${url}`])
      await opened.waitForFunction('heard.filter(([event]) => event === "push.opened").length === 2')
      await opened.close()
      expect(visitor.problems).to.deep.equal([])
    })

    it('sets the number on the icon, and adds to it', async () => {
      const worker = await visitor.worker()
      await worker.evaluate('globalThis.badges = []; navigator.setAppBadge = async (count) => void badges.push(count)')
      for (const badge of [
        { type: 'setTo', count: 3 },
        { type: 'incrementBy', count: 2 },
      ]) {
        await stage().push(visitor, installId, { ios: { badge } })
        await visitor.react('notificationclick')
      }
      await eventually(async () => JSON.stringify(await worker.evaluate('badges')) === '[3,5]', 'the badges 3 and 5')
    })

    it('subscribes with the new key when the key of the app changes', async () => {
      const { server, arrived, events, push } = stage()
      const rotate = () =>
        server.call('PUT', `/push/v1/apps/${server.first.id}`, {
          body: { web: { subject: 'mailto:push@shop.example', rotate: true } },
        })
      await rotate()
      const before = (await events(installId, 'k.push.deviceRegistered')).length
      // Two hours later, when what the page keeps for an hour is old. Nobody has to click again.
      const later = await visitor.open('/', {}, LATER)
      await arrived(installId, 'k.push.deviceRegistered', before + 1)
      await push(visitor, installId)
      await later.close()

      // The browser drops the subscription while no page is open: the worker makes another one.
      await rotate()
      await visitor.changeSubscription()
      await arrived(installId, 'k.push.deviceRegistered', before + 2)
      await push(visitor, installId)
      expect(visitor.problems).to.deep.equal([])
    })

    it('leaves declarative pushes to a browser that shows them itself', async () => {
      const { shop, send, counted } = stage()
      const id = await send(installId, { content: { title: 'T', message: 'M', url: `${shop.origin}/sale?a=1#b` } })
      const payload = JSON.parse(visitor.taken().at(-1)!) as { web_push: number; mutable: boolean; notification: Json }
      expect(payload).to.include({ web_push: 8030, mutable: true })
      const { navigate, data } = payload.notification
      const shown = (await visitor.shown()).length
      // The worker gets the notification, and shows none beside it.
      await visitor.propose(data)
      await counted(id, { delivered: 1, opened: 0, dismissed: 0 })
      expect(await visitor.shown()).to.have.length(shown)
      // A click opens the address, whose page reports it.
      const opened = await visitor.open(String(navigate).slice(shop.origin.length))
      await counted(id, { delivered: 1, opened: 1, dismissed: 0 })
      expect(opened.url()).to.equal(`${shop.origin}/sale?a=1#b`)
      await opened.waitForFunction(`heard.some(([event, { id }]) => event === 'push.opened' && id === ${id})`)
      await opened.close()
      expect(visitor.problems).to.deep.equal([])
    })

    it('ends when the person takes the permission back, and when the page says so', async () => {
      const { ask, arrived, showInstall } = stage()
      await visitor.permit('denied')
      await arrived(installId, 'k.push.deviceUnsubscribed')
      expect(await showInstall(installId)).to.include({ subscribed: false })
      expect(await evaluate(page, 'app.push.state()')).to.include({ state: 'denied' })

      await visitor.permit('granted')
      await eventually(async () => (await showInstall(installId)).subscribed, 'subscribed again')
      await evaluate(page, 'app.push.stop()')
      expect(await showInstall(installId)).to.include({ subscribed: false })
      expect(await evaluate(page, 'app.push.state()')).to.include({ state: 'askable' })
      // A permission alone brings them back to nobody who stopped them.
      const again = await visitor.open('/again')
      await eventually(async () => (await visitor.queue(again)).length === 0, 'nothing waits')
      expect(await showInstall(installId)).to.include({ subscribed: false })
      expect(await ask(again)).to.deep.equal({ state: 'subscribed' })
      expect(await showInstall(installId)).to.include({ subscribed: true })
    })

    it('reports what becomes of them when no page is open', async () => {
      const { push, counted } = stage()
      for (const open of await visitor.context.pages()) await open.close()
      while ((await visitor.shown()).length > 0) await visitor.react('notificationclose')
      const id = await push(visitor, installId)
      expect(await visitor.react('notificationclose')).to.deep.equal([])
      await counted(id, { delivered: 1, opened: 0, dismissed: 1 })
    })
  })
}
