import { expect } from 'chai'
import type { Page } from 'puppeteer-core'
import { eventually } from '../../../support/eventually.ts'
import type { Visitor } from '../support/shop.ts'
import { evaluate, type Stage } from '../support/stage.ts'

/** Runs before the scripts of a page: `answers` are given to the next calls of a path instead of those of the server; all calls are counted. */
const ANSWERS = `window.answers = []; window.asked = []
  window.real = fetch
  window.fetch = async (url, options) => {
    const path = new URL(url).pathname
    window.asked.push(path.split('/').at(-1))
    const found = answers.findIndex(([end]) => path.endsWith(end))
    if (found < 0) return real(url, options)
    const [, status, body, headers, times] = answers[found]
    if (times !== Infinity) answers.splice(found, 1)
    return new Response(body, { status, headers })
  }`

/** Answers to an upload that are no refusal of what is in it, though some look like one. */
const PASSING: [what: string, status: number, body: string][] = [
  ['a page that asks for a login in a hotel', 200, '<!doctype html><title>Welcome</title>'],
  ['half of an answer', 202, '{"ref'],
  ['a proxy before a server that is being changed', 404, '{"error":"no route"}'],
  ['a server error', 500, '{"error":"broken"}'],
  ['a page of a proxy', 502, '<html>Bad gateway</html>'],
  ['too many requests', 429, '{"error":"wait"}'],
  ['too many requests, for a time that no timer holds', 429, '{"error":"wait"}'],
]

export function troubleStories(stage: () => Stage): void {
  describe('and a bad day', () => {
    after(() => stage().shop.empty())
    let visitor: Visitor
    let page: Page
    let installId: string
    before(async () => {
      visitor = await stage().shop.enter('prompt')
      page = await visitor.open('/', { prompts: false }, ANSWERS)
      installId = await stage().installOf(page)
      await stage().arrived(installId, 'k.inApp.statusUpdated')
      await stage().nothingWaits(visitor, page)
    })

    for (const [i, [what, status, body]] of PASSING.entries()) {
      it(`keeps its events through ${what}`, async () => {
        const { arrived, nothingWaits } = stage()
        const headers = i === PASSING.length - 1 ? { 'Retry-After': '99999999' } : {}
        await evaluate(
          page,
          `answers.push(['/events', ${status}, ${JSON.stringify(body)}, ${JSON.stringify(headers)}]); asked.length = 0`,
        )
        await evaluate(page, `app.track('day${i}')`)
        await page.waitForFunction(`answers.length === 0`)
        // What "online" does, as a timer would later.
        await evaluate(page, `dispatchEvent(new Event('online'))`)
        await arrived(installId, `day${i}`)
        await nothingWaits(visitor, page)
        expect(await evaluate(page, `asked.filter((path) => path === 'events').length`)).to.equal(2)
      })
    }

    it('drops the event that the server or a proxy refuses, and none beside it', async () => {
      const { arrived, nothingWaits, events } = stage()
      for (const [type, status, body] of [
        ['large', 413, '<html>Too large</html>'],
        ['odd', 422, '{"error":"odd"}'],
      ] as const) {
        await evaluate(
          page,
          `answers.push(['/events', ${status}, ${JSON.stringify(body)}], ['/events', ${status}, ${JSON.stringify(body)}])
          app.track('${type}.bad'); app.track('${type}.good')`,
        )
        await arrived(installId, `${type}.good`)
        await nothingWaits(visitor, page)
        expect(await events(installId, `${type}.bad`)).to.deep.equal([])
      }
    })

    it('asks once in a while for a configuration that does not come', async () => {
      const other = await visitor.open('/other', {}, `${ANSWERS}; answers.push(['/config', 500, '{}', {}, Infinity])`)
      await stage().nothingWaits(visitor, other)
      await evaluate(other, `for (let n = 0; n < 20; n++) app.track('step', { n })`)
      await stage().arrived(installId, 'step', 20)
      expect(await evaluate(other, `asked.filter((path) => path === 'config').length`)).to.equal(1)
      await other.close()
    })

    it('is one client when it is started twice, by two copies of the module', async () => {
      const { events, arrived, shop } = stage()
      const other = await visitor.open('/twice')
      await arrived(installId, 'k.pageViewed', 3)
      const copy = `import('${shop.server.address}/sdk/v1/appsvc.js?copy').then(({ appsvc: copy }) => {
        window.again = copy.start({ url: '${shop.server.address}/', apiKey: '${shop.server.first.apiKey}', secretKey: '${shop.server.first.secretKey}' })
        return [copy === appsvc, again === app]
      })`
      expect(await evaluate(other, copy)).to.deep.equal([false, true])
      await evaluate(other, `again.track('once.more')`)
      await arrived(installId, 'once.more')
      expect(await events(installId, 'k.pageViewed')).to.have.length(3)
      await other.close()
    })

    it('goes on when the person clears the data of the site', async () => {
      const { arrived } = stage()
      const other = await visitor.open('/cleared')
      const session = await other.createCDPSession()
      await session.send('Storage.clearDataForOrigin', { origin: stage().shop.origin, storageTypes: 'indexeddb' })
      await evaluate(other, `app.track('after')`)
      await arrived(installId, 'after')
      expect(await evaluate(other, 'app.inbox.list()')).to.deep.equal([])
      expect(await evaluate(other, 'app.installId()')).to.equal(installId)
      await session.detach()
      await other.close()
    })

    it('keeps who it is and what it has to say on a full disk', async () => {
      const { arrived, installOf } = stage()
      const first = await visitor.open('/full')
      const known = await installOf(first)
      await first.setOfflineMode(true)
      await evaluate(first, `app.track('before.full')`)
      await eventually(
        async () => (await visitor.queue(first)).some((one) => (one as { type: string }).type === 'before.full'),
        'it waits',
      )
      await first.close()
      // A disk is full when a transaction ends.
      const full = `IDBObjectStore.prototype.put = function () { this.transaction.abort(); return {} }`
      const next = await visitor.open('/full', {}, full)
      expect(await installOf(next)).to.equal(known)
      await evaluate(next, `app.track('when.full')`)
      await arrived(known, 'before.full')
      await arrived(known, 'when.full')
      await next.close()
      expect(visitor.problems).to.deep.equal([])
    })

    it('sends events while a push service hangs', async () => {
      const { arrived, installOf } = stage()
      await visitor.permit('granted')
      const hung = await visitor.open('/hung', {}, 'PushManager.prototype.subscribe = () => new Promise(() => {})')
      await hung.click('#ask')
      await evaluate(hung, `app.track('meanwhile')`)
      await arrived(await installOf(hung), 'meanwhile')
      await hung.close()
      expect(visitor.problems).to.deep.equal([])
    })
  })
}
