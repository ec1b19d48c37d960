import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, unindexed } from '../../platform/db/dialect.ts'

/** One key by which rows of a person are found: a row number, or a name. */
export type Key = number | string

/**
 * A place where data of a person is stored: a table, and the way to find the rows of one person in it. Erasing deletes
 * these rows and exporting shows them, from this one list, in this order: rows that refer to others come first. A table or
 * a text column that is not here is in test/support/kept-columns.ts, with the reason why it holds no data of a person.
 */
export interface Personal {
  table: string
  /**
   * The key of the rows: the row of a user or of an install, the id of an install, one of the person's names, or the
   * row of an install that once named the person (then only rows about the person).
   */
  by: 'user' | 'install' | 'installId' | 'name' | 'former'
  /** The column with the key. It begins an index, or follows `app_id` in one. */
  column: string
  /** Columns that tell the rows of one key apart. */
  along: readonly string[]
  /** Set when the index continues with these columns. */
  sorted?: true
  /** A further condition, written as the partial index has it. */
  where?: string
  /** SQL for the app of a row, where the table has no `app_id`. */
  appOf?: string
  /** Set when the rows are in the key (SQLite: WITHOUT ROWID). */
  clustered?: true
  /** Columns of JSON text. */
  json?: readonly string[]
  /** Columns that mean nothing outside; an export leaves them out. */
  hidden?: readonly string[]
}

const ofInstall = (table: string, along: string, more: Partial<Personal> = {}): Personal => ({
  table,
  by: 'install',
  column: 'install_row',
  along: [along],
  hidden: ['id', 'install_row'],
  ...more,
})
const ofUser = (table: string, along: string, more: Partial<Personal> = {}): Personal => ({
  table,
  by: 'user',
  column: 'user_id',
  along: [along],
  hidden: ['user_id'],
  ...more,
})
const named = (table: string, column: string, along: readonly string[], more: Partial<Personal> = {}): Personal => ({
  table,
  by: 'name',
  column,
  along,
  ...more,
})

export const PERSONAL: readonly Personal[] = [
  ofInstall('events', 'uuid', { sorted: true, json: ['data'] }),
  ofInstall('events', 'uuid', { by: 'former', sorted: true, json: ['data'] }),
  named('events', 'user_identifier', ['id'], {
    sorted: true,
    where: 'install_row IS NULL',
    json: ['data'],
    hidden: ['id', 'install_row'],
  }),
  ofInstall('notification_opens', 'notification_id'),
  ofInstall('notification_opens', 'notification_id', { by: 'former' }),
  ofInstall('retired_tokens', 'id'),
  ofInstall('test_devices', 'id'),
  ofInstall('send_history', 'app_id', { json: ['sent'] }),
  ofInstall('channel_installs', 'channel_id', { clustered: true }),
  ofInstall('geofence_presence', 'geofence_id', { clustered: true, hidden: ['install_row', 'user_id'] }),
  ofInstall('install_positions', 'install_row', { clustered: true }),
  ofInstall('install_users', 'identifier', { clustered: true }),
  ofInstall('install_users', 'identifier', { by: 'former', clustered: true }),
  { table: 'link_taps', by: 'installId', column: 'web_install_id', along: ['web_install_id'], sorted: true },
  {
    table: 'crash_reports',
    by: 'installId',
    column: 'install_id',
    along: ['id'],
    sorted: true,
    json: ['report'],
    hidden: ['id', 'fingerprint', 'size'],
  },
  ofUser('active_hours', 'user_id', { json: ['counts'] }),
  ofUser('metric_days', 'metric_id', { along: ['metric_id', 'day'], sorted: true }),
  ofUser('user_messages', 'message_id', { sorted: true, json: ['texts'] }),
  ofUser('channel_users', 'channel_id', { clustered: true }),
  ofUser('user_purposes', 'purpose_id', { sorted: true }),
  named('checkins', 'user_identifier', ['id'], { sorted: true, hidden: ['device_key'] }),
  named('notification_user_meta', 'identifier', ['notification_id'], { sorted: true, json: ['meta'] }),
  named('channel_import_unknowns', 'identifier', ['import_id', 'line'], {
    sorted: true,
    appOf:
      '(SELECT channel_imports.app_id FROM channel_imports WHERE channel_imports.id = channel_import_unknowns.import_id)',
  }),
  ofInstall('installs', 'id', { column: 'id', hidden: ['id', 'user_id', 'app_version_key', 'preferred_hour'] }),
  ofUser('users', 'id', { column: 'id', json: ['attributes'], hidden: ['id', 'listed'] }),
]

/** Rows that belong to a row of the list and are deleted and exported with it. */
export const BELONGING = [
  { table: 'checkin_contacts', of: 'checkins', column: 'checkin_id', json: ['meta'] as readonly string[] },
] as const

/** A query over the rows with this key. `name`: the user whom rows of a `former` install must be about. */
export function rowsWith(
  sql: Sql,
  appId: number,
  { table, by, column, where, appOf }: Personal,
  key: Key,
  name?: string,
): Knex.QueryBuilder {
  // The row of a user or an install is enough, but for events, whose index begins with the app.
  const isEnough = by !== 'name' && by !== 'installId' && table !== 'events'
  const ofApp = appOf ?? (isEnough ? unindexed(`${table}.app_id`) : `${table}.app_id`)
  const found = sql(table).whereRaw(`${ofApp} = ?`, [appId])
  if (where) void found.whereRaw(where)
  void found.where(column, key)
  return by === 'former' ? found.where((about) => isAbout(sql, about, table, name!)) : found
}

/** Narrows a query to reports of another person's install about this one: as its user, or as the user that it named. */
function isAbout(sql: Sql, query: Knex.QueryBuilder, table: string, name: string): void {
  if (table === 'install_users') return void query.where({ identifier: name })
  void query.where({ user_identifier: name })
  if (table !== 'events') return
  for (const text of namings(name)) void query.orWhereRaw(containsSql(sql, 'data'), [text])
}

/** True when the text of a column contains a value. */
function containsSql(sql: Sql, column: string): string {
  return isPostgres(sql) ? `strpos(${column}, ?) > 0` : `instr(${column}, ?) > 0`
}

/** Forms of a name in JSON text: a string, and for a name of digits also a number. */
export function namings(name: string): string[] {
  const texts = [JSON.stringify(name)]
  if (/^(0|[1-9]\d{0,15})$/.test(name))
    for (const end of [',', ']', '}']) for (const begin of [':', '[', ',']) texts.push(`${begin}${name}${end}`)
  return texts
}
