import { createECDH, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { fillHistory } from '../../src/cli/demo/history.ts'
import { startOwners } from '../../src/cli/demo/owners.ts'
import { conservationCheck } from '../../src/doctor/checks/sending.ts'
import { examine } from '../../src/doctor/examine.ts'
import { subjectOf } from '../../src/doctor/subject.ts'
import { createToDo } from '../../src/doctor/todo.ts'
import { PLATFORM_TYPES, platforms } from '../../src/domain/gateways/registry.ts'
import { PUSH_COUNTS } from '../../src/domain/statistics/types.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import type { Received } from '../../src/sandbox/sandbox.ts'
import { sleepByIt } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { addGateway } from '../support/gateways.ts'
import { openTestProgram, type TestProgram } from '../support/program.ts'

const WEBSITE_PUSH_ID = 'web.com.example.app'

describe('the history of the demo', () => {
  let test: TestProgram
  let longestMs = 0

  before(async () => {
    test = await openTestProgram()
    const { program, first } = test
    test.clock.set(systemClock.now())
    for (const platform of platforms) await addGateway(test, platform, { websitePushId: WEBSITE_PUSH_ID })
    let last = process.cpuUsage()
    const timer = setInterval(() => {
      // Processor time: how long it was kept from the processor is not its doing.
      const { user, system } = process.cpuUsage(last)
      longestMs = Math.max(longestMs, (user + system) / 1000)
      last = process.cpuUsage()
    }, 1)
    await fillHistory(program, first.id, { subscribe })
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

  it('has installs that were lost and owners who opted out, in the last four weeks and in those before', async () => {
    const { changes, before } = await test.program.statistics.installPeriod(test.first.id, 28)
    for (const { lost, optedOut } of [changes, before!]) {
      expect(lost).to.be.within(3, 20)
      expect(optedOut).to.be.within(5, 30)
    }
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
    expect((await program.statistics.pushDays(first.id, { days: 90 })).total).to.deep.equal(sums)
    expect(sums['opened']).to.be.above(500)
    const clicks = Number((await program.kernel.db.read('deep_link_counts').sum({ n: 'clicks' }))[0]!.n)
    expect((await program.statistics.linkDays(first.id, { days: 31 })).total.clicks).to.equal(clicks)
  })

  it('tells of nothing before it was there: installs before their pushes, opened links before their clicks', async () => {
    const { program, first } = test
    const { read } = program.kernel.db
    const made = new Map<string, number>()
    for (let after = 0; ; ) {
      const installs = await program.crm.listInstalls(first.id, after, 500)
      for (const { installId, createdAt } of installs) made.set(installId, createdAt)
      if (installs.length < 500) break
      after = installs.at(-1)!.row
    }
    expect(new Set(made.values()).size, 'different moments').to.be.above(400)
    const { notifications } = await program.notifications.list(first.id, { limit: 100 })
    for (const { id, createdAt, schedule } of notifications) {
      if (schedule) continue
      for await (const { installId } of await program.notifications.recipients(first.id, id)) {
        expect(made.get(installId!), `${installId} of ${id}`).to.be.below(createdAt)
      }
    }
    const links: { clicks: number; lookups: number }[] = await read('deep_link_counts').select('clicks', 'lookups')
    for (const { clicks, lookups } of links) expect(lookups).to.be.within(1, clicks - 1)
  })

  it('has people of different names', async () => {
    const rows: { identifier: string; attributes: string | object }[] = await test.program.kernel.db
      .read('users')
      .select('identifier', 'attributes')
    const names = rows.map(({ attributes }) =>
      String((typeof attributes === 'string' ? JSON.parse(attributes) : attributes).name),
    )
    expect(new Set(names).size).to.equal(2000)
    for (const name of names) expect(name).to.match(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
  })

  it('has Safari push tokens of the website, to which alone its certificate may send', async () => {
    const { program, first } = test
    const { read } = program.kernel.db
    const topics = await read('installs')
      .where({ app_id: first.id, platform: PLATFORM_TYPES.safari })
      .distinct('token_topic')
    expect(topics).to.deep.equal([{ token_topic: WEBSITE_PUSH_ID }])
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
    const error: unknown = await fillHistory(test.program, (await another(test)).id, {
      subscribe,
      signal: AbortSignal.abort(),
    }).then(
      () => undefined,
      (failure: unknown) => failure,
    )
    expect((error as Error).name).to.equal('AbortError')
  })

  it('goes on: devices confirm what stand-ins get from now on, and some of their owners open it', async () => {
    const { program, first, clock } = test
    const { notifications } = await program.notifications.list(first.id, { limit: 100 })
    const before = notifications.find(({ content }) => content.title === 'Door one')!
    const isAsleep = sleepByIt(clock)
    const listeners: ((message: Received) => void)[] = []
    const stop = startOwners(program, {
      on: (_event, listener) => {
        listeners.push(listener)
        return () => {}
      },
    })
    const arrives = (message: Partial<Received>) => listeners[0]!(message as Received)
    arrives({ taken: true, notificationId: String(before.id) })
    // What no device got, what is of nobody here, and what is no notification, is nothing to react to.
    arrives({ taken: false, notificationId: String(notifications.at(-1)!.id) })
    for (const notificationId of ['999999', 'x', undefined]) arrives({ taken: true, notificationId })
    await eventually(async () => {
      if (isAsleep(500)) clock.advance(500)
      const { delivered, opened } = await program.notifications.get(first.id, before.id)
      return delivered > before.delivered && opened > before.opened
    }, 'more of them report')
    await stop()
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
