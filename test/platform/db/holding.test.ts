import { once } from 'node:events'
import { expect } from 'chai'
import pg from 'pg'
import { connect, type Database } from '../../../src/platform/db/connect.ts'
import { NESTED_ASK } from '../../../src/platform/db/holding.ts'
import { messageOf } from '../../../src/platform/errors.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { aside } from '../../support/aside.ts'
import { dropPostgresDatabase, freshPostgresDatabase, WAITS } from '../../support/postgres.ts'
import { onEachDatabase, onPostgres, openTestDatabase } from '../../support/program.ts'

const ask = (db: Database) => db.read.raw('SELECT 1')
const refusal = (promise: PromiseLike<unknown>) => promise.then(() => 'no error', messageOf)

/** Collects the errors that nobody caught while `work` ran and until the next turn of the event loop. */
async function uncaughtOf(work: () => Promise<unknown>): Promise<string[]> {
  const others = process.rawListeners('uncaughtException') as NodeJS.UncaughtExceptionListener[]
  const heard: string[] = []
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => heard.push(messageOf(error)))
  try {
    await work()
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const one of others) process.on('uncaughtException', one)
  }
  return heard
}

onEachDatabase('the database of a test', (kind) => {
  let db: Database
  let close: () => Promise<void>
  before(async () => {
    ;({ db, close } = await openTestDatabase(kind))
  })
  after(() => close())

  it('fails the test whose transaction asks for another connection, also when the error is caught', async () => {
    let said: string | undefined
    const uncaught = await uncaughtOf(() => db.write(async () => void (said = await refusal(ask(db)))))
    expect(said).to.equal(NESTED_ASK)
    expect(uncaught).to.deep.equal([NESTED_ASK])
  })

  it('gives a connection to what a transaction started, once that has ended', async () => {
    const committed = Promise.withResolvers<void>()
    let later: Promise<unknown> | undefined
    await db.write(async () => void (later = committed.promise.then(() => ask(db))))
    committed.resolve()
    await later
  })

  it('gives a connection to others meanwhile, and to a test that asks aside', async () => {
    await db.write(() => aside(() => ask(db)))
    await Promise.all([db.write(async (trx) => trx.raw('SELECT 1')), ask(db)])
  })
})

onPostgres('a transaction of a pool that is not strict', () => {
  let url: string
  let db: Database
  const told: string[] = []
  const open = async (pool: number) => {
    url = (await freshPostgresDatabase({ migrated: false })).replace(/\?.*/, '')
    db = connect({
      url,
      file: '',
      log: { ...silentLog, error: (_: object, text: string) => void told.push(text) },
      pool,
    })
  }
  afterEach(async () => {
    await db.close()
    await dropPostgresDatabase(url)
    told.length = 0
  })

  it('gets a second connection that is free, and the log says so once', async () => {
    await open(2)
    const rows = await db.write(async () => [await ask(db), await ask(db)])
    expect(rows).to.have.length(2)
    expect(told).to.deep.equal([NESTED_ASK])
  })

  it('is refused at once instead of waiting for one, and what waits goes on', async () => {
    await open(1)
    const nested = db.write(() => Promise.resolve(ask(db)))
    const other = db.write((trx) => trx.raw('SELECT 2 AS two'))
    expect(await nested.catch((error: unknown) => error)).to.include({ code: 'unavailable', message: NESTED_ASK })
    expect((await other).rows).to.deep.equal([{ two: 2 }])
  })
})

onPostgres('a session that stands idle in a transaction', () => {
  let url: string
  let client: pg.Client
  beforeEach(async () => {
    url = await freshPostgresDatabase()
    client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
  })

  it('fails the test that runs when the server ends it', async () => {
    const [error] = await uncaughtOf(async () => {
      const heard = once(process, 'uncaughtException')
      await client.query('SET idle_in_transaction_session_timeout = 1')
      await client.query('BEGIN')
      await heard
    })
    expect(error).to.contain(WAITS)
    expect(error).to.contain(new URL(url).pathname.slice(1))
    await dropPostgresDatabase(url)
  })

  it('fails the test that takes the database away', async () => {
    await client.query('BEGIN')
    const error = await refusal(dropPostgresDatabase(url, { forgottenMs: 0 }))
    expect(error).to.contain(WAITS)
    expect(error).to.contain('BEGIN')
    await client.end()
    await dropPostgresDatabase(url)
  })
})
