import type { Vault } from '../../platform/crypto.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { allowLongStatements } from '../../platform/db/dialect.ts'
import { failpoint } from '../../platform/failpoints.ts'
import { instanceRepository } from '../../platform/instance/repository.ts'
import { isPlainObject } from '../../platform/json.ts'
import { signingContext } from '../crm/signed-ids.service.ts'
import { erasedContext, USER_ERASED } from '../events/erased-user.ts'
import { platformOf } from '../gateways/registry.ts'
import { credentialContext } from '../gateways/service.ts'
import { sealContext } from '../webhooks/secrets.ts'

interface SealedRow {
  id: number
  app_id: number
  /** Of a gateway. */
  platform?: number
  /** JSON of an event. */
  data?: string | null
  sealed?: string
  former_sealed?: string | null
}

/** A table with sealed values: its columns, and for what they are sealed. */
interface Sealed {
  table: string
  columns: readonly ('sealed' | 'former_sealed' | 'data')[]
  more?: readonly string[]
  type?: string
  context(row: SealedRow): string
}

/** Every place with values that the master key opens: who seals something elsewhere adds it here. */
const SEALED: readonly Sealed[] = [
  {
    table: 'gateway_configs',
    columns: ['sealed'],
    more: ['platform'],
    context: ({ app_id, platform }) => credentialContext(app_id, platformOf(platform!)!),
  },
  { table: 'user_signing_keys', columns: ['sealed'], context: ({ app_id }) => signingContext(app_id) },
  { table: 'webhooks', columns: ['sealed', 'former_sealed'], context: ({ id }) => sealContext(id) },
  { table: 'events', columns: ['data'], type: USER_ERASED, context: ({ app_id }) => erasedContext(app_id) },
]

/** The tables whose rows change. */
export const SEALED_TABLES: readonly string[] = [...SEALED.map(({ table }) => table), 'instance']

/** Rows that are read at once. */
const PAGE = 500

export interface Resealed {
  /** Values that are sealed under the next key now. */
  values: number
  /** Values that the old key did not open, and which stay as they are. */
  unopened: number
}

/**
 * Opens every sealed value with `vault`, seals it with `next`, and makes `next` the key of the database. Everything in the transaction
 * of `trx`: the database belongs to one key at any moment.
 */
export async function reseal(trx: Sql, vault: Vault, next: Vault): Promise<Resealed> {
  await allowLongStatements(trx)
  const done: Resealed = { values: 0, unopened: 0 }

  function again(value: string, context: string): string | undefined {
    try {
      const sealed = next.seal(vault.open(value, context), context)
      done.values++
      return sealed
    } catch {
      done.unopened++
      return undefined
    }
  }

  function changesOf({ columns, context }: Sealed, row: SealedRow): Record<string, string> {
    const changes: Record<string, string> = {}
    for (const column of columns) {
      const stored = row[column]
      if (!stored) continue
      const sealed = column === 'data' ? againInside(stored, context(row)) : again(stored, context(row))
      if (sealed !== undefined) changes[column] = sealed
    }
    return changes
  }

  /** An event that a caller stored under the same type has other data, which stays. */
  function againInside(data: string, context: string): string | undefined {
    const parsed: unknown = JSON.parse(data)
    if (!isPlainObject(parsed) || typeof parsed.sealed !== 'string') return undefined
    const sealed = again(parsed.sealed, context)
    return sealed && JSON.stringify({ ...parsed, sealed })
  }

  for (const sealed of SEALED) {
    for (let last = 0; ; ) {
      const rows = (await trx(sealed.table)
        .where('id', '>', last)
        .modify((query) => void (sealed.type !== undefined && query.where({ type: sealed.type })))
        .orderBy('id')
        .limit(PAGE)
        .select('id', 'app_id', ...sealed.columns, ...(sealed.more ?? []))) as SealedRow[]
      for (const row of rows) {
        const changes = changesOf(sealed, row)
        if (Object.keys(changes).length > 0) await trx(sealed.table).where({ id: row.id }).update(changes)
      }
      if (rows.length < PAGE) break
      last = rows.at(-1)!.id
    }
    failpoint('rotate.sealed')
  }
  await instanceRepository(trx).setKey({ keyCheck: next.keyCheck(), pepper: vault.sealPepper(next) })
  return done
}
