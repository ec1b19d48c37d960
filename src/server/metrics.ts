import type { IncomingMessage, RequestListener } from 'node:http'
import { isIP } from 'node:net'
import type { Context } from 'koa'
import type { App } from '../app.ts'
import { AppError, messageOf } from '../platform/errors.ts'
import { networkList } from '../platform/networks.ts'
import { isOwnMachine, plainAddress } from './device/caller.ts'
import type { Catalogue, MetricSources, Observation } from './metrics-catalogue.ts'
import { Reply, Text } from './route.ts'

/** Headers that proxies add. Behind a proxy the address of the client is unknown. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

const REFUSED =
  '/metrics answers addresses in metrics.allow only (by default this machine), by IP address and not through a proxy: ' +
  'add your address there, or give /metrics its own port with metrics.listen'

/**
 * `/metrics` without a key, in the text format of Prometheus. The metrics library is loaded after the first answer,
 * because that takes tens of milliseconds. On the main port only the addresses in `metrics.allow` may read it; with
 * `metrics.listen` it is not served there.
 */
export function createMeter(app: App, sources: MetricSources = { waitingClicks: () => 0 }) {
  let catalogue: Catalogue | undefined
  let loading: Promise<Catalogue> | undefined
  const early: Observation[] = []
  const isAllowed = networkList(app.kernel.config['metrics.allow'])

  async function load(): Promise<Catalogue> {
    const { createCatalogue } = await import('./metrics-catalogue.ts')
    catalogue = createCatalogue(app, sources)
    for (const seen of early.splice(0)) catalogue.observe(seen)
    return catalogue
  }

  return {
    observe(seen: Observation): void {
      if (catalogue) return catalogue.observe(seen)
      early.push(seen)
      loading ??= load()
      loading.catch((error: unknown) => app.kernel.log.error({ error: messageOf(error) }, 'metrics cannot be loaded'))
    },

    async door(context: Context): Promise<Reply | undefined> {
      if (context.path !== '/metrics' || (context.method !== 'GET' && context.method !== 'HEAD')) return undefined
      if (app.kernel.config['metrics.listen'] !== '') return undefined
      if (!isAllowed(plainAddress(context.req.socket.remoteAddress ?? '')) || isPassedOn(context.req)) {
        throw new AppError('forbidden', REFUSED)
      }
      loading ??= load()
      const { contentType, text } = await loading
      return new Reply(200, new Text(await text(), contentType), { 'Cache-Control': 'no-store' })
    },

    /** The same for the listener of `metrics.listen`. */
    alone: ((request, response) => {
      const { method, url = '' } = request
      const isOurs = (method === 'GET' || method === 'HEAD') && /^\/metrics(?:$|\?)/.test(url)
      const answer = (status: number, type: string, body: string) =>
        response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body)
      const refuse = (status: number, error: string) => answer(status, 'application/json', JSON.stringify({ error }))
      if (!isOurs) return void refuse(404, 'there is nothing here but GET /metrics')
      loading ??= load()
      loading
        .then(async ({ contentType, text }) => answer(200, contentType, await text()))
        .catch((error: unknown) => {
          app.kernel.log.error({ error: messageOf(error) }, 'metrics cannot be read')
          refuse(500, 'something went wrong on our side; the log has the details')
        })
    }) satisfies RequestListener,
  }
}

/**
 * Whether a request may come from someone other than the peer. Proxies add a header, or use HTTP/1.0 (nginx by
 * default). On this machine a host name in `Host` is a sign as well: of a proxy that keeps it, or of another website
 * in a local browser.
 */
function isPassedOn({ headers, httpVersion, socket }: IncomingMessage): boolean {
  if (httpVersion !== '1.1' || FORWARDING.some((name) => headers[name] !== undefined)) return true
  if (!isOwnMachine(plainAddress(socket.remoteAddress ?? ''))) return false
  const name = (headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '')
  return isIP(name) === 0 && !/(?:^|\.)localhost$/i.test(name)
}
