import { createPublicKey } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'
import { type Clock, systemClock } from '../platform/clock.ts'
import { startApns } from './apns.ts'
import { makeSelfSignedIdentity, makeServerIdentity } from './certificates.ts'
import { startControl } from './control.ts'
import {
  clientEmailOf,
  credentialsOf,
  prepareSecrets,
  type SandboxSecrets,
  topicsByFingerprint,
  writeCredentialFiles,
} from './credentials.ts'
import { startDevices } from './devices.ts'
import { startFaults } from './faults.ts'
import { startFcm } from './fcm.ts'
import { startHcm } from './huawei.ts'
import { startHcmOAuth } from './huawei-oauth.ts'
import { startLedger } from './ledger.ts'
import type { Listener, Manners } from './listener.ts'
import { ACCESS_TOKEN_LIFE_S, startOAuth } from './oauth.ts'
import type { Conditions, ListenerName, Plan } from './plan.ts'
import { providerTokens } from './provider-token.ts'
import { type Quota, startQuota } from './quota.ts'
import type { Sandbox, SandboxUrls } from './types.ts'
import { startWeb } from './web.ts'
import { webSubscriptions } from './web-subscriptions.ts'

export type { SandboxCredentials } from './credentials.ts'
export type { Counts, Received, ReceivedFilter } from './ledger.ts'
export { type Device, type Plan, parsePlan } from './plan.ts'
export type { Sandbox, SandboxUrls } from './types.ts'

export interface SandboxOptions {
  /** Where to listen; also in the certificate. */
  host?: string
  /** Ports; 0 lets the system choose. */
  apnsPort?: number
  apnsSandboxPort?: number
  fcmPort?: number
  hcmPort?: number
  webPort?: number
  httpPort?: number
  /** A checked plan (see `parsePlan`). */
  plan?: Plan
  /** Keeps keys, certificates and credential files here, so that what was configured with them works after a restart. */
  dir?: string
  /** Topics of the push certificate; the first is its bundle id. */
  topics?: string[]
  projectId?: string
  /** Further names and addresses for the certificate, e.g. of the container. */
  names?: string[]
  /** How many messages to keep in full; 0 only counts. */
  keep?: number
  /** Gets a line for everything worth knowing that is not a message. */
  log?: (line: string) => void
  clock?: Clock
}

const LISTENERS: readonly ListenerName[] = ['apns-production', 'apns-sandbox', 'fcm', 'hcm', 'web']
/** APNs: 1000 in what clients log. FCM: 100, more ends the session (gateway documentation of both). */
const MAX_STREAMS = { 'apns-production': 1000, 'apns-sandbox': 1000, fcm: 100, hcm: 100, web: 100 }
const TOO_MANY = {
  'apns-production': 'TooManyRequests',
  'apns-sandbox': 'TooManyRequests',
  fcm: 'QUOTA_EXCEEDED',
  hcm: 'FLOW_CONTROL',
  web: 'TooManyRequests',
}
const DAY_MS = 86_400_000
const DEFAULT_TOPIC = 'com.example.app'
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'

/**
 * Starts local stand-ins for APNs (both hosts), FCM, Huawei's Push Kit and the push services of browsers, and the page and API that
 * show what arrived. Everything is loopback unless `host` says otherwise. Rejects when a port is taken or `dir` cannot be used.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', clock = systemClock, log = () => {}, dir } = options
  const topics = options.topics ?? withSuffixes(DEFAULT_TOPIC)
  const projectId = options.projectId ?? 'appsvc-sandbox'
  const secrets = await prepareSecrets({ dir, topics, projectId }, clock.now())
  const hosts = hostNames(host, options.names)
  const certificateTopics = topicsByFingerprint(secrets)
  const identityFor = identities(secrets, hosts, clock)

  let plan: Plan = options.plan ?? {}
  let faults = startFaults(plan)
  let quotas = quotasOf(plan)
  const devices = startDevices()
  devices.replace(plan.devices ?? [])
  const ledger = startLedger(options.keep === undefined ? {} : { keep: options.keep })

  const tokens = providerTokens({
    publicKey: createPublicKey(secrets.signingKey),
    keyId: secrets.keyId,
    teamId: secrets.teamId,
  })
  const oauth = startOAuth({
    publicKey: createPublicKey(secrets.accountKey),
    keyId: secrets.accountKeyId,
    clientEmail: clientEmailOf(secrets),
    isAudience: (aud) => isAudience(aud, hosts),
  })
  oauth.setLife(plan.accessTokenSeconds ?? ACCESS_TOKEN_LIFE_S)
  const { hcm: hcmApp } = credentialsOf(secrets, GOOGLE_TOKEN_URL)
  const hcmClient = { id: String(hcmApp.appId), secret: hcmApp.appIdPassword }
  const hcmOAuth = startHcmOAuth(hcmClient, plan.accessTokenSeconds ?? ACCESS_TOKEN_LIFE_S)

  const subscriptions = webSubscriptions(secrets.accountKey)
  const shared = { host, devices, ledger, clock, faults: () => faults }
  const startApnsHost = (environment: 'production' | 'sandbox', port: number) =>
    startApns({
      ...shared,
      port,
      environment,
      manners: mannersOf(plan, `apns-${environment}`, identityFor),
      quota: () => quotas[`apns-${environment}`],
      ca: secrets.authority.cert,
      topicsOfCertificate: (fingerprint) => certificateTopics.get(fingerprint),
      providerTokens: tokens,
    })

  const started: { close(): Promise<void> }[] = []
  const keep = async <T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const one = await starting
    started.push(one)
    return one
  }
  const closeAll = async () => {
    await Promise.all(started.map((one) => one.close()))
  }

  try {
    const listeners: Record<ListenerName, Listener> = {
      'apns-production': await keep(startApnsHost('production', options.apnsPort ?? 0)),
      'apns-sandbox': await keep(startApnsHost('sandbox', options.apnsSandboxPort ?? 0)),
      fcm: await keep(
        startFcm({
          ...shared,
          port: options.fcmPort ?? 0,
          projectId,
          oauth,
          manners: mannersOf(plan, 'fcm', identityFor),
          quota: () => quotas.fcm,
        }),
      ),
      hcm: await keep(
        startHcm({
          ...shared,
          port: options.hcmPort ?? 0,
          appId: hcmClient.id,
          oauth: hcmOAuth,
          manners: mannersOf(plan, 'hcm', identityFor),
          quota: () => quotas.hcm,
        }),
      ),
      web: await keep(
        startWeb({
          ...shared,
          port: options.webPort ?? 0,
          subscriptions,
          manners: mannersOf(plan, 'web', identityFor),
          quota: () => quotas.web,
        }),
      ),
    }
    const origin = (port: number, name = hosts[0]!) => `https://${bracketed(name)}:${port}`
    const fcm = origin(listeners.fcm.port)
    const hcm = origin(listeners.hcm.port)
    const urls: SandboxUrls = {
      apns: origin(listeners['apns-production'].port),
      apnsSandbox: origin(listeners['apns-sandbox'].port),
      fcm,
      fcmToken: `${fcm}/token`,
      hcm,
      hcmToken: `${hcm}/oauth2/v3/token`,
      web: origin(listeners.web.port),
      http: '',
    }
    const credentials = credentialsOf(secrets, urls.fcmToken)

    const sandbox: Omit<Sandbox, 'close'> = {
      urls,
      ca: secrets.authority.cert,
      credentials,
      environment: {
        APPSVC_GATEWAYS_APNS_URL: urls.apns,
        APPSVC_GATEWAYS_APNS_SANDBOX_URL: urls.apnsSandbox,
        APPSVC_GATEWAYS_FCM_URL: urls.fcm,
        APPSVC_GATEWAYS_FCM_TOKEN_URL: urls.fcmToken,
        APPSVC_GATEWAYS_HCM_URL: urls.hcm,
        APPSVC_GATEWAYS_HCM_TOKEN_URL: urls.hcmToken,
        // Subscriptions of browsers bring their own addresses: private ones are those of the sandbox only.
        APPSVC_OUTBOUND_ALLOW_PRIVATE: hosts.map((name) => origin(listeners.web.port, name)).join(','),
      },
      writeFiles: (target) => writeCredentialFiles(target, credentials, secrets.authority.cert),
      received: (filter) => ledger.list(filter),
      counts: () => ledger.counts(),
      countOf: (token, notificationId) => ledger.countOf(token, notificationId),
      plan: () => plan,
      async setPlan(next) {
        plan = next
        faults = startFaults(plan)
        quotas = quotasOf(plan)
        devices.replace(plan.devices ?? [])
        oauth.setLife(plan.accessTokenSeconds ?? ACCESS_TOKEN_LIFE_S)
        hcmOAuth.setLife(plan.accessTokenSeconds ?? ACCESS_TOKEN_LIFE_S)
        for (const name of LISTENERS) await listeners[name].setManners(mannersOf(plan, name, identityFor))
        log(`plan: ${plan.rules?.length ?? 0} rules, ${plan.devices?.length ?? 0} devices`)
      },
      subscribe: ({ host: name, ...wish } = {}) => subscriptions.subscribe(origin(listeners.web.port, name), wish),
      declareDevice: (device) => devices.declare(device),
      reset: () => ledger.reset(),
      on(event, listener) {
        ledger.events.on(event, listener)
        return () => void ledger.events.off(event, listener)
      },
    }
    const control = await keep(
      startControl({
        host,
        port: options.httpPort ?? 0,
        names: options.names ?? [],
        sandbox,
        ledger,
        devices,
        faults: () => faults,
      }),
    )
    urls.http = `http://${bracketed(hosts[0]!)}:${control.port}`
    if (dir !== undefined) await sandbox.writeFiles(dir)
    log(`listening: ${Object.values(urls).join(' ')}`)
    return { ...sandbox, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** The bundle id and the topics that belong to the same app (Apple: VoIP and complications share the certificate). */
function withSuffixes(bundleId: string): string[] {
  return [bundleId, `${bundleId}.voip`, `${bundleId}.complication`]
}

/** The first is the one that addresses are given with: an address rather than a name that may mean IPv6 as well. */
function hostNames(host: string, names: string[] = []): string[] {
  const own = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return [...new Set([own, 'localhost', '127.0.0.1', '::1', ...names])]
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

type CertificateKind = NonNullable<Conditions['certificate']>

/** Makes each kind of certificate once: the listener sees by the object whether it has to change. */
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
    maxStreams: maxStreams ?? MAX_STREAMS[name],
    sealable: (plan.rules ?? []).some((rule) => rule.effect.goaway?.last === 'zero'),
  }
}

function quotasOf(plan: Plan): Partial<Record<ListenerName, Quota>> {
  const quotas: Partial<Record<ListenerName, Quota>> = {}
  for (const name of LISTENERS) {
    const { quota } = conditionsOf(plan, name)
    if (quota) quotas[name] = startQuota(quota, TOO_MANY[name])
  }
  return quotas
}

/** Google's own address, or the token call of this sandbox under any of its names; the port may be that of an earlier run. */
function isAudience(aud: unknown, hosts: readonly string[]): boolean {
  if (aud === GOOGLE_TOKEN_URL) return true
  if (typeof aud !== 'string' || !URL.canParse(aud)) return false
  const { protocol, hostname, pathname } = new URL(aud)
  return protocol === 'https:' && pathname === '/token' && hosts.some((host) => bracketed(host) === hostname)
}
