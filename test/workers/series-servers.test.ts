import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { type Appliance, endPauses, openAppliance, receptions, tokensOf } from '../support/appliance.ts'
import { builtProgram } from '../support/built-program.ts'
import { many } from '../support/depth.ts'
import { eventually } from '../support/eventually.ts'
import { addTemplates, addUser } from '../support/in-app.ts'
import { onPostgres } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { daily, messageSeries, pushSeries } from '../support/series.ts'

const ANDROIDS = 3
const MOST_RESENDS = 2
const QUARTER_MS = 15 * 60_000
/** Times of each series that are over and may still be made up for: `schedule.maxLateness` is an hour. */
const OVER = 3

const quarterly = { schedule: daily({ cron: '*/15 * * * *', timezone: 'UTC' }) }
const written = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

onPostgres('two servers with series on one PostgreSQL', function () {
  this.timeout(PROGRAMS_MS)
  let appliance: Appliance
  let home: string
  const children = new Set<ChildProcess>()

  before(async () => {
    appliance = await openAppliance({ androids: ANDROIDS, kind: 'postgres' })
    home = mkdtempSync(join(tmpdir(), 'appsvc-second-'))
    mkdirSync(join(home, 'data'))
    cpSync(join(appliance.dir, 'master.key'), join(home, 'data', 'master.key'))
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await appliance.close()
    rmSync(home, { recursive: true, force: true })
  })

  /** The second server. */
  async function startSecond(): Promise<ChildProcess> {
    const argv = [builtProgram(), 'serve', '--json', '--port', '0', '--data-dir', join(home, 'data')]
    const env = { PATH: process.env.PATH, ...appliance.environment }
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'ignore'], env })
    children.add(child)
    await once(createInterface({ input: child.stdout }), 'line')
    return child
  }

  async function kill(child: ChildProcess): Promise<void> {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    children.delete(child)
  }

  const read = <T>(
    work: (sql: Parameters<Parameters<Appliance['inside']>[0]>[0]['kernel']['db']['read']) => Promise<T>,
  ) => appliance.inside(({ kernel }) => work(kernel.db.read))

  it('plan each of their times exactly once and lose none, wherever one of them is killed', async () => {
    const { first } = appliance
    await appliance.inside(async (program) => {
      const place = { program, first, clock: program.kernel.clock }
      await addTemplates(place)
      await addUser(place, 'anna')
      for (let i = 0; i < many(8, { long: 60 }); i++) await pushSeries(place, quarterly)
      for (let i = 0; i < many(3, { long: 20 }); i++) await messageSeries(place, quarterly)
      // As if no server had run for a while: some times are over, and can still be made up for.
      const last = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS
      await program.kernel.db.write((sql) =>
        sql('series').update({ planned: written(last - OVER * QUARTER_MS), due_at: last }),
      )
    })
    const began = Date.now()
    await appliance.start()
    let second = await startSecond()
    for (let round = 0; round < many(1, { long: 5 }); round++) {
      await kill(second)
      second = await startSecond()
    }
    await appliance.stop('SIGKILL')
    await appliance.start()
    await eventually(
      () => read(async (sql) => !(await sql('series').where('due_at', '<=', began).first())),
      'every series is planned',
    )
    await endPauses(appliance)
    await eventually(
      () =>
        read(async (sql) => {
          const open = await sql('notifications').whereNotNull('series_id').where('status', '<', 3).select('schedule')
          return open.every(({ schedule }) => JSON.parse(schedule).sendAt > written(began))
        }),
      'every time that is over was sent',
    )
    await eventually(
      () => read(async (sql) => !(await sql('in_app_messages').where('next_at', '<=', began).first())),
      'every message that is over was given',
    )

    const pushes = await read<{ id: number; series_id: number; status: number; schedule: string }[]>(async (sql) =>
      sql('notifications').whereNotNull('series_id').select('id', 'series_id', 'status', 'schedule'),
    )
    const messages = await read<
      { id: number; series_id: number; schedule: string; recipients: number; next_at: number | null }[]
    >(async (sql) => sql('in_app_messages').select('id', 'series_id', 'schedule', 'recipients', 'next_at'))
    const times = [...pushes, ...messages].map(({ series_id: id, schedule }) => `${id} ${JSON.parse(schedule).sendAt}`)
    expect(new Set(times).size, 'no time has two sends').to.equal(times.length)
    const taken = await read(async (sql) => sql('series_occurrences').select('series_id', 'local', 'state'))
    expect(taken.map(({ series_id: id, local }) => `${id} ${local}`).sort()).to.deep.equal(times.sort())
    const sent = pushes.filter(({ status }) => status === 3)
    expect(sent.length).to.be.at.least(many(8, { long: 60 }) * OVER)
    for (const { id } of sent) {
      const { lost, extra } = receptions(appliance.sandbox, tokensOf(ANDROIDS), id)
      const { counts } = await appliance.report(id)
      // A request in flight when its server is killed is in doubt: it is sent again, at most twice (promises.md P3).
      expect(extra, `notification ${id} is sent again where it is in doubt only`).to.be.at.most(MOST_RESENDS * ANDROIDS)
      expect(lost, `notification ${id} is not lost`).to.be.at.most(counts.unknown)
      expect(counts.accepted + counts.unknown).to.equal(ANDROIDS)
    }
    const given = messages.filter(({ next_at: nextAt }) => nextAt === null)
    expect(given.length).to.be.at.least(many(3, { long: 20 }) * OVER)
    for (const { id } of given) {
      const holders = await read(async (sql) => sql('user_messages').where({ message_id: id }).select('user_id'))
      expect(holders, `message ${id} is given once`).to.have.length(1)
    }
  })
})
