import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { migrations } from '../migrations/index.ts'
import { connect, type Database } from '../src/platform/db/connect.ts'
import { rowsOf } from '../src/platform/db/dialect.ts'
import { migrateDown, migrateUp, migrationStatus } from '../src/platform/db/migrate.ts'
import { silentLog } from '../src/platform/log/log.ts'
import { onEachDatabase, onPostgres, openTestDatabase } from './support/app.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from './support/postgres.ts'

const NAMES = Object.keys(migrations).sort()

/** Everything that the steps made: tables with columns, and indexes, as the database describes them. */
async function describeSchema({ kind, read }: Database): Promise<string[]> {
  const query =
    kind === 'sqlite'
      ? `SELECT type || ' ' || name || ' ' || coalesce(sql, '') AS what FROM sqlite_schema
         WHERE name NOT LIKE 'sqlite_%' AND tbl_name <> 'schema_migrations'`
      : `SELECT attrelid::regclass || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull::text || attidentity::text || ' '
             || coalesce(pg_get_expr(adbin, adrelid), '') AS what
           FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
           WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations' AND attnum > 0 AND NOT attisdropped
         UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class AS c ON c.oid = indrelid
           WHERE relnamespace = 'public'::regnamespace AND relname <> 'schema_migrations'
         UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
           WHERE connamespace = 'public'::regnamespace AND conrelid <> coalesce(to_regclass('schema_migrations'), 0)`
  return rowsOf<{ what: string }>(await read.raw(query))
    .map((row) => row.what)
    .sort()
}

describe('the schema steps', () => {
  it('are all in the index, under the name of their file', () => {
    const files = readdirSync(join(import.meta.dirname, '../migrations')).filter((name) => name !== 'index.ts')
    expect(files.map((name) => name.replace(/\.ts$/, '')).sort()).to.deep.equal(NAMES)
  })

  // Those who work side by side take numbers ahead, so one may stay free.
  it('are numbered once each and listed in their order', () => {
    expect(Object.keys(migrations)).to.deep.equal(NAMES)
    const numbers = NAMES.map((name) => Number(name.slice(0, 4)))
    expect(numbers).to.deep.equal([...new Set(numbers)].toSorted((a, b) => a - b))
  })
})

onPostgres('docs/scaling.md', () => {
  it('lists what Citus needs and the schema does not have', async () => {
    const url = await freshPostgresDatabase()
    const db = connect({ url, file: '', log: silentLog })
    try {
      const page = readFileSync(join(import.meta.dirname, '../docs/scaling.md'), 'utf8').replaceAll(/\s+/g, ' ')
      const listed = (from: string, to: string) => {
        const [, after = ''] = page.split(from)
        return [...new Set(after.split(to)[0]!.match(/[a-z_]+/g))].toSorted()
      }
      const names = async (query: string) => rowsOf<{ name: string }>(await db.read.raw(query)).map(({ name }) => name)
      const withApp = `SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'app_id'`
      const keys = await names(
        `SELECT conrelid::regclass::text AS name FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype = 'p'
         AND pg_get_constraintdef(oid) !~ '\\mapp_id\\M' AND conrelid::regclass::text IN (${withApp}) ORDER BY 1`,
      )
      expect(listed('sequence. Tables: ', '.')).to.deep.equal(keys.toSorted())
      const bare = await names(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name NOT IN (${withApp})`,
      )
      const children = listed('*Tables without the column*: ', '. They need')
      const local = listed('*Reference or local tables*: ', '; and')
      expect([...children, ...local].toSorted()).to.deep.equal(bare.toSorted())
      const links = await names(
        `SELECT DISTINCT conrelid::regclass::text AS name FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype = 'f'
         AND pg_get_constraintdef(oid) !~ 'FOREIGN KEY .app_id,' AND conrelid::regclass::text IN (${withApp})
         AND confrelid::regclass::text IN (${withApp})`,
      )
      const told = listed('*Foreign keys without `app_id`*: ', ' - *Tables')
      expect(links.filter((name) => !told.includes(name))).to.deep.equal([])
    } finally {
      await db.close()
      await dropPostgresDatabase(url)
    }
  })
})

onEachDatabase('the schema', (kind) => {
  let db: Database
  let close: () => Promise<void>

  before(async () => {
    ;({ db, close } = await openTestDatabase(kind))
  })
  after(() => close())

  it('goes up and down one step at a time, each undoing exactly itself, and again as a whole', async () => {
    const states: string[][] = [await describeSchema(db)]
    for (const name of NAMES) {
      const upTo = Object.fromEntries(
        NAMES.slice(0, NAMES.indexOf(name) + 1).map((n) => [n, migrations[n as keyof typeof migrations]]),
      )
      expect(await migrateUp(db, upTo)).to.deep.equal([name])
      states.push(await describeSchema(db))
    }
    expect(states[0]).to.deep.equal([])
    const full = states.pop()!
    expect(full.join()).to.include('notifications').and.include('installs')
    for (const name of NAMES.toReversed()) {
      expect(await migrateDown(db, migrations)).to.deep.equal([name])
      expect(await describeSchema(db), `after taking back ${name}`).to.deep.equal(states.pop())
    }
    // As a whole they make, and take back, the same.
    expect(await migrateUp(db, migrations)).to.deep.equal(NAMES)
    expect(await describeSchema(db)).to.deep.equal(full)
    expect(await migrateDown(db, migrations, NAMES.length)).to.deep.equal(NAMES.toReversed())
    expect(await describeSchema(db)).to.deep.equal([])
  })

  it('is complete after an upgrade', async () => {
    await migrateUp(db, migrations)
    expect(await migrationStatus(db, migrations)).to.deep.equal({
      applied: NAMES,
      pending: [],
      unknown: [],
      breaking: [],
    })
  })
})
