import type { VendorSetting } from '../platform/config.ts'
import type { SandboxCredentials } from './credentials.ts'
import type { Counts, Received, ReceivedFilter } from './ledger.ts'
import type { Device, Plan } from './plan.ts'
import type { SandboxGateway, StandInName } from './stand-ins.ts'
import type { WebService, WebSubscription } from './web-subscriptions.ts'

export type SandboxUrls = OwnUrls & { [N in StandInName | `${StandInName}Token`]: string }

interface OwnUrls {
  apns: string
  apnsSandbox: string
  fcm: string
  fcmToken: string
  /** Where subscriptions of browsers are; they give the whole address. */
  web: string
  /** The page and the control API. */
  http: string
}

export interface Sandbox {
  readonly urls: SandboxUrls
  /** PEM of the authority that vouches for the listeners. */
  readonly ca: string
  readonly credentials: SandboxCredentials
  /** The same settings by their names: `gateways.fcmUrl`. */
  readonly settings: Record<VendorSetting | 'outbound.allowPrivate', string>
  /** The settings that point appsvc here, without `APPSVC_GATEWAYS_CA_FILE`, which wants a file: `writeFiles` makes it. */
  readonly environment: Record<string, string>
  /**
   * Writes ca.pem, push.p12, push.p12.password, website.p12, website.p12.password, AuthKey_*.p8, service-account.json and the files of
   * stand-ins; done already when `dir` was given.
   */
  writeFiles(dir: string): Promise<void>
  /** The newest first, at most `limit` (50) of the messages still kept. */
  received(filter?: ReceivedFilter): Received[]
  counts(): Counts<SandboxGateway>
  /** How often the device got a message; with the id of a notification, how often that one. */
  countOf(token: string, notificationId?: string): number
  plan(): Plan
  /** Takes effect for the next request. Counters of rules begin anew. */
  setPlan(plan: Plan): Promise<void>
  /**
   * Subscribes a browser to pushes: with a VAPID key others are refused, without any will do. `host` is another name of the sandbox,
   * so that it looks like another push service; `service` says in whose words it refuses (`google`). What is sent there is decrypted.
   */
  subscribe(wish?: {
    publicKey?: string | undefined
    service?: WebService | undefined
    host?: string | undefined
    expirationTime?: number | undefined
  }): WebSubscription
  /** What the sandbox shall know of this token from now on. */
  declareDevice(device: Device): void
  /** Forgets messages and counters; the plan stays. */
  reset(): void
  /** Calls back for every send call, accepted or not. Returns what ends it. */
  on(event: 'message', listener: (message: Received) => void): () => void
  close(): Promise<void>
}
