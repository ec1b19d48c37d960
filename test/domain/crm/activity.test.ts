import { expect } from 'chai'
import { readUpload } from '../../../src/domain/events/ingest/envelope.ts'
import { chance } from '../../support/chance.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'
import { listenToWrites } from '../../support/statements.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

onEachDatabase('the preferred hour of installs', (kind) => {
  let test: TestProgram
  let uploads = 0
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  const upload = (installId: string, ...events: { type: string; at?: string; data?: object }[]) =>
    test.program.inTransaction((tx) =>
      tx.events.ingest(
        test.first.id,
        installId,
        events.map(({ type, at, data }) => {
          const timestamp = at === undefined ? test.clock.now() : Date.parse(at)
          return { type, uuid: `u${++uploads}`, timestamp, ...(data && { data }) }
        }),
      ),
    )
  const associate = (installId: string, id: string) =>
    upload(installId, { type: 'k.stats.userAssociated', data: { id } })

  async function hours(): Promise<Record<string, number>> {
    const rows: { install_id: string; preferred_hour: number }[] = await test.program.kernel.db
      .read('installs')
      .orderBy('install_id')
      .select('install_id', 'preferred_hour')
    return Object.fromEntries(rows.map((row) => [row.install_id, row.preferred_hour]))
  }

  /** Counts how often each hour of the newest period was counted, all users together. */
  async function times(): Promise<Record<string, number>> {
    const sums: Record<string, number> = {}
    const rows: { counts: string }[] = await test.program.kernel.db.read('active_hours').select('counts')
    for (const { counts } of rows) {
      const [newest] = JSON.parse(counts) as number[][]
      for (const [hour, count] of newest!.entries()) if (count > 0) sums[hour] = (sums[hour] ?? 0) + count
    }
    return sums
  }

  it('is not known at first, and not from events that are no sign of use', async () => {
    await upload('phone', { type: 'k.stats.installTracked', data: {} }, { type: 'k.bg' }, { type: 'own' })
    expect(await hours()).to.deep.equal({ phone: -1 })
  })

  it('is in a zone since the device said another one, not since it said it again', async () => {
    const since = async () => {
      const row = await test.program.kernel.db.read('installs').where({ install_id: 'phone' }).first()
      return [row.timezone, Number(row.zone_changed_at)]
    }
    const began = test.clock.now()
    const tell = async (tz: string | null, at?: string) =>
      upload('phone', { type: 'k.stats.installTracked', data: { device: { tz } }, ...(at && { at }) })
    await tell('Asia/Tokyo')
    expect(await since()).to.deep.equal(['Asia/Tokyo', began])
    test.clock.advance(60_000)
    await tell('Asia/Tokyo')
    expect(await since()).to.deep.equal(['Asia/Tokyo', began])
    await tell('Europe/Berlin')
    expect(await since()).to.deep.equal(['Europe/Berlin', began + 60_000])
    test.clock.advance(60_000)
    await tell('Asia/Tokyo', '2020-01-01T00:00:00Z')
    expect(await since(), 'an old event changes nothing').to.deep.equal(['Europe/Berlin', began + 60_000])
    await tell(null)
    expect(await since()).to.deep.equal([null, began + 120_000])
  })

  it('is that of the user, on all his installs, in the zone of the one he used', async () => {
    await associate('phone', 'ann')
    await associate('tablet', 'ann')
    await upload('phone', { type: 'k.stats.installTracked', data: { device: { tz: 'Asia/Tokyo' } } })
    await upload('phone', { type: 'k.fg', at: '2026-02-28T12:10:00Z' }, { type: 'k.fg', at: '2026-02-27T12:10:00Z' })
    expect(await hours()).to.deep.equal({ phone: 21, tablet: 21 })
    await upload('tablet', { type: 'k.message.opened', at: '2026-02-26T08:00:00Z', data: { id: 1, type: 1 } })
    expect(await hours()).to.deep.equal({ phone: 21, tablet: 21 })
  })

  it('comes with the user to another install, and goes with him', async () => {
    await associate('phone', 'ann')
    await upload('phone', { type: 'k.fg', at: '2026-02-28T07:00:00Z' })
    await associate('tablet', 'ann')
    expect(await hours()).to.deep.equal({ phone: 7, tablet: 7 })
    await associate('tablet', 'bob')
    expect(await hours()).to.deep.equal({ phone: 7, tablet: -1 })
  })

  it('is forgotten after some 90 days without a sign of use', async () => {
    await upload('phone', { type: 'k.fg', at: '2026-02-28T07:00:00Z' })
    const forget = () => test.program.inTransaction((tx) => tx.crm.forgetActivity(10))
    test.clock.advance(70 * DAY)
    expect(await forget()).to.equal(0)
    test.clock.advance(30 * DAY)
    expect(await forget()).to.equal(1)
    expect(await forget()).to.equal(0)
    expect(await hours()).to.deep.equal({ phone: -1 })
  })

  it('is forgotten for many users of several apps in as few statements as for one', async () => {
    const { program, clock } = test
    const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const use = (appId: number, install: string) =>
      program.inTransaction((tx) =>
        tx.events.ingest(appId, install, [{ type: 'k.fg', uuid: `m${++uploads}`, timestamp: clock.now() }]),
      )
    for (let i = 0; i < 12; i++) await use(i % 3 === 0 ? other.id : test.first.id, `old-${i}`)
    clock.advance(100 * DAY)
    await use(test.first.id, 'new')
    let statements = 0
    listenToWrites(program, () => void statements++)
    expect(await program.inTransaction((tx) => tx.crm.forgetActivity(100))).to.equal(12)
    expect(statements).to.equal(5)
    const { new: kept, ...others } = await hours()
    expect(kept).to.be.at.least(0)
    expect(new Set(Object.values(others))).to.deep.equal(new Set([-1]))
    expect(await program.kernel.db.read('active_hours')).to.have.length(1)
  })

  it('is counted once in an hour, without another look at the user', async () => {
    const at = '2026-02-28T07:10:00Z'
    await upload('phone', { type: 'k.fg', at })
    const looks: string[] = []
    listenToWrites(test.program, (sql) => {
      if (/period.* FROM active_hours/.test(sql)) looks.push(sql)
    })
    await upload('phone', { type: 'k.fg', at })
    if (kind === 'sqlite') expect(looks).to.deep.equal([])
    expect(await times()).to.deep.equal({ 7: 1 })
    await upload('phone', { type: 'k.fg', at: '2026-02-28T08:10:00Z' })
    expect(await times()).to.deep.equal({ 7: 1, 8: 1 })
  })

  it('counts the uses of a user one after the other, whichever install they come from', async () => {
    await associate('phone', 'ann')
    await associate('tablet', 'ann')
    await upload('phone', { type: 'k.fg', at: '2026-02-28T07:10:00Z' })
    const session = (installId: string, at: string) =>
      readUpload(installId, [{ type: 'k.fg', uuid: `u${++uploads}`, timestamp: Date.parse(at) }])
    const both = [session('phone', '2026-02-28T08:10:00Z'), session('tablet', '2026-02-28T07:20:00Z')]
    await test.program.inTransaction((tx) => tx.events.ingestAll(test.first.id, both, 'careful'))
    // Only the hour counted last is known.
    expect(await times()).to.deep.equal({ 7: 2, 8: 1 })
  })

  it('is that of the user whom the event names, not of the one whom the install has', async () => {
    const at = Date.parse('2026-02-28T07:10:00Z')
    await associate('tablet', 'bob')
    await associate('phone', 'ann')
    await upload('phone', { type: 'k.fg', at: '2026-02-28T07:10:00Z' })
    const named = [{ type: 'k.fg', uuid: `u${++uploads}`, timestamp: at, userId: 'bob' }]
    await test.program.inTransaction((tx) => tx.events.ingest(test.first.id, 'phone', named))
    expect(await hours()).to.deep.equal({ phone: 7, tablet: 7 })
  })

  it('of an app is the one that most of its users prefer', async () => {
    const { program, first } = test
    expect(await program.crm.usualHour(first.id)).to.equal(undefined)
    for (const [install, hour] of [
      ['a', '07'],
      ['b', '19'],
      ['c', '19'],
    ])
      await upload(install!, { type: 'k.fg', at: `2026-02-28T${hour}:00:00Z` })
    expect(await program.crm.usualHour(first.id)).to.equal(19)
  })

  it('of an app is counted as its users change, are forgotten and go', async () => {
    const { program, clock, first } = test
    const random = chance(7)
    const recount = async () => {
      const rows = await program.kernel.db
        .read('active_hours')
        .groupBy('preferred_hour')
        .select('preferred_hour as hour')
        .count<{ hour: number; users: number }[]>({ users: '*' })
        .orderBy('hour')
      return rows.map(({ hour, users }) => [hour, users])
    }
    const kept = async () => {
      const rows = await program.kernel.db
        .read('active_hour_counts')
        .where({ app_id: first.id })
        .groupBy('preferred_hour')
        .havingRaw('SUM(users) <> 0')
        .select('preferred_hour as hour')
        .sum<{ hour: number; users: number }[]>({ users: 'users' })
        .orderBy('hour')
      return rows.map(({ hour, users }) => [hour, users])
    }
    for (let round = 0; round < 8; round++) {
      clock.advance((10 + random(30)) * DAY)
      const uses = Array.from({ length: 15 }, () => {
        clock.advance(HOUR)
        return program.uploads.ingest(first.id, `i${random(10)}`, [
          { type: 'k.fg', uuid: `m${++uploads}`, timestamp: clock.now() - random(10) * HOUR },
        ])
      })
      await Promise.all([...uses, program.inTransaction((tx) => tx.crm.forgetActivity(3))])
      expect(await kept(), `round ${round}`).to.deep.equal(await recount())
    }
    expect((await recount()).length).to.be.above(1)
    await program.kernel.db.write(async (trx) => {
      await trx('installs').delete()
      await trx('users').delete()
    })
    expect(await kept()).to.deep.equal([])
    expect(await program.crm.usualHour(first.id)).to.equal(undefined)
  })
})
