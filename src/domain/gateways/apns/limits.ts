/**
 * Numbers that Apple sets, with their sources, and those that we chose. Vendors change them without notice: check here
 * first when refusals appear.
 */
export const APNS = {
  /** "Generating a remote notification": the JSON dictionary, in bytes of UTF-8. */
  payloadBytes: 4096,
  /** "Sending notification requests to APNs": `apns-collapse-id` must not exceed 64 bytes. */
  collapseIdBytes: 64,
  /**
   * "Establishing a token-based connection": older than one hour is ExpiredProviderToken. We renew a quarter of an hour
   * earlier.
   */
  providerTokenRenewMs: 45 * 60_000,
  /** Same page: no more than one new token every 20 minutes, else 429 TooManyProviderTokenUpdates. */
  providerTokenMinAgeMs: 20 * 60_000,
  /** Key and team identifiers are ten characters (same page). */
  identifierPattern: /^[A-Z0-9]{10}$/,
  /** The `timestamp` of a 410 is in milliseconds, but has been seen in seconds: a value below this must be seconds. */
  timestampSecondsBelow: 1e11,
} as const

export const P12 = {
  /** Our limit: an exported certificate with its key is about 3 KiB. */
  fileBytes: 64 * 1024,
  /** Our limit. OpenSSL writes 2048, Java 10 000, Firefox 600 000; a file that asks for more is meant to burn CPU. */
  iterations: 600_000,
  /** Our limit: total for all derivations of one file. */
  totalIterations: 2_500_000,
} as const
