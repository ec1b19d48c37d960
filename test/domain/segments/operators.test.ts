import { expect } from 'chai'
import { readFilter } from '../../../src/domain/segments/filter.ts'
import { parseFilter } from '../../../src/domain/tables/read/filter.ts'
import type { Column, Table } from '../../../src/domain/tables/types.ts'
import { isAppError } from '../../../src/platform/errors.ts'
import { OPERATORS } from '../../../src/platform/filters/operators.ts'
import { column } from '../../support/tables.ts'

const table: Table = {
  id: 1,
  appId: 1,
  name: 'things',
  alias: '1_things',
  columns: [column('s', 'string')].map((one, i): Column => ({ ...one, id: i + 1, references: null })),
  nextColumn: 2,
  createdAt: 0,
  updatedAt: 0,
}

/** A condition as both languages mean it, whatever its spelling. */
const languages = {
  segments: (condition: object) => readFilter({ field: 'attributes.s', ...condition }).condition,
  tables: (condition: object) => parseFilter(table, JSON.stringify({ field: 's', ...condition })),
}

describe('the operators of filters', () => {
  for (const [language, read] of Object.entries(languages)) {
    for (const [name, others] of Object.entries(OPERATORS)) {
      const value = name === 'in' ? ['a', 'b'] : name === 'exists' ? true : 'a'
      for (const spelling of [name, ...others]) {
        it(`include ${spelling} in ${language}`, () => {
          const wanted = read(language === 'segments' ? { op: name, value } : { operator: name, value })
          expect(wanted).to.not.equal(undefined)
          const given = spelling === 'isNull' ? false : value
          expect(read({ op: spelling, value: given })).to.deep.equal(wanted)
          expect(read({ operator: spelling, value: given })).to.deep.equal(wanted)
        })
      }
    }

    it(`ask for nothing with isNull alone in ${language}`, () => {
      expect(read({ operator: 'isNull' })).to.deep.equal(read({ operator: 'exists', value: false }))
    })
  }

  it('compare times of users in every spelling', () => {
    const time = (op: string) => readFilter({ field: 'lastActive', op, value: '2026-03-01' }).condition
    const signs = { lessThan: '<', before: '<', lt: '<', atMost: '<=', greaterThan: '>', atLeast: '>=', since: '>=' }
    for (const [op, sign] of Object.entries(signs)) expect(time(op), op).to.deep.include({ op: sign })
  })

  it('stand in one key, which errors name', () => {
    const errors = (condition: object) =>
      Object.keys(readFilter({ field: 'os', value: 'iOS', ...condition }).errors ?? {})
    expect(errors({ op: 'equals', operator: 'equals' })).to.deep.equal(['operator'])
    expect(errors({ operator: 'is' })).to.deep.equal(['operator'])
    expect(errors({ op: 'is' })).to.deep.equal(['op'])
    expect(errors({})).to.deep.equal(['op'])
    const inTables = (condition: object) => {
      try {
        languages.tables({ value: 'a', ...condition })
      } catch (error) {
        return isAppError(error) ? Object.keys(error.details.fields ?? {}) : error
      }
      return []
    }
    expect(inTables({ op: 'equals', operator: 'equals' })).to.deep.equal(['filter.operator'])
    expect(inTables({ op: '=' })).to.deep.equal(['filter.op'])
    expect(inTables({})).to.deep.equal(['filter.operator'])
  })

  it('need a value, also exists', () => {
    expect(readFilter({ field: 'os', op: 'exists' }).errors).to.have.all.keys('value')
    expect(() => languages.tables({ operator: 'exists' })).to.throw('validation failed')
  })
})
