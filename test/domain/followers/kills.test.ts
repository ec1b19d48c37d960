import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Follower } from '../../../src/domain/followers/types.ts'
import type { Areas } from '../../../src/program.ts'
import { followUntil } from '../../support/following.ts'
import type { Death } from '../../support/mortal.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

const EVENTS = 1500
/** The last is of the follower whose effect is outside; the others come first to the one inside. */
const KILLS: Death[] = [
  'follow.claimed:1',
  'follow.read:3',
  'follow.applied:4',
  'follow.stored:2',
  'follow.delivered:3',
]

/** Counts in the attributes of a user: how many events, and the sum of what they hold. */
const inside = (appId: number): Follower<Areas> => ({
  name: 'inside',
  from: 'start',
  most: 100,
  effect: {
    async apply({ crm }, events) {
      const before = (await crm.attributes(appId, 'counter')) as { count: number; sum: number }
      const sum = events.reduce((all, { data }) => all + (data!.n as number), before.sum)
      await crm.putAttributes(appId, 'counter', { count: before.count + events.length, sum })
    },
  },
})
const outer = (file: string): Follower<Areas> => ({
  name: 'outside',
  from: 'start',
  most: 100,
  effect: {
    async deliver(events) {
      appendFileSync(file, events.map(({ data }) => `${data!.n as number}\n`).join(''))
    },
  },
})

onEachDatabase('a follower that is killed', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind })
  })
  after(() => test.close())

  it('at any failpoint has each effect inside exactly once, and each outside at least once', async () => {
    const { program, first, dir } = test
    await program.inTransaction((tx) => tx.crm.putAttributes(first.id, 'counter', { count: 0, sum: 0 }))
    // The log shows that this user was created: not what is counted here.
    await program.kernel.db.write((sql) => sql('events').delete())
    const numbers = Array.from({ length: EVENTS }, (_, n) => n)
    await program.inTransaction((tx) =>
      tx.events.recordAll(
        first.id,
        numbers.map((n) => ({ type: 'counted', data: { n } })),
      ),
    )
    const outside = join(dir, 'outside')
    for (const death of [...KILLS, undefined])
      await followUntil(test, death, async () => [inside(first.id), outer(outside)])

    const sum = (EVENTS * (EVENTS - 1)) / 2
    expect(await program.crm.attributes(first.id, 'counter')).to.deep.equal({ count: EVENTS, sum })
    const handed = readFileSync(outside, 'utf8').trim().split('\n').map(Number)
    expect(new Set(handed).size).to.equal(EVENTS)
    // It was killed once between handing over and storing: that batch came twice.
    expect(handed).to.have.length(EVENTS + 100)
  })
})
