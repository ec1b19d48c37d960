import { expect } from 'chai'
import { blocksRepository } from '../../../../src/domain/tables/definition/blocks.repository.ts'
import { registryRepository } from '../../../../src/domain/tables/definition/registry.repository.ts'
import { listsOf } from '../../../../src/domain/tables/read/lists.ts'
import { lookUpsRepository } from '../../../../src/domain/tables/read/look-ups.repository.ts'
import { createPageMarks } from '../../../../src/domain/tables/read/page-marks.ts'
import { slicesRepository } from '../../../../src/domain/tables/read/slices.repository.ts'
import {
  type ListQuery,
  type RecordsService,
  recordsService,
} from '../../../../src/domain/tables/records/records.service.ts'
import { recordsRepository } from '../../../../src/domain/tables/store/records.repository.ts'
import type { Table } from '../../../../src/domain/tables/types.ts'
import { collect } from '../../../../src/platform/concurrency/chunks.ts'
import { type AppError, isAppError } from '../../../../src/platform/errors.ts'
import { type Pace, unhurried } from '../../../../src/platform/long-reads/pace.ts'
import { chance, seedOf } from '../../../support/chance.ts'
import { many } from '../../../support/depth.ts'
import { indexesOf } from '../../../support/plans.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'
import { statementsOf } from '../../../support/statements.ts'
import { column, makeTable } from '../../../support/tables.ts'

type Condition = [field: string, operator: string, value?: unknown]
const condition = ([field, operator, value]: Condition) => ({ field, operator, ...(value !== undefined && { value }) })
const all = (...conditions: Condition[]) => JSON.stringify(conditions.map(condition))

const RECORDS = 1200
/** Made by chance. */
const QUERIES = many(75, { long: 750 })
/** Texts in the order of their code points, which no locale has. */
const WORDS = ['', 'Zebra', 'a', 'aa', 'b', 'z', 'É', 'é', '\ud7ff', '\ue000', '😀']

onEachDatabase('a read of a table that is larger than what one statement may check', (kind) => {
  let test: TestProgram
  let table: Table
  /** Reads of the same table in one statement each. */
  let unlimited: RecordsService
  /** Reads whose statements check few records: at first three, then more and more. */
  let sliced: RecordsService
  /** Reads whose statements check up to a thousand records. */
  let modest: RecordsService

  before(async () => {
    test = await openTestProgram({ kind })
    table = await makeTable(test, 'things', [
      column('n', 'integer', { indexed: true }),
      column('g', 'string', { indexed: true }),
      column('u', 'integer', { unique: true }),
      column('s', 'string'),
      column('t', 'text'),
      column('d', 'datetime', { indexed: true }),
      column('b', 'boolean'),
      column('x', 'number'),
    ])
    const bodies = Array.from({ length: RECORDS }, (_, i) => ({
      n: i % 7 === 0 ? null : Math.floor(i / 2),
      g: `group ${i % 3}`,
      u: RECORDS - i,
      s: i % 11 === 0 ? null : WORDS[(i * 31) % WORDS.length],
      t: `text ${i}`,
      d: i % 5 === 0 ? null : new Date(Date.UTC(2026, 0, 1 + (i % 40), 0, 0, 0, i % 3)).toISOString(),
      b: [true, false, null][i % 3],
      x: i % 4 === 0 ? null : ((i * 7919) % 100) / 8 - 5,
    }))
    for (const from of [0, 600]) {
      const some = bodies.slice(from, from + 600)
      await test.program.inTransaction((tx) => tx.records.create(test.first.id, table.alias, some))
    }
    const { read } = test.program.kernel.db
    const [repo, blocks] = [recordsRepository(read), blocksRepository(read)]
    const serviceWith = (parts: Pick<Parameters<typeof listsOf>[0], 'scanLimit' | 'sizes'>) => {
      const lists = listsOf({ repo, blocks, slices: slicesRepository(read), marks: createPageMarks(), ...parts })
      return recordsService({
        registry: registryRepository(read),
        repo,
        blocks,
        lists,
        lookUps: lookUpsRepository(read),
        clock: test.clock,
      })
    }
    unlimited = serviceWith({ scanLimit: Number.MAX_SAFE_INTEGER })
    sliced = serviceWith({ scanLimit: 0, sizes: { first: 3, minWalked: 200, maxSorted: 500 } })
    modest = serviceWith({ scanLimit: 1000 })
  })
  after(() => test.close())

  const list = (query: Partial<ListQuery>, from: Pick<RecordsService, 'list'> = sliced) =>
    from.list(test.first.id, table.alias, { numberPerPage: 20, ...query })
  const shown = async (query: Partial<ListQuery>, from?: Pick<RecordsService, 'list'>) => {
    const { records, total, next } = await list(query, from)
    return { ids: (await collect(records)).map(({ id }) => id), total, next }
  }
  /** Returns what is wrong by field; undefined when it is answered. */
  async function refusal(query: Partial<ListQuery>): Promise<Record<string, string[]> | undefined> {
    try {
      await list(query)
      return undefined
    } catch (error) {
      if (!isAppError(error) || error.code !== 'invalid') throw error
      return error.details.fields
    }
  }

  /** A pace whose time is over after so many turns, by a clock that stands: a slow machine would choose other sizes. */
  const paceOf = (turns: number): Pace => ({
    ...unhurried,
    turn: async () => turns-- > 0,
    seconds: 5,
    monotonic: () => 0,
  })
  const lateError = async (query: Partial<ListQuery>, turns = 4): Promise<AppError> => {
    const whole = { numberPerPage: 20, ...query }
    const error = await sliced.list(test.first.id, table.alias, whole, paceOf(turns)).catch((thrown: unknown) => thrown)
    if (!isAppError(error)) throw error
    return error
  }

  it('ends when its time is over, and names the column to index and how much was examined', async () => {
    const remedy = (name: string) =>
      `index the column ${name}: appsvc tables alter --app 1 things --set ${name}:indexed`
    for (const [query, name] of [
      [{ sortBy: 's' }, 's'],
      [{ sortBy: '-x', filter: all(['n', 'gte', 3]) }, 'x'],
      [{ sortBy: 'n', filter: all(['s', 'eq', 'nothing']) }, 's'],
      [{ count: true, filter: all(['g', 'ne', 'group 1'], ['b', 'eq', true]) }, 'b'],
    ] as const) {
      const error = await lateError(query)
      expect(error.code).to.equal('unavailable')
      expect(error.details.headers).to.have.property('Retry-After')
      expect(error.message).to.match(/^the query examined about \d+ of 1200 records in 5 s \(limits\.readSeconds\): /)
      expect(error.message).to.include(remedy(name))
      expect(Number(/about (\d+)/.exec(error.message)![1])).to.be.within(1, 100)
    }
    expect((await lateError({ filter: all(['s', 'contains', 'nothing']) })).message).to.match(
      /: add a condition on an indexed column that matches few records/,
    )
  })

  it('is refused where sorting would have to hold too much at once', async () => {
    expect((await refusal({ sortBy: '-t' }))?.sortBy?.[0]).to.include('a text column has no index')
    expect(await refusal({ sortBy: 's', page: 24 })).to.equal(undefined)
    expect((await refusal({ sortBy: 's', page: 25 }))?.sortBy?.[0]).to.match(/more than 500 records .* --set s:indexed/)
    expect(await refusal({ sortBy: 's', page: 2000 }), 'behind the last record').to.equal(undefined)
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
      const statements = await statementsOf(test.program, async () => {
        expect((await list({ ...query, page: 1_000_000_000 })).records).to.deep.equal([])
      })
      expect(statements.filter(({ sql }) => /offset/i.test(sql))).to.deep.equal([])
    }
  })

  it('is answered when an index finds the few among which the answers are', async () => {
    const or = JSON.stringify({ or: [condition(['u', 'lt', 9]), condition(['n', 'in', [4, 5, 400]])] })
    for (const filter of [
      all(['u', 'lt', 40], ['s', 'contains', 'a'], ['g', 'ne', 'group 0']),
      all(['s', 'gte', 'a'], ['n', 'eq', 55]),
      all(['n', 'lt', 60], ['t', 'startsWith', 'text 1']),
      or,
    ]) {
      for (const sortBy of ['id', '-n', 's', 'u']) {
        const query = { filter, sortBy, count: true }
        const answer = await shown(query, unlimited)
        expect(answer.total, filter).to.be.greaterThan(0)
        expect(await shown(query, modest), `${filter} ${sortBy}`).to.deep.equal(answer)
      }
    }
    const statements = await statementsOf(test.program, () => list({ filter: or, sortBy: 's' }, modest))
    const used = await indexesOf(test.program, statements.at(-1)!)
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

  it('gives in many statements what it gives in one, whatever is asked', async () => {
    // Others on the other database.
    const seed = seedOf(kind === 'sqlite' ? 20_261_122 : 20_261_123)
    const pick = chance(seed)
    const one = (): object => {
      const [field, operators, value] = [
        ['n', ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'], pick(600)],
        ['n', ['in'], [pick(600), pick(600)]],
        ['n', ['isNull'], pick(2) === 0],
        ['g', ['eq', 'startsWith', 'lt', 'gte'], `group ${pick(4)}`],
        ['u', ['eq', 'lt', 'gt'], pick(RECORDS)],
        ['s', ['eq', 'contains', 'ne', 'lt', 'gte', 'startsWith'], WORDS[pick(WORDS.length)]],
        ['d', ['lt', 'gte'], new Date(Date.UTC(2026, 0, 1 + pick(40))).toISOString()],
        ['b', ['eq', 'ne'], pick(2) === 0],
        ['x', ['lt', 'gt', 'ne'], pick(100) / 8 - 5],
        ['id', ['eq', 'lt', 'gte'], pick(RECORDS)],
      ][pick(10)] as [string, string[], unknown]
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
    const fields = ['id', 'n', 'g', 'u', 's', 'd', 'b', 'x', 'createdAt']
    let found = 0
    for (let i = 0; i < QUERIES; i++) {
      const sortBy = `${pick(2) === 0 ? '-' : ''}${fields[pick(fields.length)]}`
      const filter = pick(10) === 0 ? undefined : JSON.stringify(tree(0))
      const query: Partial<ListQuery> = { filter, sortBy, page: 1 + pick(3), count: true }
      const answer = await shown(query, unlimited)
      expect(await shown(query), `seed ${seed}: ${JSON.stringify(query)}`).to.deep.equal(answer)
      found += answer.ids.length
      if (answer.next === null) continue
      const behind = { filter: query.filter, sortBy, after: answer.next }
      expect(await shown(behind), `seed ${seed}: ${JSON.stringify(behind)}`).to.deep.equal(
        await shown(behind, unlimited),
      )
    }
    expect(found).to.be.greaterThan(3 * QUERIES)
  })
})
