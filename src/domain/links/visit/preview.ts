import { AppError } from '../../../platform/errors.ts'
import { picturePath } from '../../pictures/addresses.ts'
import { drawForPage } from '../make/qr.ts'
import type { DeepLink, LinkSite } from '../types.ts'
import type { Agent } from './agent.ts'
import { type Destination, destinationFor } from './destination.ts'
import { type Card, cardOf, type PageInput, renderCodePage, renderJumpPage } from './jump-page.ts'

/** Previews: the answers that visitors of a link get, without a visit. */

export const PREVIEW_DEVICES = ['ios', 'android', 'desktop'] as const
export type PreviewDevice = (typeof PREVIEW_DEVICES)[number]

/** The place to which a device without the app comes: the jump page, the page with a QR code, or an address. */
interface PreviewedVisit {
  device: PreviewDevice
  /** `page`: the jump page, whose main button leads to `url`. `code`: the page with a QR code, whose link leads to `url`. */
  leadsTo: 'page' | 'code' | 'redirect'
  url: string
}

export interface LinkPreview {
  /** The card in chats, from the Open Graph data of the page. */
  card: Card
  visits: PreviewedVisit[]
}

interface Visited {
  link: DeepLink
  site: LinkSite
  /** The absolute URL of the link. */
  url: string
  /** The absolute URL of the icon of the app; null when it has none. */
  iconUrl: string | null
  /** Header of the request: the language of the page. */
  acceptLanguage: string
}

const agentOf = (platform: Agent['platform']): Agent => ({
  platform,
  isPreviewer: false,
  isPerson: true,
  maybeTablet: false,
})

const destinationOn = (device: PreviewDevice, { link, site, url }: Visited): Destination =>
  destinationFor(agentOf(device), link, site.settings, url)

const inputOf = ({ link, site, url, acceptLanguage }: Visited): Omit<PageInput, 'nonce'> => ({
  appName: site.appName,
  content: link.content,
  linkUrl: url,
  offersClipboard: site.settings.offersClipboard,
  // The page of a link names an address on the host of the link, which the frame of a preview may not reach.
  icon: site.settings.icon ?? (site.appIcon ? picturePath(site.appIcon) : undefined),
  pictureUrl: link.pictureUrl,
  color: site.settings.color,
  acceptLanguage,
})

/** The place to which each device is led, and the card in chats. Counts nothing. */
export function previewLink(visited: Visited): LinkPreview {
  const visits = PREVIEW_DEVICES.map((device): PreviewedVisit => {
    const found = destinationOn(device, visited)
    if (found.kind === 'code') return { device, leadsTo: 'code', url: found.desktopUrl }
    return found.kind === 'jump'
      ? { device, leadsTo: 'page', url: found.store.url }
      : { device, leadsTo: 'redirect', url: found.url }
  })
  const input = inputOf(visited)
  return { card: cardOf({ ...input, icon: visited.site.settings.icon ?? visited.iconUrl ?? undefined }), visits }
}

/** The page that a device gets, as HTML. Throws `conflict` where it gets none. */
export async function previewPage(visited: Visited, device: PreviewDevice, nonce: string): Promise<string> {
  const found = destinationOn(device, visited)
  if (found.kind === 'code')
    return renderCodePage({ ...inputOf(visited), nonce }, found, await drawForPage(visited.url))
  if (found.kind !== 'jump') {
    throw new AppError(
      'conflict',
      `this device gets no page: it is sent to ${found.url}. An iPhone gets one when the link settings name the App Store, a computer when they offer a QR code`,
    )
  }
  return renderJumpPage({ ...inputOf(visited), nonce }, found)
}
