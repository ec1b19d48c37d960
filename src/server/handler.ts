import type { IncomingMessage, RequestListener } from 'node:http'
import type { App } from '../app.ts'
import { createKoa } from './koa.ts'
import { createMeter } from './metrics.ts'
import { publicDoor } from './public/links.ts'
import type { Route } from './route.ts'

/** All of HTTP as one listener. */
export interface Handler {
  handle: RequestListener
  /** `/metrics` and nothing else, for a listener of its own. */
  metrics: RequestListener
  /** For the end, when nothing comes in any more: writes what was only in memory. */
  close(): Promise<void>
}

/** Real ones stay below 400 characters; patterns took up to 194 ms for one that fills the header. */
const LONGEST_AGENT = 1024

/** What browsers see stands in front, because a redirect must not wait behind what it does not need; Koa is behind. */
export function createHandler(app: App, routes: readonly Route[]): Handler {
  const meter = createMeter(app, { waitingClicks: () => links.waitingClicks() })
  const links = publicDoor(app, (seen) => meter.observe(seen))
  const koa = createKoa(app, routes, meter).callback()
  return {
    handle: (request, response) => {
      cutAgent(request)
      links.handle(request, response, () => void koa(request, response))
    },
    metrics: meter.alone,
    close: () => links.close(),
  }
}

/** Here, before anybody reads it, so that no pattern has to be safe against a long one. */
function cutAgent({ headers }: IncomingMessage): void {
  const agent = headers['user-agent']
  if (agent !== undefined && agent.length > LONGEST_AGENT) headers['user-agent'] = agent.slice(0, LONGEST_AGENT)
}
