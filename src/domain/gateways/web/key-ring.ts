import type { CheckedCredential, CredentialFacts } from '../gateway.ts'
import { WEB } from './limits.ts'
import { makeVapidKey, type VapidKey } from './vapid-keys.ts'

/** The sealed part. */
export interface WebSecret {
  /** The current key first, then earlier keys, newest first: existing subscriptions need them. */
  keys: VapidKey[]
  /** Contact for push services: `mailto:` or `https:`. */
  subject: string
}

/** The public part. */
export interface WebFacts extends CredentialFacts {
  /** The key that a page subscribes with: `vapidPublicKey` of its configuration. */
  publicKey: string
  subject: string
  /** Icon for notifications that have none. */
  iconUrl?: string
  /** The current key first. `createdAt` in ms. */
  keys: { id: string; publicKey: string; createdAt: number }[]
}

/** Changes that a block asks for; `mergeWeb` applies them to the stored key ring. */
export interface Asked {
  imported?: VapidKey
  rotate: boolean
  subject?: string
  iconUrl?: string
}

/**
 * Push services require a contact and never use it in practice. This domain is reserved for examples, so nobody gets
 * mail meant for us.
 */
export const DEFAULT_SUBJECT = 'mailto:operator@example.com'

/**
 * The key ring after a block. Earlier keys stay, because browsers have subscribed with them. The first block of an app
 * makes a pair. `vapid` imports another pair and `rotate` makes one; that pair becomes the current one. `now` in ms.
 */
export function mergeWeb(
  { secret }: CheckedCredential,
  before: { secret: unknown } | undefined,
  now: number,
): CheckedCredential {
  const { imported, rotate, iconUrl, ...asked } = secret as Asked
  const old = before?.secret as WebSecret | undefined
  const first = imported ?? (rotate || !old ? makeVapidKey(now) : undefined)
  const kept = old?.keys ?? []
  const known = first && kept.find(({ id }) => id === first.id)
  const keys = first ? [known ?? first, ...kept.filter(({ id }) => id !== first.id)] : kept
  const subject = asked.subject ?? old?.subject ?? DEFAULT_SUBJECT
  const merged: WebSecret = { keys: keys.slice(0, WEB.keys), subject }
  const facts: WebFacts = {
    publicKey: merged.keys[0]!.publicKey,
    subject,
    ...(iconUrl !== undefined && { iconUrl }),
    keys: merged.keys.map(({ id, publicKey, createdAt }) => ({ id, publicKey, createdAt })),
    warnings: [],
  }
  return { secret: merged, facts, sendable: true }
}
