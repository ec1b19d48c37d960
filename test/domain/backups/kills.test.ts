import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Failpoint } from '../../../src/platform/process/failpoints.ts'
import { ended, killAll, run, start, temporaryDirectory } from '../../cli/cli.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

const { dir, end } = temporaryDirectory()
const at = (...path: string[]) => join(dir, ...path)
const data = at('data')
const key = join(data, 'master.key')

/** Runs a command that kill -9 ends at the failpoint. */
async function killed(point: Failpoint, argv: string[]): Promise<void> {
  const { signal, stderr } = await ended(
    start(argv, { env: { PATH: process.env.PATH, APPSVC_FAILPOINTS: `${point}:1` } }),
  )
  expect(signal, `${point}: ${stderr}`).to.equal('SIGKILL')
}

describe('kill -9', function () {
  this.timeout(PROGRAMS_MS)
  before(async () => {
    await run(['apps', 'create', 'Bakery', '--data-dir', data])
    expect((await run(['backup', at('good.sqlite'), '--data-dir', data])).code).to.equal(0)
  })
  after(killAll)
  after(end)

  for (const point of ['backup.copied', 'backup.verified', 'backup.stored'] as const) {
    it(`at ${point} leaves no backup that looks complete, and the next one is made`, async () => {
      const place = at(point)
      await killed(point, ['backup', `${place}/`, '--data-dir', data])
      expect(readdirSync(place).filter((name) => name.endsWith('.json'))).to.deep.equal([])
      expect((await run(['restore', place, '--data-dir', at('none')])).code).to.equal(66)
      expect((await run(['backup', `${place}/`, '--data-dir', data])).code).to.equal(0)
      // Nothing is left of the first one, also without --keep.
      const names = readdirSync(place)
      expect(names.map((name) => name.replace(/\d{8}T\d{6}Z/, 'TIME'))).to.have.members([
        'appsvc-TIME.sqlite',
        'appsvc-TIME.sqlite.json',
      ])
      expect(readdirSync(data).filter((name) => name.startsWith('.'))).to.deep.equal([])
    })
  }

  for (const point of ['restore.fetched', 'restore.checked', 'restore.prepared', 'restore.named'] as const) {
    const isWhole = point === 'restore.named'
    it(`at ${point} leaves ${isWhole ? 'the whole database, held' : 'no database, and the restore is repeated'}`, async () => {
      const to = at(point)
      const argv = ['restore', at('good.sqlite'), '--data-dir', to, '--key-file', key]
      await killed(point, argv)
      expect(existsSync(join(to, 'appsvc.sqlite'))).to.equal(isWhole)
      if (!isWhole) {
        // A server must not begin an empty database in its place.
        const serve = await run(['apps', 'create', 'Other', '--data-dir', to])
        expect([serve.code, serve.stderr]).to.deep.equal([78, serve.stderr])
        expect(serve.stderr).to.include('was interrupted: run appsvc restore again')
        expect((await run(argv)).code).to.equal(0)
        expect(readdirSync(to).filter((name) => name.includes('restoring'))).to.deep.equal([])
      }
      const status = await run(['status', '--json', '--data-dir', to])
      const { apps, held } = status.json<{ apps: number; held: object | null }>()
      expect([apps, held !== null]).to.deep.equal([1, true])
    })
  }

  describe('before or in a migration', () => {
    const older = at('older')
    before(async () => {
      cpSync(data, older, { recursive: true, preserveTimestamps: true })
      await run(['migrate', 'down', '--steps', '3', '--yes', '--data-dir', older])
    })

    for (const point of ['snapshot.copied', 'snapshot.named', 'migrate.stepped'] as const) {
      it(`at ${point} is made up for by the next start, and the snapshot is of the time before`, async () => {
        const to = at(`migrate-${point}`)
        cpSync(older, to, { recursive: true, preserveTimestamps: true })
        await killed(point, ['migrate', 'up', '--data-dir', to])
        const up = await run(['migrate', 'up', '--json', '--data-dir', to])
        const { applied, snapshot } = up.json<{ applied: string[]; snapshot: string }>()
        expect(applied).to.have.lengthOf(point === 'migrate.stepped' ? 2 : 3)
        expect(readdirSync(join(to, 'backups'))).to.have.lengthOf(1)
        const from = at(`from-${point}`)
        const restored = await run(['restore', snapshot, '--data-dir', from, '--key-file', key, '--json'])
        expect(restored.json()).to.include({ pendingSteps: 3 })
      })
    }
  })

  describe('without a kill, a migration', () => {
    it('copies the database first, keeps the last two copies, and says where', async () => {
      const to = at('copies')
      cpSync(data, to, { recursive: true, preserveTimestamps: true })
      const seen = new Set<string>()
      for (const steps of ['1', '1', '2']) {
        await run(['migrate', 'down', '--steps', steps, '--yes', '--data-dir', to])
        const up = await run(['migrate', 'up', '--json', '--data-dir', to])
        expect(up.stderr).to.match(
          /the database before the migration was copied to .*backups\/before-\d{4}_\w+\.sqlite/,
        )
        seen.add(up.json<{ snapshot: string }>().snapshot)
      }
      // The same upgrade replaces its copy.
      expect(seen.size).to.equal(1)
      for (const name of ['before-0001_a.sqlite', 'before-0002_b.sqlite'])
        cpSync(at('good.sqlite'), join(to, 'backups', name))
      await run(['migrate', 'down', '--yes', '--data-dir', to])
      await run(['migrate', 'up', '--data-dir', to])
      expect(readdirSync(join(to, 'backups'))).to.have.lengthOf(2)
    })

    it('copies nothing when the setting says so, and of a new database', async () => {
      const to = at('uncopied')
      await run(['migrate', 'up', '--data-dir', to])
      await run(['migrate', 'down', '--yes', '--data-dir', to])
      const environment = { APPSVC_BACKUP_BEFORE_MIGRATION: 'false' }
      expect((await run(['migrate', 'up', '--json', '--data-dir', to], { environment })).json()).to.not.have.property(
        'snapshot',
      )
      expect(existsSync(join(to, 'backups'))).to.equal(false)
    })

    it('goes on without a copy when there is no room, and says so', async () => {
      const to = at('full')
      cpSync(data, to, { recursive: true, preserveTimestamps: true })
      await run(['migrate', 'down', '--yes', '--data-dir', to])
      rmSync(join(to, 'backups'), { recursive: true, force: true })
      // As much must stay free as no disk has.
      const environment = { APPSVC_DISK_LOW_WATER: String(2 ** 49) }
      const up = await run(['migrate', 'up', '--json', '--data-dir', to], { environment })
      expect(up.stderr).to.match(/the schema is migrated without a snapshot: it needs [\d,.]+ [MGT]iB/)
      expect(up.json()).to.deep.include({ snapshot: null })
    })

    it('refuses when the copy cannot be stored, and names the setting', async () => {
      const to = at('unwritable')
      cpSync(data, to, { recursive: true, preserveTimestamps: true })
      await run(['migrate', 'down', '--yes', '--data-dir', to])
      rmSync(join(to, 'backups'), { recursive: true, force: true })
      cpSync(key, join(to, 'backups'))
      const up = await run(['migrate', 'up', '--data-dir', to])
      expect([up.code, up.stderr]).to.deep.equal([69, up.stderr])
      expect(up.stderr).to.include('set backup.beforeMigration: false')
    })
  })
})
