/**
 * Numbers that Google sets, with their sources, and those that we chose. Vendors change them without notice: check here
 * first when refusals appear.
 */
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
  /** The OAuth scope that allows sending and nothing else. */
  scope: 'https://www.googleapis.com/auth/firebase.messaging',
  /** developers.google.com, "Using OAuth 2.0 for server to server applications": `exp` at most one hour after `iat`. */
  assertionSeconds: 3600,
  /** Our choice: the time before its expiry at which a token is renewed. */
  tokenMarginMs: 5 * 60_000,
  /** `expires_in` when the token server leaves it out. */
  tokenSeconds: 3600,
  /** The Android client ignores shorter picture addresses. */
  pictureMinCharacters: 8,
} as const
