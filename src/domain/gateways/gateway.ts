import type { FieldErrors } from '../../platform/errors.ts'
import type { OpenPool } from '../../platform/http2/types.ts'
import type { AllowPrivate } from '../../platform/outbound.ts'
import type { Schema } from '../../platform/parse.ts'
import type { PushHosts } from './web/push-hosts.ts'

/**
 * What a gateway learned about a token and needs with it again: which of Apple's two worlds it belongs to, or with which key of
 * the app a web push subscription was made. At most 16 characters.
 */
export type TokenEnvironment = 'production' | 'sandbox' | `vapid:${string}`

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
  /** The addresses that vendors declare (`Gateway.addresses`), by name. */
  readonly [address: `${string}Url`]: string | undefined
  /** Private addresses that are taken for web push endpoints and icons (`outbound.allowPrivate`). */
  allowPrivate: AllowPrivate
  /** Hosts that web pushes go to (`webPush.*`); absent: any. */
  pushHosts?: PushHosts
  /** HTTP/2 client to use instead of our own (`gateways.nodeClient`). */
  openPool?: OpenPool
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

/** The address of a vendor's server: a setting `gateways.<name>` (http or https), with its default and one line of why. */
export interface VendorAddress {
  default: string
  why: string
}

/** A flag of `gateways set`. One without `value` is a switch; `value` is the placeholder in its help. */
export interface CredentialFlag {
  value?: string
  description: string
}

/** The flags that a command line gave, by name. */
export type GivenFlags = Readonly<Record<string, string | boolean | undefined>>

/** Reads the files that flags name. `flag` is for error messages. Both throw `usage` or `invalid`. */
export interface FlagFiles {
  bytes(file: string, flag: string): Promise<Buffer>
  /** One line of text, such as a password. */
  secret(file: string, flag: string): Promise<string>
}

/** A block of the gateway configuration before it is checked. */
export type Block = Record<string, unknown>

/** How operators configure a gateway with `appsvc gateways set`, and how they see it. */
export interface GatewayCommandLine {
  /** By name, in the order of the help. Vendors may share a flag. */
  flags: Readonly<Record<string, CredentialFlag>>
  /** Arguments of `gateways set APP PLATFORM`, one example each. */
  examples: readonly string[]
  /** Flags and the files they name -> a block. Throws `usage` for flags that do not belong together; `check` judges the contents. */
  readFlags(given: GivenFlags, files: FlagFiles): Promise<Block>
  /** Labels for facts whose own name says too little. */
  factLabels?: Readonly<Record<string, string>>
  /** Facts that are also fields of the block: a block without them keeps the stored value. */
  keptFacts?: readonly string[]
  /** What else removing the gateway destroys, as a sentence. */
  removalLoses?: string
}

/**
 * One vendor: how it is named and configured, what leaves the machine, and what the answers mean. A vendor's folder holds all of it;
 * `registry.ts` lists the vendors. This part loads with every command, so it imports what connects (`client.ts`) when it is needed.
 */
export interface Gateway<P extends string = string, T extends number = number> {
  /** The platform's name: in URLs, blocks, commands and the database's `lanes`. */
  platform: P
  /** `platformType` of the contract, and the `type` of push tokens that SDKs send (docs/reference/device-protocol.md section 5). */
  type: T
  /** The vendor's service, for people. */
  label: string
  /** Where its servers are, by the name of the setting. */
  addresses: Readonly<Record<`${string}Url`, VendorAddress>>
  commandLine: GatewayCommandLine
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
  /** Loads the client; connections are made on first use. `secret` and `facts` are what `check` returned. */
  open(
    credential: { secret: unknown; facts: CredentialFacts },
    settings: GatewaySettings,
    now: () => number,
  ): Promise<Sender>
}
