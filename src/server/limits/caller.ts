import { BlockList, isIP, isIPv6 } from 'node:net'
import type { Config } from '../../platform/config/settings.ts'
import { networkList } from '../../platform/net/networks.ts'

const OWN = new BlockList()
OWN.addSubnet('127.0.0.0', 8, 'ipv4')
OWN.addAddress('::1', 'ipv6')

/** Tells whether an address is a loopback address. */
export function isOwnMachine(address: string): boolean {
  return OWN.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/**
 * The unit that limits count by: an IPv4 address, or the /64 network of an IPv6 address, which usually has one owner.
 */
export function prefixOf(address: string): string {
  if (!isIPv6(address)) return address
  // `::` stands for zeros, so fewer than four groups may precede it.
  const [head = ''] = address.split('::', 1)
  // One network has one form, however it is written.
  const groups = head.split(':').flatMap((group) => (group === '' ? [] : [group.toLowerCase().replace(/^0+(?=.)/, '')]))
  return `${groups.concat('0', '0', '0', '0').slice(0, 4).join(':')}/64`
}

/** The proxies whose `X-Forwarded-For` header is trusted. `has` takes a bare address (`plainAddress`). */
export interface TrustedProxies {
  has(address: string): boolean
}

/** The proxies that the settings name. */
export function trustedProxiesOf({ trustedProxies }: Pick<Config, 'trustedProxies'>): TrustedProxies {
  return { has: networkList(trustedProxies) }
}

/** Characters of the longest address, with brackets and a port. */
const LONGEST_ADDRESS = 64
/** More proxies than anybody has of their own. */
const MOST_HOPS = 20

/**
 * The last address of `X-Forwarded-For` that is no trusted proxy: anybody may have written those before it. Undefined when there
 * is none, and when the text there is no address, as `unknown` is. Reads from the end, and only as far as it must.
 */
export function forwarderOf(header: string, trusted: TrustedProxies): string | undefined {
  for (let end = header.length, hops = 0; end > 0 && hops < MOST_HOPS; hops++) {
    const comma = header.lastIndexOf(',', end - 1)
    const text = header.slice(comma + 1, end).trim()
    if (text.length > LONGEST_ADDRESS) return undefined
    const hop = plainAddress(text)
    if (hop !== '' && !trusted.has(hop)) return isIP(hop) === 0 ? undefined : hop
    end = comma
  }
  return undefined
}

/** The bare address. Some proxies append the port, and a listener on `::` sees IPv4 addresses mapped into IPv6. */
export function plainAddress(address: string): string {
  return address
    .replace(/^\[(.+)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^::ffff:(?=[\d.]+$)/i, '')
}
