import { createHmac, randomBytes } from 'node:crypto'

/**
 * Standard Webhooks, symmetric signatures
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */

const PREFIX = 'whsec_'
/** The specification wants 24 to 64. */
const SECRET_BYTES = 32

/** A new secret, as receivers configure it: `whsec_` and base64. */
export function mintSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** The headers of a message: its id, when it is sent (`now`, ms), and a signature for each secret. */
export function signedHeaders(
  id: string,
  now: number,
  body: string,
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
