import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram, refuseToGoOn, settleMasterKey } from '../../src/open.ts'
import { messageOf } from '../../src/platform/errors.ts'
import type { NodeFacts } from '../../src/platform/instance/nodes.repository.ts'
import { eventually } from '../support/eventually.ts'
import { dropPostgresDatabase, freshPostgresDatabase, startPostgres } from '../support/postgres.ts'
import { onPostgres } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { ended, firstLine, killAll, run, start, temporaryDirectory } from './cli.ts'

interface Listed {
  nodes: { id: string; host: string; pid: number; state: string; roles: string[]; stoppedAt: string | null }[]
  disagreements: string[]
}

const anotherKey = () => `${randomBytes(32).toString('base64')}\n`

onPostgres('nodes on one PostgreSQL', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  let url: string
  let number = 0
  let home: string

  before(startPostgres)
  beforeEach(async () => {
    url = await freshPostgresDatabase({ migrated: false })
    home = join(dir, `round-${++number}`)
    mkdirSync(home)
  })
  afterEach(async () => {
    killAll()
    await dropPostgresDatabase(url)
  })
  after(end)

  const keyOf = (name: string) => join(home, name, 'master.key')
  const at = (name: string) => ['--data-dir', join(home, name)]
  const environment = () => ({ APPSVC_DATABASE_URL: url })
  const startAt = (name: string, ...argv: string[]) =>
    start([...argv, ...at(name)], { env: { ...process.env, ...environment(), APPSVC_WORKERS_DELIVER: '1' } })
  const serveAt = (name: string, ...more: string[]) => startAt(name, 'serve', '--port', '0', '--json', ...more)
  const command = (name: string, ...argv: string[]) =>
    run([...argv, '--json', ...at(name)], { environment: environment() })
  const nodes = async (name: string) => (await command(name, 'nodes', '--all')).json<Listed>()

  function giveKey(name: string, key: string): void {
    mkdirSync(join(home, name), { recursive: true })
    writeFileSync(keyOf(name), key, { mode: 0o600 })
  }

  async function inside<T>(name: string, work: (program: ReturnType<typeof openProgram>) => Promise<T>): Promise<T> {
    const { config } = await loadConfig({ environment: environment(), flags: { dataDir: join(home, name) } })
    const program = openProgram({ config })
    try {
      return await work(program)
    } finally {
      await program.close()
    }
  }

  async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  it('are shown with their roles while they live, when they stopped, and when they were killed; a key revoked at one ends at all', async () => {
    const key = anotherKey()
    for (const name of ['a', 'b', 'c']) giveKey(name, key)
    // The first start migrates; the others may come at the same time.
    const children = [serveAt('a'), serveAt('b', '--no-workers'), startAt('c', 'worker', '--json')]
    const lines = await Promise.all(children.map((child) => firstLine<{ listening: string | null }>(child)))
    const rolesOf = async () => {
      const found = await nodes('a')
      expect(found.disagreements).to.deep.equal([])
      return found.nodes.map(({ state, host, pid, roles }) => [state, host, pid, roles.join()])
    }
    const expected = (states: string[]) =>
      ['http,workers', 'http', 'workers'].map((roles, i) => [states[i]!, hostname(), children[i]!.pid, roles])
    expect(await rolesOf()).to.have.deep.members(expected(['alive', 'alive', 'alive']))
    const status = await command('a', 'status')
    expect(status.json<{ running: boolean; nodes: object[] }>()).to.deep.include({ running: true, disagreements: [] })
    expect(status.json<{ nodes: object[] }>().nodes).to.have.lengthOf(3)

    const made = (await command('b', 'apps', 'create', 'x')).json<{ apiKey: string }>()
    const issued = (await command('b', 'keys', 'create', '--app', '1', '--server', '--scope', 'read')).json<{
      id: number
      key: string
    }>()
    const authorization = `Basic ${Buffer.from(`${made.apiKey}:${issued.key}`).toString('base64')}`
    const ask = async (address: string) =>
      (await fetch(`${address}/messages/channels`, { headers: { authorization } })).status
    const addresses = lines.flatMap(({ listening }) => listening ?? [])
    for (const address of addresses) expect(await ask(address)).to.equal(200)
    expect((await command('b', 'keys', 'revoke', String(issued.id), '--app', '1')).code).to.equal(0)
    // Each keeps a key for a second (test/domain/apps).
    for (const address of addresses) await eventually(async () => (await ask(address)) === 401, 'the key is refused')

    await stop(children[2]!)
    await stop(children[1]!, 'SIGKILL')
    await inside('a', (program) =>
      program.kernel.db.write((trx) => trx('nodes').where({ pid: children[1]!.pid }).decrement('seen_at', 30_000)),
    )
    expect(await rolesOf()).to.have.deep.members(expected(['alive', 'gone', 'stopped']))
    await stop(children[0]!)
    expect((await command('a', 'status')).json()).to.include({ running: false })
  })

  it('of which another has a wrong key, or none: it says why, claims nothing, changes no schema and leaves no key', async () => {
    expect((await command('right', 'apps', 'create', 'x')).code).to.equal(0)
    giveKey('wrong', anotherKey())
    // As if the stranger were of a newer version, which would migrate.
    await inside('right', (program) =>
      program.kernel.db.write((trx) => trx('schema_migrations').where('name', 'like', '%_imports').delete()),
    )
    await inside('right', (program) => program.kernel.db.write((trx) => trx.schema.dropTable('imports')))
    const starts = ['serve', 'worker']
    const refused = await Promise.all(starts.map((what) => ended(startAt('wrong', what))))
    for (const argv of [
      ['migrate', 'up'],
      ['apps', 'list'],
    ])
      refused.push({ ...(await run([...argv, ...at('wrong')], { environment: environment() })), signal: null })
    for (const { code, stdout, stderr } of refused) {
      expect([code, stdout]).to.deep.equal([78, ''])
      expect(stderr).to.include(`the master key in ${keyOf('wrong')} is not the one`)
    }
    const none = await run(['migrate', 'up', ...at('none')], { environment: environment() })
    expect(none.code).to.equal(78)
    expect(none.stderr).to.include(`${keyOf('none')} is missing`)
    expect(existsSync(keyOf('none'))).to.equal(false)
    await inside('right', async ({ kernel: { db } }) =>
      expect(await db.read.schema.hasTable('imports'), 'not migrated').to.equal(false),
    )
    expect((await nodes('right')).nodes, 'none of them was ever a node').to.deep.equal([])
  })

  it('that start for the first time at once with keys of their own: one wins, the others end with 78 and keep none', async () => {
    const names = ['a', 'b']
    const children = names.map((name) => startAt(name, 'serve', '--port', '0', '--no-workers'))
    const outcomes = await Promise.all(
      children.map((child) =>
        Promise.race([
          once(child.stdout!, 'data').then(() => 'ready'),
          ended(child).then(({ code, stderr }) => `${code} ${/is not the one|is missing/.test(stderr)}`),
        ]),
      ),
    )
    expect(outcomes.toSorted()).to.deep.equal(['78 true', 'ready'])
    expect(names.map((name) => existsSync(keyOf(name)))).to.deep.equal(outcomes.map((outcome) => outcome === 'ready'))
    expect((await nodes(names[outcomes.indexOf('ready')]!)).nodes).to.have.lengthOf(1)
  })

  it('make no key in their threads when the file is gone or another while they run', async () => {
    giveKey('a', anotherKey())
    const { config } = await loadConfig({ environment: environment(), flags: { dataDir: join(home, 'a') } })
    const first = openProgram({ config })
    const keyCheck = first.kernel.vault.keyCheck()
    await first.close()
    await openProgram({ config, keyCheck }).close()
    rmSync(keyOf('a'))
    expect(() => openProgram({ config, keyCheck })).to.throw('put the key file back')
    expect(existsSync(keyOf('a'))).to.equal(false)
    writeFileSync(keyOf('a'), anotherKey())
    expect(() => openProgram({ config, keyCheck })).to.throw('is not the one')
  })

  it('must not go on when their database belongs to another key', async () => {
    giveKey('a', anotherKey())
    await inside('a', async (program) => {
      await program.migrate()
      await settleMasterKey(program)
      await refuseToGoOn(program)
      await program.kernel.db.write((trx) => trx('instance').update({ key_check: 'another' }))
      const refusal = await refuseToGoOn(program).then(() => 'none', messageOf)
      expect(refusal).to.include('is not the one that this database belongs to')
    })
  })

  it('of which a newer one changes the schema: compatible steps at once, others when no older node runs', async () => {
    giveKey('a', anotherKey())
    const older = serveAt('a')
    await firstLine(older)
    const newer: NodeFacts = {
      id: 'newer',
      host: 'other',
      pid: 1,
      version: '9.0.0',
      schemaStep: '9998_added',
      keyPrint: 'k',
      roles: ['workers'],
    }
    // What a newer program does when it starts, as far as an older one can see it.
    await inside('a', async (program) => {
      await program.kernel.db.write(async (trx) => {
        await trx.schema.createTable('added', (t) => void t.increments('id'))
        await trx('schema_migrations').insert({ name: '9998_added', applied_at: 1, compatible: true })
      })
      await program.inTransaction((tx) => tx.nodes.enter(newer, 0))
    })
    const second = serveAt('a', '--no-workers')
    expect(await firstLine(second), 'an older program starts beside it').to.include({ database: 'postgres' })
    expect((await command('a', 'apps', 'create', 'x')).code).to.equal(0)
    expect((await nodes('a')).disagreements.join())
      .to.include('nodes run different versions')
      .and.include('9.0.0 on other')
    // An older program cannot be kept from working on a schema that a newer one changed by force: it notices.
    const ends = [older, second].map((child) => ended(child))
    await inside('a', (program) =>
      program.kernel.db.write((trx) => trx('schema_migrations').insert({ name: '9999_broken', applied_at: 1 })),
    )
    for (const { code, stderr } of await Promise.all(ends)) {
      expect(code).to.equal(78)
      expect(stderr).to.include('upgraded by a newer appsvc (it has 9999_broken)')
    }
    expect((await command('a', 'apps', 'list')).code, 'commands refuse too').to.equal(78)
    await inside('a', async (program) => {
      const own = (await program.nodes.list()).filter(({ id }) => id !== 'newer')
      expect(
        own.map(({ stoppedAt }) => stoppedAt !== null),
        'they said that they stop',
      ).to.deep.equal([true, true])
    })
  })
})
