import type { Socket } from 'node:net'
import { besideBase } from '../platform/base-address.ts'
import type { Config } from '../platform/config.ts'
import { AREAS, type Area, CONTRACT_AREAS, type ContractArea } from './route.ts'

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

/** The prefix of each area; the lists are made once, so that a caller can keep what belongs to one. */
const BY_PREFIX: ReadonlyMap<string, readonly Area[]> = new Map(AREAS.map((area) => [area, [area]]))

/** The areas by host name; read from the settings once. */
const byHostName = new WeakMap<Config, ReadonlyMap<string, readonly Area[]>>()

/**
 * Host name, then path prefix, then bare path (docs/decisions/0006-where-the-contract-is-silent.md). Pure. `host` is
 * the Host header, `path` still percent-encoded.
 */
export function destinationOf(host: string, path: string, config: Config): Destination {
  const hosts = hostsOf(config)
  const byHost = hosts.size > 0 ? hosts.get(nameOf(host)) : undefined
  if (byHost) return { areas: byHost, path, byHost: true }
  const end = path.indexOf('/', 1)
  const prefix = path.startsWith('/') ? BY_PREFIX.get(path.slice(1, end < 0 ? undefined : end)) : undefined
  if (prefix) return { areas: prefix, path: end < 0 ? '/' : path.slice(end), byHost: false }
  return { areas: ROOT_ORDER, path, byHost: false }
}

/** Whether a path is one of the admin interface, also where there is nothing. Pure. */
export function isAdminPath(path: string): boolean {
  return path === '/admin' || path.startsWith('/admin/')
}

function hostsOf(config: Config): ReadonlyMap<string, readonly Area[]> {
  let hosts = byHostName.get(config)
  if (!hosts) {
    const named: ContractArea[] = CONTRACT_AREAS.filter((area) => config[`hosts.${area}`] !== '')
    hosts = Map.groupBy(named, (area) => nameOf(config[`hosts.${area}`]))
    byHostName.set(config, hosts)
  }
  return hosts
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
  socket: Pick<Socket, 'localAddress' | 'localPort'> & { encrypted?: boolean },
): string {
  const base =
    config.baseUrl === ''
      ? `${socket.encrypted ? 'https' : 'http'}://${hostOf(socket)}:${socket.localPort}`
      : config.baseUrl
  return byHost && area !== 'admin' ? besideBase(config[`hosts.${area}`], base) : `${base}/${area}`
}

function hostOf({ localAddress = '127.0.0.1' }: Pick<Socket, 'localAddress'>): string {
  const address = localAddress.replace(/^::ffff:/, '')
  return address.includes(':') ? `[${address}]` : address
}
