import type { Config } from '../../../platform/config/settings.ts'
import { besideBase } from '../../../platform/net/base-address.ts'
import { isLoopback } from '../../../platform/net/http.ts'
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

/** Host names of this server's own interfaces, in lower case. */
export function ownHosts(config: Config): string[] {
  const configured = Object.entries(config).flatMap(([name, value]) =>
    name.startsWith('hosts.') ? [String(value)] : [],
  )
  const base = config.baseUrl === '' ? '' : new URL(config.baseUrl).hostname
  return [...configured, base].filter((name) => name !== '').map((name) => name.toLowerCase())
}

/** The key of an app in a host name: its own domain, or its subdomain below `links.domain`. */
export type HostKey = { domain: string } | { subdomain: string }

/**
 * Absolute URL of a short link. The app's own host is preferred, then its label below `links.domain`. Without either, a
 * label below localhost is used on a laptop, because browsers and curl resolve it to the same machine; with a public
 * `baseUrl`, the path form.
 */
export function linkUrl(
  settings: Pick<LinkSettings, 'domain' | 'subdomain'>,
  slug: string,
  at: AddressSettings,
): string {
  return `${linkBase(settings, at)}/${slug}`
}

/** The beginning of every short link of the app, without a trailing slash. */
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

/** Phones open only https links, so public names always get https. Local names get our port, without TLS. */
function originOf(host: string, { baseUrl, port }: AddressSettings): string {
  if (!isLoopback(host.replace(/:\d+$/, ''))) return `https://${host}`
  if (/:\d+$/.test(host)) return `http://${host}`
  const base = baseUrl === '' ? undefined : new URL(baseUrl)
  const ours = base ? base.port : String(port)
  return `${base?.protocol ?? 'http:'}//${host}${ours === '' ? '' : `:${ours}`}`
}

/**
 * The key of the app that a host name may belong to; undefined for other names. `hostname` as in a Host header, with or
 * without port. Labels are recognized below `links.domain`, and below localhost while no domain is set.
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
