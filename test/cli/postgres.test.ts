import { join } from 'node:path'
import { expect } from 'chai'
import { dropPostgresDatabase, freshPostgresDatabase, startPostgres } from '../support/postgres.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { firstLine, killAll, type Ran, run, start, temporaryDirectory } from './cli.ts'

describe('the command line on PostgreSQL', () => {
  const { dir, end } = temporaryDirectory()
  let url: string
  const at = () => ['--data-dir', join(dir, 'data'), '--json']
  const environment = () => ({ APPSVC_DATABASE_URL: url })
  const command = (...argv: string[]): Promise<Ran> => run([...argv, ...at()], { environment: environment() })

  before(async function () {
    this.timeout(PROGRAMS_MS)
    await startPostgres()
    url = await freshPostgresDatabase({ migrated: false })
  })
  after(async () => {
    killAll()
    await dropPostgresDatabase(url)
    end()
  })

  it('migrates an empty database and works on it', async () => {
    expect((await command('migrate', 'status')).json()).to.deep.include({ applied: [], unknown: [] })
    expect((await command('apps', 'create', 'x')).json()).to.include({ id: 1, name: 'x' })
    expect((await command('migrate', 'up')).json()).to.deep.equal({ applied: [] })
    expect((await command('status')).json()).to.include({ running: false, database: 'postgres', apps: 1 })
  })

  it('runs HTTP and workers apart, on one data directory', async () => {
    const withUrl = { env: { ...process.env, ...environment() } }
    const server = start(['serve', '--no-workers', '--port', '0', ...at()], withUrl)
    const worker = start(['worker', '--metrics-port', '0', ...at()], withUrl)
    expect(await firstLine(server)).to.include({ database: 'postgres', workers: false })
    const working = await firstLine(worker)
    expect(working).to.include({ listening: null, database: 'postgres', workers: true })
    const metrics = await fetch(working.metrics as string)
    expect(await metrics.text()).to.include('appsvc_recipients_total{outcome="accepted"} 0\n')
    const health = await fetch(new URL('/healthz', working.metrics as string))
    expect(await health.json()).to.deep.equal({ status: 'ok' })
    for (const child of [server, worker]) {
      const code = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      expect(await code).to.equal(0)
    }
  })

  it('a wrong password is told without showing it', async () => {
    const wrong = new URL(url)
    wrong.username = 'nobody'
    wrong.password = 'hidden'
    const { code, stderr, stdout } = await run(['apps', 'list', '--data-dir', join(dir, 'data')], {
      environment: { APPSVC_DATABASE_URL: wrong.href },
    })
    expect([69, 78]).to.include(code)
    expect(stdout + stderr).to.not.include('hidden')
  })
})
