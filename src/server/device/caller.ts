import { BlockList, isIPv6 } from 'node:net'
import type { Config } from '../../platform/config.ts'

const OWN = new BlockList()
OWN.addSubnet('127.0.0.0', 8, 'ipv4')
OWN.addAddress('::1', 'ipv6')

/** Whether a call comes from the machine that this program runs on. */
export function isOwnMachine(address: string): boolean {
  return OWN.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Whom an address belongs to: who has one of IPv6 has a network of them. */
export function prefixOf(address: string): string {
  if (!isIPv6(address)) return address
  // The shortened middle stands for zeros: an address within it has fewer than four groups in front.
  const [head = ''] = address.split('::', 1)
  const groups = head.split(':').filter((group) => group !== '')
  return `${groups.concat('0', '0', '0', '0').slice(0, 4).join(':')}/64`
}

/** The addresses whose `X-Forwarded-For` is believed. */
export function trustedProxiesOf({ trustedProxies }: Pick<Config, 'trustedProxies'>): ReadonlySet<string> {
  return new Set(trustedProxies.split(',').map((address) => plainAddress(address.trim())))
}

/** An address as such: some proxies write the port as well, and who listens on `::` sees one of IPv4 inside one of IPv6. */
export function plainAddress(address: string): string {
  return address
    .replace(/^\[(.+)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^::ffff:(?=[\d.]+$)/i, '')
}
