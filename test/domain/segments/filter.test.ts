import { expect } from 'chai'
import { MAX_CONDITIONS, MAX_DEPTH, readFilter } from '../../../src/domain/segments/filter.ts'

const IOS = { field: 'os', op: 'equals', value: 'iOS' }
const times = (count: number, one: unknown) => Array.from({ length: count }, () => one)
const deep = (levels: number): unknown => (levels === 1 ? IOS : { not: deep(levels - 1) })
const attribute = (field: string) => ({ field, op: 'exists', value: true })

describe('a filter', () => {
  const wrong: [string, unknown, Record<string, RegExp>][] = [
    ['no object', 'iOS', { '': /must be an object/ }],
    ['nothing', {}, { '': /must be an object with one of/ }],
    ['two things at once', { and: [IOS], or: [IOS] }, { '': /one of and, or, not/ }],
    ['a condition that is also a list', { ...IOS, and: [IOS] }, { '': /one of/ }],
    ['a misspelt key', { ...IOS, valeu: 1 }, { valeu: /is not a field of a filter/ }],
    ['a misspelt list', { adn: [IOS] }, { adn: /is not a field/, '': /must be/ }],
    ['an empty list', { and: [] }, { and: /must not be empty/ }],
    ['a list that is none', { or: IOS }, { or: /must be an array/ }],
    ['a list in not', { not: [IOS] }, { not: /must be an object/ }],
    ['everything missing but the field', { field: 'os' }, { op: /is required/, value: /is required/ }],
    ['no field', { op: 'equals', value: 1 }, { field: /is required/ }],
    ['a field that is no text', { ...IOS, field: 1 }, { field: /must be a string/ }],
    ['an unknown field', { ...IOS, field: 'operatingSystem' }, { field: /one of identifier, os/ }],
    ['an inherited name', { ...IOS, field: 'constructor' }, { field: /one of identifier/ }],
    ['an operator of another field', { ...IOS, op: 'lessThan' }, { op: /equals, notEquals, in, exists for os/ }],
    ['an inherited operator', { ...IOS, op: 'toString' }, { op: /must be one of/ }],
    [
      'wrong things in several places',
      { and: [IOS, { or: [{ ...IOS, value: 5 }, { not: { ...IOS, op: 'is' } }] }, 7] },
      {
        'and[1].or[0].value': /must be a string/,
        'and[1].or[1].not.op': /must be one of/,
        'and[2]': /must be an object/,
      },
    ],
    ['a list with equals', { ...IOS, value: ['iOS'] }, { value: /a list goes with the operator in/ }],
    ['one value with in', { ...IOS, op: 'in' }, { value: /must be an array/ }],
    ['an empty list of values', { ...IOS, op: 'in', value: [] }, { value: /must not be empty/ }],
    [
      'wrong values of a list',
      { ...IOS, op: 'in', value: ['a', 1, ''] },
      { 'value[1]': /string/, 'value[2]': /string/ },
    ],
    ['NUL in a value', { ...IOS, value: 'a\0' }, { value: /must be a string/ }],
    ['a lone surrogate', { ...IOS, value: '\ud800' }, { value: /must be a string/ }],
    ['an SDK that there is not', { field: 'sdkType', op: 'equals', value: 'reactnative' }, { value: /react-native/ }],
    [
      'a kind of build that there is not',
      { field: 'buildKind', op: 'in', value: ['beta'] },
      { 'value[0]': /debug or release/ },
    ],
    ['a simulator as text', { field: 'simulator', op: 'notEquals', value: 'yes' }, { value: /true or false/ }],
    ['a simulator in an order', { field: 'simulator', op: 'in', value: [true] }, { op: /equals, notEquals, exists/ }],
    ['a country by name', { field: 'countryIsoCode', op: 'equals', value: 'Germany' }, { value: /two letters/ }],
    ['a zone that there is not', { field: 'timezone', op: 'equals', value: 'Europe/Bern' }, { value: /time zone/ }],
    ['a language with a region', { field: 'language', op: 'equals', value: 'en-GB' }, { value: /without a region/ }],
    ['a version that is a number', { field: 'appVersion', op: 'lessThan', value: 1.1 }, { value: /a string/ }],
    ['a version without order', { field: 'appVersion', op: 'atLeast', value: 'nightly' }, { value: /begins with/ }],
    ['days in the future', { field: 'lastActive', op: 'withinDays', value: -1 }, { value: /above 0/ }],
    ['days as text', { field: 'lastActive', op: 'olderThanDays', value: '7' }, { value: /number of days/ }],
    [
      'a day that there is not',
      { field: 'lastActive', op: 'before', value: '2026-02-30' },
      { value: /must be a date/ },
    ],
    ['a time without offset', { field: 'lastActive', op: 'since', value: '2026-03-01T08:00' }, { value: /offset/ }],
    ['a flag that is text', { field: 'inAppEnabled', op: 'equals', value: 'true' }, { value: /true or false/ }],
    [
      'a geofence by name',
      { field: 'geofence', op: 'in', value: [1, 'home', 0] },
      { 'value[1]': /id/, 'value[2]': /id/ },
    ],
    ['an object as value', { field: 'attributes.a', op: 'equals', value: {} }, { value: /a string, a number/ }],
    ['null as value', { field: 'attributes.a', op: 'equals', value: null }, { value: /a string, a number/ }],
    ['true in an order', { field: 'attributes.a', op: 'lessThan', value: true }, { value: /a number or/ }],
    ['text search for a number', { field: 'attributes.a', op: 'contains', value: 1 }, { value: /must be a string/ }],
    ['too many levels', deep(MAX_DEPTH + 1), { [times(MAX_DEPTH, 'not').join('.')]: /deeper than 16/ }],
    ['too many conditions', { or: times(MAX_CONDITIONS + 1, IOS) }, { '': /more than 200/ }],
    ['too many in several lists', { or: times(3, { and: times(70, IOS) }) }, { '': /more than 200/ }],
  ]
  for (const [what, filter, errors] of wrong) {
    it(`with ${what} is refused, and every wrong place named`, () => {
      const found = readFilter(filter).errors
      expect(Object.keys(found ?? {}).sort()).to.deep.equal(Object.keys(errors).sort())
      for (const [path, pattern] of Object.entries(errors)) expect(found![path]!.join()).to.match(pattern)
    })
  }

  it('may have 16 levels and 200 conditions', () => {
    expect(readFilter(deep(MAX_DEPTH)).errors).to.equal(undefined)
    expect(readFilter({ or: times(MAX_CONDITIONS, IOS) }).errors).to.equal(undefined)
  })

  it('reads paths into attributes', () => {
    const paths: [string, string[]][] = [
      ['attributes.plan', ['plan']],
      ['attributes.address.city', ['address', 'city']],
      ['attributes["post.code"].x', ['post.code', 'x']],
      ['attributes["say \\"hi\\""]["\\u00e9"]', ['say "hi"', 'é']],
      ['attributes["]"][""]', [']', '']],
      ['attributes.größe 😀', ['größe 😀']],
    ]
    for (const [field, path] of paths) expect(readFilter(attribute(field)).condition, field).to.deep.include({ path })
    const bad = [
      'attributes',
      'attributes.',
      'attributes..a',
      'attributes.a.',
      'attributes[a]',
      'attributes[0]',
      'attributes["a]',
    ]
    bad.push(
      'attributes["a"',
      'attributes.a"b',
      'attributes["\\u0000"]',
      'attributes["\\ud800"]',
      `attributes${'.a'.repeat(9)}`,
    )
    for (const field of bad) {
      expect(readFilter(attribute(field)).errors?.field?.join(), field).to.match(/attributes\.NAME/)
    }
  })

  it('counts a date from its midnight in UTC and minds offsets', () => {
    const at = (value: string) => readFilter({ field: 'firstActive', op: 'before', value }).condition
    const instant = (text: string) => ({ instant: { at: Date.parse(text) } })
    expect(at('2026-03-01')).to.deep.include(instant('2026-03-01T00:00:00Z'))
    for (const same of ['2026-03-01T08:30:00Z', '2026-03-01T09:30+01:00', '2026-03-01T08:30:00.000+0000']) {
      expect(at(same), same).to.deep.include(instant('2026-03-01T08:30:00Z'))
    }
  })

  it('names some of very many unknown keys and counts the others', () => {
    const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 1]))
    const { errors } = readFilter({ ...IOS, ...keys })
    expect(Object.keys(errors!)).to.have.length(20)
    expect(errors!['']!.join()).to.match(/4981 more unknown fields|more problems/)
    const nested = readFilter({ and: Array.from({ length: 20 }, () => ({ ...IOS, ...keys })) })
    expect(Object.keys(nested.errors!).length).to.equal(20)
  })
})
