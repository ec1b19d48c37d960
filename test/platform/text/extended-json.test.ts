import { expect } from 'chai'
import { ExtendedJsonError, fromExtendedJson } from '../../../src/platform/text/extended-json.ts'

describe('extended JSON of MongoDB', () => {
  const read: [given: unknown, plain: unknown][] = [
    [{ $oid: '507f1f77bcf86cd799439011' }, '507f1f77bcf86cd799439011'],
    [{ $date: '2026-11-28T15:30:57.5Z' }, '2026-11-28T15:30:57.500Z'],
    [{ $date: { $numberLong: '-2208988800000' } }, '1900-01-01T00:00:00.000Z'],
    [{ $date: -1 }, '1969-12-31T23:59:59.999Z'],
    [{ $numberInt: '-7' }, -7],
    [{ $numberInt: '-0' }, 0],
    [{ $numberLong: '9007199254740991' }, 9_007_199_254_740_991],
    [{ $numberLong: '9007199254740993' }, '9007199254740993'],
    [{ $numberDouble: '1.5E+3' }, 1500],
    [{ $numberDouble: '-0.0' }, 0],
    [{ $numberDecimal: '12.50' }, 12.5],
    [{ $numberDecimal: '0.1234567890123456789' }, '0.1234567890123456789'],
    [{ $binary: { base64: 'AQID', subType: '00' } }, 'AQID'],
    [{ $binary: 'AQID', $type: '00' }, 'AQID'],
    [{ $binary: { base64: 'c//SZESzTGmQ6OfR38A11A==', subType: '04' } }, '73ffd264-44b3-4c69-90e8-e7d1dfc035d4'],
    [{ $uuid: '73ffd264-44b3-4c69-90e8-e7d1dfc035d4' }, '73ffd264-44b3-4c69-90e8-e7d1dfc035d4'],
    [{ $regularExpression: { pattern: '^a', options: 'i' } }, '/^a/i'],
    [{ $regex: '^a', $options: 'i' }, '/^a/i'],
    [{ $timestamp: { t: 1_795_879_857, i: 1 } }, '2026-11-28T15:30:57.000Z'],
    [{ $symbol: 's' }, 's'],
    [{ $code: 'f()', $scope: {} }, 'f()'],
    [{ $undefined: true }, null],
    [
      { a: [{ b: { c: { $date: { $numberLong: '0' } } } }], n: { $numberLong: '5' } },
      { a: [{ b: { c: '1970-01-01T00:00:00.000Z' } }], n: 5 },
    ],
    [
      { $ref: 'x', $id: { $oid: '507f1f77bcf86cd799439011' } },
      { $ref: 'x', $id: '507f1f77bcf86cd799439011' },
    ],
    // What is not of MongoDB stays.
    [{ $og_title: 'Title' }, { $og_title: 'Title' }],
    [
      { $date: '2026-11-28T15:30:57Z', other: 1 },
      { $date: '2026-11-28T15:30:57Z', other: 1 },
    ],
    [
      [1, 'a', null, true],
      [1, 'a', null, true],
    ],
  ]
  for (const [given, plain] of read) {
    it(`${JSON.stringify(given)} becomes ${JSON.stringify(plain)}`, () => {
      expect(fromExtendedJson(given)).to.deep.equal(plain)
      expect(JSON.stringify(fromExtendedJson(given))).to.equal(JSON.stringify(plain))
    })
  }

  const refused: [given: unknown, message: string][] = [
    [{ a: { $numberDouble: 'NaN' } }, 'a has {"$numberDouble":"NaN"}, which JSON cannot hold'],
    [{ a: [{ $numberDouble: '-Infinity' }] }, 'a[0] has {"$numberDouble":"-Infinity"}, which JSON cannot hold'],
    [{ a: { $numberDouble: '1e400' } }, 'a has {"$numberDouble":"1e400"}, which JSON cannot hold'],
    [{ a: { b: { $minKey: 1 } } }, 'a.b has {"$minKey":1}, which JSON cannot hold'],
    [{ a: { $date: 'soon' } }, 'a has {"$date":"soon"}, which is not a date of the years 0001 to 9999'],
    [{ _id: { $oid: 'zz' } }, '_id has {"$oid":"zz"}, which is not extended JSON of MongoDB'],
    [{ a: { $numberInt: 'x' } }, 'a has {"$numberInt":"x"}, which is not extended JSON of MongoDB'],
  ]
  for (const [given, message] of refused) {
    it(`${JSON.stringify(given)} is refused with its path`, () => {
      expect(() => fromExtendedJson(given)).to.throw(ExtendedJsonError, message)
    })
  }

  it('is not read without end', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) as unknown
    expect(() => fromExtendedJson(deep)).to.throw(ExtendedJsonError, 'nested deeper than 64 levels')
  })
})
