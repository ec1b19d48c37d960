import { createECDH, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { fillMonth } from '../../src/cli/demo/month.ts'
import { conservationCheck } from '../../src/doctor/checks/sending.ts'
import { examine } from '../../src/doctor/examine.ts'
import { subjectOf } from '../../src/doctor/subject.ts'
import { createToDo } from '../../src/doctor/todo.ts'
import { platforms } from '../../src/domain/gateways/registry.ts'
import { PUSH_COUNTS } from '../../src/domain/statistics/types.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { openTestProgram, type TestProgram } from '../support/program.ts'

describe('the month of the demo', () => {
  let test: TestProgram
  let longestMs = 0

  before(async () => {
    test = await openTestProgram()
    const { program, first } = test
    test.clock.set(systemClock.now())
    const credential = { secret: {}, facts: { warnings: [] }, sendable: true }
    await program.inTransaction((tx) =>
      tx.gateways.configure(first.id, Object.fromEntries(platforms.map((platform) => [platform, credential])) as never),
    )
    let last = process.cpuUsage()
    const timer = setInterval(() => {
      // Processor time: how long it was kept from the processor is not its doing.
      const { user, system } = process.cpuUsage(last)
      longestMs = Math.max(longestMs, (user + system) / 1000)
      last = process.cpuUsage()
    }, 1)
    await fillMonth(program, first.id, { subscribe })
    clearInterval(timer)
  })
  after(() => test.close())

  it('fills every list', async () => {
    const { program, first } = test
    const { total, platforms: found } = await program.statistics.installs(first.id)
    expect(total).to.be.within(1700, 2100)
    expect(found.map(({ platform }) => platform)).to.include.members([...platforms])
    const rows = async (table: string) => Number((await program.kernel.db.read(table).count({ n: '*' }))[0]!.n)
    for (const table of ['users', 'channels', 'segments', 'geofences', 'deep_links', 'templates', 'in_app_messages']) {
      expect(await rows(table), table).to.be.above(0)
    }
    for (const table of ['data_tables', 'checkins', 'crash_reports', 'user_messages', 'events', 'purposes']) {
      expect(await rows(table), table).to.be.above(0)
    }
    const { scheduled, ended, running } = await program.underWay(first.id)
    expect([scheduled.length, ended.length, running.length]).to.deep.equal([1, 10, 0])
    expect((await program.inApp.underWay(first.id)).ended).to.have.length(2)
  })

  it('has counts that add up: of every notification, of its hours, and of the days of the app', async () => {
    const { program, first } = test
    const { notifications } = await program.notifications.list(first.id, { limit: 100 })
    const sums = Object.fromEntries(PUSH_COUNTS.map((name) => [name, 0])) as Record<string, number>
    for (const { id, delivered, opened, dismissed } of notifications) {
      const { counts, failures } = await program.notifications.report(first.id, id)
      const { accepted, failed, expired, cancelled, skipped, unknown } = counts
      const all = { accepted, failed, expired, cancelled, skipped, unknown, delivered, opened, dismissed }
      const { platforms: found } = await program.statistics.pushCourse(first.id, id)
      for (const name of PUSH_COUNTS) {
        expect(
          found.reduce((sum, one) => sum + one[name], 0),
          `${name} of ${id}`,
        ).to.equal(all[name])
        sums[name]! += all[name]
      }
      expect(failures.reduce((sum, { count }) => sum + count, 0)).to.equal(failed)
    }
    expect((await program.statistics.pushDays(first.id, { days: 31 })).total).to.deep.equal(sums)
    expect(sums['opened']).to.be.above(500)
    const clicks = Number((await program.kernel.db.read('deep_link_counts').sum({ n: 'clicks' }))[0]!.n)
    expect((await program.statistics.linkDays(first.id, { days: 31 })).total.clicks).to.equal(clicks)
  })

  it('leaves the doctor nothing to find', async () => {
    const subject = await subjectOf(test.program)
    const { findings } = await examine(subject, [conservationCheck])
    expect(findings.map(({ level }) => level)).to.deep.equal(['ok'])
    const { steps, alarms } = await createToDo(test.program)(test.first.id)
    expect(steps.filter(({ done }) => !done)).to.deep.equal([])
    expect(alarms.filter(({ check }) => check !== 'disk' && check !== 'backups')).to.deep.equal([])
  })

  it('is stopped by its signal', async () => {
    const error: unknown = await fillMonth(test.program, (await another(test)).id, {
      subscribe,
      signal: AbortSignal.abort(),
    }).then(
      () => undefined,
      (failure: unknown) => failure,
    )
    expect((error as Error).name).to.equal('AbortError')
  })

  it('holds its thread for short moments only', () => {
    // A slow machine beside others: many times what it takes on a quiet one.
    expect(longestMs).to.be.below(1000)
  })
})

const another = ({ program }: TestProgram) => program.inTransaction((tx) => tx.apps.create({ name: 'Another' }))

/** A browser at a push service that the settings allow; nothing is sent here. */
function subscribe() {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  return {
    endpoint: `https://fcm.googleapis.com/fcm/send/${randomBytes(16).toString('base64url')}`,
    expirationTime: null,
    keys: { p256dh: keys.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
  }
}
