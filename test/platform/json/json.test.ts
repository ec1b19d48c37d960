import { expect } from 'chai'
import type { FieldErrors } from '../../../src/platform/errors.ts'
import {
  isPlainObject,
  isStorable,
  mergePatch,
  objectOf,
  parseJsonBytes,
  readObject,
  readObjects,
} from '../../../src/platform/json/json.ts'
import { wrongKeys } from '../../support/wrong-keys.ts'

describe('bytes that should be JSON', () => {
  const parse = (source: string | Uint8Array) =>
    parseJsonBytes(typeof source === 'string' ? Buffer.from(source) : source)
  const sentence = (source: string | Uint8Array) => wrongKeys(() => parse(source))

  it('may be any JSON value', () => {
    for (const source of ['{}', '[]', 'null', '1', '"x"', ' {"a":[1,2]} ']) {
      expect(parse(source)).to.deep.equal(JSON.parse(source))
    }
  })

  it('may begin with a byte order mark', () => {
    expect(parse(Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))).to.deep.equal({})
  })

  it('must be there', () => {
    for (const source of ['', ' \n']) expect(sentence(source)).to.deep.equal({ '': ['a JSON body is required'] })
  })

  it('must be UTF-8', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]) {
      expect(sentence(Uint8Array.from(bytes))).to.deep.equal({ '': ['is not valid UTF-8'] })
    }
  })

  const positions: [string, number][] = [
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ['[1, 2', 5],
    ['{"a": "b', 8],
    ['nope', 1],
    ['{"a": 1} x', 9],
    ['"a\nb"', 2],
    ["{'a': 1}", 1],
    ['{"a": undefined}', 6],
    ['[true, nul]', 10],
    ['{"a": tru', 9],
    ['[1 2]', 3],
    ['[-]', 2],
    ['[01]', 2],
    ['{"a": {"b": [1, {"c": ?}]}}', 22],
    ['{"a": "\\" \\\\", "b": [], "c": {}, "d": 1.5e3, x}', 45],
    ['[1,]', 3],
    ['{,}', 1],
    [']', 0],
    ['🦊', 0],
    [`{"long": "${'x'.repeat(200)}", oops}`, 213],
  ]
  for (const [source, position] of positions) {
    it(`that cannot be parsed: the place is named (${JSON.stringify(source.slice(0, 20))} at ${position})`, () => {
      const found = sentence(source) as FieldErrors
      expect(Object.keys(found)).to.deep.equal([''])
      expect(found[''], source).to.have.length(1)
      expect(found['']![0]).to.match(/^is not valid JSON: /)
      expect(found['']![0]).to.match(new RegExp(`position ${position}\\b`))
    })
  }

  it('may nest 64 levels and no more, and brackets in text do not count', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(sentence(nested(64))).to.equal('accepted')
    expect(sentence(nested(65))).to.deep.equal({ '': ['is nested deeper than 64 levels'] })
    expect(sentence(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)).to.deep.equal({
      '': ['is nested deeper than 64 levels'],
    })
    expect(sentence(JSON.stringify({ a: '['.repeat(1000), b: `\\"${'{'.repeat(100)}` }))).to.equal('accepted')
    expect(sentence(`[${'[],'.repeat(1000)}[]]`)).to.equal('accepted')
  })
})

describe('JSON values', () => {
  it('a plain object is neither a list nor null', () => {
    expect([{}, Object.create(null)].every(isPlainObject)).to.equal(true)
    expect([null, [], 'x', 1, undefined].some(isPlainObject)).to.equal(false)
  })

  it('text with NUL or half a character cannot be stored', () => {
    expect(['', 'ä🦊', '\u0001'].every(isStorable)).to.equal(true)
    expect(['\0', 'a\0', '\udc00', '\ud83e'].some(isStorable)).to.equal(false)
  })

  it('that should be an object and are none count as an empty one', () => {
    expect(objectOf({ a: 1 })).to.deep.equal({ a: 1 })
    expect([null, [1], 'x', undefined].map(objectOf)).to.deep.equal([{}, {}, {}, {}])
  })

  it('are read out of a text only when it holds an object', () => {
    expect(readObject('{"a":1}')).to.deep.equal({ a: 1 })
    expect(['[]', 'null', '"x"', '', '{'].map(readObject)).to.deep.equal(Array(5).fill(undefined))
    for (const texts of [
      [],
      ['{"a":1}', '{"b":[{}]}'],
      ['{}', '[]', '{"a":1}'],
      ['{"a":1', '"b":2}'],
      ['{},{}'],
      ['{}', '', '{'],
      ['{"a":"]"}', '}'],
    ])
      expect(readObjects(texts), texts.join(' ')).to.deep.equal(texts.map(readObject))
  })
})

describe('a merge patch', () => {
  // The table of RFC 7396, appendix A.
  const cases: [target: unknown, patch: unknown, merged: unknown][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ]
  for (const [target, patch, merged] of cases) {
    it(`${JSON.stringify(patch)} makes ${JSON.stringify(merged)} of ${JSON.stringify(target)}`, () => {
      expect(mergePatch(target, patch)).to.deep.equal(merged)
    })
  }

  it('keeps a member that is called __proto__ an ordinary one', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"a":1}}')) as object
    expect(Object.keys(merged)).to.deep.equal(['__proto__'])
    expect(Object.getPrototypeOf(merged)).to.equal(Object.prototype)
  })
})
