import { createPublicKey } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'
import { environmentName, type VendorSetting } from '../platform/config/settings.ts'
import { type Clock, systemClock } from '../platform/time/clock.ts'
import { providerTokens } from './apns/provider-token.ts'
import { startApns } from './apns/server.ts'
import { makeSelfSignedIdentity, makeServerIdentity } from './certificates.ts'
import { startControl } from './control.ts'
import {
  blocksOf,
  clientEmailOf,
  credentialsOf,
  prepareSecrets,
  type SandboxSecrets,
  standInCredentials,
  topicsByFingerprint,
  writeCredentialFiles,
} from './credentials.ts'
import { ACCESS_TOKEN_LIFE_S, startOAuth } from './fcm/oauth.ts'
import { startFcm } from './fcm/server.ts'
import { startDevices } from './stand-in/devices.ts'
import { startFaults } from './stand-in/faults.ts'
import { startLedger } from './stand-in/ledger.ts'
import type { Listener, Manners } from './stand-in/listener.ts'
import type { Conditions, Plan } from './stand-in/plan.ts'
import { type Quota, startQuota } from './stand-in/quota.ts'
import {
  findStandIn,
  LISTENERS,
  type ListenerName,
  SANDBOX_GATEWAYS,
  type SandboxGateway,
  type StandInName,
  standInEntries,
} from './stand-ins.ts'
import type { Sandbox, SandboxUrls } from './types.ts'
import { startWeb } from './web/server.ts'
import { webSubscriptions } from './web/subscriptions.ts'

export { parsePlan } from './plan.schema.ts'
export type { Received } from './stand-in/ledger.ts'
export type { Plan } from './stand-in/plan.ts'
export type { Sandbox } from './types.ts'

type StandInPorts = { [N in `${StandInName}Port`]?: number }

export interface SandboxOptions extends StandInPorts {
  /** Address to listen on; also in the certificate. */
  host?: string
  /** Ports; 0 lets the system choose. */
  apnsPort?: number
  apnsSandboxPort?: number
  fcmPort?: number
  webPort?: number
  httpPort?: number
  /** A checked plan (see `parsePlan`). */
  plan?: Plan
  /** Directory for keys, certificates and credential files, so that credentials keep working after a restart. */
  dir?: string
  /** Topics of the push certificate; the first is its bundle id. */
  topics?: string[]
  projectId?: string
  /** Further names and addresses for the certificate, e.g. of the container. */
  names?: string[]
  /** Number of messages to keep in full; 0 only counts. */
  keep?: number
  /** Receives log lines. */
  log?: (line: string) => void
  clock?: Clock
}

/**
 * Limits of streams: 1000 as APNs tells its clients; 100 at FCM, which ends a session that opens more (documentation of both).
 */
const OWN_LISTENERS: Readonly<Record<string, { maxStreams: number; tooMany: string }>> = {
  'apns-production': { maxStreams: 1000, tooMany: 'TooManyRequests' },
  'apns-sandbox': { maxStreams: 1000, tooMany: 'TooManyRequests' },
  fcm: { maxStreams: 100, tooMany: 'QUOTA_EXCEEDED' },
  web: { maxStreams: 100, tooMany: 'TooManyRequests' },
}
const factsOf = (name: ListenerName) => findStandIn(name) ?? OWN_LISTENERS[name]!
const DAY_MS = 86_400_000
const DEFAULT_TOPIC = 'com.example.app'
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'

/**
 * Starts local stand-ins for all gateways, and the page and API that show what arrived. Listens on loopback unless
 * `host` is given. Rejects if a port is taken or `dir` cannot be used.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', clock = systemClock, dir } = options
  const topics = options.topics ?? withSuffixes(DEFAULT_TOPIC)
  const projectId = options.projectId ?? 'appsvc-sandbox'
  const secrets = await prepareSecrets({ dir, topics, projectId }, clock.now())
  const hosts = hostNames(host, options.names)
  const plan = options.plan ?? {}
  const devices = startDevices(SANDBOX_GATEWAYS)
  devices.replace(plan.devices ?? [])
  const ledger = startLedger(SANDBOX_GATEWAYS, options.keep === undefined ? {} : { keep: options.keep })
  const oauth = startOAuth({
    publicKey: createPublicKey(secrets.accountKey),
    keyId: secrets.accountKeyId,
    clientEmail: clientEmailOf(secrets),
    isAudience: (aud) => isAudience(aud, hosts),
  })
  const inside: Inside = {
    options,
    host,
    hosts,
    projectId,
    clock,
    secrets,
    devices,
    ledger,
    oauth,
    subscriptions: webSubscriptions(secrets.accountKey),
    identityFor: identities(secrets, hosts, clock),
    lives: [oauth.setLife],
    started: [],
    play: { plan, faults: startFaults(plan), quotas: quotasOf(plan) },
  }
  oauth.setLife(lifeSeconds(plan))
  try {
    return await startWith(inside)
  } catch (error) {
    await closeAll(inside)
    throw error
  }
}

/** Parts that the stand-ins of one sandbox share. */
interface Inside {
  options: SandboxOptions
  host: string
  hosts: string[]
  projectId: string
  clock: Clock
  secrets: SandboxSecrets
  devices: ReturnType<typeof startDevices>
  ledger: ReturnType<typeof startLedger<SandboxGateway>>
  oauth: ReturnType<typeof startOAuth>
  subscriptions: ReturnType<typeof webSubscriptions>
  identityFor: ReturnType<typeof identities>
  /** Functions that set the life of access tokens, one for each stand-in. */
  lives: ((seconds: number) => void)[]
  started: { close(): Promise<void> }[]
  /** The present plan, and what follows from it. */
  play: { plan: Plan; faults: ReturnType<typeof startFaults>; quotas: ReturnType<typeof quotasOf> }
}

const lifeSeconds = (plan: Plan) => plan.accessTokenSeconds ?? ACCESS_TOKEN_LIFE_S

async function closeAll({ started }: Inside): Promise<void> {
  await Promise.all(started.map((one) => one.close()))
}

/** Waits until it has started; it is closed with the others. */
async function keep<T extends { close(): Promise<void> }>({ started }: Inside, starting: Promise<T>): Promise<T> {
  const one = await starting
  started.push(one)
  return one
}

async function startWith(inside: Inside): Promise<Sandbox> {
  const { options, host, hosts, secrets, devices, ledger, play } = inside
  const log = options.log ?? (() => {})
  const listeners = await startListeners(inside)
  const { urls, settings } = addressesOf(listeners, hosts)
  const credentials = credentialsOf(secrets, urls.fcmToken)
  const sandbox: Omit<Sandbox, 'close'> = {
    urls,
    ca: secrets.authority.cert,
    credentials,
    blocks: blocksOf(credentials),
    settings,
    get environment() {
      return Object.fromEntries(Object.entries(settings).map(([name, value]) => [environmentName(name), value]))
    },
    writeFiles: (target) => writeCredentialFiles(target, credentials, secrets.authority.cert),
    received: (filter) => ledger.list(filter),
    counts: () => ledger.counts(),
    countOf: (token, notificationId) => ledger.countOf(token, notificationId),
    plan: () => play.plan,
    async setPlan(plan) {
      await follow(inside, plan, listeners)
      log(`plan: ${plan.rules?.length ?? 0} rules, ${plan.devices?.length ?? 0} devices`)
    },
    subscribe: ({ host: name = hosts[0]!, ...wish } = {}) =>
      inside.subscriptions.subscribe(originOf(name, listeners.web), wish),
    declareDevice: (device) => devices.declare(device),
    reset: () => ledger.reset(),
    on(event, listener) {
      ledger.events.on(event, listener)
      return () => void ledger.events.off(event, listener)
    },
  }
  const { httpPort: port = 0, names = [] } = options
  const faults = () => play.faults
  const control = await keep(inside, startControl({ host, port, names, sandbox, ledger, devices, faults }))
  urls.http = `http://${bracketed(hosts[0]!)}:${control.port}`
  settings['sandbox.url'] = urls.http
  if (options.dir !== undefined) await sandbox.writeFiles(options.dir)
  log(`listening: ${Object.values(urls).join(' ')}`)
  return { ...sandbox, close: () => closeAll(inside) }
}

/** Plays another plan from now on. */
async function follow(inside: Inside, plan: Plan, listeners: Record<ListenerName, Listener>): Promise<void> {
  const { devices, lives, play, identityFor } = inside
  play.plan = plan
  play.faults = startFaults(plan)
  play.quotas = quotasOf(plan)
  devices.replace(plan.devices ?? [])
  for (const setLife of lives) setLife(lifeSeconds(plan))
  for (const name of LISTENERS) await listeners[name].setManners(mannersOf(plan, name, identityFor))
}

async function startListeners(inside: Inside): Promise<Record<ListenerName, Listener>> {
  const { options, projectId, secrets, oauth, subscriptions, identityFor, lives, play } = inside
  const { host, devices, ledger, clock } = inside
  const shared = { host, devices, ledger, clock, faults: () => play.faults }
  const partsOf = (name: ListenerName, port = 0) => ({
    ...shared,
    port,
    manners: mannersOf(play.plan, name, identityFor),
    quota: () => play.quotas[name],
  })
  const certificateTopics = topicsByFingerprint(secrets)
  const tokens = providerTokens({
    publicKey: createPublicKey(secrets.signingKey),
    keyId: secrets.keyId,
    teamId: secrets.teamId,
  })
  const startApnsHost = (environment: 'production' | 'sandbox', port: number | undefined) =>
    startApns({
      ...partsOf(`apns-${environment}`, port),
      environment,
      ca: secrets.authority.cert,
      topicsOfCertificate: (fingerprint) => certificateTopics.get(fingerprint),
      providerTokens: tokens,
    })

  const production = await keep(inside, startApnsHost('production', options.apnsPort))
  const sandbox = await keep(inside, startApnsHost('sandbox', options.apnsSandboxPort))
  const fcm = await keep(inside, startFcm({ ...partsOf('fcm', options.fcmPort), projectId, oauth }))
  const declared: [StandInName, Listener][] = []
  const secretOnes = standInCredentials(secrets)
  for (const [name, { start }] of standInEntries) {
    const own = partsOf(name, options[`${name}Port`])
    const { listener, setLife } = await start(own, secretOnes[name], lifeSeconds(play.plan))
    declared.push([name, await keep(inside, Promise.resolve(listener))])
    lives.push(setLife)
  }
  const web = await keep(inside, startWeb({ ...partsOf('web', options.webPort), subscriptions }))
  return {
    'apns-production': production,
    'apns-sandbox': sandbox,
    fcm,
    ...(Object.fromEntries(declared) as Record<StandInName, Listener>),
    web,
  }
}

const originOf = (name: string, { port }: Listener) => `https://${bracketed(name)}:${port}`

/** Addresses of the stand-ins, for people and as settings of a server. The page is not started yet. */
function addressesOf(
  listeners: Record<ListenerName, Listener>,
  hosts: readonly string[],
): { urls: SandboxUrls; settings: Sandbox['settings'] } {
  const origin = (name: ListenerName) => originOf(hosts[0]!, listeners[name])
  // Printed in this order. The setting of each address has the same name with `Url` at the end.
  const configured = {
    apns: origin('apns-production'),
    apnsSandbox: origin('apns-sandbox'),
    fcm: origin('fcm'),
    fcmToken: `${origin('fcm')}/token`,
    ...(Object.fromEntries(
      standInEntries.flatMap(([name, { tokenPath }]) => [
        [name, origin(name)],
        [`${name}Token`, `${origin(name)}${tokenPath}`],
      ]),
    ) as { [N in StandInName | `${StandInName}Token`]: string }),
  }
  return {
    urls: { ...configured, web: origin('web'), http: '' },
    settings: {
      'sandbox.url': '',
      ...(Object.fromEntries(
        Object.entries(configured).map(([name, address]) => [`gateways.${name}Url`, address]),
      ) as Record<VendorSetting, string>),
      // Subscriptions of browsers bring their own addresses: private ones are those of the sandbox only.
      'outbound.allowPrivate': hosts.map((name) => originOf(name, listeners.web)).join(','),
    },
  }
}

/** The bundle id and the other topics of the app (Apple: VoIP and complications share the certificate). */
function withSuffixes(bundleId: string): string[] {
  return [bundleId, `${bundleId}.voip`, `${bundleId}.complication`]
}

/** Host names of the certificate. The first is used in URLs: an IP address, because a name may resolve to IPv6. */
function hostNames(host: string, names: string[] = []): string[] {
  const own = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return [...new Set([own, 'localhost', '127.0.0.1', '::1', ...names])]
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

type CertificateKind = NonNullable<Conditions['certificate']>

/** Makes each kind of certificate once, because listeners compare them by identity. */
function identities(secrets: SandboxSecrets, hosts: string[], clock: Clock) {
  const made = new Map<CertificateKind, SecureContextOptions>()
  const make = (kind: CertificateKind): SecureContextOptions => {
    const now = clock.now()
    const { serverKey: key, authority } = secrets
    if (kind === 'self-signed') return makeSelfSignedIdentity(key, hosts, now)
    const names = kind === 'wrong-host' ? ['elsewhere.invalid'] : hosts
    const to = kind === 'expired' ? now - DAY_MS : now + 365 * DAY_MS
    return makeServerIdentity({ key, authority, hosts: names }, { from: Math.min(now, to) - DAY_MS, to })
  }
  return (kind: CertificateKind): SecureContextOptions => {
    let identity = made.get(kind)
    if (!identity) made.set(kind, (identity = make(kind)))
    return identity
  }
}

function conditionsOf(plan: Plan, name: ListenerName): Conditions {
  const { listeners } = plan
  const own = listeners?.[name]
  return { ...(name.startsWith('apns-') ? listeners?.apns : {}), ...own }
}

function mannersOf(plan: Plan, name: ListenerName, identityFor: ReturnType<typeof identities>): Manners {
  const { certificate, refuse, maxStreams } = conditionsOf(plan, name)
  return {
    identity: identityFor(certificate ?? 'good'),
    refuse: refuse ?? false,
    maxStreams: maxStreams ?? factsOf(name).maxStreams,
    sealable: (plan.rules ?? []).some((rule) => rule.effect.goaway?.last === 'zero'),
  }
}

function quotasOf(plan: Plan): Partial<Record<ListenerName, Quota>> {
  const quotas: Partial<Record<ListenerName, Quota>> = {}
  for (const name of LISTENERS) {
    const { quota } = conditionsOf(plan, name)
    if (quota) quotas[name] = startQuota(quota, factsOf(name).tooMany)
  }
  return quotas
}

/**
 * Google's own address, or the token call of this sandbox under any of its names; the port may be that of an earlier
 * run.
 */
function isAudience(aud: unknown, hosts: readonly string[]): boolean {
  if (aud === GOOGLE_TOKEN_URL) return true
  if (typeof aud !== 'string' || !URL.canParse(aud)) return false
  const { protocol, hostname, pathname } = new URL(aud)
  return protocol === 'https:' && pathname === '/token' && hosts.some((host) => bracketed(host) === hostname)
}
