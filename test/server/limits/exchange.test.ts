import { expect } from 'chai'
import type { NodeFacts } from '../../../src/platform/instance/nodes.repository.ts'
import { limiterOf } from '../../../src/server/limits/for-program.ts'
import { onPostgres, openTestProgram, type TestProgram } from '../../support/program.ts'

const HOUR_MS = 3_600_000

onPostgres('uses of caps in the database', () => {
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram({ kind: 'postgres' })
  })
  afterEach(() => test.close())

  const add = (...uses: [string, number][]) =>
    test.program.inTransaction((tx) => tx.capUses.add(uses.map(([digest, ms]) => ({ digest, ms }))))
  const rows = () => test.program.kernel.db.read('cap_uses').orderBy('digest').pluck<string[]>('digest')

  it('add up for each caller, and decay', async () => {
    expect(Object.fromEntries((await add(['b', 5 * HOUR_MS], ['a', 0])).ahead)).to.deep.equal({ a: 0, b: 5 * HOUR_MS })
    // No cap is for so long: another clock wrote this.
    const { ahead } = await add(['a', HOUR_MS], ['b', 1000])
    expect(ahead.get('a')).to.equal(HOUR_MS)
    expect(ahead.get('b')).to.equal(2 * HOUR_MS + 1000)
    await test.program.kernel.db.write((trx) =>
      trx('cap_uses')
        .where({ digest: 'a' })
        .decrement('free_at', HOUR_MS / 2),
    )
    expect((await add(['a', -1000])).ahead.get('a')).to.be.within(0, HOUR_MS / 2 - 1000)
  })

  it('are told with the number of nodes that answer HTTP and are alive', async () => {
    const enter = (id: string, roles: NodeFacts['roles']) =>
      test.program.inTransaction((tx) =>
        tx.nodes.enter({ id, host: 'h', pid: 1, version: '1', schemaStep: '1', keyPrint: 'k', roles }, 0),
      )
    expect((await add(['a', 1])).nodes).to.equal(0)
    await enter('one', ['http', 'workers'])
    await enter('two', ['http'])
    await enter('worker', ['workers'])
    await enter('gone', ['http'])
    await enter('stopped', ['http'])
    await test.program.kernel.db.write((trx) => trx('nodes').where({ id: 'gone' }).decrement('seen_at', 31_000))
    await test.program.inTransaction((tx) => tx.nodes.leave('stopped'))
    expect((await add(['a', 1])).nodes).to.equal(2)
  })

  it('are forgotten when the whole cap is free again', async () => {
    await add(['a', 1000], ['b', 1000], ['c', HOUR_MS])
    const forget = (limit: number) => test.program.inTransaction((tx) => tx.capUses.forget(limit))
    expect(await forget(10)).to.equal(0)
    await test.program.kernel.db.write((trx) => trx('cap_uses').decrement('free_at', 2000))
    expect([await forget(1), await forget(10), await rows()]).to.deep.equal([1, 1, ['c']])
  })

  it('are written beside the transaction that a call is in, which may fail', async () => {
    const limiter = limiterOf(test.program, {
      name: 'cap',
      burst: 4,
      everyMs: HOUR_MS,
      what: 'calls',
      code: 'too_many',
    })
    const { clock } = test.program.kernel
    const failed = test.program.inTransaction(async (tx) => {
      await tx.apps.list()
      limiter.charge('198.51.100.7', clock.monotonic(), 4)
      await tx.apps.list()
      throw new Error('refused')
    })
    await failed.catch((error: unknown) => expect(error).to.be.an('error', 'refused'))
    await limiter.ready('198.51.100.7', clock.monotonic())
    const [digest, ...others] = await rows()
    expect(digest).to.match(/^[0-9a-f]{64}$/)
    expect(others).to.deep.equal([])
  })
})
