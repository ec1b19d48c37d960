import { besideBase } from '../../../platform/base-address.ts'
import type { Config } from '../../../platform/config.ts'
import { isLoopback } from '../../../platform/http.ts'
import type { LinkSettings } from '../types.ts'

/** The settings that decide addresses. They come from the configuration, never from a request. */
export interface AddressSettings {
  /** `links.domain`; empty when there is none. */
  domain: string
  /** `baseUrl`; empty when it is not set. */
  baseUrl: string
  /** `port` */
  port: number
  /** `hosts.links`; empty when there is none. */
  linksHost: string
}

/** Host names where the areas of this server answer, in lower case. */
export function ownHosts(config: Config): string[] {
  const configured = Object.entries(config).flatMap(([name, value]) =>
    name.startsWith('hosts.') ? [String(value)] : [],
  )
  const base = config.baseUrl === '' ? '' : new URL(config.baseUrl).hostname
  return [...configured, base].filter((name) => name !== '').map((name) => name.toLowerCase())
}

/** How a host name leads to an app: by its own name, or by its label below our domain. */
export type HostKey = { domain: string } | { subdomain: string }

/**
 * Absolute address of a short link. The app's own host comes first, then its label below `links.domain`. Without either: on a
 * laptop a label below localhost, which browsers and curl resolve to this machine; behind a public `baseUrl` the path form,
 * because nobody else resolves localhost to us.
 */
export function linkUrl(
  settings: Pick<LinkSettings, 'domain' | 'subdomain'>,
  slug: string,
  at: AddressSettings,
): string {
  return `${linkBase(settings, at)}/${slug}`
}

/** What every short link of the app begins with, without a slash at the end. */
export function linkBase(
  { domain, subdomain }: Pick<LinkSettings, 'domain' | 'subdomain'>,
  at: AddressSettings,
): string {
  if (domain !== null) return originOf(domain, at)
  if (at.domain !== '') return originOf(`${subdomain}.${at.domain}`, at)
  const base = at.baseUrl === '' ? undefined : new URL(at.baseUrl)
  if (!base || isLoopback(base.hostname)) return originOf(`${subdomain}.localhost`, at)
  const links = at.linksHost === '' ? `${at.baseUrl}/links` : besideBase(at.linksHost, at.baseUrl)
  return `${links}/l/${subdomain}`
}

/** Phones open links of https hosts only, so a real name always gets https. Names of this machine have our port, and no TLS. */
function originOf(host: string, { baseUrl, port }: AddressSettings): string {
  if (!isLoopback(host.replace(/:\d+$/, ''))) return `https://${host}`
  if (/:\d+$/.test(host)) return `http://${host}`
  const base = baseUrl === '' ? undefined : new URL(baseUrl)
  const ours = base ? base.port : String(port)
  return `${base?.protocol ?? 'http:'}//${host}${ours === '' ? '' : `:${ours}`}`
}

/**
 * Whose links a host name could be; undefined when nobody's. `hostname` as in a Host header, with or without port. Labels are
 * found below `links.domain`, and below localhost while no domain is set.
 */
export function readHost(hostname: string, { domain }: Pick<AddressSettings, 'domain'>): HostKey | undefined {
  const name = hostname.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
  const parent = (domain === '' ? 'localhost' : domain).replace(/:\d*$/, '').toLowerCase()
  if (name.endsWith(`.${parent}`)) {
    const label = name.slice(0, -parent.length - 1)
    return isLabel(label) ? { subdomain: label } : undefined
  }
  return name.includes('.') && /^[a-z0-9.-]{1,253}$/.test(name) ? { domain: name } : undefined
}

function isLabel(text: string): boolean {
  return /^[a-z0-9-]{1,63}$/.test(text)
}
