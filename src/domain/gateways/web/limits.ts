/**
 * Numbers that push services and RFCs set, with their sources, and those that we chose. Check here first when refusals
 * appear.
 */
export const WEB = {
  /** FCM's limit of four weeks, the lowest of those known; Mozilla cuts at 30 days and says so in its answer. */
  ttlSeconds: 2_419_200,
  /** RFC 8292 section 2: `exp` at most 24 hours ahead. Four are left for clocks that differ. */
  vapidLifeMs: 20 * 3_600_000,
  /** Our choice: the time after which a token is renewed, so that every token in use is valid for at least eight more hours. */
  vapidRenewMs: 12 * 3_600_000,
  /** Our limit: key pairs kept for earlier subscriptions. */
  keys: 50,
  /** Our limit: other keys to try when a push service says that a subscription was made with another key. */
  otherKeys: 4,
  /** autopush documentation: Retry-After after a 429 is about two minutes; without one we wait one minute. */
  quotaWaitMs: 60_000,
  /** Our choice: the shortest wait for an endpoint that is throttled, whatever it asks for; doubled up to a minute. */
  leastQuotaWaitMs: 1000,
  /** Our choice: the longest wait for an endpoint that goes on refusing without one. Some limits are for a day (ntfy). */
  longestQuotaWaitMs: 3_600_000,
  /** Our limit: throttled endpoints that are remembered. An address has at most 2048 characters. */
  endpoints: 10_000,
  /**
   * Our choice: throttled endpoints after which a push service is tried with one request, to another endpoint. When that is
   * throttled too, the whole service waits.
   */
  throttledEndpoints: 4,
  /** Our choice: the time after which a throttled endpoint says nothing about its push service any more. */
  throttledMs: 10 * 60_000,
  /** Our limit: push services with open connections. */
  services: 32,
  /** Our limits: unknown services among them, and connections to each. */
  strangers: 8,
  strangerSessions: 2,
  /** Our limits for a question to an unknown host: its time, and the bytes of the answer, which has 29. */
  discoveryMs: 5000,
  discoveryBytes: 1024,
  /** Our choice: the wait of a push while its host is being asked, or too many others are. */
  discoveryWaitMs: 2000,
  /** Our choices: how long a host counts as a UnifiedPush server, and how many are remembered. */
  discoveredMs: 24 * 3_600_000,
  discoveredHosts: 1000,
  /** Our choices: how long an endpoint counts as none, and after how many of them a host is asked once in a while only. */
  refusedMs: 3_600_000,
  noesInARow: 5,
  betweenQuestionsMs: 10_000,
  /** Our choice: the time without traffic after which connections are closed. */
  idleMs: 5 * 60_000,
  /** Push services that browsers ship with (these hosts and their subdomains). We believe their answers about our key. */
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
