import { expect } from 'chai'
import type { Pace } from '../../../src/platform/long-reads/pace.ts'
import { hear, touchesRows } from '../../support/hear.ts'
import { makeProfileWorld } from '../../support/profile-world.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const OTHERS = 1500

onEachDatabase('the timeline of a person among sends to others', (kind) => {
  const open = sharedDatabase(kind)
  let test: TestProgram
  beforeEach(async () => {
    test = await open()
  })
  afterEach(() => test.close())

  /** Newer sends that reached none of their installs, as an app's server makes them for each order. */
  async function sendToOthers(): Promise<void> {
    const { db } = test.program.kernel
    const now = test.clock.now() + 1
    await db.write(async (trx) => {
      const { id: _, ...row } = await trx('notifications').where({ app_id: test.first.id }).orderBy('id').first()
      const rows = Array.from({ length: OTHERS }, () => ({ ...row, created_at: now, updated_at: now }))
      await trx.batchInsert('notifications', rows, 30)
    })
  }

  /** A pace on which each read of the clock comes `stepMs` later. */
  function paceOf(stepMs: number): Pace {
    let time = 0
    return { turn: async () => true, monotonic: () => (time += stepMs), seconds: 10 }
  }

  async function read(profileId: number, pace: Pace) {
    let statements = 0
    const end = hear(test.program.kernel.db, (heard) => {
      if (touchesRows(heard)) statements++
    })
    const page = await test.program.timelines.read(test.first.id, profileId, { limit: 100, kind: 'send' }, pace)
    end()
    return { names: page.moments.map(({ about }) => about?.name), next: page.next, statements }
  }

  it('looks at more sends at once while that is quick, and finds the same when it is slow', async () => {
    const { alice } = await makeProfileWorld(test)
    const before = await read(alice, paceOf(0))
    await sendToOthers()
    const quick = await read(alice, paceOf(0))
    const slow = await read(alice, paceOf(1000))
    expect(before.names).to.have.length(2)
    for (const { names, next } of [quick, slow]) expect([names, next]).to.deep.equal([before.names, null])
    expect(quick.statements).to.be.below(60)
    expect(slow.statements).to.be.above(OTHERS / 10)
  })
})
