import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { onEachDatabase, openTestApp, type TestApp } from '../../support/app.ts'
import { followIn } from '../../support/following.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

const EVENTS = 1500
/** The last is of the follower whose effect is outside; the others come first to the one inside. */
const KILLS = ['follow.claimed:1', 'follow.read:3', 'follow.applied:4', 'follow.stored:2', 'follow.delivered:3']

onEachDatabase('a follower that is killed', (kind) => {
  let test: TestApp
  before(async () => {
    test = await openTestApp({ kind })
  })
  after(() => test.close())

  it('at any failpoint has each effect inside exactly once, and each outside at least once', async function () {
    this.timeout(PROGRAMS_MS)
    const { app, first, dir } = test
    await app.inTransaction((tx) => tx.crm.putAttributes(first.id, 'counter', { count: 0, sum: 0 }))
    // The log shows that this user was created: not what is counted here.
    await app.kernel.db.write((sql) => sql('events').delete())
    const numbers = Array.from({ length: EVENTS }, (_, n) => n)
    await app.inTransaction((tx) =>
      tx.events.recordAll(
        first.id,
        numbers.map((n) => ({ type: 'counted', data: { n } })),
      ),
    )
    const outside = join(dir, 'outside')
    const run = (failpoints: string) => followIn(test, { outside }, failpoints)
    // Each is a program that starts: PostgreSQL shows what differs there, an open transaction.
    const kills = kind === 'sqlite' ? KILLS : KILLS.filter((point) => /applied|delivered/.test(point))
    for (const point of kills) expect(await run(point), point).to.equal('SIGKILL')
    expect(await run('')).to.equal(0)

    const sum = (EVENTS * (EVENTS - 1)) / 2
    expect(await app.crm.attributes(first.id, 'counter')).to.deep.equal({ count: EVENTS, sum })
    const handed = readFileSync(outside, 'utf8').trim().split('\n').map(Number)
    expect(new Set(handed).size).to.equal(EVENTS)
    // It was killed once between handing over and storing: that batch came twice.
    expect(handed).to.have.length(EVENTS + 100)
  })
})
