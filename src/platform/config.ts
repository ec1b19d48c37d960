import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from './errors.ts'
import type { SizeLimit } from './json.ts'
import { LOG_LEVELS } from './log.ts'
import { networkList } from './networks.ts'
import type { AllowPrivate } from './outbound.ts'
import { Secret } from './secret.ts'
import { suggest } from './suggest.ts'

/** How the text of a setting becomes its value; throws a sentence that says what is wanted. */
interface Kind<T> {
  parse(text: string): T
}

const text: Kind<string> = { parse: (value) => value }

/** An empty path would be the directory that the program happens to be started in. */
const directory: Kind<string> = {
  parse(value) {
    if (value === '') throw new Error('must be a directory such as ./data')
    return value
  },
}

const databaseUrl: Kind<Secret> = {
  parse(value) {
    if (value !== '' && !/^postgres(ql)?:\/\/./.test(value))
      throw new Error('must be an address that begins with postgres://')
    return new Secret(value)
  },
}

const flag: Kind<boolean> = {
  parse(value) {
    if (value === 'true' || value === '1') return true
    if (value === 'false' || value === '0') return false
    throw new Error('must be true or false')
  },
}

/** Bytes that must stay free, or `auto`. */
const lowWater: Kind<number | 'auto'> = {
  parse(value) {
    if (value === 'auto') return value
    if (!/^\d{1,15}$/.test(value)) throw new Error('must be auto or a number of bytes')
    return Number(value)
  },
}

const integer = (min: number, max: number): Kind<number> => ({
  parse(value) {
    const number = Number(value)
    if (value.trim() === '' || !Number.isInteger(number) || number < min || number > max) {
      throw new Error(`must be an integer from ${min} to ${max}`)
    }
    return number
  },
})

const address = (...schemes: string[]): Kind<string> => ({
  parse(value) {
    if (value === '') return value
    if (!URL.canParse(value) || !schemes.includes(new URL(value).protocol.slice(0, -1))) {
      throw new Error(`must be an address that begins with ${schemes.map((s) => `${s}://`).join(' or ')}`)
    }
    return value.replace(/\/+$/, '')
  },
})

const domainName: Kind<string> = {
  parse(value) {
    if (value !== '' && !/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?(:\d+)?$/i.test(value)) {
      throw new Error('must be a domain such as lnk.example.com, without https:// and path')
    }
    return value.toLowerCase()
  },
}

/** What clients write into `Host`: anything else would match no request, in silence. */
const hostName: Kind<string> = {
  parse(value) {
    const [, port] = /^(?:\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)*)(?::(\d{1,5}))?$/i.exec(value) ?? [undefined, '-']
    if (value !== '' && !(Number(port ?? 0) <= 65_535)) {
      throw new Error('must be a host name such as data.example.com, with or without a port, without https:// and path')
    }
    return value
  },
}

const oneOf = (...values: readonly string[]): Kind<string> => ({
  parse(value) {
    if (!values.includes(value)) throw new Error(`must be one of ${values.join(', ')}`)
    return value
  },
})

const listenAddress: Kind<string> = {
  parse(value) {
    const port = Number(/^(?:\[[0-9a-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(value)?.[1] ?? Number.NaN)
    if (value !== '' && !(port <= 65_535)) throw new Error('must be an address and a port such as 127.0.0.1:9464')
    return value
  },
}

const networks: Kind<string> = {
  parse(value) {
    networkList(value)
    return value
  },
}

/** true, false, or the origins that may be private. */
const privateAddresses: Kind<AllowPrivate> = {
  parse(value) {
    if (value === 'true' || value === '1') return true
    if (value === 'false' || value === '0') return false
    return value.split(',').map((entry) => {
      const origin = entry.trim()
      const url = URL.canParse(origin) ? new URL(origin) : undefined
      if (url?.protocol !== 'https:' || url.origin !== origin.replace(/\/$/, '')) {
        throw new Error('must be true, false or origins such as https://localhost:8443, with commas between')
      }
      return url.origin
    })
  },
}

const hostNames: Kind<readonly string[]> = {
  parse(value) {
    const names = value.split(',').map((name) => name.trim().toLowerCase())
    return names
      .filter((name) => name !== '')
      .map((name) => {
        if (!/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) {
          throw new Error(`must be host names such as push.example.com, with commas between; ${name} is none`)
        }
        return name
      })
  },
}

const zone: Kind<string> = {
  parse(value) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: value })
      return value
    } catch {
      throw new Error('must be an IANA time zone such as Europe/Berlin')
    }
  },
}

interface Setting<T> {
  kind: Kind<T>
  default: string
  why: string
}

const setting = <T>(kind: Kind<T>, fallback: string, why: string): Setting<T> => ({ kind, default: fallback, why })

/**
 * Every setting there is: check, default, reason. `config/default.yaml` is written from this list (`appsvc config show
 * --defaults`) and a test compares them. The environment name of `gateways.apnsUrl` is APPSVC_GATEWAYS_APNS_URL.
 */
const SETTINGS = {
  dataDir: setting(directory, './data', 'where the database, uploads and the master key live'),
  host: setting(text, '127.0.0.1', 'address to listen on; 0.0.0.0 for all'),
  port: setting(integer(0, 65535), '8080', 'port to listen on; 0 lets the system choose'),
  baseUrl: setting(
    address('http', 'https'),
    '',
    'address that clients use to reach us; empty means the listening address',
  ),
  trustedProxies: setting(text, '', 'comma-separated addresses whose X-Forwarded-For we believe'),
  'hosts.crm': setting(hostName, '', 'host name of the CRM area; empty means path prefix only'),
  'hosts.data': setting(hostName, '', 'host name of the data area'),
  'hosts.links': setting(hostName, '', 'host name of the deep link area'),
  'hosts.push': setting(hostName, '', 'host name of the push area'),
  'hosts.messages': setting(hostName, '', 'host name of the messaging area'),
  'hosts.events': setting(hostName, '', 'host name of the events area'),
  'hosts.fingerprint': setting(
    hostName,
    '',
    'host name of the fingerprint page; empty means only the path /fingerprint',
  ),
  'hosts.renderer': setting(hostName, '', 'host name of the page for in-app messages; empty means only the path /iar'),
  'links.domain': setting(domainName, '', 'domain below which each app has its short-link host; empty means localhost'),
  'database.url': setting(databaseUrl, '', 'postgres://… ; empty means SQLite in the data directory'),
  masterKeyFile: setting(
    text,
    '',
    'file with the key that seals secrets; empty means master.key in the data directory',
  ),
  'gateways.caFile': setting(text, '', 'extra certificate authorities (PEM) for every address that we connect to'),
  'gateways.nodeClient': setting(
    flag,
    'false',
    'send with the HTTP/2 client of Node.js instead of our own; it needs several times the CPU',
  ),
  'outbound.allowPrivate': setting(
    privateAddresses,
    'false',
    'private addresses that callers may name: false for none, origins such as https://push.intranet:8443 with commas between, true for all',
  ),
  'webPush.extraHosts': setting(
    hostNames,
    '',
    'host names of push services besides those of the known browsers, and all below them, with commas between',
  ),
  'webPush.anyHost': setting(
    flag,
    'false',
    'send web pushes to whatever host a browser names, not to push services alone',
  ),
  'metrics.listen': setting(
    listenAddress,
    '',
    'address and port for /metrics alone, for whoever reaches it; empty means the main port, for metrics.allow',
  ),
  'metrics.allow': setting(
    networks,
    '127.0.0.0/8,::1',
    'comma-separated addresses and networks that get /metrics on the main port, unless a proxy passes them on',
  ),
  'workers.deliver': setting(integer(0, 64), '0', 'delivery threads; 0 means cores − 1, at least 1'),
  'delivery.ttl': setting(
    integer(0, 2_419_200),
    '86400',
    'seconds after which a notification without ttl is not worth sending',
  ),
  'delivery.chunk': setting(
    integer(1, 1000),
    '200',
    'recipients begun in one transaction; a crash can resend twice as many',
  ),
  'delivery.pageSize': setting(integer(1, 10_000), '1000', 'recipients of one page of work'),
  'delivery.ramp': setting(
    integer(0, 3600),
    '60',
    'seconds over which sending gets up to speed when a gateway is back after an outage; 0 means at once',
  ),
  'delivery.gradual': setting(
    flag,
    'false',
    'get up to speed in the same way after every pause where the vendor advises it (FCM); a broadcast then takes longer',
  ),
  'delivery.refusalLimit': setting(
    integer(1, 100),
    '30',
    'percent of refused tokens among the last 200 that stops a lane',
  ),
  'limits.body': setting(integer(1024, 1 << 30), '1048576', 'largest request body in bytes'),
  'limits.deviceBody': setting(integer(1024, 1 << 30), '5242880', 'largest request body of a device, in bytes'),
  'limits.dataBody': setting(
    integer(1024, 1 << 30),
    '8388608',
    'largest request body of the data area: a record, or a list of them',
  ),
  'limits.tableScan': setting(
    integer(1000, 1_000_000_000),
    '100000',
    'records that one read of a data table may look at without an index, times the conditions on each',
  ),
  'limits.notificationBody': setting(
    integer(1024, 1 << 30),
    '8388608',
    'largest body of a notification (lists of installs) and of a list of deep links',
  ),
  'limits.crashBody': setting(integer(1024, 16 << 20), '2097152', 'largest crash report in bytes'),
  'limits.event': setting(
    integer(1024, 16 << 20),
    '65536',
    'largest data of an event of a device, in bytes as JSON, without a crash report in it (limits.crashBody)',
  ),
  'limits.attributes': setting(
    integer(1024, 16 << 20),
    '65536',
    'largest attributes of a user, in bytes as JSON, whoever sets them',
  ),
  'limits.channelMeta': setting(
    integer(1024, 16 << 20),
    '65536',
    'largest meta of a channel that a server or a command stores, in bytes as JSON',
  ),
  'limits.deviceChannelMeta': setting(
    integer(2, 16 << 20),
    '4096',
    'largest meta of a channel that a device makes, in bytes as JSON: every other device gets it with its list',
  ),
  'limits.checkin': setting(
    integer(1024, 16 << 20),
    '65536',
    'largest check-in of a group of people, in bytes as JSON',
  ),
  'limits.linkData': setting(
    integer(1024, 16 << 20),
    '65536',
    'largest linkData, and largest reportingMeta, of a deep link, in bytes as JSON',
  ),
  'limits.reportingMeta': setting(
    integer(1024, 16 << 20),
    '65536',
    'largest reportingMeta of a notification, and largest userMeta of one of its users, in bytes as JSON: events carry a copy',
  ),
  'limits.installsPerUser': setting(
    integer(1, 1_000_000),
    '1000',
    'most installs that one known user may have at a time; further ones are not associated',
  ),
  'limits.newPerAddress': setting(
    integer(0, 1_000_000_000),
    '100000',
    'new installs, and what else calls make anew, of all devices behind one address in an hour; 0 means no limit',
  ),
  'limits.eventsPerInstall': setting(
    integer(0, 1_000_000_000),
    '50000',
    'events that one install may send an hour, large ones counted by their kilobytes; 0 means no limit',
  ),
  'limits.newChannelsPerApp': setting(
    integer(0, 1_000_000_000),
    '1000',
    'channels that all devices of an app may make in an hour; 0 means no limit',
  ),
  'limits.bytesPerAddress': setting(
    integer(0, 2 ** 50),
    '1073741824',
    'bytes of calls that all devices behind one address may send in an hour, a quarter of them at once; 0 means no limit',
  ),
  'limits.bytesPerApp': setting(
    integer(0, 2 ** 50),
    '21474836480',
    'bytes of calls that all devices of an app may send in an hour, a quarter of them at once; 0 means no limit',
  ),
  'limits.wrongKeys': setting(
    integer(0, 1_000_000),
    '20',
    'wrong keys a minute that one address may try with one user name, and ten times as many in all, before 401 becomes 429 (503 for devices); 0 means no limit',
  ),
  'http.idleTimeout': setting(
    integer(1, 3600),
    '65',
    'seconds that a connection stays open between two requests; longer than the proxy in front keeps one',
  ),
  'http.writeTimeout': setting(
    integer(1, 3600),
    '60',
    'seconds after which a client is disconnected that reads nothing of its answer',
  ),
  'http.answerBytes': setting(
    integer(1 << 20, 2 ** 40),
    '50331648',
    'bytes that all long answers together have read and not yet sent, half of them of one address; memory holds some four times as much',
  ),
  'http.maxConnections': setting(integer(1, 1_000_000), '10000', 'most connections at a time'),
  'http.maxPerAddress': setting(
    integer(0, 1_000_000),
    '500',
    'most connections at a time of one address; this machine and trustedProxies may have any number; 0 means no limit',
  ),
  'disk.lowWater': setting(
    lowWater,
    'auto',
    'bytes that must be free where the data directory is, else nothing new is accepted; auto means 5 % of the file system, at most 512 MiB; SQLite only',
  ),
  'events.retentionDays': setting(integer(1, 36_500), '365', 'days that stored events are kept'),
  'crashes.retentionDays': setting(integer(1, 36_500), '90', 'days that crash reports are kept'),
  'crashes.keep': setting(
    integer(1, 1_000_000),
    '1000',
    'crash reports kept of each app and of each kind (Android, iOS, events); the oldest go first',
  ),
  'crashes.keepBytes': setting(
    integer(1024, 2 ** 40),
    '268435456',
    'bytes of crash reports kept of each app and of each kind; the oldest go first',
  ),
  'checkins.retentionDays': setting(
    integer(1, 36_500),
    '30',
    'days that check-ins of people at places (contact tracing) are kept, closed or not',
  ),
  'inApp.retentionDays': setting(
    integer(1, 36_500),
    '90',
    'days after the end of an in-app message that it is known what its users did with it; their counts stay',
  ),
  'channels.importRetentionDays': setting(
    integer(1, 36_500),
    '90',
    'days that the outcome of a subscriber file can be looked up',
  ),
  'schedule.maxLateness': setting(
    integer(0, 2_592_000),
    '3600',
    'seconds after its due time until which a schedule is still sent when nobody could send before',
  ),
  'geofences.maxAge': setting(
    integer(60, 31_536_000),
    '86400',
    'seconds after which the last known position of an install no longer puts it into geofences',
  ),
  timezone: setting(zone, 'UTC', 'zone of installs that did not say theirs'),
  'log.level': setting(oneOf(...LOG_LEVELS), 'info', 'debug, info, warn, error or silent'),
}

/** The address of a vendor's server: each gateway declares its own, and `settingsWith` adds them to the list. */
export type VendorSetting = `gateways.${string}Url`
export type SettingName = keyof typeof SETTINGS | VendorSetting

/** The effective settings, frozen. */
export type Config = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never
} & { readonly [K in VendorSetting]: string }

export type Settings = Readonly<Record<SettingName, Setting<unknown>>>

/** Every setting: ours, and before `gateways.caFile` the addresses of vendors, by their name below `gateways.`. */
export function settingsWith(addresses: Readonly<Record<`${string}Url`, { default: string; why: string }>>): Settings {
  const entries: [string, Setting<unknown>][] = Object.entries(SETTINGS)
  const vendors = Object.entries(addresses).map(([name, { default: fallback, why }]): [string, Setting<unknown>] => [
    `gateways.${name}`,
    setting(address('https', 'http'), fallback, why),
  ])
  const at = entries.findIndex(([name]) => name === 'gateways.caFile')
  return Object.fromEntries(entries.toSpliced(at, 0, ...vendors)) as Settings
}

/** A setting that limits bytes, with its name for whoever exceeds it. */
export function sizeLimit(config: Config, setting: Extract<SettingName, `limits.${string}`>): SizeLimit {
  return { bytes: config[setting], setting }
}

/** Where a value came from, for `config show`. */
export type Source = 'default' | 'file' | 'environment' | 'flag'

export interface LoadedConfig {
  config: Config
  sources: Record<SettingName, Source>
}

export interface ConfigInput {
  /** `appsvc.yaml`; when absent nothing is read. */
  file?: string | undefined
  environment: Readonly<Record<string, string | undefined>>
  flags?: Partial<Record<SettingName, string | undefined>>
}

/** The process's environment: the only place that reads it, so that what a program obeys is found in this file. */
export function systemEnvironment(): ConfigInput['environment'] {
  return process.env
}

/** `gateways.apnsUrl` -> `APPSVC_GATEWAYS_APNS_URL`. */
export function environmentName(name: string): string {
  return `APPSVC_${name
    .replace(/\./g, '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()}`
}

/**
 * Defaults, file, environment, flags, in that order. Throws one `AppError('config')` that names every wrong setting, where it
 * came from and what it should be.
 */
export async function loadConfig(
  settings: Settings,
  { file, environment, flags = {} }: ConfigInput,
): Promise<LoadedConfig> {
  const problems: string[] = []
  const fromFile = file === undefined ? {} : await readFile(file, settings, problems)
  const byEnvironment = new Set(Object.keys(settings).map(environmentName))
  for (const key of Object.keys(environment)) {
    if (key.startsWith('APPSVC_') && !NOT_SETTINGS.has(key) && !byEnvironment.has(key)) {
      problems.push(`${key} is not a setting${nearest(key, [...byEnvironment])}`)
    }
  }

  const values: Record<string, unknown> = {}
  const sources: Record<string, Source> = {}
  for (const [name, known] of Object.entries(settings) as [SettingName, Setting<unknown>][]) {
    const candidates: [Source, string | undefined][] = [
      ['flag', flags[name]],
      ['environment', environment[environmentName(name)]],
      ['file', fromFile[name]],
      ['default', known.default],
    ]
    const [source, value] = candidates.find(([, given]) => given !== undefined) as [Source, string]
    try {
      values[name] = known.kind.parse(value)
    } catch (error) {
      const where = source === 'environment' ? environmentName(name) : source === 'file' ? `${name} in ${file}` : name
      problems.push(`${where} ${(error as Error).message}`)
    }
    sources[name] = source
  }
  if (problems.length > 0) throw new AppError('config', `bad configuration: ${problems.join('; ')}`)
  return { config: Object.freeze(values) as Config, sources: sources }
}

/** Names with our prefix that are no settings: `APPSVC_CONFIG` is the file itself. */
const NOT_SETTINGS = new Set(['APPSVC_CONFIG', 'APPSVC_FAILPOINTS'])

async function readFile(file: string, settings: Settings, problems: string[]): Promise<Record<string, string>> {
  const { parse } = await import('yaml')
  let document: unknown
  try {
    document = parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new AppError('config', `cannot read the configuration file ${resolve(file)}: ${(error as Error).message}`)
  }
  if (typeof (document ?? {}) !== 'object' || Array.isArray(document)) {
    throw new AppError('config', `the configuration file ${resolve(file)} must hold lines of "name: value"`)
  }
  const flat: Record<string, string> = {}
  const visit = (value: unknown, path: string) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) visit(inner, path ? `${path}.${key}` : key)
    } else if (value === null && Object.keys(settings).some((name) => name.startsWith(`${path}.`))) {
      // A section whose lines are all commented out.
    } else if (!Object.hasOwn(settings, path)) {
      problems.push(`${path} in ${file} is not a setting${nearest(path, Object.keys(settings))}`)
    } else if (value !== null && value !== undefined) flat[path] = asText(value)
  }
  visit(document ?? {}, '')
  return flat
}

/** A value of YAML as the text that the environment would give; a list is its items with commas between. */
function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Letters that a setting's name may be off by: the names are long, so a third of them would suggest nearly anything. */
const MOST_LETTERS_OFF = 2

/** `; did you mean x?` when a known name differs in few letters. */
function nearest(name: string, known: string[]): string {
  const bare = (value: string) => value.toLowerCase().replace(/[^a-z]/g, '')
  const byBare = new Map(known.map((candidate) => [bare(candidate), candidate]))
  const found = suggest(bare(name), [...byBare.keys()], MOST_LETTERS_OFF)
  return found === undefined ? '' : `; did you mean ${byBare.get(found)}?`
}

/** Every effective setting as the text it was read from, secrets included: for handing a configuration to a worker thread. */
export function settingsAsText(config: Config): Record<SettingName, string> {
  const entries = Object.entries(config).map(([name, value]) => [
    name,
    value instanceof Secret ? value.reveal() : String(value),
  ])
  return Object.fromEntries(entries) as Record<SettingName, string>
}

/** `config/default.yaml`: every setting commented with its reason and its environment name. */
export function defaultYaml(settings: Settings): string {
  const lines = ['# Every setting of appsvc with its default. Copy what you change into appsvc.yaml (--config).', '']
  let section = ''
  for (const [name, { default: value, why }] of Object.entries(settings)) {
    const [head, tail] = name.includes('.') ? (name.split('.') as [string, string]) : ['', name]
    if (head !== section && head !== '') lines.push(`${head}:`)
    section = head
    const indent = head ? '  ' : ''
    lines.push(
      `${indent}# ${why} (${environmentName(name)})`,
      `${indent}${tail}: ${/^[\w./:-]+$/.test(value) ? value : `'${value}'`}`,
    )
  }
  return `${lines.join('\n')}\n`
}
