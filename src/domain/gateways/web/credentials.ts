import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { address, check, flag, judged, shape, text } from '../../../platform/values/parse.ts'
import type { CheckedCredential } from '../gateway.ts'
import type { Asked } from './key-ring.ts'
import { importVapidKey } from './vapid-keys.ts'

interface Block {
  iconUrl?: string
  subject?: string
  vapid?: { publicKey?: string; privateKey: string }
  rotate?: boolean
}

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

/**
 * Whether push services accept it: Apple refuses spaces, brackets and addresses of this machine
 * (docs/reference/gateway-facts.md section 4.2).
 */
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
