import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { replaces } from '../migrations/former.ts'
import { migrations } from '../migrations/index.ts'
import { connect, type Database } from '../src/platform/db/connect.ts'
import { rowsOf } from '../src/platform/db/dialect.ts'
import { type Migrations, migrateDown, migrateUp, migrationStatus } from '../src/platform/db/migrate.ts'
import { messageOf } from '../src/platform/errors.ts'
import { silentLog } from '../src/platform/log/log.ts'
import { wholeDatabase } from './support/every-table.ts'
import { addInstall } from './support/installs.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from './support/postgres.ts'
import { onEachDatabase, onPostgres, openTestDatabase, openTestProgram, type TestProgram } from './support/program.ts'
import { type Catalog, readCatalog } from './support/schema/catalog.ts'

const NAMES = Object.keys(migrations).sort()

/** The last of the steps that replace those of before. */
const LAST = '0123_figures'

/**
 * SHA-256 of the catalogue, with the columns of each table in the order of their names, of a database that the former steps made. It was taken
 * at the last commit that had them.
 */
const FORMER_SCHEMA = {
  sqlite: '4b48efc22bc625633be6f0fdaa61aadf4cccc62d2b43ed9ca6edd001cece8d9e',
  postgres: '6a7f2b4ff27cb8dc6ee0e820e5d7de9d30085cbfdd7409e7c2ae4cfbe0c3c41a',
}

function digestOf(catalog: Catalog): string {
  const tables = Object.entries(catalog).map(([name, table]) => [
    name,
    { ...table, columns: table.columns.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
  ])
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(tables)))
    .digest('hex')
}

describe('the schema steps', () => {
  it('are all in the index, under the name of their file', () => {
    const files = readdirSync(join(import.meta.dirname, '../migrations')).filter((name) => /^\d/.test(name))
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
    const states = [await readCatalog(db)]
    for (const name of NAMES) {
      const upTo = Object.fromEntries(
        NAMES.slice(0, NAMES.indexOf(name) + 1).map((n) => [n, migrations[n as keyof typeof migrations]]),
      )
      expect(await migrateUp(db, upTo)).to.deep.equal([name])
      states.push(await readCatalog(db))
    }
    expect(states[0]).to.deep.equal({})
    const full = states.pop()!
    expect(full).to.include.keys('notifications', 'installs')
    for (const name of NAMES.toReversed()) {
      expect(await migrateDown(db, migrations)).to.deep.equal([name])
      expect(await readCatalog(db), `after taking back ${name}`).to.deep.equal(states.pop())
    }
    // As a whole they make, and take back, the same.
    expect(await migrateUp(db, migrations)).to.deep.equal(NAMES)
    expect(await readCatalog(db)).to.deep.equal(full)
    expect(await migrateDown(db, migrations, NAMES.length)).to.deep.equal(NAMES.toReversed())
    expect(await readCatalog(db)).to.deep.equal({})
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

onEachDatabase('a database of before there was one step for each family of tables', (kind) => {
  const replacing = NAMES.filter((name) => name <= LAST)
  let test: TestProgram
  let db: Database
  /** Rows and schema, which opening has to bring back. */
  let today: readonly [rows: string, schema: Catalog]

  beforeEach(async () => {
    test = await openTestProgram({ kind })
    ;({ db } = test.program.kernel)
    await addInstall(test.program, test.first.id, 'phone', { user: 'anna' })
    today = [await rows(), await readCatalog(db)]
    // Without the steps since then it is one of before but for its record.
    const later = Object.entries<Migrations[string]>(migrations).filter(([name]) => name > LAST)
    for (const [, step] of later.toReversed()) await db.write((trx) => step.down(trx))
    await record(replaces.names)
  })
  afterEach(() => test.close())

  const record = (names: readonly string[]) =>
    db.write(async (trx) => {
      await trx('schema_migrations').delete()
      await trx('schema_migrations').insert(names.map((name) => ({ name, applied_at: 1, compatible: false })))
    })
  const content = async () => JSON.stringify([...(await wholeDatabase(db.read))])
  const rows = async () => {
    const tables = await wholeDatabase(db.read)
    tables.delete('schema_migrations')
    // Counts what changes from then on.
    tables.delete('install_days')
    // A table that is made anew comes last.
    return JSON.stringify([...tables].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  const failure = (done: Promise<unknown>) => done.then(() => 'nothing', messageOf)

  it('has the tables, indexes and triggers that the steps of today make', async () => {
    const fresh = await openTestDatabase(kind)
    try {
      await migrateUp(fresh.db, Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= LAST)))
      const remedy = 'these steps are never changed: write a new one'
      expect(digestOf(await readCatalog(fresh.db)), remedy).to.equal(FORMER_SCHEMA[kind])
    } finally {
      await fresh.close()
    }
  })

  it('is opened: the record names the steps of today, and rows and schema stay', async () => {
    expect(await migrationStatus(db, migrations)).to.deep.equal({
      applied: replaces.names,
      pending: NAMES,
      unknown: [],
      breaking: [],
    })
    expect(await test.program.migrate()).to.deep.equal(NAMES)
    expect((await migrationStatus(db, migrations)).applied).to.deep.equal(NAMES)
    expect([await rows(), await readCatalog(db)]).to.deep.equal(today)
    expect(await test.program.migrate()).to.deep.equal([])
  })

  it('is opened by two programs at once, and one of them changes it', async () => {
    const done = await Promise.all([migrateUp(db, migrations), migrateUp(db, migrations)])
    expect(done.flat()).to.deep.equal(NAMES)
  })

  it('stays as it is while older programs run on it', async () => {
    const before = await content()
    const beforeBreaking = (_trx: unknown, step: string) => Promise.reject(new Error(`others run: ${step}`))
    expect(await failure(migrateUp(db, migrations, { beforeBreaking }))).to.equal(`others run: ${replacing[0]}`)
    expect(await content()).to.equal(before)
  })

  it('is refused when a step is missing, and the commit is named that has it', async () => {
    for (const names of [replaces.names.slice(0, -1), replaces.names.slice(0, 1)]) {
      await record(names)
      const before = await content()
      expect(await failure(test.program.migrate())).to.include(
        `run appsvc migrate up of commit ${replaces.commit} on it first`,
      )
      expect(await failure(test.program.checkSchema())).to.include(replaces.commit)
      expect(await content()).to.equal(before)
    }
  })
})
