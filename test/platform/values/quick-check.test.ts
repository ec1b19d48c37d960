import { expect } from 'chai'
import {
  check,
  closedShape,
  either,
  flag,
  ids,
  integer,
  jsonData,
  list,
  oneOf,
  parseJson,
  type Schema,
  shape,
  text,
  withoutNulls,
} from '../../../src/platform/values/parse.ts'
import { checkQuickly, UNSURE } from '../../../src/platform/values/quick-check.ts'
import { routes } from '../../../src/server/routes.ts'

/** Values that a field may get, right and wrong. */
const ODD: readonly unknown[] = [
  null,
  undefined,
  true,
  0,
  12,
  -1,
  1.5,
  Infinity,
  '',
  ' ',
  'a',
  '12',
  'none',
  'https://example.com/a?b=1',
  '2026-03-01T08:00:00Z',
  'de',
  'a\0b',
  'x'.repeat(300),
  '🦊'.repeat(200),
  [],
  ['a'],
  ['a', null],
  [1, 2],
  [{}],
  {},
  { a: 1 },
  { a: null },
  { title: 'A', message: 'B', unknown: 1 },
  { type: 'a', id: 'b' },
  { constructor: 1 },
  { userIds: ['u'], deep: { er: null } },
]

type Inside = { fields?: Record<string, Schema>; innerType?: Schema }

/** Values for a schema: odd ones, and objects and lists in which one part is odd. */
function* valuesFor(schema: Schema, depth = 0): Generator {
  yield* ODD
  const { fields = {}, innerType } = schema as Inside
  if (depth > 3) return
  if (innerType) for (const item of valuesFor(innerType, depth + 1)) yield [item]
  for (const [name, field] of Object.entries(fields)) {
    for (const value of valuesFor(field, depth + 1)) {
      yield { [name]: value }
      if (depth === 0) yield { extra: 1, [name]: value }
    }
  }
}

/** The JSON that yup alone makes of a value; nothing when it is wrong. */
function byYup(schema: Schema, given: unknown): string | undefined {
  const value = withoutNulls(schema, given)
  if (check(schema, value, true)) return undefined
  return told(schema.cast(value, { assert: false, stripUnknown: true }))
}

/** The value with its order of fields and what JSON leaves out. */
const told = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => (one === undefined ? 'undefined' : one === Infinity ? 'Infinity' : one)) ??
  'undefined'

/** Compares both ways to check; returns how often the quick one was sure. */
function compare(schema: Schema, values: Iterable<unknown>): number {
  let sure = 0
  for (const value of values) {
    const quick = checkQuickly(schema, value)
    if (quick === UNSURE) continue
    sure++
    expect(told(quick), told(value)).to.equal(byYup(schema, value))
  }
  return sure
}

describe('the quick check', () => {
  it('says of every body of a route what yup says, or that it is not sure', () => {
    let sure = 0
    for (const { body } of routes) if (body) sure += compare(body, valuesFor(body))
    expect(sure).to.be.above(1000)
  })

  const schema = shape({
    name: text({ max: 3 }).required(),
    kind: oneOf(['a', 'b']),
    size: integer({ min: 1 }).default(5),
    ids: ids(),
    data: jsonData().nullable(),
    parts: list(closedShape({ on: flag(), inner: shape({ of: text() }) }), { max: 2 }),
    other: either(shape({ a: text() }), shape({ b: text() }), (value) => 'b' in value),
  })

  it('is sure of what is right', () => {
    const inside = { name: 'abc', kind: 'b', size: 1, ids: [1, 'x'], data: { a: null }, parts: [{ on: true }] }
    expect(checkQuickly(schema, inside)).to.equal(inside)
  })

  it('takes away what the schema does not have, in the order of yup', () => {
    const given = { y: 1, parts: [{ inner: { of: 'x', z: 2 } }, {}], size: 2, name: 'n' }
    const quick = checkQuickly(schema, given)
    expect(quick).to.deep.equal({ parts: [{ inner: { of: 'x' } }, {}], size: 2, name: 'n' })
    expect(told(quick)).to.equal(byYup(schema, given))
  })

  it('is not sure of what is wrong, is null, gets a default or depends on others', () => {
    const right = { name: 'abc', size: 1 }
    for (const odd of [
      { size: 1 },
      { name: 'abc' },
      { ...right, name: 'abcd' },
      { ...right, kind: 'c' },
      { ...right, kind: null },
      { ...right, parts: [{}, {}, {}] },
      { ...right, parts: [{ on: true, off: false }] },
      { ...right, parts: [null] },
      { ...right, other: { a: 'x' } },
      { ...right, kind: undefined },
      { ...right, constructor: 1 },
      [right],
      'abc',
      undefined,
    ])
      expect(checkQuickly(schema, odd), told(odd)).to.equal(UNSURE)
  })

  it('leaves rules that throw, that make promises or read the fields beside them to yup', () => {
    const rules = {
      throws: text().test('throws', 'is wrong', () => {
        throw new Error('as it is')
      }),
      beside: text().test('beside', 'is wrong', (_, { parent }) => parent !== undefined),
      says: text().test('says', 'is wrong', (_, { createError }) => createError({ message: 'is so' })),
    }
    for (const [name, rule] of Object.entries(rules))
      expect(checkQuickly(shape({ [name]: rule }), { [name]: 'x' })).to.equal(UNSURE)
    expect(parseJson(shape({ beside: rules.beside }), { beside: 'x' })).to.deep.equal({ beside: 'x' })
    expect(() => parseJson(shape({ throws: rules.throws }), { throws: 'x' })).to.throw('as it is')
  })
})
