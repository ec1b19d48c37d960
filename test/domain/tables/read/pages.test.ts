import { expect } from 'chai'
import { blocksRepository } from '../../../../src/domain/tables/definition/blocks.repository.ts'
import { parseSort } from '../../../../src/domain/tables/read/order.ts'
import { createPageMarks } from '../../../../src/domain/tables/read/page-marks.ts'
import { pageAt } from '../../../../src/domain/tables/read/pages.ts'
import { recordsRepository } from '../../../../src/domain/tables/store/records.repository.ts'
import type { Table, TableChange, TableRecord } from '../../../../src/domain/tables/types.ts'
import { collect } from '../../../../src/platform/concurrency/chunks.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'
import { column, makeTable } from '../../../support/tables.ts'

/** Texts in the order of their code points, which no locale has. */
const WORDS = ['', 'Zebra', 'a', 'aa', 'b', 'z', 'É', 'é', '\ud7ff', '\ue000', '😀']

interface Row {
  id: number
  n: number | null
  s: string | null
  t: string
}

onEachDatabase('pages of records', (kind) => {
  let test: TestProgram
  let table: Table
  /** Rows that must be in the table. */
  let rows: Row[] = []

  before(async () => {
    test = await openTestProgram({ kind })
    table = await makeTable(test, 'things', [
      column('n', 'integer', { indexed: true }),
      column('s', 'string', { indexed: true }),
      column('t', 'text', { required: true }),
    ])
    for (let list = 0; list < 3; list++) {
      const bodies = Array.from({ length: 900 }, (_, i) => bodyOf(list * 900 + i))
      const { ids } = await test.program.inTransaction((tx) => tx.records.create(test.first.id, table.alias, bodies))
      rows.push(...bodies.map((body, i) => ({ id: ids[i]!, ...body })))
    }
  })
  after(() => test.close())

  /** Many equal values, and many records without one. */
  function bodyOf(i: number): Omit<Row, 'id'> {
    return {
      n: i % 4 === 0 ? null : (i * 7919) % 500,
      s: i % 3 === 0 ? null : WORDS[(i * 31) % WORDS.length]!,
      t: `text ${i % 100}`,
    }
  }

  const list = async (query: object) => {
    const page = await test.program.records.list(test.first.id, table.alias, { numberPerPage: 50, ...query })
    return { ...page, records: await collect(page.records) }
  }
  const idsOf = ({ records }: { records: TableRecord[] }) => records.map(({ id }) => id)

  /** The whole table in an order, as it must be. */
  function ordered(sortBy: string): number[] {
    const name = sortBy.replace('-', '') as keyof Row
    const sorted = rows.toSorted((a, b) => compare(a[name], b[name]) || a.id - b.id).map(({ id }) => id)
    return sortBy.startsWith('-') ? sorted.toReversed() : sorted
  }

  function compare(a: string | number | null, b: string | number | null): number {
    if (a === null || b === null) return Number(b === null) - Number(a === null)
    if (typeof a === 'number') return a - (b as number)
    return Buffer.compare(Buffer.from(a), Buffer.from(b as string))
  }

  const ORDERS = ['id', '-id', 'n', '-n', 's', '-s', 't', '-t']

  /** Reads pages in and out of turn, twice, so that marks are made and used. */
  async function comparePages(size: number): Promise<void> {
    for (const sortBy of ORDERS) {
      const expected = ordered(sortBy)
      const last = Math.ceil(expected.length / size)
      for (const page of [
        last,
        1,
        2,
        Math.floor(last / 2),
        last - 1,
        last,
        last + 1,
        Math.floor(last / 2) + 1,
        1000000,
      ]) {
        const found = await list({ sortBy, page, numberPerPage: size })
        const slice = expected.slice((page - 1) * size, page * size)
        expect(idsOf(found), `${sortBy} page ${page}`).to.deep.equal(slice)
        const hasNext = page * size < expected.length && !sortBy.endsWith('t')
        expect(found.next !== null, `${sortBy} page ${page} has a next one`).to.equal(hasNext)
      }
    }
  }

  it('are those of the whole order, however far down, with equal values and without any', () => comparePages(97))

  it('stay so while records come, change and go', async () => {
    const { first, program } = test
    for (let round = 0; round < 3; round++) {
      await program.inTransaction(async (tx) => {
        for (const i of [0, 1, 700, 1300, 2000]) {
          const row = rows[i]!
          const change = { n: row.n === null ? 250 : null, s: 'é' }
          await tx.records.update(first.id, table.alias, row.id, change)
          Object.assign(row, change)
        }
        for (const row of rows.splice(100 * round + 5, 40)) await tx.records.delete(first.id, table.alias, row.id)
        const body = bodyOf(round)
        const { ids } = await tx.records.create(first.id, table.alias, body)
        rows.push({ id: ids[0]!, ...body })
      })
      await comparePages(211)
    }
    expect(await program.tables.count(table)).to.equal(rows.length)
  })

  it('are counted from marks that are left on the way', async () => {
    const { read } = test.program.kernel.db
    const parts = { records: recordsRepository(read), blocks: blocksRepository(read) }
    for (const sortBy of ['n', '-n', 's', '-s']) {
      const marks = createPageMarks()
      const options = { sort: parseSort(table, sortBy), limit: 20 }
      for (const before of [2300, 2500, 1100, 1777, 2301, rows.length - 3]) {
        const page = await pageAt({ ...parts, marks, step: 300 }, table, options, before)
        expect(page.map(({ id }) => id)).to.deep.equal(ordered(sortBy).slice(before, before + 20))
      }
      const { changes } = await parts.blocks.census(table)
      const mark = marks.nearest(`${table.id} ${sortBy}`, changes, 650)
      expect(mark).to.deep.include({ before: 600 })
      expect(mark!.place.id).to.equal(ordered(sortBy)[600])
    }
  })

  it('follow each other by their cursors in every order that has them', async () => {
    for (const sortBy of ORDERS.slice(0, 6)) {
      const ids: number[] = []
      let after: string | undefined
      for (let pages = 0; pages < 100; pages++) {
        const page = await list({ sortBy, numberPerPage: 173, ...(after !== undefined && { after }) })
        ids.push(...idsOf(page))
        if (page.next === null) break
        after = page.next
      }
      expect(ids, sortBy).to.deep.equal(ordered(sortBy))
    }
  })

  it('go on behind a record that is gone meanwhile', async () => {
    const page = await list({ sortBy: 'n', numberPerPage: 10 })
    const expected = ordered('n').slice(10, 20)
    const gone = page.records.at(-1)!.id
    await test.program.inTransaction((tx) => tx.records.delete(test.first.id, table.alias, gone))
    rows = rows.filter(({ id }) => id !== gone)
    expect(idsOf(await list({ sortBy: 'n', numberPerPage: 10, after: page.next! }))).to.deep.equal(expected)
  })

  it('can be filtered in every order, by page and by cursor', async () => {
    const filter = JSON.stringify({
      or: [
        { field: 'n', operator: 'gte', value: 100 },
        { field: 's', operator: 'startsWith', value: 'a' },
      ],
    })
    const matching = new Set(rows.filter(({ n, s }) => (n ?? 0) >= 100 || s?.startsWith('a')).map(({ id }) => id))
    for (const sortBy of ORDERS.slice(0, 6)) {
      const expected = ordered(sortBy).filter((id) => matching.has(id))
      expect(idsOf(await list({ sortBy, filter, page: 12, numberPerPage: 100 })), sortBy).to.deep.equal(
        expected.slice(1100, 1200),
      )
      const first = await list({ sortBy, filter, numberPerPage: 1000 })
      const second = await list({ sortBy, filter, numberPerPage: 1000, after: first.next! })
      expect([...idsOf(first), ...idsOf(second)], sortBy).to.deep.equal(expected.slice(0, 2000))
    }
  })

  it('mean the same by every operator in both databases', async () => {
    const operators: [object, (row: Row) => boolean][] = [
      [{ field: 'n', operator: 'eq', value: 250 }, ({ n }) => n === 250],
      [{ field: 'n', operator: 'ne', value: 250 }, ({ n }) => n !== 250],
      [{ field: 'n', operator: 'lt', value: 3 }, ({ n }) => n !== null && n < 3],
      [{ field: 'n', operator: 'lte', value: 3 }, ({ n }) => n !== null && n <= 3],
      [{ field: 'n', operator: 'gt', value: 495 }, ({ n }) => n !== null && n > 495],
      [{ field: 'n', operator: 'in', value: [1, 2, 3] }, ({ n }) => n !== null && n >= 1 && n <= 3],
      [{ not: { field: 'n', operator: 'lt', value: 490 } }, ({ n }) => n === null || n >= 490],
      [{ field: 'n', operator: 'isNull' }, ({ n }) => n === null],
      [{ field: 's', operator: 'isNull', value: false }, ({ s }) => s !== null],
      [{ field: 's', operator: 'contains', value: 'e' }, ({ s }) => s?.includes('e') === true],
      [{ field: 's', operator: 'contains', value: '%' }, () => false],
      [{ field: 's', operator: 'startsWith', value: 'Z' }, ({ s }) => s?.startsWith('Z') === true],
      [{ field: 's', operator: 'startsWith', value: '\ud7ff' }, ({ s }) => s === '\ud7ff'],
      [{ field: 's', operator: 'startsWith', value: '' }, ({ s }) => s !== null],
      [{ field: 's', operator: 'gt', value: 'z' }, ({ s }) => s !== null && compare(s, 'z') > 0],
      [{ field: 's', operator: 'eq', value: '' }, ({ s }) => s === ''],
      [{ field: 't', operator: 'contains', value: 'T' }, () => false],
      [{ field: 'id', operator: 'lte', value: 20 }, ({ id }) => id <= 20],
      [{ field: 'createdAt', operator: 'gte', value: '2026-03-01T12:00:00Z' }, () => true],
      [{ field: 'createdAt', operator: 'ne', value: '2026-03-01T13:00:00+01:00' }, () => false],
    ]
    for (const [condition, isMeant] of operators) {
      const page = await list({ filter: JSON.stringify(condition), numberPerPage: 1000 })
      expect(idsOf(page), JSON.stringify(condition)).to.deep.equal(
        rows
          .filter(isMeant)
          .map(({ id }) => id)
          .slice(0, 1000),
      )
    }
  })

  it('are right again after other programs wrote and somebody counted anew', async () => {
    await test.program.kernel.db.write((trx) => trx(`data_${table.alias}`).where('id', '<', 500).delete())
    rows = rows.filter(({ id }) => id >= 500)
    await test.program.inTransaction((tx) => tx.tables.recount(test.first.id, 'things'))
    await comparePages(97)
  })

  it('are looked for anew when a record of them is deleted meanwhile', async () => {
    const { read } = test.program.kernel.db
    const records = recordsRepository(read)
    const gone = ordered('id').slice(1504, 1506)
    const page: typeof records.page = async (of, options, ids) => {
      const id = gone.pop()
      if (id !== undefined) await test.program.inTransaction((tx) => tx.records.delete(test.first.id, table.alias, id))
      return records.page(of, options, ids)
    }
    const parts = { records: { ...records, page }, blocks: blocksRepository(read), marks: undefined }
    rows = rows.filter(({ id }) => !gone.includes(id))
    const found = await pageAt(parts, table, { sort: parseSort(table, 'id'), limit: 51 }, 1500)
    expect(found.map(({ id }) => id)).to.deep.equal(ordered('id').slice(1500, 1551))
  })

  it('count in blocks that writes at the same time agree on', async () => {
    const before = await test.program.tables.count(table)
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        test.program.inTransaction((tx) =>
          tx.records.create(
            test.first.id,
            table.alias,
            Array.from({ length: 5 }, () => bodyOf(i)),
          ),
        ),
      ),
    )
    expect(await test.program.tables.count(table)).to.equal(before + 60)
    rows.push(...made.flatMap(({ ids }, i) => ids.map((id) => ({ id, ...bodyOf(i) }))))
  })

  it('are those of the columns as they are called now', async () => {
    const alter = (...changes: TableChange[]) =>
      test.program.inTransaction((tx) => tx.tables.alter(test.first.id, 'things', changes))
    const far = { page: 30, numberPerPage: 50 }
    const [byNumber, byText] = [idsOf(await list({ ...far, sortBy: 'n' })), idsOf(await list({ ...far, sortBy: 's' }))]
    await alter(
      { do: 'rename', name: 'n', to: 'x' },
      { do: 'rename', name: 's', to: 'n' },
      { do: 'rename', name: 'x', to: 's' },
    )
    expect(idsOf(await list({ ...far, sortBy: 'n' }))).to.deep.equal(byText)
    expect(idsOf(await list({ ...far, sortBy: 's' }))).to.deep.equal(byNumber)
    await alter({ do: 'drop', name: 'n' }, { do: 'add', column: column('n', 'boolean', { indexed: true }) })
    expect(idsOf(await list({ ...far, sortBy: 'n' }))).to.deep.equal(ordered('id').slice(1450, 1500))
  })
})

describe('page marks', () => {
  const place = { value: 1, id: 1 }

  it('hold for one state of a table and one order', () => {
    const marks = createPageMarks()
    marks.remember('1 n', 5, { before: 100, place })
    expect(marks.nearest('1 n', 5, 99)).to.equal(undefined)
    expect(marks.nearest('1 n', 5, 100)).to.deep.equal({ before: 100, place })
    expect(marks.nearest('1 -n', 5, 100)).to.equal(undefined)
    expect(marks.nearest('1 n', 6, 100)).to.equal(undefined)
  })

  it('give the nearest one, whatever the turn they came in, and never grow without end', () => {
    const marks = createPageMarks()
    for (let i = 0; i < 2000; i++) marks.remember('1 n', 1, { before: (i * 7) % 2000, place: { value: i, id: i } })
    let kept = 0
    for (let before = 0; before < 2000; before++) {
      const mark = marks.nearest('1 n', 1, before)
      if (mark?.before === before) kept++
      expect(mark?.before ?? 0).to.be.at.most(before)
    }
    expect(kept).to.be.within(200, 256)
  })
})
