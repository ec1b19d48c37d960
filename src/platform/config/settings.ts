import type { SizeLimit } from '../json/json.ts'
import { LOG_FORMATS, LOG_LEVELS } from '../log/log.ts'
import {
  address,
  backupPlace,
  databaseUrl,
  directory,
  domainName,
  flag,
  hostName,
  hostNames,
  integer,
  interval,
  type Kind,
  listenAddress,
  listenHost,
  lowWater,
  natsUrls,
  networks,
  oneOf,
  optional,
  origin,
  place,
  portOrOff,
  privateAddresses,
  text,
  textThat,
  threads,
  tileAddress,
  zone,
} from './kinds.ts'

/** A setting: what reads its text, its default as text, and why somebody changes it. */
export interface Setting<T> {
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
    place,
    '',
    'file with the certificate chain (PEM) for HTTPS; it is read again when it changes and at SIGHUP; empty means no HTTPS, unless acme.enabled',
  ),
  'tls.keyFile': setting(place, '', 'file with the private key (PEM) of tls.certFile'),
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
  'acme.caFile': setting(place, '', 'file with the authorities (PEM) to trust for acme.directory, of a private one'),
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
  'database.readUrl': setting(
    databaseUrl,
    '',
    'postgres://… of a standby for long reads, which go to database.url while the standby lacks what was stored (docs/scaling.md); empty means none',
  ),
  'database.pooler': setting(
    oneOf('none', 'transaction'),
    'none',
    'transaction when database.url leads through PgBouncer with pool_mode = transaction (docs/scaling.md); none also for session mode',
  ),
  masterKeyFile: setting(
    text,
    '',
    'file with the key that encrypts stored secrets; empty means master.key in the data directory',
  ),
  'admin.email': setting(text, '', 'e-mail address of the first owner of the admin interface, for containers'),
  'admin.passwordFile': setting(place, '', 'file with the password of the first owner of the admin interface'),
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
    place,
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
  'nats.credentials': setting(place, '', 'credentials file (.creds) for NATS'),
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
    'maximum size of a request body in the data area (a record or a list of records), and of a file of geofences, in bytes',
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
  'events.retentionDays': setting(
    integer(1, 36_500),
    '365',
    'days that events are kept; a large log on PostgreSQL up to a twelfth (and at least two days) longer',
  ),
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
    place,
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

const environmentNames = new Map<string, string>()

/** `gateways.apnsUrl` -> `APPSVC_GATEWAYS_APNS_URL`. For names of settings only: it remembers them. */
export function environmentName(name: string): string {
  const known = environmentNames.get(name)
  if (known !== undefined) return known
  const made = `APPSVC_${name
    .replace(/\./g, '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()}`
  environmentNames.set(name, made)
  return made
}
