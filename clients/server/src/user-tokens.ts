/** A token with more characters fits no path of the device interface (docs/signed-users.md). */
const MAX_LENGTH = 255

/**
 * Makes the token by which a device names a user: `su1.<identifier>.<expiry>.<signature>` (docs/signed-users.md). `signingKey` is the
 * `uk_…` of `appsvc apps identity`. Without `expires` it is the same every time, which spares devices a new login.
 */
export async function signUser(
  signingKey: string,
  identifier: string,
  { expires }: { expires?: Date } = {},
): Promise<string> {
  if (!/^uk_\S+$/.test(signingKey)) throw new TypeError('the signing key begins with uk_')
  if (identifier === '' || identifier.startsWith('su1.')) throw new TypeError('this identifier cannot be signed')
  const seconds = expires === undefined ? 0 : Math.floor(expires.getTime() / 1000)
  // Zero would mean a token that never expires.
  if (!(expires === undefined || seconds > 0)) throw new TypeError('expires must be a date after 1970')
  const utf8 = new TextEncoder()
  const text = `su1.${base64url(utf8.encode(identifier))}.${seconds}`
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8.encode(signingKey), algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, utf8.encode(text))
  const token = `${text}.${base64url(new Uint8Array(signature))}`
  if (token.length > MAX_LENGTH)
    throw new TypeError(`the token has ${token.length} characters, more than ${MAX_LENGTH}`)
  return token
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
