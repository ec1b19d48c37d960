import { expect } from 'chai'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

onEachDatabase('suggestions for a filter', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  const record = (appId: number, events: { type: string; data?: object; userIdentifier?: string }[]) =>
    test.program.inTransaction((tx) =>
      tx.events.recordAll(
        appId,
        events.map(({ data = null, userIdentifier = 'anna', ...event }) => ({
          ...event,
          userIdentifier,
          data: data as Record<string, unknown> | null,
        })),
      ),
    )
  const suggested = async () => (await test.program.segmentSuggestions.of(test.first.id)).events

  it('name the types of events that users have, with what their data has', async () => {
    const { program, first, clock } = test
    const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await record(other.id, [{ type: 'of another app' }])
    await record(first.id, [
      { type: 'paid', data: { amount: 5, shop: { city: 'Graz' } } },
      { type: 'paid', data: { amount: 5, shop: { city: 'Graz' }, 'a b': ['x'], gone: null } },
    ])
    clock.advance(1000)
    await record(first.id, [{ type: 'paid', data: { amount: 7 } }, { type: 'seen' }])
    await program.inTransaction((tx) => tx.events.recordAll(first.id, [{ type: 'of nobody', data: null }]))
    expect(await suggested()).to.deep.equal([
      {
        type: 'paid',
        events: 3,
        lastAt: clock.now(),
        properties: [
          { field: 'data.amount', kinds: ['number'], values: [5, 7] },
          { field: 'data.shop.city', kinds: ['text'], values: ['Graz'] },
          { field: 'data["a b"]', kinds: ['list'], values: [] },
        ],
      },
      { type: 'seen', events: 1, lastAt: clock.now(), properties: [] },
    ])
  })

  it('look at the newest events, and at some from every part of a long log', async () => {
    const old = (type: string) => Array.from({ length: 60 }, () => ({ type }))
    for (let i = 0; i < 40; i++) await record(test.first.id, old(i === 5 ? 'rare' : 'old'))
    await record(
      test.first.id,
      Array.from({ length: 5000 }, () => ({ type: 'new' })),
    )
    const found = await suggested()
    expect(found.map(({ type }) => type)).to.deep.equal(['new', 'old', 'rare'])
    const { examined } = await test.program.segmentSuggestions.of(test.first.id)
    expect(found.reduce((all, { events }) => all + events, 0)).to.equal(examined.events)
    // Nothing is looked at twice.
    expect(examined.events).to.be.at.most(40 * 60 + 5000)
  })

  it('read a bounded part of large data', async () => {
    const text = 'x'.repeat(60_000)
    const types = Array.from({ length: 20 }, (_, i) => ({ type: `type ${i}`, data: { name: 'a', text } }))
    for (let i = 0; i < 3; i++) await record(test.first.id, types)
    const found = await suggested()
    expect(found).to.have.length(20)
    const known = found.filter(({ properties }) => properties.length > 0).length
    expect(known).to.be.within(4, 9)
  })
})
