import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { type Position, START } from '../../../src/domain/followers/position.ts'
import { chance, seedOf } from '../../support/chance.ts'
import { eventually } from '../../support/eventually.ts'
import { onPostgres, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const WRITERS = 8
const TRANSACTIONS = 25
const EVENTS = 4

onPostgres('the order of the log', () => {
  let test: TestProgram
  let appId: number
  const openShared = sharedDatabase('postgres')
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
  })
  afterEach(() => test.close())

  const record = (tx: Pick<TestProgram['program'], 'events'>, ...types: string[]) =>
    tx.events.recordAll(
      appId,
      types.map((type) => ({ type, data: null })),
    )

  it('skips no event and shows none twice, while eight writers commit in another order than they began', async () => {
    const { program } = test
    const seed = seedOf(20_261_128)
    const random = chance(seed)
    let left = WRITERS
    const stored: string[] = []
    const write = async (writer: number) => {
      for (let i = 0; i < TRANSACTIONS; i++) {
        const names = Array.from({ length: EVENTS }, (_, n) => `${writer}/${i}/${n}`)
        const fails = random(10) === 0
        const done = program.inTransaction(async (tx) => {
          for (const name of names) {
            await record(tx, name)
            // The writers overtake each other: that is what the test is about.
            for (let turns = random(3) * random(100); turns > 0; turns--) await turn()
          }
          if (fails) throw new Error('rolled back')
        })
        if (
          await done.then(
            () => true,
            () => false,
          )
        )
          stored.push(...names)
      }
      left--
    }
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer))
    const seen: string[] = []
    const seenOfAll: string[] = []
    let after: Position = START
    let afterOfAll: Position = START
    const readOnce = async () => {
      const page = await program.eventLog.read({ appId, after, limit: 7 })
      seen.push(...page.events.map(({ type }) => type))
      after = page.next
      const all = await program.eventLog.read({ after: afterOfAll, limit: 50 })
      seenOfAll.push(...all.events.map(({ type }) => type))
      afterOfAll = all.next
      return page.atEnd && all.atEnd
    }
    while (left > 0) await readOnce()
    await Promise.all(writers)
    // Until the last transaction of anybody else in the cluster has ended, too.
    await eventually(
      async () => (await readOnce()) && seen.length === stored.length && seenOfAll.length === stored.length,
      'all are read',
    )
    expect(seen.toSorted(), `seed ${seed}`).to.deep.equal(stored.toSorted())
    expect(seenOfAll.toSorted(), `seed ${seed}`).to.deep.equal(stored.toSorted())
    // Those of one transaction stand together, in their order.
    const ofTransactions = seen.map((name) => name.slice(0, name.lastIndexOf('/')))
    const changes = ofTransactions.filter((name, i) => name !== ofTransactions[i - 1]).length
    expect(changes).to.equal(stored.length / EVENTS)
  })

  it('shows an event only when no transaction that began before is open', async () => {
    const { program } = test
    const began = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const slow = program.inTransaction(async (tx) => {
      await record(tx, 'slow')
      began.resolve()
      await released.promise
    })
    await began.promise
    await program.inTransaction((tx) => record(tx, 'fast'))
    const page = await program.eventLog.read({ appId, limit: 9 })
    expect(page.events).to.deep.equal([])
    expect(await program.eventLog.last({ appId, limit: 9 })).to.deep.equal([])
    expect(await program.eventLog.read({ limit: 9 }))
      .to.have.property('events')
      .that.deep.equals([])
    released.resolve()
    await slow
    let found: string[] = []
    await eventually(async () => {
      found = (await program.eventLog.read({ appId, after: page.next, limit: 9 })).events.map(({ type }) => type)
      return found.length > 0
    }, 'the events are shown')
    expect(found).to.deep.equal(['slow', 'fast'])
    const last = await program.eventLog.last({ appId, limit: 9 })
    expect(last.map(({ type }) => type)).to.deep.equal(['slow', 'fast'])
  })

  it('has the events of before the migration first, in the order of their ids', async () => {
    const { program } = test
    await program.inTransaction((tx) => record(tx, 'new'))
    await program.inTransaction((tx) => record(tx, 'old 1', 'old 2'))
    await program.kernel.db.write((sql) => sql('events').whereLike('type', 'old%').update({ tx: 0 }))
    await eventually(
      async () => (await program.eventLog.read({ appId, limit: 9 })).events.length === 3,
      'all are shown',
    )
    const { events } = await program.eventLog.read({ appId, limit: 9 })
    expect(events.map(({ type }) => type)).to.deep.equal(['old 1', 'old 2', 'new'])
    const last = async (limit: number) => (await program.eventLog.last({ appId, limit })).map(({ type }) => type)
    expect(await last(9)).to.deep.equal(['old 1', 'old 2', 'new'])
    expect(await last(2)).to.deep.equal(['old 2', 'new'])
  })
})
