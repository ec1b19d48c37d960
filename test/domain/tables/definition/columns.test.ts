import { expect } from 'chai'
import { readText, readValue, showValue } from '../../../../src/domain/tables/definition/columns.ts'
import type { ColumnType } from '../../../../src/domain/tables/types.ts'

describe('values of columns', () => {
  const taken: [ColumnType, unknown, unknown?][] = [
    ['string', ''],
    ['string', 'x'.repeat(255)],
    ['string', '😀'.repeat(255)],
    ['string', 'line\nbreak\ttab'],
    ['text', 'x'.repeat(100_000)],
    ['integer', 0],
    ['integer', -0, 0],
    ['integer', 12],
    ['integer', Number.MAX_SAFE_INTEGER],
    ['integer', Number.MIN_SAFE_INTEGER],
    ['integer', 5.0],
    ['number', 1.5],
    ['number', 5e-324],
    ['number', Number.MAX_VALUE],
    ['number', -3],
    ['boolean', false],
    ['datetime', '2026-01-02T03:04:05Z', Date.parse('2026-01-02T03:04:05Z')],
    ['json', { a: [1, 'x', null, { b: true }] }],
    ['json', []],
    ['json', 'text'],
    ['json', 0],
    ['json', false],
    ['reference', 1],
  ]
  for (const [type, given, value = given] of taken) {
    it(`${type} takes ${JSON.stringify(given).slice(0, 40)}`, () => {
      expect(readValue(type, given)).to.deep.equal({ value })
    })
  }

  const refused: [ColumnType, unknown, RegExp][] = [
    ['string', 12, /must be a string of at most 255 characters, not 12/],
    ['string', 'x'.repeat(256), /at most 255 characters, not 256/],
    ['string', 'a\0b', /NUL/],
    ['string', '\ud800', /well-formed/],
    ['text', ['x'], /must be a string, not an array/],
    ['text', 'a\0b', /NUL/],
    ['integer', '12', /must be an integer, not the string "12"/],
    ['integer', 1.5, /must be an integer, not 1.5/],
    ['integer', 2 ** 53, /must be between/],
    ['integer', true, /must be an integer, not true/],
    ['number', '1', /must be a number, not the string "1"/],
    ['number', Number.POSITIVE_INFINITY, /must be a number, not a number too large/],
    ['boolean', 1, /must be true or false, not 1/],
    ['boolean', 'true', /must be true or false/],
    ['datetime', 1767323045000, /ISO 8601/],
    ['datetime', 'yesterday', /ISO 8601/],
    ['json', { a: [Number.POSITIVE_INFINITY] }, /too large/],
    ['json', { a: 'x\0' }, /NUL/],
    ['json', { 'x\0': 1 }, /NUL/],
    ['json', [['\udc00']], /well-formed/],
    ['reference', '1', /id of a record/],
    ['reference', 0, /id of a record/],
    ['reference', -1, /id of a record/],
    ['reference', { id: 1 }, /not an object/],
  ]
  for (const [type, given, why] of refused) {
    it(`${type} refuses ${JSON.stringify(given)?.slice(0, 40)}`, () => {
      expect(readValue(type, given).fault).to.match(why)
    })
  }

  it('text of files and flags means what it says in the type', () => {
    const rows: [ColumnType, string, unknown][] = [
      ['integer', '-12', -12],
      ['number', '1.5e3', 1500],
      ['boolean', 'false', false],
      ['json', '{"a": [1]}', { a: [1] }],
      ['json', '"text"', 'text'],
      ['string', '12', '12'],
      ['reference', '7', 7],
    ]
    for (const [type, text, value] of rows) expect(readText(type, text), `${type} ${text}`).to.deep.equal({ value })
    for (const [type, text] of [
      ['integer', '1.0'],
      ['integer', '0x10'],
      ['integer', '99999999999999999'],
      ['number', 'Infinity'],
      ['number', '1e999'],
      ['number', ' 1'],
      ['boolean', 'yes'],
      ['boolean', 'TRUE'],
      ['json', '{'],
      ['json', 'null'],
      ['json', '['.repeat(100)],
    ] as const) {
      expect(readText(type, text), `${type} ${text}`).to.have.property('fault').that.is.a('string')
    }
  })

  it('nothing but times looks different outside', () => {
    expect(showValue('datetime', 0)).to.equal('1970-01-01T00:00:00+0000')
    expect(showValue('datetime', null)).to.equal(null)
    expect(showValue('integer', 5)).to.equal(5)
  })
})
