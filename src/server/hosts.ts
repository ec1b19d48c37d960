import type { Config } from '../platform/config.ts'
import { AREAS, type Area } from './route.ts'

/** Where a request may be answered: the areas in the order they are tried, and the path inside the area. */
export interface Destination {
  areas: readonly Area[]
  path: string
}

/** At the root, where two areas have the same path the messaging host's form wins: it is the latest (decisions 1). */
const ROOT_ORDER: readonly Area[] = ['messages', 'push', 'crm', 'data', 'links', 'events']

/** Host name, then path prefix, then bare path (decisions 1). Pure. `host` is the Host header, `path` still percent-encoded. */
export function destinationOf(host: string, path: string, config: Config): Destination {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  const byHost = AREAS.filter(
    (area) => config[`hosts.${area}`] !== '' && config[`hosts.${area}`].toLowerCase() === name,
  )
  if (byHost.length > 0) return { areas: byHost, path }
  const prefix = AREAS.find((area) => path === `/${area}` || path.startsWith(`/${area}/`))
  if (prefix) return { areas: [prefix], path: path.slice(prefix.length + 1) || '/' }
  return { areas: ROOT_ORDER, path }
}
