import { expect } from 'chai'
import { parseFilter } from '../../../../src/domain/tables/read/filter.ts'
import { behindPrefix } from '../../../../src/domain/tables/store/filter-sql.ts'
import type { Column, Table } from '../../../../src/domain/tables/types.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { column } from '../../../support/tables.ts'

const table: Table = {
  id: 1,
  appId: 1,
  name: 'things',
  alias: '1_things',
  columns: [column('n', 'integer'), column('s', 'string'), column('ok', 'boolean'), column('j', 'json')].map(
    (one, i): Column => ({ ...one, id: i + 1, references: null }),
  ),
  nextColumn: 5,
  createdAt: 0,
  updatedAt: 0,
}

function errorsOf(filter: unknown): Record<string, string[]> {
  try {
    parseFilter(table, typeof filter === 'string' ? filter : JSON.stringify(filter))
  } catch (error) {
    expect(error).to.be.instanceOf(AppError)
    return (error as AppError).details.fields!
  }
  throw new Error('it was taken')
}

describe('the filter of records', () => {
  it('reads a condition, a list of them, and what joins them', () => {
    const n = { field: 'n', operator: 'gte', value: 3 }
    const parsed = parseFilter(table, JSON.stringify([n, { or: [{ not: n }, { field: 's', operator: 'isNull' }] }]))
    expect(parsed).to.have.property('kind', 'and')
    expect(parsed).to.have.nested.property('nodes[0].values[0]', 3)
    expect(parsed).to.have.nested.property('nodes[1].kind', 'or')
    expect(parsed).to.have.nested.property('nodes[1].nodes[0].node.operator', 'atLeast')
    expect(parsed).to.have.nested.property('nodes[1].nodes[1].isEmpty', true)
  })

  const wrong: [unknown, string[]][] = [
    ['', ['filter']],
    ['n > 3', ['filter']],
    ['[', ['filter']],
    ['['.repeat(100), ['filter']],
    ['3', ['filter']],
    ['null', ['filter']],
    [[], ['filter']],
    [{ and: [] }, ['filter.and']],
    [{ or: {} }, ['filter.or']],
    [{ not: [] }, ['filter.not']],
    [{}, ['filter.field', 'filter.operator']],
    [{ field: 'zzz', operator: 'eq', value: 1 }, ['filter.field']],
    [{ field: 'constructor', operator: 'eq', value: 1 }, ['filter.field']],
    [{ field: '__proto__', operator: 'eq', value: 1 }, ['filter.field']],
    [{ field: ['n'], operator: 'eq', value: 1 }, ['filter.field']],
    [{ field: 'n', operator: '=', value: 1 }, ['filter.operator']],
    [{ field: 'n', operator: 'contains', value: 1 }, ['filter.operator']],
    [{ field: 'ok', operator: 'lt', value: true }, ['filter.operator']],
    [{ field: 'j', operator: 'eq', value: {} }, ['filter.operator']],
    [{ field: 'n', operator: 'eq' }, ['filter.value']],
    [{ field: 'n', operator: 'eq', value: null }, ['filter.value']],
    [{ field: 'n', operator: 'eq', value: '1' }, ['filter.value']],
    [{ field: 'n', operator: 'eq', value: { a: 1 } }, ['filter.value']],
    [{ field: 's', operator: 'startsWith', value: 'a\0' }, ['filter.value']],
    [{ field: 'n', operator: 'in', value: 1 }, ['filter.value']],
    [{ field: 'n', operator: 'in', value: [] }, ['filter.value']],
    [{ field: 'n', operator: 'in', value: [1, 'x', null] }, ['filter.value[1]', 'filter.value[2]']],
    [{ field: 'n', operator: 'isNull', value: 1 }, ['filter.value']],
    [
      { field: 'n', operator: 'eq', value: 1, and: [] },
      ['filter.field', 'filter.operator', 'filter.value', 'filter.and'],
    ],
    [{ field: 'n', operator: 'eq', value: 1, collate: 'x' }, ['filter.collate']],
    [
      [{ field: 'x', operator: 'eq', value: 1 }, { not: { field: 'n', operator: 'y' } }],
      ['filter[0].field', 'filter[1].not.operator'],
    ],
    [Array.from({ length: 101 }, () => ({ field: 'n', operator: 'isNull' })), ['filter']],
    [
      Array.from({ length: 20 }, () => Array.from({ length: 6 }, () => ({ field: 'n', operator: 'isNull' }))),
      ['filter'],
    ],
  ]
  for (const [filter, keys] of wrong) {
    const shown = typeof filter === 'string' ? filter : JSON.stringify(filter)
    it(`names what is wrong with ${shown.slice(0, 80)}`, () => {
      expect(errorsOf(filter)).to.have.all.keys(keys)
    })
  }

  it('is not nested without end', () => {
    let filter: unknown = { field: 'n', operator: 'isNull' }
    for (let i = 0; i < 9; i++) filter = { not: filter }
    expect(Object.keys(errorsOf(filter))[0]).to.match(/^filter(\.not){9}$/)
  })

  it('a prefix ends where the next text begins, over surrogates and the last character', () => {
    expect(behindPrefix('abc')).to.equal('abd')
    expect(behindPrefix('a\ud7ff')).to.equal('a\ue000')
    expect(behindPrefix('a\u{10ffff}')).to.equal('b')
    expect(behindPrefix('\u{10ffff}')).to.equal(undefined)
    expect(behindPrefix('')).to.equal(undefined)
  })
})
