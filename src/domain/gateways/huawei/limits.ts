/**
 * Numbers that Huawei sets, with their sources, and those that we chose. Vendors change them without notice: check here
 * first when refusals appear.
 */
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
  /** Our choice: the time before its expiry at which a token is renewed. */
  tokenMarginMs: 5 * 60_000,
  /** Our limit: connections of one sender, each with up to 1000 tokens in flight. */
  connections: 8,
  /** Our limit: an answer may list a thousand tokens, as JSON within JSON. */
  replyBytes: 4 * 1024 * 1024,
  /** Our choice: the time before high priority is tried again for an app that may not use it. */
  normalOnlyMs: 3_600_000,
} as const
