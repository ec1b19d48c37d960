import { expect } from 'chai'
import { matches, readWhere } from '../../../src/domain/metrics/where.ts'

const DATA = {
  plan: 'gold',
  n: 10,
  yes: true,
  none: null,
  list: [1],
  item: { 'post.code': '10115' },
  text: 'a\u{1F600}',
}

describe('the where of a metric', () => {
  const leaf = (field: string, op: string, value: unknown) => ({ field: `data${field}`, op, value })
  const cases: [where: object, fits: boolean][] = [
    [leaf('.plan', 'equals', 'gold'), true],
    [leaf('.plan', 'equals', 'Gold'), false],
    [leaf('.plan', 'notEquals', 'gold'), false],
    [leaf('.absent', 'notEquals', 'gold'), true],
    [leaf('.plan', 'in', ['silver', 'gold']), true],
    [leaf('.n', 'equals', '10'), false],
    [leaf('.n', 'atLeast', 10), true],
    [leaf('.n', 'greaterThan', 10), false],
    [leaf('.n', 'lessThan', 10.5), true],
    [leaf('.n', 'atMost', 9), false],
    [leaf('.plan', 'greaterThan', 5), false],
    [leaf('.plan', 'lessThan', 'h'), true],
    // By code point, as the databases order: UTF-16 would put the emoji before U+FFFD.
    [leaf('.text', 'greaterThan', 'a\uFFFD'), true],
    [leaf('.plan', 'startsWith', 'go'), true],
    [leaf('.plan', 'contains', 'ol'), true],
    [leaf('.n', 'contains', '1'), false],
    [leaf('.yes', 'equals', true), true],
    [leaf('.none', 'exists', true), false],
    [leaf('.none', 'exists', false), true],
    [leaf('.list', 'exists', true), true],
    [leaf('.list.0', 'exists', true), false],
    [leaf('.item["post.code"]', 'equals', '10115'), true],
    [leaf('.toString', 'exists', true), false],
    [{ and: [leaf('.n', 'equals', 10), leaf('.yes', 'equals', true)] }, true],
    [{ or: [leaf('.n', 'equals', 1), leaf('.yes', 'equals', true)] }, true],
    [{ not: leaf('.n', 'equals', 10) }, false],
  ]
  for (const [where, fits] of cases) {
    it(`${JSON.stringify(where)} is ${fits}`, () => {
      const { condition } = readWhere(where)
      expect(matches(condition!, DATA)).to.equal(fits)
    })
  }

  it('is false without data, but for what is not there', () => {
    expect(matches(readWhere(leaf('.n', 'exists', true)).condition!, null)).to.equal(false)
    expect(matches(readWhere(leaf('.n', 'exists', false)).condition!, null)).to.equal(true)
  })

  const wrong: [unknown, string[]][] = [
    [{}, ['']],
    [leaf('', 'equals', 1), ['field']],
    [{ field: 'plan', op: 'equals', value: 1 }, ['field']],
    [leaf('.n', 'like', 1), ['op']],
    [{ field: 'data.n', op: 'equals' }, ['value']],
    [leaf('.n', 'in', [1, null]), ['value[1]']],
    [leaf('.n', 'exists', 'yes'), ['value']],
    [{ ...leaf('.n', 'equals', 1), withinDays: 3 }, ['withinDays']],
    [{ and: Array.from({ length: 21 }, () => leaf('.n', 'equals', 1)) }, ['']],
    [{ not: { not: { not: { not: leaf('.n', 'equals', 1) } } } }, ['not.not.not.not']],
  ]
  for (const [where, places] of wrong) {
    it(`${JSON.stringify(where).slice(0, 80)} is wrong at ${places.join()}`, () => {
      expect(Object.keys(readWhere(where).errors ?? {})).to.deep.equal(places)
    })
  }
})
