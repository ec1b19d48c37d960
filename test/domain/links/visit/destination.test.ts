import { expect } from 'chai'
import { type Agent, isPrefetch, readAgent } from '../../../../src/domain/links/visit/agent.ts'
import { appStoreId, destinationFor, storeFor } from '../../../../src/domain/links/visit/destination.ts'
import { ANDROIDS, DESKTOPS, IPHONES, MAC_SAFARI, OTHER_PHONES, PREVIEWERS, PROGRAMS } from '../agents.ts'

const LINK = {
  desktopWebFallbackUrl: 'https://shop.example.com/desktop?a=1',
  mobileWebFallbackUrl: 'https://m.example.com/mobile',
}
const SETTINGS = {
  appStoreUrl: 'https://apps.apple.com/app/id123456789',
  playStoreUrl: 'https://play.google.com/store/apps/details?id=com.example.app&hl=de',
  androidPackage: 'com.example.app',
  offersClipboard: true,
  offersCode: false,
}
const NO_STORE = {
  appStoreUrl: null,
  playStoreUrl: null,
  androidPackage: null,
  offersClipboard: true,
  offersCode: false,
}
const LINK_URL = 'https://go.example.com/spring/sale?ref=a&b=c%20d'
const REFERRER = 'https%3A%2F%2Fgo.example.com%2Fspring%2Fsale%3Fref%3Da%26b%3Dc%2520d'

const goes = (userAgent: string, settings: Parameters<typeof destinationFor>[2] = SETTINGS, hint?: string) =>
  destinationFor(readAgent({ 'user-agent': userAgent, 'sec-ch-ua-platform': hint }), LINK, settings, LINK_URL)

const names = (table: Record<string, string>) => Object.entries(table)

describe('where a link leads', () => {
  for (const [name, agent] of names(IPHONES)) {
    it(`is the jump page with the App Store for iOS: ${name}`, () => {
      expect(goes(agent)).to.deep.equal({
        kind: 'jump',
        store: { kind: 'appStore', url: SETTINGS.appStoreUrl },
        webUrl: LINK.mobileWebFallbackUrl,
        route: 'jumpPage',
      })
      expect(goes(agent, NO_STORE)).to.deep.equal({
        kind: 'redirect',
        url: LINK.mobileWebFallbackUrl,
        route: 'mobileWeb',
      })
    })
  }

  for (const [name, agent] of names(ANDROIDS)) {
    it(`is Google Play with the link as install referrer for Android: ${name}`, () => {
      const url = `${SETTINGS.playStoreUrl}&referrer=${REFERRER}`
      expect(goes(agent)).to.deep.equal({
        kind: 'jump',
        store: { kind: 'playStore', url },
        webUrl: LINK.mobileWebFallbackUrl,
        route: 'jumpPage',
      })
      expect(goes(agent, { ...SETTINGS, offersClipboard: false })).to.deep.equal({
        kind: 'redirect',
        url,
        route: 'playStore',
      })
      expect(goes(agent, NO_STORE)).to.deep.equal({
        kind: 'redirect',
        url: LINK.mobileWebFallbackUrl,
        route: 'mobileWeb',
      })
    })
  }

  for (const [name, agent] of [
    ...names(DESKTOPS),
    ...names(PROGRAMS),
    ['nothing', ''],
    ['nonsense', 'MyAgent'],
    ['a number', '5'],
  ] as const) {
    it(`is the desktop page for ${name}`, () => {
      for (const settings of [SETTINGS, NO_STORE]) {
        expect(goes(agent, settings)).to.deep.equal({
          kind: 'redirect',
          url: LINK.desktopWebFallbackUrl,
          route: 'desktopWeb',
        })
      }
    })
  }

  for (const [name, agent] of names(OTHER_PHONES)) {
    it(`is the mobile page for a phone that no store serves: ${name}`, () => {
      expect(goes(agent)).to.deep.equal({ kind: 'redirect', url: LINK.mobileWebFallbackUrl, route: 'mobileWeb' })
    })
  }

  for (const [name, agent] of names(PREVIEWERS)) {
    it(`is the page with tags, and no store, for ${name}`, () => {
      for (const settings of [SETTINGS, NO_STORE]) {
        expect(goes(agent, settings)).to.deep.equal({ kind: 'preview', url: LINK.desktopWebFallbackUrl })
      }
    })
  }

  it('is asked of a script when it may be an iPad, and only if there is a store for it', () => {
    expect(goes(MAC_SAFARI)).to.deep.equal({
      kind: 'jump',
      store: { kind: 'appStore', url: SETTINGS.appStoreUrl },
      webUrl: LINK.mobileWebFallbackUrl,
      desktopUrl: LINK.desktopWebFallbackUrl,
      route: 'desktopWeb',
    })
    expect(goes(MAC_SAFARI, NO_STORE)).to.deep.equal({
      kind: 'redirect',
      url: LINK.desktopWebFallbackUrl,
      route: 'desktopWeb',
    })
  })

  it('is a page with a code for people at computers, where the app wants one', () => {
    const wanted = { ...SETTINGS, offersCode: true }
    const code = { kind: 'code', desktopUrl: LINK.desktopWebFallbackUrl, tablet: undefined, route: 'desktopCode' }
    for (const [name, agent] of names(DESKTOPS).filter(([, one]) => one !== MAC_SAFARI)) {
      expect(goes(agent, wanted), name).to.deep.equal(code)
    }
    const tablet = { store: { kind: 'appStore', url: SETTINGS.appStoreUrl }, webUrl: LINK.mobileWebFallbackUrl }
    expect(goes(MAC_SAFARI, wanted)).to.deep.equal({ ...code, tablet })
    expect(goes(MAC_SAFARI, { ...NO_STORE, offersCode: true })).to.deep.equal(code)
    for (const [name, agent] of [
      ...names(IPHONES),
      ...names(ANDROIDS),
      ...names(OTHER_PHONES),
      ...names(PREVIEWERS),
      ...names(PROGRAMS),
    ]) {
      expect(goes(agent, wanted), name).to.deep.equal(goes(agent))
    }
  })

  it('believes the hint of a browser whose user agent hides the phone', () => {
    expect(goes(DESKTOPS['Firefox on Linux'], SETTINGS, '"Android"')).to.have.nested.property('store.kind', 'playStore')
    expect(goes(DESKTOPS['Chrome on Windows'], SETTINGS, '"Windows"')).to.have.property('route', 'desktopWeb')
  })
})

describe('an agent', () => {
  it('is a person unless it fetches for others or is a program', () => {
    const people = [...names(IPHONES), ...names(ANDROIDS), ...names(DESKTOPS), ...names(OTHER_PHONES), ['', '']]
    for (const [name, agent] of people) expect(readAgent({ 'user-agent': agent }).isPerson, name).to.equal(true)
    for (const [name, agent] of [...names(PREVIEWERS), ...names(PROGRAMS)]) {
      expect(readAgent({ 'user-agent': agent }).isPerson, name).to.equal(false)
    }
    expect(readAgent({})).to.deep.equal({
      platform: 'unknown',
      isPreviewer: false,
      isPerson: true,
      maybeTablet: false,
    } satisfies Agent)
  })

  it('is not held up by a user agent made to hold it up', () => {
    const began = process.cpuUsage()
    for (const piece of ['Macintosh ', 'curl bot', 'AppleWebKit/', 'a', '(']) {
      readAgent({ 'user-agent': piece.repeat(Math.floor(16_000 / piece.length)) })
    }
    // Processor time: how busy the machine is does not count.
    expect(process.cpuUsage(began).user / 1000).to.be.below(2000)
  })

  it('that loads ahead of a visit says so', () => {
    for (const headers of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }, { 'x-moz': 'prefetch' }]) {
      expect(isPrefetch(headers)).to.equal(true)
    }
    expect(isPrefetch({ accept: 'text/html' })).to.equal(false)
  })
})

describe('a store', () => {
  it('is known by the package alone, and then found in Google Play', () => {
    const settings = { ...NO_STORE, androidPackage: 'com.example.app' }
    expect(storeFor('android', settings, LINK_URL)?.url).to.equal(
      `https://play.google.com/store/apps/details?id=com.example.app&referrer=${REFERRER}`,
    )
    expect(storeFor('ios', settings, LINK_URL)).to.equal(undefined)
    expect(storeFor('desktop', settings, LINK_URL)).to.equal(undefined)
  })

  it('tells the number of an app', () => {
    expect(appStoreId('https://apps.apple.com/de/app/name/id123456789?mt=8')).to.equal('123456789')
    expect(appStoreId('https://apps.apple.com/app/id123456789')).to.equal('123456789')
    expect(appStoreId('https://apps.apple.com/de/app/identity')).to.equal(undefined)
  })
})
