import { expect } from 'chai'
import type { Page } from 'puppeteer-core'
import { broadcast } from '../../../support/delivery.ts'
import { eventually } from '../../../support/eventually.ts'
import type { TestServer } from '../../../support/http.ts'
import { accept, addTemplates, handOut } from '../../../support/in-app.ts'
import type { Visitor } from '../support/shop.ts'
import { evaluate, type Json, type Stage } from '../support/stage.ts'

/** Runs in a page: the scope of each worker, and the API key of the app that it serves. */
const SERVED = `new Promise((resolve) => {
  const opening = indexedDB.open('appsvc')
  opening.onsuccess = async () => {
    const served = {}
    const all = await navigator.serviceWorker.getRegistrations()
    for (const { scope } of all) {
      const asking = opening.result.transaction('appsvc').objectStore('appsvc').get(scope + ' server')
      await new Promise((done) => (asking.onsuccess = done))
      served[scope] = asking.result?.apiKey
    }
    resolve((opening.result.close(), served))
  }
})`

export function appStories(stage: () => Stage): void {
  describe('and another app of the same origin, in two tabs', () => {
    after(() => stage().shop.empty())
    let visitor: Visitor
    let pages: [Page, Page]
    let installs: [string, string]
    /** The server as it is of either app. */
    let worlds: [TestServer, TestServer]
    before(async () => {
      const { server, shop, installOf } = stage()
      const other = await server.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
      worlds = [server, Object.create(server, { first: { value: other } }) as TestServer]
      visitor = await shop.enter()
      const keys = { apiKey: other.apiKey, secretKey: other.secretKey }
      pages = [await visitor.open(), await visitor.open('/other', keys)]
      installs = [await installOf(pages[0]), await installOf(pages[1])]
    })

    /** Calls the server for one of the apps. */
    const callFor = (which: 0 | 1, method: string, path: string, body: object) => {
      const { apiKey, serverKey } = worlds[which].first
      const auth = `Basic ${Buffer.from(`${apiKey}:${serverKey}`).toString('base64')}`
      return worlds[which].call(method, path, { auth, body })
    }

    it('each has an install of its own, and events and a user', async () => {
      expect(installs[0]).to.not.equal(installs[1])
      for (const which of [0, 1] as const) await evaluate(pages[which], `app.user.is('anna${which}')`)
      for (const which of [0, 1] as const) await evaluate(pages[which], `app.track('seen', { which: ${which} })`)
      for (const which of [0, 1] as const) {
        const { crm } = worlds[which].program
        await stage().arrived(installs[which], 'seen')
        const show = (install: string) => crm.showInstall(worlds[which].first.id, install)
        expect(await show(installs[which])).to.include({ userIdentifier: `anna${which}`, sdkType: 'web' })
        expect(await show(installs[1 - which]!).catch(String), 'a stranger').to.include('there is no install')
      }
    })

    it('each has an inbox of its own', async () => {
      for (const which of [0, 1] as const) {
        const world = worlds[which]
        // The first app may have them from stories before.
        await addTemplates(world).catch(() => {})
        world.clock.set(Date.now())
        const inbox = { title: `For ${which}`, subtitle: '' }
        await accept(world, { target: { userIds: [`anna${which}`] }, inbox, presentedWhen: 'never' })
        await handOut(world)
      }
      for (const page of [...pages, ...pages]) {
        await evaluate(page, 'app.inbox.refresh()')
      }
      for (const which of [0, 1] as const) {
        const titles = await evaluate(pages[which], 'app.inbox.list().then((all) => all.map(({ title }) => title))')
        expect(titles).to.deep.equal([`For ${which}`])
      }
    })

    it('each keeps the choices of its own user, also while it is offline', async () => {
      for (const which of [0, 1] as const) {
        await callFor(which, 'PUT', `/crm/v1/purposes/only${which}`, { name: 'Offers', default: true })
        await pages[which].setOfflineMode(true)
        await evaluate(pages[which], `app.consent.set('only${which}', false)`)
      }
      for (const page of pages) await page.setOfflineMode(false)
      for (const which of [0, 1] as const) {
        const { program, first } = worlds[which]
        await eventually(async () => {
          const all = await program.purposes.allowedBy(first.id, `anna${which}`)
          return all.some(({ purpose, allowed }) => purpose.uid === `only${which}` && !allowed)
        }, 'the refusal')
      }
    })

    it('the worker serves the app that asked last, and a click counts for the app of the push', async () => {
      const { ask, counted, push, shop } = stage()
      const { first } = worlds[1]
      await callFor(1, 'PUT', `/push/v1/apps/${first.id}`, { web: { subject: 'mailto:push@shop.example' } })
      // The person allowed pushes before: the first page subscribed by itself.
      await stage().arrived(installs[0], 'k.push.deviceRegistered')
      const url = `${shop.origin}/elsewhere`
      const id = await push(visitor, installs[0], {
        target: { userIds: ['anna0'] },
        content: { title: 'One', message: 'M', url },
      })

      expect(await ask(pages[1])).to.deep.equal({ state: 'subscribed' })
      const showInstall = () => worlds[1].program.crm.showInstall(first.id, installs[1])
      await eventually(async () => (await showInstall()).subscribed, 'subscribed')
      const report = async (number: number) => {
        const { notification } = await worlds[1].program.notifications.report(first.id, number)
        return { delivered: notification.delivered, opened: notification.opened }
      }
      // Its number is another one: nobody can take one for the other.
      await visitor.react('notificationclick')
      await counted(id, { delivered: 1, opened: 1, dismissed: 0 })
      const second = await broadcast(worlds[1], {
        target: { userIds: ['anna1'] },
        content: { title: 'Two', message: 'M', url },
      })
      await shop.deliver(first.id)
      expect(await visitor.receive()).to.equal(1)
      await eventually(async () => (await report(second)).delivered === 1, 'delivered')
      expect((await visitor.shown()).map(({ title }) => title)).to.deep.equal(['Two'])
      await visitor.react('notificationclick')
      await eventually(async () => (await report(second)).opened === 1, 'opened')
      const heard = await Promise.all(
        pages.map((page) =>
          evaluate(page, `heard.filter(([event]) => event === 'push.received').map(([, { title }]) => title)`),
        ),
      )
      expect(heard).to.deep.equal([['One'], ['Two']])
      const events = (await stage().events(installs[0])).filter(({ type }) => type === 'k.message.opened')
      expect(events.map(({ data }: { data: Json }) => data['id'])).to.deep.equal([id])
      expect(visitor.problems).to.deep.equal([])
    })

    it('each has a worker of its own where it names a scope', async () => {
      const { shop, ask } = stage()
      const { apiKey, secretKey } = worlds[1].first
      const own = await visitor.open('/own', { apiKey, secretKey, scope: '/own/' })
      expect(await ask(own)).to.deep.equal({ state: 'subscribed' })
      // The first app comes back, as at its next page.
      await pages[0].bringToFront()
      expect(await ask(pages[0])).to.deep.equal({ state: 'subscribed' })
      expect(await evaluate(own, SERVED)).to.deep.equal({
        [`${shop.origin}/`]: worlds[0].first.apiKey,
        [`${shop.origin}/own/`]: apiKey,
      })
      expect(visitor.problems).to.deep.equal([])
    })
  })
}
