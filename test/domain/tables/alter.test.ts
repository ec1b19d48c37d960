import { expect } from 'chai'
import * as schemaStep from '../../../migrations/0113_tables.ts'
import type { NewColumn, TableChange } from '../../../src/domain/tables/types.ts'
import { collect } from '../../../src/platform/concurrency/chunks.ts'
import type { AppError } from '../../../src/platform/errors.ts'
import { presentRecord } from '../../../src/present/api/tables.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'
import { column, makeTable } from '../../support/tables.ts'

onEachDatabase('altering data tables', (kind) => {
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram({ kind })
  })
  afterEach(() => test.close())

  const create = (alias: string, body: unknown) =>
    test.program.inTransaction((tx) => tx.records.create(test.first.id, alias, body))
  const alter = (changes: TableChange[], renameTo?: string) =>
    test.program.inTransaction((tx) => tx.tables.alter(test.first.id, 'books', changes, renameTo))

  async function all(alias = '1_books'): Promise<Record<string, unknown>[]> {
    const { table, records } = await test.program.records.list(test.first.id, alias, { numberPerPage: 1000 })
    return (await collect(records)).map((record) => {
      const {
        createdAt: _created,
        updatedAt: _updated,
        ...rest
      } = presentRecord(table, record) as Record<string, unknown>
      return rest
    })
  }

  async function refused(work: Promise<unknown>): Promise<AppError> {
    const error = await work.then(
      () => undefined,
      (thrown: AppError) => thrown,
    )
    expect(error, 'nothing was refused').to.have.property('code')
    return error!
  }

  /** Tries a statement of an operator against the rules of the table; undefined when the database takes it. */
  async function refusedByDatabase(values: Record<string, unknown>): Promise<string | undefined> {
    const own = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }
    return test.program.kernel.db
      .write(async (trx) => {
        await trx('data_1_books').insert({ ...own, ...values })
        throw new Error('taken')
      })
      .then(
        () => undefined,
        (error: Error) => (error.message === 'taken' ? undefined : error.message),
      )
  }

  async function books(columns: NewColumn[], ...bodies: object[]): Promise<void> {
    await makeTable(test, 'books', columns)
    for (const body of bodies) await create('1_books', body)
  }

  it('makes real columns that hold the same rules for whoever writes to the database', async () => {
    await makeTable(test, 'authors', [column('name', 'string')])
    await books([
      column('title', 'string', { required: true }),
      column('isbn', 'string', { unique: true }),
      column('n', 'integer'),
      column('ok', 'boolean'),
      column('author', 'reference', { references: 'authors' }),
      column('j', 'json'),
    ])
    expect(await refusedByDatabase({ title: 'x' })).to.equal(undefined)
    await create('1_books', { title: 'x', isbn: 'a' })
    for (const wrong of [
      { title: null },
      {},
      { title: 'x'.repeat(256) },
      { title: 'x', isbn: 'a' },
      { title: 'x', n: 'many' },
      { title: 'x', ok: 5 },
      { title: 'x', author: 99 },
      { title: 'x', j: '{' },
    ]) {
      expect(await refusedByDatabase(wrong), JSON.stringify(wrong).slice(0, 60)).to.be.a('string')
    }
  })

  it('adds columns of every type to a table with records', async () => {
    await makeTable(test, 'authors', [column('name', 'string')])
    await books([column('title', 'string')], { title: 'a' }, { title: 'b' })
    const added: [NewColumn, unknown][] = [
      [column('s', 'string', { default: "it's", required: true, indexed: true }), "it's"],
      [column('q', 'string', { default: 'a? b\\? c\\', required: true }), 'a? b\\? c\\'],
      [column('t', 'text', { default: '' }), ''],
      [column('i', 'integer', { default: 9007199254740991 }), 9007199254740991],
      [column('f', 'number', { default: 1.5e300 }), 1.5e300],
      [column('b', 'boolean', { default: false }), false],
      [column('d', 'datetime', { default: '2026-01-02' }), '2026-01-02T00:00:00+0000'],
      [column('j', 'json', { default: { a: ['?', "'"] } }), { a: ['?', "'"] }],
      [column('r', 'reference', { references: 'authors' }), null],
      [column('self', 'reference', { references: 'books' }), null],
      [column('u', 'string', { unique: true }), null],
    ]
    await alter(added.map(([one]) => ({ do: 'add', column: one })))
    const expected = Object.fromEntries(added.map(([one, value]) => [one.name, value]))
    expect(await all()).to.deep.equal([
      { id: 1, title: 'a', ...expected },
      { id: 2, title: 'b', ...expected },
    ])
    await create('1_books', { title: 'c' })
    expect((await all())[2]).to.deep.equal({ id: 3, title: 'c', ...expected })
  })

  it('drops columns with their indexes, rules and references, and leaves the others alone', async () => {
    await makeTable(test, 'authors', [column('name', 'string')])
    await create('1_authors', { name: 'A' })
    await books(
      [
        column('title', 'string', { required: true }),
        column('isbn', 'string', { unique: true, required: true }),
        column('author', 'reference', { references: 'authors', required: true }),
        column('n', 'integer', { indexed: true }),
      ],
      { title: 'a', isbn: '1', author: 1, n: 5 },
    )
    await alter(['isbn', 'author', 'n'].map((name) => ({ do: 'drop', name })))
    expect(await all()).to.deep.equal([{ id: 1, title: 'a' }])
    await alter([{ do: 'add', column: column('isbn', 'integer', { unique: true }) }])
    await create('1_books', { title: 'b', isbn: 4 })
    expect(await all()).to.have.length(2)
    await test.program.inTransaction((tx) => tx.records.delete(test.first.id, '1_authors', 1))
  })

  it('renames columns, also to another case and to words of SQL, with indexes, rules and values', async () => {
    await books([column('a', 'string', { required: true, unique: true }), column('n', 'integer', { indexed: true })], {
      a: 'x',
      n: 1,
    })
    await alter([
      { do: 'rename', name: 'a', to: 'A' },
      { do: 'rename', name: 'n', to: 'select' },
    ])
    await alter([
      { do: 'rename', name: 'select', to: 'order' },
      { do: 'add', column: column('group', 'boolean', { default: true }) },
    ])
    expect(await all()).to.deep.equal([{ id: 1, A: 'x', order: 1, group: true }])
    expect((await refused(create('1_books', { A: 'x', order: 1 }))).details.fields).to.have.all.keys('A')
    expect((await refused(create('1_books', { order: 1 }))).details.fields).to.have.all.keys('A')
    expect(await refusedByDatabase({ order: 1 })).to.be.a('string')
    const sorted = await test.program.records.list(test.first.id, '1_books', { numberPerPage: 5, sortBy: '-order' })
    expect(await collect(sorted.records)).to.have.length(1)
  })

  it('makes columns stricter only when every record fits, and says how many do not', async () => {
    await books([column('a', 'string'), column('b', 'integer')], { a: 'x', b: 1 }, { a: 'x' }, { b: 1 }, { b: 2 })
    const nothing = await refused(alter([{ do: 'set', name: 'a', required: true, unique: true }]))
    expect(nothing.details.fields).to.deep.equal({
      a: ['cannot be required: 2 records have no value', 'cannot be unique: 1 value occurs more than once'],
    })
    const required = await refused(alter([{ do: 'add', column: column('c', 'string', { required: true }) }]))
    expect(required.details.fields!.c![0]).to.match(/default/)
    const unique = await refused(alter([{ do: 'add', column: column('c', 'string', { unique: true, default: 'x' }) }]))
    expect(unique.details.fields!.c![0]).to.match(/same default/)
    expect(await all()).to.have.length(4)
    for (const [id, change] of [
      [2, { a: 'y', b: 3 }],
      [3, { a: 'z', b: 4 }],
      [4, { a: 'w' }],
    ] as const) {
      await test.program.inTransaction((tx) => tx.records.update(test.first.id, '1_books', id, change))
    }
    await alter([
      { do: 'set', name: 'a', required: true, unique: true },
      { do: 'set', name: 'b', indexed: true },
    ])
    expect((await refused(create('1_books', { a: 'w' }))).details.fields).to.have.all.keys('a')
    expect(await refusedByDatabase({ b: 1 })).to.be.a('string')
    await alter([{ do: 'set', name: 'a', required: false, unique: false, default: 'd' }])
    await create('1_books', {})
    await create('1_books', { a: null })
    expect((await all()).slice(4).map(({ a }) => a)).to.deep.equal(['d', null])
    await alter([{ do: 'set', name: 'a', default: null }])
    await create('1_books', {})
    expect((await all())[6]).to.deep.include({ a: null })
  })

  it('does all changes or none', async () => {
    await books([column('a', 'string')], { a: 'x' })
    const before = await test.program.tables.get(test.first.id, 'books')
    await refused(
      alter(
        [
          { do: 'add', column: column('b', 'string', { default: 'y' }) },
          { do: 'drop', name: 'a' },
          { do: 'drop', name: 'zzz' },
        ],
        'other',
      ),
    )
    expect(await test.program.tables.get(test.first.id, 'books')).to.deep.equal(before)
    expect(await all()).to.deep.equal([{ id: 1, a: 'x' }])
  })

  it('renames a table with everything that is in it and refers to it', async () => {
    await books([column('a', 'string', { required: true, indexed: true })], { a: 'x' })
    await makeTable(test, 'reviews', [column('book', 'reference', { references: 'books' })])
    await create('1_reviews', { book: 1 })
    await alter([], 'novels')
    expect(await all('1_novels')).to.deep.equal([{ id: 1, a: 'x' }])
    await create('1_novels', { a: 'y' })
    await create('1_reviews', { book: 2 })
    expect((await refused(all('1_books'))).code).to.equal('not_found')
    expect((await refused(create('1_reviews', { book: 3 }))).details.fields!.book![0]).to.include('novels')
    await alterTable('novels', [{ do: 'drop', name: 'a' }])
  })

  const alterTable = (name: string, changes: TableChange[]) =>
    test.program.inTransaction((tx) => tx.tables.alter(test.first.id, name, changes))

  it('drops a table that nothing refers to, and all tables of an app together', async () => {
    await makeTable(test, 'authors', [column('name', 'string')])
    await books([column('author', 'reference', { references: 'authors' })], {})
    await alterTable('authors', [{ do: 'add', column: column('best', 'reference', { references: 'books' }) }])
    await create('1_authors', { name: 'A', best: 1 })
    await test.program.inTransaction((tx) => tx.records.update(test.first.id, '1_books', 1, { author: 1 }))
    const error = await refused(test.program.inTransaction((tx) => tx.tables.drop(test.first.id, 'authors')))
    expect([error.code, error.message]).to.deep.equal([
      'conflict',
      'books.author refer to the table authors: drop those columns first',
    ])
    await test.program.inTransaction((tx) => tx.apps.delete(test.first.id))
    expect(await test.program.tables.list(test.first.id)).to.deep.equal([])
    for (const name of ['data_1_authors', 'data_1_books']) {
      expect(await test.program.kernel.db.read.schema.hasTable(name), name).to.equal(false)
    }
  })

  it('does not disturb those who read and write meanwhile', async () => {
    await books([column('a', 'string'), column('n', 'integer', { indexed: true })])
    const work: Promise<unknown>[] = []
    for (let i = 0; i < 10; i++) {
      work.push(create('1_books', { a: 'x', n: i }), all(), create('1_books', [{ a: 'y' }, {}]))
      if (i % 3 === 0)
        work.push(alter([{ do: 'add', column: column(`c${i}`, 'string', { default: 'd', required: true }) }]))
      if (i % 3 === 1)
        work.push(alter([{ do: 'rename', name: i === 1 ? 'a' : `a${i - 3}`, to: `a${i}` }]).catch(() => {}))
    }
    const outcomes = await Promise.allSettled(work)
    for (const outcome of outcomes) {
      // A record may name a field that has just got another name; anything else must go well.
      if (outcome.status === 'rejected')
        expect((outcome.reason as AppError).code, String(outcome.reason)).to.equal('invalid')
    }
    const table = await test.program.tables.get(test.first.id, 'books')
    const found = await all()
    expect(found).to.have.length(await test.program.tables.count(table))
    for (const record of found) expect(record).to.have.all.keys('id', ...table.columns.map(({ name }) => name))
  })

  it('goes with the schema step that it came with', async () => {
    await makeTable(test, 'authors', [column('name', 'string')])
    await books([column('author', 'reference', { references: 'authors' })])
    await alterTable('authors', [{ do: 'add', column: column('best', 'reference', { references: 'books' }) }])
    await create('1_books', {})
    await test.program.kernel.db.write((trx) => schemaStep.down(trx))
    expect(await test.program.kernel.db.read.schema.hasTable('data_1_books')).to.equal(false)
    await test.program.kernel.db.write((trx) => schemaStep.up(trx))
    expect(await test.program.tables.list(test.first.id)).to.deep.equal([])
  })

  it('never gives the id of a deleted record to another', async () => {
    await books([column('a', 'string')], {}, {})
    await test.program.inTransaction((tx) => tx.records.delete(test.first.id, '1_books', 2))
    expect((await create('1_books', {})).ids).to.deep.equal([3])
  })

  it('keeps the tables of apps apart, whatever they are called', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await books([column('a', 'string')], { a: 'mine' })
    await test.program.inTransaction((tx) => tx.tables.create(other.id, 'books', [column('b', 'string')]))
    for (const ref of ['1_books', '01_books', '1_BOOKS']) {
      expect((await refused(test.program.tables.get(other.id, ref))).code, ref).to.equal('not_found')
    }
    expect((await test.program.tables.get(other.id, 'books')).alias).to.equal(`${other.id}_books`)
    const foreign = await refused(
      test.program.inTransaction((tx) =>
        tx.tables.create(other.id, 'x', [column('r', 'reference', { references: '1_books' })]),
      ),
    )
    expect(foreign.details.fields).to.have.all.keys('r')
  })

  const wrongNames = [
    '',
    '1a',
    'a b',
    'a-b',
    'a.b',
    'a"b',
    "a'",
    'a`',
    'a;',
    'ä',
    'a\0',
    '_a',
    '__proto__',
    'x'.repeat(41),
  ]
  it('takes names of letters, digits and underscores only', async () => {
    for (const name of wrongNames) {
      expect((await refused(makeTable(test, name, [column('a', 'string')]))).details.fields, name).to.have.all.keys(
        'name',
      )
      if (name.length > 40) continue
      expect((await refused(makeTable(test, 'ok', [column(name, 'string')]))).code, name).to.equal('invalid')
    }
    for (const name of [
      'id',
      'ID',
      'createdAt',
      'createdat',
      'UPDATEDAT',
      'xmin',
      'ctid',
      'rowid',
      'OID',
      'x'.repeat(64),
    ]) {
      expect((await refused(makeTable(test, 'ok', [column(name, 'string')]))).details.fields, name).to.have.all.keys(
        name,
      )
    }
    await makeTable(test, 'Mixed_1', [
      column('row_id', 'string'),
      column('constructor', 'integer'),
      column('x'.repeat(63), 'text'),
    ])
    await create('1_Mixed_1', { row_id: 'r', constructor: 3 })
    expect((await all('1_Mixed_1'))[0]).to.deep.include({ id: 1, row_id: 'r', constructor: 3 })
    const odd = ['then', 'toJSON', 'length', 'hasOwnProperty', 'valueOf', 'table', 'default', 'order', 'new']
    await makeTable(
      test,
      'odd',
      odd.map((name) => column(name, 'string', { indexed: true, required: true })),
    )
    await create('1_odd', Object.fromEntries(odd.map((name) => [name, name])))
    const changed = Object.fromEntries(odd.map((name) => [name, `${name}!`]))
    await test.program.inTransaction((tx) => tx.records.update(test.first.id, '1_odd', 1, changed))
    expect((await all('1_odd'))[0]).to.deep.equal({ id: 1, ...changed })
    expect((await refused(makeTable(test, 'mixed_1', [column('a', 'string')]))).details.fields).to.have.all.keys('name')
    expect(
      (await refused(makeTable(test, 'ok', [column('a', 'string'), column('A', 'string')]))).details.fields,
    ).to.have.all.keys('A')
    expect((await refused(makeTable(test, 'ok', []))).code).to.equal('invalid')
  })
})
