import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json.ts'
import { address, check, flag, judged, shape, text } from '../../../platform/parse.ts'
import type { CheckedCredential, CredentialFacts } from '../gateway.ts'
import { WEB } from './limits.ts'
import { importVapidKey, makeVapidKey, type VapidKey } from './vapid-keys.ts'

/** The sealed part. */
export interface WebSecret {
  /** The current key first, then earlier keys, newest first: existing subscriptions need them. */
  keys: VapidKey[]
  /** Contact for push services: `mailto:` or `https:`. */
  subject: string
}

/** The public part. */
export interface WebFacts extends CredentialFacts {
  /** What a page subscribes with: `vapidPublicKey` of its configuration. */
  publicKey: string
  subject: string
  /** Icon of notifications without one. */
  iconUrl?: string
  /** The current key first. `createdAt` in ms. */
  keys: { id: string; publicKey: string; createdAt: number }[]
}

/** What a block asks for; `mergeWeb` turns it into what is stored. */
interface Asked {
  imported?: VapidKey
  rotate: boolean
  subject?: string
  iconUrl?: string
}

interface Block {
  iconUrl?: string
  subject?: string
  vapid?: { publicKey?: string; privateKey: string }
  rotate?: boolean
}

/** Push services require a contact and never use it in practice. This domain is reserved for examples, so nobody gets mail meant for us. */
export const DEFAULT_SUBJECT = 'mailto:operator@example.com'

const KEY_TEXT = 4096

const keyPair = judged(
  shape({ publicKey: text({ max: KEY_TEXT }), privateKey: text({ max: KEY_TEXT }).required() }),
  ({ publicKey, privateKey }): FieldErrors => {
    if (typeof privateKey !== 'string' || privateKey === '') return {}
    const given = typeof publicKey === 'string' && publicKey !== '' ? { publicKey, privateKey } : { privateKey }
    const result = importVapidKey(given, 0)
    return 'wrong' in result ? { [result.wrong]: [result.why] } : {}
  },
)

/** A `web` block, field by field: `iconUrl` is the contract's, the others are ours. */
export const webBlock = judged(
  shape({
    iconUrl: address(['https', 'http']),
    subject: text({ max: 500 }).test(
      'subject',
      'must be mailto: and an email address, or a public https: URL, without spaces or brackets',
      (value) => value == null || value === '' || isSubject(value),
    ),
    vapid: keyPair,
    rotate: flag(),
  }),
  ({ vapid, rotate }): FieldErrors =>
    vapid !== undefined && rotate === true ? { rotate: ['must not be given together with vapid'] } : {},
)

/** Whether push services accept it: Apple refuses spaces, brackets and addresses of this machine (docs/reference/gateway-facts.md section 4.2). */
export function isSubject(value: string): boolean {
  if (!/^[!-;=?-~]+$/.test(value)) return false
  if (/^mailto:/i.test(value)) return /^mailto:[^@,?]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/i.test(value)
  if (!/^https:\/\//i.test(value) || !URL.canParse(value)) return false
  const { hostname, username } = new URL(value)
  return username === '' && /\.[a-z][a-z0-9-]*$/i.test(hostname) && !hostname.endsWith('.localhost')
}

/** Checks a `web` block: `{iconUrl?, subject?, vapid?: {publicKey?, privateKey}, rotate?}`. `now` in ms. */
export async function checkWeb(
  input: unknown,
  now: number,
): Promise<{ credential: CheckedCredential } | { errors: FieldErrors }> {
  if (!isPlainObject(input)) return { errors: { '': ['must be an object'] } }
  const errors = check(webBlock, input, true)
  if (errors) return { errors }
  const { iconUrl, subject, vapid, rotate = false } = input as Block
  const imported = vapid && importVapidKey(vapid, now)
  const asked: Asked = {
    rotate,
    ...(imported && 'key' in imported && { imported: imported.key }),
    ...(subject !== undefined && { subject }),
    ...(iconUrl !== undefined && { iconUrl }),
  }
  return { credential: { secret: asked, facts: { warnings: [] }, sendable: true } }
}

/**
 * The key ring after a block: the keys of before stay, since browsers have subscribed with them. The first block of an app makes a
 * pair; `vapid` and `rotate` bring another one, which becomes the current one. `now` in ms.
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
