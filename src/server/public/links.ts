import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { App } from '../../app.ts'
import type { LinkSite } from '../../domain/links/types.ts'
import { type ClickBuffer, clickBuffer } from '../../domain/links/visit/clicks.ts'
import { messageOf } from '../../platform/errors.ts'
import { destinationOf } from '../hosts.ts'
import type { Observation } from '../metrics-catalogue.ts'
import { RENDERER_PATH, sendRenderer } from '../renderer/door.ts'
import { sendFingerprintPage } from './fingerprint-page.ts'
import { linkLookup } from './link-lookup.ts'
import { sendError } from './respond.ts'
import { siteAnswers } from './site.ts'

/** What browsers and operating systems see of us: link hosts, the fingerprint page and the renderer page. It stands in front of all others. */
export interface PublicDoor {
  /** Answers, or calls `pass` when the request is for somebody else. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse, pass: () => void): void
  /** Writes the clicks that are still in memory. Nothing may come in any more. */
  close(): Promise<void>
  /** Clicks that are answered and not written yet. */
  waitingClicks(): number
}

/** Where the fingerprint page is besides its own host. */
const FINGERPRINT_PATH = '/fingerprint'

/**
 * Decides by host name, then by path: a host that is an app's has links and their documents only, no interface. A request that
 * means none of this costs a look at a set, or at a short memory of names that are nobody's.
 */
export function publicDoor(app: App, observe: (seen: Observation) => void): PublicDoor {
  const { config, clock, log } = app.kernel
  const lookup = linkLookup(app)
  const clicks: ClickBuffer = clickBuffer({
    store: (batch) => app.inTransaction((tx) => tx.links.recordClicks(batch)),
    clock,
    log,
  })
  // Changes made in this process show at once; those of other processes show when the memory ends.
  app.kernel.linkSettingsChanged.add(lookup.forgetSites)
  const answers = siteAnswers({ urlOf: app.links.urlOf, lookup, clicks, clock })
  const ours = ownNames(config)
  const fingerprintHost = hostnameOf(config['hosts.fingerprint'])
  const rendererHost = hostnameOf(config['hosts.renderer'])
  // A mistyped name among those of links has no interface either. Without a domain there are no such names.
  const belowDomain = config['links.domain'] === '' ? ' ' : `.${hostnameOf(config['links.domain'])}`

  /** Runs an answer to its end; whatever goes wrong is told to the visitor and the log. */
  async function answer(request: IncomingMessage, response: ServerResponse, run: () => string | Promise<string>) {
    const began = performance.now()
    let route = 'link'
    try {
      const ran = run()
      route = typeof ran === 'string' ? ran : await ran
    } catch (error) {
      log.error({ error: messageOf(error), path: request.url }, 'a link could not be looked up')
      if (response.headersSent) response.destroy()
      else sendError(request, response, 503, 'this link cannot be looked up now: try again', { 'Retry-After': '5' })
    }
    const method = request.method === 'GET' || request.method === 'HEAD' ? 'get' : 'other'
    observe({ area: 'links', route, method, status: response.statusCode, seconds: (performance.now() - began) / 1000 })
  }

  /** A request to a host that is no app's: the path form of a link, one of our own pages, or not for us. */
  function elsewhere(request: IncomingMessage, response: ServerResponse, pass: () => void): void {
    const url = request.url!
    if (isPath(url, FINGERPRINT_PATH)) {
      return void answer(request, response, () => sendFingerprintPage(request, response))
    }
    if (isPath(url, RENDERER_PATH) || url.startsWith(`${RENDERER_PATH}/`)) {
      return void answer(request, response, () => sendRenderer(request, response))
    }
    const link = url.startsWith('/l/') || url.startsWith('/links/l/') ? linkPath(request, config) : undefined
    if (!link) return pass()
    void answer(request, response, async () => {
      const site = await lookup.siteOfSubdomain(link.subdomain)
      return answers.visit(request, response, site ?? undefined, link.path)
    })
  }

  return {
    handle(request, response, pass) {
      const url = request.url!
      const host = hostnameOf(request.headers.host ?? '')
      // An address as its own request target is for proxies.
      if (!url.startsWith('/')) return pass()
      if (fingerprintHost !== '' && host === fingerprintHost) {
        return void answer(request, response, () => sendFingerprintPage(request, response))
      }
      if (rendererHost !== '' && host === rendererHost) {
        return void answer(request, response, () => sendRenderer(request, response))
      }
      if (ours.has(host) || isIP(host.replace(/^\[|\]$/g, '')) > 0) return elsewhere(request, response, pass)
      const enter = (site: LinkSite | null) => {
        if (!site && !host.endsWith(belowDomain)) return elsewhere(request, response, pass)
        void answer(request, response, () => answers.answer(request, response, site))
      }
      const site = lookup.siteOfHost(host)
      if (!(site instanceof Promise)) return enter(site)
      site.then(enter, (error: unknown) => {
        // Without the database nobody can say whose host this is; the interface behind has its own words for that.
        log.warn({ error: messageOf(error), host }, 'a host name could not be looked up')
        elsewhere(request, response, pass)
      })
    },

    close() {
      app.kernel.linkSettingsChanged.delete(lookup.forgetSites)
      return clicks.close()
    },
    waitingClicks: () => clicks.waiting(),
  }
}

/** Host names that are never an app's link host: those of the areas and of the program itself. */
function ownNames(config: App['kernel']['config']): ReadonlySet<string> {
  const names = Object.entries(config).flatMap(([name, value]) => (name.startsWith('hosts.') ? [String(value)] : []))
  if (config.baseUrl !== '') names.push(new URL(config.baseUrl).host)
  return new Set(['', 'localhost', ...names.map(hostnameOf)])
}

/** `LINKS.example.com:8080` -> `links.example.com` */
function hostnameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
}

function isPath(url: string, path: string): boolean {
  return url.startsWith(path) && (url.length === path.length || url[path.length] === '?')
}

/** `/l/{subdomain}/{slug}` where the links area answers; the slug still as it was sent. */
function linkPath(
  request: IncomingMessage,
  config: App['kernel']['config'],
): { subdomain: string; path: string } | undefined {
  const [whole] = request.url!.split('?', 1) as [string]
  const { areas, path } = destinationOf(request.headers.host ?? '', whole, config)
  const match = areas.includes('links') ? /^\/l\/([a-z0-9-]{1,63})(\/.*)$/i.exec(path) : undefined
  return match ? { subdomain: match[1]!.toLowerCase(), path: match[2]! } : undefined
}
