import { expect } from 'chai'
import { newUuid } from '../../../clients/react-native/src/ids.ts'
import { expo, type KeyValue, mmkv, type StartOptions, start } from '../../../clients/react-native/src/index.ts'
import type { DeepLink, NewLink } from '../../../src/domain/links/types.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { newLink } from '../../support/links.ts'
import { appWorld } from './app-world.ts'
import { asyncStorage, expoPhone, fits, reactNative } from './doubles.ts'

describe('links of the client for React Native', () => {
  let test: TestServer
  let host: string
  const { open, end, stored, hear } = appWorld(() => test)
  before(async () => {
    test = await openTestServer({ settings: { 'links.domain': 'lnk.example.com' } })
  })
  beforeEach(async () => {
    await test.startOver()
    host = new URL(test.program.links.baseOf(await test.program.links.site(test.first.id))).host
  })
  afterEach(() => end())
  after(() => test.close())

  const make = async (given: Partial<NewLink>): Promise<DeepLink> =>
    (await test.program.inTransaction((tx) => tx.links.create(test.first.id, [newLink(given)])))[0]!

  it('open the app, at its start and later, with their data', async () => {
    await make({ slug: 'spring/sale', linkData: { screen: 'sale' }, content: { title: 'Spring' } })
    const phone = reactNative('android', `https://${host}/spring/sale?utm=x#top`)
    const app = await open({ native: phone.native, linkHosts: [host] })
    const links = hear(app, 'link')
    expect(links).to.deep.equal([
      {
        state: 'matched',
        url: `https://${host}/spring/sale?utm=x#top`,
        data: { screen: 'sale' },
        isDeferred: false,
        title: 'Spring',
      },
    ])
    phone.follow(`https://${host}/nothing`)
    phone.follow('https://elsewhere.example/spring/sale')
    phone.follow('bakery://offers')
    phone.follow(`https://${host}/`)
    phone.follow(`https://${host}/%zz`)
    await app.flush()
    expect(links.map(({ state }) => state)).to.deep.equal(['matched', 'none'])
    expect((await stored('k.deepLink.matched')).map(({ data }) => data)).to.deep.equal([
      { url: `https://${host}/spring/sale?utm=x#top`, wasDeferred: false },
    ])
  })

  it('are found on the clipboard, at the first start only', async () => {
    await make({ slug: 'copied', linkData: { n: 1 } })
    let asked = 0
    const clipboard = async () => (asked++, ` https://${host}/copied\n`)
    const storage = asyncStorage()
    const app = await open({ linkHosts: [host], clipboard, storage })
    expect(hear(app, 'link')[0]).to.include({ state: 'matched', isDeferred: true })
    await app.stop()
    await open({ linkHosts: [host], clipboard, storage })
    expect(asked).to.equal(1)
  })

  it('that cannot be resolved now say so', async () => {
    const phone = reactNative('android', `https://${host}/spring`)
    const app = await open({ url: 'http://127.0.0.1:9', native: phone.native, linkHosts: [host] })
    expect(hear(app, 'link')[0]).to.include({ state: 'failed' })
  })
})

describe('the client for React Native on an odd phone', () => {
  let test: TestServer
  const { open, end, seen, stored } = appWorld(() => test)
  /** Warnings of the client on the console. */
  const warned: string[] = []
  const { warn } = console
  before(async () => {
    test = await openTestServer()
    console.warn = (...what: unknown[]) => void warned.push(what.join(' '))
  })
  beforeEach(async () => {
    await test.startOver()
    warned.splice(0)
  })
  afterEach(() => end())
  after(async () => {
    console.warn = warn
    await test.close()
  })

  it('goes on in memory where nothing can be kept, and says so', async () => {
    const broken: KeyValue = {
      getItem: () => Promise.reject(new Error('no disk')),
      setItem: () => Promise.reject(new Error('no disk')),
      removeItem: () => Promise.reject(new Error('no disk')),
    }
    const app = await open({ storage: broken })
    app.track('cart.added', { n: 1 })
    await app.flush()
    expect(await stored('cart.added')).to.have.length(1)
    expect(warned.join()).to.include('no disk')
  })

  it('begins anew where what was kept is no JSON, or of another kind', async () => {
    const names = [
      'installId',
      'queue',
      'user',
      'registered',
      'stopped',
      'messages',
      'syncedTo',
      'inAppConsent',
      'choices',
      'lastOpening',
    ]
    const odd = ['', 'null', '7', 'true', '"text"', '{"a": 1}', '[{"type":', '[]', '{"id": 7}']
    for (const [i, text] of odd.entries()) {
      const texts = new Map(
        names.map((name) => [`appsvc.${name}`, name === 'installId' && text === '"text"' ? '' : text]),
      )
      const { phone, module } = expoPhone('android')
      const app = await open({ storage: asyncStorage(texts), push: expo(module) })
      app.track('cart.added', { i })
      await app.flush()
      expect(phone.listening(), text).to.equal(3)
      expect(await app.inbox.list(), text).to.deep.equal([])
      await app.stop()
    }
    expect((await stored('cart.added')).map(({ data }) => data)).to.deep.equal(odd.map((_, i) => ({ i })))
  })

  it('keeps things in MMKV of both kinds', async () => {
    const texts = new Map<string, string>()
    const instance = {
      getString: (name: string) => texts.get(name),
      set: (name: string, text: string) => void texts.set(name, text),
    }
    for (const end of [
      { delete: (name: string) => texts.delete(name) },
      { remove: (name: string) => texts.delete(name) },
    ]) {
      const app = await open({ storage: mmkv({ ...instance, ...end }) })
      await app.user.is('anna')
      await app.user.isNobody()
      await app.stop()
      expect(texts.has('appsvc.user')).to.equal(false)
      expect(texts.get('appsvc.installId')).to.equal(JSON.stringify(await app.installId()))
    }
  })

  it('leaves out what is no JSON, and survives a handler that fails', async () => {
    const app = await open()
    const circle: Record<string, unknown> = {}
    circle.self = circle
    app.track('circle', circle)
    app.track('odd', { fine: 1, gone: undefined, call: () => {}, when: new Date(0) })
    app.on('inbox.changed', () => {
      throw new Error('of the app')
    })
    await app.user.is('anna')
    await app.flush()
    expect((await stored('circle', 'odd')).map(({ data }) => data)).to.deep.equal([
      { fine: 1, when: '1970-01-01T00:00:00.000Z' },
    ])
    expect(warned.join()).to.include('of the app')
    expect((await seen(app)).user).to.equal('anna')
  })

  it('stops listening when it is stopped', async () => {
    const { phone, module } = expoPhone('android')
    const app = await open({ push: expo(module) })
    expect(phone.listening()).to.equal(3)
    await app.badge.set(3)
    expect(phone.badge).to.equal(3)
    await app.stop()
    expect(phone.listening()).to.equal(0)
  })

  const right: StartOptions = {
    url: 'https://app.example.com',
    apiKey: 'ak_1',
    secretKey: 'dk_1',
    native: reactNative('ios').native,
    storage: asyncStorage(),
    app: { bundle: 'b', version: '1' },
  }
  for (const wrong of [
    { url: '' },
    { url: 'app.example.com' },
    { url: 'https://a b' },
    { apiKey: '' },
    { apiKey: 'a:b' },
    { secretKey: 'ü' },
  ])
    it(`refuses ${JSON.stringify(wrong)}`, () => {
      expect(() => start({ ...right, ...wrong })).to.throw(TypeError)
    })

  it('asks of libraries what their published types have', () => {
    // The compiler has checked it.
    expect(fits).to.have.length(2)
  })

  it('makes UUIDs of random bytes, where an engine has no more', async () => {
    const { crypto } = globalThis
    const poor = { getRandomValues: crypto.getRandomValues.bind(crypto) }
    Object.defineProperty(globalThis, 'crypto', { value: poor, configurable: true })
    try {
      const ids = Array.from({ length: 100 }, newUuid)
      for (const id of ids) expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(new Set(ids).size).to.equal(100)
    } finally {
      Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true })
    }
  })

  it('needs somebody who makes UUIDs where the engine has no crypto', async () => {
    const { crypto } = globalThis
    Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true })
    try {
      expect(() => start(right)).to.throw(TypeError, 'randomUUID')
      let made = 0
      const app = await open({
        randomUUID: () => `00000000-0000-4000-8000-${String(made++).padStart(12, '0')}`.toUpperCase(),
      })
      expect(await app.installId()).to.equal('00000000-0000-4000-8000-000000000000')
      await app.stop()
    } finally {
      Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true })
    }
  })
})
