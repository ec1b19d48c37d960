import { expect } from 'chai'
import type { RecordsService } from '../../../src/domain/tables/records/records.service.ts'
import type { Table } from '../../../src/domain/tables/types.ts'
import { collect } from '../../../src/platform/concurrency/chunks.ts'
import { chance, seedOf } from '../../support/chance.ts'
import { many } from '../../support/depth.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'
import { column, makeTable } from '../../support/tables.ts'

/** Operations and questions by chance, each compared with a plain list. */

interface Row {
  id: number
  n: number | null
  s: string | null
  u: number | null
}

const STEPS = many(40, { long: 300 })
const WORDS = ['', 'a', 'A', 'aa', 'b', 'é', '\ue000', '😀']
const ORDERS = ['id', 'n', 's', 'u'] as const

function compare(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null)
  if (typeof a === 'number') return a - (b as number)
  return Buffer.compare(Buffer.from(a), Buffer.from(b as string))
}

onEachDatabase('a data table', (kind) => {
  let test: TestProgram
  let table: Table
  before(async () => {
    test = await openTestProgram({ kind })
    table = await makeTable(test, 'things', [
      column('n', 'integer', { indexed: true }),
      column('s', 'string'),
      column('u', 'integer', { unique: true }),
    ])
  })
  after(() => test.close())

  it('answers like a plain list, whatever happened to it', async () => {
    // Others on the other database.
    const seed = seedOf(kind === 'sqlite' ? 20_261_121 : 20_261_120)
    const pick = chance(seed)
    let rows: Row[] = []
    let given = 0
    const write = <T>(work: (records: RecordsService) => Promise<T>) =>
      test.program.inTransaction((tx) => work(tx.records))
    const body = () => ({
      n: pick(5) === 0 ? null : pick(40),
      s: pick(5) === 0 ? null : WORDS[pick(WORDS.length)]!,
      u: pick(3) === 0 ? null : given++,
    })
    const some = () => rows[pick(rows.length)]!

    const operations: (() => Promise<void>)[] = [
      async () => {
        const bodies = Array.from({ length: 1 + pick(300) }, body)
        const { ids } = await write((records) => records.create(test.first.id, table.alias, bodies))
        rows.push(...bodies.map((one, i) => ({ id: ids[i]!, ...one })))
      },
      async () => {
        const row = some()
        const { u: _, ...change } = body()
        await write((records) => records.update(test.first.id, table.alias, row.id, change))
        Object.assign(row, change)
      },
      async () => {
        const gone = new Set(Array.from({ length: 1 + pick(60) }, () => some().id))
        await Promise.all([...gone].map((id) => write((records) => records.delete(test.first.id, table.alias, id))))
        rows = rows.filter(({ id }) => !gone.has(id))
      },
      // Taken back: a list with a value twice, and a transaction that fails behind its writes.
      async () => {
        const bodies = [...Array.from({ length: 20 }, body), { u: given }, { u: given++ }]
        const error = await write((records) => records.create(test.first.id, table.alias, bodies)).catch(
          (e: Error) => e,
        )
        expect(error).to.be.an('error')
      },
      async () => {
        const { id } = some()
        const error = await write(async (records) => {
          await records.delete(test.first.id, table.alias, id)
          await records.create(test.first.id, table.alias, [body(), body()])
          throw new Error('on purpose')
        }).catch((e: Error) => e)
        expect(error).to.be.an('error')
      },
    ]

    async function ask(): Promise<void> {
      const field = ORDERS[pick(ORDERS.length)]!
      const descending = pick(2) === 0
      const bound = pick(40)
      const isFiltered = pick(3) === 0
      const sorted = rows
        .filter(({ n }) => !isFiltered || (n !== null && n < bound))
        .sort((a, b) => compare(a[field], b[field]) || a.id - b.id)
      if (descending) sorted.reverse()
      const numberPerPage = 1 + pick(200)
      const page = 1 + pick(Math.ceil(sorted.length / numberPerPage) + 1)
      const query = {
        sortBy: `${descending ? '-' : ''}${field}`,
        page,
        numberPerPage,
        count: true,
        ...(isFiltered && { filter: JSON.stringify({ field: 'n', operator: 'lt', value: bound }) }),
      }
      const found = await test.program.records.list(test.first.id, table.alias, query)
      const said = `seed ${seed}: ${JSON.stringify(query)}`
      const records = await collect(found.records)
      const shown = records.map(({ id, values }) => [id, ...table.columns.map((_, i) => [...values.values()][i])])
      const expected = sorted.slice((page - 1) * numberPerPage, page * numberPerPage)
      expect(shown, said).to.deep.equal(expected.map(({ id, n, s, u }) => [id, n, s, u]))
      expect(found.total, said).to.equal(sorted.length)
      expect(found.next !== null, said).to.equal(page * numberPerPage < sorted.length)
    }

    for (let i = 0; i < 8; i++) await operations[0]!()
    for (let step = 0; step < STEPS; step++) {
      await (rows.length < 200 ? operations[0]! : operations[pick(operations.length)]!)()
      for (let i = 0; i < 4; i++) await ask()
    }
    expect(await test.program.tables.count(table)).to.equal(rows.length)
  })
})
