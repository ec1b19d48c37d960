import { isIP } from 'node:net'
import { messageOf } from '../errors.ts'
import { networkList } from '../net/networks.ts'
import type { AllowPrivate } from '../net/outbound.ts'
import { durationMs } from '../time/duration.ts'
import { MUST_BE, oneOfThese, type Problems } from '../values/reader.ts'
import { Secret } from './secret.ts'

/** Reads the text of a setting; undefined after reporting what the text must be. */
export type Kind<T> = (text: string, at: string, problems: Problems) => T | undefined

/** Accepts a text that passes the test. `value` turns it into the value of the setting. */
export function textThat<T = string>(
  test: (text: string) => boolean,
  wanted: string,
  value?: (text: string) => T,
): Kind<T> {
  return (text, at, problems) => {
    if (!test(text)) return problems.say(at, wanted)
    return value ? value(text) : (text as T)
  }
}

/** `textThat` that also accepts an empty text, which turns the setting off. */
export function optional<T = string>(
  test: (text: string) => boolean,
  wanted: string,
  value?: (text: string) => T,
): Kind<T> {
  return textThat((text) => text === '' || test(text), wanted, value)
}

export const text: Kind<string> = (value) => value

/** A file or a folder; empty means none. Not the same function as `text`: PATHS finds these settings by it. */
export const place: Kind<string> = (value) => value

// An empty path would mean the directory in which the program happens to be started.
export const directory = textThat((value) => value !== '', 'must be a directory such as ./data')

export const databaseUrl = optional(
  (value) => /^postgres(ql)?:\/\/./.test(value),
  'must be an address that begins with postgres://',
  (value) => new Secret(value),
)

export const natsUrls = optional(
  (value) => value.split(',').every((one) => /^(nats|tls):\/\/./.test(one.trim()) && URL.canParse(one.trim())),
  'must be addresses that begin with nats:// or tls://, separated by commas',
  (value) => new Secret(value),
)

const isYes = (value: string) => value === 'true' || value === '1'
const isNo = (value: string) => value === 'false' || value === '0'
export const flag = textThat((value) => isYes(value) || isNo(value), MUST_BE.boolean, isYes)

/** Bytes that must stay free, or `auto`. */
export const lowWater = textThat<number | 'auto'>(
  (value) => value === 'auto' || /^\d{1,15}$/.test(value),
  'must be auto or a number of bytes',
  (value) => (value === 'auto' ? value : Number(value)),
)

/** A number of threads, or `auto`. */
export const threads = (max: number) =>
  textThat<number | 'auto'>(
    (value) => value === 'auto' || (/^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= max),
    `must be auto or an integer from 1 to ${max}`,
    (value) => (value === 'auto' ? value : Number(value)),
  )

const MINUTE_MS = 60_000
/** A duration, which stays text; `durationMs` reads it. */
export const interval = textThat(
  (value) => (durationMs(value) ?? 0) >= MINUTE_MS,
  'must be a duration of at least a minute such as 30m, 24h or 7d',
)

/** A place for backups. An S3 address with credentials would be in logs and process lists. */
export const backupPlace = optional(
  (value) => !/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /^s3:\/\/[^@?]+$/.test(value),
  'must be a directory or s3://bucket/prefix without credentials',
)

export const integer = (min: number, max: number) =>
  textThat(
    (value) => value.trim() !== '' && Number.isInteger(Number(value)) && Number(value) >= min && Number(value) <= max,
    `must be an integer from ${min} to ${max}`,
    Number,
  )

/** Tells whether a text is an absolute URL of one of the schemes, without user, query and fragment. */
const isAddress = (value: string, schemes: readonly string[]) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && schemes.includes(url.protocol.slice(0, -1)) && !/[?#@\s]/.test(value)
}
const beginsWith = (schemes: readonly string[]) => schemes.map((scheme) => `${scheme}://`).join(' or ')

export const address = (...schemes: string[]) =>
  optional(
    (value) => isAddress(value, schemes),
    `must be an address that begins with ${beginsWith(schemes)}, without user, query and fragment`,
    (value) => value.replace(/\/+$/, ''),
  )

/** Scheme, host name and port. Below a path nothing would answer: every area has its own paths from the root. */
export const origin = (...schemes: string[]) =>
  optional(
    (value) => isAddress(value, schemes) && new URL(value).pathname === '/' && isHost(new URL(value).hostname),
    `must be ${beginsWith(schemes)} with a host name and at most a port, such as https://push.example.com: no path, user, query or fragment; behind a proxy give the server a host name of its own`,
    (value) => (value === '' ? '' : new URL(value).origin),
  )

/** An address of map pictures: the host name has no placeholder, because the policy of the console names its origin. */
export const tileAddress = optional(
  (value) =>
    URL.canParse(value) &&
    /^https:\/\/[^/{}\s]+\//.test(value) &&
    ['{z}', '{x}', '{y}'].every((part) => value.includes(part)),
  'must be an https address with {z}, {x} and {y} behind the host name, such as https://tiles.example.com/{z}/{x}/{y}.png',
)

export const domainName = optional(
  (value) => /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?(:\d+)?$/i.test(value),
  'must be a domain such as lnk.example.com, without https:// and path',
  (value) => value.toLowerCase(),
)

/**
 * Tells whether a text is an IP address (IPv6 with or without brackets) or the name of a host. A name whose last part is a number
 * would be read as an IPv4 address (WHATWG URL, "ends in a number"), so `300.1.1.1` is neither.
 */
function isHost(value: string): boolean {
  if (isIP(value.replace(/^\[(.+)\]$/, '$1')) !== 0) return true
  return value.length <= 253 && /^[\w-]{1,63}(?:\.[\w-]{1,63})*$/.test(value) && !/(?:^|\.)\d+$/.test(value)
}

/** Splits `name:443` and `[::1]:443`; undefined for a port above 65535. */
function splitPort(value: string): { host: string; port: string | undefined } | undefined {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(value) ?? []
  return host === '' || Number(port ?? 0) > 65_535 ? undefined : { host, port }
}

/** A name as clients write it into `Host`: any other text would never match a request. */
export const hostName = optional((value) => {
  const parts = splitPort(value)
  return parts !== undefined && isHost(parts.host)
}, 'must be a host name such as data.example.com, with or without a port, without https:// and path')

/** An address to listen on; empty means every interface. */
export const listenHost = optional(
  isHost,
  'must be an IP address or a host name such as 127.0.0.1, ::1 or localhost',
  (value) => value.replace(/^\[(.+)\]$/, '$1'),
)

export const oneOf = (...values: readonly string[]) => textThat((value) => values.includes(value), oneOfThese(values))

export const listenAddress = optional((value) => {
  const { host, port } = splitPort(value) ?? {}
  return host !== undefined && port !== undefined && isHost(host)
}, 'must be an address and a port such as 127.0.0.1:9464')

export const networks: Kind<string> = (value, at, problems) => {
  try {
    networkList(value)
    return value
  } catch (error) {
    return problems.say(at, messageOf(error))
  }
}

/** A port, or `off`. */
export const portOrOff = textThat<number | 'off'>(
  (value) => value === 'off' || (/^\d{1,5}$/.test(value) && Number(value) <= 65_535),
  'must be off or an integer from 0 to 65535',
  (value) => (value === 'off' ? value : Number(value)),
)

/** true, false, or the origins that may be private. */
export const privateAddresses: Kind<AllowPrivate> = (value, at, problems) => {
  if (isYes(value) || isNo(value)) return isYes(value)
  const origins = value.split(',').map((entry) => entry.trim())
  const isOrigin = (origin: string) => {
    const url = URL.canParse(origin) ? new URL(origin) : undefined
    return url?.protocol === 'https:' && url.origin === origin.replace(/\/$/, '')
  }
  if (origins.every(isOrigin)) return origins.map((origin) => new URL(origin).origin)
  return problems.say(at, 'must be true, false or origins such as https://localhost:8443, separated by commas')
}

export const hostNames: Kind<readonly string[]> = (value, at, problems) => {
  const names = value.split(',').map((name) => name.trim().toLowerCase())
  const given = names.filter((name) => name !== '')
  const wrong = given.find((name) => !/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name))
  if (wrong === undefined) return given
  return problems.say(at, `must be host names such as push.example.com, separated by commas; ${wrong} is not one`)
}

export const zone = textThat((value) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return true
  } catch {
    return false
  }
}, 'must be an IANA time zone such as Europe/Berlin')

/** The kinds of settings that name a place on this machine, relative to the directory of the process. */
export const PATHS: ReadonlySet<Kind<unknown>> = new Set<Kind<unknown>>([directory, place, backupPlace])
