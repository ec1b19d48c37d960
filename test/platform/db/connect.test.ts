import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Knex } from 'knex'
import pg from 'pg'
import { connect, type Database } from '../../../src/platform/db/connect.ts'
import { openSqlite } from '../../../src/platform/db/sqlite-client.ts'
import { messageOf } from '../../../src/platform/errors.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { aside } from '../../support/aside.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../../support/postgres.ts'
import { onEachDatabase, onPostgres, openTestDatabase } from '../../support/program.ts'

const failure = async (promise: Promise<unknown>) => promise.then(() => 'no error', messageOf)

onEachDatabase('a database', (kind) => {
  let db: Database
  let close: () => Promise<void>

  beforeEach(async () => {
    ;({ db, close } = await openTestDatabase(kind))
    await db.write((trx) =>
      trx.schema.createTable('notes', (t) => {
        t.bigIncrements('id')
        t.string('body').notNullable().unique()
      }),
    )
  })
  afterEach(() => close())

  const bodies = async () => (await db.read('notes').orderBy('id')).map((row) => row.body)

  it('gives back what the write returned, after it is stored', async () => {
    const id = await db.write(async (trx) => {
      const [row] = await trx('notes').insert({ body: 'a' }).returning('id')
      return row.id
    })
    expect(id).to.equal(1)
    expect(await bodies()).to.deep.equal(['a'])
  })

  it('rejects with what the write threw, and keeps nothing of it', async () => {
    const boom = new Error('boom')
    const write = db.write(async (trx) => {
      await trx('notes').insert({ body: 'a' })
      throw boom
    })
    expect(await write.catch((error) => error)).to.equal(boom)
    expect(await bodies()).to.deep.equal([])
  })

  it('reads do not see a write that is under way', async () => {
    await db.write(async (trx) => {
      await trx('notes').insert({ body: 'a' })
      expect(await aside(bodies)).to.deep.equal([])
    })
    expect(await bodies()).to.deep.equal(['a'])
  })

  it('takes inner transactions, also one that fails', async () => {
    await db.write(async (trx) => {
      await trx('notes').insert({ body: 'outer' })
      const inner = trx.transaction((innermost) => innermost('notes').insert({ body: 'outer' }))
      expect(await failure(inner)).to.match(/unique/i)
      await trx.transaction((innermost) => innermost('notes').insert({ body: 'inner' }))
    })
    expect(await bodies()).to.deep.equal(['outer', 'inner'])
  })

  it('refuses a write inside a write, which would wait for itself', async () => {
    await db.write(async (trx) => {
      await trx('notes').insert({ body: 'outer' })
      expect(await failure(db.write((inner) => inner('notes').insert({ body: 'inner' })))).to.include('inside write')
    })
    expect(await bodies()).to.deep.equal(['outer'])
  })

  it('takes a write that one write leaves to be done after it', async () => {
    let later: Promise<unknown> | undefined
    const first = Promise.withResolvers<void>()
    await db.write(async (trx) => {
      later = first.promise.then(() => db.write((next) => next('notes').insert({ body: 'later' })))
      await trx('notes').insert({ body: 'first' })
    })
    first.resolve()
    await later
    expect(await bodies()).to.deep.equal(['first', 'later'])
  })

  it('times and sums come back as numbers', async () => {
    await db.write((trx) => trx('notes').insert([{ body: 'a' }, { body: 'b' }]))
    const [row] = await db.read('notes').select(db.read.raw('sum(id) as total, count(*) as count, max(id) as last'))
    expect(row).to.deep.equal({ total: 3, count: 2, last: 2 })
  })

  it('serves many writers at once', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, i) => db.write((trx) => trx('notes').insert({ body: `n${i}` }))))
    expect(await bodies()).to.have.length(40)
  })
})

describe('a SQLite database', () => {
  let dir: string
  let file: string

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
    file = join(dir, 'db.sqlite')
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const pragma = async (sql: Knex, name: string) => Object.values((await sql.raw(`PRAGMA ${name}`))[0])[0]
  const settings = {
    journal_mode: 'wal',
    synchronous: 2,
    foreign_keys: 1,
    busy_timeout: 0,
    journal_size_limit: 67_108_864,
  }

  it('survives a power cut by its settings, on the connections that read and the one that writes', async () => {
    const db = connect({ file, log: silentLog })
    for (const [name, value] of Object.entries({ ...settings, busy_timeout: 5000 })) {
      expect(await pragma(db.read, name), `reader ${name}`).to.equal(value)
    }
    // It flushes beside the thread, and waits for others outside of the driver.
    for (const [name, value] of Object.entries({ ...settings, synchronous: 1, busy_timeout: 0 })) {
      expect(await db.write((trx) => pragma(trx, name)), `writer ${name}`).to.equal(value)
    }
    const worker = connect({ file, log: silentLog, background: true })
    expect(await worker.write((trx) => pragma(trx, 'synchronous')), 'writer of a worker').to.equal(2)
    const sender = connect({ file, log: silentLog, background: true, flushesAside: true })
    expect(await sender.write((trx) => pragma(trx, 'synchronous')), 'writer of a thread that sends').to.equal(1)
    await Promise.all([worker, sender, db].map((each) => each.close()))
  })

  it('cannot be written past write', async () => {
    const db = connect({ file, log: silentLog })
    await db.write((trx) => trx.raw('CREATE TABLE notes (id integer)'))
    expect(await failure(db.read('notes').insert({ id: 1 }))).to.include('attempt to write a readonly database')
    await db.close()
  })

  it('locks at the beginning of a write, not at its first change', async () => {
    const db = connect({ file, log: silentLog })
    const other = openSqlite(file, 'writer')
    other.pragma('busy_timeout = 0')
    await db.write(async (trx) => {
      await trx.raw('SELECT 1')
      expect(() => other.exec('BEGIN IMMEDIATE')).to.throw('database is locked')
    })
    other.exec('BEGIN IMMEDIATE; ROLLBACK')
    other.close()
    await db.close()
  })

  it('that cannot be opened is named as such', async () => {
    const db = connect({ file: join(dir, 'absent', 'db.sqlite'), log: silentLog })
    expect(await failure(db.write((trx) => trx.raw('SELECT 1')))).to.match(/directory does not exist/)
    await db.close()
  })

  it('that keeps its journal in memory is refused', () => {
    expect(() => openSqlite(':memory:', 'writer')).to.throw('SQLite does not take journal_mode=wal on :memory:')
  })
})

onPostgres('a PostgreSQL database', () => {
  let url: string
  let db: Database

  beforeEach(async () => {
    url = await freshPostgresDatabase({ migrated: false })
    db = connect({ url, file: '', log: silentLog })
  })
  afterEach(async () => {
    await db.close()
    await dropPostgresDatabase(url)
  })

  it('waits for the disk before it says that something is stored', async () => {
    const { rows } = await db.write((trx) => trx.raw('SHOW synchronous_commit'))
    expect(rows).to.deep.equal([{ synchronous_commit: 'on' }])
  })

  it('a write that swallowed an error is not told that it is stored', async () => {
    const write = db.write(async (trx) => {
      await trx.raw('CREATE TABLE notes (id integer)')
      await trx.raw('SELECT nonsense').catch(() => {})
    })
    expect(await failure(write)).to.include('nothing was stored')
    expect(await db.read.schema.hasTable('notes')).to.equal(false)
  })

  it('text with a NUL that came so far is the mistake of the caller, wherever it stands', async () => {
    const queries = [
      () => db.read.raw('SELECT ?::text', ['a\0b']),
      () => db.write((trx) => trx.raw('SELECT ?::text', ['a\0b'])),
      () => db.read.raw(`SELECT ?::json ->> 'a'`, [JSON.stringify({ a: 'a\0b' })]),
    ]
    for (const query of queries) {
      expect(await query().then(null, (error: unknown) => error)).to.include({ code: 'invalid' })
    }
  })

  it('gives the driver one statement of a transaction at a time, however many are asked at once', async () => {
    const { query } = pg.Client.prototype
    const running = new Map<pg.Client, number>()
    let most = 0
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const done = args.at(-1)
      // The settings of a new connection are sent without one.
      if (typeof done !== 'function') return Reflect.apply(query, this, args)
      const now = (running.get(this) ?? 0) + 1
      running.set(this, now)
      most = Math.max(most, now)
      const whenDone = (...answer: unknown[]) => {
        running.set(this, running.get(this)! - 1)
        done(...answer)
      }
      return Reflect.apply(query, this, [...args.slice(0, -1), whenDone])
    } as typeof query
    try {
      const numbers = [1, 2, 3, 4]
      const rows = await db.write((trx) => Promise.all(numbers.map((n) => trx.raw('SELECT ?::int AS n', [n]))))
      expect(rows.map(({ rows: [row] }) => row.n)).to.deep.equal(numbers)
      expect(most).to.equal(1)
    } finally {
      pg.Client.prototype.query = query
    }
  })

  it('lost connections are a 503 for the write under way, and the next one works', async () => {
    const write = db.write(async (trx) => {
      const { rows } = await trx.raw('SELECT pg_backend_pid() AS pid')
      await aside(() => db.read.raw('SELECT pg_terminate_backend(?)', [rows[0].pid]))
      await trx.raw('SELECT 1')
    })
    expect(await write.catch((error) => error)).to.include({ code: 'unavailable' })
    expect((await db.write((trx) => trx.raw('SELECT 1 AS one'))).rows).to.deep.equal([{ one: 1 }])
  })

  it('two writes that wait for each other in a circle both end well: one of them runs again', async () => {
    await db.write(async (trx) => {
      await trx.raw('CREATE TABLE counters (id integer PRIMARY KEY, n integer NOT NULL)')
      await trx('counters').insert([
        { id: 1, n: 0 },
        { id: 2, n: 0 },
      ])
    })
    let waiting = 2
    const bothHoldOne = Promise.withResolvers<void>()
    let runs = 0
    const crossing = (first: number, second: number, other: () => Promise<void>): Promise<void> =>
      db.write(async (trx) => {
        // Once it runs again it holds nothing, and could take the first row before the other has it: the circle would close again.
        if (++runs > 2) await other()
        await trx('counters').where({ id: first }).increment('n', 1)
        if (--waiting === 0) bothHoldOne.resolve()
        await bothHoldOne.promise
        await trx('counters').where({ id: second }).increment('n', 1)
      })
    const one = crossing(1, 2, () => two)
    const two = crossing(2, 1, () => one)
    await Promise.all([one, two])
    expect(runs).to.equal(3)
    expect(await db.read('counters').orderBy('id').pluck('n')).to.deep.equal([2, 2])
  })

  it('a write that collides every time is a 503 in the end', async () => {
    let runs = 0
    const write = db.write(async () => {
      runs++
      throw Object.assign(new Error('could not serialize access'), { code: '40001' })
    })
    expect(await write.catch((error) => error)).to.include({ code: 'unavailable' })
    expect(runs).to.equal(5)
  })

  it('refuses at once what asks while it closes, which would wait for a minute', async () => {
    const closing = connect({ url, file: '', log: silentLog })
    await closing.read.raw('SELECT 1')
    const closed = closing.close()
    expect(await failure(Promise.resolve(closing.read.raw('SELECT 1')))).to.match(/the database is closed/)
    await closed
  })

  it('that is not there is a 503', async () => {
    const nowhere = connect({ url: 'postgres://nobody@127.0.0.1:1/x', file: '', log: silentLog })
    const error = await nowhere.write((trx) => trx.raw('SELECT 1')).catch((error) => error)
    expect(error).to.include({ code: 'unavailable' })
    await nowhere.close()
  })
})
