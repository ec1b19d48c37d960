import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import type { Areas } from '../../src/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { killAll, run as runAnywhere, start, temporaryDirectory } from './cli.ts'

describe('appsvc events tail', () => {
  const { dir, end } = temporaryDirectory()
  const dataDir = join(dir, 'data')
  const run = (...argv: string[]) => runAnywhere(['events', 'tail', ...argv, '--data-dir', dataDir])
  after(() => {
    killAll()
    end()
  })

  /** Works on the database as another program does. */
  async function inside(work: (areas: Areas) => Promise<unknown>): Promise<void> {
    const { config } = await loadConfig({ environment: {}, flags: { dataDir } })
    const program = openProgram({ config, log: silentLog })
    try {
      await program.inTransaction(work)
    } finally {
      await program.close()
    }
  }

  before(async () => {
    await runAnywhere(['apps', 'create', 'First', '--data-dir', dataDir])
    await inside(({ serverEvents }) =>
      serverEvents.take(1, [
        ...Array.from({ length: 12 }, (_, i) => ({ userId: 'anna', type: 'viewed', uuid: `v${i}`, timestamp: 0 })),
        { userId: 'anna\u001b[2J', type: 'paid', uuid: 'p1', timestamp: 1000, data: { amount: 3 } },
      ]),
    )
  })

  const events = ({ stdout }: { stdout: string }) =>
    (JSON.parse(stdout) as { events: { id: string; type: string; uuid: string }[] }).events

  it('shows the last ten events, safe for a terminal', async () => {
    const { stdout } = await run()
    expect(stdout.trim().split('\n')).to.have.length(10)
    expect(stdout).to.include('1970-01-01 00:00:01Z').and.include('{"amount":3}').and.include('anna\\x1b[2J')
    expect(stdout).not.to.include('\u001b[2J')
  })

  it('shows those of a type, and with --json what the interface answers', async () => {
    const paid = events(await run('--type', 'paid', '--json'))
    expect(paid).to.have.length(1)
    expect(paid[0]).to.deep.include({ type: 'paid', userId: 'anna\u001b[2J', installId: null, data: { amount: 3 } })
    expect(events(await run('--type', 'viewed', '--type', 'paid', '-n', '100', '--json'))).to.have.length(13)
  })

  it('shows those of a user, and those with a text in an id', async () => {
    const of = async (...argv: string[]) => events(await run(...argv, '--json')).map(({ uuid }) => uuid)
    expect(await of('--user', 'anna', '--type', 'viewed', '-n', '2')).to.deep.equal(['v10', 'v11'])
    expect(await of('--search', 'P1')).to.deep.equal(['p1'])
    expect(await of('--install', 'none')).to.deep.equal([])
    const [first] = events(await run('--search', 'v9', '--json'))
    expect(await of('--search', 'V11', '--after', first!.id)).to.deep.equal(['v11'])
  })

  it('shows everything behind an event', async () => {
    const all = events(await run('-n', '100', '--json'))
    const ninth = all.find(({ uuid }) => uuid === 'v9')!
    const behind = events(await run('--after', ninth.id, '--json'))
    expect(behind.map(({ uuid }) => uuid)).to.deep.equal(['v10', 'v11', 'p1'])
  })

  it('refuses a position that no server answered', async () => {
    const { code, stderr } = await run('--after', '12')
    expect(code).to.equal(65)
    expect(stderr).to.include('--after').and.include('must be the id of an event')
  })

  it('with --follow goes on with what others store, one event a line, until it is interrupted', async function () {
    this.timeout(PROGRAMS_MS)
    const tail = ['events', 'tail', '--follow', '--type', 'paid', '--include', 'deliveries', '--json']
    const child = start([...tail, '--data-dir', dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
    const next = async () => JSON.parse((await lines.next()).value as string) as { uuid: string; type: string }
    expect(await next()).to.include({ uuid: 'p1' })
    for (const uuid of ['p2', 'p3']) {
      await inside(({ serverEvents }) =>
        serverEvents.take(1, [
          { userId: 'anna', type: 'viewed', uuid: `not ${uuid}`, timestamp: 0 },
          { userId: 'anna', type: 'paid', uuid, timestamp: 0 },
        ]),
      )
      expect(await next()).to.include({ uuid, type: 'paid' })
    }
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    expect(await exit).to.deep.equal([0, null])
    expect(await lines.next()).to.deep.include({ done: true })
  })

  it('says that there is nothing', async () => {
    expect((await run('--type', 'nothing')).stderr).to.include('There are no such events.')
  })
})
