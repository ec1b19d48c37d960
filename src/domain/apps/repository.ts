import { lockOnce } from '../../platform/db/advisory-lock.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { allowLongStatements, isPostgres, whereAmong } from '../../platform/db/dialect.ts'
import { preparedPlan } from '../../platform/db/prepared.ts'
import { integer, type Row, table, text } from '../../platform/db/table.ts'
import { APPS, type AppChange, type AppRecord, type AppRules, type KeyKind, type KeyRecord } from './types.ts'

const KEYS = table('app_keys', {
  appId: integer('app_id'),
  kind: text('kind').as<KeyKind>(),
  digest: text('digest'),
  hint: text('hint'),
  value: text('value').orNull,
  createdAt: integer('created_at'),
  expiresAt: integer('expires_at').orNull,
})
/** The id that people may name before there is any account. */
const FIRST_ACCOUNT = 1
const SHOWN = KEYS.omit('appId', 'digest')
const NEW_KEYS = KEYS.omit('expiresAt')

/** An app's keys, for authentication. */
export interface Keyring {
  appId: number
  /** Keys of every kind, including ended ones. */
  keys: { kind: KeyKind; digest: string; expiresAt: number | null }[]
}

const CONFIRM_ABOVE = preparedPlan<{ id: number }, { confirm_above: number | null }>(
  'SELECT confirm_above FROM apps WHERE id = :id',
  { id: 'bigint' },
)

const LANGUAGE_ATTRIBUTE = preparedPlan<{ id: number }, { language_attribute: string | null }>(
  'SELECT language_attribute FROM apps WHERE id = :id',
  { id: 'bigint' },
)

/**
 * Locks an app until the commit: of two transactions that count or change something of it at once, the later one sees what the other one
 * did. Rows that refer to the app can still be written by others (NO KEY UPDATE). SQLite has a single writer.
 */
export async function lockApp(sql: Sql, appId: number): Promise<void> {
  if (isPostgres(sql)) await sql('apps').where({ id: appId }).forNoKeyUpdate().first('id')
}

export type AppsRepository = ReturnType<typeof appsRepository>

/** Tables: docs/reference/schema.md#accounts, #apps, #app_keys. */
export function appsRepository(sql: Sql) {
  const apps = () => APPS.in(sql)

  /** The account with this id, or the first one. */
  async function accountOf(id: number | undefined): Promise<number | undefined> {
    const found = await sql('accounts')
      .modify((q) => {
        if (id === undefined) q.orderBy('id')
        else q.where({ id })
      })
      .first('id')
    return found?.id
  }

  return {
    async find(id: number): Promise<AppRecord | undefined> {
      const row = await apps().where({ id }).first()
      return row && APPS.fromRow(row)
    },

    /** Ids of apps among `ids`. */
    async there(ids: readonly number[]): Promise<number[]> {
      if (ids.length === 0) return []
      const rows = await whereAmong(sql('apps').select('id'), sql, 'id', [...new Set(ids)])
      return rows.map(({ id }: { id: number }) => id)
    },

    async list(): Promise<AppRecord[]> {
      return (await apps().orderBy('id')).map(APPS.fromRow)
    },

    async insert(app: Omit<AppRecord, 'id'>): Promise<AppRecord> {
      const [row] = await apps().insert(APPS.toRow(app)).returning('*')
      return APPS.fromRow(row!)
    },

    async change(id: number, { name, timezone }: AppChange, now: number): Promise<AppRecord | undefined> {
      const change = { ...(name !== undefined && { name }), ...(timezone !== undefined && { timezone }) }
      const [row] = await apps()
        .where({ id })
        .update({ ...change, updated_at: now })
        .returning('*')
      return row && APPS.fromRow(row)
    },

    /** Deletes the app and, by foreign keys, its rows in all tables; very many rows take long. */
    async delete(id: number): Promise<boolean> {
      await allowLongStatements(sql)
      return (await apps().where({ id }).delete()) > 0
    },

    /** Locks the app until the commit, so that of two who change its rules or keys the later one sees what the other one did. */
    async lock(id: number): Promise<void> {
      await lockApp(sql, id)
    },

    /** The app's rules for sends and devices; undefined for an unknown app. */
    async restraint(id: number): Promise<AppRules | undefined> {
      const row = await sql('apps')
        .where({ id })
        .first(
          'quiet_from',
          'quiet_to',
          'quiet_then',
          'cap_count',
          'cap_hours',
          'confirm_above',
          'device_channels_public',
          'language_attribute',
        )
      if (!row) return undefined
      return {
        quiet: quietOf(row),
        cap: row.cap_count === null ? null : { count: row.cap_count, hours: row.cap_hours },
        confirmAbove: row.confirm_above,
        deviceChannels: row.device_channels_public ? 'public' : 'private',
        languageAttribute: row.language_attribute,
      }
    },

    /** The number of recipients above which a send must be confirmed; null: never, or the app is unknown. */
    async confirmAbove(id: number): Promise<number | null> {
      return (await CONFIRM_ABOVE.first(sql, { id }))?.confirm_above ?? null
    },

    /** The attribute that holds a user's language; null: none does, or the app is unknown. */
    async languageAttribute(id: number): Promise<string | null> {
      return (await LANGUAGE_ATTRIBUTE.first(sql, { id }))?.language_attribute ?? null
    },

    async setRestraint(id: number, rules: AppRules, now: number): Promise<void> {
      const { quiet, cap, confirmAbove, deviceChannels, languageAttribute } = rules
      await sql('apps')
        .where({ id })
        .update({
          quiet_from: quiet?.from ?? null,
          quiet_to: quiet?.to ?? null,
          quiet_then: quiet?.hold ? 'hold' : null,
          cap_count: cap?.count ?? null,
          cap_hours: cap?.hours ?? null,
          confirm_above: confirmAbove,
          device_channels_public: deviceChannels === 'public',
          language_attribute: languageAttribute,
          updated_at: now,
        })
    },

    /** Tells whether pushes that people compose wait for a second person; false for an unknown app. */
    async needsSecondPerson(id: number): Promise<boolean> {
      const row = await sql('apps').where({ id }).first('second_person')
      return Boolean(row?.second_person)
    },

    async setSecondPerson(id: number, isNeeded: boolean, now: number): Promise<void> {
      await sql('apps').where({ id }).update({ second_person: isNeeded, updated_at: now })
    },

    /** Tells whether pages of notifications enter the event log of the app as they close; false for an unknown app. */
    async logsDeliveries(id: number): Promise<boolean> {
      const row = await sql('apps').where({ id }).first('logs_deliveries')
      return Boolean(row?.logs_deliveries)
    },

    async setLogsDeliveries(id: number, deliveries: boolean, now: number): Promise<void> {
      await sql('apps').where({ id }).update({ logs_deliveries: deliveries, updated_at: now })
    },

    /** Locks the names of all apps until the commit: of two apps that get the same name at once the later one finds the other. */
    async lockNames(): Promise<void> {
      await lockOnce(sql, 'first account and names of apps')
    },

    /** The account with this id, or the first account, which is created when there is none. */
    async ensureAccount(id: number | undefined, now: number): Promise<number | undefined> {
      const found = await accountOf(id)
      if (found !== undefined || (id !== undefined && id !== FIRST_ACCOUNT)) return found
      await lockOnce(sql, 'first account and names of apps')
      const first = await accountOf(undefined)
      // Another account than the named one is not taken for it.
      if (first !== undefined) return id === undefined || id === first ? first : undefined
      const [row] = await sql('accounts').insert({ name: 'default', created_at: now }).returning('id')
      return row.id
    },

    async insertKey(key: Row<typeof NEW_KEYS>): Promise<void> {
      await sql('app_keys').insert({ ...key, expires_at: null })
    },

    /** Lets the app's current keys of a kind end at `expiresAt`. Keys that already have an end keep it. */
    async expireKeys(appId: number, kind: KeyKind, expiresAt: number): Promise<void> {
      await KEYS.in(sql).where({ app_id: appId, kind, expires_at: null }).update({ expires_at: expiresAt })
    },

    /** Makes all keys of the app expire now. */
    async endKeys(appId: number, now: number): Promise<void> {
      await KEYS.in(sql)
        .where({ app_id: appId })
        .whereRaw('(expires_at IS NULL OR expires_at > ?)', [now])
        .update({ expires_at: now })
    },

    async keys(appId: number): Promise<KeyRecord[]> {
      const rows = await KEYS.in(sql).where({ app_id: appId }).orderBy('id')
      return rows.map(SHOWN.fromRow)
    },

    /** The apps with these API keys, each with all of its keys, by the digest of the API key. */
    async keyrings(digests: readonly string[]): Promise<Map<string, Keyring>> {
      const named = whereAmong(sql('app_keys as api').where('api.kind', 'api'), sql, 'api.digest', digests)
      const rows: (Row<typeof KEYS> & { api: string })[] = await named
        .join('app_keys as own', 'own.app_id', 'api.app_id')
        .select('api.digest as api', 'own.app_id', 'own.kind', 'own.digest', 'own.expires_at')
      const rings = new Map<string, Keyring>()
      for (const { api, app_id: appId, kind, digest, expires_at: expiresAt } of rows) {
        if (!rings.has(api)) rings.set(api, { appId, keys: [] })
        rings.get(api)!.keys.push({ kind, digest, expiresAt })
      }
      return rings
    },
  }
}

/** Quiet hours as the columns of `apps` hold them. */
export function quietOf(row: {
  quiet_from: number | null
  quiet_to: number | null
  quiet_then: string | null
}): AppRules['quiet'] {
  if (row.quiet_from === null) return null
  return { from: row.quiet_from, to: row.quiet_to!, ...(row.quiet_then === 'hold' && { hold: true }) }
}
