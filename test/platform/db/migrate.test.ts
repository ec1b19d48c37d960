import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { connect, type Database } from '../../../src/platform/db/connect.ts'
import { type Migrations, migrateDown, migrateUp, migrationStatus } from '../../../src/platform/db/migrate.ts'
import { messageOf } from '../../../src/platform/errors.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../../support/postgres.ts'
import { type DatabaseKind, onEachDatabase, openTestDatabase } from '../../support/program.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

/** A step that makes one table. */
const table = (name: string) => ({
  up: async (db: Database['read']) => db.schema.createTable(name, (t) => void t.increments('id')),
  down: async (db: Database['read']) => db.schema.dropTable(name),
})
const steps: Migrations = { '0002_b': table('b'), '0001_a': table('a'), '0010_c': table('c') }
/** The migrations of an older program. */
const first: Migrations = { '0000_z': table('z') }
const failure = async (promise: Promise<unknown>) => promise.then(() => 'no error', messageOf)

onEachDatabase('migrations', (kind) => {
  let db: Database
  let close: () => Promise<void>

  beforeEach(async () => {
    ;({ db, close } = await openTestDatabase(kind))
  })
  afterEach(() => close())

  it('are all pending on an empty database', async () => {
    const status = { applied: [], pending: ['0001_a', '0002_b', '0010_c'], unknown: [], breaking: [] }
    expect(await migrationStatus(db, steps)).to.deep.equal(status)
  })

  it('run once, in the order of their names', async () => {
    expect(await migrateUp(db, steps)).to.deep.equal(['0001_a', '0002_b', '0010_c'])
    expect(await migrateUp(db, steps)).to.deep.equal([])
    for (const name of ['a', 'b', 'c']) expect(await db.read.schema.hasTable(name), name).to.equal(true)
    const status = { applied: ['0001_a', '0002_b', '0010_c'], pending: [], unknown: [], breaking: [] }
    expect(await migrationStatus(db, steps)).to.deep.equal(status)
  })

  it('are taken back newest first, as many as asked, and can be applied again', async () => {
    await migrateUp(db, steps)
    expect(await migrateDown(db, steps)).to.deep.equal(['0010_c'])
    expect(await migrateDown(db, steps, 0)).to.deep.equal([])
    expect(await migrateDown(db, steps, 9)).to.deep.equal(['0002_b', '0001_a'])
    expect(await db.read.schema.hasTable('a')).to.equal(false)
    expect(await migrateDown(db, steps)).to.deep.equal([])
    expect(await migrateUp(db, steps)).to.have.length(3)
  })

  it('leave the steps before one that fails, and nothing of that one', async () => {
    await migrateUp(db, first)
    const broken: Migrations = {
      ...first,
      ...steps,
      '0002_b': {
        ...table('b'),
        up: async (trx) => {
          await trx.schema.createTable('half', (t) => void t.increments('id'))
          throw new Error('broken step')
        },
      },
    }
    expect(await failure(migrateUp(db, broken))).to.equal('broken step')
    expect(await db.read.schema.hasTable('half')).to.equal(false)
    expect((await migrationStatus(db, broken)).applied).to.deep.equal(['0000_z', '0001_a'])
    expect(await migrateUp(db, { ...first, ...steps })).to.deep.equal(['0002_b', '0010_c'])
  })

  it('leave nothing in an empty database when one fails', async () => {
    const broken: Migrations = {
      ...steps,
      '0010_c': { ...table('c'), up: () => Promise.reject(new Error('broken step')) },
    }
    expect(await failure(migrateUp(db, broken))).to.equal('broken step')
    expect(await db.read.schema.hasTable('a')).to.equal(false)
    expect(await migrationStatus(db, steps)).to.deep.include({ applied: [], unknown: [] })
    expect(await migrateUp(db, steps)).to.have.length(3)
  })

  it('refuse a database that a newer program upgraded', async () => {
    await migrateUp(db, steps)
    const older: Migrations = { '0001_a': steps['0001_a']!, '0002_b': steps['0002_b']! }
    expect(await migrationStatus(db, older)).to.deep.include({ unknown: ['0010_c'], breaking: ['0010_c'] })
    expect(await failure(migrateUp(db, older))).to.include('newer appsvc (it has 0010_c)')
    expect(await failure(migrateDown(db, older))).to.include('does not know the step 0010_c')
  })

  describe('by a newer program', () => {
    const older: Migrations = { '0001_a': steps['0001_a']! }
    const added: Migrations = { ...older, '0002_b': { ...table('b'), compatible: true } }
    const broken: Migrations = { ...added, '0010_c': table('c') }

    it('leave an older one working while they are compatible, and refuse it after one that is not', async () => {
      await migrateUp(db, older)
      expect(await migrateUp(db, added)).to.deep.equal(['0002_b'])
      expect(await migrationStatus(db, older)).to.deep.include({ unknown: ['0002_b'], breaking: [] })
      expect(await migrateUp(db, older)).to.deep.equal([])
      await migrateUp(db, broken)
      expect(await failure(migrateUp(db, older))).to.include('newer appsvc (it has 0010_c)')
      await migrateDown(db, broken)
      expect(await migrateUp(db, older), 'until that step is reverted').to.deep.equal([])
    })

    it('refuse an older one that has steps of its own', async () => {
      await migrateUp(db, added)
      const branch: Migrations = { ...older, '0003_x': table('x') }
      expect(await failure(migrateUp(db, branch))).to.include('newer appsvc (it has 0002_b)')
      expect(await db.read.schema.hasTable('x')).to.equal(false)
    })

    it('ask before the first step that is not compatible, and change nothing when they may not', async () => {
      const asked: string[] = []
      const beforeBreaking = async (_: unknown, step: string) => {
        asked.push(step)
        throw new Error('others run')
      }
      expect(await migrateUp(db, older, { beforeBreaking }), 'an empty database').to.deep.equal(['0001_a'])
      expect(await migrateUp(db, added, { beforeBreaking })).to.deep.equal(['0002_b'])
      expect(await failure(migrateUp(db, broken, { beforeBreaking }))).to.equal('others run')
      expect(asked).to.deep.equal(['0010_c'])
      expect((await migrationStatus(db, broken)).pending).to.deep.equal(['0010_c'])
    })

    it('find the table of an older program without the column', async () => {
      await migrateUp(db, older)
      await db.write((trx) => trx.raw('ALTER TABLE schema_migrations DROP COLUMN compatible'))
      expect(await migrateUp(db, older)).to.deep.equal([])
      expect(await failure(migrateUp(db, { '0000_z': table('z') }))).to.include('newer appsvc (it has 0001_a)')
      expect(await migrateUp(db, added)).to.deep.equal(['0002_b'])
      expect(await migrationStatus(db, older)).to.deep.include({ unknown: ['0002_b'], breaking: [] })
    })
  })

  describe('that replace former ones', () => {
    const former: Migrations = { '0001_a': table('a'), '0002_b': table('b') }
    const both: Migrations = {
      '0010_c': {
        up: async (trx) => {
          for (const step of Object.values(former)) await step.up(trx)
        },
        down: () => Promise.reject(new Error('not reverted here')),
        replaces: { names: Object.keys(former), commit: 'abc1' },
      },
      '0011_d': table('d'),
    }

    it('are recorded in their place, and later steps run', async () => {
      await migrateUp(db, former)
      expect(await migrateUp(db, both)).to.deep.equal(['0010_c', '0011_d'])
      expect((await migrationStatus(db, both)).applied).to.deep.equal(['0010_c', '0011_d'])
      expect(await migrateUp(db, both)).to.deep.equal([])
      expect(await failure(migrateUp(db, former))).to.include('newer appsvc (it has 0010_c, 0011_d)')
    })

    it('run as any other on an empty database', async () => {
      expect(await migrateUp(db, both)).to.deep.equal(['0010_c', '0011_d'])
    })

    it('are refused when one of the former is missing, or one is there that nobody knows', async () => {
      await migrateUp(db, { '0001_a': former['0001_a']! })
      expect(await failure(migrateUp(db, both))).to.include('run appsvc migrate up of commit abc1 on it first')
      expect((await migrationStatus(db, both)).passThrough).to.equal('abc1')
      await migrateUp(db, { ...former, '0003_x': table('x') })
      expect(await failure(migrateUp(db, both))).to.include('newer appsvc (it has 0003_x)')
      expect((await migrationStatus(db, both)).applied).to.deep.equal(['0001_a', '0002_b', '0003_x'])
    })
  })

  it('a step is applied once when two programs start together', async () => {
    const done = await Promise.all([migrateUp(db, steps), migrateUp(db, steps)])
    expect(done.flat().sort()).to.deep.equal(['0001_a', '0002_b', '0010_c'])
  })
})

onEachDatabase('a migration that is killed half-way', function (kind) {
  this.timeout(PROGRAMS_MS)
  it('leaves whole steps only, and the next start finishes', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
    const file = join(dir, 'db.sqlite')
    const url = kind === 'postgres' ? await freshPostgresDatabase({ migrated: false }) : undefined
    const before = connect({ url, file, log: silentLog })
    await migrateUp(before, first)
    await before.close()
    await runUntilKilled(kind, url ?? file)
    const db = connect({ url, file, log: silentLog })
    expect((await migrationStatus(db, steps)).applied).to.deep.equal(['0000_z', '0001_a'])
    expect(await db.read.schema.hasTable('b')).to.equal(false)
    expect(await migrateUp(db, { ...first, ...steps })).to.deep.equal(['0002_b', '0010_c'])
    await db.close()
    if (url) await dropPostgresDatabase(url)
    rmSync(dir, { recursive: true, force: true })
  })
})

/** Another process that kills itself (signal 9) inside its second step, when the table is made and not yet committed. */
async function runUntilKilled(kind: DatabaseKind, where: string): Promise<void> {
  const child = execFile(process.execPath, [join(import.meta.dirname, 'killed-migration.ts'), kind, where])
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals | null>()
  child.once('exit', (_, signal) => resolve(signal))
  expect(await promise).to.equal('SIGKILL')
}
