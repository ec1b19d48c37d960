import { fdatasyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { processorTime } from '../../test/support/processor-time.ts'
import type { Rig } from './rig.ts'

/**
 * The least that a small send leaves behind: one row each of these, with the very bytes of the last send, inserted by itself. Triggers fire
 * as they do for the server.
 */
const TABLES = ['notifications', 'pages'] as const

type Row = Record<string, unknown>

export interface Bare {
  /** Sends per second. */
  rate: number
  /** Processor time (us) of this process and of the database, per send. */
  cpu: number
}

const BARE_MS = 700

/** A connection to the database of the rig that begins, inserts a send, and commits until it is on disk. */
interface Inserter {
  sample(table: string, column: string, id: unknown): Promise<Row>
  /** Stores one more send like that of these rows. */
  insert(rows: readonly Row[]): Promise<void>
  begin(): Promise<void>
  commit(): Promise<void>
  close(): Promise<void>
}

/** Measures bare inserts of the rows of the rig's last send, `together` of them in a transaction. The server must have stopped. */
export async function measureBare(rig: Rig, together: number): Promise<Bare> {
  const one = rig.databaseUrl === undefined ? openSqlite(rig) : await openPostgres(rig.databaseUrl)
  const last = await one.sample('notifications', 'id', null)
  const rows = [last]
  for (const table of TABLES.slice(1)) rows.push(await one.sample(table, 'notification_id', last['id']))
  const used = () => processorTime() + (rig.databaseMs() ?? 0)
  const run = async (ms: number) => {
    let sends = 0
    const began = performance.now()
    while (performance.now() - began < ms) {
      await one.begin()
      for (let i = 0; i < together; i++) await one.insert(rows)
      await one.commit()
      sends += together
    }
    return { sends, ms: performance.now() - began }
  }
  await run(BARE_MS / 4)
  const before = used()
  const { sends, ms } = await run(BARE_MS)
  const cpu = ((used() - before) * 1000) / sends
  await one.close()
  return { rate: (sends / ms) * 1000, cpu }
}

/** The columns that are copied: the database gives ids. */
const columnsOf = (row: Row) => Object.keys(row).filter((name) => name !== 'id' && name !== 'notification_id')
const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

function openSqlite({ data }: Rig): Inserter {
  const file = join(data.dir, 'appsvc.sqlite')
  const db = new Database(file)
  for (const pragma of ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON', 'secure_delete = ON'])
    db.pragma(pragma)
  let log: number | undefined
  const statements = new Map<string, Database.Statement>()
  const prepared = (text: string) => {
    if (!statements.has(text)) statements.set(text, db.prepare(text))
    return statements.get(text)!
  }
  return {
    sample: async (table, column, id) => prepared(sampleOf(table, column, id, '?')).get(...boundTo(id)) as Row,
    async insert(rows) {
      let notification: number | bigint = 0
      for (const [i, row] of rows.entries()) {
        const names = columnsOf(row)
        const of = i === 0 ? names : [...names, 'notification_id']
        const text = `INSERT INTO ${TABLES[i]} (${quoted(of)}) VALUES (${of.map(() => '?').join(', ')})`
        const values = [...names.map((name) => row[name]), ...(i === 0 ? [] : [notification])]
        const { lastInsertRowid } = prepared(text).run(...values)
        if (i === 0) notification = lastInsertRowid
      }
    },
    begin: async () => void prepared('BEGIN IMMEDIATE').run(),
    async commit() {
      prepared('COMMIT').run()
      fdatasyncSync((log ??= openSync(`${file}-wal`, 'r')))
    },
    close: async () => void db.close(),
  }
}

const boundTo = (id: unknown) => (id === null ? [] : [id])
const sampleOf = (table: string, column: string, id: unknown, mark: string) =>
  `SELECT * FROM ${table} ${id === null ? '' : `WHERE ${column} = ${mark}`} ORDER BY id DESC LIMIT 1`

async function openPostgres(url: string): Promise<Inserter> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    sample: async (table, column, id) =>
      (await client.query<Row>(sampleOf(table, column, id, '$1'), boundTo(id))).rows[0]!,
    async insert(rows) {
      let notification: unknown
      for (const [i, row] of rows.entries()) {
        const names = columnsOf(row)
        const of = i === 0 ? names : [...names, 'notification_id']
        const values = [...names.map((name) => row[name]), ...(i === 0 ? [] : [notification])]
        const marks = of.map((_, at) => `$${at + 1}`).join(', ')
        const text = `INSERT INTO ${TABLES[i]} (${quoted(of)}) VALUES (${marks})${i === 0 ? ' RETURNING id' : ''}`
        const { rows: made } = await client.query<Row>({ name: TABLES[i]!, text, values })
        if (i === 0) notification = made[0]!['id']
      }
    },
    begin: async () => void (await client.query('BEGIN')),
    commit: async () => void (await client.query('COMMIT')),
    close: () => client.end(),
  }
}
