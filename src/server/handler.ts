import type { RequestListener } from 'node:http'
import type { App } from '../app.ts'
import { createKoa } from './koa.ts'
import { createMeter } from './metrics.ts'
import { publicDoor } from './public/links.ts'
import type { Route } from './route.ts'

/** All of HTTP as one listener. */
export interface Handler {
  handle: RequestListener
  /** For the end, when nothing comes in any more: writes what was only in memory. */
  close(): Promise<void>
}

/** What browsers see stands in front, because a redirect must not wait behind what it does not need; Koa is behind. */
export function createHandler(app: App, routes: readonly Route[]): Handler {
  const meter = createMeter(app, { waitingClicks: () => links.waitingClicks() })
  const links = publicDoor(app, (seen) => meter.observe(seen))
  const koa = createKoa(app, routes, meter).callback()
  return {
    handle: (request, response) => links.handle(request, response, () => void koa(request, response)),
    close: () => links.close(),
  }
}
