import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import pg from 'pg'
import { loadConfig } from '../../src/config.ts'
import { custodyOf, openProgram } from '../../src/open.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../support/postgres.ts'
import { onPostgres } from '../support/program.ts'
import { run, temporaryDirectory } from './cli.ts'

/** Commands that would make an empty database, migrate one, or say that there is none. */
const REFUSED = [
  ['serve', '--port', '0'],
  ['apps', 'create', 'y'],
  ['apps', 'list'],
  ['status'],
  ['migrate', 'up'],
  ['release'],
]

describe('a database that is gone', () => {
  const { dir, end } = temporaryDirectory()
  let count = 0
  let data: string
  const file = (name: string) => join(data, name)

  beforeEach(async () => {
    data = join(dir, `data-${++count}`)
    expect((await run(['apps', 'create', 'x', '--data-dir', data])).code).to.equal(0)
    // As a server leaves it.
    const program = openProgram({ config: (await loadConfig({ environment: {}, flags: { dataDir: data } })).config })
    await custodyOf(program).advance()
    await program.close()
  })
  after(end)

  const removeFile = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file(`appsvc.sqlite${suffix}`), { force: true })
  }
  const inFile = (statements: (names: string[]) => string[]) => () => {
    const db = new Database(file('appsvc.sqlite'))
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[]
    db.pragma('foreign_keys = OFF')
    for (const statement of statements(names.filter((name) => !/^sqlite_|_(?:rowid|node|parent)$/.test(name))))
      db.exec(statement)
    db.close()
  }
  const worlds: Record<string, () => void> = {
    'whose file vanished': removeFile,
    'whose file is empty': () => {
      removeFile()
      writeFileSync(file('appsvc.sqlite'), '')
    },
    'whose tables vanished': inFile((names) => names.map((name) => `DROP TABLE "${name}"`)),
    'whose rows vanished': inFile((names) =>
      names.filter((name) => !name.startsWith('knex_')).map((name) => `DELETE FROM "${name}"`),
    ),
  }

  for (const [what, destroy] of Object.entries(worlds)) {
    it(`${what} is refused by every command, which names backup, restore and init --again, and makes nothing`, async () => {
      const key = readFileSync(file('master.key'), 'utf8')
      destroy()
      const before = readdirSync(data).sort()
      for (const argv of REFUSED) {
        const { code, stdout, stderr } = await run([...argv, '--data-dir', data])
        expect([code, stdout], argv.join(' ')).to.deep.equal([78, ''])
        expect(stderr, argv.join(' '))
          .to.include(`${file('appsvc.sqlite')} is gone or empty`)
          .and.include('appsvc backup')
          .and.include('appsvc restore')
          .and.include('appsvc init --again')
        expect(stderr.trim().split('\n'), 'one line').to.have.lengthOf(1)
      }
      const left = readdirSync(data).sort()
      expect(left.filter((name) => !/-(?:wal|shm)$/.test(name))).to.deep.equal(
        before.filter((name) => !/-(?:wal|shm)$/.test(name)),
      )
      const examined = await run(['doctor', '--offline', '--data-dir', data])
      expect(examined.stdout).to.include('is gone or empty').and.include('init --again')
      expect(readFileSync(file('master.key'), 'utf8')).to.equal(key)
    })
  }

  it('begins anew with init --again, with the same master key', async () => {
    const key = readFileSync(file('master.key'), 'utf8')
    removeFile()
    const { code, stdout } = await run(['init', '--again', '--data-dir', data])
    expect([code, stdout]).to.deep.equal([
      0,
      'The database that is gone was forgotten. The next start of appsvc serve makes an empty one.\n',
    ])
    expect((await run(['apps', 'create', 'y', '--data-dir', data])).code).to.equal(0)
    expect(readFileSync(file('master.key'), 'utf8')).to.equal(key)
    expect((await run(['apps', 'list', '--json', '--data-dir', data])).json<unknown[]>()).to.have.lengthOf(1)
  })

  it('is restored from a backup as one line says', async () => {
    const backup = join(dir, `backup-${count}.sqlite`)
    expect((await run(['backup', backup, '--data-dir', data])).code).to.equal(0)
    removeFile()
    expect((await run(['restore', backup, '--data-dir', data])).code).to.equal(0)
    expect((await run(['apps', 'list', '--json', '--data-dir', data])).json<unknown[]>()).to.have.lengthOf(1)
  })

  it('that is there is not forgotten', async () => {
    const { code, stderr } = await run(['init', '--again', '--data-dir', data])
    expect([code, stderr.includes('is there')]).to.deep.equal([75, true])
    expect(existsSync(file('appsvc.mark'))).to.equal(true)
    const fresh = await run(['init', '--again', '--data-dir', join(dir, 'never')])
    expect([fresh.code, fresh.stderr.includes('no database was used')]).to.deep.equal([75, true])
  })
})

onPostgres('a PostgreSQL database that was emptied', () => {
  const { dir, end } = temporaryDirectory()
  let url: string
  before(async () => {
    url = await freshPostgresDatabase({ migrated: false })
  })
  after(async () => {
    await dropPostgresDatabase(url)
    end()
  })

  it('is refused by every command until init --again', async () => {
    const data = join(dir, 'data')
    const environment = { APPSVC_DATABASE_URL: url }
    const here = (...argv: string[]) => run([...argv, '--data-dir', data], { environment })
    expect((await here('apps', 'create', 'x')).code).to.equal(0)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    await client.end()
    for (const argv of REFUSED) {
      const { code, stderr } = await here(...argv)
      expect([code, stderr], argv.join(' ')).to.deep.equal([78, stderr])
      expect(stderr)
        .to.include('the PostgreSQL database is empty')
        .and.include('pg_restore')
        .and.include('init --again')
      expect(stderr).to.not.include(url)
    }
    expect((await here('init', '--again')).code).to.equal(0)
    expect((await here('apps', 'create', 'y')).code).to.equal(0)
    expect((await here('apps', 'list', '--json')).json<unknown[]>()).to.have.lengthOf(1)
  })
})
