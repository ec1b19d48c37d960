import { expect } from 'chai'
import pg from 'pg'
import { connect, type Database } from '../../../src/platform/db/connect.ts'
import { openPostgresStore } from '../../../src/platform/db/copy/postgres-store.ts'
import { rowsOf } from '../../../src/platform/db/dialect.ts'
import { findPooler, refusePooler } from '../../../src/platform/db/pooler.ts'
import { preparedInsert } from '../../../src/platform/db/prepared.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { needs } from '../../support/needs.ts'
import { openPgBouncer, type PgBouncer, type PgBouncerOptions } from '../../support/pgbouncer.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../../support/postgres.ts'
import { onPostgres } from '../../support/program.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

/** The text of the error with which a promise rejects. */
const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing is refused',
    (error: Error) => (error instanceof AppError ? `${error.code}: ${error.message}` : error.message),
  )

onPostgres('a pooler before PostgreSQL', function () {
  this.timeout(PROGRAMS_MS)
  let url: string
  const open: PgBouncer[] = []

  before(async function () {
    needs(this, 'pgbouncer')
    url = await freshPostgresDatabase({ migrated: false })
  })
  after(async () => {
    if (url) await dropPostgresDatabase(url)
  })
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
  })

  async function through(options: PgBouncerOptions): Promise<string> {
    const bouncer = await openPgBouncer(url, options)
    open.push(bouncer)
    return bouncer.urlOf(url)
  }

  it('is found, with its mode', async () => {
    expect(await findPooler(url)).to.equal('none')
    for (const mode of ['session', 'transaction', 'statement'] as const) {
      expect(await findPooler(await through({ mode })), mode).to.equal(mode)
    }
  })

  it('in transaction mode is found while others use all its connections but one', async () => {
    const address = await through({ size: 3 })
    for (const isFreeBefore of [false, true]) {
      const busy = [0, 1].map(() => new pg.Client({ connectionString: address }))
      try {
        for (const client of busy) {
          await client.connect()
          await client.query('BEGIN')
        }
        // It needs two at a time: the second comes while it looks, or was there.
        if (isFreeBefore) await busy[0]!.query('ROLLBACK')
        const found = findPooler(address)
        if (!isFreeBefore) await busy[0]!.query('ROLLBACK')
        expect(await found).to.equal('transaction')
      } finally {
        for (const client of busy) await client.end()
      }
    }
  })

  it('is refused at the start, with what to set', async () => {
    const [session, transaction, statement] = [
      await through({ mode: 'session' }),
      await through({ mode: 'transaction' }),
      await through({ mode: 'statement' }),
    ]
    for (const fine of [url, session]) await refusePooler(fine, 'none')
    for (const fine of [url, session, transaction]) await refusePooler(fine, 'transaction')
    expect(await refusal(refusePooler(transaction, 'none'))).to.match(/^config: .* set database\.pooler: transaction$/)
    expect(await refusal(refusePooler(statement, 'transaction'))).to.match(/^config: .* set pool_mode = transaction/)
    // Whoever connects next says it.
    await refusePooler('postgres://nobody@127.0.0.1:1/x', 'none')
  })

  it('in transaction mode is refused by a copy of the database', async () => {
    expect(await refusal(openPostgresStore(await through({})))).to.match(/^config: .*name PostgreSQL itself$/)
    await (await openPostgresStore(await through({ mode: 'session' }))).close()
  })
})

onPostgres('database.pooler: transaction', function () {
  this.timeout(PROGRAMS_MS)
  let url: string
  let bouncer: PgBouncer
  let db: Database
  const opened: Database[] = []

  before(async function () {
    needs(this, 'pgbouncer')
    url = await freshPostgresDatabase({ migrated: false })
    bouncer = await openPgBouncer(url, { size: 4 })
    db = openThrough({ pooler: 'transaction', statementMs: 60_000 })
    await db.write((trx) => trx.raw('CREATE TABLE things (id bigserial PRIMARY KEY, name text NOT NULL)'))
  })
  after(async () => {
    for (const one of opened) await one.close()
    await bouncer?.close()
    if (url) await dropPostgresDatabase(url)
  })

  function openThrough(options: Partial<Parameters<typeof connect>[0]>): Database {
    const one = connect({ url: bouncer.urlOf(url), file: '', log: silentLog, pool: 8, ...options })
    opened.push(one)
    return one
  }

  const INSERT = preparedInsert<{ name: string }>('things', { name: 'text' })
  /** Writes that share transactions and gather their INSERTs, which would stay prepared. */
  const insertMany = (to: Database, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        to.write(async (trx) => void (await INSERT.run(trx, { name: `name ${i}` })), { shares: true }),
      ),
    )

  it('lets many clients write and read on few connections', async () => {
    const other = openThrough({ pooler: 'transaction' })
    for (let round = 0; round < 5; round++) {
      await Promise.all([insertMany(db, 40), insertMany(other, 40), db.read('things').count(), other.read('things')])
    }
    expect(await db.read('things').pluck('id')).to.have.length(400)
  })

  it('sets the limits for each transaction, and leaves nothing behind', async () => {
    const settings = async (sql: Database['read']) =>
      rowsOf<Record<string, string>>(
        await sql.raw(
          `SELECT current_setting('statement_timeout') AS statement, current_setting('synchronous_commit') AS commits,
             current_setting('idle_in_transaction_session_timeout') AS idle`,
        ),
      )[0]
    const ours = { statement: '1min', commits: 'on', idle: '30s' }
    const theirs = { statement: '0', commits: 'off', idle: '0' }
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`)
    await client.end()
    const fresh = await openPgBouncer(url)
    const one = connect({
      url: fresh.urlOf(url),
      file: '',
      log: silentLog,
      pooler: 'transaction',
      statementMs: 60_000,
    })
    try {
      for (let i = 0; i < 8; i++) {
        expect(await one.write((trx) => settings(trx))).to.deep.equal(ours)
        expect(await settings(one.read)).to.deep.equal(theirs)
      }
    } finally {
      await one.close()
      await fresh.close()
    }
  })

  it('limits long reads, whether they end well or not', async () => {
    const reads = openThrough({ pooler: 'transaction', statementMs: 50, longReads: true, pool: 1 })
    for (let i = 0; i < 3; i++) {
      const error = await reads.read.raw('SELECT pg_sleep(600)').catch((thrown: Error & { code: string }) => thrown)
      expect(error).to.include({ code: '57014' })
      expect(await reads.read('things').count({ count: '*' }).first()).to.deep.equal({ count: 400 })
      expect(await refusal(Promise.resolve(reads.read.raw('SELECT nothing')))).to.include('does not exist')
    }
  })

  it('missing is said by what fails', async () => {
    // Each transaction has another connection of the server, and the second program finds what the first has prepared there.
    const insertAtOnce = (to: Database) => {
      const all = Promise.withResolvers<void>()
      let begun = 0
      const one = () =>
        to.write(async (trx) => {
          await trx.raw('SELECT 1')
          if (++begun === 4) all.resolve()
          await all.promise
          await trx.raw('INSERT INTO things (name) SELECT * FROM unnest(?::text[])', [['a', 'b']])
        })
      return Promise.all([0, 1, 2, 3].map(() => refusal(one())))
    }
    expect(new Set(await insertAtOnce(openThrough({})))).to.deep.equal(new Set(['nothing is refused']))
    const said =
      'unavailable: database.url leads through a pooler in transaction mode, where prepared statements and settings of a session do not last: set database.pooler: transaction'
    expect(new Set(await insertAtOnce(openThrough({})))).to.deep.equal(new Set([said]))
  })
})
