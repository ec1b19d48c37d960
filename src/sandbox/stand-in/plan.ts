/**
 * The scriptable plan of a sandbox: which requests go wrong and how (`rules`), what the sandbox knows about device
 * tokens (`devices`), and how its listeners treat connections (`listeners`). Documented with examples in
 * `docs/sandbox.md`.
 */

/** Where a rule applies: the listener of a send call, or a gateway's token call (`fcm-token`). */
export type Place = string

/** HTTP/2 error codes by name (RFC 9113 section 7). */
export const H2_CODES = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const
export type H2Code = keyof typeof H2_CODES
export const GOAWAY_LAST = ['zero', 'middle', 'max'] as const
export const CERTIFICATES = ['good', 'self-signed', 'expired', 'wrong-host'] as const

/** Which requests a rule applies to. All given fields must match; `{}` is every send call. */
export interface Match {
  /** Where; absent means every send call (not the token call). */
  on?: string
  token?: string
  tokenPrefix?: string
  /** A regular expression. */
  tokenPattern?: string
  /** This share of all tokens, 0-100, always the same ones for the same seed. */
  tokensPercent?: number
  /** The id of the notification, as it is inside the payload (`k.message`). */
  notification?: number
  /** Of the matching requests: skip the first `after`, */
  after?: number
  /** then apply to every n-th, */
  every?: number
  /** or this share, 0-100, drawn with the plan's seed, */
  percent?: number
  /** and stop after this many. */
  first?: number
}

interface Goaway {
  /** Which requests were processed: none, the older half of those under way, or all. */
  last: (typeof GOAWAY_LAST)[number]
  code?: H2Code
  /** Requests of the connection to collect first (for at most 50 ms), so that there is a middle; 10 if absent. */
  hold?: number
  /** Sent as `{"reason": ...}` in the debug data, as APNs does. */
  reason?: string
}

/** What a rule does to a request: an answer, or one of the ways to fail; `delayMs` combines with any. */
export interface Effect {
  /**
   * A reason of APNs, an error code of FCM, a code of Push Kit, or a refusal of Web Push; the status follows from it.
   */
  reason?: string
  status?: number
  /** APNs 410 only: milliseconds since the epoch at which the token died; now when absent. */
  timestamp?: number
  /** Value of the `retry-after` header, unchanged. */
  retryAfter?: string | number
  /** Instead of the usual body: an object (sent as JSON) or a text (sent as it is). */
  body?: string | Record<string, unknown>
  delayMs?: number
  hang?: boolean
  cutBeforeAnswer?: boolean
  cutInsideAnswer?: boolean
  shortBody?: boolean
  refuseStream?: boolean
  rst?: H2Code
  goaway?: Goaway
  /** Whether a message whose answer is lost counts as received by the device. */
  taken?: boolean
}

export interface Rule {
  name?: string
  match?: Match
  effect: Effect
}

/** What the sandbox knows about one device token. */
export interface Device {
  token: string
  gateway: string
  /** What the page calls the device. */
  name?: string
  /** APNs: the token's environment; the other host answers BadDeviceToken. */
  environment?: 'production' | 'sandbox'
  /** APNs: the bundle id; other topics are answered DeviceTokenNotForTopic. */
  topic?: string
  /** FCM: another project is answered SENDER_ID_MISMATCH. Push Kit: tokens of another app id are illegal. */
  project?: string
  /** Milliseconds since the epoch; from then on the gateway reports the token as gone. */
  deadSince?: number
}

/** How a listener behaves. */
export interface Conditions {
  /** The server certificate. */
  certificate?: (typeof CERTIFICATES)[number]
  /** The port is closed: connections are refused. */
  refuse?: boolean
  maxStreams?: number
  /** The first `count` requests of every `windowMs` pass, the others get 429. */
  quota?: { count: number; windowMs: number; retryAfter?: string | number }
}

/** A checked plan. `{}` is the plan of a sandbox in which nothing goes wrong. */
export interface Plan {
  /** Seed of all random numbers; 1 if absent. */
  seed?: number
  /** The first rule that applies to a request decides. */
  rules?: Rule[]
  devices?: Device[]
  listeners?: Partial<Record<string, Conditions>>
  /** Life of an access token of FCM and of Push Kit; 3599 when absent. */
  accessTokenSeconds?: number
}
