import type { IncomingMessage, RequestListener } from 'node:http'
import { isIP } from 'node:net'
import type { Context } from 'koa'
import type { App } from '../app.ts'
import { AppError, messageOf } from '../platform/errors.ts'
import { networkList } from '../platform/networks.ts'
import { isOwnMachine, plainAddress } from './device/caller.ts'
import type { Catalogue, MetricSources, Observation } from './metrics-catalogue.ts'
import { Reply, Text } from './route.ts'

/** With one of these a request comes through a proxy, and whom it comes from only the proxy knows. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

const REFUSED =
  '/metrics is for the addresses in metrics.allow (by default this machine) that ask by address and not through a proxy: ' +
  'add the address there, or give /metrics a port of its own with metrics.listen'

/**
 * `/metrics` without a key, in the text format of Prometheus. What does the counting is loaded after the first answer has
 * left: it takes tens of milliseconds, and the start waits for nothing. On the main port it is for callers of `metrics.allow`; with
 * `metrics.listen` it is not there at all.
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
      loading.catch((error: unknown) => app.kernel.log.error({ error: messageOf(error) }, 'metrics cannot be kept'))
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

    /** The same for a listener that has nothing else. */
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
          app.kernel.log.error({ error: messageOf(error) }, 'metrics cannot be told')
          refuse(500, 'something went wrong on our side; the log has the details')
        })
    }) satisfies RequestListener,
  }
}

/**
 * Whether somebody else may stand behind a caller. Proxies say so in a header, or speak HTTP/1.0 (nginx as it comes). On this machine
 * the name in `Host` tells too: of a proxy that keeps it, and of a page of another site in a browser here.
 */
function isPassedOn({ headers, httpVersion, socket }: IncomingMessage): boolean {
  if (httpVersion !== '1.1' || FORWARDING.some((name) => headers[name] !== undefined)) return true
  if (!isOwnMachine(plainAddress(socket.remoteAddress ?? ''))) return false
  const name = (headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '')
  return isIP(name) === 0 && !/(?:^|\.)localhost$/i.test(name)
}
