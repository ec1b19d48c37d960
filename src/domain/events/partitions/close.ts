import type { Sql } from '../../../platform/db/connect.ts'
import { allowLongStatements, rowsOf } from '../../../platform/db/dialect.ts'
import { markBreaking } from '../../../platform/db/migrate.ts'
import { refuseWhileOlderRun } from '../../../platform/instance/nodes.ts'
import { partsOf, STRIDE } from './parts.ts'

/** The step of the schema from which on programs know partitions. */
const STEP = '0152_event_partitions'

/**
 * The constraint that says where the newest partition ends. With it PostgreSQL believes that the ids of a table fit its range
 * without looking at them under the lock.
 */
const ENDS = 'events_end'
/** The table without a parent, as a partition: the oldest. */
const FIRST = 'events_0'

/** The newest partition, or the whole table while it has none, as the place that is to be closed. */
interface Newest {
  table: string
  from: number
  /** The id at which it is to end, and whether PostgreSQL has looked at all of its ids. */
  end?: { id: number; isValid: boolean }
}

/** Reads the newest partition and how far its closing has got: all that is known of it stands in the catalogue. */
async function newestOf(sql: Sql): Promise<Newest> {
  const parts = await partsOf(sql)
  const { name: table, from } = parts.at(-1) ?? { name: 'events', from: 0 }
  const [found] = rowsOf<{ is_valid: boolean; text: string }>(
    await sql.raw(
      `SELECT convalidated AS is_valid, pg_get_constraintdef(oid) AS text FROM pg_constraint
       WHERE conrelid = to_regclass(?) AND conname = ?`,
      [table, ENDS],
    ),
  )
  const id = found && Number(/< '?(\d+)/.exec(found.text)![1])
  return { table, from, ...(found && { end: { id: id!, isValid: found.is_valid } }) }
}

/**
 * Does the next of the three steps that close the newest partition, in the caller's transaction. Each is whole by itself, so a kill between
 * them costs nothing. Returns true when the last one was done. `sql` waits only shortly for a lock: its timeout is an error.
 */
export async function closeFurther(sql: Sql): Promise<boolean> {
  const newest = await newestOf(sql)
  if (!newest.end) await announceEnd(sql, newest)
  else if (!newest.end.isValid) {
    await allowLongStatements(sql)
    // Reads every row, and holds up neither readers nor writers.
    await sql.raw(`ALTER TABLE ?? VALIDATE CONSTRAINT ${ENDS}`, [newest.table])
  } else {
    await (newest.table === 'events' ? divide(sql, newest.end.id) : close(sql, newest, newest.end.id))
    return true
  }
  return false
}

/** Says where the partition ends: so far behind its last id that nobody gets there before it is closed. */
async function announceEnd(sql: Sql, { table, from }: Newest): Promise<void> {
  const [row] = rowsOf<{ last: number | null }>(
    await sql.raw(`SELECT pg_sequence_last_value(pg_get_serial_sequence('events', 'id')::regclass) AS last`),
  )
  const end = STRIDE * (Math.floor((Math.max(row!.last ?? 0, from) + STRIDE / 2) / STRIDE) + 1)
  await sql.raw(`ALTER TABLE ?? ADD CONSTRAINT ${ENDS} CHECK (id >= ${from} AND id < ${end}) NOT VALID`, [table])
}

/**
 * Makes an ordinary table the first partition of a new one with its name, indexes and rights. No row is touched. Throws `unavailable`
 * while nodes are alive that know no partitions.
 */
async function divide(sql: Sql, end: number): Promise<void> {
  await refuseWhileOlderRun(sql, STEP)
  await markBreaking(sql, STEP)
  await sql.raw('LOCK TABLE events IN ACCESS EXCLUSIVE MODE')
  const indexes = await indexesOf(sql, 'events')
  const keys = await referencesOf(sql)
  await sql.raw(`ALTER TABLE events RENAME TO ${FIRST}`)
  for (const { name } of indexes) await sql.raw('ALTER INDEX ?? RENAME TO ??', [name, nameIn(FIRST, name)])
  await sql.raw(`CREATE TABLE events (LIKE ${FIRST} INCLUDING DEFAULTS) PARTITION BY RANGE (id)`)
  for (const { name, isUnique, isPrimary, on } of indexes) {
    if (isPrimary) await sql.raw('ALTER TABLE events ADD CONSTRAINT ?? PRIMARY KEY (id)', [name])
    // A unique index of the whole would have to contain the id: each partition has its own.
    else if (!isUnique) await sql.raw(`CREATE INDEX ?? ON events ${literally(on)}`, [name])
  }
  for (const { name, text } of keys) await sql.raw(`ALTER TABLE events ADD CONSTRAINT ?? ${literally(text)}`, [name])
  const sequence = rowsOf<{ name: string }>(await sql.raw(`SELECT pg_get_serial_sequence('${FIRST}', 'id') AS name`))
  await sql.raw(`ALTER SEQUENCE ${sequence[0]!.name} OWNED BY events.id`)
  await sql.raw(`ALTER TABLE events ATTACH PARTITION ${FIRST} FOR VALUES FROM (MINVALUE) TO (${end})`)
  await copyRights(sql)
  await beginNext(sql, FIRST, end)
}

/** Gives the newest partition its end. No row is touched. */
async function close(sql: Sql, { table, from }: Newest, end: number): Promise<void> {
  await sql.raw('LOCK TABLE events IN ACCESS EXCLUSIVE MODE')
  await sql.raw('ALTER TABLE events DETACH PARTITION ??', [table])
  await sql.raw(`ALTER TABLE events ATTACH PARTITION ?? FOR VALUES FROM (${from}) TO (${end})`, [table])
  await beginNext(sql, table, end)
}

/**
 * Makes the partition behind `table` and moves the sequence there. Whoever has looked for a uuid waits for the lock or has committed:
 * so nobody can store an event in the new partition that is being stored in the old one.
 */
async function beginNext(sql: Sql, table: string, end: number): Promise<void> {
  const next = `events_${end / STRIDE}`
  await sql.raw(`CREATE TABLE ?? PARTITION OF events FOR VALUES FROM (${end}) TO (MAXVALUE)`, [next])
  for (const { name, isUnique, isPrimary, on } of await indexesOf(sql, table))
    if (isUnique && !isPrimary)
      await sql.raw(`CREATE UNIQUE INDEX ?? ON ?? ${literally(on)}`, [nameIn(next, name, table), next])
  await sql.raw('ALTER TABLE ?? DROP CONSTRAINT ??', [table, ENDS])
  const found = await sql.raw(`SELECT pg_get_serial_sequence('events', 'id') AS name`)
  // Undone with the transaction, as `setval` is not: the ids of a partition that is not closed would be beyond its end.
  await sql.raw(`ALTER SEQUENCE ${rowsOf<{ name: string }>(found)[0]!.name} RESTART WITH ${end}`)
}

/** The name of an index of one partition, from its name in another one or in the whole. */
function nameIn(table: string, name: string, of = 'events'): string {
  return name.startsWith(of) ? table + name.slice(of.length) : `${table}_${name}`
}

interface Index {
  name: string
  isUnique: boolean
  isPrimary: boolean
  /** Its definition behind the name of the table: `USING btree (…) WHERE …`. */
  on: string
}

async function indexesOf(sql: Sql, table: string): Promise<Index[]> {
  const found = await sql.raw(
    `SELECT c.relname AS name, indisunique AS "isUnique", indisprimary AS "isPrimary", pg_get_indexdef(indexrelid) AS text
     FROM pg_index JOIN pg_class AS c ON c.oid = indexrelid WHERE indrelid = to_regclass(?) AND indisvalid ORDER BY 1`,
    [table],
  )
  return rowsOf<Omit<Index, 'on'> & { text: string }>(found).map(({ text, ...index }) => ({
    ...index,
    on: text.slice(text.indexOf(' USING ')),
  }))
}

/** The foreign keys of `events`. */
async function referencesOf(sql: Sql): Promise<{ name: string; text: string }[]> {
  const found = await sql.raw(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
     WHERE conrelid = to_regclass('events') AND contype = 'f'`,
  )
  return rowsOf<{ name: string; text: string }>(found)
}

/** Gives those who may read or write the table the same rights to the new one. */
async function copyRights(sql: Sql): Promise<void> {
  const found = await sql.raw(
    `SELECT CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee, privilege_type AS right, is_grantable AS may
     FROM pg_class, aclexplode(relacl) WHERE oid = to_regclass('${FIRST}') AND grantee <> relowner`,
  )
  for (const { grantee, right, may } of rowsOf<{ grantee: string; right: string; may: boolean }>(found))
    await sql.raw(literally(`GRANT ${right} ON events TO ${grantee}${may ? ' WITH GRANT OPTION' : ''}`))
}

/** Text of the catalogue inside a statement, in which Knex reads a question mark as the place of a value. */
const literally = (text: string): string => text.replaceAll('?', '\\?')
