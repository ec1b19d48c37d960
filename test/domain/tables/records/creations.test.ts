import { expect } from 'chai'
import { recordsRepository } from '../../../../src/domain/tables/store/records.repository.ts'
import type { Table } from '../../../../src/domain/tables/types.ts'
import { collect } from '../../../../src/platform/concurrency/chunks.ts'
import { isAppError } from '../../../../src/platform/errors.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'
import { column, makeTable } from '../../../support/tables.ts'

onEachDatabase('records that are created at once', (kind) => {
  let test: TestProgram
  let appId: number
  let table: Table
  before(async () => {
    test = await openTestProgram({ kind })
    appId = test.first.id
    await makeTable(test, 'owners', [column('name', 'string')])
    table = await makeTable(test, 'things', [
      column('n', 'integer'),
      column('u', 'integer', { unique: true }),
      column('owner', 'reference', { references: 'owners' }),
    ])
  })
  after(() => test.close())

  const create = (body: unknown, alias = table.alias, size = 50) =>
    test.program.creations.create(appId, alias, body, size)
  /** The ids, or what is wrong. */
  const outcome = (body: unknown, alias?: string, size?: number) =>
    create(body, alias, size).then(
      ({ ids }) => ids,
      (error: unknown) => (isAppError(error) ? { [error.code]: Object.keys(error.details.fields ?? {}) } : error),
    )
  const stored = async () => {
    const { records, total } = await test.program.records.list(appId, table.alias, { numberPerPage: 1000, count: true })
    const rows = (await collect(records)).map(({ id, values }) => [id, [...values.values()][0]] as const)
    expect(total).to.equal(rows.length)
    return new Map(rows)
  }
  /** Each transaction that changes the table counts one change. */
  const changes = async () => {
    const [row] = await test.program.kernel.db.read('data_blocks').where({ table_id: table.id }).sum({ all: 'changes' })
    return Number(row!.all ?? 0)
  }

  it('share transactions, and each gets its own records, in the order of its body', async () => {
    const bodies = Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? [{ n: i }, { n: 100 + i }] : { n: i }))
    const before = await changes()
    const all = await Promise.all(bodies.map((body) => outcome(body)))
    expect(await changes()).to.equal(before + 1)
    const rows = await stored()
    for (const [i, ids] of (all as number[][]).entries()) {
      expect(ids.map((id) => rows.get(id))).to.deep.equal(i % 3 === 0 ? [i, 100 + i] : [i])
    }
    expect(rows).to.have.property('size', 27)
  })

  it('may come with ids of their own, and are told in the order of these', async () => {
    const own = await makeTable(test, 'numbered', [column('n', 'integer')])
    const record = (id: number) => ({ id, createdAt: 1, updatedAt: 1, values: new Map() })
    const insert = (...ids: number[]) =>
      test.program.kernel.db.write((trx) => recordsRepository(trx).insert(own, ids.map(record)))
    expect(await insert(30, 10, 20)).to.deep.equal([10, 20, 30])
    expect(await insert(20, 5), 'one that is there is left alone').to.deep.equal([5])
  })

  it('are refused by themselves', async () => {
    const before = (await stored()).size
    const all = [
      { n: 'x' },
      { n: 1, u: 7 },
      [],
      { n: 2, u: 7 },
      [{ n: 3 }, { n: 4, owner: 99 }],
      { n: 5, owner: 98 },
      [{ n: 6, u: 8 }, { u: 8 }],
      { n: 7 },
      'text',
    ].map((body) => outcome(body))
    const [shape, first, empty, second, list, reference, twice, good, text] = await Promise.all(all)
    expect(shape).to.deep.equal({ invalid: ['n'] })
    expect(first).to.have.length(1)
    expect(empty).to.deep.equal({ invalid: [''] })
    expect(second).to.deep.equal({ invalid: ['u'] })
    expect(list).to.deep.equal({ invalid: ['[1].owner'] })
    expect(reference).to.deep.equal({ invalid: ['owner'] })
    expect(twice).to.deep.equal({ invalid: ['[1].u'] })
    expect(good).to.have.length(1)
    expect(text).to.deep.equal({ invalid: [''] })
    expect((await stored()).size).to.equal(before + 2)
  })

  it('of a table that is not there are all told so', async () => {
    const all = [1, 2, 3].map((n) => outcome({ n }, `${appId}_nothing`))
    expect(await Promise.all(all)).to.deep.equal([{ not_found: [] }, { not_found: [] }, { not_found: [] }])
  })

  it('go alone when they are large', async () => {
    const before = (await stored()).size
    const many = Array.from({ length: 1000 }, (_, n) => ({ n }))
    const all = await Promise.all([
      outcome(many),
      outcome({ n: 1 }, table.alias, 2 ** 20),
      outcome({ n: 2 }, table.alias, 2 ** 20),
    ])
    expect(all.map((ids) => (ids as number[]).length)).to.deep.equal([1000, 1, 1])
    const [row] = await test.program.kernel.db
      .read('data_blocks')
      .where({ table_id: table.id })
      .sum({ all: 'row_count' })
    expect(Number(row!.all)).to.equal(before + 1002)
  })
})
