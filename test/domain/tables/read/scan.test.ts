import { expect } from 'chai'
import { registryRepository } from '../../../../src/domain/tables/definition/registry.repository.ts'
import { createPageMarks } from '../../../../src/domain/tables/read/page-marks.ts'
import { blocksRepository } from '../../../../src/domain/tables/records/blocks.repository.ts'
import { recordsRepository } from '../../../../src/domain/tables/records/records.repository.ts'
import {
  type ListQuery,
  type RecordsService,
  recordsService,
} from '../../../../src/domain/tables/records/records.service.ts'
import type { Table } from '../../../../src/domain/tables/types.ts'
import { collect } from '../../../../src/platform/chunks.ts'
import { isAppError } from '../../../../src/platform/errors.ts'
import { onEachDatabase, openTestApp, type TestApp } from '../../../support/app.ts'
import { chance } from '../../../support/chance.ts'
import { indexesOf } from '../../../support/plans.ts'
import { statementsOf } from '../../../support/statements.ts'
import { column, makeTable } from '../../../support/tables.ts'

type Condition = [field: string, operator: string, value?: unknown]
const condition = ([field, operator, value]: Condition) => ({ field, operator, ...(value !== undefined && { value }) })
const all = (...conditions: Condition[]) => JSON.stringify(conditions.map(condition))

const RECORDS = 1200
/** What one read may look at here. */
const MOST = 1000

onEachDatabase('a read of a table that is larger than what may be looked at', (kind) => {
  let test: TestApp
  let table: Table
  /** The same table without a limit. */
  let unlimited: RecordsService

  before(async () => {
    test = await openTestApp({ kind, settings: { 'limits.tableScan': String(MOST) } })
    table = await makeTable(test, 'things', [
      column('n', 'integer', { indexed: true }),
      column('g', 'string', { indexed: true }),
      column('u', 'integer', { unique: true }),
      column('s', 'string'),
      column('t', 'text'),
    ])
    const bodies = Array.from({ length: RECORDS }, (_, i) => ({
      n: i % 7 === 0 ? null : Math.floor(i / 2),
      g: `group ${i % 3}`,
      u: RECORDS - i,
      s: `s ${i % 10}`,
      t: `text ${i}`,
    }))
    for (const from of [0, 600]) {
      const some = bodies.slice(from, from + 600)
      await test.app.inTransaction((tx) => tx.records.create(test.first.id, table.alias, some))
    }
    const { read } = test.app.kernel.db
    unlimited = recordsService({
      registry: registryRepository(read),
      repo: recordsRepository(read),
      blocks: blocksRepository(read),
      marks: createPageMarks(),
      scanLimit: Number.MAX_SAFE_INTEGER,
      clock: test.clock,
    })
  })
  after(() => test.close())

  const list = (query: Partial<ListQuery>, from: Pick<RecordsService, 'list'> = test.app.records) =>
    from.list(test.first.id, table.alias, { numberPerPage: 20, ...query })
  const shown = async (query: Partial<ListQuery>, from?: Pick<RecordsService, 'list'>) => {
    const { records, total, next } = await list(query, from)
    return { ids: (await collect(records)).map(({ id }) => id), total, next }
  }
  /** What is wrong by field; undefined when it is answered. */
  async function refusal(query: Partial<ListQuery>): Promise<Record<string, string[]> | undefined> {
    try {
      await list(query)
      return undefined
    } catch (error) {
      if (!isAppError(error) || error.code !== 'invalid') throw error
      return error.details.fields
    }
  }

  it('is refused when no index helps, naming what and the remedy', async () => {
    const unsorted = await refusal({ sortBy: 's' })
    expect(unsorted?.sortBy?.[0]).to.match(/1200 records .* limits\.tableScan .* tables alter 1 things --set s:indexed/)
    const contains = await refusal({ filter: all(['s', 'contains', '5']) })
    expect(contains?.filter?.[0]).to.match(/s without an index.* --set s:indexed/)
    const both = await refusal({ sortBy: '-t', filter: all(['t', 'contains', '5'], ['u', 'ne', 3]) })
    expect(Object.keys(both!)).to.have.members(['sortBy', 'filter'])
    expect(both!.sortBy![0]).to.include('text column has no index')
    const nested = JSON.stringify({ or: [condition(['u', 'eq', 1]), condition(['s', 'eq', 's 1'])] })
    expect(await refusal({ filter: nested })).to.have.key('filter')
    expect(await refusal({ filter: JSON.stringify({ not: condition(['u', 'eq', 1]) }) })).to.have.key('filter')
    expect(await refusal({ filter: all(['g', 'eq', 'group 1'], ['s', 'eq', 's 1']), sortBy: 's' })).to.have.keys(
      'filter',
      'sortBy',
    )
  })

  it('is answered as ever when it needs no filter, in any order that an index has, however far down', async () => {
    for (const sortBy of ['id', '-id', 'n', '-n', 'g', '-u', 'createdAt', '-updatedAt']) {
      for (const page of [1, 7, 58, 60, 61, 1_000_000_000]) {
        expect(await shown({ sortBy, page }), `${sortBy} ${page}`).to.deep.equal(
          await shown({ sortBy, page }, unlimited),
        )
      }
      expect((await shown({ sortBy, count: true })).total).to.equal(RECORDS)
    }
  })

  it('gives nothing for a page that is behind everything, and reads no record for it', async () => {
    for (const query of [
      {},
      { sortBy: 'n' },
      { sortBy: '-updatedAt' },
      { filter: all(['u', 'lt', 50]), sortBy: 'u' },
    ]) {
      const statements = await statementsOf(test.app, async () => {
        expect((await list({ ...query, page: 1_000_000_000 })).records).to.deep.equal([])
      })
      expect(statements.filter(({ sql }) => /offset/i.test(sql))).to.deep.equal([])
    }
  })

  it('is answered when an index finds the few among which the answers are', async () => {
    const or = JSON.stringify({ or: [condition(['u', 'lt', 9]), condition(['n', 'in', [4, 5, 400]])] })
    for (const filter of [
      all(['u', 'lt', 40], ['s', 'contains', '5'], ['g', 'ne', 'group 0']),
      all(['s', 'eq', 's 1'], ['n', 'eq', 55]),
      all(['n', 'lt', 60], ['t', 'startsWith', 'text 1']),
      or,
    ]) {
      for (const sortBy of ['id', '-n', 's', 'u']) {
        const query = { filter, sortBy, count: true }
        const answer = await shown(query, unlimited)
        expect(answer.total, filter).to.be.greaterThan(0)
        expect(await shown(query), `${filter} ${sortBy}`).to.deep.equal(answer)
      }
    }
    const statements = await statementsOf(test.app, () => list({ filter: or, sortBy: 's' }))
    const used = await indexesOf(test.app, statements.at(-1)!)
    expect(used).to.include.members([`data_${table.id}_1_ix`, `data_${table.id}_3_uq`])
  })

  it('is answered when an index has the answers next to each other, and goes on behind any place', async () => {
    for (const [sortBy, filter] of [
      ['n', all(['n', 'gte', 3])],
      ['-n', all(['n', 'lte', 590])],
      ['n', all(['n', 'gt', 3], ['n', 'lt', 590])],
      ['g', all(['g', 'startsWith', 'group'])],
      ['-g', all(['g', 'startsWith', 'group'])],
      ['id', all(['g', 'eq', 'group 1'])],
      ['-id', all(['g', 'eq', 'group 1'])],
    ] as const) {
      expect(await shown({ sortBy, filter, count: true }), filter).to.deep.equal(
        await shown({ sortBy, filter, count: true }, unlimited),
      )
      const ids: number[] = []
      let after: string | undefined
      do {
        const page = await shown({ sortBy, filter, after, numberPerPage: 97 })
        ids.push(...page.ids)
        after = page.next ?? undefined
      } while (after !== undefined)
      const whole = await shown({ sortBy, filter, numberPerPage: RECORDS }, unlimited)
      expect(ids, `${sortBy} ${filter}`).to.deep.equal(whole.ids)
    }
  })

  it('either is refused or gives what it gives without a limit, whatever is asked', async () => {
    const pick = chance(20261122)
    const one = (): object => {
      const [field, operators, value] = [
        ['n', ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'], pick(600)],
        ['n', ['in'], [pick(600), pick(600)]],
        ['n', ['isNull'], pick(2) === 0],
        ['g', ['eq', 'startsWith', 'lt', 'gte'], `group ${pick(4)}`],
        ['u', ['eq', 'lt', 'gt'], pick(RECORDS)],
        ['s', ['eq', 'contains'], `s ${pick(10)}`],
        ['id', ['eq', 'lt', 'gte'], pick(RECORDS)],
      ][pick(7)] as [string, string[], unknown]
      return { field, operator: operators[pick(operators.length)], value }
    }
    const tree = (depth: number): object => {
      const kind = depth > 1 ? 4 : pick(6)
      const some = () => Array.from({ length: 1 + pick(3) }, () => tree(depth + 1))
      if (kind === 0) return { and: some() }
      if (kind === 1) return { or: some() }
      if (kind === 2) return { not: tree(depth + 1) }
      return one()
    }
    let answered = 0
    let refused = 0
    for (let i = 0; i < 250; i++) {
      const sortBy = `${pick(2) === 0 ? '-' : ''}${['id', 'n', 'g', 'u', 's'][pick(5)]}`
      const query: Partial<ListQuery> = { filter: JSON.stringify(tree(0)), sortBy, page: 1 + pick(3), count: true }
      const wrong = await refusal(query)
      if (wrong) {
        refused++
        continue
      }
      answered++
      const answer = await shown(query, unlimited)
      expect(await shown(query), JSON.stringify(query)).to.deep.equal(answer)
      if (answer.next === null) continue
      const behind = { filter: query.filter, sortBy, after: answer.next }
      expect(await shown(behind), JSON.stringify(behind)).to.deep.equal(await shown(behind, unlimited))
    }
    expect(answered).to.be.greaterThan(60)
    expect(refused).to.be.greaterThan(60)
  })

  it('counts long texts as more than one look', async () => {
    const letters = await makeTable(test, 'letters', [column('body', 'text')])
    const bodies = Array.from({ length: 60 }, () => ({ body: 'x'.repeat(20_000) }))
    await test.app.inTransaction((tx) => tx.records.create(test.first.id, letters.alias, bodies))
    const read = (query: object) => test.app.records.list(test.first.id, letters.alias, { numberPerPage: 5, ...query })
    expect(await collect((await read({})).records)).to.have.length(5)
    for (const query of [{ filter: all(['body', 'contains', 'y']) }, { sortBy: 'body' }]) {
      const error = await read(query).catch((thrown: unknown) => thrown)
      expect(isAppError(error) && error.code).to.equal('invalid')
    }
  })
})
