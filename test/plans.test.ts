import { expect } from 'chai'
import { broadcast, withAndroids } from './support/delivery.ts'
import { fillEveryTable } from './support/every-table.ts'
import { indexesOf, unindexedKeys } from './support/plans.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from './support/program.ts'
import { statementsOf } from './support/statements.ts'
import { column } from './support/tables.ts'

onEachDatabase('indexes', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind })
    await withAndroids(test, 3)
    await broadcast(test)
    const other = await test.program.inTransaction(({ apps }) => apps.create({ name: 'Other' }))
    await fillEveryTable(test.program, other.id)
  })
  after(() => test.close())

  const tx: TestProgram['program']['inTransaction'] = (work) => test.program.inTransaction(work)

  it('what is forgotten is found by its age, among those alone that may be forgotten', async () => {
    const statements = await statementsOf(test.program, async () => {
      await tx(({ userMessages }) => userMessages.forget(1, test.clock.now(), 10))
      await tx(({ taps }) => taps.forget(10))
      await tx(({ crm }) => crm.forgetActivity(10))
      await test.program.queue.orphans(20)
    })
    const indexes = (await Promise.all(statements.map((one) => indexesOf(test.program, one)))).flat()
    expect(indexes).to.include.members([
      'user_messages_by_age',
      'link_taps_unseen',
      'active_hours_period_index',
      'pages_claimed',
    ])
  })

  it('behind every foreign key there is a full index', async () => {
    const { program, first } = test
    await program.inTransaction(async ({ tables }) => {
      await tables.create(first.id, 'authors', [column('name', 'string')])
      await tables.create(first.id, 'works', [column('author', 'reference', { references: 'authors' })])
    })
    expect(await unindexedKeys(program.kernel.db.read)).to.deep.equal([])
  })

  it('sees a foreign key that no index, a partial one or an expression stands behind', async () => {
    const { db } = test.program.kernel
    const found = () => unindexedKeys(db.read).then((keys) => keys.map(({ table, columns }) => `${table} ${columns}`))
    const run = (text: string) => db.write((trx) => trx.raw(text))
    await run('CREATE TABLE parents (a integer NOT NULL, b integer NOT NULL, PRIMARY KEY (a, b))')
    await run('CREATE TABLE children (x integer, y integer, z integer, FOREIGN KEY (x, y) REFERENCES parents (a, b))')
    try {
      expect(await found()).to.deep.equal(['children x,y'])
      await run('CREATE INDEX one ON children (x, y) WHERE x IS NOT NULL')
      await run('CREATE INDEX two ON children (x, abs(y))')
      await run('CREATE INDEX three ON children (x, z, y)')
      expect(await found()).to.deep.equal(['children x,y'])
      await run('CREATE INDEX four ON children (y, x, z)')
      expect(await found()).to.deep.equal([])
    } finally {
      await run('DROP TABLE children')
      await run('DROP TABLE parents')
    }
  })
})
