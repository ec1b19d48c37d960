import { expect } from 'chai'
import { understand } from '../../../../src/domain/profiles/search/search-text.ts'
import type { AttributeOp } from '../../../../src/domain/profiles/types.ts'

describe('what people type into the search for users', () => {
  const attributes: [typed: string, name: string, op: AttributeOp, value: string | number | boolean][] = [
    ['plan = gold', 'plan', 'equals', 'gold'],
    ['plan=gold', 'plan', 'equals', 'gold'],
    ['  plan =  gold  ', 'plan', 'equals', 'gold'],
    ['favourite colour = dark blue', 'favourite colour', 'equals', 'dark blue'],
    ['plan != gold', 'plan', 'notEquals', 'gold'],
    ['visits >= 12', 'visits', 'atLeast', 12],
    ['visits <= -1.5', 'visits', 'atMost', -1.5],
    ['visits > 12', 'visits', 'greaterThan', 12],
    ['visits < 12', 'visits', 'lessThan', 12],
    ['name > m', 'name', 'greaterThan', 'm'],
    ['city ~ ber', 'city', 'contains', 'ber'],
    ['city ~ 12', 'city', 'contains', '12'],
    ['city ~ true', 'city', 'contains', 'true'],
    ['zip = "01067"', 'zip', 'equals', '01067'],
    ['zip = 01067', 'zip', 'equals', 1067],
    ['member = true', 'member', 'equals', true],
    ['member != false', 'member', 'notEquals', false],
    ['member = "true"', 'member', 'equals', 'true'],
    ['id = 1234567890123456', 'id', 'equals', '1234567890123456'],
    ['text = ""', 'text', 'equals', ''],
  ]
  for (const [typed, name, op, value] of attributes) {
    it(`${JSON.stringify(typed)} is an attribute`, () => {
      expect(understand(typed)).to.deep.equal({ kind: 'attribute', name, op, value })
    })
  }

  // An order of yes and no is none.
  for (const typed of ['anna', 'anna@example.com', '= gold', 'plan =', 'a > true', 'a <= false', '"plan"']) {
    it(`${JSON.stringify(typed)} is a name`, () => {
      expect(understand(` ${typed} `)).to.deep.equal({ kind: 'name', text: typed })
    })
  }

  it('means everybody when there is nothing', () => {
    for (const typed of ['', '  ', '\n']) expect(understand(typed)).to.deep.equal({ kind: 'everybody' })
  })
})
