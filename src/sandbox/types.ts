import type { VendorSetting } from '../platform/config/settings.ts'
import type { SandboxCredentials } from './credentials.ts'
import type { Counts, Received, ReceivedFilter } from './stand-in/ledger.ts'
import type { Device, Plan } from './stand-in/plan.ts'
import type { SandboxGateway, StandInName } from './stand-ins.ts'
import type { WebService, WebSubscription } from './web/subscriptions.ts'

export type SandboxUrls = OwnUrls & { [N in StandInName | `${StandInName}Token`]: string }

interface OwnUrls {
  apns: string
  apnsSandbox: string
  fcm: string
  fcmToken: string
  /** Origin of browsers' subscriptions; each subscription has its full address. */
  web: string
  /** The page and the control API. */
  http: string
}

export interface Sandbox {
  readonly urls: SandboxUrls
  /** PEM of the authority that signed the listeners' certificates. */
  readonly ca: string
  readonly credentials: SandboxCredentials
  /** The same by platform, as blocks of the gateway configuration. Safari needs a website besides, so it has none. */
  readonly blocks: Readonly<Record<string, Record<string, unknown>>>
  /**
   * Settings that point appsvc here, by name (`gateways.fcmUrl`), without `gateways.caFile`, which needs a file:
   * `writeFiles` makes it.
   */
  readonly settings: Record<VendorSetting | 'outbound.allowPrivate' | 'sandbox.url', string>
  /** The same settings as environment variables. */
  readonly environment: Record<string, string>
  /**
   * Writes ca.pem, push.p12, push.p12.password, website.p12, website.p12.password, AuthKey_*.p8, service-account.json
   * and the files of stand-ins; `startSandbox` has already done this if `dir` was given.
   */
  writeFiles(dir: string): Promise<void>
  /** Kept messages, newest first, at most `limit` (50). */
  received(filter?: ReceivedFilter): Received[]
  counts(): Counts<SandboxGateway>
  /** Counts the messages that the device received; with a notification id, only those of that notification. */
  countOf(token: string, notificationId?: string): number
  plan(): Plan
  /** Applies from the next request on. Resets the counters of rules. */
  setPlan(plan: Plan): Promise<void>
  /**
   * Subscribes a browser to pushes. With a VAPID key, other keys are refused; without one, any key works. `host` is
   * another name of the sandbox, so that it looks like another push service. `service` chooses whose refusals it
   * imitates (`google`). Messages are decrypted.
   */
  subscribe(wish?: {
    publicKey?: string | undefined
    service?: WebService | undefined
    host?: string | undefined
    expirationTime?: number | undefined
  }): WebSubscription
  /** Declares what the sandbox knows about this token. */
  declareDevice(device: Device): void
  /** Clears messages and counters; the plan stays. */
  reset(): void
  /** Calls `listener` for every send call, accepted or not. Returns a function that unsubscribes. */
  on(event: 'message', listener: (message: Received) => void): () => void
  close(): Promise<void>
}
