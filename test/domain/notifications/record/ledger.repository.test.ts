import { expect } from 'chai'
import { OPEN, STATUS } from '../../../../src/domain/notifications/types.ts'
import { broadcast, withAndroids } from '../../../support/delivery.ts'
import { openTransaction, untilSomebodyWaits } from '../../../support/locks.ts'
import { onPostgres, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onPostgres('the locks of the ledger', () => {
  let test: TestProgram
  let id = 0

  const openShared = sharedDatabase('postgres')
  beforeEach(async () => {
    test = await openShared()
    await withAndroids(test, 3)
    id = await broadcast(test)
  })
  afterEach(() => test.close())

  it('let workers that only send read the status at the same time', async () => {
    const first = await openTransaction(test, ({ ledger }) => ledger.statusOf(id))
    const second = test.program.inTransaction(({ ledger }) => ledger.statusOf(id))
    const waited = Symbol('waited')
    const met = await Promise.race([second, untilSomebodyWaits(test).then(() => waited)])
    await first.end()
    expect([first.value, met]).to.eql([STATUS.sending, STATUS.sending])
  })

  for (const closing of [false, true]) {
    it(`make who ${closing ? 'closes' : 'sends'} wait for a cancel that is being committed, and see it`, async () => {
      const cancel = await openTransaction(test, ({ ledger }) =>
        ledger.setStatus(id, OPEN, STATUS.cancelled, 'cancelled', test.clock.now()),
      )
      const seen = test.program.inTransaction(({ ledger }) => ledger.statusOf(id, closing))
      await Promise.race([seen, untilSomebodyWaits(test)])
      await cancel.end()
      expect(await seen).to.equal(STATUS.cancelled)
    })

    it(`make a cancel wait for who ${closing ? 'closes' : 'sends'}`, async () => {
      const sending = await openTransaction(test, ({ ledger }) => ledger.statusOf(id, closing))
      let isCancelled = false
      const cancel = test.program
        .inTransaction(({ ledger }) => ledger.setStatus(id, OPEN, STATUS.cancelled, 'cancelled', test.clock.now()))
        .then(() => (isCancelled = true))
      await Promise.race([cancel, untilSomebodyWaits(test)])
      const wasCancelled = isCancelled
      await sending.end()
      await cancel
      expect(wasCancelled).to.equal(false)
    })
  }

  it('let only one transaction at a time finish the last work of a notification', async () => {
    const first = await openTransaction(test, ({ ledger }) => ledger.statusOf(id, true))
    let isIn = false
    const second = test.program.inTransaction(({ ledger }) => ledger.statusOf(id, true)).then(() => (isIn = true))
    await Promise.race([second, untilSomebodyWaits(test)])
    const wasIn = isIn
    await first.end()
    await second
    expect(wasIn).to.equal(false)
  })

  it('do not wait for a run that another process is stepping', async () => {
    await test.program.kernel.db.write((trx) => trx('runs').update({ state: 'due' }))
    const run: number = (await test.program.kernel.db.read('runs').first('id')).id
    const first = await openTransaction(test, ({ ledger }) => ledger.lockRun(run))
    const second = await test.program.inTransaction(({ ledger }) => ledger.lockRun(run))
    await first.end()
    expect(first.value).to.include({ id: run })
    expect(second).to.equal(undefined)
  })
})
