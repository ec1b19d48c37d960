import { expect } from 'chai'
import type { UserBatch } from '../../../../src/domain/audience/walk/user-walk.ts'
import type { UserCursor } from '../../../../src/domain/audience/walk/walk.ts'
import type { HourRange } from '../../../../src/domain/audience/walk/within.ts'
import { addUser } from '../../../support/in-app.ts'
import { addInstall } from '../../../support/installs.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'

const ALL_HOURS = { from: -1, to: 23 }
const SIZE = 2

onEachDatabase('a walk over users from zone to zone', (kind) => {
  let test: TestProgram
  const names = new Map<number, string>()

  before(async () => {
    test = await openTestProgram({ kind })
    const users: [string, string | undefined, number][] = [
      ['ann', 'Europe/Berlin', 7],
      ['bob', 'Europe/Berlin', 7],
      ['cat', 'Europe/Berlin', -1],
      ['dan', 'Europe/Berlin', 23],
      ['eve', undefined, 8],
      ['fay', 'Asia/Tokyo', 7],
      ['gus', 'America/New_York', 7],
      ['hal', 'Europe/Berlin', 7],
    ]
    for (const [name, timezone, hour] of users) {
      names.set(await addUser(test, name, { hour, ...(timezone && { timezone }) }), name)
    }
    names.set(await addUser(test, 'off', { timezone: 'Europe/Berlin', hour: 7, enabled: false }), 'off')
    const row = await addInstall(test.program, test.first.id, 'ann-tablet', { user: 'ann', subscribed: false })
    await test.program.kernel.db.write((sql) =>
      sql('installs').where({ id: row }).update({ timezone: 'Europe/Berlin' }),
    )
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await addUser({ ...test, first: other }, 'zoe', { timezone: 'Europe/Berlin', hour: 7 })
  })
  after(() => test.close())

  async function batch(ranges: readonly HourRange[], cursor: UserCursor): Promise<UserBatch> {
    const { users } = test.program.audience
    const everybody = await users.walk(test.first.id, { kind: 'broadcast', exclude: [] })
    return everybody.nextAtHours(ranges, cursor, SIZE)
  }

  /** Finds users, in order; the cursor goes through JSON as between two steps. */
  async function walk(ranges: readonly HourRange[], from: UserCursor = {}): Promise<string[]> {
    const met: string[] = []
    for (let cursor = from; ; ) {
      const { users, next, done } = await batch(ranges, cursor)
      expect(users.length).to.be.at.most(SIZE)
      met.push(...users.map((user) => names.get(user) ?? `user ${user}`))
      if (done) return met
      cursor = JSON.parse(JSON.stringify(next)) as UserCursor
    }
  }

  it('finds everybody who agreed and is there, hour by hour, however small a batch is', async () => {
    const berlin = { zone: 'Europe/Berlin', ...ALL_HOURS }
    expect(await walk([berlin])).to.deep.equal(['ann', 'cat', 'ann', 'bob', 'hal', 'dan'])
  })

  it('goes on to the next zone, to users without one first, and reads no hour that is not due', async () => {
    const ranges = [
      { zone: null, ...ALL_HOURS },
      { zone: 'Africa/Cairo', from: 3, to: 3 },
      { zone: 'Europe/Berlin', from: -1, to: -1 },
      { zone: 'Europe/Berlin', from: 7, to: 7 },
    ]
    expect(await walk(ranges)).to.deep.equal(['eve', 'ann', 'cat', 'ann', 'bob', 'hal'])
  })

  it('ends at once where nobody is due', async () => {
    expect(await walk([])).to.deep.equal([])
    expect(await walk([{ zone: 'Africa/Cairo', from: 3, to: 3 }])).to.deep.equal([])
  })

  it('keeps its position when zones appear or disappear before or after it', async () => {
    const berlin = { zone: 'Europe/Berlin', from: 7, to: 7 }
    const { next } = await batch([berlin], {})
    const more = [{ zone: null, from: 8, to: 8 }, { zone: 'America/New_York', ...ALL_HOURS }, berlin]
    expect(await walk([...more, { zone: 'Europe/Berlin', from: 23, to: 23 }], next)).to.deep.equal(['hal', 'dan'])
    expect(await walk([{ zone: 'America/New_York', ...ALL_HOURS }], next)).to.deep.equal([])
    expect(await walk([{ zone: 'Europe/Vienna', ...ALL_HOURS }], next)).to.deep.equal([])
  })
})
