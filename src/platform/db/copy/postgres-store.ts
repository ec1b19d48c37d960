import pg from 'pg'
import { AppError, messageOf } from '../../errors.ts'
import { connectToHost, settingsOf } from '../hosts.ts'
import { COUNT_OTHERS } from '../others.ts'
import { findPooler } from '../pooler.ts'
import {
  type CopiedColumn,
  doubleText,
  type Kind,
  namesOf,
  PAGE_BYTES,
  PAGE_ROWS,
  quoted,
  RefusedRow,
  type Row,
  type Shape,
  type Store,
  type Value,
} from './store.ts'

/** Time (ms) within which other writers must finish. */
const LOCK_MS = 5000
/** An arbitrary key: one copy into a database at a time. */
const COPY_LOCK = 0x61707363

/** One connection to PostgreSQL, of which every value comes and goes as text. */
export interface PostgresStore extends Store {
  /** Counts the other connections that programs of ours have to this database. */
  others(): Promise<number>
  /** Begins the one snapshot that is read, in which nobody else can write any table, until `commit` or `close`. */
  begin(): Promise<void>
  commit(): Promise<void>
  /** Keeps other copies out of this database until `close`. False when there is one. */
  claim(): Promise<boolean>
  /** The tables in an order in which each comes after those that it refers to. */
  inOrder(shapes: readonly Shape[]): Promise<Shape[]>
}

/** Throws `unavailable` when the server cannot be reached. */
export async function openPostgresStore(url: string): Promise<PostgresStore> {
  let lost: Error | undefined
  const open = async (address: string): Promise<pg.Client> => {
    const client = new pg.Client({
      ...settingsOf(url, address),
      keepAlive: true,
      // A page takes as long as it takes, and the snapshot stays open between pages.
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
      types: { getTypeParser: () => (value: string) => value },
    })
    client.on('error', (error) => (lost = error))
    await client.connect()
    return client
  }
  const client = await connectToHost(url, open).catch((error: unknown) => {
    throw unanswered(error)
  })
  // A host that was tried before this one may have ended its connection.
  lost = undefined
  try {
    await refuseSharedConnection(url)
    for (const setting of ["TimeZone = 'UTC'", "bytea_output = 'hex'", 'synchronous_commit = on']) {
      await client.query(`SET ${setting}`)
    }
  } catch (error) {
    await client.end().catch(() => {})
    throw unanswered(error)
  }

  async function query(text: string, values?: unknown[]): Promise<Record<string, string | null>[]> {
    try {
      return (await client.query({ text, ...(values && { values }) })).rows as Record<string, string | null>[]
    } catch (error) {
      throw lost ? new AppError('unavailable', `the connection to PostgreSQL was lost: ${lost.message}`) : error
    }
  }

  async function queryRows(text: string, values: unknown[]): Promise<Row[]> {
    return (await client.query<Row>({ text, values, rowMode: 'array' })).rows
  }

  /** The number of following rows that make a page. Lengths are read without reading the values. */
  async function sizeOfPage(shape: Shape, behind: string, after: Row): Promise<number> {
    const wide = shape.columns.filter(isWide)
    if (wide.length === 0) return PAGE_ROWS
    const lengths = wide.map(
      ({ name, kind }) => `COALESCE(octet_length(${quoted(name)}${kind === 'json' ? '::text' : ''}), 0)`,
    )
    const found = await queryRows(
      `SELECT ${lengths.join(' + ')} FROM ${quoted(shape.name)} ${behind} ORDER BY ${namesOf(shape.key)} LIMIT ${PAGE_ROWS}`,
      after,
    )
    let bytes = 0
    const last = found.findIndex(([length]) => (bytes += Number(length)) >= PAGE_BYTES)
    return last === -1 ? PAGE_ROWS : last + 1
  }

  async function insertAll({ name, columns }: Shape, rows: readonly Row[]): Promise<void> {
    const values = columns.map(({ kind }, i) =>
      rows.map((row) => (kind === 'bytes' && row[i] !== null ? `\\x${row[i]}` : row[i]!)),
    )
    const arrays = columns.map(({ type }, i) => `$${i + 1}::${type}[]`)
    await query(
      `INSERT INTO ${quoted(name)} (${namesOf(columns.map((column) => column.name))}) SELECT * FROM unnest(${arrays.join(', ')})`,
      values,
    )
  }

  async function shapes(): Promise<Shape[]> {
    const columns = await query(`SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, NULL) AS type,
        array_position(i.indkey::int[], a.attnum::int) AS place
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname, a.attnum`)
    const found = new Map<string, Shape & { places: [number, string][] }>()
    for (const { table, name, type, place } of columns) {
      let shape = found.get(table!)
      if (!shape) found.set(table!, (shape = { name: table!, columns: [], key: [], places: [] }))
      shape.columns.push({ name: name!, type: type!, kind: kindOf(type!) })
      if (place !== null) shape.places.push([Number(place), name!])
    }
    return [...found.values()].map(({ name, columns, places }) => ({
      name,
      columns,
      key: places.sort(([a], [b]) => a - b).map(([, name]) => name),
    }))
  }

  async function insert(shape: Shape, rows: readonly Row[]): Promise<void> {
    await query('SAVEPOINT page')
    try {
      await insertAll(shape, rows)
      await query('RELEASE page')
    } catch (error) {
      if (!isAboutData(error)) throw error
      await query('ROLLBACK TO page')
      if (rows.length === 1) throw new RefusedRow(shape, rows[0]!, error)
      // One by one, to say which row it is.
      for (const row of rows) await insert(shape, [row])
      throw error
    }
  }

  return {
    kind: 'postgres',

    shapes,

    async page(shape, after) {
      const key = namesOf(shape.key)
      const types = shape.key.map((name) => shape.columns.find((column) => column.name === name)!.type)
      const behind = after ? `WHERE (${key}) > (${types.map((type, i) => `$${i + 1}::${type}`).join(', ')})` : ''
      const most = await sizeOfPage(shape, behind, after ?? [])
      const rows = await queryRows(
        `SELECT ${shape.columns.map(shown).join(', ')} FROM ${quoted(shape.name)} ${behind} ORDER BY ${key} LIMIT ${most}`,
        after ?? [],
      )
      for (const row of rows) shape.columns.forEach(({ kind }, i) => (row[i] = valueOf(kind, row[i]!)))
      return rows
    },

    insert,

    async transaction(work) {
      await query('BEGIN')
      try {
        const done = await work()
        await query('COMMIT')
        return done
      } catch (error) {
        await query('ROLLBACK').catch(() => {})
        throw error
      }
    },

    run: (sql) => query(sql),

    others: async () => Number((await query(COUNT_OTHERS))[0]!.count),

    async begin() {
      const tables = (await shapes()).map(({ name }) => name)
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await query(`SET LOCAL lock_timeout = ${LOCK_MS}`)
      try {
        // Before the snapshot, which the first SELECT takes: whoever wrote has committed then.
        await query(`LOCK TABLE ${namesOf(tables)} IN SHARE MODE`)
      } catch (error) {
        if ((error as { code?: string }).code !== '55P03') throw error
        throw new AppError(
          'unavailable',
          'somebody still writes to the source: stop every server and command on it first',
        )
      }
    },

    commit: async () => void (await query('COMMIT')),

    async claim() {
      const [row] = await query(`SELECT pg_try_advisory_lock(${COPY_LOCK}) AS mine`)
      return row!.mine === 't'
    },

    async inOrder(shapes) {
      const references = await query(`SELECT c.relname AS "table", t.relname AS "to"
        FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class t ON t.oid = f.confrelid
        WHERE f.contype = 'f' AND f.connamespace = current_schema()::regnamespace AND f.conrelid <> f.confrelid`)
      const ordered = new Set<Shape>()
      const byName = new Map(shapes.map((shape) => [shape.name, shape]))
      const visit = (shape: Shape, above: readonly Shape[]): void => {
        if (ordered.has(shape) || above.includes(shape)) return
        for (const { table, to } of references) {
          const target = table === shape.name ? byName.get(to!) : undefined
          if (target) visit(target, [...above, shape])
        }
        ordered.add(shape)
      }
      for (const shape of shapes) visit(shape, [])
      return [...ordered]
    },

    async close() {
      await client.end().catch(() => {})
    },
  }
}

/** The error of a server that could not be connected to or asked. */
function unanswered(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError('unavailable', `the PostgreSQL server does not answer: ${messageOf(error)}`)
}

/** Throws `config` when a pooler gives others the connection between two transactions: locks and settings of the copy would be lost. */
async function refuseSharedConnection(url: string): Promise<void> {
  const found = await findPooler(url)
  if (found === 'none' || found === 'session') return
  throw new AppError(
    'config',
    `a copy needs a connection of its own, and the address leads through a pooler in ${found} mode: name PostgreSQL itself`,
  )
}

/** Values that the type of a column does not hold, or a constraint forbids: classes 22 and 23 of SQLSTATE. */
const isAboutData = (error: unknown): boolean => /^2[23]/.test(String((error as { code?: unknown }).code))

/** Columns of `varchar` are short: few have more than 255 characters. */
const isWide = ({ kind, type }: CopiedColumn) =>
  kind === 'json' || kind === 'bytes' || (kind === 'text' && !type.startsWith('character varying'))

function kindOf(type: string): Kind {
  if (/^(bigint|integer|smallint)$/.test(type)) return 'integer'
  if (type === 'boolean') return 'boolean'
  if (/^(double precision|real)$/.test(type)) return 'double'
  if (type === 'bytea') return 'bytes'
  if (type.startsWith('timestamp')) return 'time'
  return type === 'json' ? 'json' : 'text'
}

function shown({ name, kind }: CopiedColumn): string {
  if (kind === 'time') return `to_char(${quoted(name)}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return quoted(name)
}

function valueOf(kind: Kind, stored: Value): Value {
  if (stored === null) return null
  if (kind === 'boolean') return stored === 't' ? '1' : '0'
  if (kind === 'double') return doubleText(stored)
  return kind === 'bytes' ? stored.slice(2) : stored
}
