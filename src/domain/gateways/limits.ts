/** Every number that a vendor sets, with its source. They change without notice: look here first when refusals appear. */

export const APNS = {
  /** "Generating a remote notification": the JSON dictionary, in bytes of UTF-8. */
  payloadBytes: 4096,
  /** "Sending notification requests to APNs": `apns-collapse-id` must not exceed 64 bytes. */
  collapseIdBytes: 64,
  /** "Establishing a token-based connection": older than one hour is ExpiredProviderToken. We leave a quarter. */
  providerTokenRenewMs: 45 * 60_000,
  /** Same page: no more than one new token every 20 minutes, else 429 TooManyProviderTokenUpdates. */
  providerTokenMinAgeMs: 20 * 60_000,
  /** Key and team identifiers are ten characters (same page). */
  identifierPattern: /^[A-Z0-9]{10}$/,
  /** The `timestamp` of a 410 is in milliseconds, but has been read as seconds: below this it can only be seconds. */
  timestampSecondsBelow: 1e11,
} as const

export const P12 = {
  /** Ours: an exported certificate with its key is about 3 KiB. */
  fileBytes: 64 * 1024,
  /** Ours. OpenSSL writes 2048, Java 10 000, Firefox 600 000; a file that asks for more wants our processor, not our trust. */
  iterations: 600_000,
  /** Ours: all derivations of one file together. */
  totalIterations: 2_500_000,
} as const

export const FCM = {
  /** firebase.google.com, ErrorCode: 4096 bytes for data, keys and values together. */
  payloadBytes: 4096,
  /** projects.messages, AndroidConfig.ttl: at most four weeks. */
  ttlSeconds: 2_419_200,
  /** The server's limit of streams per connection; above it the session ends (firebase-admin-node#2943). */
  streamsPerSession: 100,
  /** "Best practices when sending at scale": after a 429 without Retry-After wait 60 s. */
  quotaWaitMs: 60_000,
  /** Same page: first retry after 10 s at the earliest. */
  errorWaitMs: 10_000,
  /** The OAuth scope that may send, and nothing else. */
  scope: 'https://www.googleapis.com/auth/firebase.messaging',
  /** developers.google.com, "Using OAuth 2.0 for server to server applications": `exp` at most one hour after `iat`. */
  assertionSeconds: 3600,
  /** Ours: a token is renewed so long before it expires. */
  tokenMarginMs: 5 * 60_000,
  /** `expires_in` when the token server leaves it out. */
  tokenSeconds: 3600,
  /** The Android client ignores shorter picture addresses. */
  pictureMinCharacters: 8,
} as const

/** Requests that the peer certainly did not process are repeated at once so often; then the delivery decides. */
export const FREE_RETRIES = 3

/** Days before a certificate ends at which the operator hears of it. */
export const EXPIRY_NOTICE_DAYS = [30, 14, 7, 1] as const
