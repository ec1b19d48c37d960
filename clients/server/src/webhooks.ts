import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { LoggedEvent } from './follow.ts'

export { WebhookVerificationError }

/** A message of a webhook, checked. */
export interface WebhookMessage {
  /** `webhook-id`: a message that is sent again has the same one. */
  id: string
  /** Type of its event, `batch`, or `appsvc.test`. */
  type: string
  /** The events in it: one, those of a batch, or none in a test. */
  events: LoggedEvent[]
  /** Tells that it belongs to a replay of the past. */
  isReplay: boolean
}

/** Headers as `Request` and as Node's `IncomingMessage` have them. */
export type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Checks the signature of a webhook's message (Standard Webhooks) and that it is at most five minutes old, and reads it. `body` is the body
 * as it came, before any parser. `secret` (`whsec_…`) may be a list while two are in use. Throws
 * `WebhookVerificationError` when the message is not from the server.
 */
export function verifyWebhook(
  secret: string | readonly string[],
  headers: GivenHeaders,
  body: string | Uint8Array,
): WebhookMessage {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  const given = Object.fromEntries(names.map((name) => [name, headerOf(headers, name)]))
  // A byte order mark is part of what was signed.
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0) throw new TypeError('verifyWebhook needs the secret of the webhook')
  const read = firstThatFits(secrets, (one) => new Webhook(one).verify(text, given)) as Partial<Sent>
  const data = Array.isArray(read.data) ? read.data : [read.data]
  return {
    id: given['webhook-id']!,
    type: String(read.type),
    events: data.filter(isEvent),
    isReplay: read.replay === true,
  }
}

/** The JSON of a message (docs/webhooks.md). */
interface Sent {
  type: string
  data: unknown
  replay: boolean
}

function firstThatFits<T>(secrets: readonly string[], verify: (secret: string) => T): T {
  const [secret, ...others] = secrets
  try {
    return verify(secret!)
  } catch (error) {
    if (others.length === 0 || !(error instanceof WebhookVerificationError)) throw error
    return firstThatFits(others, verify)
  }
}

function headerOf(headers: GivenHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? ''
  return typeof found === 'string' ? found : found.join(', ')
}

function isEvent(value: unknown): value is LoggedEvent {
  return typeof value === 'object' && value !== null && 'id' in value
}
