import type { DeepLink, LinkSettings } from '../types.ts'
import type { Agent } from './agent.ts'

/** Routes of a visit, for the event: to a store, one of the link's fallback pages, or the jump page. */
type VisitRoute = 'jumpPage' | 'playStore' | 'mobileWeb' | 'desktopWeb' | 'desktopCode'

/** A store that has the app. */
export interface Store {
  kind: 'appStore' | 'playStore'
  url: string
}

/**
 * The answer to a visit. `redirect` is an HTTP redirect. `jump` is the page with a button that leads to the store; with
 * `desktopUrl`, a script sends visitors without a touch screen there. `code` is the page with a QR code for computers; with `tablet`, a script
 * shows visitors with a touch screen the buttons of `jump` instead. `preview` is the page for previewers.
 */
export type Destination =
  | { kind: 'redirect'; url: string; route: VisitRoute }
  | { kind: 'jump'; store: Store; webUrl: string; desktopUrl?: string; route: VisitRoute }
  | { kind: 'code'; desktopUrl: string; tablet?: { store: Store; webUrl: string } | undefined; route: VisitRoute }
  | { kind: 'preview'; url: string }

type Link = Pick<DeepLink, 'desktopWebFallbackUrl' | 'mobileWebFallbackUrl'>
type Settings = Pick<LinkSettings, 'appStoreUrl' | 'playStoreUrl' | 'androidPackage' | 'offersClipboard' | 'offersCode'>

/**
 * Chooses the destination for a device. Pure. Every URL in the answer is a fallback of the link or a store of the app,
 * never taken from the request. The query of a visit is part of `linkUrl` (the link as visited), which goes only to the
 * app, by clipboard or install referrer. Expired and over-limit links are answered in the same way.
 */
export function destinationFor(agent: Agent, link: Link, settings: Settings, linkUrl: string): Destination {
  const { desktopWebFallbackUrl: desktopUrl, mobileWebFallbackUrl: webUrl } = link
  if (agent.isPreviewer) return { kind: 'preview', url: desktopUrl }

  const store = storeFor(agent.platform, settings, linkUrl)
  switch (agent.platform) {
    case 'ios':
      // A redirect to the store would lose the link: iOS has no install referrer, and copying to the clipboard needs a
      // tap.
      if (store) return { kind: 'jump', store, webUrl, route: 'jumpPage' }
      return { kind: 'redirect', url: webUrl, route: 'mobileWeb' }
    case 'android':
      if (!store) return { kind: 'redirect', url: webUrl, route: 'mobileWeb' }
      if (settings.offersClipboard) return { kind: 'jump', store, webUrl, route: 'jumpPage' }
      return { kind: 'redirect', url: store.url, route: 'playStore' }
    case 'mobile':
      return { kind: 'redirect', url: webUrl, route: 'mobileWeb' }
    default: {
      const tablet = agent.maybeTablet ? storeFor('ios', settings, linkUrl) : undefined
      // Programs follow redirects, and read no code.
      if (settings.offersCode && agent.isPerson && agent.platform === 'desktop')
        return { kind: 'code', desktopUrl, tablet: tablet && { store: tablet, webUrl }, route: 'desktopCode' }
      if (tablet) return { kind: 'jump', store: tablet, webUrl, desktopUrl, route: 'desktopWeb' }
      return { kind: 'redirect', url: desktopUrl, route: 'desktopWeb' }
    }
  }
}

/**
 * The app's page in the store of a platform; undefined when none is configured. `linkUrl` reaches the app as install
 * referrer.
 */
export function storeFor(platform: Agent['platform'], settings: Settings, linkUrl: string): Store | undefined {
  const { appStoreUrl, playStoreUrl, androidPackage } = settings
  if (platform === 'ios') return appStoreUrl ? { kind: 'appStore', url: appStoreUrl } : undefined
  if (platform !== 'android' || (!playStoreUrl && !androidPackage)) return undefined
  const url = new URL(playStoreUrl || PLAY_STORE)
  if (!playStoreUrl) url.searchParams.set('id', androidPackage!)
  // Only Google Play passes it on; the app reads it once after the installation (`installReferrer`).
  if (url.hostname === 'play.google.com') url.searchParams.set('referrer', linkUrl)
  return { kind: 'playStore', url: url.href }
}

/**
 * The same as `storeFor`, but computers and other devices get any store that has the app. A Mac may be an iPad, so it
 * gets the App Store.
 */
export function anyStoreFor(agent: Agent, settings: Settings, linkUrl: string): Store | undefined {
  const platform = agent.maybeTablet ? 'ios' : agent.platform
  if (platform === 'ios' || platform === 'android') return storeFor(platform, settings, linkUrl)
  return storeFor('ios', settings, linkUrl) ?? storeFor('android', settings, linkUrl)
}

const PLAY_STORE = 'https://play.google.com/store/apps/details'

/** The App Store id of an app, from the URL of its store page (`https://apps.apple.com/de/app/name/id123456789`). */
export function appStoreId(url: string): string | undefined {
  return /\/id(\d{5,12})(?:[/?#]|$)/.exec(url)?.[1]
}
