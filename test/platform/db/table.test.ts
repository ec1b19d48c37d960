import { expect } from 'chai'
import type { Database } from '../../../src/platform/db/connect.ts'
import { jsonRows } from '../../../src/platform/db/dialect.ts'
import { boolean, integer, json, real, table, text } from '../../../src/platform/db/table.ts'
import { onEachDatabase, openTestDatabase } from '../../support/program.ts'

const PEOPLE = table('people', {
  row: integer('id'),
  name: text('full_name').orNull,
  isAdult: boolean('is_adult'),
  weight: real('weight').orNull,
  likes: json('likes').as<string[]>(),
  notes: json('notes').as<Record<string, unknown>>().orNull,
  initials: text('initials').through<string[]>(
    (list) => list.split(','),
    (list) => list.join(','),
  ),
})

const ANN = {
  row: 1,
  name: 'Ann',
  isAdult: true,
  weight: 61.5,
  likes: ['tea'],
  notes: { a: null },
  initials: ['A', 'B'],
}
const BOB = { row: 2, name: null, isAdult: false, weight: null, likes: [], notes: null, initials: ['B'] }

onEachDatabase('a described table', (kind) => {
  let db: Database
  let close: () => Promise<void>

  beforeEach(async () => {
    ;({ db, close } = await openTestDatabase(kind))
    await db.write(async (trx) => {
      await trx.schema.createTable('people', (t) => {
        t.bigInteger('id').primary()
        t.text('full_name')
        t.boolean('is_adult')
        t.double('weight')
        t.text('likes')
        t.text('notes')
        t.text('initials')
      })
    })
  })
  afterEach(() => close())

  const read = async () => (await PEOPLE.in(db.read).orderBy('id').select(PEOPLE.names)).map(PEOPLE.fromRow)

  it('gives back what was stored, row by row and as lines of one statement', async () => {
    await db.write((trx) => PEOPLE.in(trx).insert([ANN, BOB].map(PEOPLE.toRow)))
    expect(await read()).to.deep.equal([ANN, BOB])
    const insert = (lines: unknown[]) =>
      db.write((trx) =>
        trx.raw(`INSERT INTO people (${PEOPLE.names.join(', ')}) ${jsonRows(trx, PEOPLE.types)}`, [
          JSON.stringify(lines),
        ]),
      )
    await insert([ANN, BOB].map((one) => PEOPLE.toLine({ ...one, row: one.row + 2 })))
    expect((await read()).slice(2)).to.deep.equal([
      { ...ANN, row: 3 },
      { ...BOB, row: 4 },
    ])
  })

  it('changes only what is given, and clears what is null', async () => {
    await db.write((trx) => PEOPLE.in(trx).insert(PEOPLE.toRow(ANN)))
    const change = PEOPLE.toRow({ name: undefined, notes: null, likes: ['milk'] })
    await db.write((trx) => PEOPLE.in(trx).where({ id: 1 }).update(change))
    expect(await read()).to.deep.equal([{ ...ANN, notes: null, likes: ['milk'] }])
  })

  it('has parts with fewer columns', async () => {
    await db.write((trx) => PEOPLE.in(trx).insert(PEOPLE.toRow(ANN)))
    const names = PEOPLE.pick('row', 'name')
    expect(names.names).to.deep.equal(['id', 'full_name'])
    expect(PEOPLE.omit('row', 'isAdult', 'weight', 'likes', 'notes', 'initials').names).to.deep.equal(['full_name'])
    expect(await names.in(db.read).select(...names.aliases)).to.deep.equal([{ row: 1, name: 'Ann' }])
    expect((await names.in(db.read)).map(names.fromRow)).to.deep.equal([{ row: 1, name: 'Ann' }])
  })
})
