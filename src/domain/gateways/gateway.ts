import type { FieldErrors } from '../../platform/errors.ts'
import type { AllowPrivate } from '../../platform/net/outbound.ts'
import type { GatewayGuide } from './guide.ts'

/**
 * Knowledge of a gateway about a token, needed for the next send: Apple's environment, or the VAPID key that a
 * subscription was made with. At most 16 characters.
 */
export type TokenEnvironment = 'production' | 'sandbox' | `vapid:${string}`

/**
 * The vendor's answer in the one vocabulary that the delivery acts on (docs/reference/gateway-facts.md section 0).
 * `reason` is the vendor's word if it has one. `afterMs` is the wait that this answer asks for; `atLeastMs` is the
 * vendor's minimum if the answer names none. `local`: the outcome concerns only this recipient or its host (one push
 * service of many), not our credential or the rest of the lane, which goes on; `recipient`: it says nothing about the
 * host either. Waiting for a local reason does not count as an attempt.
 */
export type Outcome =
  | { kind: 'accepted'; providerId?: string; environment?: TokenEnvironment }
  | { kind: 'token_dead'; reason: string; since?: number; local?: true }
  | { kind: 'token_suspect'; reason: string; local?: true }
  /** `everyone`: no recipient can ever get this message, so the rest of the batch is not tried. */
  | { kind: 'payload_error'; reason: string; everyone: boolean }
  | { kind: 'throttled_recipient'; reason: string; afterMs?: number }
  | { kind: 'throttled_gateway'; reason: string; afterMs?: number; local?: true | 'recipient' }
  | { kind: 'gateway_down'; reason: string; afterMs?: number; atLeastMs?: number; local?: true | 'recipient' }
  | { kind: 'config_error'; reason: string }
  | { kind: 'uncertain'; reason: string }

export type OutcomeKind = Outcome['kind']

/** Apple's two environments, each with its own tokens. Other vendors have one. */
export type Environment = 'production' | 'sandbox'

/** The content of a notification, independent of vendors. */
export interface PushContent {
  notificationId: number
  title: string
  message: string
  url?: string
  /** Extra key/values for the app. */
  data?: Record<string, unknown>
  /** True when it is processed in the background: content-available on iOS, `bgn` on Android. */
  background: boolean
  collapseId?: string
  buttons?: Button[]
  /** Set when the push announces an in-app message: the `k.deepLink` block. */
  inAppMessageId?: number
  ios: {
    category?: string
    badge?: { type: 'incrementBy' | 'setTo'; count: number }
    /** A file in the app; `none` is silence. */
    sound?: string | CriticalSound
    pictureUrl?: string
    /** The line between title and message. */
    subtitle?: string
    /** Notifications of one thread are shown together. */
    threadId?: string
    interruptionLevel?: InterruptionLevel
    /** 0 to 1; the highest of an app leads its summary. */
    relevanceScore?: number
    /** The window that a tap brings to the front. */
    targetContentId?: string
    priority?: ApplePriority
  }
  android: {
    highPriority?: boolean
    sound?: string
    pictureUrl?: string
    /** Notification channel of the app. Nothing to do with our channels, which are lists of subscribers. */
    channelId?: string
    importance?: Importance
  }
}

/** An action below the message. */
export interface Button {
  /** The id that the app gets as `actionId`. */
  id: string
  text: string
  icon?: ButtonIcon
}

export const ICON_TYPES = ['custom', 'system'] as const

/** The icon of a button, on iOS 15 and later: an image in the app (`custom`), or an SF Symbol (`system`). */
interface ButtonIcon {
  type: (typeof ICON_TYPES)[number]
  id: string
}

/** A sound that plays although the device is muted. Needs Apple's entitlement for critical alerts. */
export interface CriticalSound {
  critical: true
  /** A file in the app; absent: the sound of the system. */
  name?: string
  /** 0 to 1; absent: as the device decides. */
  volume?: number
}

/** Apple's words, `UNNotificationInterruptionLevel`. */
export const INTERRUPTION_LEVELS = ['passive', 'active', 'time-sensitive', 'critical'] as const
export type InterruptionLevel = (typeof INTERRUPTION_LEVELS)[number]

/** `apns-priority`: at once (10), when it suits the battery (5), without ever waking the device (1). */
export const APPLE_PRIORITIES = [10, 5, 1] as const
export type ApplePriority = (typeof APPLE_PRIORITIES)[number]

/** Importances on Android: the two channels that the client SDK makes. */
export const IMPORTANCES = ['default', 'high'] as const
type Importance = (typeof IMPORTANCES)[number]

/** A message for a sender: the content, its expiry, and its replacement key. */
export interface PushMessage {
  content: PushContent
  /** Milliseconds since the epoch; 0: the vendor tries once and keeps nothing. */
  expiresAt: number
  /**
   * Stable short id of this notification: a resend with it replaces the first copy on the device
   * (docs/reference/gateway-facts.md section 0.1).
   */
  replacementKey: string
}

export interface PushRecipient {
  token: string
  /** See `TokenEnvironment`. */
  environment?: TokenEnvironment
  /** APNs topic: the app's bundle id. */
  topic?: string
  /** JSON text of a web push subscription without its endpoint: `{keys: {p256dh, auth}, expirationTime}`. */
  keys?: string
  /** The time at which the device registered the token (ms). */
  registeredAt?: number
  /** The install is an app that gets web pushes, and no browser. */
  isApp?: true
}

/** Recipients by index. An array is one; others make the object when it is asked for, so ask once. */
export interface PushRecipients {
  at(index: number): PushRecipient | undefined
  /**
   * The message for a recipient, where these differ; only senders with `ownMessages` are given it. It may be prepared at each call, and
   * none of these messages is refused.
   */
  messageFor?(index: number): Prepared
}

/** The request for one message; it differs between recipients only in the address. */
export interface PushPreview {
  headers: Record<string, string>
  payload: unknown
  /** Size as the vendor counts it, and the vendor's limit, in bytes. */
  bytes: number
  limit: number
}

/** A connection to one vendor with one credential. */
export interface Sender {
  /** Computes the constant parts of a message once. Pass the result to `send` for each recipient. */
  prepare(message: PushMessage): Prepared
  /**
   * Computes what many messages have in common that differ in `count` texts: `messageOf` makes the message with given ones. Absent, or
   * undefined, where the request depends on them otherwise than by holding them.
   */
  prepareMany?(messageOf: (texts: readonly string[]) => PushMessage, count: number): PreparedMany | undefined
  /** Makes one attempt. Never throws: every result is an `Outcome`. */
  send(prepared: Prepared, recipient: PushRecipient): Promise<Outcome>
  /**
   * Makes one attempt for each of `recipients[from..to)`, which must not change meanwhile. Calls `done` exactly once for
   * each, with its index in `recipients`, in any order and never before it returns. Never throws. Accepted pushes share
   * one frozen outcome without `providerId`.
   */
  sendAll(prepared: Prepared, recipients: PushRecipients, from: number, to: number, done: OnOutcome): void
  /** `sendAll` sends `recipients.messageFor(index)` where there is one: the vendor takes one message for each recipient anyway. */
  ownMessages?: true
  /**
   * Connects and gets tokens ahead of the first push, or checks connections that were idle for long. Sends nothing.
   * Resolves when that is done or failed. Never throws; costs almost nothing when all is ready.
   */
  warm(): Promise<void>
  /** Connects and authenticates without sending anything to anybody. Returns one finding for each check. */
  probe(): Promise<Finding[]>
  close(): Promise<void>
}

/** Receives the outcome of the recipient at `index`. Must not throw. */
export type OnOutcome = (index: number, outcome: Outcome) => void

/** The parts that many messages have in common. The bytes that are sent are those that `prepare` makes, for much less. */
export interface PreparedMany {
  /** The most bytes that `write` writes for these texts. */
  mostBytes(texts: readonly string[]): number
  /**
   * Writes the part of the request that these texts change into `bytes`, from `at` on, and returns its end; undefined for texts that only
   * `prepare` can judge: empty ones, or too long ones.
   */
  write(texts: readonly string[], bytes: Buffer, at: number): number | undefined
  /** The message for what `write` has written: `bytes[from..to)`, which must not change before it is sent. */
  from(bytes: Buffer, from: number, to: number): Prepared
}

/** Opaque except to the sender that made it, but for `refusal`: the outcome for everybody, when nobody can get it. */
export type Prepared = { readonly brand: 'prepared'; readonly refusal?: Outcome | undefined }

export interface Finding {
  level: 'ok' | 'warning' | 'error'
  what: string
  remedy?: string
  /** True for what only the vendor and people's devices mind. Stand-ins do not, so it is not told of them. */
  ofVendor?: true
}

/** The settings `webPush.*`: hosts that web pushes may go to besides the known push services. */
export interface PushHosts {
  anyHost: boolean
  /** Unknown hosts are accepted when they answer the discovery of UnifiedPush. */
  unifiedPush: boolean
  /** Lower-case host names; each includes its subdomains. */
  extraHosts: readonly string[]
}

/** Addresses of the vendors, and trust. All from configuration. */
export interface GatewaySettings {
  /** The addresses that vendors declare (`Gateway.addresses`), by name. */
  readonly [address: `${string}Url`]: string | undefined
  /** Private addresses allowed for web push endpoints and icons (`outbound.allowPrivate`). */
  allowPrivate: AllowPrivate
  /** Hosts that web pushes may go to (`webPush.*`); absent: any. */
  pushHosts?: PushHosts
  /** Extra certificate authorities, PEM. */
  ca: readonly string[]
  /** Address of the push area for devices, without trailing slash; empty or absent if none is configured. */
  pushAddress?: string
  /** True when stand-ins take the place of the vendors (`sandbox.url`). */
  areStandIns?: boolean
  /** Receives warnings for the operator that no outcome carries. */
  warn?(text: string): void
}

/** A configuration block that passed its checks. */
export interface CheckedCredential {
  /** The sealed part: plain JSON. */
  secret: unknown
  /** The public part: mode, topics, project, expiry (`notAfter`, ms), warnings. Plain JSON, no secrets. */
  facts: CredentialFacts
  /** False if it cannot send (a legacy FCM server key alone). */
  sendable: boolean
}

export interface CredentialFacts {
  warnings: string[]
  notAfter?: number
  [fact: string]: unknown
}

/**
 * The address of a vendor's server: a setting `gateways.<name>` (http or https), with its default and one line of why.
 */
export interface VendorAddress {
  default: string
  why: string
}

/**
 * A flag of `gateways set`. One without `value` is a switch; `value` is the placeholder in its help. A switch that is
 * `negatable` can also be given as `--no-…`.
 */
export interface CredentialFlag {
  value?: string
  negatable?: true
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

/** The gateway on the command line: its configuration with `appsvc gateways set`, and its display. */
export interface GatewayCommandLine {
  /** Flags by name, in the order of the help. Vendors may share a flag. */
  flags: Readonly<Record<string, CredentialFlag>>
  /** Arguments of `gateways set --app APP PLATFORM`, one example each. */
  examples: readonly string[]
  /**
   * Flags and the files they name -> a block. Throws `usage` for flags that do not belong together; `check` judges the
   * contents.
   */
  readFlags(given: GivenFlags, files: FlagFiles): Promise<Block>
  /** Labels for facts whose own name says too little. */
  factLabels?: Readonly<Record<string, string>>
  /** Facts that are also fields of the block: a block without them keeps the stored value. */
  keptFacts?: readonly string[]
  /** Further losses by removing the gateway, as a sentence. */
  removalLoses?: string
}

/** Descriptions and examples of a block (the empty name) and of its fields, by their path in it. */
export type FieldWords = Readonly<Record<string, readonly [description: string, example?: unknown]>>

/** Names of the platform at other services: imports of their exports need them (src/domain/imports). */
interface Elsewhere {
  /** Names of the platform in tables of people's own, in lower case. */
  names: readonly string[]
  /** The operating system of such a device, as an install shows it. */
  os: string
  /** OneSignal: types of subscriptions, and the number of each in `device_type`. */
  oneSignal: Readonly<Record<string, number>>
}

/**
 * One vendor: its names and configuration, its requests, and the meaning of its answers. A vendor's folder holds all of
 * it; `registry.ts` lists the vendors. This part loads with every command, so it imports the parts that connect
 * (`client.ts`) and check (`credentials.ts`, which needs yup) only when they are needed.
 */
export interface Gateway<P extends string = string, T extends number = number> {
  /** The platform's name: in URLs, blocks, commands and the database's `lanes`. */
  platform: P
  /**
   * `platformType` of the contract, and the `type` of push tokens that SDKs send (docs/reference/device-protocol.md
   * section 5).
   */
  type: T
  /** The vendor's service, for people. */
  label: string
  /** The word for the way of a push to an install, in segments and answers. */
  transport: string
  /** The word for the way to an install that is an app, if the gateway serves apps and browsers. */
  transportOfApps?: string
  /** The company that runs it, for the beginning of a sentence. */
  vendor: string
  elsewhere: Elsewhere
  /** Addresses of its servers, by the name of the setting. */
  addresses: Readonly<Record<`${string}Url`, VendorAddress>>
  commandLine: GatewayCommandLine
  /** Descriptions of the block and its fields in the interface document. */
  blockWords: FieldWords
  /** Instructions for getting the credential. Loaded when somebody asks. */
  guide(): Promise<GatewayGuide>
  /** The vendor asks senders to increase their rate gradually, even after a pause. */
  gradual?: boolean
  /**
   * Recipients are spread over many hosts, each of which can fail alone. The sender paces each host itself, so the
   * lane's retry budget does not apply.
   */
  manyHosts?: boolean
  /**
   * Checks one block of `PUT {push_url}/v1/apps/{appId}` or `appsvc gateways set`. `now` in ms. Returns the wrong keys,
   * relative to the block, instead of throwing.
   */
  check(block: unknown, now: number): Promise<{ credential: CheckedCredential } | { errors: FieldErrors }>
  /**
   * Combines a new block with the stored one (`before`, undefined at first) for parts that must survive, such as keys
   * that devices have subscribed with. Without it, the new block replaces everything.
   */
  merge?(
    checked: CheckedCredential,
    before: { secret: unknown; facts: CredentialFacts } | undefined,
    now: number,
  ): CheckedCredential
  /** Facts that outlive the credential: a block without one of them keeps the stored value. */
  lastingFacts?: readonly string[]
  /** The request for a message, built without network access. */
  preview(message: PushMessage, now?: number): PushPreview
  /** Loads the client; connections are made on first use. `secret` and `facts` are those that `check` returned. */
  open(
    credential: { secret: unknown; facts: CredentialFacts },
    settings: GatewaySettings,
    now: () => number,
  ): Promise<Sender>
}
