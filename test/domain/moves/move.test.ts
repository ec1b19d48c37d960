import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { migrations } from '../../../migrations/index.ts'
import { logRepository } from '../../../src/domain/followers/log.repository.ts'
import { readCursor, writeCursor } from '../../../src/domain/followers/position.ts'
import { type MoveParts, moveDatabase, type Place } from '../../../src/domain/moves/move.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { connect, type Database } from '../../../src/platform/db/connect.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { type DatabaseKind, onEachDatabase, onPostgres, openTestApp, type TestApp } from '../../support/app.ts'
import { fillEveryTable, notFilled, wholeDatabase } from '../../support/every-table.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../../support/postgres.ts'
import { column } from '../../support/tables.ts'

const INTERRUPTED = 'interrupted'

/** Places and databases of one test, which `end` removes. */
function surroundings() {
  const undo: (() => unknown)[] = []
  return {
    async end() {
      for (const one of undo.splice(0).reverse()) await one()
    },
    async place(kind: DatabaseKind): Promise<Place> {
      if (kind === 'postgres') {
        const url = await freshPostgresDatabase({ migrated: false })
        undo.push(() => dropPostgresDatabase(url))
        return { url, file: '', shown: 'postgres://the-new-place' }
      }
      const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
      undo.push(() => rmSync(dir, { recursive: true, force: true }))
      return { file: join(dir, 'appsvc.sqlite'), shown: dir }
    },
    open({ url, file }: Place): Database {
      const db = connect({ url, file, log: silentLog })
      undo.push(() => db.close())
      return db
    },
    /** A program on a database of the kind with a row in every table, closed; and where its database is. */
    async full(kind: DatabaseKind, more: (test: TestApp) => Promise<void> = async () => {}): Promise<Place> {
      let url: string | undefined
      const test = await openTestApp({ kind, via: async (given) => (url = given) })
      undo.push(() => test.close())
      const before = await wholeDatabase(test.app.kernel.db.read)
      await fillEveryTable(test.app, test.first.id)
      expect(notFilled(before, await wholeDatabase(test.app.kernel.db.read))).to.deep.equal(['apps', 'app_keys'])
      await oddRecords(test)
      await more(test)
      await test.app.kernel.db.close()
      return { url, file: join(test.dir, 'appsvc.sqlite'), shown: 'the old place' }
    },
  }
}

/** A data table of every type, with values at the edges, that refers to itself. */
async function oddRecords({ app, first }: TestApp): Promise<void> {
  const types = ['string', 'text', 'integer', 'number', 'boolean', 'datetime', 'json'] as const
  const values = [
    { string: '', text: '', integer: 0, number: 0.1, boolean: false, datetime: '0001-01-01T00:00:00.000Z', json: {} },
    {
      string: "O'Brien ? \\ \" \u{1F600} \u0301 \ufeff",
      text: 'line\r\n\ttab, {"}" \u2028',
      integer: Number.MAX_SAFE_INTEGER,
      number: 1e-308,
      boolean: true,
      datetime: '9999-12-31T23:59:59.999Z',
      json: { a: [1, null, 'Ü', '\\u0000'], b: 1.5e300 },
    },
    { integer: -1, number: -1.7976931348623157e308 },
  ]
  const columns = [
    ...types.map((type) => column(`a_${type}`, type)),
    column('must', 'string', { required: true, unique: true }),
    column('other', 'reference', { references: 'odd' }),
    column('name', 'string', { collate: 'de', indexed: true }),
  ]
  const bodies = values.map((row, i) => ({
    ...Object.fromEntries(Object.entries(row).map(([type, value]) => [`a_${type}`, value])),
    must: `must ${i}`,
    name: `Ä${i}`,
  }))
  await app.inTransaction(async (tx) => {
    const { alias } = await tx.tables.create(first.id, 'odd', columns)
    await tx.records.create(first.id, alias, bodies)
    await tx.records.create(first.id, alias, { must: 'last', other: 1 })
  })
}

const parts = (from: Place, to: Place): MoveParts => ({
  from,
  to,
  migrations,
  clock: systemClock,
  log: silentLog,
  restart: false,
})

/** The contents, without what each side knows of itself. */
async function contents(db: Database): Promise<Record<string, string[]>> {
  const found = Object.fromEntries(await wholeDatabase(db.read))
  const { instance: _, schema_migrations: __, ...rest } = found
  return rest
}

onPostgres('moving a database', () => {
  const { end, full, open, place } = surroundings()
  afterEach(end)

  it('SQLite to PostgreSQL and back: a row of every table, and values at the edges, are the same', async () => {
    const from = await full('sqlite')
    const before = await contents(open(from))
    const there = await place('postgres')
    const moved = await moveDatabase(parts(from, there))
    expect(moved.tables.filter(({ equal }) => !equal)).to.deep.equal([])
    expect(moved.rows).to.be.greaterThan(60)
    const back = await place('sqlite')
    await moveDatabase(parts(there, back))
    expect(await contents(open(back))).to.deep.equal(before)
  })
})
void onEachDatabase, void logRepository, void readCursor, void writeCursor, void INTERRUPTED
