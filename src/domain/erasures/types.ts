/** Whom an erasure is about: a person with all their installs, or one install. */
export type ErasureKind = 'user' | 'install'

/**
 * `requested`: nothing is deleted yet. `erasing`: rows are being deleted. `searching`: the person is gone, and what was
 * stored about sends and answers is searched for their names. `cleaning`: deleted rows are being removed from the files of
 * the database. `done`: nothing is left.
 */
export type ErasureState = 'requested' | 'erasing' | 'searching' | 'cleaning' | 'done'

export interface Erasure {
  id: string
  appId: number
  kind: ErasureKind
  /** HMAC of the identifier (`digestOfIdentifier`). */
  digest: string
  state: ErasureState
  /** Whether there was such a user or install; null until somebody looked. */
  found: boolean | null
  /** What has to be looked for: first the identifier, then the ids of erased installs. Null when only the digest is known. */
  names: string[] | null
  requestedAt: number
  doneAt: number | null
}

/** What a step of an erasure works on. The rows of a person with very many installs come in several steps. */
export interface Subject {
  appId: number
  /** The identifier, and the ids of the installs. */
  names: string[]
  installs: { row: number; installId: string; userId: number; token: string | null }[]
  /** The row of the person in `users`. */
  person: number | undefined
  /** Those of the anonymous users of the installs. */
  anonymous: number[]
}
