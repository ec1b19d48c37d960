import { expect } from 'chai'
import { dayOf, firstDay, MAX_VALUE, millionthsOf } from '../../../src/domain/metrics/day-counts.ts'

describe('what metrics sum', () => {
  const cases: [unknown, number | undefined][] = [
    [0.1, 100_000],
    [0.2, 200_000],
    [49.9, 49_900_000],
    [-1.5, -1_500_000],
    [0.000_001, 1],
    [0.000_000_4, 0],
    [-0.000_000_4, 0],
    [0.000_000_6, 1],
    [1e-9, 0],
    [MAX_VALUE, 2_000_000_000_000_000],
    [MAX_VALUE + 1, undefined],
    [-MAX_VALUE - 1, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [Number.NaN, undefined],
    ['49.9', undefined],
    [true, undefined],
    [null, undefined],
    [undefined, undefined],
    [[1], undefined],
  ]
  for (const [value, millionths] of cases) {
    it(`is ${millionths} millionths of ${String(value)}`, () => {
      expect(millionthsOf(value)).to.equal(millionths)
    })
  }

  it('by days in UTC', () => {
    expect(dayOf(Date.parse('2026-11-23T23:59:59.999Z'))).to.equal(20261123)
    expect(dayOf(Date.parse('2026-11-24T00:00:00.000+02:00'))).to.equal(20261123)
    expect(firstDay(Date.parse('2026-03-01T12:00:00Z'), 1)).to.equal(20260228)
    expect(firstDay(1000, 3660)).to.equal(19700101)
  })
})
