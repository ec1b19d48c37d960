import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram, settleMasterKey } from '../../src/open.ts'
import { credential } from '../support/gateways.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../support/postgres.ts'
import { onPostgres } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { ended, firstLine, killAll, run, start, temporaryDirectory } from './cli.ts'

const anotherKey = () => `${randomBytes(32).toString('base64')}\n`

describe('a wrong master key', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  after(killAll)
  after(end)

  it('is refused by the server and by commands, naming the file and the remedy, never the key', async () => {
    const data = join(dir, 'data')
    const key = join(data, 'master.key')
    // A process of its own: one that is refused takes back a key that it made itself.
    expect((await ended(start(['apps', 'create', 'x', '--data-dir', data]))).code).to.equal(0)
    const right = readFileSync(key, 'utf8')
    const wrong = anotherKey()
    writeFileSync(key, wrong)
    for (const argv of [
      ['serve', '--port', '0'],
      ['worker'],
      ['apps', 'list'],
      ['status'],
      ['migrate', 'status'],
      ['release'],
    ]) {
      const { code, stdout, stderr } = await run([...argv, '--data-dir', data])
      expect(code, argv.join(' ')).to.equal(78)
      expect(stderr.trim(), argv.join(' ')).to.equal(
        `appsvc: the master key in ${key} is not the one that this database belongs to: put the right key file there, or name it with masterKeyFile`,
      )
      for (const secret of [right, wrong]) expect(stdout + stderr).to.not.include(secret.trim())
    }
    expect(readFileSync(key, 'utf8'), 'the file of the operator stays').to.equal(wrong)
    writeFileSync(key, right)
    expect((await run(['apps', 'list', '--data-dir', data])).code).to.equal(0)
  })

  it('is not adopted by a database from before there was a check, when something sealed says otherwise', async () => {
    const data = join(dir, 'older')
    const key = join(data, 'master.key')
    await run(['apps', 'create', 'x', '--data-dir', data])
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    const ios = credential()
    await program.inTransaction((tx) => tx.gateways.configure(1, { ios }))
    // As the version before left it.
    await program.kernel.db.write((trx) => trx('instance').update({ key_check: null }))
    await program.close()
    const right = readFileSync(key, 'utf8')
    writeFileSync(key, anotherKey())
    expect((await run(['apps', 'list', '--data-dir', data])).code).to.equal(78)
    writeFileSync(key, right)
    expect((await run(['apps', 'list', '--data-dir', data])).code).to.equal(0)
    writeFileSync(key, anotherKey())
    expect((await run(['apps', 'list', '--data-dir', data])).code, 'from now on it is known').to.equal(78)
  })
})

onPostgres('the master key of several machines', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  let url: string
  beforeEach(async () => {
    url = await freshPostgresDatabase({ migrated: false })
  })
  afterEach(async () => {
    killAll()
    await dropPostgresDatabase(url)
  })
  after(end)

  const at = (name: string) => ['--data-dir', join(dir, name)]
  const environment = () => ({ APPSVC_DATABASE_URL: url })

  it('a second one without the key file refuses, and makes none', async () => {
    expect((await run(['apps', 'create', 'x', ...at('first')], { environment: environment() })).code).to.equal(0)
    for (const argv of [['serve', '--port', '0'], ['worker'], ['apps', 'list']]) {
      const { code, stderr } = await run([...argv, ...at('second')], { environment: environment() })
      expect([code, stderr]).to.deep.equal([78, stderr])
      expect(stderr)
        .to.include(`${join(dir, 'second', 'master.key')} is missing`)
        .and.include('copy master.key')
      expect(existsSync(join(dir, 'second', 'master.key')), argv.join(' ')).to.equal(false)
    }
    writeFileSync(join(dir, 'second', 'master.key'), readFileSync(join(dir, 'first', 'master.key')))
    const second = start(['serve', '--port', '0', '--json', '--no-workers', ...at('second')], {
      env: { PATH: process.env.PATH!, ...environment() },
    })
    expect(await firstLine(second)).to.include({ database: 'postgres' })
  })

  it('of several first starts at once one wins, the others refuse and keep no key', async () => {
    const names = ['a', 'b', 'c']
    const apps = await Promise.all(
      names.map(async (name) => {
        const { config } = await loadConfig({
          environment: {},
          flags: { dataDir: join(dir, `race-${name}`), 'database.url': url },
        })
        return openProgram({ config })
      }),
    )
    await apps[0]!.migrate()
    const outcomes = await Promise.allSettled(apps.map((program) => settleMasterKey(program)))
    for (const program of apps) await program.close()
    const won = outcomes.map(({ status }) => status === 'fulfilled')
    expect(won.filter(Boolean)).to.have.lengthOf(1)
    const left = names.map((name) => existsSync(join(dir, `race-${name}`, 'master.key')))
    expect(left, 'who lost has no key file').to.deep.equal(won)
  })
})
