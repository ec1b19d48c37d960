import type { IncomingMessage } from 'node:http'
import type { Config } from '../../src/platform/config/settings.ts'
import { routes } from '../../src/server/routes.ts'
import { destinationOf } from '../../src/server/routing/hosts.ts'
import { AREAS, CONTRACT_AREAS, type Route } from '../../src/server/routing/route.ts'
import { differences, type Exchange, operationOf } from './contract.ts'
import { needsPrograms } from './needs.ts'

/** A route and a status: `post messages /v2/notifications 202`. A route of several areas is one. */
export type Answered = string

const areasOf = ({ area }: Route) => [area].flat()
const answered = (route: Route, status: string | number): Answered =>
  `${route.method} ${areasOf(route).join('+')} ${route.path} ${status}`

const patterns = new Map(
  routes.map((route) => [
    route,
    new RegExp(`^${route.path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')}$`),
  ]),
)
/** The routes of each area, those of a method together, in their order. */
const ordered = new Map(
  AREAS.map((area) => [
    area,
    Map.groupBy(
      routes.filter((route) => areasOf(route).includes(area)),
      ({ method }) => method as string,
    ),
  ]),
)

/** The documented statuses of a route. A 503 that any route may answer is not a promise of its own. */
function statusesOf(route: Route): string[] {
  return Object.entries(operationOf(route).responses)
    .filter(([status, told]) => status !== 'default' && !(status === '503' && '$ref' in told))
    .map(([status]) => status)
}

/** The answers that some test of a run has to get. A twin does what its route does: only its further answers are in the list. */
export function documentedAnswers(): Answered[] {
  return routes.flatMap((route) => {
    const told = new Set(route.twinOf && statusesOf(route.twinOf))
    return statusesOf(route)
      .filter((status) => !told.has(status))
      .map((status) => answered(route, status))
  })
}

/** The route of a request; undefined for what has none. */
function routeOf(request: IncomingMessage, config: Config): Route | undefined {
  const method = request.method === 'HEAD' ? 'get' : request.method!.toLowerCase()
  const [path] = request.url!.split('?', 1)
  const name = (request.headers.host ?? '').replace(/:\d*$/, '')
  const isOurs =
    /^(127\.0\.0\.1|localhost|\[::1\])?$/.test(name) || CONTRACT_AREAS.some((area) => config[`hosts.${area}`] === name)
  // The host of an app's links: another door.
  if (!isOurs) return undefined
  const { areas, path: inside } = destinationOf(request.headers.host ?? '', path!, config)
  const at = (text: string) =>
    areas.flatMap((area) => ordered.get(area)!.get(method) ?? []).find((route) => patterns.get(route)!.test(text))
  const found = at(inside)
  if (found) return found
  const folded = at(inside.replace(/\/{2,}/g, '/'))
  return folded?.device ? folded : undefined
}

const seen = new Set<string>()
const documented = new Set(routes.flatMap((route) => statusesOf(route).map((status) => answered(route, status))))

/**
 * Notes what a route answered, for the run as a whole, which fails when a documented answer was never given. Returns how it differs
 * from the document. Failures of ours (5xx) are documented for all.
 */
export function noteAnswer(exchange: Exchange, config: Config): string[] {
  const { request, response } = exchange
  // Broken off, or an address that cannot be read: it never came to a route.
  if ((response.statusCode === 400 && !request.complete) || !isReadable(request.url!)) return []
  const route = routeOf(request, config)
  if (!route) return []
  // The same of every list for servers, told in the description of the document.
  if (response.statusCode === 304) return []
  const answer = answered(route, response.statusCode)
  const said = { answered: answer, onAnyMachine: !needsPrograms() }
  if (!seen.has(JSON.stringify(said))) {
    seen.add(JSON.stringify(said))
    if (process.env.MOCHA_SUPERVISED !== undefined) process.send?.(said)
  }
  if (!documented.has(answer) && response.statusCode < 500) return [`${answer} is not documented (\`also\` of a route)`]
  return differences(route, exchange)
}

function isReadable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0]!)
    return true
  } catch {
    return false
  }
}
