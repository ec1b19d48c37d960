import type { CredentialFacts } from './gateway.ts'
import type { Platform } from './registry.ts'

/** The configuration of one gateway of one app, without its secret. */
export interface GatewayConfig {
  id: number
  appId: number
  platform: Platform
  /** Increases with every change. */
  version: number
  facts: CredentialFacts
  sendable: boolean
  createdAt: number
  updatedAt: number
}

/** The expiry of a credential (ms), and the last warning: 30, 14, 7, 1 (days) or 0; null for none. */
export interface Expiry {
  appId: number
  platform: Platform
  notAfter: number
  notice: number | null
}

/** A configuration with its opened secret, for sending. */
export interface OpenCredential extends GatewayConfig {
  secret: unknown
}

/** Reasons for holding a lane: our credential is wrong, the gateway is down, or it asked us to slow down. */
export type HoldKind = 'config_error' | 'gateway_down' | 'throttled_gateway'

/** Everything that one app sends through one gateway. A lane slows down and stops as a whole. */
export interface Lane {
  id: number
  appId: number
  platform: Platform
  /** No page of the lane is claimed before this time (ms). */
  heldUntil: number
  holdKind: HoldKind | null
  holdReason: string | null
  /** Consecutive holds; each doubles the wait. */
  holds: number
}
