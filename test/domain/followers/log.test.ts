import { expect } from 'chai'
import { type Position, readCursor, requireCursor, START, writeCursor } from '../../../src/domain/followers/position.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

describe('a cursor', () => {
  const positions: Position[] = [
    START,
    { tx: 0, id: 1 },
    { tx: 0, id: 36 ** 3 },
    { tx: 7, id: 2 },
    { tx: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER },
  ]

  it('is read back as the position that was written, and cursors are ordered as their positions are', () => {
    const texts = positions.map(writeCursor)
    expect(texts.map(readCursor)).to.deep.equal(positions)
    expect(texts.toSorted()).to.deep.equal(texts)
  })

  for (const text of ['', '12', 'z'.repeat(22), 'A'.repeat(22), `${writeCursor(START)}0`]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      expect(readCursor(text)).to.equal(undefined)
      expect(() => requireCursor(text, 'after')).to.throw('validation failed')
    })
  }
})

onEachDatabase('the event log', (kind) => {
  let test: TestProgram
  let appId: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
  })
  afterEach(() => test.close())

  const store = (...types: string[]) =>
    test.program.inTransaction((tx) =>
      tx.events.recordAll(
        appId,
        types.map((type) => ({ type, data: { of: type } })),
      ),
    )
  const names = ({ events }: { events: readonly { type: string }[] }) => events.map(({ type }) => type)

  it('is read page by page, to an end that later events come after', async () => {
    const { eventLog } = test.program
    await store('a', 'b', 'c')
    const first = await eventLog.read({ appId, limit: 2 })
    expect(names(first)).to.deep.equal(['a', 'b'])
    expect(first).to.include({ atEnd: false, missed: false })
    const second = await eventLog.read({ appId, after: first.next, limit: 2 })
    expect(names(second)).to.deep.equal(['c'])
    expect(second.atEnd).to.equal(true)
    expect(names(await eventLog.read({ appId, after: second.next, limit: 2 }))).to.deep.equal([])
    await store('d')
    expect(names(await eventLog.read({ appId, after: second.next, limit: 2 }))).to.deep.equal(['d'])
    expect(names(await eventLog.read({ appId, after: first.events[0]!.position, limit: 9 }))).to.deep.equal([
      'b',
      'c',
      'd',
    ])
  })

  it('tells readers only what is on disk: a power cut must not give their place to another event', async () => {
    const { eventLog, kernel } = test.program
    await store('a')
    const { settled } = kernel.db
    const gate = Promise.withResolvers<void>()
    try {
      kernel.db.settled = () => gate.promise
      let isTold = false
      const reads = [eventLog.read({ appId, limit: 1 }), eventLog.last({ appId, limit: 1 }), eventLog.end()]
      const told = Promise.all(reads.map((read) => read.then(() => void (isTold = true))))
      await kernel.db.write(async () => {})
      expect(isTold).to.equal(false)
      gate.resolve()
      await told
    } finally {
      kernel.db.settled = settled
    }
  })

  it('shows who sent an event and what it holds', async () => {
    const { program, clock } = test
    await program.inTransaction((tx) =>
      tx.events.ingest(appId, 'phone', [
        { type: 'buy', uuid: 'u1', timestamp: 5, userId: 'anna', data: { amount: 3 } },
      ]),
    )
    const [event] = (await program.eventLog.read({ appId, limit: 1 })).events
    const { position, ...rest } = event!
    expect(rest).to.deep.equal({
      cursor: writeCursor(position),
      appId,
      type: 'buy',
      uuid: 'u1',
      userIdentifier: 'anna',
      installId: 'phone',
      data: { amount: 3 },
      happenedAt: 5,
      receivedAt: clock.now(),
    })
  })

  it('is read by type with a bounded look, and the position moves past the others', async () => {
    const { eventLog } = test.program
    await store(...Array.from({ length: 2500 }, () => 'dull'), 'rare', 'dull')
    const first = await eventLog.read({ appId, types: ['rare'], limit: 10 })
    expect(first.events).to.deep.equal([])
    expect(first.atEnd).to.equal(false)
    const second = await eventLog.read({ appId, types: ['rare'], after: first.next, limit: 10 })
    expect(names(second)).to.deep.equal(['rare'])
    expect(second.atEnd).to.equal(true)
    expect(names(await eventLog.read({ appId, after: second.next, limit: 10 }))).to.deep.equal([])
  })

  it('holds the events of all apps, or of one', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await store('mine')
    await test.program.inTransaction((tx) => tx.events.record(other.id, { type: 'theirs', data: null }))
    const { eventLog } = test.program
    expect(names(await eventLog.read({ limit: 9 }))).to.deep.equal(['mine', 'theirs'])
    expect(names(await eventLog.read({ appId: other.id, limit: 9 }))).to.deep.equal(['theirs'])
    await store('mine, too', 'mine, last')
    const last = async (of: number, limit: number) => names({ events: await eventLog.last({ appId: of, limit }) })
    expect(await last(other.id, 9)).to.deep.equal(['theirs'])
    expect(await last(appId, 2), 'the oldest first').to.deep.equal(['mine, too', 'mine, last'])
    expect(await last(appId, 9)).to.deep.equal(['mine', 'mine, too', 'mine, last'])
    expect(names({ events: await eventLog.last({ appId, types: ['mine'], limit: 1 }) })).to.deep.equal(['mine'])
  })

  it('ends a page at two megabytes of data, after one event at least', async () => {
    const large = { text: 'x'.repeat(900_000) }
    await test.program.inTransaction((tx) =>
      tx.events.recordAll(
        appId,
        [1, 2, 3].map((n) => ({ type: `t${n}`, data: large })),
      ),
    )
    const page = await test.program.eventLog.read({ appId, limit: 9 })
    expect(names(page)).to.deep.equal(['t1', 't2'])
    expect(page.atEnd).to.equal(false)
    expect(names(await test.program.eventLog.read({ appId, after: page.next, limit: 9 }))).to.deep.equal(['t3'])
  })

  it('says that a reader stands before events that were forgotten, also when none of its app are left', async () => {
    const { program, clock } = test
    await store('old')
    const before = (await program.eventLog.read({ appId, limit: 1 })).events[0]!.position
    await store('lost')
    clock.advance(10 * 86_400_000)
    await store('kept')
    expect(await program.inTransaction((tx) => tx.events.forget(5, 1))).to.equal(1)
    expect(await program.eventLog.read({ appId, after: before, limit: 9 })).to.have.property('missed', false)
    expect(await program.inTransaction((tx) => tx.events.forget(5, 10))).to.equal(1)
    const page = await program.eventLog.read({ appId, after: before, limit: 9 })
    expect(page.missed).to.equal(true)
    expect(names(page)).to.deep.equal(['kept'])
    expect(await program.eventLog.read({ appId, after: page.next, limit: 9 })).to.have.property('missed', false)
    expect(await program.eventLog.read({ after: before, limit: 9 })).to.have.property('missed', true)
  })

  it('is forgotten from its start, also behind events of a time when the clock was ahead', async () => {
    const { program, clock } = test
    const forget = (limit: number) => program.inTransaction((tx) => tx.events.forget(5, limit))
    await store('old')
    clock.advance(100 * 86_400_000)
    await store('ahead 1', 'ahead 2', 'ahead 3')
    clock.advance(-100 * 86_400_000)
    await store('old, too')
    clock.advance(10 * 86_400_000)
    await store('kept')
    expect(await forget(2)).to.equal(1)
    // The clock was wrong: what stands before an old event is old.
    expect(await forget(2)).to.equal(2)
    expect(await forget(2)).to.equal(2)
    expect(await forget(2)).to.equal(0)
    expect(names(await program.eventLog.read({ appId, limit: 9 }))).to.deep.equal(['kept'])
  })

  it('moves on when the database was restored, past every cursor that was answered', async () => {
    const { program } = test
    await store('a')
    const { next } = await program.eventLog.read({ appId, limit: 9 })
    await store('gone')
    const ahead = (await program.eventLog.read({ appId, after: next, limit: 9 })).next
    await program.inTransaction((tx) => tx.eventLog.jump())
    await store('new')
    expect(names(await program.eventLog.read({ appId, after: ahead, limit: 9 }))).to.deep.equal(['new'])
    expect(names(await program.eventLog.read({ appId, limit: 9 }))).to.deep.equal(['a', 'gone', 'new'])
    await program.inTransaction((tx) => tx.eventLog.jump())
    await store('newer')
    expect(names(await program.eventLog.read({ limit: 9 }))).to.deep.equal(['a', 'gone', 'new', 'newer'])
  })

  it('tells every thread of the process that events were committed', async () => {
    const { changes } = test.program.kernel
    const seen = changes.count('events')
    const heard = changes.next('events', seen, 60_000)
    await store('a')
    await heard
    expect(changes.count('events')).to.equal(seen + 1)
  })
})
