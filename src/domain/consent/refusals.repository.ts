import type { Vault } from '../../platform/crypto/vault.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { whereAmong } from '../../platform/db/dialect.ts'
import { digestOfIdentifier } from '../crm/identifier-digest.ts'
import type { PurposesRepository } from './purposes.repository.ts'
import type { SuppressionsRepository } from './suppressions.repository.ts'
import type { ConsentOfSend, ConsentRules, Refusal } from './types.ts'

/** A purpose that is gone. No purpose has this id, so nobody is known to allow it. */
const GONE = { id: 0, default: false }

export type RefusalsRepository = ReturnType<typeof refusalsRepository>

/**
 * Refusals: the recipients that a send must leave out. Two or three statements, however many recipients there are.
 * Tables: docs/reference/schema.md#users, #installs. /.
 */
export function refusalsRepository(
  sql: Sql,
  purposes: Pick<PurposesRepository, 'find'>,
  suppressions: Pick<SuppressionsRepository, 'among' | 'isAny'>,
  vault: Pick<Vault, 'digest'>,
) {
  /** Members who are on the suppression list. */
  async function suppressed(
    appId: number,
    members: readonly { id: number; identifier: string }[],
  ): Promise<{ id: number }[]> {
    if (members.length === 0) return []
    const digests = members.map(({ identifier }) => digestOfIdentifier(vault, 'suppression', appId, identifier))
    const listed = await suppressions.among(appId, digests)
    return listed.size === 0 ? [] : members.filter((_, i) => listed.has(digests[i]!))
  }

  function reasons(refusing: readonly { id: number }[], suppressing: readonly { id: number }[]): Map<number, Refusal> {
    const found = new Map<number, Refusal>()
    for (const { id } of refusing) found.set(id, 'not_wanted')
    // Last: it holds whatever the user allows.
    for (const { id } of suppressing) found.set(id, 'on_suppression_list')
    return found
  }

  const refuses = (allowed: boolean) =>
    allowed ? 'NOT COALESCE(choice.allowed, true)' : 'NOT COALESCE(choice.allowed, false)'

  return {
    /** The rules that a send has to follow. Undefined when there are none: then it costs no more than this. */
    async rulesOf(appId: number, { purpose, transactional }: ConsentOfSend): Promise<ConsentRules | undefined> {
      const isAny = await suppressions.isAny(appId)
      const asks = transactional || purpose === null ? null : ((await purposes.find(appId, purpose)) ?? GONE)
      const counts = asks && !('required' in asks && asks.required) ? { id: asks.id, default: asks.default } : null
      return isAny || counts ? { purpose: counts, suppressing: isAny } : undefined
    },

    /** Installs among `rows` whose user must not get the send. */
    async installs(appId: number, { purpose, suppressing }: ConsentRules, rows: readonly number[]) {
      if (rows.length === 0) return new Map<number, Refusal>()
      const refusing: { id: number }[] = purpose
        ? await whereAmong(sql('installs'), sql, 'installs.id', rows)
            .joinRaw(CHOICE('installs.user_id'), [purpose.id])
            .whereRaw(refuses(purpose.default))
            .select('installs.id')
        : []
      const members: { id: number; identifier: string }[] = suppressing
        ? await whereAmong(sql('installs'), sql, 'installs.id', rows)
            .join('users', 'users.id', 'installs.user_id')
            .select('installs.id', 'users.identifier')
        : []
      return reasons(refusing, await suppressed(appId, members))
    },

    /** Users among `users` who must not get the send. */
    async users(appId: number, { purpose, suppressing }: ConsentRules, users: readonly number[]) {
      if (users.length === 0) return new Map<number, Refusal>()
      const refusing: { id: number }[] = purpose
        ? await whereAmong(sql('users'), sql, 'users.id', users)
            .joinRaw(CHOICE('users.id'), [purpose.id])
            .whereRaw(refuses(purpose.default))
            .select('users.id')
        : []
      const members: { id: number; identifier: string }[] = suppressing
        ? await whereAmong(sql('users'), sql, 'users.id', users).select('users.id', 'users.identifier')
        : []
      return reasons(refusing, await suppressed(appId, members))
    },
  }
}

const CHOICE = (user: string) =>
  `LEFT JOIN user_purposes AS choice ON choice.user_id = ${user} AND choice.purpose_id = ?`
