import { createECDH, createHash, createHmac, randomBytes } from 'node:crypto'

/** A browser's subscription (W3C Push API, `PushSubscription.toJSON()`). */
export interface WebSubscription {
  endpoint: string
  expirationTime: number | null
  keys: { p256dh: string; auth: string }
}

/** The private side of a subscription, with which the browser reads its pushes. */
export interface BrowserKeys {
  /** P-256 scalar, 32 bytes. */
  privateKey: Buffer
  /** Uncompressed point, 65 bytes. */
  publicKey: Buffer
  /** 16 bytes. */
  auth: Buffer
}

/** Push service whose refusals to imitate; their wording differs. `unifiedpush` is a server of ntfy, for phones without Google. */
export const WEB_SERVICES = ['google', 'mozilla', 'apple', 'unifiedpush'] as const
export type WebService = (typeof WEB_SERVICES)[number]

/** The contents of a subscription's address. */
export interface Endpoint {
  service: WebService
  /** Short name of the application server's key; undefined if any key works. */
  serverKey: string | undefined
  id: string
}

const PATH = /^\/push\/(google|mozilla|apple|unifiedpush)\/([0-9a-f]{16}|any)\/([\w-]{8,64})(?:\?up=1)?$/
const CURVE = 'prime256v1'

/**
 * Makes and recognises subscriptions without storing any: the keys are derived from the address and a secret, and the
 * address contains the application server's key. So subscriptions survive a restart with the same directory, and a
 * million of them take no memory.
 */
export function webSubscriptions(secret: string) {
  function keysOf(id: string): BrowserKeys {
    const pair = createECDH(CURVE)
    // The curve's order begins with 32 one bits, so a hash is practically always a valid scalar.
    pair.setPrivateKey(createHmac('sha256', secret).update(`key ${id}`).digest())
    const auth = createHmac('sha256', secret).update(`auth ${id}`).digest().subarray(0, 16)
    return { privateKey: pair.getPrivateKey(), publicKey: pair.getPublicKey(), auth }
  }

  return {
    keysOf,

    /** `origin` of the stand-in; `publicKey`: base64url of the key that the page subscribes with. */
    subscribe(
      origin: string,
      wish: {
        publicKey?: string | undefined
        service?: WebService | undefined
        expirationTime?: number | undefined
      } = {},
    ): WebSubscription {
      const id = randomBytes(16).toString('base64url')
      const { publicKey, auth } = keysOf(id)
      const serverKey = wish.publicKey === undefined ? 'any' : nameOfKey(wish.publicKey)
      const query = wish.service === 'unifiedpush' ? '?up=1' : ''
      return {
        endpoint: `${origin}/push/${wish.service ?? 'google'}/${serverKey}/${id}${query}`,
        expirationTime: wish.expirationTime ?? null,
        keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
      }
    },
  }
}

export type WebSubscriptions = ReturnType<typeof webSubscriptions>

/** Parses the path of an endpoint; undefined if it is not one. */
export function readEndpoint(path: string): Endpoint | undefined {
  const [, service, key, id] = PATH.exec(path) ?? []
  if (service === undefined || key === undefined || id === undefined) return undefined
  return { service: service as WebService, serverKey: key === 'any' ? undefined : key, id }
}

/** The short name of a public key (base64url). */
export function nameOfKey(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex').slice(0, 16)
}
