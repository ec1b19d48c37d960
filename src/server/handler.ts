import type { IncomingMessage, RequestListener } from 'node:http'
import type { App } from '../app.ts'
import { readTogether } from '../platform/db/prepared.ts'
import { consoleEntrance } from './console/entrance.ts'
import { gathered } from './http/gathered.ts'
import { createKoa } from './koa.ts'
import { createMeter, type Meter, type MeterOptions } from './metrics/metrics.ts'
import { publicDoor } from './public/links.ts'
import { hostProblem, refuseHost } from './routing/hosts.ts'
import type { Route } from './routing/route.ts'

/** All of HTTP as one listener. */
export interface Handler {
  handle: RequestListener
  /** What comes by the listener of `console.listen`: the console and its interface only. */
  handleConsole: RequestListener
  meter: Meter
  /** Writes what is only in memory. Call it when no more requests can arrive. */
  close(): Promise<void>
}

/** Real ones stay below 400 characters; patterns took up to 194 ms for one that fills the header. */
const MAX_AGENT_LENGTH = 1024

/** Answers to browsers come before Koa, so that a redirect does not pay for what it does not need. */
export function createHandler(
  app: App,
  routes: readonly Route[],
  threads: Pick<MeterOptions, 'gather' | 'ask'> = {},
): Handler {
  const meter = createMeter(app, { ...threads, waitingClicks: () => links.waitingClicks() })
  const links = publicDoor(app, (seen) => meter.observe(seen))
  const entrance = consoleEntrance(app.kernel.config)
  const koa = createKoa(app, routes, meter, entrance).callback()
  const answer: RequestListener = (request, response) =>
    links.handle(request, response, () => void koa(request, response))
  const answerSoon = gathered(answer, (work) => readTogether(app.kernel.db.read, work))
  return {
    handle: (request, response) => {
      const wrong = hostProblem(request)
      if (wrong !== undefined) return refuseHost(response, wrong)
      cutAgent(request)
      answerSoon(request, response)
    },
    handleConsole: (request, response) => {
      const wrong = hostProblem(request)
      if (wrong !== undefined) return refuseHost(response, wrong)
      cutAgent(request)
      entrance.mark(request)
      void koa(request, response)
    },
    meter,
    close: () => links.close(),
  }
}

/** Here, before anybody reads it, so that no pattern has to be safe against a long one. */
function cutAgent({ headers }: IncomingMessage): void {
  const agent = headers['user-agent']
  if (agent !== undefined && agent.length > MAX_AGENT_LENGTH) headers['user-agent'] = agent.slice(0, MAX_AGENT_LENGTH)
}
