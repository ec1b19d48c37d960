import type { ChallengeKind } from '../../platform/acme/client.ts'

/** A name that gets certificates from an authority, and their state. Times in milliseconds. */
export interface NamedCertificate {
  name: string
  /** Certificate with its chain; null before the first one, as are the next three. */
  chain: string | null
  issuer: string | null
  notBefore: number | null
  notAfter: number | null
  /** Counts the certificates of the name. */
  revision: number
  /** The time of the next order or renewal. */
  nextAt: number
  /** The time to ask the authority when it wants the certificate renewed. */
  askAt: number | null
  /** The order under way, and its sealed key: a process that ends takes neither along. */
  orderUrl: string | null
  orderKey: string | null
  /** Attempts that failed since the last certificate. */
  attempts: number
  lastError: string | null
  failedAt: number | null
}

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

/** An account at an authority. */
export interface AcmeAccount {
  directory: string
  url: string | null
  sealedKey: string
  /** The time before which nothing is ordered. */
  heldUntil: number
}
