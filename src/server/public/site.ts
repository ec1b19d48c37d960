import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { drawForPage } from '../../domain/links/make/qr.ts'
import { readSlug } from '../../domain/links/make/slug.ts'
import {
  ASSOCIATION_PATHS,
  appleAppSiteAssociation,
  assetLinks,
  ICON_PATH,
} from '../../domain/links/settings/well-known.ts'
import type { LinkSite } from '../../domain/links/types.ts'
import { type Agent, isPrefetch, readAgent } from '../../domain/links/visit/agent.ts'
import type { ClickBuffer } from '../../domain/links/visit/clicks.ts'
import { type Destination, destinationFor } from '../../domain/links/visit/destination.ts'
import { type PageInput, renderCodePage, renderJumpPage, renderPreview } from '../../domain/links/visit/jump-page.ts'
import type { VisitedLink } from '../../domain/links/visit/repository.ts'
import { mediaTypeOf } from '../../domain/pictures/addresses.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { isKnown } from '../http/etag.ts'
import { newNonce, redirect, sendError, sendNotFound, sendPage, sendText } from '../http/respond.ts'
import type { LinkLookup } from './link-lookup.ts'
import { FOR_EVER, type PictureDoor } from './pictures.ts'
import { shortMemory } from './short-memory.ts'

interface Parts {
  urlOf(site: LinkSite, slug: string): string
  lookup: LinkLookup
  clicks: ClickBuffer
  clock: Clock
  pictureOf: PictureDoor['read']
}

/**
 * Operating systems fetch these rarely and through caches of their own. An hour, so that a change does not take a day
 * to arrive.
 */
const AN_HOUR = 'public, max-age=3600'
const DOCUMENT_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': AN_HOUR }
/** Size of the cache of parsed user agents, and its longest key. Browsers' own are shorter. */
const MAX_AGENTS = 5000
const MAX_AGENT_LENGTH = 600
/** Size of the cache of drawn codes: one takes some 5 kB, and a millisecond to draw. */
const MAX_CODES = 500

/** Answers requests to the link host of an app. Each function returns the route's name in metrics. */
export function siteAnswers({ urlOf, lookup, clicks, clock, pictureOf }: Parts) {
  const agents = shortMemory<string, Agent>({ lifeMs: Number.POSITIVE_INFINITY, capacity: MAX_AGENTS })

  const codes = shortMemory<string, string>({ lifeMs: Number.POSITIVE_INFINITY, capacity: MAX_CODES })

  async function codeOf(linkUrl: string): Promise<string> {
    const known = codes.get(linkUrl, 0)
    if (known !== undefined) return known
    const code = await drawForPage(linkUrl)
    codes.set(linkUrl, code, 0)
    return code
  }

  function agentOf({ headers }: IncomingMessage): Agent {
    const key = `${headers['user-agent'] ?? ''}\n${String(headers['sec-ch-ua-platform'] ?? '')}`
    const known = agents.get(key, 0)
    if (known) return known
    const agent = readAgent(headers)
    if (key.length <= MAX_AGENT_LENGTH) agents.set(key, agent, 0)
    return agent
  }

  /** Answers a visit to a path of a site. `path` is without the query and still percent-encoded. */
  function visit(
    request: IncomingMessage,
    response: ServerResponse,
    site: LinkSite | undefined,
    path: string,
  ): string | Promise<string> {
    if (refuseMethod(request, response)) return 'link'
    if (path === ICON_PATH) return iconAt(request, response, site)
    const slug = site && slugOf(path)
    if (!slug) return noLink(request, response)
    const link = lookup.link(site.appId, slug)
    const enter = (found: VisitedLink | undefined) =>
      found ? lead(request, response, site, found) : noLink(request, response)
    return link instanceof Promise ? link.then(enter) : enter(link)
  }

  /** Answers with the icon of the settings, else with that of the app. */
  function iconAt(request: IncomingMessage, response: ServerResponse, site: LinkSite | undefined) {
    const address = site && iconOf(site)
    if (address === undefined) return noIcon(request, response)
    const headers = {
      // The address that a page names holds the version. Without that, another icon shows within an hour.
      'Cache-Control': request.url!.endsWith(`/${address}`) ? FOR_EVER : AN_HOUR,
      ETag: `"${address.slice(address.indexOf('=') + 1)}"`,
    }
    if (isKnown(request, headers.ETag)) {
      response.writeHead(304, headers).end()
      return 'association'
    }
    const send = (type: string, bytes: Buffer) => {
      sendText(request, response, { text: bytes, headers: { ...headers, 'Content-Type': type } })
      return 'association'
    }
    const own = site?.appIcon
    const [, type, data] = /^data:([^;]+);base64,(.*)$/.exec(site?.settings.icon ?? '') ?? []
    if (type && data) return send(type, Buffer.from(data, 'base64'))
    if (!own) return noIcon(request, response)
    return pictureOf(own).then((bytes) => (bytes ? send(mediaTypeOf(own.kind), bytes) : noIcon(request, response)))
  }

  function lead(
    request: IncomingMessage,
    response: ServerResponse,
    site: LinkSite,
    link: VisitedLink,
  ): string | Promise<string> {
    const agent = agentOf(request)
    const linkUrl = visitedUrl(urlOf(site, link.slug), request.url!)
    const destination = destinationFor(agent, link, site.settings, linkUrl)
    if (destination.kind === 'redirect') redirect(response, destination.url)
    else {
      const nonce = newNonce()
      const acceptLanguage = request.headers['accept-language']
      const { offersClipboard, color } = site.settings
      const icon = iconOf(site)
      const input = {
        appName: site.appName,
        content: link.content,
        pictureUrl: link.pictureUrl,
        color,
        linkUrl,
        offersClipboard,
        acceptLanguage,
        nonce,
        icon,
      }
      if (destination.kind === 'code')
        return codeOf(linkUrl).then((code) => {
          sendPage(request, response, { text: renderCodePage(input, destination, code), nonce })
          return count(request, link, agent, destination)
        })
      sendPage(request, response, { text: pageOf(input, destination), nonce })
    }
    return count(request, link, agent, destination)
  }

  /** Counts the visit of a person. */
  function count(request: IncomingMessage, link: VisitedLink, agent: Agent, destination: Destination): string {
    if (destination.kind !== 'preview' && agent.isPerson && request.method === 'GET' && !isPrefetch(request.headers)) {
      const data = { platform: agent.platform, route: destination.route }
      clicks.add({ appId: link.appId, linkId: link.id, label: link.label, at: clock.now(), data })
    }
    return 'link'
  }

  return {
    visit,

    /** Answers any request to a link host. `site` is null when no app has the host. */
    answer(request: IncomingMessage, response: ServerResponse, site: LinkSite | null): string | Promise<string> {
      const url = request.url!
      const end = url.indexOf('?')
      const path = end < 0 ? url : url.slice(0, end)
      if (path === ICON_PATH || !path.startsWith('/.well-known/'))
        return visit(request, response, site ?? undefined, path)
      if (refuseMethod(request, response)) return 'association'
      const document = site && documentAt(path, site.settings)
      if (document) sendText(request, response, { text: JSON.stringify(document), headers: DOCUMENT_HEADERS })
      else sendNotFound(request, response, { error: `there is no ${path} for this app`, json: true })
      return 'association'
    },
  }
}

/** Addresses of icons by the settings that hold them: a digest of 32 kB for every page would cost more than the page. */
const iconAddresses = new WeakMap<LinkSite['settings'], string>()

/** The address of the icon, relative to a page. Another icon has another one, so a browser may keep it. */
function iconOf({ settings, appIcon }: LinkSite): string | undefined {
  if (settings.icon === null) return appIcon ? `${ICON_PATH.slice(1)}?v=${appIcon.uid.slice(0, 12)}` : undefined
  const known = iconAddresses.get(settings)
  if (known !== undefined) return known
  const version = createHash('sha256').update(settings.icon).digest('hex').slice(0, 12)
  const address = `${ICON_PATH.slice(1)}?v=${version}`
  iconAddresses.set(settings, address)
  return address
}

function noIcon(request: IncomingMessage, response: ServerResponse): string {
  sendNotFound(request, response, { error: 'this app has no icon', json: true })
  return 'association'
}

function documentAt(path: string, settings: LinkSite['settings']): object | undefined {
  if (path === ASSOCIATION_PATHS.apple) return appleAppSiteAssociation(settings)
  return path === ASSOCIATION_PATHS.google ? assetLinks(settings) : undefined
}

function pageOf(input: PageInput, destination: Extract<Destination, { kind: 'jump' | 'preview' }>): string {
  return destination.kind === 'jump' ? renderJumpPage(input, destination) : renderPreview(input, destination)
}

function noLink(request: IncomingMessage, response: ServerResponse): string {
  sendNotFound(request, response, { error: 'there is no link at this address' })
  return 'link'
}

/** Answers 405 unless the method is GET or HEAD. Returns whether it did. */
function refuseMethod(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false
  const error = `${request.method} is not supported here: use GET or HEAD`
  sendError(request, response, 405, error, { Allow: 'GET, HEAD' })
  return true
}

function slugOf(path: string): string | undefined {
  try {
    return readSlug(decodeURIComponent(path))
  } catch {
    return undefined
  }
}

/** The address of the link with the query of the visit, which only the app receives. */
function visitedUrl(linkUrl: string, requestUrl: string): string {
  const query = requestUrl.indexOf('?')
  if (query < 0 || query === requestUrl.length - 1) return linkUrl
  return new URL(linkUrl + requestUrl.slice(query)).href
}
