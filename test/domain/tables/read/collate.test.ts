import { expect } from 'chai'
import { blocksRepository } from '../../../../src/domain/tables/definition/blocks.repository.ts'
import { sortKeyOf } from '../../../../src/domain/tables/definition/collation.ts'
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
import { lacksKeys } from '../../../../src/domain/tables/service.ts'
import { recordsRepository } from '../../../../src/domain/tables/store/records.repository.ts'
import type { Table, TableChange } from '../../../../src/domain/tables/types.ts'
import { collect } from '../../../../src/platform/concurrency/chunks.ts'
import { isAppError } from '../../../../src/platform/errors.ts'
import { presentTable } from '../../../../src/present/api/tables.ts'
import { chance } from '../../../support/chance.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'
import { column, makeTable } from '../../../support/tables.ts'
import { compareKeys, textByChance } from '../../../support/texts.ts'

interface Row {
  id: number
  a: string | null
  b: string | null
}

onEachDatabase('text in the order of a language', (kind) => {
  let test: TestProgram
  let table: Table
  let rows: Row[]
  let sliced: RecordsService

  beforeEach(async () => {
    test = await openTestProgram({ kind })
    rows = []
    const { read } = test.program.kernel.db
    const [repo, blocks] = [recordsRepository(read), blocksRepository(read)]
    const lists = listsOf({
      repo,
      blocks,
      slices: slicesRepository(read),
      marks: createPageMarks(),
      scanLimit: 0,
      sizes: { first: 7, minWalked: 60, maxSorted: 500 },
    })
    sliced = recordsService({
      registry: registryRepository(read),
      repo,
      blocks,
      lists,
      lookUps: lookUpsRepository(read),
      clock: test.clock,
    })
  })
  afterEach(() => test.close())

  async function create(bodies: readonly Partial<Row & { title: string }>[]): Promise<void> {
    const { ids } = await test.program.inTransaction((tx) => tx.records.create(test.first.id, table.alias, bodies))
    rows.push(...bodies.map((body, i) => ({ a: null, b: null, ...body, id: ids[i]! })))
  }
  const bodiesByChance = (pick: (end: number) => number, count: number) =>
    Array.from({ length: count }, () => ({
      a: pick(9) === 0 ? null : textByChance(pick, pick(20) === 0 ? 255 : 6),
      b: pick(9) === 0 ? null : textByChance(pick, 2),
    }))

  const read = async (query: Partial<ListQuery>, from: Pick<RecordsService, 'list'> = test.program.records) => {
    const { records, next } = await from.list(test.first.id, table.alias, { numberPerPage: 400, ...query })
    return { ids: (await collect(records)).map(({ id }) => id), next }
  }
  /** The whole list by its cursors. */
  async function followed(query: Partial<ListQuery>, from?: Pick<RecordsService, 'list'>): Promise<number[]> {
    const ids: number[] = []
    let after: string | undefined
    do {
      const page = await read({ ...query, numberPerPage: 23, after }, from)
      ids.push(...page.ids)
      after = page.next ?? undefined
    } while (after !== undefined)
    return ids
  }
  const keyOf = (language: string, text: string | null) => (text === null ? null : sortKeyOf(language, text))
  function inOrder(name: 'a' | 'b', keyed: (text: string | null) => string | null, some = rows): number[] {
    const compare = (x: Row, y: Row) => {
      const [k, l] = [keyed(x[name]), keyed(y[name])]
      if (k === null || l === null) return Number(l === null) - Number(k === null) || x.id - y.id
      return compareKeys(k, l) || x.id - y.id
    }
    return some.toSorted(compare).map(({ id }) => id)
  }
  const alter = async (...changes: TableChange[]): Promise<Table> =>
    (table = await test.program.inTransaction((tx) => tx.tables.alter(test.first.id, table.alias, changes)))
  const storeKeys = async (): Promise<Table> =>
    (table = await test.program.inTransaction((tx) => tx.tables.storeKeys(test.first.id, table.alias)))
  async function wrongFields(work: Promise<unknown>): Promise<string[]> {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!isAppError(error) || error.code !== 'invalid') throw error ?? new Error('it was taken')
    return Object.keys(error.details.fields ?? {})
  }

  it('is the same for lists, pages, cursors and parts of long reads, forwards and backwards, indexed or not', async () => {
    const pick = chance(20261123)
    table = await makeTable(test, 'things', [
      column('a', 'string', { indexed: true, collate: 'und' }),
      column('b', 'string', { collate: 'sv' }),
    ])
    await create(bodiesByChance(pick, 150))
    for (const { id } of rows.slice(0, 15)) {
      const [change] = bodiesByChance(pick, 1)
      await test.program.inTransaction((tx) => tx.records.update(test.first.id, table.alias, id, change))
      Object.assign(rows.find((row) => row.id === id)!, change)
    }
    for (const [name, language] of [
      ['a', 'und'],
      ['b', 'sv'],
    ] as const) {
      const whole = inOrder(name, (text) => keyOf(language, text))
      for (const [sortBy, expected] of [
        [name, whole],
        [`-${name}`, whole.toReversed()],
      ] as const) {
        expect((await read({ sortBy })).ids, sortBy).to.deep.equal(expected)
        expect((await read({ sortBy }, sliced)).ids, sortBy).to.deep.equal(expected)
        expect(await followed({ sortBy }), sortBy).to.deep.equal(expected)
        expect(await followed({ sortBy }, sliced), sortBy).to.deep.equal(expected)
        const third = await read({ sortBy, page: 3, numberPerPage: 40 }, sliced)
        expect(third.ids, sortBy).to.deep.equal(expected.slice(80, 120))
      }
    }
  })

  it('is that of the bounds of filters; other conditions compare the text itself', async () => {
    const pick = chance(5)
    table = await makeTable(test, 'things', [
      column('a', 'string', { indexed: true, collate: 'und' }),
      column('b', 'string'),
    ])
    await create([{ a: 'Äpfel', b: null }, { a: 'apfel', b: null }, ...bodiesByChance(pick, 200)])
    const bound = (operator: string, value: unknown) => ({ field: 'a', operator, value })
    for (let i = 0; i < 12; i++) {
      const [low, high] = [textByChance(pick, 2), textByChance(pick, 2)]
      const kept = rows.filter(
        ({ a }) =>
          a !== null &&
          compareKeys(keyOf('und', a)!, keyOf('und', low)!) >= 0 &&
          compareKeys(keyOf('und', a)!, keyOf('und', high)!) < 0,
      )
      const query = { sortBy: '-a', filter: JSON.stringify([bound('atLeast', low), bound('lessThan', high)]) }
      const expected = inOrder('a', (text) => keyOf('und', text), kept).toReversed()
      expect(await followed(query)).to.deep.equal(expected)
      expect(await followed(query, sliced)).to.deep.equal(expected)
    }
    const matching = async (...filter: object[]) =>
      (await followed({ sortBy: 'a', filter: JSON.stringify(filter) }, sliced)).length
    expect(await matching(bound('equals', 'Äpfel'))).to.equal(1)
    expect(await matching(bound('startsWith', 'Äp'))).to.equal(1)
    expect(await matching(bound('in', ['apfel', 'Äpfel']))).to.equal(2)
    expect(await matching(bound('exists', false))).to.equal(rows.filter(({ a }) => a === null).length)
    expect(await matching({ not: bound('atLeast', '') })).to.equal(rows.filter(({ a }) => a === null).length)
  })

  it('comes to a table with records in parts, and misses none that is created or changed meanwhile', async () => {
    const pick = chance(9)
    table = await makeTable(test, 'things', [
      column('a', 'string', { indexed: true, required: true }),
      column('b', 'string'),
    ])
    const bodies = (count: number) => bodiesByChance(pick, count).map(({ a, b }) => ({ a: a ?? '-', b }))
    for (let i = 0; i < 3; i++) await create(bodies(900))
    const { next } = await read({ sortBy: 'a', numberPerPage: 5 })
    await alter({ do: 'set', name: 'a', collate: 'de' })
    const byPoint = () => inOrder('a', (text) => text)
    const first = async () => (await read({ sortBy: 'a', numberPerPage: 100 })).ids
    for (let parts = 0; lacksKeys(table); parts++) {
      expect(parts).to.be.below(4)
      expect(presentTable(table, [table]).columns[0]).to.include({ collate: 'de', isCollating: true })
      expect(await first()).to.deep.equal(byPoint().slice(0, 100))
      await create(bodies(20))
      for (const id of [1, 1000, 2500]) {
        const a = textByChance(pick, 5)
        await test.program.inTransaction((tx) => tx.records.update(test.first.id, table.alias, id, { a }))
        rows.find((row) => row.id === id)!.a = a
      }
      await storeKeys()
    }
    const whole = inOrder('a', (text) => keyOf('de', text))
    const all: number[] = []
    for (let page = 1; page <= 3; page++) all.push(...(await read({ sortBy: 'a', page, numberPerPage: 1000 })).ids)
    expect(all).to.deep.equal(whole)
    // A place in the former order is none in this one.
    expect(await wrongFields(read({ sortBy: 'a', after: next! }))).to.deep.equal(['after'])
    expect(presentTable(table, [table]).columns[0])
      .to.include({ collate: 'de' })
      .and.not.have.property('isCollating')
  })

  it('can be changed, computed again, kept while a column gets another name, and taken away', async () => {
    table = await makeTable(test, 'things', [column('a', 'string', { collate: 'und' }), column('b', 'string')])
    const words = ['Zebra', 'Äpfel', 'apple', 'banana', 'Öl', 'ode']
    await create(words.map((a) => ({ a, b: null })))
    const listed = async (sortBy: string) => (await read({ sortBy })).ids.map((id) => words[id - 1])
    expect(await listed('a')).to.deep.equal(['Äpfel', 'apple', 'banana', 'ode', 'Öl', 'Zebra'])
    // Another program writes the text and not its key.
    await test.program.kernel.db.write((trx) => trx('data_1_things').update({ _key_1: null }))
    await alter({ do: 'set', name: 'a', collate: 'und' })
    await storeKeys()
    expect(await listed('-a')).to.deep.equal(['Zebra', 'Öl', 'ode', 'banana', 'apple', 'Äpfel'])
    await alter(
      { do: 'rename', name: 'a', to: 'title' },
      { do: 'set', name: 'title', collate: 'sv', indexed: true, unique: true },
    )
    await storeKeys()
    expect(await listed('title')).to.deep.equal(['apple', 'banana', 'ode', 'Zebra', 'Äpfel', 'Öl'])
    await alter({ do: 'set', name: 'title', indexed: false, unique: false })
    expect(await listed('title')).to.deep.equal(['apple', 'banana', 'ode', 'Zebra', 'Äpfel', 'Öl'])
    await alter({ do: 'set', name: 'title', collate: null, indexed: true })
    expect(await listed('title')).to.deep.equal(['Zebra', 'apple', 'banana', 'ode', 'Äpfel', 'Öl'])
    expect(presentTable(table, [table]).columns[0]).to.not.have.any.keys('collate', 'isCollating')
    await alter({
      do: 'add',
      column: column('c', 'string', { collate: 'da', default: 'Å', required: true, indexed: true }),
    })
    await storeKeys()
    await create([{ title: 'new' }, { title: 'newer' }])
    expect((await read({ sortBy: 'c' })).ids).to.deep.equal(rows.map(({ id }) => id))
    await alter({ do: 'drop', name: 'c' }, { do: 'set', name: 'title', collate: 'und' }, { do: 'drop', name: 'title' })
    expect(lacksKeys(await storeKeys())).to.equal(false)
    expect((await read({ sortBy: 'id' })).ids).to.deep.equal(rows.map(({ id }) => id))
  })

  it('is that of imported records too', async () => {
    table = await makeTable(test, 'things', [column('a', 'string', { collate: 'und' })])
    const recordOf = ({ columns }: Table, text: string) => ({
      record: { createdAt: 0, updatedAt: 0, values: new Map([[columns[0]!, text]]) },
    })
    await test.program.inTransaction((tx) =>
      tx.records.createEach(
        test.first.id,
        table.alias,
        (known) => ['Zebra', 'apple', 'Äpfel'].map((text) => recordOf(known, text)),
        false,
      ),
    )
    expect((await read({ sortBy: 'a' })).ids).to.deep.equal([3, 2, 1])
  })

  it('is refused for what has no such order, with the remedy', async () => {
    table = await makeTable(test, 'things', [column('a', 'string'), column('t', 'text')])
    for (const change of [
      { do: 'set', name: 'a', collate: 'xx' },
      { do: 'set', name: 'a', collate: '__proto__' },
      { do: 'set', name: 't', collate: 'und' },
      { do: 'add', column: column('n', 'integer', { collate: 'und' }) },
    ] as const) {
      const field = change.do === 'add' ? 'n' : change.name
      expect(await wrongFields(alter(change))).to.deep.equal([field])
    }
  })
})
