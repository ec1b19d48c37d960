import type { DeepLink, LinkSettings } from '../types.ts'
import type { Agent } from './agent.ts'

/** Where a visit went, for the records: a store, one of the link's own pages, or our page that lets the visitor choose. */
export type VisitRoute = 'jumpPage' | 'playStore' | 'mobileWeb' | 'desktopWeb'

/** A store that has the app. */
export interface Store {
  kind: 'appStore' | 'playStore'
  url: string
}

/**
 * The answer to a visit. `redirect` leaves at once. `jump` is the page with a button that leads to the store; with `desktopUrl`
 * it is only for those with a touch screen, and a script sends all others there. `preview` is the page for machines.
 */
export type Destination =
  | { kind: 'redirect'; url: string; route: VisitRoute }
  | { kind: 'jump'; store: Store; webUrl: string; desktopUrl?: string; route: VisitRoute }
  | { kind: 'preview'; url: string }

type Link = Pick<DeepLink, 'desktopWebFallbackUrl' | 'mobileWebFallbackUrl'>
type Settings = Pick<LinkSettings, 'appStoreUrl' | 'playStoreUrl' | 'androidPackage' | 'offersClipboard'>

/**
 * Which URL for which device. Pure. Every address in the answer is the link's own or the app's store, never the caller's: what
 * is in the query of a visit goes into `linkUrl` (the whole link as visited) and from there only to the app, through clipboard or
 * install referrer. Whether the link is expired or used up does not matter here: the person still gets to the store or page.
 */
export function destinationFor(agent: Agent, link: Link, settings: Settings, linkUrl: string): Destination {
  const { desktopWebFallbackUrl: desktopUrl, mobileWebFallbackUrl: webUrl } = link
  if (agent.isPreviewer) return { kind: 'preview', url: desktopUrl }

  const store = storeFor(agent.platform, settings, linkUrl)
  switch (agent.platform) {
    case 'ios':
      // A redirect to the store would lose the link: iOS has no install referrer, and the clipboard wants a tap.
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
      if (tablet) return { kind: 'jump', store: tablet, webUrl, desktopUrl, route: 'desktopWeb' }
      return { kind: 'redirect', url: desktopUrl, route: 'desktopWeb' }
    }
  }
}

/** The app's page in the store of a platform; undefined when none is configured. `linkUrl` reaches the app as install referrer. */
export function storeFor(platform: Agent['platform'], settings: Settings, linkUrl: string): Store | undefined {
  const { appStoreUrl, playStoreUrl, androidPackage } = settings
  if (platform === 'ios') return appStoreUrl ? { kind: 'appStore', url: appStoreUrl } : undefined
  if (platform !== 'android' || (!playStoreUrl && !androidPackage)) return undefined
  const url = new URL(playStoreUrl || PLAY_STORE)
  if (!playStoreUrl) url.searchParams.set('id', androidPackage!)
  // Only Google's store hands it on; the app reads it once after the install (`installReferrer`).
  if (url.hostname === 'play.google.com') url.searchParams.set('referrer', linkUrl)
  return { kind: 'playStore', url: url.href }
}

/** As `storeFor`; a computer, which gets its apps elsewhere, is sent to whichever store has the app. An iPad may call itself a Mac. */
export function anyStoreFor(agent: Agent, settings: Settings, linkUrl: string): Store | undefined {
  const platform = agent.maybeTablet ? 'ios' : agent.platform
  if (platform === 'ios' || platform === 'android') return storeFor(platform, settings, linkUrl)
  return storeFor('ios', settings, linkUrl) ?? storeFor('android', settings, linkUrl)
}

const PLAY_STORE = 'https://play.google.com/store/apps/details'

/** The number that Apple gave an app, from the address of its store page (`https://apps.apple.com/de/app/name/id123456789`). */
export function appStoreId(url: string): string | undefined {
  return /\/id(\d{5,12})(?:[/?#]|$)/.exec(url)?.[1]
}
