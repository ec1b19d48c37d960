import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { AppError, messageOf } from '../errors.ts'
import type { SizeLimit } from '../json/json.ts'
import { LOG_FORMATS, LOG_LEVELS } from '../log/log.ts'
import { networkList } from '../net/networks.ts'
import type { AllowPrivate } from '../net/outbound.ts'
import { suggest } from '../text/suggest.ts'
import { durationMs } from '../time/duration.ts'
import { MUST_BE, oneOfThese, type Problems } from '../values/reader.ts'
import { Secret } from './secret.ts'
import { baseUrlOfCertificate, tlsProblems } from './tls-settings.ts'

/** Reads the text of a setting; undefined after reporting what the text must be. */
type Kind<T> = (text: string, at: string, problems: Problems) => T | undefined

/** Accepts a text that passes the test. `value` turns it into the value of the setting. */
function textThat<T = string>(test: (text: string) => boolean, wanted: string, value?: (text: string) => T): Kind<T> {
  return (text, at, problems) => {
    if (!test(text)) return problems.say(at, wanted)
    return value ? value(text) : (text as T)
  }
}

/** `textThat` that also accepts an empty text, which turns the setting off. */
function optional<T = string>(test: (text: string) => boolean, wanted: string, value?: (text: string) => T): Kind<T> {
  return textThat((text) => text === '' || test(text), wanted, value)
}

const text: Kind<string> = (value) => value

// An empty path would mean the directory in which the program happens to be started.
const directory = textThat((value) => value !== '', 'must be a directory such as ./data')

const databaseUrl = optional(
  (value) => /^postgres(ql)?:\/\/./.test(value),
  'must be an address that begins with postgres://',
  (value) => new Secret(value),
)

const natsUrls = optional(
  (value) => value.split(',').every((one) => /^(nats|tls):\/\/./.test(one.trim()) && URL.canParse(one.trim())),
  'must be addresses that begin with nats:// or tls://, separated by commas',
  (value) => new Secret(value),
)

const isYes = (value: string) => value === 'true' || value === '1'
const isNo = (value: string) => value === 'false' || value === '0'
const flag = textThat((value) => isYes(value) || isNo(value), MUST_BE.boolean, isYes)

/** Bytes that must stay free, or `auto`. */
const lowWater = textThat<number | 'auto'>(
  (value) => value === 'auto' || /^\d{1,15}$/.test(value),
  'must be auto or a number of bytes',
  (value) => (value === 'auto' ? value : Number(value)),
)

/** A number of threads, or `auto`. */
const threads = (max: number) =>
  textThat<number | 'auto'>(
    (value) => value === 'auto' || (/^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= max),
    `must be auto or an integer from 1 to ${max}`,
    (value) => (value === 'auto' ? value : Number(value)),
  )

const MINUTE_MS = 60_000
/** A duration, which stays text; `durationMs` reads it. */
const interval = textThat(
  (value) => (durationMs(value) ?? 0) >= MINUTE_MS,
  'must be a duration of at least a minute such as 30m, 24h or 7d',
)

/** A place for backups. An S3 address with credentials would be in logs and process lists. */
const backupPlace = optional(
  (value) => !/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /^s3:\/\/[^@?]+$/.test(value),
  'must be a directory or s3://bucket/prefix without credentials',
)

const integer = (min: number, max: number) =>
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

const address = (...schemes: string[]) =>
  optional(
    (value) => isAddress(value, schemes),
    `must be an address that begins with ${beginsWith(schemes)}, without user, query and fragment`,
    (value) => value.replace(/\/+$/, ''),
  )

/** Scheme, host name and port. Below a path nothing would answer: every area has its own paths from the root. */
const origin = (...schemes: string[]) =>
  optional(
    (value) => isAddress(value, schemes) && new URL(value).pathname === '/' && isHost(new URL(value).hostname),
    `must be ${beginsWith(schemes)} with a host name and at most a port, such as https://push.example.com: no path, user, query or fragment; behind a proxy give the server a host name of its own`,
    (value) => (value === '' ? '' : new URL(value).origin),
  )

/** An address of map pictures: the host name has no placeholder, because the policy of the console names its origin. */
const tileAddress = optional(
  (value) =>
    URL.canParse(value) &&
    /^https:\/\/[^/{}\s]+\//.test(value) &&
    ['{z}', '{x}', '{y}'].every((part) => value.includes(part)),
  'must be an https address with {z}, {x} and {y} behind the host name, such as https://tiles.example.com/{z}/{x}/{y}.png',
)

const domainName = optional(
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
const hostName = optional((value) => {
  const parts = splitPort(value)
  return parts !== undefined && isHost(parts.host)
}, 'must be a host name such as data.example.com, with or without a port, without https:// and path')

/** An address to listen on; empty means every interface. */
const listenHost = optional(
  isHost,
  'must be an IP address or a host name such as 127.0.0.1, ::1 or localhost',
  (value) => value.replace(/^\[(.+)\]$/, '$1'),
)

const oneOf = (...values: readonly string[]) => textThat((value) => values.includes(value), oneOfThese(values))

const listenAddress = optional((value) => {
  const { host, port } = splitPort(value) ?? {}
  return host !== undefined && port !== undefined && isHost(host)
}, 'must be an address and a port such as 127.0.0.1:9464')

const networks: Kind<string> = (value, at, problems) => {
  try {
    networkList(value)
    return value
  } catch (error) {
    return problems.say(at, messageOf(error))
  }
}

/** A port, or `off`. */
const portOrOff = textThat<number | 'off'>(
  (value) => value === 'off' || (/^\d{1,5}$/.test(value) && Number(value) <= 65_535),
  'must be off or an integer from 0 to 65535',
  (value) => (value === 'off' ? value : Number(value)),
)

/** true, false, or the origins that may be private. */
const privateAddresses: Kind<AllowPrivate> = (value, at, problems) => {
  if (isYes(value) || isNo(value)) return isYes(value)
  const origins = value.split(',').map((entry) => entry.trim())
  const isOrigin = (origin: string) => {
    const url = URL.canParse(origin) ? new URL(origin) : undefined
    return url?.protocol === 'https:' && url.origin === origin.replace(/\/$/, '')
  }
  if (origins.every(isOrigin)) return origins.map((origin) => new URL(origin).origin)
  return problems.say(at, 'must be true, false or origins such as https://localhost:8443, separated by commas')
}

const hostNames: Kind<readonly string[]> = (value, at, problems) => {
  const names = value.split(',').map((name) => name.trim().toLowerCase())
  const given = names.filter((name) => name !== '')
  const wrong = given.find((name) => !/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name))
  if (wrong === undefined) return given
  return problems.say(at, `must be host names such as push.example.com, separated by commas; ${wrong} is not one`)
}

const zone = textThat((value) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return true
  } catch {
    return false
  }
}, 'must be an IANA time zone such as Europe/Berlin')

interface Setting<T> {
  read: Kind<T>
  default: string
  why: string
}

const setting = <T>(read: Kind<T>, fallback: string, why: string): Setting<T> => ({ read, default: fallback, why })

/**
 * Every setting: check, default, reason. `appsvc config show --defaults` writes `config/default.yaml` from this list,
 * and a test compares the two. The environment variable of `gateways.apnsUrl` is APPSVC_GATEWAYS_APNS_URL.
 */
const SETTINGS = {
  dataDir: setting(directory, './data', 'directory of the database, the uploads and the master key'),
  host: setting(listenHost, '127.0.0.1', 'address to listen on; 0.0.0.0 means every interface'),
  port: setting(integer(0, 65535), '8080', 'port to listen on; 0 lets the system choose one'),
  baseUrl: setting(
    origin('http', 'https'),
    '',
    'scheme, host name and port by which clients reach this server, without a path; empty means the listening address',
  ),
  trustedProxies: setting(
    networks,
    '',
    'comma-separated addresses and networks of the proxies whose X-Forwarded-For header is trusted',
  ),
  'hosts.crm': setting(
    hostName,
    '',
    'host name of the CRM area; empty means that only its path prefix leads there, as for the areas below',
  ),
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
  'hosts.renderer': setting(
    hostName,
    '',
    'host name of the page that renders in-app messages; empty means only the path /iar',
  ),
  'hosts.console': setting(
    hostName,
    '',
    'host name at which alone the console and its interface (/admin) answer, and nothing else; empty means the paths /console and /admin of every other one',
  ),
  'console.enabled': setting(
    flag,
    'true',
    'serve the console at /console and its interface at /admin; false: neither answers',
  ),
  'console.listen': setting(
    listenAddress,
    '',
    'separate address and port at which alone the console and its interface (/admin) answer, so that a firewall can keep them from the public; plain HTTP; empty means the main port',
  ),
  'console.tiles': setting(
    tileAddress,
    '',
    'address of map pictures for the map of geofences, such as https://tiles.example.com/{z}/{x}/{y}.png; the browsers of people who open the map ask there; empty means outlines alone, and no request leaves for elsewhere',
  ),
  'console.tilesCredit': setting(
    text,
    '',
    'what the map says about the source of its pictures, such as © OpenStreetMap contributors',
  ),
  'links.domain': setting(
    domainName,
    '',
    'domain of short links; each app has a subdomain of it; empty means localhost',
  ),
  'tls.certFile': setting(
    text,
    '',
    'file with the certificate chain (PEM) for HTTPS; it is read again when it changes and at SIGHUP; empty means no HTTPS, unless acme.enabled',
  ),
  'tls.keyFile': setting(text, '', 'file with the private key (PEM) of tls.certFile'),
  'tls.host': setting(listenHost, '', 'address to listen on for HTTPS and tls.httpPort; empty means every interface'),
  'tls.port': setting(integer(0, 65535), '443', 'port for HTTPS, with HTTP/2; 0 lets the system choose one'),
  'tls.httpPort': setting(
    portOrOff,
    '80',
    'port that leads browsers from http to https and answers challenges of ACME; off means none',
  ),
  'tls.minVersion': setting(oneOf('1.2', '1.3'), '1.2', 'oldest version of TLS that is spoken: 1.2 or 1.3'),
  'tls.hsts': setting(
    integer(0, 63_072_000),
    '2592000',
    'seconds for which browsers use https only after a visit over HTTPS (Strict-Transport-Security); 0 means that they are not told',
  ),
  'acme.enabled': setting(
    flag,
    'false',
    'get certificates from a certificate authority and renew them, for baseUrl, hosts.* and the hosts of deep links',
  ),
  'acme.agree': setting(flag, 'false', 'you agree to the terms of the certificate authority; needed with acme.enabled'),
  'acme.directory': setting(
    address('https'),
    'https://acme-v02.api.letsencrypt.org/directory',
    'directory URL of the certificate authority (ACME, RFC 8555)',
  ),
  'acme.email': setting(
    optional((value) => /^[^@\s,?]+@[^@\s,?]+$/.test(value), 'must be an e-mail address such as ops@example.com'),
    '',
    'e-mail address that the certificate authority may write to; empty means none',
  ),
  'acme.caFile': setting(text, '', 'file with the authorities (PEM) to trust for acme.directory, of a private one'),
  'acme.challenge': setting(
    oneOf('auto', 'http-01', 'tls-alpn-01'),
    'auto',
    'how a name is proved: http-01 needs port 80 of the name, tls-alpn-01 its port 443; auto tries one after the other',
  ),
  'acme.maxNames': setting(
    integer(1, 1000),
    '100',
    'maximum number of names that get a certificate; those of the settings come before the hosts of deep links',
  ),
  'database.url': setting(databaseUrl, '', 'postgres://… for PostgreSQL; empty means SQLite in the data directory'),
  masterKeyFile: setting(
    text,
    '',
    'file with the key that encrypts stored secrets; empty means master.key in the data directory',
  ),
  'admin.email': setting(text, '', 'e-mail address of the first owner of the admin interface, for containers'),
  'admin.passwordFile': setting(text, '', 'file with the password of the first owner of the admin interface'),
  'gateways.apnsUrl': setting(
    address('https', 'http'),
    'https://api.push.apple.com',
    'URL of APNs, production environment',
  ),
  'gateways.apnsSandboxUrl': setting(
    address('https', 'http'),
    'https://api.sandbox.push.apple.com',
    'URL of APNs, sandbox environment',
  ),
  'gateways.fcmUrl': setting(
    address('https', 'http'),
    'https://fcm.googleapis.com',
    'URL of Firebase Cloud Messaging (FCM)',
  ),
  'gateways.caFile': setting(
    text,
    '',
    'file with additional certificate authorities (PEM) to trust for outgoing connections',
  ),
  'sandbox.url': setting(
    address('http', 'https'),
    '',
    'address of the page of a sandbox (appsvc sandbox) to which this server sends, so that the console can rehearse; empty means none',
  ),
  'outbound.allowPrivate': setting(
    privateAddresses,
    'false',
    'private addresses that URLs given by callers may lead to: false for none, comma-separated origins such as https://push.intranet:8443, or true for all',
  ),
  'nats.url': setting(
    natsUrls,
    '',
    'NATS servers with JetStream that get every event: comma-separated nats://… or tls://…, with user:password@ if needed; empty means none',
  ),
  'nats.credentials': setting(text, '', 'credentials file (.creds) for NATS'),
  'nats.stream': setting(
    textThat((value) => /^[A-Za-z0-9_-]{1,64}$/.test(value), 'must be 1 to 64 letters, digits, _ or -'),
    'APPSVC',
    'JetStream stream for the events; it is made if there is none',
  ),
  'webPush.extraHosts': setting(
    hostNames,
    '',
    'comma-separated host names of further browser push services; their subdomains are included',
  ),
  'webPush.anyHost': setting(
    flag,
    'false',
    'send web pushes to any host that a browser names, not only to known push services',
  ),
  'webPush.unifiedPush': setting(
    flag,
    'false',
    'send web pushes to every public host that says it is a UnifiedPush server: to phones without Google',
  ),
  'metrics.listen': setting(
    listenAddress,
    '',
    'separate address and port for /metrics, open to anyone who can reach it; empty means the main port, restricted to metrics.allow',
  ),
  'metrics.workerListen': setting(
    listenAddress,
    '',
    'address and port at which appsvc worker answers /metrics, /healthz and /readyz, open to anyone who can reach it; empty means that it does not listen',
  ),
  'metrics.allow': setting(
    networks,
    '127.0.0.0/8,::1',
    'comma-separated addresses and networks that may read /metrics on the main port; requests that a proxy forwards are refused',
  ),
  'metrics.retentionDays': setting(
    integer(1, 3660),
    '400',
    'days for which what metrics counted for each user is kept',
  ),
  'workers.deliver': setting(
    integer(0, 64),
    '0',
    'number of delivery threads; 0 means one fewer than the processor has cores, at least 1',
  ),
  'delivery.ttl': setting(
    integer(0, 2_419_200),
    '86400',
    'seconds after which a notification without a ttl of its own is no longer sent; 0 means that each recipient is tried once',
  ),
  'delivery.chunk': setting(
    integer(1, 5000),
    '2000',
    'most recipients of a lane marked as begun in one transaction (it follows the pace of the lane); after a crash, at most twice as many may get the notification again',
  ),
  'delivery.pageSize': setting(integer(1, 10_000), '1000', 'recipients in one page of work'),
  'delivery.ramp': setting(
    integer(0, 3600),
    '60',
    'seconds over which the sending rate rises to full speed after an outage of a gateway; 0 means at once',
  ),
  'delivery.gradual': setting(
    flag,
    'false',
    'raise the rate in the same way after every pause if the vendor advises it (FCM); broadcasts then take longer',
  ),
  'delivery.refusalLimit': setting(
    integer(1, 100),
    '30',
    'percentage of refused tokens among the last 200 at which a lane stops sending',
  ),
  'limits.body': setting(integer(1024, 1 << 30), '1048576', 'maximum size of a request body in bytes'),
  'limits.deviceBody': setting(
    integer(1024, 1 << 30),
    '5242880',
    'maximum size of a request body from a device in bytes',
  ),
  'limits.dataBody': setting(
    integer(1024, 1 << 30),
    '8388608',
    'maximum size of a request body in the data area (a record or a list of records) in bytes',
  ),
  'limits.tableScan': setting(
    integer(1000, 1_000_000_000),
    '100000',
    'number of records that one statement may check for a list of a data table, at most 100000; each condition counts separately; longer reads use many statements',
  ),
  'limits.readSeconds': setting(
    integer(1, 600),
    '5',
    'seconds that a list of a data table may take to read; then the answer is 503 and names the column to index. A search for users ends its page then',
  ),
  'limits.notificationBody': setting(
    integer(1024, 1 << 30),
    '8388608',
    'maximum size of the request body of a notification (with its lists of installs) or of a list of deep links in bytes',
  ),
  'limits.crashBody': setting(integer(1024, 16 << 20), '2097152', 'maximum size of a crash report in bytes'),
  'limits.picture': setting(integer(1024, 10 << 20), '2097152', 'maximum size of a picture in bytes'),
  'limits.pictures': setting(integer(0, 100_000), '2000', 'maximum number of pictures of an app'),
  'limits.pictureBytes': setting(
    integer(0, 17_179_869_184),
    '268435456',
    'maximum size of all pictures of an app in bytes; they are part of the database and of every backup',
  ),
  'limits.webhooks': setting(integer(0, 1000), '20', 'maximum number of webhooks of an app'),
  'limits.metrics': setting(integer(0, 1000), '100', 'maximum number of metrics of an app'),
  'limits.event': setting(
    integer(1024, 16 << 20),
    '65536',
    'maximum size of the data of a device event in bytes of JSON; a crash report inside it does not count (see limits.crashBody)',
  ),
  'limits.attributes': setting(
    integer(1024, 16 << 20),
    '65536',
    'maximum size of the attributes of a user in bytes of JSON, whoever sets them',
  ),
  'limits.channelMeta': setting(
    integer(1024, 16 << 20),
    '65536',
    'maximum size of the meta object that a server or command stores with a channel, in bytes of JSON',
  ),
  'limits.deviceChannelMeta': setting(
    integer(2, 16 << 20),
    '4096',
    'maximum size of the meta object of a channel that a device creates, in bytes of JSON; other devices receive it with their lists',
  ),
  'limits.checkin': setting(
    integer(1024, 16 << 20),
    '65536',
    'maximum size of the check-in of a group of people in bytes of JSON',
  ),
  'limits.linkData': setting(
    integer(1024, 16 << 20),
    '65536',
    'maximum size of linkData, and of reportingMeta, of a deep link in bytes of JSON',
  ),
  'limits.reportingMeta': setting(
    integer(1024, 16 << 20),
    '65536',
    'maximum size of the reportingMeta of a notification, and of the userMeta of each of its users, in bytes of JSON; events carry a copy',
  ),
  'limits.installsPerUser': setting(
    integer(1, 1_000_000),
    '1000',
    'maximum number of installs of one known user; further installs are not associated with that user',
  ),
  'limits.newPerAddress': setting(
    integer(0, 1_000_000_000),
    '100000',
    'maximum number of installs and other new objects that the devices behind one address may create per hour; 0 means no limit',
  ),
  'limits.eventsPerInstall': setting(
    integer(0, 1_000_000_000),
    '50000',
    'maximum number of events that one install may send per hour; a large event counts once per kilobyte; 0 means no limit',
  ),
  'limits.newChannelsPerApp': setting(
    integer(0, 1_000_000_000),
    '1000',
    'maximum number of channels that all devices of an app may create per hour; 0 means no limit',
  ),
  'limits.bytesPerAddress': setting(
    integer(0, 2 ** 50),
    '1073741824',
    'maximum number of bytes that the devices behind one address may send per hour, a quarter of it in one burst; 0 means no limit',
  ),
  'limits.bytesPerApp': setting(
    integer(0, 2 ** 50),
    '21474836480',
    'maximum number of bytes that all devices of an app may send per hour, a quarter of it in one burst; 0 means no limit',
  ),
  'limits.wrongKeys': setting(
    integer(0, 1_000_000),
    '20',
    'wrong keys per minute that one address may try with one user name (ten times as many in total) before the answer changes from 401 to 429, or 503 for devices; 0 means no limit',
  ),
  'http.threads': setting(
    threads(64),
    'auto',
    'number of threads that answer HTTP requests; auto means 1 on SQLite and with fewer than four processor cores, else one for each core, at most 16',
  ),
  'http.idleTimeout': setting(
    integer(1, 3600),
    '65',
    'seconds that an idle connection stays open; must be longer than the reverse proxy keeps its idle connections',
  ),
  'http.writeTimeout': setting(
    integer(1, 3600),
    '60',
    'seconds after which a client that does not read its response is disconnected',
  ),
  'http.answerBytes': setting(
    integer(1 << 20, 2 ** 40),
    '50331648',
    'maximum number of bytes of long responses that are read but not yet sent, half of it for one address; each HTTP thread has an equal part; memory use is about four times as much',
  ),
  'http.maxConnections': setting(integer(1, 1_000_000), '10000', 'maximum number of open connections'),
  'http.maxPerAddress': setting(
    integer(0, 1_000_000),
    '500',
    'maximum number of open connections from one address; this machine and trustedProxies are exempt; 0 means no limit',
  ),
  'disk.lowWater': setting(
    lowWater,
    'auto',
    'bytes that must stay free on the file system of the data directory; below that nothing new is accepted; auto means 5 % of the file system, at most 512 MiB; SQLite only',
  ),
  'backup.to': setting(
    backupPlace,
    '',
    'directory or s3://bucket/prefix to which the server backs up its SQLite database; empty means not at all',
  ),
  'backup.every': setting(
    interval,
    '24h',
    'time between two backups of the server, at least a minute, such as 6h or 7d',
  ),
  'backup.keep': setting(integer(1, 10_000), '7', 'number of its newest backups that the server keeps there'),
  'backup.beforeMigration': setting(
    flag,
    'true',
    'copy an SQLite database to backups/ in the data directory before a new version migrates it; the last two copies are kept',
  ),
  'backup.endpoint': setting(
    address('https', 'http'),
    '',
    'URL of an S3-compatible store; empty means Amazon S3, or AWS_ENDPOINT_URL_S3. Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or the files of the AWS tools',
  ),
  'backup.region': setting(text, '', 'region of the bucket; empty means AWS_REGION or the files of the AWS tools'),
  'backup.pathStyle': setting(
    flag,
    'false',
    'name the bucket in the path and not in the host name, as MinIO and other stores of your own want it',
  ),
  'audit.retentionDays': setting(
    integer(1, 36_500),
    '730',
    'days that the log of what people did in the admin interface is kept',
  ),
  'events.retentionDays': setting(integer(1, 36_500), '365', 'days that events are kept'),
  'crashes.retentionDays': setting(integer(1, 36_500), '90', 'days that crash reports are kept'),
  'crashes.keep': setting(
    integer(1, 1_000_000),
    '1000',
    'maximum number of crash reports kept per app and kind (Android, iOS, events); the oldest are deleted first',
  ),
  'crashes.keepBytes': setting(
    integer(1024, 2 ** 40),
    '268435456',
    'maximum number of bytes of crash reports kept per app and kind; the oldest are deleted first',
  ),
  'checkins.retentionDays': setting(
    integer(1, 36_500),
    '30',
    'days that check-ins (contact tracing) are kept, whether closed or not',
  ),
  'inApp.retentionDays': setting(
    integer(1, 36_500),
    '90',
    'days after the end of an in-app message that its records per user are kept; the totals are kept for good',
  ),
  'notifications.retentionDays': setting(
    integer(0, 36_500),
    '0',
    'days after its expiry that a notification keeps its recipients with outcomes and opens; its counts are kept for good; 0 means that they are kept, too',
  ),
  'channels.importRetentionDays': setting(
    integer(1, 36_500),
    '90',
    'days that the results of a subscriber file are kept',
  ),
  'schedule.maxLateness': setting(
    integer(0, 2_592_000),
    '3600',
    'seconds after its due time until which a scheduled notification is still sent if it could not be sent on time; 0 means the minute in which it is due',
  ),
  'geofences.maxAge': setting(
    integer(60, 31_536_000),
    '86400',
    'seconds after which the last known position of an install no longer counts for geofences',
  ),
  timezone: setting(zone, 'UTC', 'IANA time zone of installs that did not report one'),
  'timezones.dir': setting(
    text,
    '',
    'folder with newer time zone rules than those in this program (zoneinfo64.res of ICU); empty means timezones in the data directory, if it is there',
  ),
  'log.level': setting(
    oneOf(...LOG_LEVELS),
    'info',
    'least severe level that is logged: debug, info, warn, error or silent',
  ),
  'log.format': setting(
    oneOf(...LOG_FORMATS),
    'auto',
    'how the log is written: json (an object for each line), text (for people) or auto (text on a terminal, else json)',
  ),
}

/** The address of a vendor's server: each gateway declares its own, and `settingsWith` adds them to the list. */
export type VendorSetting = `gateways.${string}Url`
export type SettingName = keyof typeof SETTINGS | VendorSetting

/** The effective settings, frozen. */
export type Config = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never
} & { readonly [K in VendorSetting]: string }

export type Settings = Readonly<Record<SettingName, Setting<unknown>>>

/**
 * All settings: ours and, inserted before `gateways.caFile`, the addresses of vendors. The keys of `addresses` are
 * their names below `gateways.`.
 */
export function settingsWith(addresses: Readonly<Record<`${string}Url`, { default: string; why: string }>>): Settings {
  const entries: [string, Setting<unknown>][] = Object.entries(SETTINGS)
  const vendors = Object.entries(addresses).map(([name, { default: fallback, why }]): [string, Setting<unknown>] => [
    `gateways.${name}`,
    setting(address('https', 'http'), fallback, why),
  ])
  const at = entries.findIndex(([name]) => name === 'gateways.caFile')
  return Object.fromEntries(entries.toSpliced(at, 0, ...vendors)) as Settings
}

/** A limit of bytes, with the name of its setting for the error that reports an excess. */
export function sizeLimit(config: Config, setting: Extract<SettingName, `limits.${string}`>): SizeLimit {
  return { bytes: config[setting], setting }
}

/** The origin of a value, for `config show`. */
type Source = 'default' | 'file' | 'environment' | 'flag'

export interface LoadedConfig {
  config: Config
  sources: Record<SettingName, Source>
}

export interface ConfigInput {
  /** Path of `appsvc.yaml`; without it no file is read. */
  file?: string | undefined
  environment: Readonly<Record<string, string | undefined>>
  flags?: Partial<Record<SettingName, string | undefined>>
}

/** The environment of the process. Nothing else reads it, so this file lists everything that influences the program. */
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
 * Reads the settings; flags override the environment, which overrides the file, which overrides the defaults. Throws
 * one `AppError('config')` that names every wrong setting, its source and what it must be.
 */
export async function loadConfig(
  settings: Settings,
  { file, environment, flags = {} }: ConfigInput,
): Promise<LoadedConfig> {
  const wrong: string[] = []
  const problems: Problems = { say: (at, problem) => void wrong.push(`${at} ${problem}`) }
  const fromFile = file === undefined ? {} : await readFile(file, settings, problems)
  const byEnvironment = new Set(Object.keys(settings).map(environmentName))
  for (const key of Object.keys(environment)) {
    if (key.startsWith('APPSVC_') && !NOT_SETTINGS.has(key) && !byEnvironment.has(key)) {
      problems.say(key, `is not a setting${nearest(key, [...byEnvironment])}`)
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
    const where = source === 'environment' ? environmentName(name) : source === 'file' ? `${name} in ${file}` : name
    values[name] = known.read(value, where, problems)
    sources[name] = source
  }
  // Settings are compared with each other only when each is right by itself.
  if (wrong.length === 0) wrong.push(...tlsProblems(values as unknown as Config))
  if (wrong.length > 0) throw new AppError('config', `bad configuration: ${wrong.join('; ')}`)
  values['baseUrl'] ||= baseUrlOfCertificate(values as unknown as Config)
  const config = Object.freeze(values) as Config
  knownSources.set(config, sources)
  if (file !== undefined && Object.values(sources).includes('file')) knownFiles.set(config, resolve(file))
  return { config, sources }
}

const knownSources = new WeakMap<Config, Record<SettingName, Source>>()
const knownFiles = new WeakMap<Config, string>()

/** The settings file from which secrets of a loaded configuration come, and the names of these settings; undefined without such. */
export function secretsInFile(config: Config): { file: string; names: SettingName[] } | undefined {
  const file = knownFiles.get(config)
  const sources = knownSources.get(config)
  if (file === undefined || sources === undefined) return undefined
  const names = (Object.keys(sources) as SettingName[]).filter((name) => {
    const value: unknown = config[name]
    return sources[name] === 'file' && value instanceof Secret && containsPassword(value.reveal())
  })
  return names.length > 0 ? { file, names } : undefined
}

/** Tells whether an address has a password in it. */
export function containsPassword(address: string): boolean {
  if (!URL.canParse(address)) return /:\/\/[^/?#]*:[^/?#]+@|[?&]password=/i.test(address)
  const { password, searchParams } = new URL(address)
  return password !== '' || [...searchParams].some(([name, value]) => name.toLowerCase() === 'password' && value !== '')
}

/** The origin of each setting of a loaded configuration; undefined in a thread, which gets all settings from its program. */
export function sourcesOf(config: Config): Record<SettingName, Source> | undefined {
  const sources = knownSources.get(config)
  return sources && Object.values(sources).some((source) => source !== 'flag') ? sources : undefined
}

/** Variables that `apps create --env` prints. They mean nothing to this program, but may be in its environment. */
export const APP_VARIABLES = [
  'APPSVC_APP_ID',
  'APPSVC_API_KEY',
  'APPSVC_SERVER_KEY',
  'APPSVC_SECRET_KEY',
  'APPSVC_LINK_HOST',
  'APPSVC_URL',
] as const

/** Variables with our prefix that are not settings: the path of the file, the target of `db copy`, what tests set. */
const NOT_SETTINGS = new Set([
  'APPSVC_CONFIG',
  'APPSVC_COPY_TO',
  'APPSVC_FAILPOINTS',
  // Of commands that run on another machine's server.
  'APPSVC_TOKEN',
  'APPSVC_TOKEN_FILE',
  ...APP_VARIABLES,
])

async function readFile(file: string, settings: Settings, problems: Problems): Promise<Record<string, string>> {
  const { parse } = await import('yaml')
  let document: unknown
  try {
    document = parse(readFileSync(file, 'utf8'))
  } catch (error) {
    // A second line and the next show the place; the first has its line and column.
    const [why] = messageOf(error).split('\n')
    const isClosed = (error as NodeJS.ErrnoException).code === 'EACCES'
    const remedy = isClosed
      ? '; run as the user of the service (sudo -u appsvc appsvc …), or as another who may read it'
      : ''
    throw new AppError(
      'config',
      `cannot read the configuration file ${resolve(file)}: ${why!.replace(/:$/, '')}${remedy}`,
    )
  }
  if (typeof (document ?? {}) !== 'object' || Array.isArray(document)) {
    throw new AppError('config', `the configuration file ${resolve(file)} must contain lines of "name: value"`)
  }
  const flat: Record<string, string> = {}
  const visit = (value: unknown, path: string) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) visit(inner, path ? `${path}.${key}` : key)
    } else if (value === null && Object.keys(settings).some((name) => name.startsWith(`${path}.`))) {
      // A section in which every line is commented out.
    } else if (!Object.hasOwn(settings, path)) {
      problems.say(`${path} in ${file}`, `is not a setting${nearest(path, Object.keys(settings))}`)
    } else if (value !== null && value !== undefined) flat[path] = asText(value)
  }
  visit(document ?? {}, '')
  return flat
}

/** A YAML value as the text that the environment would hold; items of a list are joined by commas. */
function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Maximum distance of a suggestion. The names are long, so a third of their letters would suggest nearly anything. */
const MAX_LETTERS_OFF = 2

/** `; did you mean x?` when a known name differs in at most two letters. */
function nearest(name: string, known: string[]): string {
  const bare = (value: string) => value.toLowerCase().replace(/[^a-z]/g, '')
  const byBare = new Map(known.map((candidate) => [bare(candidate), candidate]))
  const found = suggest(bare(name), [...byBare.keys()], MAX_LETTERS_OFF)
  return found === undefined ? '' : `; did you mean ${byBare.get(found)}?`
}

/** Every effective setting as text, secrets included, to pass the configuration to a worker thread. */
export function settingsAsText(config: Config): Record<SettingName, string> {
  const entries = Object.entries(config).map(([name, value]) => [
    name,
    value instanceof Secret ? value.reveal() : String(value),
  ])
  return Object.fromEntries(entries) as Record<SettingName, string>
}

/** `config/default.yaml`: every setting with its reason and its environment variable as a comment. */
export function defaultYaml(settings: Settings): string {
  const head =
    '# Every setting of appsvc with its default. Copy the ones you want to change into appsvc.yaml and pass it with --config.'
  return yamlOf(settings, [head], (_, line) => line)
}

/**
 * A settings file to edit: every setting with its reason, the default commented out, so that a later version may have another. `given` are the
 * settings that have a value in it already. The names of sections stand: to change a setting is to remove one #.
 */
export function commentedYaml(
  settings: Settings,
  head: readonly string[],
  given: Readonly<Record<string, string>> = {},
): string {
  const changed = Object.entries(given).map(([name, value]) => [
    name,
    { ...settings[name as SettingName], default: value },
  ])
  const lines = ['Settings of appsvc. Remove the # in front of a setting to change it.', ...head].map(
    (line) => `# ${line}`,
  )
  return yamlOf({ ...settings, ...Object.fromEntries(changed) }, lines, (name, line) =>
    Object.hasOwn(given, name) ? line : `#${line}`,
  )
}

/** The settings as YAML, each below its reason. `written` makes the line of a setting from `name: default`. */
function yamlOf(settings: Settings, head: readonly string[], written: (name: string, line: string) => string): string {
  const lines = [...head, '']
  let section = ''
  for (const [name, { default: value, why }] of Object.entries(settings)) {
    const [head, tail] = name.includes('.') ? (name.split('.') as [string, string]) : ['', name]
    if (head !== section && head !== '') lines.push(`${head}:`)
    section = head
    const indent = head ? '  ' : ''
    lines.push(
      `${indent}# ${why} (${environmentName(name)})`,
      written(name, `${indent}${tail}: ${/^[\w./:-]+$/.test(value) ? value : `'${value}'`}`),
    )
  }
  return `${lines.join('\n')}\n`
}

/** `docs/reference/settings.md`: the same as a page, with a table for each section. */
export function settingsPage(settings: Settings): string {
  const sections = Map.groupBy(Object.entries(settings), ([name]) => (name.includes('.') ? name.split('.')[0]! : ''))
  const tables = [...sections].map(([section, entries]) => {
    const rows = entries.map(([name, { default: value, why }]) => {
      const cells = [
        `\`${name}\``,
        value === '' ? '' : `\`${value}\``,
        why.replaceAll('|', '\\|'),
        `\`${environmentName(name)}\``,
      ]
      return `| ${cells.join(' | ')} |`
    })
    const heading = section === '' ? 'Settings without a section' : section
    return [`## ${heading}`, '', '| setting | default | | environment |', '|---|---|---|---|', ...rows].join('\n')
  })
  return `${[PAGE_HEAD, ...tables].join('\n\n')}\n`
}

const PAGE_HEAD = `# Settings

Every setting has a default. Later sources override earlier ones: defaults, the file (\`--config\`, \`APPSVC_CONFIG\`, or \`appsvc.yaml\` in the
working directory; of the Debian package \`/etc/appsvc.yaml\`), environment variables, flags. Settings are read at the start; restart the server to change them. \`appsvc config check\`
reports what is wrong, \`appsvc config show\` where each value comes from. In the file a dot begins a section:
\`database.url\` is \`url\` below \`database\`. This page is generated: \`appsvc config show --defaults --markdown\`.`
