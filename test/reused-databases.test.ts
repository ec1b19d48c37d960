import { expect } from 'chai'
import pg from 'pg'
import { dropPostgresDatabase, freshPostgresDatabase } from './support/postgres.ts'
import { onEachDatabase, onPostgres, type TestProgram } from './support/program.ts'
import { sharedDatabase } from './support/shared-database.ts'

/** PostgreSQL databases that one test gives back and the next one gets. */
onPostgres('a database that is used again', () => {
  /** Asks in a connection of its own, as a program does. */
  async function ask(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
    const plain = new URL(url)
    plain.search = ''
    const client = new pg.Client({ connectionString: plain.href })
    await client.connect()
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) ({ rows } = await client.query(statement))
    await client.end()
    return rows
  }
  const nameOf = (url: string) => new URL(url).pathname

  /** Gives a database back after some statements, and gets one. */
  async function afterwards(...statements: string[]): Promise<{ same: boolean; url: string }> {
    const used = await freshPostgresDatabase()
    await ask(used, ...statements)
    await dropPostgresDatabase(used)
    const url = await freshPostgresDatabase()
    return { same: nameOf(url) === nameOf(used), url }
  }

  it('has no rows, counts from one and holds what migrations put there', async () => {
    const pristine = await freshPostgresDatabase()
    const seeds = (url: string) => ask(url, 'SELECT i::text AS row FROM instance i')
    const expected = await seeds(pristine)
    await dropPostgresDatabase(pristine)
    const { same, url } = await afterwards(
      `INSERT INTO faults VALUES ('node', 'kind', 'about', 'sentence', 1, 1)`,
      `SELECT nextval('apps_id_seq'), nextval('apps_id_seq')`,
      'DELETE FROM instance',
    )
    expect(same).to.equal(true)
    expect(await ask(url, `SELECT nextval('apps_id_seq')::text`)).to.deep.equal([{ nextval: '1' }])
    expect(await ask(url, 'SELECT 1 FROM faults')).to.deep.equal([])
    expect(await seeds(url)).to.deep.equal(expected)
    await dropPostgresDatabase(url)
  })

  const changes = {
    'another table': ['CREATE TABLE more (a int)'],
    'another column': ['ALTER TABLE apps ADD COLUMN more int'],
    'another index': ['CREATE INDEX more ON apps (id)'],
    'a table that was truncated': ['TRUNCATE apps CASCADE'],
    'a setting of its own': [
      'DO $$ BEGIN EXECUTE format($f$ALTER DATABASE %I SET work_mem = $f$, current_database()) || 64; END $$',
    ],
  }
  for (const [name, statements] of Object.entries(changes)) {
    it(`is not one with ${name}`, async () => {
      const { same, url } = await afterwards(...statements)
      expect(same).to.equal(false)
      await dropPostgresDatabase(url)
    })
  }

  it('is not one that somebody is still connected to', async () => {
    const used = await freshPostgresDatabase()
    const plain = new URL(used)
    plain.search = ''
    const client = new pg.Client({ connectionString: plain.href })
    client.on('error', () => {})
    await client.connect()
    await dropPostgresDatabase(used)
    const url = await freshPostgresDatabase()
    expect(nameOf(url)).to.not.equal(nameOf(used))
    await dropPostgresDatabase(url)
  })
})

/** The tests of a suite, one after the other. */
onEachDatabase('a database that the tests of a suite share', (kind) => {
  const open = sharedDatabase(kind)

  /** Reads the part of a database that shows whether a test before it left anything. */
  async function stateOf({ program, first }: TestProgram) {
    const { read } = program.kernel.db
    const instance = await read('instance').select()
    const apps = await read('apps').select('id', 'name')
    const users = await read('users').select('id')
    return { first: first.id, instance, apps, users }
  }

  it('has no rows, counts from one and holds what migrations put there, also where a test has deleted it', async () => {
    const one = await open()
    const expected = await stateOf(one)
    expect(expected).to.deep.include({ first: 1, apps: [{ id: 1, name: 'First' }], users: [] })
    expect(expected.instance).to.have.length.above(0)
    await one.program.inTransaction((tx) => tx.crm.ensureInstall(one.first.id, 'install', one.clock.now()))
    await one.program.kernel.db.write(async (trx) => {
      await trx('instance').delete()
    })
    expect((await stateOf(one)).users).to.have.length(1)
    await one.close()
    const other = await open()
    expect(await stateOf(other)).to.deep.equal(expected)
    await other.close()
  })

  it('is another one after a test that added a table', async () => {
    const one = await open()
    await one.program.kernel.db.write(async (trx) => {
      await trx.raw('CREATE TABLE more (a integer)')
    })
    await one.close()
    const other = await open()
    expect(await other.program.kernel.db.read.schema.hasTable('more')).to.equal(false)
    expect(await stateOf(other)).to.deep.include({ first: 1, users: [] })
    await other.close()
  })

  it('is emptied only when a write that a test has left is over', async () => {
    const one = await open()
    const begun = Promise.withResolvers<void>()
    const going = Promise.withResolvers<void>()
    const left = one.program.kernel.db.write(async (trx) => {
      await trx('instance').update({ id: trx.ref('id') })
      begun.resolve()
      await going.promise
      await trx('apps').update({ name: 'Late' })
    })
    await begun.promise
    const closed = one.close()
    going.resolve()
    await Promise.all([left, closed])
    const other = await open()
    expect((await stateOf(other)).apps).to.deep.equal([{ id: 1, name: 'First' }])
    await other.close()
  })
})
