import { createHash } from 'node:crypto'
import { isPlainObject } from '../../../platform/json.ts'

/**
 * How a fresh install is matched to an earlier tap in a browser: by the few marks that the fingerprint page reads in both. A
 * guess, so everything must agree and nothing else may look the same.
 */

/** Operating system and its major version, as far as somebody says; undefined = not said. */
export interface System {
  platform: string | undefined
  osMajor: string | undefined
}

/** The marks of a device in the form in which they are kept: they can be compared and not be read. */
export interface Fingerprint extends System {
  /** SHA-256 of all components, in base64url. */
  digest: string
}

const MOST_COMPONENTS = 64
const LONGEST_COMPONENT = 1000

/**
 * The components that the page made: an object of texts, whose order and number are the page's business. Numbers and flags count
 * as their text. Undefined for anything else, and for an object with nothing in it, which would be like every other such device.
 */
export function readFingerprint(components: unknown): Fingerprint | undefined {
  if (!isPlainObject(components)) return undefined
  const entries: [string, string][] = []
  for (const [name, value] of Object.entries(components)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
    entries.push([name, String(value)])
  }
  if (entries.length === 0 || entries.length > MOST_COMPONENTS) return undefined
  if (entries.some(([name, value]) => name.length > 100 || value.length > LONGEST_COMPONENT)) return undefined
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest('base64url')
  const said = new Map(entries)
  return { digest, platform: shortText(said.get('platform')), osMajor: shortText(said.get('osMajor')) }
}

function shortText(value: string | undefined): string | undefined {
  return value === undefined || value === '' || value.length > 64 || value.includes('\0') || !value.isWellFormed()
    ? undefined
    : value
}

/**
 * The components out of the query value of a look-up: base64 of their JSON. One SDK does not percent-encode it, so a `+` arrives
 * as a space; padding may be missing. Undefined when it is none.
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

/** Whether two tellings can be of the same device: what both say is the same. */
export function agrees(a: System, b: System): boolean {
  const same = (x: string | undefined, y: string | undefined) => x === undefined || y === undefined || x === y
  return same(a.platform, b.platform) && same(a.osMajor, b.osMajor)
}

/**
 * The system of a browser or of an SDK's HTTP client by its user agent. Chrome says `Android 10; K` whatever the version is
 * (https://www.chromium.org/updates/ua-reduction/), and Safari stays at iOS 18 and tells the truth under `Version/`: such say
 * nothing here.
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
    // Darwin 24 is iOS 18; then Apple named its systems after the year: Darwin 25 is iOS 26.
    const kernel = Number(darwin[1])
    return { platform: 'iOS', osMajor: String(kernel <= 24 ? kernel - 6 : kernel + 1) }
  }
  const android = /\bAndroid (\d+)/.exec(userAgent)
  if (!android) return { platform: undefined, osMajor: undefined }
  return { platform: 'Android', osMajor: /Android 10; K\)/.test(userAgent) ? undefined : android[1] }
}
