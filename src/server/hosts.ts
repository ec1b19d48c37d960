import type { Socket } from 'node:net'
import { besideBase } from '../platform/base-address.ts'
import type { Config } from '../platform/config.ts'
import { AREAS, type Area } from './route.ts'

/** Where a request may be answered: the areas in the order they are tried, and the path inside the area. */
export interface Destination {
  areas: readonly Area[]
  path: string
  /** The host name selected the area. */
  byHost: boolean
}

/**
 * At the root, where two areas have the same path the messaging host's form wins: it is the latest
 * (docs/decisions/0006-where-the-contract-is-silent.md).
 */
const ROOT_ORDER: readonly Area[] = ['messages', 'push', 'crm', 'data', 'links', 'events']

/**
 * Host name, then path prefix, then bare path (docs/decisions/0006-where-the-contract-is-silent.md). Pure. `host` is
 * the Host header, `path` still percent-encoded.
 */
export function destinationOf(host: string, path: string, config: Config): Destination {
  const name = nameOf(host)
  const byHost = AREAS.filter((area) => config[`hosts.${area}`] !== '' && nameOf(config[`hosts.${area}`]) === name)
  if (byHost.length > 0) return { areas: byHost, path, byHost: true }
  const prefix = AREAS.find((area) => path === `/${area}` || path.startsWith(`/${area}/`))
  if (prefix) return { areas: [prefix], path: path.slice(prefix.length + 1) || '/', byHost: false }
  return { areas: ROOT_ORDER, path, byHost: false }
}

function nameOf(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase()
}

/**
 * The absolute address of an area, for `Location` and `Link`. Built from the settings, or from the listening address
 * without them; never from the request, which anyone can forge.
 */
export function areaAddress(
  area: Area,
  byHost: boolean,
  config: Config,
  socket: Pick<Socket, 'localAddress' | 'localPort'>,
): string {
  const base = config.baseUrl === '' ? `http://${hostOf(socket)}:${socket.localPort}` : config.baseUrl
  return byHost ? besideBase(config[`hosts.${area}`], base) : `${base}/${area}`
}

function hostOf({ localAddress = '127.0.0.1' }: Pick<Socket, 'localAddress'>): string {
  const address = localAddress.replace(/^::ffff:/, '')
  return address.includes(':') ? `[${address}]` : address
}
