import type { FieldErrors } from '../../platform/errors.ts'
import type { AllowPrivate } from '../../platform/outbound.ts'
import type { Schema } from '../../platform/parse.ts'
import type { TokenEnvironment } from '../crm/types.ts'
import type { PushHosts } from './web/push-hosts.ts'

/** `platformType` of the contract's gateway configuration; also the push token `type` that SDKs send (docs/reference/device-protocol.md section 5). */
export const PLATFORM_TYPES = { ios: 1, android: 2, web: 3, safari: 4, hcm: 5 } as const
export type Platform = keyof typeof PLATFORM_TYPES

/** Name of a platform type, or undefined when the number means nothing. */
export function platformOf(type: number): Platform | undefined {
  return (Object.keys(PLATFORM_TYPES) as Platform[]).find((name) => PLATFORM_TYPES[name] === type)
}

/**
 * The one vocabulary in which every gateway answers (docs/reference/gateway-facts.md section 0). The delivery acts on this and on nothing else.
 * `reason` is the vendor's own word where there is one; `afterMs` what the vendor asked us to wait in this answer, `atLeastMs` what
 * it wants us to wait at least when an answer does not say. `local`: this says something about the recipient, or the host it is at
 * (one push service of many), and nothing about our credential or the rest of the lane, which goes on; who waits, waits uncounted.
 */
export type Outcome =
  | { kind: 'accepted'; providerId?: string; environment?: TokenEnvironment }
  | { kind: 'token_dead'; reason: string; since?: number; local?: true }
  | { kind: 'token_suspect'; reason: string; local?: true }
  /** `everyone`: no recipient could ever get this message, so the rest of the batch need not be tried. */
  | { kind: 'payload_error'; reason: string; everyone: boolean }
  | { kind: 'throttled_recipient'; reason: string; afterMs?: number }
  | { kind: 'throttled_gateway'; reason: string; afterMs?: number; local?: true }
  | { kind: 'gateway_down'; reason: string; afterMs?: number; atLeastMs?: number; local?: true }
  | { kind: 'config_error'; reason: string }
  | { kind: 'uncertain'; reason: string }

export type OutcomeKind = Outcome['kind']

/** Which of Apple's two worlds a token belongs to. Other vendors have one. */
export type Environment = 'production' | 'sandbox'

/** What a notification says, before any vendor's words. */
export interface PushContent {
  notificationId: number
  title: string
  message: string
  url?: string
  /** Extra key/values for the app. */
  data?: Record<string, unknown>
  /** Processed in the background: content-available on iOS, `bgn` on Android. */
  background: boolean
  collapseId?: string
  buttons?: { id: string; text: string }[]
  /** Set when the push announces an in-app message: the `k.deepLink` block. */
  inAppMessageId?: number
  ios: {
    category?: string
    badge?: { type: 'incrementBy' | 'setTo'; count: number }
    sound?: string
    pictureUrl?: string
  }
  android: { highPriority?: boolean; sound?: string; pictureUrl?: string }
}

/** One message as it is handed to a sender: the content, when it stops being worth sending, and its replacement key. */
export interface PushMessage {
  content: PushContent
  /** Milliseconds since the epoch. */
  expiresAt: number
  /** Stable short id of this notification: a resend with it replaces the first copy on the device (docs/reference/gateway-facts.md section 0.1). */
  replacementKey: string
}

export interface PushRecipient {
  token: string
  /** What was learned about the token: see `TokenEnvironment`. */
  environment?: TokenEnvironment
  /** APNs topic: the app's bundle id. */
  topic?: string
  /** JSON text of what a web push subscription needs besides its endpoint: `{keys: {p256dh, auth}, expirationTime}`. */
  keys?: string
  /** When the device registered the token (ms). */
  registeredAt?: number
}

/** What would go over the wire for one message; the same for every recipient but for the address. */
export interface PushPreview {
  headers: Record<string, string>
  payload: unknown
  /** Size as the vendor counts it, and the vendor's limit, in bytes. */
  bytes: number
  limit: number
}

/** A connection to one vendor with one credential. */
export interface Sender {
  /** The message's constant parts, computed once; hand it back to `send` for each recipient. */
  prepare(message: PushMessage): Prepared
  /** One attempt. Never throws: everything that can happen is an `Outcome`. */
  send(prepared: Prepared, recipient: PushRecipient): Promise<Outcome>
  /** Connects and authenticates without sending anything to anybody. One finding a thing that was looked at. */
  probe(): Promise<Finding[]>
  close(): Promise<void>
}

/** Opaque to everybody but the sender that made it. */
export type Prepared = { readonly brand: 'prepared' }

export interface Finding {
  level: 'ok' | 'warning' | 'error'
  what: string
  remedy?: string
}

/** Where the vendors are, and whom we trust. All from configuration. */
export interface GatewaySettings {
  apnsUrl: string
  apnsSandboxUrl: string
  fcmUrl: string
  /** Pinned address of Google's token server; the account's own `tokenUri` is stored and never fetched. */
  fcmTokenUrl: string
  hcmUrl: string
  hcmTokenUrl: string
  /** Private addresses that are taken for web push endpoints and icons (`outbound.allowPrivate`). */
  allowPrivate: AllowPrivate
  /** Hosts that web pushes go to (`webPush.*`); absent: any. */
  pushHosts?: PushHosts
  /** Extra certificate authorities, PEM. */
  ca: readonly string[]
  /** Where devices reach the push area, without a slash at its end; empty or absent when no address is configured. */
  pushAddress?: string
  /** Hears what an operator should know and what no outcome says. */
  warn?(text: string): void
}

/** A configuration block that passed its checks. */
export interface CheckedCredential {
  /** Goes into the sealed column: plain JSON. */
  secret: unknown
  /** May be shown: mode, topics, project, expiry (`notAfter`, ms), warnings. Plain JSON, no secrets. */
  facts: CredentialFacts
  /** False when nothing can be sent with it (a legacy FCM server key alone). */
  sendable: boolean
}

export interface CredentialFacts {
  warnings: string[]
  notAfter?: number
  [fact: string]: unknown
}

/** One vendor: what an operator must supply, what leaves the machine, what the answers mean. */
export interface Gateway {
  platform: Platform
  /** The vendor asks senders to get up to speed gradually, also after a mere pause. */
  gradual?: boolean
  /**
   * Recipients are at many hosts, of which each can be in trouble alone. The sender paces and spares every one of them by itself,
   * so the lane's budget of retries does not count.
   */
  manyHosts?: boolean
  /** What a block may hold, field by field. `check` also knows what the fields mean together. */
  block: Schema
  /**
   * Checks one block of `PUT {push_url}/v1/apps/{appId}` (or the richer form of `appsvc gateways set`), shape and meaning.
   * `now` in ms. Returns the wrong keys, relative to the block, instead of throwing.
   */
  check(block: unknown, now: number): Promise<{ credential: CheckedCredential } | { errors: FieldErrors }>
  /**
   * What is stored when a block replaces an earlier one: for what must outlive it, such as keys that devices have subscribed with.
   * `before` is what is stored now, undefined at first. Absent means that the new block is the whole truth.
   */
  merge?(
    checked: CheckedCredential,
    before: { secret: unknown; facts: CredentialFacts } | undefined,
    now: number,
  ): CheckedCredential
  /** The wire form of a message, without any network. */
  preview(message: PushMessage): PushPreview
  /** Opens nothing yet; connections are made on first use. `secret` and `facts` are what `check` returned. */
  open(credential: { secret: unknown; facts: CredentialFacts }, settings: GatewaySettings, now: () => number): Sender
}
