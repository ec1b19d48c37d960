import { expect } from 'chai'
import { broadcast, withAndroids } from '../../../support/delivery.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onEachDatabase('a page', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await withAndroids(test, 1)
  })
  afterEach(() => test.close())

  const insertPage = (notificationId: number) =>
    test.program.inTransaction(({ ledger }) =>
      ledger.insertPage({ appId: test.first.id, notificationId, laneId: 1, rows: [1], notBefore: 0 }, 5),
    )
  const pages = async () => (await test.program.kernel.db.read('pages').select('id')).length

  it('goes with its app, also while it waits in a lane of the app', async () => {
    const id = await broadcast(test)
    await insertPage(id)
    expect(await pages()).to.be.above(0)
    await test.program.kernel.db.write((trx) => trx('apps').where({ id: test.first.id }).delete())
    expect(await pages()).to.equal(0)
  })

  it('is refused without its notification', async () => {
    const outcome = await insertPage(4711).then(
      () => 'stored',
      () => 'refused',
    )
    expect([outcome, await pages()]).to.deep.equal(['refused', 0])
  })
})
