/** Numbers that push services and RFCs set, with their sources, and those that we chose. They change without notice: look here first when refusals appear. */
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
