import type { IncomingMessage, RequestListener } from 'node:http'
import { isIP } from 'node:net'
import type { Context } from 'koa'
import { AppError, messageOf } from '../../platform/errors.ts'
import { networkList } from '../../platform/net/networks.ts'
import type { Program } from '../../program.ts'
import type { HealthAnswer } from '../health.ts'
import { isOwnMachine, plainAddress } from '../limits/caller.ts'
import { Reply, Text } from '../routing/route.ts'
import type { Catalogue } from './catalogue.ts'
import { createRequestCounts, type Observation, type RequestCounts, type Series } from './request-counts.ts'

/** Headers that proxies add. Behind a proxy the address of the client is unknown. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

const REFUSED =
  '/metrics answers addresses in metrics.allow only (by default this machine), by IP address and not through a proxy: ' +
  'add your address there, or give /metrics its own port with metrics.listen'

/** Counts of one HTTP thread since its last report. */
export interface Tally {
  requests: Series[]
  refusals: Map<string, number>
  waitingClicks: number
}

/** The text of `/metrics`. */
export interface MetricsText {
  contentType: string
  text: string
}

export interface MeterOptions {
  /** Clicks of this thread that are answered and not stored yet. */
  waitingClicks(): number
  /** Makes the other HTTP threads report their counts, in the main thread. Returns the clicks that wait there. */
  gather?(): Promise<number>
  /** Asks the main thread for the text, in another HTTP thread. */
  ask?(): Promise<MetricsText>
}

export type Meter = ReturnType<typeof createMeter>

/**
 * `/metrics` without a key, in the text format of Prometheus, for the whole process whichever thread is asked. The
 * metrics library is loaded after the first answer, because that takes tens of milliseconds. On the main port only the
 * addresses in `metrics.allow` may read it; with `metrics.listen` it is not served there.
 */
export function createMeter(
  program: Program,
  { waitingClicks, gather, ask }: MeterOptions = { waitingClicks: () => 0 },
) {
  const { refusals } = program.kernel
  const counts: RequestCounts = createRequestCounts()
  let elsewhere = 0
  let loading: Promise<Catalogue> | undefined
  const isAllowed = networkList(program.kernel.config['metrics.allow'])

  async function load(): Promise<Catalogue> {
    const { createCatalogue } = await import('./catalogue.ts')
    return createCatalogue(program, { counts, waitingClicks: () => waitingClicks() + elsewhere })
  }

  async function text(): Promise<MetricsText> {
    if (ask) return ask()
    loading ??= load()
    const catalogue = await loading
    if (gather) elsewhere = await gather()
    return { contentType: catalogue.contentType, text: await catalogue.text() }
  }

  function loadSoon(): void {
    loading = load()
    loading.catch((error: unknown) => program.kernel.log.error({ error: messageOf(error) }, 'metrics cannot be loaded'))
  }

  return {
    observe(seen: Observation): void {
      counts.observe(seen)
      if (!loading && !ask) loadSoon()
    },

    text,

    /** The requests that all HTTP threads have answered since the start, by route, method and status. In the main thread only. */
    async answered(): Promise<Series[]> {
      if (gather) elsewhere = await gather()
      return counts.list()
    },

    /** The counts of this thread since the last time; they are not counted here any more. */
    take(): Tally {
      const tally = { requests: counts.take(), refusals: new Map(refusals), waitingClicks: waitingClicks() }
      refusals.clear()
      return tally
    },

    /** Counts what another thread has counted. */
    add(tally: Pick<Tally, 'requests' | 'refusals'>): void {
      counts.add(tally.requests)
      for (const [limit, count] of tally.refusals) refusals.set(limit, (refusals.get(limit) ?? 0) + count)
    },

    async door(context: Context): Promise<Reply | undefined> {
      if (context.path !== '/metrics' || (context.method !== 'GET' && context.method !== 'HEAD')) return undefined
      if (program.kernel.config['metrics.listen'] !== '') return undefined
      if (!isAllowed(plainAddress(context.req.socket.remoteAddress ?? '')) || isPassedOn(context.req)) {
        throw new AppError('forbidden', REFUSED)
      }
      const metrics = await text()
      return new Reply(200, new Text(metrics.text, metrics.contentType), { 'Cache-Control': 'no-store' })
    },

    /** The same for the listener of `metrics.listen`. */
    alone: metricsListener(program, text),
  }
}

/**
 * Answers `GET /metrics` on a listener of its own, and the paths that `others` knows, such as `GET /healthz` of a worker.
 * Everything else is 404.
 */
export function metricsListener(
  { kernel }: Pick<Program, 'kernel'>,
  text: () => Promise<MetricsText>,
  others: (path: string) => Promise<HealthAnswer | undefined> = async () => undefined,
): RequestListener {
  return (request, response) => {
    const { method, url = '' } = request
    const path = url.split('?', 1)[0]!
    const answer = (status: number, type: string, body: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { ...headers, 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body)
    const say = (status: number, body: object, headers?: Record<string, string>) =>
      answer(status, 'application/json', JSON.stringify(body), headers)
    async function find(): Promise<void> {
      if (method === 'GET' || method === 'HEAD') {
        if (path === '/metrics') {
          const metrics = await text()
          return void answer(200, metrics.contentType, metrics.text)
        }
        const other = await others(path)
        if (other) return void say(other.status, other.body, other.headers)
      }
      say(404, { error: 'there is nothing here but GET /metrics' })
    }
    find().catch((error: unknown) => {
      kernel.log.error({ error: messageOf(error) }, 'metrics cannot be read')
      say(500, { error: 'something went wrong on our side; the log has the details' })
    })
  }
}

/**
 * Tells whether a request may come from someone other than the peer. Proxies add a header, or use HTTP/1.0 (nginx by default). On
 * this machine a host name in `Host` is a sign as well: of a proxy that keeps it, or of another website in a local browser.
 */
function isPassedOn({ headers, httpVersion, socket }: IncomingMessage): boolean {
  if (httpVersion === '1.0' || FORWARDING.some((name) => headers[name] !== undefined)) return true
  if (!isOwnMachine(plainAddress(socket.remoteAddress ?? ''))) return false
  const name = (headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '')
  return isIP(name) === 0 && !/(?:^|\.)localhost$/i.test(name)
}
