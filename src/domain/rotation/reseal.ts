import type { Vault } from '../../platform/crypto/vault.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { allowLongStatements } from '../../platform/db/dialect.ts'
import { instanceRepository } from '../../platform/instance/repository.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { totpContext } from '../admins/second-factor/second-factor.ts'
import { accountContext, certificateContext } from '../certificates/repository.ts'
import { signingContext } from '../crm/signed-ids/service.ts'
import { erasedContext, USER_ERASED } from '../events/erased-user.ts'
import { platformOf } from '../gateways/registry.ts'
import { credentialContext } from '../gateways/service.ts'
import { sealContext } from '../webhooks/secrets.ts'

type SealedColumn = 'sealed' | 'sealed_totp' | 'former_sealed' | 'data' | 'sealed_key' | 'order_key'

interface SealedRow extends Partial<Record<SealedColumn, string | null>> {
  id: number
  app_id: number
  /** The platform of a gateway. */
  platform?: number
  /** The name of a certificate. */
  name: string
  /** The directory of an account at an authority. */
  directory: string
}

/** A table with sealed values: its columns, and the context of each row. */
interface Sealed {
  table: string
  columns: readonly SealedColumn[]
  /** The primary key; `id` when absent. */
  key?: 'name' | 'directory'
  /** Columns that the context needs besides the key. */
  more?: readonly string[]
  type?: string
  context(row: SealedRow): string
}

/** Every place with values that the master key opens: a new one is to be added here. */
const SEALED: readonly Sealed[] = [
  {
    table: 'gateway_configs',
    columns: ['sealed'],
    more: ['app_id', 'platform'],
    context: ({ app_id, platform }) => credentialContext(app_id, platformOf(platform!)!),
  },
  {
    table: 'user_signing_keys',
    columns: ['sealed'],
    more: ['app_id'],
    context: ({ app_id }) => signingContext(app_id),
  },
  { table: 'admins', columns: ['sealed_totp'], context: ({ id }) => totpContext(id) },
  { table: 'webhooks', columns: ['sealed', 'former_sealed'], context: ({ id }) => sealContext(id) },
  {
    table: 'events',
    columns: ['data'],
    more: ['app_id'],
    type: USER_ERASED,
    context: ({ app_id }) => erasedContext(app_id),
  },
  {
    table: 'certificates',
    key: 'name',
    columns: ['sealed_key', 'order_key'],
    context: ({ name }) => certificateContext(name),
  },
  {
    table: 'acme_accounts',
    key: 'directory',
    columns: ['sealed_key'],
    context: ({ directory }) => accountContext(directory),
  },
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

  /**
   * Seals the value inside the data of an event again. An event that a caller stored under the same type has other data, which
   * stays.
   */
  function againInside(data: string, context: string): string | undefined {
    const parsed: unknown = JSON.parse(data)
    if (!isPlainObject(parsed) || typeof parsed.sealed !== 'string') return undefined
    const sealed = again(parsed.sealed, context)
    return sealed && JSON.stringify({ ...parsed, sealed })
  }

  for (const sealed of SEALED) {
    const key = sealed.key ?? 'id'
    for (let last: string | number = key === 'id' ? 0 : ''; ; ) {
      const rows = (await trx(sealed.table)
        .where(key, '>', last)
        .modify((query) => void (sealed.type !== undefined && query.where({ type: sealed.type })))
        .orderBy(key)
        .limit(PAGE)
        .select(key, ...sealed.columns, ...(sealed.more ?? []))) as SealedRow[]
      for (const row of rows) {
        const changes = changesOf(sealed, row)
        if (Object.keys(changes).length > 0)
          await trx(sealed.table)
            .where({ [key]: row[key] })
            .update(changes)
      }
      if (rows.length < PAGE) break
      last = rows.at(-1)![key]
    }
    failpoint('rotate.sealed')
  }
  await instanceRepository(trx).setKey({ keyCheck: next.keyCheck(), pepper: vault.sealPepper(next) })
  return done
}
