import { expect } from 'chai'
import type { Database, Sql } from '../../../src/platform/db/connect.ts'
import { isPostgres, jsonRows, rowLock, rowsOf, skipLocked, whereAmong } from '../../../src/platform/db/dialect.ts'
import { aside } from '../../support/aside.ts'
import { onEachDatabase, openTestDatabase } from '../../support/program.ts'

onEachDatabase('the dialect', (kind) => {
  let db: Database
  let close: () => Promise<void>

  const ODD = [
    "O'Brien",
    '"quoted"',
    'back\\slash',
    '{braces}',
    'comma, space',
    'NULL',
    'null',
    '',
    ' ',
    'ß',
    '日本',
    '🦊',
    '\u2028',
    '?',
  ]

  before(async () => {
    ;({ db, close } = await openTestDatabase(kind))
    await db.write(async (trx) => {
      await trx.schema.createTable('people', (t) => {
        t.bigInteger('id').primary()
        t.string('name').notNullable()
      })
      await trx('people').insert(ODD.map((name, i) => ({ id: i + 1, name })))
      await trx('people').insert([
        { id: 1001, name: '12' },
        { id: 1002, name: '12.0' },
        { id: 1003, name: '9007199254740991' },
      ])
    })
  })
  after(() => close())

  const names = async (values: readonly (string | number)[]) =>
    (await whereAmong(db.read('people').orderBy('id').select('name'), db.read, 'name', values)).map((row) => row.name)
  const ids = async (values: readonly (string | number)[]) =>
    (await whereAmong(db.read('people').orderBy('id').select('id'), db.read, 'id', values)).map((row) => row.id)

  it('knows which database it talks to, also inside a transaction', async () => {
    expect(isPostgres(db.read)).to.equal(kind === 'postgres')
    await db.write(async (trx) => expect(isPostgres(trx)).to.equal(kind === 'postgres'))
  })

  it('makes rows of JSON, with any text, exact numbers and nulls', async () => {
    const lines = [
      ...ODD.map((name, i) => [name, i, i / 3]),
      ['last', Number.MAX_SAFE_INTEGER, -179.99999999999997],
      [null, null, null],
    ]
    const result = await db.read.raw(
      `WITH given (a, b, c) AS (${jsonRows(db.read, ['text', 'bigint', 'double precision'])}) SELECT * FROM given`,
      [JSON.stringify(lines)],
    )
    expect(rowsOf<Record<'a' | 'b' | 'c', unknown>>(result).map(({ a, b, c }) => [a, b, c])).to.deep.equal(lines)
    const none = await db.read.raw(`WITH given (a) AS (${jsonRows(db.read, ['text'])}) SELECT * FROM given`, ['[]'])
    expect(rowsOf(none)).to.deep.equal([])
  })

  it('locks rows one after another, or leaves out those that are locked', async () => {
    const first = (others?: 'skip locked') => (trx: Sql) =>
      trx.raw(`SELECT id FROM people WHERE id <= 2 ORDER BY id ${rowLock(trx, 'people', others)}`)
    await db.write(async (trx) => {
      expect(rowsOf(await first()(trx))).to.deep.equal([{ id: 1 }, { id: 2 }])
      // SQLite's readers wait for nobody, and its other writers for the whole transaction.
      if (kind === 'postgres') expect(rowsOf(await aside(() => first('skip locked')(db.read)))).to.deep.equal([])
    })
  })

  it('finds text among values with any character', async () => {
    expect(await names(ODD)).to.deep.equal(ODD)
    for (const name of ODD) expect(await names([name]), JSON.stringify(name)).to.deep.equal([name])
  })

  it('finds nothing among no values', async () => {
    expect(await names([])).to.deep.equal([])
  })

  it('finds text by its exact characters, and by an integer as it is written', async () => {
    expect(await names(['O’Brien', "o'brien", '12.'])).to.deep.equal([])
    expect(await names([12, 'ß'])).to.deep.equal(['ß', '12'])
    expect(await names([9007199254740991])).to.deep.equal(['9007199254740991'])
  })

  it('finds numbers among numbers, and among their text', async () => {
    expect(await ids([2, 1001, 77])).to.deep.equal([2, 1001])
    expect(await ids(['2', '1001', '77'])).to.deep.equal([2, 1001])
  })

  it('takes fifty thousand values', async () => {
    const many = Array.from({ length: 50_000 }, (_, i) => `name "${i}" of O'Brien`)
    expect(await names([...many, '🦊'])).to.deep.equal(['🦊'])
    expect(await ids(Array.from({ length: 50_000 }, (_, i) => i + 14))).to.deep.equal([14, 1001, 1002, 1003])
  })

  it('joins with other conditions', async () => {
    const query = db.read('people').where('id', '>', 1).orderBy('id').select('id')
    expect(await whereAmong(query, db.read, 'people.id', [1, 2, 3]).where('id', '<', 3)).to.deep.equal([{ id: 2 }])
  })

  it('gives the rows of raw queries', async () => {
    const rows = rowsOf<{ id: number }>(await db.read.raw('SELECT id FROM people WHERE id < 3 ORDER BY id'))
    expect(rows).to.deep.equal([{ id: 1 }, { id: 2 }])
  })

  it('gives the rows of a raw statement that changes and returns', async () => {
    const result = await db.write((trx) => trx.raw("UPDATE people SET name = 'x' WHERE id = 1002 RETURNING id"))
    expect(rowsOf(result)).to.deep.equal([{ id: 1002 }])
  })

  it('claimers step over what others hold', async () => {
    const claim = `SELECT id FROM people WHERE id < 3 ORDER BY id LIMIT 1 ${skipLocked(db.read)}`
    await db.write(async (trx) => {
      expect(rowsOf(await trx.raw(claim))).to.deep.equal([{ id: 1 }])
      if (kind === 'sqlite') return
      // A second write at the same time, which SQLite does not have.
      const other = await aside(() => db.read.transaction())
      expect(rowsOf(await other.raw(claim))).to.deep.equal([{ id: 2 }])
      await other.rollback()
    })
  })
})
