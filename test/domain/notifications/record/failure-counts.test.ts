import { expect } from 'chai'
import type { Failure } from '../../../../src/domain/notifications/record/ledger.repository.ts'
import { chance } from '../../../support/chance.ts'
import { broadcast, withAndroids } from '../../../support/delivery.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onEachDatabase('the counts of failures', (kind) => {
  let test: TestProgram
  let id: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await withAndroids(test, 1)
    id = await broadcast(test)
  })
  afterEach(() => test.close())

  const fail = (failures: readonly Failure[], notificationId = id) =>
    test.program.inTransaction(({ ledger }) =>
      ledger.insertFailures({ appId: test.first.id, notificationId }, failures, 5),
    )
  const failure = (reason: string, kind = 'token_dead'): Failure => ({ row: 1, kind, reason })
  const told = async () =>
    (await test.program.notifications.report(test.first.id, id)).failures.map(({ kind, reason, count }) => [
      kind,
      reason,
      count,
    ])
  const sum = (rows: (string | number)[][]) => rows.reduce((all, [, , count]) => all + (count as number), 0)

  it('are those of a recount after many pages were recorded at once, in any order of their notifications', async () => {
    const random = chance(11)
    const other = await broadcast(test)
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => {
        const some = Array.from({ length: random(30) }, () => failure(`R${random(9)}`, `k${random(3)}`))
        const ids = i % 2 === 0 ? [id, other] : [other, id]
        return test.program.inTransaction(async ({ ledger }) => {
          for (const notificationId of ids) {
            await ledger.insertFailures({ appId: test.first.id, notificationId }, some, 5)
          }
        })
      }),
    )
    const right = await test.program.kernel.db
      .read('delivery_failures')
      .where({ notification_id: id })
      .groupBy('kind', 'reason')
      .select('kind', 'reason')
      .count<{ kind: string; reason: string; count: number }[]>({ count: '*' })
      .orderBy([{ column: 'count', order: 'desc' }, 'kind', 'reason'])
    expect(right.length).to.be.above(10)
    expect(await told()).to.deep.equal(right.map(({ kind, reason, count }) => [kind, reason, count]))
  })

  it('name a hundred reasons; the rest is one row for each kind, and each recipient keeps its own words', async () => {
    await fail(Array.from({ length: 90 }, (_, i) => failure(`first ${i}`)))
    await fail(Array.from({ length: 500 }, (_, i) => failure(`free text ${i}`, i % 2 === 0 ? 'token_dead' : 'unknown')))
    await fail([failure('first 0'), failure('first 0'), failure('free text 499'), failure('new')])
    const rows = await told()
    expect(sum(rows)).to.equal(594)
    expect(rows.filter(([, reason]) => reason !== 'other reasons').length).to.equal(100)
    const others = rows.filter(([, reason]) => reason === 'other reasons')
    expect(others.map(([kind]) => kind)).to.have.members(['token_dead', 'unknown'])
    expect(rows.find(([, reason]) => reason === 'first 0')).to.deep.equal(['token_dead', 'first 0', 3])
    expect((await test.program.ledger.failuresOf(test.first.id, id, 1)).map(({ reason }) => reason)).to.include('new')
    const kept = await test.program.kernel.db.read('failure_counts').where({ notification_id: id })
    expect(kept.length, 'rows do not grow with the variety').to.be.at.most(110 * 3)
  })

  it('cut long reasons as the failures do, also in the middle of a character', async () => {
    const long = `${'x'.repeat(254)}😀`
    await fail([failure(long), failure(long)])
    expect(await told()).to.deep.equal([['token_dead', `${'x'.repeat(254)}\uFFFD`, 2]])
  })
})
