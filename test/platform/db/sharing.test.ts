import { expect } from 'chai'
import type { Knex } from 'knex'
import type { Database, Sql } from '../../../src/platform/db/connect.ts'
import { among, type List, listOf, rowsOf } from '../../../src/platform/db/dialect.ts'
import {
  prepared,
  preparedInsert,
  preparedRows,
  preparedUpdate,
  preparedUpsert,
} from '../../../src/platform/db/prepared.ts'
import { createSharing } from '../../../src/platform/db/sharing.ts'
import { AppError, messageOf } from '../../../src/platform/errors.ts'
import { eventually } from '../../support/eventually.ts'
import { onEachDatabase, onPostgres, openTestDatabase } from '../../support/program.ts'

interface Note {
  body: string
  seen: boolean | null
  size: number | null
  bytes: Buffer
}

const ADD = preparedInsert<Note & Record<string, string | number | boolean | Buffer | null>, { id: number }>(
  'notes',
  { body: 'text', seen: 'boolean', size: 'bigint', bytes: 'bytea' },
  'id',
)
const KEEP = preparedUpsert<{ body: string; size: number }>(
  'notes',
  { body: 'text', size: 'bigint' },
  { key: ['body'], replaces: 'notes.size < excluded.size - 10' },
)
const RESIZE = preparedUpdate<{ body: string; size: number | null }>('notes', {
  set: { size: 'bigint' },
  key: { body: 'text' },
  also: 'seen = true',
})
const ADD_ALL = preparedRows<{ seen: boolean | null }>(
  'notes',
  { names: ['body', 'size'], types: ['text', 'bigint'] },
  { seen: 'boolean' },
)
const NAMED = prepared<{ bodies: List; from: number }, { id: number; body: string }>(
  (kind) => `SELECT id, body FROM notes WHERE ${among(kind, 'body', 'bodies')} AND id >= :from ORDER BY body DESC`,
  { bodies: 'text[]', from: 'bigint' },
)
const NUMBERED = prepared<{ ids: List }, { id: number; body: string }>(
  (kind) => `SELECT id, body FROM notes WHERE ${among(kind, 'id', 'ids')}`,
  { ids: 'bigint[]' },
)
const COUNT = prepared<Record<string, never>, { n: number }>('SELECT CAST(COUNT(*) AS bigint) AS n FROM notes', {})

const ODD = ['', 'NULL', 'null', '"', '\\', '\\"', "it's", '{a,b}', ',', ' ', 'ä 😀', 'a\nb', ':body', '$1', '?'].map(
  (body, i) => ({
    body,
    seen: [true, false, null][i % 3]!,
    size: i % 2 ? 2 ** 52 + i : null,
    bytes: Buffer.from([i, 0, 255, 92]),
  }),
)
const note = (body: string): Note => ({ body, seen: null, size: null, bytes: Buffer.alloc(0) })

onEachDatabase('tasks that share a transaction', (kind) => {
  let db: Database
  let close: () => Promise<void>
  const heard: string[] = []
  const hear = ({ sql }: { sql: string }) => void heard.push(sql)
  before(async () => {
    ;({ db, close } = await openTestDatabase(kind))
    await db.write((trx) =>
      trx.schema.createTable('notes', (t) => {
        t.bigIncrements('id')
        t.text('body').notNullable().unique()
        t.boolean('seen')
        t.bigInteger('size')
        t.binary('bytes')
      }),
    )
  })
  afterEach(() => db.write((trx) => trx('notes').del()))
  after(() => close())

  const share = <T>(work: (trx: Knex.Transaction) => Promise<T>) => db.write(work, { shares: true })
  const add = async (trx: Sql, one: Note) => ADD.first(trx, { ...one })
  const stored = (sql: Sql): Promise<string[]> => sql('notes').orderBy('body').pluck('body')

  it('get what each of them asked for, whatever the values are', async () => {
    const ids = await Promise.all(ODD.map((one) => share(async (trx) => (await add(trx, one))!.id)))
    const rows = await db.read('notes').orderBy('id')
    const byId = new Map(rows.map((row: Omit<Note, 'seen'> & { id: number; seen: unknown }) => [row.id, row]))
    for (const [i, id] of ids.entries()) {
      const { body, seen, size, bytes } = byId.get(id)!
      expect({ body, seen: seen === null ? null : Boolean(seen), size, bytes }).to.deep.equal(ODD[i])
    }
    const found = await Promise.all(
      ODD.map(({ body }, i) =>
        share(async (trx) => ({
          one: await NAMED.all(trx, { bodies: listOf(trx, [body, 'nobody']), from: 0 }),
          first: await NAMED.first(trx, { bodies: listOf(trx, [body]), from: ids[i]! + 1 }),
          some: await NAMED.all(trx, { bodies: listOf(trx, [body, 'NULL', '"']), from: 0 }),
          numbered: await NUMBERED.all(trx, { ids: listOf(trx, i % 2 ? [ids[i]!] : []) }),
        })),
      ),
    )
    for (const [i, { one, first, some, numbered }] of found.entries()) {
      const { body } = ODD[i]!
      expect(one.map((row) => row.body)).to.deep.equal([body])
      expect(first).to.equal(undefined)
      const bodies = [...new Set([body, 'NULL', '"'])]
      expect(some.map((row) => row.body)).to.have.members(bodies)
      expect(some, 'in the order of the statement').to.deep.equal(
        some.toSorted((a, b) => (kind === 'sqlite' ? (a.body < b.body ? 1 : -1) : 0)),
      )
      expect(numbered).to.deep.equal(i % 2 ? [{ id: ids[i], body }] : [])
    }
  })

  it('fail alone: what fails stores nothing, and the others store once', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        share(async (trx) => {
          await add(trx, note(`n${i % 18}`))
          if (i === 3) throw new AppError('conflict', 'refused')
          return i
        }),
      ),
    )
    const of = (i: number) => {
      const one = results[i]!
      return one.status === 'fulfilled' ? one.value : messageOf(one.reason)
    }
    expect(of(3)).to.equal('refused')
    // Of two that insert the same, one may.
    for (const [a, b] of [
      [0, 18],
      [1, 19],
    ] as const) {
      expect([results[a]!.status, results[b]!.status].sort()).to.deep.equal(['fulfilled', 'rejected'])
    }
    for (const i of [2, 4, 5, 10, 17]) expect(of(i)).to.equal(i)
    expect(await stored(db.read)).to.have.members(
      Array.from({ length: 18 }, (_, i) => `n${i}`).filter((name) => name !== 'n3'),
    )
  })

  it('leave a row that is there, tell who stored one, and replace what is old', async () => {
    const keep = (body: string, size: number) => share((trx) => Promise.resolve(KEEP.run(trx, { body, size })))
    expect(await Promise.all([keep('a', 1), keep('b', 1), keep('c', 1)])).to.deep.equal([1, 1, 1])
    expect(await Promise.all([keep('a', 5), keep('d', 1), keep('b', 20), keep('e', 1)])).to.deep.equal([0, 1, 1, 1])
    expect(await db.read('notes').orderBy('body').pluck('size')).to.deep.equal([1, 20, 1, 1, 1])
    const twice = await Promise.all(['f', 'g', 'f', 'f'].map((body, i) => keep(body, i)))
    expect(twice.filter((count) => count === 1)).to.have.lengthOf(2)
  })

  it('change and insert side by side in one transaction', async () => {
    const lines = (...rows: [string, number | null][]) => JSON.stringify(rows)
    await db.write(
      (trx) =>
        Promise.all(
          ODD.map(async ({ body, seen }, i) => ADD_ALL.run(trx, { seen, lines: lines([body, i], [`${body}+`, null]) })),
        ),
      {
        gathers: true,
      },
    )
    const added: { body: string; seen: unknown }[] = await db.read('notes').select('body', 'seen')
    expect(new Map(added.map(({ body, seen }) => [body, seen === null ? null : Boolean(seen)]))).to.deep.equal(
      new Map(ODD.flatMap(({ body, seen }) => [body, `${body}+`].map((one) => [one, seen] as const))),
    )
    await db.write((trx) => trx('notes').where('body', 'like', '%+').delete())
    const changed = await db.write(
      (trx) => Promise.all([...ODD, note('nobody')].map(async ({ body, size }) => RESIZE.run(trx, { body, size }))),
      { gathers: true },
    )
    expect(changed).to.deep.equal([...ODD.map(() => 1), 0])
    const rows: { body: string; size: number | null; seen: unknown }[] = await db
      .read('notes')
      .select('body', 'size', 'seen')
    expect(new Map(rows.map(({ body, size }) => [body, size]))).to.deep.equal(
      new Map(ODD.map(({ body, size }) => [body, size])),
    )
    for (const { seen } of rows) expect(Boolean(seen)).to.equal(true)
    await db.write(async (trx) => void (await ADD_ALL.run(trx, { seen: true, lines: lines(['x', 1], ['y', null]) })))
    expect(await db.read('notes').whereIn('body', ['x', 'y']).pluck('size')).to.have.members([1, null])
  })

  if (kind === 'sqlite') return

  it('ask the database once for what they ask at the same time', async () => {
    const only = new Set<unknown>()
    const gate = Promise.withResolvers<void>()
    // While one is under way, the others gather.
    const first = share(() => gate.promise)
    await new Promise((turn) => setImmediate(turn))
    const rest = Array.from({ length: 30 }, (_, i) =>
      share(async (trx) => {
        if (only.size === 0) trx.on('query', hear)
        only.add(trx)
        const { n } = (await COUNT.first(trx, {}))!
        await add(trx, note(`n${i}`))
        return n
      }),
    )
    gate.resolve()
    await first
    expect(await Promise.all(rest)).to.deep.equal(Array.from({ length: 30 }, () => 0))
    expect(only.size, 'transactions').to.equal(1)
    expect(heard.filter((sql) => sql.includes('notes'))).to.have.lengthOf(2)
    expect(await stored(db.read)).to.have.lengthOf(30)
  })

  it('run once although some refuse, as long as these have changed nothing', async () => {
    const runs: number[] = []
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        share(async (trx) => {
          runs.push(i)
          await COUNT.first(trx, {})
          if (i % 2 === 0) throw new AppError('conflict', `refused ${i}`)
          await add(trx, note(`n${i}`))
        }),
      ),
    )
    expect(runs).to.deep.equal(Array.from({ length: 20 }, (_, i) => i))
    for (const [i, one] of results.entries()) {
      if (i % 2 === 0) expect(messageOf((one as PromiseRejectedResult).reason)).to.equal(`refused ${i}`)
      else expect(one.status).to.equal('fulfilled')
    }
    expect(await stored(db.read)).to.have.lengthOf(10)
  })

  it('lock the rows that they change in one order, so that two transactions cannot deadlock', async () => {
    await db.write((trx) => Promise.all(['a', 'b', 'c'].map((body) => add(trx, note(body)))))
    const locked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const holder = db.write(async (trx) => {
      await trx('notes').where({ body: 'b' }).forUpdate()
      locked.resolve()
      await gate.promise
    })
    await locked.promise
    const resize = async (trx: Knex.Transaction) => {
      // As where the table is large.
      await trx.raw('SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off')
      return Promise.all(['c', 'b', 'a'].map(async (body) => RESIZE.run(trx, { body, size: 1 })))
    }
    const resized = db.write(resize, { gathers: true })
    const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await eventually(async () => rowsOf(await db.read.raw(waits)).length > 0, 'the change waits for the lock')
    const free = await db.write((trx) => trx('notes').orderBy('body').forUpdate().skipLocked().pluck('body'))
    gate.resolve()
    await holder
    expect(free).to.deep.equal(['c'])
    expect(await resized).to.deep.equal([1, 1, 1])
  })

  it('do not wait for one that waits for a lock', async () => {
    await share((trx) => add(trx, note('locked')))
    const locked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const holder = db.write(async (trx) => {
      await trx('notes').where({ body: 'locked' }).forUpdate()
      locked.resolve()
      await gate.promise
    })
    await locked.promise
    const stuck = share((trx) =>
      trx('notes')
        .where({ body: 'locked' })
        .forUpdate()
        .then(() => 'free'),
    )
    // Others that come at the same time would share its transaction.
    await new Promise((turn) => setImmediate(turn))
    await new Promise((turn) => setImmediate(turn))
    await share((trx) => add(trx, note('a')))
    await Promise.all(['b', 'c', 'd'].map((body) => share((trx) => add(trx, note(body)))))
    gate.resolve()
    await holder
    expect(await stuck).to.equal('free')
    expect(await stored(db.read)).to.deep.equal(['a', 'b', 'c', 'd', 'locked'])
  })
})

onPostgres('a shared transaction', () => {
  it('runs nothing again when its commit fails, which may have happened', async () => {
    const runs: number[] = []
    const share = createSharing({
      alone: () => Promise.reject(new Error('ran alone')),
      async together(work) {
        await work({} as Knex.Transaction)
        throw new Error('the connection was lost')
      },
    })
    const gate = Promise.withResolvers<void>()
    const results = await Promise.allSettled([0, 1, 2].map((i) => share(async () => void runs.push(i))))
    gate.resolve()
    expect(runs).to.deep.equal([0, 1, 2])
    for (const one of results)
      expect(messageOf((one as PromiseRejectedResult).reason)).to.equal('the connection was lost')
  })

  it('has at most 64 tasks, and leaves nobody out', async () => {
    const sizes: number[] = []
    const share = createSharing({
      alone: (work) => work({} as Knex.Transaction),
      async together(work) {
        const began = done
        const result = await work({} as Knex.Transaction)
        sizes.push(done - began)
        return result
      },
    })
    let done = 0
    const all = await Promise.all(Array.from({ length: 200 }, (_, i) => share(async () => (done++, i))))
    expect(all).to.deep.equal(Array.from({ length: 200 }, (_, i) => i))
    expect(Math.max(...sizes)).to.equal(64)
  })
})
