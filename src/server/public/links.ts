import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { LinkSite } from '../../domain/links/types.ts'
import { type ClickBuffer, clickBuffer } from '../../domain/links/visit/clicks.ts'
import { messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { sendError } from '../http/respond.ts'
import type { Observation } from '../metrics/request-counts.ts'
import { RENDERER_PATH, sendRenderer } from '../renderer/door.ts'
import { configuredNames, destinationOf, hostnameOf } from '../routing/hosts.ts'
import { sendFingerprintPage } from './fingerprint-page.ts'
import { linkLookup } from './link-lookup.ts'
import type { PictureDoor } from './pictures.ts'
import { shortMemory } from './short-memory.ts'
import { siteAnswers } from './site.ts'

/**
 * Answers browsers and operating systems: link hosts, the fingerprint page, the renderer page. All requests pass here
 * first.
 */
export interface PublicDoor {
  /** Answers, or calls `pass` for a request that is not for it. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse, pass: () => void): void
  /** Answers a request for a picture. Never throws. */
  answerPicture(request: IncomingMessage, response: ServerResponse): void
  /** Writes the clicks that are still in memory. Call it when no more requests can arrive. */
  close(): Promise<void>
  /** Number of clicks that were answered and are not stored yet. */
  waitingClicks(): number
}

/** Path of the fingerprint page, besides its own host. */
const FINGERPRINT_PATH = '/fingerprint'

interface Host {
  name: string
  isOurs: boolean
}

/** Size of the cache of `Host` headers, and its longest key: a name (RFC 1035) and a port. */
const MAX_HOSTS = 1000
const MAX_HOST_LENGTH = 260

/**
 * Decides by host name, then by path. The link host of an app serves links and association files only, not the HTTP
 * interface. For a request to the interface this costs one look-up in a set, or in the cache of unknown host names.
 */
export function publicDoor(program: Program, observe: (seen: Observation) => void, pictures: PictureDoor): PublicDoor {
  const { config, clock, log } = program.kernel
  const lookup = linkLookup(program)
  const clicks: ClickBuffer = clickBuffer({
    store: (batch) => program.inTransaction((tx) => tx.links.recordClicks(batch)),
    clock,
    log,
  })
  const answers = siteAnswers({ urlOf: program.links.urlOf, lookup, clicks, clock, pictureOf: pictures.read })
  const ours = ownNames(config)
  const hosts = shortMemory<string, Host>({ lifeMs: Number.POSITIVE_INFINITY, capacity: MAX_HOSTS })
  const fingerprintHost = hostnameOf(config['hosts.fingerprint'])
  const rendererHost = hostnameOf(config['hosts.renderer'])
  // A mistyped name below the link domain does not get the interface either. No host name ends with a space: no
  // domain, no match.
  const belowDomain = config['links.domain'] === '' ? ' ' : `.${hostnameOf(config['links.domain'])}`

  /**
   * Runs an answer and observes it for metrics. A failure is logged and answered with 503. Without a promise where the
   * answer needs none.
   */
  function answer(request: IncomingMessage, response: ServerResponse, run: () => string | Promise<string>): void {
    const began = performance.now()
    const method = request.method === 'GET' || request.method === 'HEAD' ? 'get' : 'other'
    const seen = (route: string) =>
      observe({
        area: 'links',
        route,
        method,
        status: response.statusCode,
        seconds: (performance.now() - began) / 1000,
      })
    const fail = (error: unknown) => {
      log.error({ error: messageOf(error), path: request.url }, 'a link could not be looked up')
      if (response.headersSent) response.destroy()
      else sendError(request, response, 503, 'this link cannot be looked up now: try again', { 'Retry-After': '5' })
      seen('link')
    }
    let ran: string | Promise<string>
    try {
      ran = run()
    } catch (error) {
      return fail(error)
    }
    if (typeof ran === 'string') seen(ran)
    else ran.then(seen, fail)
  }

  /** The name in a `Host` header, and whether it can be no link host. Kept, because visits repeat a few hosts. */
  function hostOf(header: string): Host {
    const known = hosts.get(header, 0)
    if (known) return known
    const name = hostnameOf(header)
    const host = { name, isOurs: ours.has(name) || isIP(name.replace(/^\[|\]$/g, '')) > 0 }
    if (header.length <= MAX_HOST_LENGTH) hosts.set(header, host, 0)
    return host
  }

  /**
   * Answers a request to a host that is not a link host: a link in its path form or one of our pages; else passes it
   * on.
   */
  function elsewhere(request: IncomingMessage, response: ServerResponse, pass: () => void): void {
    const url = request.url!
    if (isPath(url, FINGERPRINT_PATH)) {
      return answer(request, response, () => sendFingerprintPage(request, response))
    }
    if (isPath(url, RENDERER_PATH) || url.startsWith(`${RENDERER_PATH}/`)) {
      return answer(request, response, () => sendRenderer(request, response))
    }
    if (pictures.isFor(url)) return answer(request, response, () => pictures.answer(request, response))
    const link = url.startsWith('/l/') || url.startsWith('/links/l/') ? linkPath(request, config) : undefined
    if (!link) return pass()
    answer(request, response, async () => {
      const site = await lookup.siteOfSubdomain(link.subdomain)
      return answers.visit(request, response, site ?? undefined, link.path)
    })
  }

  return {
    handle(request, response, pass) {
      const url = request.url!
      const { name: host, isOurs } = hostOf(request.headers.host ?? '')
      // A request target in absolute form is meant for a proxy.
      if (!url.startsWith('/')) return pass()
      if (fingerprintHost !== '' && host === fingerprintHost) {
        return answer(request, response, () => sendFingerprintPage(request, response))
      }
      if (rendererHost !== '' && host === rendererHost) {
        return answer(request, response, () => sendRenderer(request, response))
      }
      if (isOurs) return elsewhere(request, response, pass)
      const enter = (site: LinkSite | null) => {
        if (!site && !host.endsWith(belowDomain)) return elsewhere(request, response, pass)
        answer(request, response, () => answers.answer(request, response, site))
      }
      const site = lookup.siteOfHost(host)
      if (!(site instanceof Promise)) return enter(site)
      site.then(enter, (error: unknown) => {
        // Without the database the owner of the host is unknown. The interface, which comes next, answers 503 in its
        // own form.
        log.warn({ error: messageOf(error), host }, 'a host name could not be looked up')
        elsewhere(request, response, pass)
      })
    },

    answerPicture: (request, response) => answer(request, response, () => pictures.answer(request, response)),

    close: () => clicks.close(),
    waitingClicks: () => clicks.waiting(),
  }
}

/** Host names that are never a link host: those of the areas and of the program itself. */
function ownNames(config: Program['kernel']['config']): ReadonlySet<string> {
  return new Set(['', 'localhost', ...configuredNames(config)])
}

function isPath(url: string, path: string): boolean {
  return url.startsWith(path) && (url.length === path.length || url[path.length] === '?')
}

/** Reads `/l/{subdomain}/{slug}`, where the links area answers. `path` is the slug, still percent-encoded. */
function linkPath(
  request: IncomingMessage,
  config: Program['kernel']['config'],
): { subdomain: string; path: string } | undefined {
  const [whole] = request.url!.split('?', 1) as [string]
  const { areas, path } = destinationOf(request.headers.host ?? '', whole, config)
  const match = areas.includes('links') ? /^\/l\/([a-z0-9-]{1,63})(\/.*)$/i.exec(path) : undefined
  return match ? { subdomain: match[1]!.toLowerCase(), path: match[2]! } : undefined
}
