import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../../platform/config/settings.ts'
import { besideBase } from '../../platform/net/base-address.ts'
import { AREAS, type Area, CONTRACT_AREAS, type ContractArea } from './route.ts'

/** The areas that may answer a request, in the order they are tried, and the path inside the area. */
export interface Destination {
  areas: readonly Area[]
  path: string
  /** The host name selected the area. */
  byHost: boolean
}

/**
 * The order of areas at the root: where two have the same path the messaging host's form wins, because it is the latest
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

/** Tells whether a path is one of the admin interface, also where there is nothing. Pure. */
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

/** `LINKS.example.com:8080` -> `links.example.com` */
export function hostnameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
}

/** The host names that the settings give to the program and its areas. */
export function configuredNames(config: Config): readonly string[] {
  const names = Object.entries(config).flatMap(([name, value]) => (name.startsWith('hosts.') ? [String(value)] : []))
  if (config.baseUrl !== '') names.unshift(new URL(config.baseUrl).host)
  return names.map(hostnameOf).filter((name) => name !== '')
}

/** Characters that stand in no host. One program would read the text behind them, and the next one would not. */
const NO_HOST = /[\s,@/\\?#]/

/**
 * The problem of the host that a request names; undefined when it names one. RFC 9112 3.2: two `Host` headers, or one that is no
 * host, are 400, because a proxy may go by another one than we do. An address in the request line must name the same host; its
 * path is then what is asked for.
 */
export function hostProblem(request: IncomingMessage): string | undefined {
  const { rawHeaders, headers, url = '/' } = request
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1) return 'the request names two hosts: send one Host header'
  const { host = '' } = headers
  if (NO_HOST.test(host) || (host !== '' && !URL.canParse(`http://${host}`))) return 'the Host header is no host'
  if (url.startsWith('/') || url === '*') return undefined
  const [, authority, path] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (authority?.toLowerCase() !== host.toLowerCase())
    return 'the address in the request line is not that of the Host header'
  request.url = path!.startsWith('/') ? path! : `/${path}`
  return undefined
}

/** Answers 400 with the problem that `hostProblem` found. */
export function refuseHost(response: ServerResponse, error: string): void {
  const body = JSON.stringify({ error })
  response.writeHead(400, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
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
      ? `${socket.encrypted ? 'https' : 'http'}://${reachedHost(socket)}:${socket.localPort}`
      : config.baseUrl
  return byHost && area !== 'admin' ? besideBase(config[`hosts.${area}`], base) : `${base}/${area}`
}

/** The address that a connection has reached, as the host of a URL. */
export function reachedHost({ localAddress = '127.0.0.1' }: Pick<Socket, 'localAddress'>): string {
  const address = localAddress.replace(/^::ffff:/, '')
  return address.includes(':') ? `[${address}]` : address
}
