import { expect } from 'chai'
import pg from 'pg'
import { dropPostgresDatabase, freshPostgresDatabase } from './support/postgres.ts'
import { onPostgres } from './support/program.ts'

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
