import { createHash } from 'node:crypto'
import { isPlainObject } from '../../../platform/json/json.ts'

/**
 * Matches a new install to an earlier tap in a browser by a few properties of the device, which the fingerprint page
 * reads in both. This is a guess, so all properties must be equal, and no other tap may have the same ones.
 */

/** Operating system and its major version; undefined when unknown. */
export interface System {
  platform: string | undefined
  osMajor: string | undefined
}

/**
 * The properties of a device as they are stored. The digest can be compared, but the properties cannot be read from it.
 */
export interface Fingerprint extends System {
  /** SHA-256 of all components, in base64url. */
  digest: string
}

const MAX_COMPONENTS = 64
const MAX_COMPONENT_LENGTH = 1000

/**
 * Reads the components that the page sent: an object of texts, in any order and number. Numbers and booleans are
 * converted to text. Undefined for anything else, and for an empty object, which would match every other device that
 * sends one.
 */
export function readFingerprint(components: unknown): Fingerprint | undefined {
  if (!isPlainObject(components)) return undefined
  const entries: [string, string][] = []
  for (const [name, value] of Object.entries(components)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
    entries.push([name, String(value)])
  }
  if (entries.length === 0 || entries.length > MAX_COMPONENTS) return undefined
  if (entries.some(([name, value]) => name.length > 100 || value.length > MAX_COMPONENT_LENGTH)) return undefined
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest('base64url')
  const texts = new Map(entries)
  return { digest, platform: shortText(texts.get('platform')), osMajor: shortText(texts.get('osMajor')) }
}

function shortText(value: string | undefined): string | undefined {
  return value === undefined || value === '' || value.length > 64 || value.includes('\0') || !value.isWellFormed()
    ? undefined
    : value
}

/**
 * Decodes the components in the query of a look-up: base64 of their JSON. One SDK does not percent-encode it, so a `+`
 * arrives as a space; padding may be missing. Undefined for invalid base64, UTF-8 or JSON.
 */
export function decodeFingerprint(encoded: string): unknown {
  const base64 = encoded.replaceAll(' ', '+').replaceAll('-', '+').replaceAll('_', '/')
  if (!/^[a-z0-9+/]+=*$/i.test(base64)) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))) as unknown
  } catch {
    return undefined
  }
}

/** Whether both can be the same device. An unknown value agrees with any other. */
export function agrees(a: System, b: System): boolean {
  const same = (x: string | undefined, y: string | undefined) => x === undefined || y === undefined || x === y
  return same(a.platform, b.platform) && same(a.osMajor, b.osMajor)
}

/**
 * Reads the system from the user agent of a browser or of an SDK's HTTP client. Two of them do not contain the version:
 * Chrome writes `Android 10; K` on every Android (https://www.chromium.org/updates/ua-reduction/), and Safari writes
 * iOS 18 on all later versions. Safari's `Version/` is correct from 26 on. The version is unknown where none of these
 * tells it.
 */
export function systemOf(userAgent: string): System {
  const apple = /\b(?:iPhone OS|CPU OS) (\d+)[_ ]/.exec(userAgent)
  if (apple) {
    const major = Number(apple[1])
    const version = Number(/Version\/(\d+)/.exec(userAgent)?.[1] ?? 0)
    if (version >= 26) return { platform: 'iOS', osMajor: String(version) }
    return { platform: 'iOS', osMajor: major === 18 && version === 0 ? undefined : String(major) }
  }
  const darwin = /CFNetwork\/\S+ Darwin\/(\d+)/.exec(userAgent)
  if (darwin) {
    // Darwin 24 is iOS 18. Then Apple began to number its systems by the year: Darwin 25 is iOS 26.
    const kernel = Number(darwin[1])
    return { platform: 'iOS', osMajor: String(kernel <= 24 ? kernel - 6 : kernel + 1) }
  }
  const android = /\bAndroid (\d+)/.exec(userAgent)
  if (!android) return { platform: undefined, osMajor: undefined }
  return { platform: 'Android', osMajor: /Android 10; K\)/.test(userAgent) ? undefined : android[1] }
}
