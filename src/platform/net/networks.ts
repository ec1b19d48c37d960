import { BlockList, isIP } from 'node:net'

/**
 * Parses `10.0.0.0/8, ::1` into a function that tests whether an address is in one of them; an empty list contains
 * nothing. Throws an error that names an entry that is neither an address nor a network.
 */
export function networkList(text: string): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of text.split(',').map((one) => one.trim())) {
    if (entry !== '') add(list, bare(entry))
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}

/** An entry without the brackets of IPv6, and an IPv4 address that was mapped into IPv6 as itself. */
const bare = (entry: string) => entry.replace(/^\[(.+)\]/, '$1').replace(/^::ffff:(?=[\d.]+$)/i, '')

function add(list: BlockList, entry: string): void {
  const [address = '', prefix, ...more] = entry.split('/')
  const version = isIP(address)
  const longest = version === 6 ? 128 : 32
  const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (version === 0 || more.length > 0 || !(bits <= longest)) {
    throw new Error(`must be comma-separated addresses and networks such as 127.0.0.0/8; ${entry} is neither`)
  }
  list.addSubnet(address, bits, version === 6 ? 'ipv6' : 'ipv4')
}
