/**
 * The time (ms, by the clock of the database) for which a page, a follower or the cursor of a webhook stays taken without a sign
 * of life. When the process that took it was killed, others continue after this time. It is twice the deadline of a request to an
 * endpoint (15 s); a page, which may take longer, has its lease prolonged.
 */
export const LEASE_MS = 30_000

/** The same for the order of a certificate, whose steps at the authority take minutes. */
export const ORDER_LEASE_MS = 10 * 60_000
