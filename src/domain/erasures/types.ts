import { boolean, integer, json, table, text, type Value } from '../../platform/db/table.ts'

/** Subject of an erasure: a person with all their installs, or one install. */
export type ErasureKind = 'user' | 'install'

/**
 * `requested`: nothing is deleted yet. `erasing`: rows are being deleted. `searching`: the person is gone, and their
 * names are searched in sends and stored answers. `cleaning`: deleted rows are being removed from the files of the
 * database. `done`: nothing is left.
 */
export type ErasureState = 'requested' | 'erasing' | 'searching' | 'cleaning' | 'done'

export const ERASURES = table('erasures', {
  id: text('id'),
  appId: integer('app_id'),
  kind: text('kind').as<ErasureKind>(),
  /** HMAC of the identifier (`digestOfIdentifier`). */
  digest: text('digest'),
  state: text('state').as<ErasureState>(),
  /** True when there was such a user or install; null until somebody looked. */
  found: boolean('found').orNull,
  /** Names to look for: first the identifier, then the ids of erased installs. Null when only the digest is known. */
  names: json('names').as<string[]>().orNull,
  requestedAt: integer('requested_at'),
  doneAt: integer('done_at').orNull,
})

export type Erasure = Value<typeof ERASURES>

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
