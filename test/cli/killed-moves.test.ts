import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Failpoint } from '../../src/platform/process/failpoints.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../support/postgres.ts'
import { onPostgres } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { ended, firstLine, killAll, run, start, temporaryDirectory } from './cli.ts'

/** Runs a command that kills itself at the failpoint. */
async function killedAt(point: Failpoint, argv: string[]): Promise<void> {
  const env = { PATH: process.env.PATH, APPSVC_FAILPOINTS: `${point}:1` }
  const { signal, stderr } = await ended(start(argv, { env }))
  expect(signal, `${point}: ${stderr}`).to.equal('SIGKILL')
}

const COPY: readonly Failpoint[] = ['copy.prepared', 'copy.page', 'copy.table', 'copy.compared', 'copy.held']
const ROTATE: readonly Failpoint[] = [
  'rotate.written',
  'rotate.sealed',
  'rotate.stored',
  'rotate.kept',
  'rotate.replaced',
]

describe('a command that is killed in the middle', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  after(killAll)
  after(end)
  const data = join(dir, 'data')
  let keys: { apiKey: string; serverKey: string }

  before(async () => {
    keys = (await run(['apps', 'create', 'Shop', '--data-dir', data, '--json'])).json<typeof keys>()
    expect((await run(['gateways', 'set', 'Shop', 'web', '--data-dir', data])).code).to.equal(0)
  })

  it('db copy goes on where it was, whatever the phase, and only the copy sends', async () => {
    const source = join(dir, 'source')
    cpSync(data, source, { recursive: true })
    expect((await run(['release', '--yes', '--data-dir', source])).code).to.equal(0)
    const target = join(dir, 'target')
    const copy = ['db', 'copy', '--to', target, '--with-key', '--data-dir', source]
    for (const point of COPY) {
      await killedAt(point, copy)
      const started = await run(['apps', 'list', '--data-dir', target])
      // The key comes with the end of the copy.
      expect(started.code, point).to.equal(78)
      const status = (await run(['status', '--data-dir', source])).stdout
      expect(status.includes('was moved to'), point).to.equal(point === 'copy.held')
    }
    const again = await run(copy)
    expect(again.stderr).to.include('An interrupted copy goes on.')
    expect(again.stdout).to.include('all are equal')
    expect((await run(['apps', 'list', '--data-dir', target])).stdout).to.include('Shop')
    expect((await run(['status', '--data-dir', target])).stdout).to.not.include('held')
    expect((await run(['status', '--data-dir', source])).stdout).to.include('was moved to')
    const repeated = await run(copy)
    expect(repeated.code, repeated.stderr).to.equal(0)
    expect(repeated.stdout).to.include(`was moved to ${target} before`)
    expect(repeated.stderr).to.include(`appsvc serve --data-dir ${target}`)
    expect((await run([...copy, '--json'])).json()).to.include({ repeated: true, source: 'held', target: 'ready' })
    // What the copy has by now is nobody's to drop.
    const anew = await run([...copy, '--restart'])
    expect([anew.code, anew.stderr]).to.deep.equal([
      75,
      `appsvc: ${target} is not empty: name an empty database or directory\n`,
    ])
    // Also while a server runs on the copy, and after the key was left out.
    rmSync(join(target, 'master.key'))
    expect((await run(copy)).code).to.equal(0)
    const server = start(['serve', '--port', '0', '--json', '--data-dir', target], { env: { PATH: process.env.PATH } })
    await firstLine(server)
    expect((await run(copy)).stdout).to.include(`was moved to ${target} before`)
    const stopped = ended(server)
    server.kill('SIGTERM')
    await stopped
    // Another database at the place of the copy is not the copy, and a source that goes on is no finished one.
    expect((await run(['release', '--yes', '--data-dir', source])).code).to.equal(0)
    expect((await run(copy)).stderr).to.include('is not empty')
  })

  it('keys rotate is finished by the next start or rotation, and the database always has a key', async () => {
    for (const point of ROTATE) {
      const rotated = join(dir, point)
      cpSync(data, rotated, { recursive: true })
      const before = readFileSync(join(rotated, 'master.key'), 'utf8')
      await killedAt(point, ['keys', 'rotate', '--master', '--data-dir', rotated])
      expect((await run(['gateways', 'check', 'Shop', '--data-dir', rotated])).stderr, point).to.not.include(
        'master key',
      )
      const hasStored = point !== 'rotate.written' && point !== 'rotate.sealed'
      expect(readFileSync(join(rotated, 'master.key'), 'utf8') !== before, point).to.equal(hasStored)
      if (!hasStored) {
        const again = await run(['keys', 'rotate', '--master', '--data-dir', rotated, '--json'])
        expect(again.json(), point).to.include({ values: 1, unopened: 0 })
      }
      const names = readdirSync(rotated).filter((name) => name.startsWith('master.key'))
      expect(names, point).to.deep.equal(['master.key', 'master.key.former-1'])
      expect(readFileSync(join(rotated, 'master.key.former-1'), 'utf8'), point).to.equal(before)
    }
    // With a key that is given, a rotation that is repeated has nothing left to do.
    const rotated = join(dir, ROTATE[0]!)
    const given = join(dir, 'given.key')
    writeFileSync(given, Buffer.alloc(32, 5).toString('base64'), { mode: 0o600 })
    const rotate = ['keys', 'rotate', '--master', '--key-file', given, '--data-dir', rotated]
    expect((await run(rotate)).stdout).to.include('1 stored secret sealed anew')
    const repeated = await run(rotate)
    expect([repeated.code, repeated.stdout]).to.deep.equal([
      0,
      'The database belongs to this master key already: nothing was sealed anew.\n',
    ])
  })

  it('the commands name what is wrong with their flags', async () => {
    const rows: [string[], number, string][] = [
      [['db', 'copy'], 64, 'name the target with --to, --to-file or APPSVC_COPY_TO'],
      [['db', 'copy', '--to', 'postgres://me:hidden@host/db'], 64, '--to must not contain a password'],
      [['db', 'copy', '--to', 'mysql://host/db'], 64, 'neither postgres://'],
      [['db', 'copy', '--to', data], 64, 'the target is the source'],
      [['db', 'copy', '--to', 'postgres://host/db', '--with-key'], 64, '--with-key is for a data directory'],
      [['keys', 'rotate'], 64, 'master'],
      [['keys', 'rotate', '--master', '--key-file', join(dir, 'none')], 66, 'there is no file'],
    ]
    for (const [argv, code, message] of rows) {
      const ran = await run([...argv, '--data-dir', data])
      expect(ran.stderr, argv.join(' ')).to.include(message).and.not.include('hidden')
      expect(ran.code, argv.join(' ')).to.equal(code)
    }
    expect(existsSync(join(data, 'master.key.next'))).to.equal(false)
  })

  onPostgres('on PostgreSQL', () => {
    it('both find that somebody else is connected, and the address stays hidden', async () => {
      const url = await freshPostgresDatabase({ migrated: false })
      const withPassword = new URL(url)
      withPassword.password ||= 'hidden-password'
      const source = join(dir, 'moving')
      cpSync(data, source, { recursive: true })
      await run(['release', '--yes', '--data-dir', source])
      const moved = await run(['db', 'copy', '--to-file', '-', '--data-dir', source], { stdin: withPassword.href })
      expect(moved.stderr + moved.stdout)
        .to.include(':***@')
        .and.not.include(withPassword.password)
      expect(moved.code, moved.stderr).to.equal(0)
      const environment = { APPSVC_DATABASE_URL: url, APPSVC_DATA_DIR: source }
      const repeated = await run(['db', 'copy', '--to-file', '-', '--data-dir', source], { stdin: withPassword.href })
      expect(repeated.code, repeated.stderr).to.equal(0)
      expect(repeated.stdout).to.include('before, and the copy is whole').and.not.include(withPassword.password)
      const server = start(['serve', '--port', '0', '--json'], { env: { PATH: process.env.PATH, ...environment } })
      const { listening } = await firstLine<{ listening: string }>(server)
      const back = await run(['db', 'copy', '--to', join(dir, 'back')], { environment })
      expect(back.stderr).to.include('stop every server')
      expect(back.code).to.equal(69)
      const rotated = await run(['keys', 'rotate', '--master'], { environment })
      expect(rotated.stderr).to.include('stop every server')
      expect((await fetch(`${listening}/readyz`)).status).to.equal(200)
      const stopped = ended(server)
      server.kill('SIGTERM')
      await stopped
      expect((await run(['keys', 'rotate', '--master', '--json'], { environment })).json()).to.include({ values: 1 })
      const home = await run(['db', 'copy', '--to', join(dir, 'back'), '--with-key'], { environment })
      expect(home.code, home.stderr).to.equal(0)
      const again = start(['serve', '--port', '0', '--json', '--data-dir', join(dir, 'back')], {
        env: { PATH: process.env.PATH },
      })
      const { listening: there } = await firstLine<{ listening: string }>(again)
      const answer = await fetch(`${there}/readyz`)
      expect(await answer.json()).to.not.have.property('warnings')
      expect(keys.serverKey).to.not.equal(undefined)
      await dropPostgresDatabase(url)
    })
  })
})
