import { expect } from 'chai'
import type { Database } from '../../../src/platform/db/connect.ts'
import { openTestDatabase } from '../../support/program.ts'

describe('statements that SQLite keeps', () => {
  let db: Database
  let close: () => Promise<void>

  beforeEach(async () => {
    ;({ db, close } = await openTestDatabase('sqlite'))
    await db.write((trx) => trx.raw('CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT)'))
    await db.write((trx) => trx('things').insert([{ name: 'first' }, { name: 'second' }]))
  })
  afterEach(() => close())

  const all = () => db.read('things').orderBy('id')

  it('answer anew each time, with the parameters of each time', async () => {
    for (const name of ['first', 'second', 'third']) {
      const rows = await db.read('things').where({ name }).select('name')
      expect(rows).to.eql(name === 'third' ? [] : [{ name }])
    }
  })

  it('see a column that came later', async () => {
    expect(await all()).to.eql([
      { id: 1, name: 'first' },
      { id: 2, name: 'second' },
    ])
    await db.write((trx) => trx.raw("ALTER TABLE things ADD COLUMN colour TEXT DEFAULT 'red'"))
    expect(await all()).to.eql([
      { id: 1, name: 'first', colour: 'red' },
      { id: 2, name: 'second', colour: 'red' },
    ])
  })

  it('survive a table that went and came back', async () => {
    await all()
    await db.write((trx) => trx.raw('DROP TABLE things'))
    const failure: unknown = await all().catch((error: unknown) => error)
    expect(String(failure)).to.contain('no such table')
    await db.write((trx) => trx.raw('CREATE TABLE things (id INTEGER PRIMARY KEY)'))
    expect(await all()).to.eql([])
  })

  it('say what they changed and the id they gave', async () => {
    for (const id of [3, 4]) {
      expect(await db.write((trx) => trx('things').insert({ name: 'more' }))).to.eql([id])
    }
    expect(await db.write((trx) => trx('things').where({ name: 'more' }).update({ name: 'less' }))).to.equal(2)
    expect(await db.write((trx) => trx('things').where({ name: 'more' }).update({ name: 'less' }))).to.equal(0)
  })

  it('work after one of them failed', async () => {
    const insert = (id: number) => db.write((trx) => trx('things').insert({ id, name: 'taken' }))
    const failure: unknown = await insert(1).catch((error: unknown) => error)
    expect(String(failure)).to.contain('UNIQUE')
    expect(await insert(9)).to.eql([9])
  })

  it('are right about any number of different texts, and keep their limits', async () => {
    for (let n = 0; n < 300; n++) {
      const rows = await db
        .read('things')
        .select(db.read.raw(`${n} AS n`))
        .orderBy('id')
        .limit(1 + (n % 2))
      expect(rows).to.eql(Array.from({ length: 1 + (n % 2) }, () => ({ n })))
    }
    expect(await all().limit(1).offset(1)).to.eql([{ id: 2, name: 'second' }])
    expect(await all().limit(0)).to.eql([])
    expect(await all().offset(1)).to.eql([{ id: 2, name: 'second' }])
  })
})
