import type { IncomingMessage, RequestListener } from 'node:http'
import { readTogether } from '../platform/db/prepared.ts'
import type { Program } from '../program.ts'
import { consoleEntrance } from './console/entrance.ts'
import { gathered } from './http/gathered.ts'
import { createKoa } from './koa.ts'
import { createMeter, type Meter, type MeterOptions } from './metrics/metrics.ts'
import { publicDoor } from './public/links.ts'
import { pictureDoor } from './public/pictures.ts'
import { hostProblem, refuseHost } from './routing/hosts.ts'
import type { Route } from './routing/route.ts'

/** All of HTTP as one listener. */
export interface Handler {
  handle: RequestListener
  /** Handles requests by the listener of `console.listen`: to the console and its interface only. */
  handleConsole: RequestListener
  meter: Meter
  /** Writes data that is only in memory. Call it when no more requests can arrive. */
  close(): Promise<void>
}

/** The longest `User-Agent` that is read. Real ones stay below 400 characters; patterns took up to 194 ms for one that fills the header. */
const MAX_AGENT_LENGTH = 1024

/** Makes the listener. Answers to browsers come before Koa, so that a redirect pays for nothing that it does not need. */
export function createHandler(
  program: Program,
  routes: readonly Route[],
  threads: Pick<MeterOptions, 'gather' | 'ask'> = {},
): Handler {
  const meter = createMeter(program, { ...threads, waitingClicks: () => links.waitingClicks() })
  const pictures = pictureDoor(program)
  const links = publicDoor(program, (seen) => meter.observe(seen), pictures)
  const entrance = consoleEntrance(program.kernel.config)
  const koa = createKoa(program, routes, meter, entrance).callback()
  const answer: RequestListener = (request, response) =>
    links.handle(request, response, () => void koa(request, response))
  const answerSoon = gathered(answer, (work) => readTogether(program.kernel.db.read, work))
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
      // People look at pictures where they choose them.
      if (pictures.isFor(request.url!)) return links.answerPicture(request, response)
      entrance.mark(request)
      void koa(request, response)
    },
    meter,
    close: () => links.close(),
  }
}

/** Cuts a long `User-Agent` before anybody reads it, so that no pattern has to be safe against one. */
function cutAgent({ headers }: IncomingMessage): void {
  const agent = headers['user-agent']
  if (agent !== undefined && agent.length > MAX_AGENT_LENGTH) headers['user-agent'] = agent.slice(0, MAX_AGENT_LENGTH)
}
