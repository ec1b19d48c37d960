import { isIP } from 'node:net'
import { type FieldErrors } from '../../../platform/errors.ts'
import { flag, type Infer, integer, list, shape, text } from '../../../platform/values/parse.ts'
import type { LinkSettings } from '../types.ts'

/** Validation of link settings, so that mistakes are found here and not by phones. */

/** Maximum fingerprint window: one day. */
const MAX_WINDOW_S = 86_400
const MAX_IDS = 50

/** A text for which `problem` returns nothing. */
function judgedText(problem: (value: string) => string | undefined, max = 255) {
  return text({ max }).test({
    name: 'judged-text',
    test: (value, context) => {
      const message = value == null || value === '' ? undefined : problem(value)
      return message === undefined || context.createError({ message })
    },
  })
}

const teamId = judgedText((value) =>
  /^[A-Z0-9]{10}$/.test(value)
    ? undefined
    : 'must be the 10 capital letters and digits that Apple shows under Membership details',
)

const bundleId = judgedText((value) => {
  if (!/^[A-Za-z0-9.-]+$/.test(value)) return 'must be a bundle identifier such as com.example.app'
  return /^[A-Z0-9]{10}\./.test(value) ? 'must be the bundle identifier alone, without the team id in front' : undefined
})

const packageName = judgedText((value) =>
  /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(value) ? undefined : 'must be a package name such as com.example.app',
)

const fingerprint = judgedText((value) => {
  const hex = value.replaceAll(':', '')
  const isHex = /^([0-9a-f]{2}:)*[0-9a-f]{2}$/i.test(value) || /^[0-9a-f]+$/i.test(value)
  if (isHex && hex.length === 40) return 'is a SHA-1 fingerprint: give the SHA-256 one, which has 32 bytes'
  if (isHex && hex.length === 64) return undefined
  return 'must be a SHA-256 fingerprint: 32 bytes in hexadecimal, such as AB:CD:…, as Play Console and keytool print it'
})

const appStoreUrl = judgedText((value) => {
  const url = readHttps(value, ['apps.apple.com', 'itunes.apple.com'])
  return url && /\/id\d+$/.test(url.pathname)
    ? undefined
    : 'must be the address of the app in the App Store, such as https://apps.apple.com/app/id123456789'
}, 2048)

const playStoreUrl = judgedText((value) => {
  const url = readHttps(value, ['play.google.com'])
  return url?.pathname === '/store/apps/details' && url.searchParams.get('id')
    ? undefined
    : 'must be the address of the app in Google Play, such as https://play.google.com/store/apps/details?id=com.example.app'
}, 2048)

function readHttps(value: string, hosts: readonly string[]): URL | undefined {
  if (!/^https:\/\/[^\s\\]+$/i.test(value) || !URL.canParse(value)) return undefined
  const url = new URL(value)
  return hosts.includes(url.host) && url.username === '' && url.password === '' ? url : undefined
}

const domain = judgedText((value) => {
  const name = readDomain(value)
  if (name === undefined) return 'must be a host name such as go.example.com, without https://, port or path'
  return isIP(name) || !name.includes('.') ? 'must be a host name with a dot in it, not an address' : undefined
})

/** A host name in the form of DNS: lower case, other alphabets as Punycode. Undefined when it is invalid. */
function readDomain(value: string): string | undefined {
  if (!/^[^\s/:?#@\\%[\]]+$/.test(value) || !URL.canParse(`https://${value}/`)) return undefined
  const name = new URL(`https://${value}/`).hostname.replace(/\.$/, '')
  const labels = name.split('.')
  return labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) ? name : undefined
}

/** First bytes of the images that an icon may be. */
const SIGNATURES: Record<string, RegExp> = {
  png: /^\x89PNG\r\n/,
  jpeg: /^\xff\xd8\xff/,
  webp: /^RIFF[^]{4}WEBP/,
}
/** 24 kB of image: every link host keeps its icon in memory. */
const MAX_ICON_LENGTH = 32_768

/** An icon as a data URL. Not SVG, because the link host serves it, and an SVG may hold script. */
const icon = judgedText((value) => {
  const [, kind, data] = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  if (!kind || !data) return 'must be a PNG, JPEG or WebP as a data URL, such as data:image/png;base64,…'
  return SIGNATURES[kind]!.test(Buffer.from(data, 'base64').toString('latin1', 0, 16))
    ? undefined
    : `is not the ${kind.toUpperCase()} image that it says it is`
}, MAX_ICON_LENGTH)

const color = judgedText((value) =>
  /^#[0-9a-f]{6}$/i.test(value) ? undefined : 'must be a colour as # and six hexadecimal digits, such as #0b6157',
)

/** The data URL of an icon file, whose type its first bytes tell. Undefined for anything but a PNG, JPEG or WebP. */
export function iconUrlOf(file: Buffer): string | undefined {
  const start = file.toString('latin1', 0, 16)
  const kind = Object.keys(SIGNATURES).find((one) => SIGNATURES[one]!.test(start))
  return kind && `data:image/${kind};base64,${file.toString('base64')}`
}

/** Body of a change of the link settings. Absent = unchanged, null or an empty list = cleared. */
export const linkSettingsForm = shape({
  domain: domain.nullable(),
  iosTeamId: teamId.nullable(),
  iosBundleIds: list(bundleId, { max: MAX_IDS }),
  androidPackage: packageName.nullable(),
  androidSha256: list(fingerprint, { max: MAX_IDS }),
  appStoreUrl: appStoreUrl.nullable(),
  playStoreUrl: playStoreUrl.nullable(),
  fingerprintWindow: integer({ min: 0, max: MAX_WINDOW_S }),
  offersClipboard: flag(),
  icon: icon.nullable(),
  color: color.nullable(),
  offersCode: flag(),
}).required()

/** A change of the settings. */
export type LinkSettingsChange = { [K in keyof Omit<LinkSettings, 'subdomain'>]?: LinkSettings[K] | undefined }

/**
 * Converts valid settings to the stored spelling: names and colours in lower case, fingerprints in upper case with colons, no
 * duplicates.
 */
export function fromLinkSettingsForm(form: Infer<typeof linkSettingsForm>): LinkSettingsChange {
  return {
    ...form,
    domain: form.domain == null ? form.domain : readDomain(form.domain)!,
    color: form.color?.toLowerCase() ?? form.color,
    iosBundleIds: form.iosBundleIds && [...new Set(form.iosBundleIds)],
    androidSha256: form.androidSha256 && [...new Set(form.androidSha256.map(withColons))],
  }
}

/** Google compares fingerprints as text: upper case, a colon between the bytes. */
function withColons(value: string): string {
  return value.replaceAll(':', '').toUpperCase().match(/../g)!.join(':')
}

/** The settings after a change. */
export function changeSettings(before: LinkSettings, change: LinkSettingsChange): LinkSettings {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return { ...before, ...given }
}

/**
 * Problems of the settings as a whole. `taken` are host names with another purpose: those of the interfaces and of
 * `baseUrl`, and `links.domain` with all names below it.
 */
export function judgeSettings(
  settings: LinkSettings,
  taken: { hosts: readonly string[]; parent: string },
): FieldErrors {
  const errors: FieldErrors = {}
  const { domain: name, androidPackage, playStoreUrl: store } = settings
  const parent = taken.parent.replace(/:\d+$/, '').toLowerCase()
  if (name !== null && taken.hosts.includes(name)) {
    errors.domain = [`is a host of this server's own interfaces: short links need a host name of their own`]
  } else if (name !== null && parent !== '' && (name === parent || name.endsWith(`.${parent}`))) {
    errors.domain = [`is below ${parent}, where every app already has a host (${settings.subdomain}.${parent})`]
  }
  const inStore = store === null ? null : new URL(store).searchParams.get('id')
  if (androidPackage !== null && inStore !== null && inStore !== androidPackage) {
    errors.playStoreUrl = [`is the page of ${inStore}, but the package name is ${androidPackage}`]
  }
  return errors
}
