import { expect } from 'chai'
import { evaluate, type Stage } from '../support/stage.ts'

/** A browser or person who gives no pushes, and how it comes back into order. */
interface Refusal {
  state: string
  why: string
  permission?: 'denied' | 'granted'
  breaks?: string
  mends?: string
}

const answer = (given: string) => ({
  breaks: `window.real = Notification.requestPermission; Notification.requestPermission = async () => '${given}'`,
  mends: 'Notification.requestPermission = real',
})
const overridden = (name: string, value: string) => ({
  breaks: `Object.defineProperty(navigator, '${name}', { value: ${value}, configurable: true })`,
  mends: `delete navigator['${name}']`,
})
const NO_PUSH = { breaks: 'window.real = PushManager; delete window.PushManager', mends: 'window.PushManager = real' }
const IPHONE = [
  NO_PUSH,
  overridden('userAgent', '"Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X)"'),
  overridden('maxTouchPoints', '5'),
]
const INSECURE = {
  breaks: `window.real = Object.getOwnPropertyDescriptor(window, 'isSecureContext')
    Object.defineProperty(window, 'isSecureContext', { value: false, configurable: true })`,
  mends: `Object.defineProperty(window, 'isSecureContext', real)`,
}

const REFUSALS: Refusal[] = [
  { state: 'denied', permission: 'denied', why: 'are blocked' },
  { state: 'dismissed', ...answer('default'), why: 'without an answer' },
  { state: 'denied', ...answer('denied'), why: 'settings of the browser' },
  { state: 'no-gesture', ...overridden('userActivation', '{ isActive: false }'), why: 'handler of a click' },
  { state: 'unsupported', ...NO_PUSH, why: 'no Web Push' },
  {
    state: 'not-installed',
    breaks: IPHONE.map(({ breaks }) => breaks).join(';'),
    mends: IPHONE.map(({ mends }) => mends).join(';'),
    why: 'to the Home Screen',
  },
  { state: 'insecure', ...INSECURE, why: 'https' },
  {
    state: 'failed',
    permission: 'granted',
    breaks: 'ServiceWorkerContainer.prototype.register = async () => { throw new TypeError("no such file") }',
    why: 'no such file',
  },
]

export function refusalStories(stage: () => Stage): void {
  describe('where something is missing', () => {
    after(() => stage().shop.empty())
    it('says why there are no pushes', async () => {
      const { shop, ask } = stage()
      const visitor = await shop.enter('prompt')
      const page = await visitor.open()
      for (const { state, permission, breaks, mends, why } of REFUSALS) {
        if (breaks !== undefined) await evaluate(page, `${breaks}; 0`)
        await visitor.permit(permission ?? 'prompt')
        const said = (await ask(page)) as { state: string; why: string }
        expect(said.state).to.equal(state)
        expect(said.why).to.include(why)
        if (mends !== undefined) await evaluate(page, `${mends}; 0`)
      }
      // Without a worker: where the browser shows declarative pushes itself.
      await evaluate(page, 'window.pushManager = Object.create(PushManager.prototype); 0')
      expect(await ask(page)).to.deep.equal({ state: 'subscribed' })

      const other = await shop.server.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
      const next = await visitor.open('/', { apiKey: other.apiKey, secretKey: other.secretKey })
      expect(await ask(next)).to.deep.include({ state: 'not-configured' })
      expect(visitor.problems).to.deep.equal([])
    })

    it('works without anything that the browser keeps', async () => {
      const { shop, ask, installOf, arrived, showInstall } = stage()
      const blocked = `for (const name of ['indexedDB', 'localStorage', 'caches']) {
        Object.defineProperty(window, name, { get() { throw new DOMException('blocked', 'SecurityError') } })
      }`
      const noLocks = `LockManager.prototype.request = async () => { throw new DOMException('denied', 'SecurityError') }`
      const visitor = await shop.enter()
      const page = await visitor.open('/', {}, `${blocked}; ${noLocks}`)
      const installId = await installOf(page)
      expect(await ask(page)).to.deep.equal({ state: 'subscribed' })
      await evaluate(page, `app.track('cart.added')`)
      await arrived(installId, 'cart.added')
      await evaluate(page, `app.user.is('blocked@example.com')`)
      expect(await showInstall(installId)).to.include({ userIdentifier: 'blocked@example.com', subscribed: true })

      // Wrong keys, and no server at all: the page has no error of ours.
      const wrong = [
        { url: shop.server.address, apiKey: 'ak_wrong', secretKey: 'dk_wrong' },
        { url: 'http://127.0.0.1:1', apiKey: 'ak', secretKey: 'dk' },
      ]
      for (const options of wrong) {
        await evaluate(page, `window.app = appsvc.start(${JSON.stringify(options)}); 0`)
        await evaluate(page, `app.track('a', { n: 10n }); app.track('b', globalThis); app.user.is('x').catch(() => {})`)
        expect(await evaluate(page, 'app.links.match("https://x.example/y")')).to.include({ state: 'failed' })
      }
      // The policy forbids servers that it does not name, and the browser says so.
      const ours = visitor.problems.filter((problem) => !/Content Security Policy|Fetch API cannot load/.test(problem))
      expect(ours).to.deep.equal([])
    })
  })
}
