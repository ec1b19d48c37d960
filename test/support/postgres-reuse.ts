import pg from 'pg'
import { emptyPostgres, type Pristine, RELATIONS } from './emptying.ts'

/** Tables that are larger are not worth emptying: deleted rows stay in the file. */
const MOST_BYTES = 4 * 1024 ** 2
/** The number of looks for connections that are being closed, before the database counts as used by somebody. */
const LOOKS = 40
const LOOK_MS = 2

/** The catalogues in which everything leaves a row that a test may do to a database besides filling its tables; ANALYZE too. */
const CATALOGUES = [
  'class',
  'attribute',
  'constraint',
  'index',
  'proc',
  'trigger',
  'namespace',
  'type',
  'statistic',
  'extension',
]
const CHANGES = ['inserted', 'updated', 'deleted']

/**
 * SQL of how often something was changed in these catalogues since the database was copied; connections count it when
 * they end at the latest.
 */
const CHANGED = `${CATALOGUES.flatMap((catalogue) =>
  CHANGES.map((change) => `pg_stat_get_tuples_${change}('pg_catalog.pg_${catalogue}'::regclass)`),
).join(' + ')}
  + (SELECT count(*) FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))`

/** A database that can be used again, with the connection that empties it: its caches are warm, so this takes a tenth of another database. */
export interface Reusable {
  name: string
  /** Empties it when nobody is connected any more. False when it is not as it was, and must be dropped. */
  reset(): Promise<boolean>
  /** Empties it for the next test of those that are connected. False when it has other tables than it had. */
  empty(): Promise<boolean>
  close(): Promise<void>
}

/** Connects to a copy of the template. */
export async function openReusable(name: string, url: string, pristine: Pristine): Promise<Reusable> {
  const client = new pg.Client({ connectionString: url })
  // A test may end all connections of its database: then it is dropped.
  client.on('error', () => {})
  await client.connect()
  // Without the triggers of foreign keys, in any order.
  await client.query('SET session_replication_role = replica')
  const emptyUnchanged = emptyPostgres(client, pristine, {
    name: 'reset',
    columns: `(${CHANGED})::float AS changed,
      (SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace)::float AS bytes`,
    may: ({ changed, bytes }) => changed === 0 && Number(bytes) <= MOST_BYTES,
  })
  const emptyShared = emptyPostgres(client, pristine, {
    name: 'empty',
    columns: `${RELATIONS} AS relations`,
    may: ({ relations }) => relations === pristine.relations,
  })

  async function isUnused(): Promise<boolean> {
    const connected = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
    for (let i = 0; i < LOOKS; i++) {
      if ((await client.query({ name: 'connected', text: connected })).rowCount === 0) return true
      // A connection that was closed takes the server a moment.
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    return false
  }

  return {
    name,
    reset: async () => (await isUnused()) && (await emptyUnchanged()),
    empty: emptyShared,
    close: () => client.end().catch(() => {}),
  }
}
