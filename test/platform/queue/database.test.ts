import { expect } from 'chai'
import { onEachDatabase, onPostgres, openTestApp, type TestApp } from '../../support/app.ts'
import { broadcast, withAndroids } from '../../support/delivery.ts'
import { openTransaction } from '../../support/locks.ts'

onPostgres('claims of units at the same time', () => {
  let test: TestApp
  let laneId = 0

  beforeEach(async () => {
    test = await openTestApp({ kind: 'postgres', settings: { 'delivery.pageSize': '2' } })
    await withAndroids(test, 4)
    await broadcast(test)
    laneId = (await test.app.gateways.lanes.list())[0]!.id
  })
  afterEach(() => test.close())

  it('step over what another is just taking, without waiting for it', async () => {
    const now = test.clock.now()
    const first = await openTransaction(test, ({ queue }) => queue.claim(laneId, 'one', now, 30_000))
    const second = await test.app.inTransaction(({ queue }) => queue.claim(laneId, 'two', now, 30_000))
    const third = await openTransaction(test, ({ queue }) => queue.claim(laneId, 'three', now, 30_000))
    await third.end()
    await first.end()
    expect([first.value!.owner, second!.owner]).to.eql(['one', 'two'])
    expect(first.value!.id).to.not.equal(second!.id)
    expect(third.value, 'both units are taken').to.equal(undefined)
  })

  it('give each unit to one of many', async () => {
    const now = test.clock.now()
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        test.app.inTransaction(({ queue }) => queue.claim(laneId, `w${i}`, now, 30_000)),
      ),
    )
    const ids = claims.flatMap((claim) => (claim ? [claim.id] : []))
    expect(ids).to.have.lengthOf(2)
    expect(new Set(ids)).to.have.lengthOf(2)
  })
})

onEachDatabase('leases', (kind) => {
  let test: TestApp
  beforeEach(async () => {
    test = await openTestApp({ kind, settings: { 'delivery.pageSize': '2' } })
    await withAndroids(test, 6)
    await broadcast(test)
  })
  afterEach(() => test.close())

  it('are prolonged of what is worked on: a claim whose answer got lost is found although its owner lives', async () => {
    const now = test.clock.now()
    const laneId = (await test.app.gateways.lanes.list())[0]!.id
    const claim = (owner: string) => test.app.inTransaction(({ queue }) => queue.claim(laneId, owner, now, -1000))
    const [known, lost, ofOther] = [(await claim('one'))!, (await claim('one'))!, (await claim('two'))!]
    await test.app.inTransaction(({ queue }) => queue.extend('one', 30_000, [known.id, ofOther.id]))
    const orphans = (await test.app.queue.orphans(10)).map(({ id }) => id)
    expect(orphans).to.eql([lost.id, ofOther.id])
  })
})
