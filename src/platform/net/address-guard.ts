import { BlockList, isIP } from 'node:net'

/**
 * Decides which addresses are on the public internet. Without this check, callers that supply an address could reach
 * hosts that only this machine and its network can reach. The ranges are from the IANA special-purpose registries
 * (https://www.iana.org/assignments/iana-ipv4-special-registry,
 * https://www.iana.org/assignments/iana-ipv6-special-registry).
 */

const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/**
 * Non-public parts of 2000::/3, which contains all public addresses: Teredo and other protocol assignments,
 * documentation, 6to4.
 */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const specialV4 = listOf(SPECIAL_V4, 'ipv4')
const specialV6 = listOf(SPECIAL_V6, 'ipv6')
const globalV6 = listOf(['2000::/3'], 'ipv6')

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network, prefix] = range.split('/') as [string, string]
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}

/** Whether an IP address, as a resolver or a parsed URL gives it, is public. */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  if (isIP(bare) === 4) return !specialV4.check(bare, 'ipv4')
  if (isIP(bare) !== 6) return false
  const inside = embeddedV4(bare)
  if (inside !== undefined) return isPublicAddress(inside)
  return globalV6.check(bare, 'ipv6') && !specialV6.check(bare, 'ipv6')
}

/** The IPv4 address that a NAT64 gateway (64:ff9b::/96, RFC 6052) connects to for this one. */
function embeddedV4(address: string): string | undefined {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const match = /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/.exec(canonical)
  if (!match) return undefined
  const bits = Number.parseInt(match[1] ?? '0', 16) * 0x10000 + Number.parseInt(match[2]!, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.')
}
