import { expect } from 'chai'
import type { FieldErrors } from '../../../src/platform/errors.ts'
import { parseJsonBytes } from '../../../src/platform/json/json.ts'
import {
  address,
  addressOrPath,
  check,
  checked,
  closedShape,
  decimal,
  flag,
  idSegment,
  ids,
  integer,
  jsonData,
  jsonObject,
  judged,
  lineOfText,
  list,
  oneOf,
  parseJson,
  parseText,
  type Schema,
  shape,
  text,
} from '../../../src/platform/values/parse.ts'
import { wrongKeys } from '../../support/wrong-keys.ts'

describe('JSON that is checked', () => {
  const builders: Record<string, { schema: Schema; good: unknown[]; bad: [unknown, string][] }> = {
    text: {
      schema: text(),
      good: ['a', 'null', '🦊', ' '],
      bad: [
        [12, 'must be a string'],
        [true, 'must be a string'],
        [{}, 'must be a string'],
        [['a'], 'must be a string'],
        [null, 'must not be null'],
        ['', 'must not be empty'],
        ['a\0b', 'must be well-formed text without NUL characters'],
        ['\ud800', 'must be well-formed text without NUL characters'],
      ],
    },
    'text of at most 3 characters': {
      schema: text({ max: 3 }),
      good: ['abc', '🦊🦊🦊'],
      bad: [['abcd', 'must have at most 3 characters']],
    },
    'a name in one line': {
      schema: lineOfText({ max: 9 }),
      good: ['abc', ' a ', '🦊', '.', 'مخبز', '👩‍🍳'],
      bad: [
        ['', 'must not be empty'],
        ...[' ', '\t', '\u00a0\u3000', '\u200b', '\u3164', 'a\nb', 'a\rb', 'a\u2028b', 'a\u0085b', 'a\u001bb'].map(
          (name): [string, string] => [name, 'must be one line with a visible character'],
        ),
        ['0123456789', 'must have at most 9 characters'],
      ],
    },
    'text that may be empty': { schema: text({ empty: true }), good: ['', 'a'], bad: [[0, 'must be a string']] },
    integer: {
      schema: integer(),
      good: [0, -1, 2 ** 53 - 1, 1.0],
      bad: [
        ['12', 'must be a number'],
        ['', 'must be a number'],
        [true, 'must be a number'],
        [[], 'must be a number'],
        [null, 'must not be null'],
        [1.5, 'must be an integer'],
        [2 ** 53, 'is too large'],
        [-(2 ** 53), 'is too large'],
        [1e300, 'is too large'],
      ],
    },
    'integer from 1 to 10': {
      schema: integer({ min: 1, max: 10 }),
      good: [1, 10],
      bad: [
        [0, 'must be at least 1'],
        [11, 'must be at most 10'],
        [2 ** 53, 'must be at most 10'],
        [-1e300, 'must be at least 1'],
      ],
    },
    decimal: {
      schema: decimal(),
      good: [0, -1.5, 1e300],
      bad: [
        ['1.5', 'must be a number'],
        [Number.POSITIVE_INFINITY, 'must be a finite number'],
        [null, 'must not be null'],
      ],
    },
    flag: {
      schema: flag(),
      good: [true, false],
      bad: [
        ['true', 'must be true or false'],
        [1, 'must be true or false'],
        [null, 'must not be null'],
      ],
    },
    oneOf: {
      schema: oneOf(['a', 'b']),
      good: ['a', 'b'],
      bad: [
        ['c', 'must be one of a, b'],
        ['A', 'must be one of a, b'],
        [null, 'must not be null'],
      ],
    },
    jsonObject: {
      schema: jsonObject(),
      good: [{}, { a: [1, { b: null }] }],
      bad: [
        [[], 'must be an object'],
        ['{}', 'must be an object'],
        [1, 'must be an object'],
        [null, 'must not be null'],
      ],
    },
    'http address': {
      schema: address(['http', 'https']),
      good: ['http://a.example/x?y#z', 'https://[::1]:8080'],
      bad: [
        ['a.example', 'must be an absolute http or https URL'],
        ['/path', 'must be an absolute http or https URL'],
        ['ftp://a.example', 'must be an absolute http or https URL'],
        ['javascript:alert(1)', 'must be an absolute http or https URL'],
        // URL reads them all as https://a.example/x.
        ['https:a.example/x', 'must be an absolute http or https URL'],
        [' https://a.example/x', 'must be an absolute http or https URL'],
        ['https://a.example/x ', 'must be an absolute http or https URL'],
        ['https://a.exa\nmple/x', 'must be an absolute http or https URL'],
        [`https://a.example/${'x'.repeat(2048)}`, 'must have at most 2048 characters'],
        [1, 'must be a string'],
      ],
    },
    'address of any scheme': {
      schema: address(),
      good: ['myapp://open', 'https://a.example', 'mailto:a@b.example'],
      bad: [
        ['javascript:alert(1)', 'must be an absolute URL'],
        ['JavaScript:alert(1)', 'must be an absolute URL'],
        [' data:text/html,x', 'must be an absolute URL'],
        ['vbscript:x', 'must be an absolute URL'],
        ['https:/a.example', 'must be an absolute URL'],
        ['myapp://open\t', 'must be an absolute URL'],
      ],
    },
    'address or path': {
      schema: addressOrPath(),
      good: ['/', '/sale?x=1#new', '/a//b', '/a\\b', 'https://a.example', 'myapp://open'],
      bad: ['//a.example', '/\\a.example', '\\\\a.example', '/a ', '/a\n', 'a', '?a', 'javascript:alert(1)'].map(
        (value) => [value, 'must be an absolute URL, or a path such as /sale?x=1 on the website of the app'],
      ),
    },
    'JSON data': {
      schema: jsonData(),
      good: [{}, { a: [1, null, { b: '🦊' }] }],
      bad: [
        [[], 'must be an object'],
        ['a', 'must be an object'],
        [null, 'must not be null'],
        [{ '\0': 1 }, 'has a key that is not well-formed text without NUL characters'],
      ],
    },
    list: {
      schema: list(text(), { min: 1, max: 2 }),
      good: [['a'], ['a', 'b']],
      bad: [
        [[], 'must not be empty'],
        [['a', 'b', 'c'], 'must have at most 2 items'],
        ['a', 'must be an array'],
        [{ 0: 'a' }, 'must be an array'],
        [null, 'must not be null'],
      ],
    },
    ids: {
      schema: ids({ max: 3 }),
      good: [[], ['a', 1, '🦊🦊🦊'], [-1, 0]],
      bad: [
        ['a', 'must be an array of ids'],
        [{}, 'must be an array of ids'],
      ],
    },
    shape: {
      schema: shape({ a: text() }),
      good: [{}, { a: 'x' }],
      bad: [
        ['{}', 'must be an object'],
        [[], 'must be an object'],
        [1, 'must be an object'],
        [null, 'must not be null'],
      ],
    },
  }

  it('loses the fields that its schema does not have, at any depth', () => {
    const given = { a: 'x', other: 1, b: { c: 'y', other: [] } }
    const schema = shape({ a: text(), b: shape({ c: text() }) })
    expect(parseJson(schema, given)).to.deep.equal({ a: 'x', b: { c: 'y' } })
  })

  for (const [name, { schema, good, bad }] of Object.entries(builders)) {
    it(`${name}: takes what it should, as it is`, () => {
      for (const value of good) expect(parseJson(schema, value), JSON.stringify(value)).to.deep.equal(value)
    })
    it(`${name}: says what is wrong with anything else, and turns nothing into something else`, () => {
      for (const [value, message] of bad) {
        const found = wrongKeys(() => parseJson(schema, value))
        expect(found, JSON.stringify(value)).to.deep.equal({ '': [message] })
      }
    })
    it(`${name}: is optional until it is required, and null only when it may be null`, () => {
      expect(parseJson(schema, undefined)).to.equal(undefined)
      expect(wrongKeys(() => parseJson(schema.required(), undefined))).to.deep.equal({ '': ['is required'] })
      expect(parseJson(schema.nullable(), null)).to.equal(null)
    })
  }

  it('names every wrong key at once, as the caller wrote it', () => {
    const schema = shape({
      name: text().required(),
      age: integer({ min: 0 }),
      tags: list(text({ max: 2 })),
      inner: shape({ on: flag().required() }),
      ids: ids({ max: 3 }),
    })
    const value = { age: -1.5, tags: ['ok', 'long', 7, null], inner: {}, ids: ['a', '', 1.5, 'long', null] }
    expect(wrongKeys(() => parseJson(schema, value))).to.deep.equal({
      name: ['is required'],
      age: ['must be an integer', 'must be at least 0'],
      'tags[1]': ['must have at most 2 characters'],
      'tags[2]': ['must be a string'],
      'tags[3]': ['must not be null'],
      'inner.on': ['is required'],
      'ids[1]': ['must be a string of 1 to 3 characters, or an integer'],
      'ids[2]': ['must be a string of 1 to 3 characters, or an integer'],
      'ids[3]': ['must be a string of 1 to 3 characters, or an integer'],
      'ids[4]': ['must be a string of 1 to 3 characters, or an integer'],
    })
  })

  it('absent fields stay absent and null fields stay null', () => {
    const schema = shape({ a: text().nullable(), b: shape({ c: text() }), d: list(text()) })
    expect(parseJson(schema, { a: null })).to.deep.equal({ a: null })
    expect(Object.keys(parseJson(schema, {}))).to.deep.equal([])
  })

  it('fills defaults in', () => {
    const schema = shape({ size: integer().default(20), inner: shape({ on: flag().default(true) }) })
    expect(parseJson(schema, { inner: {} })).to.deep.equal({ size: 20, inner: { on: true } })
  })

  it('a closed shape refuses fields that it does not name, also inside', () => {
    const schema = closedShape({ ttl: integer(), inner: closedShape({ on: flag() }) })
    expect(parseJson(schema, { ttl: 1, inner: { on: true } })).to.deep.equal({ ttl: 1, inner: { on: true } })
    expect(wrongKeys(() => parseJson(schema, { tll: 1, inner: { off: true } }))).to.deep.equal({
      tll: ['is not a field of this object (ttl, inner)'],
      'inner.off': ['is not a field of this object (on)'],
    })
    expect(wrongKeys(() => parseJson(schema, []))).to.deep.equal({ '': ['must be an object'] })
    expect(wrongKeys(() => parseJson(closedShape({}), { a: 1 }))).to.deep.equal({
      a: ['is not a field of this object, which has none: leave it out'],
    })
  })

  it('a check of our own names paths below its field', () => {
    const schema = shape({
      rule: checked<object>((value) => (value === 1 ? { '': ['no'], 'a.b': ['x', 'y'], '[2]': ['z'] } : {})),
    })
    expect(wrongKeys(() => parseJson(schema, { rule: 1 }))).to.deep.equal({
      rule: ['no'],
      'rule.a.b': ['x', 'y'],
      'rule[2]': ['z'],
    })
    expect(parseJson(schema, { rule: 2 })).to.deep.equal({ rule: 2 })
  })

  it('a required text that is empty is not called missing', () => {
    const schema = shape({ name: text().required() })
    expect(wrongKeys(() => parseJson(schema, { name: '' }))).to.deep.equal({ name: ['must not be empty'] })
    expect(wrongKeys(() => parseJson(schema, {}))).to.deep.equal({ name: ['is required'] })
  })

  it('fifty thousand ids are checked in one go', () => {
    const many = Array.from({ length: 50_000 }, (_, i) => (i % 2 ? `user ${i}` : i))
    expect(parseJson(ids(), many)).to.deep.equal(many)
  })

  it('JSON data names the texts in it that no client can read', () => {
    expect(check(shape({ data: jsonData() }), { data: { a: ['x', { b: '\ud800' }] } }, true)).to.deep.equal({
      'data.a[1].b': ['must be well-formed text without NUL characters'],
    })
  })

  it('rules over several fields answer together with those of single fields', () => {
    const schema = judged(
      shape({ from: integer(), to: integer(), name: text() }),
      ({ from, to }): FieldErrors => (Number(from) > Number(to) ? { to: ['must not be before from'] } : {}),
    )
    expect(wrongKeys(() => parseJson(schema, { from: 2, to: 1, name: 7 }))).to.deep.equal({
      name: ['must be a string'],
      to: ['must not be before from'],
    })
    expect(parseJson(schema, { from: 1, to: 2 })).to.deep.equal({ from: 1, to: 2 })
    expect(wrongKeys(() => parseJson(schema, 'x'))).to.deep.equal({ '': ['must be an object'] })
  })

  it('unknown fields with the names of inherited ones are nothing special', () => {
    const value = { a: 'b', constructor: 1, toString: null, hasOwnProperty: [] }
    expect(parseJson(shape({ a: text() }), value)).to.have.property('a', 'b')
  })

  it('check answers instead of throwing', () => {
    expect(check(shape({ a: flag() }), { a: 1 }, true)).to.deep.equal({ a: ['must be true or false'] })
    expect(check(shape({ a: flag() }), { a: true }, true)).to.equal(undefined)
  })

  it('a field called __proto__ is data and changes nothing else', () => {
    const value = parseJsonBytes(
      Buffer.from('{"__proto__": {"admin": true}, "constructor": {"prototype": {"x": 1}}, "a": "b"}'),
    )
    const parsed = parseJson(shape({ a: text(), meta: jsonObject() }), value) as Record<string, unknown>
    expect(parsed.a).to.equal('b')
    expect(parsed.admin).to.equal(undefined)
    expect(Object.getPrototypeOf(parsed)).to.equal(Object.prototype)
    expect(({} as Record<string, unknown>).admin).to.equal(undefined)
    expect(({} as Record<string, unknown>).x).to.equal(undefined)
  })

  it('a field called __proto__ inside free-form data is kept', () => {
    const source = '{"meta":{"__proto__":{"admin":true},"a":1}}'
    const parsed = parseJson(shape({ meta: jsonObject() }), parseJsonBytes(Buffer.from(source)))
    expect(JSON.stringify(parsed)).to.equal(source)
    expect((parsed as { meta: { admin?: boolean } }).meta.admin).to.equal(undefined)
  })

  it('a closed shape notices a field called __proto__', () => {
    const value = parseJsonBytes(Buffer.from('{"__proto__": {"ttl": 1}}'))
    expect(wrongKeys(() => parseJson(closedShape({ ttl: integer() }), value))).to.have.property('__proto__')
  })
})

describe('text that is checked', () => {
  const schema = shape({ page: integer({ min: 1 }).default(1), on: flag(), ratio: decimal(), name: text() })

  it('is taken by what it means', () => {
    const value = { page: '12', on: 'true', ratio: '1.5', name: '12' }
    expect(parseText(schema, value)).to.deep.equal({ page: 12, on: true, ratio: 1.5, name: '12' })
    expect(parseText(schema, { on: 'false' })).to.deep.equal({ page: 1, on: false })
  })

  it('that means nothing is named', () => {
    const value = { page: 'x', on: 'maybe', ratio: '', name: '' }
    expect(wrongKeys(() => parseText(schema, value))).to.deep.equal({
      page: ['must be a number'],
      on: ['must be true or false'],
      ratio: ['must be a number'],
      name: ['must not be empty'],
    })
    expect(wrongKeys(() => parseText(schema, { page: '0' }))).to.deep.equal({ page: ['must be at least 1'] })
    expect(wrongKeys(() => parseText(schema, { page: '1e400' }))).to.have.property('page')
  })
})

describe('an id in a path', () => {
  it('is a positive integer; anything else is simply not found', () => {
    expect(idSegment('12', 'channel')).to.equal(12)
    expect(idSegment('9007199254740991', 'channel')).to.equal(2 ** 53 - 1)
    for (const segment of ['0', '-1', '01', '1.5', '1e3', 'x', '', ' 1', '9007199254740992', '99999999999999999999']) {
      expect(() => idSegment(segment, 'channel'), segment)
        .to.throw(`there is no channel ${JSON.stringify(segment)}`)
        .with.property('code', 'not_found')
    }
  })
})
