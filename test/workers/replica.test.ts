import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import { loadConfig } from '../../src/config.ts'
import type { SegmentPreview } from '../../src/domain/segments/types.ts'
import { openProgram } from '../../src/open.ts'
import { connect, type Database } from '../../src/platform/db/connect.ts'
import { createReplica, markOf, stateOf } from '../../src/platform/db/replica.ts'
import { newSoundnessCell } from '../../src/platform/db/soundness.ts'
import { newWriteTurnCell } from '../../src/platform/db/write-turn.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { createLongReads } from '../../src/platform/long-reads/client.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { newClockCell } from '../../src/platform/timekeeping/cell.ts'
import type { Program } from '../../src/program.ts'
import { startReaders } from '../../src/workers/readers.ts'
import { type Appliance, openAppliance, receptions, tokensOf } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { addInstall } from '../support/installs.ts'
import { openPostgresPair, type PostgresPair } from '../support/postgres-pair.ts'
import { onPostgres } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

/** Runs a statement on a server, beside everything else. */
async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

onPostgres('a standby for long reads', function () {
  this.timeout(PROGRAMS_MS)
  let pair: PostgresPair
  let primary: Database
  let standby: Database
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))

  before(async () => {
    pair = await openPostgresPair({ synchronous: false })
    const open = (url: string) => connect({ url, file: '', log: silentLog, pool: 2 })
    primary = open(pair.primary)
    standby = open(pair.standby)
    await ask(pair.primary, 'CREATE TABLE things (id int)')
  })
  after(async () => {
    await primary?.close()
    await standby?.close()
    await pair?.close()
    rmSync(dir, { recursive: true, force: true })
  })
  afterEach(() => ask(pair.standby, 'SELECT pg_wal_replay_resume()'))

  const untilCurrent = async () => {
    const mark = await markOf(primary.read)
    await eventually(async () => (await stateOf(standby.read, mark)) === 'current', 'the standby has everything')
  }
  /** The rule, with a clock of its own for its rests. */
  function replicaOf(sides = { primary: primary.read, standby: standby.read }) {
    let now = 0
    const clock = { monotonic: () => now, sleep: systemClock.sleep }
    const pass = (ms: number) => (now += ms)
    return { ...createReplica(sides, { clock, log: silentLog }), pass }
  }

  it('may be read from when it has everything, and not before', async () => {
    await untilCurrent()
    const replica = replicaOf()
    // A machine that is busy needs longer than the rule waits.
    await eventually(async () => {
      replica.pass(60_000)
      return replica.isCurrent()
    }, 'the standby may be read from')
    await ask(pair.standby, 'SELECT pg_wal_replay_pause()')
    await ask(pair.primary, 'INSERT INTO things VALUES (1)')
    expect(await replica.isCurrent()).to.equal(false)
    await ask(pair.standby, 'SELECT pg_wal_replay_resume()')
    await untilCurrent()
    // It is left alone for a second.
    replica.pass(999)
    expect(await replica.isCurrent()).to.equal(false)
    await eventually(async () => {
      replica.pass(60_000)
      return replica.isCurrent()
    }, 'the standby may be read from again')
  })

  it('is told from a primary, from a standby of another cluster and of another line', async () => {
    const mark = await markOf(primary.read)
    expect(await stateOf(primary.read, mark)).to.equal('primary')
    expect(await stateOf(standby.read, { ...mark, system: '1' })).to.equal('foreign')
    expect(await stateOf(standby.read, { ...mark, timeline: mark.timeline + 1 })).to.equal('foreign')
    expect(await stateOf(standby.read, { ...mark, lsn: 'FFFFFFFF/0' })).to.equal('behind')
    expect(await replicaOf({ primary: primary.read, standby: primary.read }).isCurrent()).to.equal(false)
  })

  it('that cannot be reached is left alone', async () => {
    const nowhere = connect({ url: 'postgres://nobody@127.0.0.1:1/x', file: '', log: silentLog })
    const replica = replicaOf({ primary: primary.read, standby: nowhere.read })
    expect(await replica.isCurrent()).to.equal(false)
    await nowhere.close()
  })

  describe('used by the thread for long reads', () => {
    let program: Program
    let appId: number
    let close: () => Promise<void>
    let preview: () => Promise<number>

    before(async () => {
      const flags = { dataDir: dir, 'database.url': pair.primary, 'database.readUrl': pair.standby }
      program = openProgram({ config: (await loadConfig({ environment: {}, flags })).config })
      await program.migrate()
      appId = (await program.inTransaction((tx) => tx.apps.create({ name: 'First' }))).id
      const filter = { not: { field: 'os', op: 'equals', value: 'Windows' } }
      const { id } = await program.inTransaction((tx) => tx.segments.create(appId, { name: 'all', filter }))
      const cells = { turnCell: newWriteTurnCell(), soundnessCell: newSoundnessCell(), clockCell: newClockCell() }
      const readers = startReaders(program, cells)
      const longReads = createLongReads(readers, systemClock)
      const options = { who: { app: appId, key: 'a' }, seconds: 50 }
      preview = async () => (await longReads.ask<SegmentPreview>('segments.preview', [appId, { id }], options)).total
      close = async () => {
        longReads.close()
        await readers.close()
        await program.close()
      }
    })
    after(() => close?.())

    let phones = 0
    const addPhone = () => addInstall(program, appId, `phone-${++phones}`)
    const readsOnStandby = async () => {
      const [row] = await ask(
        pair.standby,
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'appsvc' AND query ILIKE '%installs%'`,
      )
      return Number(row!.count)
    }

    it('answers from it', async () => {
      await eventually(async () => {
        await preview()
        return (await readsOnStandby()) > 0
      }, 'a read runs on the standby')
    })

    it('shows what was stored before it was asked, also while the standby is behind', async () => {
      const before = await preview()
      await ask(pair.standby, 'SELECT pg_wal_replay_pause()')
      for (let i = 1; i <= 5; i++) {
        await addPhone()
        expect(await preview()).to.equal(before + i)
      }
      await ask(pair.standby, 'SELECT pg_wal_replay_resume()')
      for (let i = 6; i <= 10; i++) {
        await addPhone()
        expect(await preview()).to.equal(before + i)
      }
    })
  })
})

const ANDROIDS = 300

onPostgres('several hosts in one address', function () {
  this.timeout(PROGRAMS_MS)

  it('lead to the new primary after a promotion under load: nothing that was answered is missing', async () => {
    const pair = await openPostgresPair({ synchronous: true })
    const [first, second] = [new URL(pair.primary), new URL(pair.standby)]
    const both = pair.primary.replace(first.host, `${first.host},${second.host}`)
    const url = `${both}?target_session_attrs=read-write`
    const environment = {
      APPSVC_DATABASE_READ_URL: `${both}?target_session_attrs=prefer-standby`,
      APPSVC_DELIVERY_CHUNK: '50',
      APPSVC_DELIVERY_PAGE_SIZE: '100',
      APPSVC_WORKERS_DELIVER: '1',
      APPSVC_LOG_LEVEL: 'silent',
    }
    let one: Appliance | undefined
    const stop = new AbortController()
    const answered: string[] = []
    try {
      const appliance = (one = await openAppliance({ androids: ANDROIDS, url, environment }))
      await appliance.start()
      const write = async (writer: number) => {
        for (let i = 0; !stop.signal.aborted; i++) {
          const uuid = `channel-${writer}-${i}`
          const answer = await appliance.call('POST', '/messages/channels', { uuid }).catch(() => undefined)
          if (answer !== undefined && answer.status < 300) answered.push(uuid)
        }
      }
      const search = () =>
        appliance.call('GET', '/crm/v2/users?activeSince=2020-01-01').then(
          ({ status }) => status,
          () => 0,
        )
      expect(await search()).to.equal(200)
      const writing = Promise.all([0, 1].map(write))
      const begun = appliance.message(ANDROIDS / 3)
      const id = await appliance.broadcast()
      await begun
      await pair.killPrimary()
      await pair.promote()
      const before = answered.length
      await eventually(async () => {
        const report = await appliance.report(id).catch(() => undefined)
        return report?.counts !== undefined && report.status > 2
      }, 'the broadcast is finished')
      await eventually(() => answered.length > before, 'writes are answered again')
      await eventually(async () => (await search()) === 200, 'long reads are answered again')
      stop.abort()
      await writing
      const stored = (await ask(pair.standby, 'SELECT uuid FROM channels')).map((row) => row.uuid)
      expect(stored).to.include.members(answered)
      const { lost, extra } = receptions(appliance.sandbox, tokensOf(ANDROIDS), id)
      expect(lost).to.equal(0)
      expect(extra).to.be.at.most(100)
    } finally {
      stop.abort()
      await one?.close()
      await pair.close()
    }
  })
})
