/** Subject of an erasure: a person with all their installs, or one install. */
export type ErasureKind = 'user' | 'install'

/**
 * `requested`: nothing is deleted yet. `erasing`: rows are being deleted. `searching`: the person is gone, and their
 * names are searched in sends and stored answers. `cleaning`: deleted rows are being removed from the files of the
 * database. `done`: nothing is left.
 */
export type ErasureState = 'requested' | 'erasing' | 'searching' | 'cleaning' | 'done'

export interface Erasure {
  id: string
  appId: number
  kind: ErasureKind
  /** HMAC of the identifier (`digestOfIdentifier`). */
  digest: string
  state: ErasureState
  /** True when there was such a user or install; null until somebody looked. */
  found: boolean | null
  /** Names to look for: first the identifier, then the ids of erased installs. Null when only the digest is known. */
  names: string[] | null
  requestedAt: number
  doneAt: number | null
}

/** Subject of a step of an erasure. The rows of a person with very many installs come in several steps. */
export interface Subject {
  appId: number
  /** The identifier, and the ids of the installs. */
  names: string[]
  installs: { row: number; installId: string; userId: number; token: string | null }[]
  /** The row of the person in `users`. */
  person: number | undefined
  /** Rows of the anonymous users of the installs. */
  anonymous: number[]
}
