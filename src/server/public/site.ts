import type { IncomingMessage, ServerResponse } from 'node:http'
import { readSlug } from '../../domain/links/make/slug.ts'
import { ASSOCIATION_PATHS, appleAppSiteAssociation, assetLinks } from '../../domain/links/settings/well-known.ts'
import type { LinkSite } from '../../domain/links/types.ts'
import { type Agent, isPrefetch, readAgent } from '../../domain/links/visit/agent.ts'
import type { ClickBuffer } from '../../domain/links/visit/clicks.ts'
import { type Destination, destinationFor } from '../../domain/links/visit/destination.ts'
import { type PageInput, renderJumpPage, renderPreview } from '../../domain/links/visit/jump-page.ts'
import type { VisitedLink } from '../../domain/links/visit/repository.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LinkLookup } from './link-lookup.ts'
import { newNonce, redirect, sendError, sendNotFound, sendPage, sendText } from './respond.ts'
import { shortMemory } from './short-memory.ts'

interface Parts {
  urlOf(site: LinkSite, slug: string): string
  lookup: LinkLookup
  clicks: ClickBuffer
  clock: Clock
}

/** Operating systems ask seldom and through caches of their own; a change should not take a day. */
const DOCUMENT_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=3600' }
/** Browsers of one day. What is longer than theirs is not worth the memory. */
const MOST_AGENTS = 5000
const LONGEST_AGENT = 600

/** The answers of an app's link host. Each returns the name that the request has in metrics. */
export function siteAnswers({ urlOf, lookup, clicks, clock }: Parts) {
  const agents = shortMemory<string, Agent>({ lifeMs: Number.POSITIVE_INFINITY, most: MOST_AGENTS })

  function agentOf({ headers }: IncomingMessage): Agent {
    const key = `${headers['user-agent'] ?? ''}\n${String(headers['sec-ch-ua-platform'] ?? '')}`
    const known = agents.get(key, 0)
    if (known) return known
    const agent = readAgent(headers)
    if (key.length <= LONGEST_AGENT) agents.set(key, agent, 0)
    return agent
  }

  /** A visit to a path of a site; `path` without the query, as it was sent. */
  function visit(
    request: IncomingMessage,
    response: ServerResponse,
    site: LinkSite | undefined,
    path: string,
  ): string | Promise<string> {
    if (refuseMethod(request, response)) return 'link'
    const slug = site && slugOf(path)
    if (!slug) return noLink(request, response)
    const link = lookup.link(site.appId, slug)
    const enter = (found: VisitedLink | undefined) =>
      found ? lead(request, response, site, found) : noLink(request, response)
    return link instanceof Promise ? link.then(enter) : enter(link)
  }

  function lead(request: IncomingMessage, response: ServerResponse, site: LinkSite, link: VisitedLink): string {
    const agent = agentOf(request)
    const linkUrl = visitedUrl(urlOf(site, link.slug), request.url!)
    const destination = destinationFor(agent, link, site.settings, linkUrl)
    if (destination.kind === 'redirect') redirect(response, destination.url)
    else {
      const nonce = newNonce()
      const acceptLanguage = request.headers['accept-language']
      const { offersClipboard } = site.settings
      const input = { appName: site.appName, content: link.content, linkUrl, offersClipboard, acceptLanguage, nonce }
      sendPage(request, response, { text: pageOf(input, destination), nonce })
    }
    if (destination.kind !== 'preview' && agent.isPerson && request.method === 'GET' && !isPrefetch(request.headers)) {
      const data = { platform: agent.platform, route: destination.route }
      clicks.add({ appId: link.appId, linkId: link.id, label: link.label, at: clock.now(), data })
    }
    return 'link'
  }

  return {
    visit,

    /** Anything on a link host; null when it is the host of no app. */
    answer(request: IncomingMessage, response: ServerResponse, site: LinkSite | null): string | Promise<string> {
      const url = request.url!
      const end = url.indexOf('?')
      const path = end < 0 ? url : url.slice(0, end)
      if (!path.startsWith('/.well-known/')) return visit(request, response, site ?? undefined, path)
      if (refuseMethod(request, response)) return 'association'
      const document = site && documentAt(path, site.settings)
      if (document) sendText(request, response, { text: JSON.stringify(document), headers: DOCUMENT_HEADERS })
      else sendNotFound(request, response, { error: `there is no ${path} for this app`, json: true })
      return 'association'
    },
  }
}

function documentAt(path: string, settings: LinkSite['settings']): object | undefined {
  if (path === ASSOCIATION_PATHS.apple) return appleAppSiteAssociation(settings)
  return path === ASSOCIATION_PATHS.google ? assetLinks(settings) : undefined
}

function pageOf(input: PageInput, destination: Exclude<Destination, { kind: 'redirect' }>): string {
  return destination.kind === 'jump' ? renderJumpPage(input, destination) : renderPreview(input, destination)
}

function noLink(request: IncomingMessage, response: ServerResponse): string {
  sendNotFound(request, response, { error: 'there is no link at this address' })
  return 'link'
}

/** True when it was refused. */
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

/** The link as it was visited: its configured address with the visit's own query, which only the app gets to see. */
function visitedUrl(linkUrl: string, requestUrl: string): string {
  const query = requestUrl.indexOf('?')
  if (query < 0 || query === requestUrl.length - 1) return linkUrl
  return new URL(linkUrl + requestUrl.slice(query)).href
}
