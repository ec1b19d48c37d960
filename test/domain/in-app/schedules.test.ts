import { expect } from 'chai'
import { STATUS } from '../../../src/domain/in-app/types.ts'
import { accept, addTemplates, addUser, handOut, holders, type UserKind } from '../../support/in-app.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const HOUR_MS = 3_600_000

onEachDatabase('a scheduled in-app message', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await addTemplates(test)
  })
  afterEach(() => test.close())

  const record = (id: number) => test.program.inApp.get(test.first.id, id)
  const add = async (users: Record<string, UserKind>) => {
    for (const [name, how] of Object.entries(users)) await addUser(test, name, how)
  }

  /** Accepts it at 12:00 UTC on the first of March 2026, a Sunday. */
  async function schedule(extra: object): Promise<number> {
    const { message } = await accept(test, extra)
    expect(message!.status).to.equal(STATUS.scheduled)
    await handOut(test)
    return message!.id
  }

  /** Returns the users who have it at an instant, after everything that was due by then. */
  async function at(instant: string, id: number): Promise<string[]> {
    test.clock.set(Date.parse(instant))
    await handOut(test)
    return holders(test, id)
  }

  /** Goes on in steps of half an hour, as a server that runs all the time, and tells who got it when. */
  async function course(id: number, until: string): Promise<Record<string, string[]>> {
    const { clock } = test
    const got: Record<string, string[]> = {}
    let before: string[] = await holders(test, id)
    while (clock.now() < Date.parse(until)) {
      clock.advance(HOUR_MS / 2)
      await handOut(test)
      const now = await holders(test, id)
      const more = now.filter((name) => !before.includes(name))
      if (more.length > 0) got[new Date(clock.now()).toISOString().slice(5, 16)] = more
      before = now
    }
    return got
  }

  it('waits for its time in UTC', async () => {
    await add({ ann: { timezone: 'Asia/Tokyo' }, bob: {} })
    const id = await schedule({ schedule: { sendAt: '2026-03-01 15:00', strategy: 'utc', pastTimes: 'ignore' } })
    expect(await at('2026-03-01T14:59:59Z', id)).to.deep.equal([])
    expect(await record(id)).to.include({ status: STATUS.scheduled, nextAt: Date.parse('2026-03-01T15:00:00Z') })
    expect(await at('2026-03-01T15:00:00Z', id)).to.deep.equal(['ann', 'bob'])
    expect(await record(id)).to.include({ status: STATUS.sent, nextAt: null })
  })

  it('waits for its time in the zone that it names', async () => {
    await add({ ann: {} })
    const timezone = 'Europe/Berlin'
    const id = await schedule({
      schedule: { sendAt: '2026-03-01 15:00', strategy: 'timezone', timezone, pastTimes: 'ignore' },
    })
    expect(await at('2026-03-01T13:59:00Z', id)).to.deep.equal([])
    expect(await at('2026-03-01T14:00:00Z', id)).to.deep.equal(['ann'])
  })

  it('skips and counts everybody when its time has passed, and with nextDay comes a day later', async () => {
    await add({ ann: {}, bob: {}, cat: { enabled: false } })
    const past = { sendAt: '2026-03-01 11:00', strategy: 'utc' }
    const ignored = await schedule({ schedule: { ...past, pastTimes: 'ignore' } })
    expect(await holders(test, ignored)).to.deep.equal([])
    expect(await record(ignored)).to.include({
      status: STATUS.failed,
      skipped: 2,
      recipients: 0,
      statusReason: 'the scheduled time had passed everywhere (pastTimes is ignore)',
    })
    const moved = await schedule({ schedule: { ...past, pastTimes: 'nextDay' } })
    expect(await at('2026-03-02T10:59:00Z', moved)).to.deep.equal([])
    expect(await at('2026-03-02T11:00:00Z', moved)).to.deep.equal(['ann', 'bob'])
  })

  it('comes at the local time of each user, by the install that was active last', async () => {
    await add({
      tokyo: { timezone: 'Asia/Tokyo' },
      berlin: { timezone: 'Europe/Berlin' },
      york: { timezone: 'America/New_York' },
      unknown: {},
    })
    const id = await schedule({ schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    expect(await course(id, '2026-03-03T12:00:00Z')).to.deep.equal({
      '03-02T00:00': ['tokyo'],
      '03-02T08:00': ['berlin'],
      '03-02T09:00': ['unknown'],
      '03-02T14:00': ['york'],
    })
    expect(await record(id)).to.include({ status: STATUS.sent, recipients: 4, skipped: 0 })
  })

  it('uses the zone of the install that was active last, and gives it to its user once', async () => {
    await add({ ann: { timezone: 'Asia/Tokyo' } })
    const row = await addInstall(test.program, test.first.id, 'ann-tablet', { user: 'ann', subscribed: false })
    const later = { timezone: 'Europe/Berlin', zone_changed_at: 0, last_active: test.clock.now() + 1 }
    await test.program.kernel.db.write((sql) => sql('installs').where({ id: row }).update(later))
    const id = await schedule({ schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    expect(await course(id, '2026-03-02T12:00:00Z')).to.deep.equal({ '03-02T08:00': ['ann'] })
    expect(await record(id)).to.include({ recipients: 1, status: STATUS.sent })
  })

  it('skips and counts users whose local time has passed', async () => {
    await add({ tokyo: { timezone: 'Asia/Tokyo' }, berlin: { timezone: 'Europe/Berlin' } })
    const id = await schedule({ schedule: { sendAt: '2026-03-01 15:00', strategy: 'local', pastTimes: 'ignore' } })
    expect(await course(id, '2026-03-02T12:00:00Z')).to.deep.equal({ '03-01T14:00': ['berlin'] })
    expect(await record(id)).to.include({ status: STATUS.sent, recipients: 1, skipped: 1 })
    const next = await schedule({ schedule: { sendAt: '2026-03-01 15:00', strategy: 'local', pastTimes: 'nextDay' } })
    expect(await course(next, '2026-03-04T12:00:00Z')).to.deep.equal({
      '03-02T14:00': ['berlin'],
      '03-03T06:00': ['tokyo'],
    })
  })

  it('fails at once when its local time has passed in every zone in use', async () => {
    await add({ tokyo: { timezone: 'Asia/Tokyo' } })
    const id = await schedule({ schedule: { sendAt: '2026-03-01 15:00', strategy: 'local', pastTimes: 'ignore' } })
    expect(await record(id)).to.include({ status: STATUS.failed, skipped: 1, nextAt: null })
  })

  it('reaches users who move meanwhile once, wherever they move', async () => {
    await add({
      tokyo: { timezone: 'Asia/Tokyo' },
      berlin: { timezone: 'Europe/Berlin' },
      york: { timezone: 'America/New_York' },
    })
    const moveTo = async (name: string, timezone: string) => {
      const { program, clock } = test
      await program.kernel.db.write((sql) =>
        sql('installs')
          .where({ install_id: `${name}-phone` })
          .update({ timezone, zone_changed_at: clock.now() }),
      )
    }
    const id = await schedule({ schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    await at('2026-03-02T05:00:00Z', id)
    await moveTo('tokyo', 'America/New_York')
    await moveTo('york', 'Asia/Tokyo')
    // Tokyo had its walk: who comes there later is met by the last one.
    expect(await course(id, '2026-03-03T12:00:00Z')).to.deep.equal({
      '03-02T08:00': ['berlin'],
      '03-02T14:00': ['york'],
    })
    expect(await record(id)).to.include({ recipients: 3, status: STATUS.sent })
  })

  it('reaches everybody even if all move to zones that were walked already', async () => {
    await add({ york: { timezone: 'America/New_York' }, tokyo: { timezone: 'Asia/Tokyo' } })
    const id = await schedule({ schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    expect(await at('2026-03-02T00:00:00Z', id)).to.deep.equal(['tokyo'])
    await test.program.kernel.db.write((sql) =>
      sql('installs')
        .where({ install_id: 'york-phone' })
        .update({ timezone: 'Asia/Tokyo', zone_changed_at: test.clock.now() }),
    )
    // Nobody is where its time is yet to come: the walk that comes next is the last one.
    expect(await course(id, '2026-03-03T12:00:00Z')).to.deep.equal({ '03-02T00:30': ['york'] })
    expect(await record(id)).to.include({ recipients: 2, status: STATUS.sent, nextAt: null })
  })

  it('reaches everybody even if all move to the zone that is being walked', async () => {
    await add({ york: { timezone: 'America/New_York' }, tokyo: { timezone: 'Asia/Tokyo' } })
    const id = await schedule({ schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    const { program, clock } = test
    const { having } = program.inAppRecipients
    // Between the reading of whom the walk meets and that of where everybody is.
    program.inAppRecipients.having = async (...given) => {
      const zone = { timezone: 'Asia/Tokyo', zone_changed_at: clock.now() }
      await program.kernel.db.write((sql) => sql('installs').where({ install_id: 'york-phone' }).update(zone))
      return having(...given)
    }
    expect(await at('2026-03-02T00:00:00Z', id)).to.deep.equal(['tokyo', 'york'])
    expect(await record(id)).to.include({ recipients: 2, status: STATUS.sent, nextAt: null })
  })

  it('reaches users who move to a zone whose time has passed', async () => {
    await add({ berlin: { timezone: 'Europe/Berlin' }, york: { timezone: 'America/New_York' } })
    const id = await schedule({ schedule: { sendAt: '2026-03-01 10:00', strategy: 'local', pastTimes: 'ignore' } })
    await add({ other: { timezone: 'America/New_York' } })
    test.clock.advance(HOUR_MS / 2)
    await test.program.kernel.db.write((sql) =>
      sql('installs')
        .where({ install_id: 'york-phone' })
        .update({ timezone: 'Europe/Berlin', zone_changed_at: test.clock.now() }),
    )
    expect(await course(id, '2026-03-02T12:00:00Z')).to.deep.equal({ '03-01T15:00': ['other', 'york'] })
    expect(await record(id)).to.include({ recipients: 2, skipped: 1 })
  })

  it('comes at the preferred hour of a day, and without one at the usual hour', async () => {
    await add({
      early: { timezone: 'Europe/Berlin', hour: 7 },
      late: { timezone: 'Europe/Berlin', hour: 21 },
      unknown: { timezone: 'Europe/Berlin' },
    })
    const id = await schedule({ schedule: { sendAt: '2026-03-02', strategy: 'intelligent', pastTimes: 'ignore' } })
    expect(await course(id, '2026-03-03T12:00:00Z')).to.deep.equal({
      '03-02T06:00': ['early'],
      '03-02T17:00': ['unknown'],
      '03-02T20:00': ['late'],
    })
  })

  it('comes at the next preferred hour with intelligentDelivery', async () => {
    await add({ soon: { timezone: 'UTC', hour: 13 }, tomorrow: { timezone: 'UTC', hour: 11 } })
    const id = await schedule({ intelligentDelivery: true })
    expect(await course(id, '2026-03-03T12:00:00Z')).to.deep.equal({
      '03-01T13:00': ['soon'],
      '03-02T11:00': ['tomorrow'],
    })
  })

  it('is given late, all at once, when the server was down', async () => {
    await add({ tokyo: { timezone: 'Asia/Tokyo' }, berlin: { timezone: 'Europe/Berlin' } })
    const id = await schedule({ schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    expect(await at('2026-03-09T00:00:00Z', id)).to.deep.equal(['berlin', 'tokyo'])
    expect(await record(id)).to.include({ status: STATUS.sent })
  })

  it('waits while the clock is not trusted; an immediate message does not', async () => {
    await add({ ann: {} })
    const id = await schedule({ schedule: { sendAt: '2026-03-01 15:00', strategy: 'utc', pastTimes: 'ignore' } })
    const { message } = await accept(test)
    test.clock.set(Date.parse('2026-03-01T16:00:00Z'))
    expect(await test.program.inAppWalks.due(test.clock.now(), 10, true)).to.deep.equal([message!.id])
    expect(await test.program.inAppWalks.due(test.clock.now(), 10)).to.deep.equal([message!.id, id])
  })
})
