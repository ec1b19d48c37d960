import type { CredentialFacts } from './gateway.ts'
import type { Platform } from './registry.ts'

/** The configuration of one gateway of one app, without its secret. */
export interface GatewayConfig {
  id: number
  appId: number
  platform: Platform
  /** Grows with every change. */
  version: number
  facts: CredentialFacts
  sendable: boolean
  createdAt: number
  updatedAt: number
}

/** When a credential ends (ms), and of which term the operator was told last: 30, 14, 7, 1 (days) or 0; null for none. */
export interface Expiry {
  appId: number
  platform: Platform
  notAfter: number
  notice: number | null
}

/** A configuration with its opened secret, for the one who sends. */
export interface OpenCredential extends GatewayConfig {
  secret: unknown
}

/** Why a lane is held: our credential is wrong, the gateway is down, or it asked us to slow down. */
export type HoldKind = 'config_error' | 'gateway_down' | 'throttled_gateway'

/** What slows down or stops together: everything that one app sends through one gateway. */
export interface Lane {
  id: number
  appId: number
  platform: Platform
  /** Nothing of the lane is claimed before this time (ms). */
  heldUntil: number
  holdKind: HoldKind | null
  holdReason: string | null
  /** Holds in a row; the wait doubles with it. */
  holds: number
}
