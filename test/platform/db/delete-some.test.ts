import { expect } from 'chai'
import type { Database } from '../../../src/platform/db/connect.ts'
import { deleteWithBelongings } from '../../../src/platform/db/delete-some.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

onEachDatabase('rows with what belongs to them', (kind) => {
  let test: TestProgram
  let db: Database
  before(async () => {
    test = await openTestProgram({ kind })
    ;({ db } = test.program.kernel)
    await db.write(async (trx) => {
      await trx.schema.createTable('houses', (t) => {
        t.integer('id').primary()
        t.integer('street')
      })
      for (const name of ['doors', 'windows']) {
        await trx.schema.createTable(name, (t) => {
          t.integer('house')
          t.integer('number')
          t.primary(['house', 'number'])
        })
      }
    })
  })
  after(() => test.close())

  /** Two houses of street 1, one of street 2; each has as many doors and windows. */
  async function build(each: number): Promise<void> {
    await db.write(async (trx) => {
      for (const name of ['houses', 'doors', 'windows']) await trx(name).delete()
      await trx('houses').insert([1, 2, 3].map((id) => ({ id, street: id === 3 ? 2 : 1 })))
      for (const name of ['doors', 'windows']) {
        for (const house of [1, 2, 3])
          for (let number = 0; number < each; number++) await trx(name).insert({ house, number })
      }
    })
  }
  const remove = (limit: number) =>
    db.write((trx) =>
      deleteWithBelongings(
        trx,
        'houses',
        trx('houses').where({ street: 1 }),
        [
          { table: 'doors', owner: 'house', along: 'number' },
          { table: 'windows', owner: 'house', along: 'number' },
        ],
        limit,
      ),
    )
  const left = async () => {
    const counts = ['doors', 'windows', 'houses'].map(async (name) =>
      Number((await db.read(name).count('* as n'))[0]!.n),
    )
    return Promise.all(counts)
  }

  // Of each kind one belongs to street 2.
  const rows: [limit: number, deleted: number, left: number[]][] = [
    [1, 1, [2, 3, 3]],
    [2, 2, [1, 3, 3]],
    [3, 3, [1, 2, 3]],
    [4, 4, [1, 1, 3]],
    [5, 5, [1, 1, 2]],
    [6, 6, [1, 1, 1]],
    [7, 6, [1, 1, 1]],
    [100, 6, [1, 1, 1]],
  ]
  for (const [limit, deleted, expected] of rows) {
    it(`are deleted after it, ${limit} of all at most`, async () => {
      await build(1)
      expect([await remove(limit), await left()]).to.deep.equal([deleted, expected])
    })
  }

  it('are gone when less than the limit was deleted, however often that takes', async () => {
    await build(3)
    let calls = 1
    while ((await remove(4)) === 4) calls++
    expect([calls, await left()]).to.deep.equal([4, [3, 3, 1]])
  })
})
