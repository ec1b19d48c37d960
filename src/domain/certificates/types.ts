import type { ChallengeKind } from '../../platform/acme/client.ts'
import { integer, table, text, type Value } from '../../platform/db/table.ts'

export const CERTIFICATES = table('certificates', {
  name: text('name'),
  /** Certificate with its chain; null before the first one, as are the next three. */
  chain: text('chain').orNull,
  issuer: text('issuer').orNull,
  notBefore: integer('not_before').orNull,
  notAfter: integer('not_after').orNull,
  /** Counts the certificates of the name. */
  revision: integer('revision'),
  /** The time of the next order or renewal. */
  nextAt: integer('next_at'),
  /** The time to ask the authority when it wants the certificate renewed. */
  askAt: integer('ask_at').orNull,
  /** The order under way, and its sealed key: a process that ends takes neither along. */
  orderUrl: text('order_url').orNull,
  orderKey: text('order_key').orNull,
  /** Attempts that failed since the last certificate. */
  attempts: integer('attempts'),
  lastError: text('last_error').orNull,
  failedAt: integer('failed_at').orNull,
})

/** A name that gets certificates from an authority, and their state. Times in milliseconds. */
export type NamedCertificate = Value<typeof CERTIFICATES>

/** The answer to a challenge of an authority. */
export interface ChallengeAnswer {
  kind: ChallengeKind
  token: string
  /** The key authorization (RFC 8555 8.1). */
  answer: string
}

/** A name as listeners keep it. */
export interface ServedName {
  name: string
  revision: number
  challenge: ChallengeAnswer | undefined
}

/** A chain with its private key, both PEM. */
export interface Identity {
  chain: string
  key: string
}

export const ACCOUNTS = table('acme_accounts', {
  directory: text('directory'),
  url: text('url').orNull,
  sealedKey: text('sealed_key'),
  /** The time before which nothing is ordered. */
  heldUntil: integer('held_until'),
})

/** An account at an authority. */
export type AcmeAccount = Value<typeof ACCOUNTS>
