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

export const SAFARI = {
  /** "Building the Push Package" (Notification Programming Guide for Websites): name -> pixels of each side. */
  icons: {
    'icon.iconset/icon_16x16.png': 16,
    'icon.iconset/icon_16x16@2x.png': 32,
    'icon.iconset/icon_32x32.png': 32,
    'icon.iconset/icon_32x32@2x.png': 64,
    'icon.iconset/icon_128x128.png': 128,
    'icon.iconset/icon_128x128@2x.png': 256,
  },
  /** Same page: the authentication token has at least 16 characters. */
  tokenCharacters: 16,
  /** Ours: the file at iconUrl. */
  iconBytes: 1 << 20,
  /** Ours: a picture is unfolded in memory, 4 bytes a pixel. */
  iconPixels: 1024 * 1024,
  /** Ours: larger than the largest icon is made of, so that nothing has to be blown up. */
  iconAdvisedSide: 256,
  /** Ours: how long an icon is used before it is fetched anew, and how long a failure stands. */
  iconKeptMs: 24 * 3_600_000,
  iconFailureMs: 60_000,
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

export const HCM = {
  /** "Sending Downlink Messages" (HMS Core): 1 to 1000 tokens a request. */
  tokensPerRequest: 1000,
  /** Same page: 4096 bytes, without the tokens. */
  payloadBytes: 4096,
  /** AndroidConfig.ttl, same page: at most 15 days. */
  ttlSeconds: 15 * 86_400,
  /** `collapse_key`, same page: groups 1 to 100. */
  collapseGroups: 100,
  /** "Client Credentials": `expires_in`, when the token server leaves it out. */
  tokenSeconds: 3600,
  /** Ours: a token is renewed so long before it expires. */
  tokenMarginMs: 5 * 60_000,
  /** Ours: connections of one sender, each with up to 1000 tokens under way. */
  connections: 8,
  /** Ours: an answer may list a thousand tokens, as JSON within JSON. */
  replyBytes: 4 * 1024 * 1024,
  /** Ours: an app without the right to high priority is not asked again for so long. */
  normalOnlyMs: 3_600_000,
} as const

export const WEB = {
  /** FCM's limit of four weeks, the lowest of those known; Mozilla cuts at 30 days and says so in its answer. */
  ttlSeconds: 2_419_200,
  /** RFC 8292 section 2: `exp` at most 24 hours ahead. Four are left for clocks that differ. */
  vapidLifeMs: 20 * 3_600_000,
  /** Ours: a token is used for so long, so that one is always good for eight hours more. */
  vapidRenewMs: 12 * 3_600_000,
  /** Ours: key pairs that are kept for subscriptions of before. */
  keys: 50,
  /** Ours: other keys that are tried when a push service says that a subscription was made with another one. */
  otherKeys: 4,
  /** autopush documentation: Retry-After after a 429 is about two minutes; where it is missing we wait one. */
  quotaWaitMs: 60_000,
  /** Ours: push services that connections are kept to. */
  services: 32,
  /** Ours: of these, services that nobody knows, and connections to each of them. */
  strangers: 8,
  strangerSessions: 2,
  /** Ours: connections without traffic for so long are closed. */
  idleMs: 5 * 60_000,
  /** Hosts of the push services that browsers ship with, and everything below them: what these say about our key is believed. */
  knownHosts: [
    'googleapis.com',
    // Chrome for Testing, and builds without Google's keys.
    'jmt17.google.com',
    'push.services.mozilla.com',
    'push.apple.com',
    'notify.windows.com',
    'push.samsungosp.com',
  ],
} as const

/** Requests that the peer certainly did not process are repeated at once so often; then the delivery decides. */
export const FREE_RETRIES = 3

/** Days before a certificate ends at which the operator hears of it. */
export const EXPIRY_NOTICE_DAYS = [30, 14, 7, 1] as const
