import { BlockList, isIPv6 } from 'node:net'

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
