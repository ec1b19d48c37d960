import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import type { Database, Sql } from '../../../src/platform/db/connect.ts'
import { prepared, readTogether } from '../../../src/platform/db/prepared.ts'
import type { Value } from '../../../src/platform/db/statement.ts'
import { AppError, messageOf } from '../../../src/platform/errors.ts'
import { aside } from '../../support/aside.ts'
import { onEachDatabase, openTestDatabase } from '../../support/program.ts'

interface Note {
  id: number
  body: string
}

const ADD = prepared<{ id: number; body: string }>('INSERT INTO notes (id, body) VALUES (:id, :body)')
const ALL = prepared<Record<string, never>, Note>('SELECT id, body FROM notes ORDER BY id')
const FIND = prepared<{ body: string }, Note>('SELECT id, body FROM notes WHERE body = :body')
const RENAME = prepared<{ from: string; to: string }>('UPDATE notes SET body = :to WHERE body = :from OR body = :to')
const RENAME_ONE = prepared<{ id: number; body: string }, Note>(
  'UPDATE notes SET body = :body WHERE id = :id RETURNING id, body',
)

const failure = async (work: () => Promise<unknown>) => work().then(() => 'no error', messageOf)

onEachDatabase('a prepared statement', (kind) => {
  let db: Database
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ db, close } = await openTestDatabase(kind))
    await db.write((trx) =>
      trx.schema.createTable('notes', (t) => {
        t.bigInteger('id').primary()
        t.text('body').notNullable().unique()
      }),
    )
  })
  afterEach(() => close())

  const add = (id: number, body: string) => db.write(async (trx) => ADD.run(trx, { id, body }))

  it('returns all rows, the first row, or the number of rows that it changed', async () => {
    expect(await add(1, 'a')).to.equal(1)
    await add(2, 'b')
    expect(await ALL.all(db.read, {})).to.deep.equal([
      { id: 1, body: 'a' },
      { id: 2, body: 'b' },
    ])
    expect(await FIND.first(db.read, { body: 'b' })).to.deep.equal({ id: 2, body: 'b' })
    expect(await FIND.first(db.read, { body: 'c' })).to.equal(undefined)
    const changed = (from: string) => db.write(async (trx) => RENAME.run(trx, { from, to: 'z' }))
    expect([await changed('a'), await changed('nobody')]).to.deep.equal([1, 1])
    const renamed = await db.write(async (trx) => RENAME_ONE.first(trx, { id: 2, body: 'c' }))
    expect(renamed).to.deep.equal({ id: 2, body: 'c' })
  })

  it('takes and gives values of every type', async () => {
    await db.write((trx) =>
      trx.schema.createTable('kinds', (t) => {
        t.text('words')
        t.bigInteger('whole')
        t.double('real')
        t.boolean('flag')
        t.binary('bytes')
      }),
    )
    const store = prepared<Record<'words' | 'whole' | 'real' | 'flag' | 'bytes', Value>>(
      'INSERT INTO kinds (words, whole, real, flag, bytes) VALUES (:words, :whole, :real, :flag, :bytes)',
    )
    const given = [
      { words: 'it’s :not a name ? $1', whole: 2 ** 53 - 1, real: 0.1, flag: true, bytes: Buffer.from([0, 255]) },
      { words: JSON.stringify({ a: [1, '"'] }), whole: -5n, real: -1e300, flag: false, bytes: Buffer.alloc(0) },
      { words: null, whole: null, real: null, flag: null, bytes: null },
    ]
    await db.write(async (trx) => {
      for (const values of given) await store.run(trx, values)
    })
    const found = await prepared<Record<string, never>, (typeof given)[0]>('SELECT * FROM kinds').all(db.read, {})
    const flags = kind === 'sqlite' ? [1, 0, null] : [true, false, null]
    expect(found).to.deep.equal([
      { ...given[0], flag: flags[0] },
      { ...given[1], whole: -5, flag: flags[1] },
      { ...given[2], flag: flags[2] },
    ])
  })

  it('leaves colons in quotes and casts alone', async () => {
    const text = prepared<{ a: number }, { quoted: string; sum: number }>(
      kind === 'postgres'
        ? `SELECT ':a' AS quoted, :a::bigint + :a::bigint AS sum`
        : `SELECT ':a' AS quoted, CAST(:a AS INTEGER) + :a AS sum`,
    )
    expect(await text.first(db.read, { a: 2 })).to.deep.equal({ quoted: ':a', sum: 4 })
  })

  it('sees the transaction that it runs in, and is undone with it alone', async () => {
    const failing = db.write(async (trx) => {
      await ADD.run(trx, { id: 1, body: 'a' })
      expect(await FIND.first(trx, { body: 'a' })).to.deep.equal({ id: 1, body: 'a' })
      expect(await aside(() => FIND.first(db.read, { body: 'a' }))).to.equal(undefined)
      throw new AppError('conflict', 'no')
    })
    const [first, second] = await Promise.allSettled([failing, add(2, 'b')])
    expect(first).to.have.nested.property('reason.message', 'no')
    expect(second.status).to.equal('fulfilled')
    expect(await ALL.all(db.read, {})).to.deep.equal([{ id: 2, body: 'b' }])
  })

  it('is undone with an inner transaction that fails, and works in the outer one afterwards', async () => {
    await db.write(async (trx) => {
      const inner = trx.transaction(async (innermost) => {
        await ADD.run(innermost, { id: 1, body: 'a' })
        throw new Error('no')
      })
      expect(await failure(() => inner)).to.equal('no')
      await ADD.run(trx, { id: 2, body: 'b' })
    })
    expect(await ALL.all(db.read, {})).to.deep.equal([{ id: 2, body: 'b' }])
  })

  it('fails as a query does, and says which statement it was', async () => {
    await add(1, 'a')
    const sentence = await failure(() => add(1, 'b'))
    expect(sentence)
      .to.match(/^(INSERT INTO|insert into) notes/)
      .and.to.match(/unique/i)
    const error = await add(2, 'a').catch((thrown: unknown) => thrown)
    expect(error).to.have.property('code', kind === 'sqlite' ? 'SQLITE_CONSTRAINT_UNIQUE' : '23505')
  })

  it('is refused after its transaction has ended', async () => {
    let late: Sql | undefined
    await db.write(async (trx) => {
      late = trx
    })
    const sentence = await failure(async () => ADD.run(late!, { id: 1, body: 'a' }))
    expect(sentence).to.match(/transaction/i)
    expect(await ALL.all(db.read, {})).to.deep.equal([])
  })

  it('gives the new columns after the table has changed', async () => {
    await add(1, 'a')
    const every = prepared<Record<string, never>, object>('SELECT * FROM notes')
    const inWrite = () => db.write(async (trx) => every.all(trx, {}))
    for (const read of [() => every.all(db.read, {}), inWrite])
      expect(await read()).to.deep.equal([{ id: 1, body: 'a' }])
    await db.write((trx) => trx.schema.alterTable('notes', (t) => t.integer('color')))
    for (const read of [() => every.all(db.read, {}), inWrite]) {
      expect(await read()).to.deep.equal([{ id: 1, body: 'a', color: null }])
    }
  })

  it('is heard with its values by who listens to queries', async () => {
    const heard: { sql: string; bindings: unknown }[] = []
    const hear = ({ sql, bindings }: { sql: string; bindings: unknown }) => heard.push({ sql, bindings })
    db.read.on('query', hear)
    await FIND.first(db.read, { body: 'x' })
    db.read.off('query', hear)
    await db.write(async (trx) => {
      trx.on('query', hear)
      await ADD.run(trx, { id: 1, body: 'a' })
      trx.off('query', hear)
    })
    const places = kind === 'sqlite' ? ['+?', '+?', '+?'] : ['$1', '$1', '$2']
    expect(heard).to.deep.equal([
      { sql: `SELECT id, body FROM notes WHERE body = ${places[0]}`, bindings: ['x'] },
      { sql: `INSERT INTO notes (id, body) VALUES (${places[1]}, ${places[2]})`, bindings: [1, 'a'] },
    ])
  })

  if (kind === 'sqlite') {
    it('answers at once on SQLite', async () => {
      await add(1, 'a')
      expect(FIND.firstNow(db.read, { body: 'a' })).to.deep.equal({ id: 1, body: 'a' })
    })

    it('cannot write outside of a transaction', async () => {
      const sentence = await failure(async () => ADD.run(db.read, { id: 1, body: 'a' }))
      expect(sentence).to.match(/readonly/)
    })

    it('runs no more after SQLite has rolled the transaction back, and nothing of it is stored', async () => {
      await add(1, 'a')
      const stubborn = db.write(async (trx) => {
        await ADD.run(trx, { id: 2, body: 'b' })
        await trx.raw('INSERT OR ROLLBACK INTO notes (id, body) VALUES (1, 1)').catch(() => {})
        await ADD.run(trx, { id: 3, body: 'c' })
      })
      expect(await failure(() => stubborn)).to.include('rolled the transaction back')
      await add(4, 'd')
      expect((await ALL.all(db.read, {})).map(({ id }) => id)).to.deep.equal([1, 4])
    })

    it('tells those who judge errors, so that damage is noticed', async () => {
      const codes: unknown[] = []
      db.read.on('query-error', ({ code }: { code?: string }) => codes.push(code))
      await failure(async () => ADD.run(db.read, { id: 1, body: 'a' }))
      expect(codes).to.deep.equal(['SQLITE_READONLY'])
    })

    describe('together with others', () => {
      let other: Sqlite.Database
      beforeEach(async () => {
        const [{ file }] = (await db.read.raw('PRAGMA database_list')) as [{ file: string }]
        other = new Sqlite(file)
      })
      afterEach(() => void other.close())

      const store = (id: number, body: string) => other.prepare('INSERT INTO notes VALUES (?, ?)').run(id, body)
      const count = () => (ALL.all(db.read, {}) as Note[]).length

      it('sees one state of the database, and what is new as soon as they are done', () => {
        const seen: number[] = []
        readTogether(db.read, () => {
          store(1, 'a')
          seen.push(count())
          store(2, 'b')
          seen.push(count())
        })
        expect([...seen, count()]).to.deep.equal([1, 1, 2])
      })

      it('keeps nothing open after an error, neither its own nor of the work', async () => {
        const broken = prepared<Record<string, never>, Note>('SELECT missing FROM notes')
        const sentence = await failure(async () =>
          readTogether(db.read, () => {
            expect(count()).to.equal(0)
            void broken.all(db.read, {})
          }),
        )
        expect(sentence).to.include('no such column')
        store(1, 'a')
        expect(count()).to.equal(1)
      })

      it('leaves what goes on later to read as usual', async () => {
        const later: Promise<number>[] = []
        readTogether(db.read, () => {
          expect(count()).to.equal(0)
          later.push(Promise.resolve().then(count))
          store(1, 'a')
        })
        expect(await Promise.all(later)).to.deep.equal([1])
      })
    })
  } else {
    it('may be asked together with others, which changes nothing', async () => {
      const asked: unknown[] = []
      readTogether(db.read, () => asked.push(FIND.first(db.read, { body: 'a' })))
      expect(await Promise.all(asked)).to.deep.equal([undefined])
    })
  }
})
