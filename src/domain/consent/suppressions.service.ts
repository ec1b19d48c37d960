import type { Vault } from '../../platform/crypto/vault.ts'
import { readPage } from '../../platform/db/pages.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { digestOfIdentifier } from '../crm/identifier-digest.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import type { SuppressionsRepository } from './suppressions.repository.ts'
import type { Suppression } from './types.ts'

export interface SuppressionsParts {
  repo: SuppressionsRepository
  vault: Pick<Vault, 'digest'>
  clock: Clock
}

/** Users who get nothing, known by the digests of their identifiers only. */
export function suppressionsService({ repo, vault, clock }: SuppressionsParts) {
  /** Throws `invalid` for an identifier that no user can have. */
  function digestOf(appId: number, identifier: string): string {
    if (!isIdentifier(identifier)) throw invalid({ identifier: [IDENTIFIER_RULE] })
    return digestOfIdentifier(vault, 'suppression', appId, identifier)
  }

  function unknown(identifier: string): AppError {
    return new AppError('not_found', `${JSON.stringify(identifier)} is not on the suppression list`)
  }

  async function get(appId: number, identifier: string): Promise<Suppression> {
    const found = isIdentifier(identifier) ? await repo.find(appId, digestOf(appId, identifier)) : undefined
    if (!found) throw unknown(identifier)
    return found
  }

  return {
    /** Throws `not_found` when the identifier is not listed. */
    get,

    /** Lists an identifier, whether there is such a user or not. `created`: it was not listed. Throws `invalid`. */
    async put(
      appId: number,
      identifier: string,
      reason: string | null,
    ): Promise<{ suppression: Suppression; created: boolean }> {
      const added = await repo.add(appId, [digestOf(appId, identifier)], reason, clock.now())
      return { suppression: await get(appId, identifier), created: added > 0 }
    },

    /**
     * Lists identifiers. Returns how many were not listed before. Throws `invalid`, and changes nothing, when one
     * cannot be that of a user.
     */
    async putAll(appId: number, identifiers: readonly string[], reason: string | null): Promise<number> {
      const wrong = identifiers.findIndex((identifier) => !isIdentifier(identifier))
      if (wrong >= 0) throw invalid({ [`userIds[${wrong}]`]: [IDENTIFIER_RULE] })
      // Sorted and without duplicates: two calls lock the same rows in the same order.
      const digests = [...new Set(identifiers.map((identifier) => digestOf(appId, identifier)))].sort()
      return repo.add(appId, digests, reason, clock.now())
    },

    /** Throws `not_found` when the identifier is not listed. */
    async remove(appId: number, identifier: string): Promise<void> {
      const known = isIdentifier(identifier) && (await repo.remove(appId, digestOf(appId, identifier)))
      if (!known) throw unknown(identifier)
    },

    /** In the order in which they were listed; `next` is null on the last page. Nobody can tell whom they mean. */
    async list(
      appId: number,
      { after = 0, limit }: { after?: number | undefined; limit: number },
    ): Promise<{ suppressions: Suppression[]; next: number | null }> {
      const { rows, last } = await readPage(limit, (most) => repo.list(appId, after, most))
      return { suppressions: rows, next: last?.id ?? null }
    },
  }
}
