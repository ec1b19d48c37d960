/** What a passkey belongs to: it works at this address only (WebAuthn level 3: relying party identifier). */
export interface RelyingParty {
  /** The host name of `baseUrl`. */
  id: string
  origin: string
}

/**
 * The relying party of an address; undefined where browsers allow no passkeys: without `baseUrl`, at a bare IP address, and over http
 * elsewhere than on localhost.
 */
export function relyingPartyOf(baseUrl: string): RelyingParty | undefined {
  if (baseUrl === '') return undefined
  const { protocol, hostname, origin } = new URL(baseUrl)
  const isAddress = /^[\d.]+$|^\[/.test(hostname)
  if (isAddress || (protocol !== 'https:' && hostname !== 'localhost')) return undefined
  return { id: hostname, origin }
}
