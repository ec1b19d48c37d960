import { expect } from 'chai'
import {
  address,
  checked,
  closedShape,
  decimal,
  describe as describeSchema,
  documented,
  flag,
  ids,
  integer,
  jsonObject,
  judged,
  list,
  oneOf,
  requiredByRule,
  type Schema,
  shape,
  text,
} from '../../../src/platform/values/parse.ts'

describe('a schema as JSON Schema', () => {
  const rows: [string, Schema, object][] = [
    ['a text', text(), { type: 'string', minLength: 1 }],
    ['a text with a longest length', text({ max: 9 }), { type: 'string', minLength: 1, maxLength: 9 }],
    ['a text that may be empty', text({ empty: true }), { type: 'string' }],
    ['a required text, which is never empty', text({ empty: true }).required(), { type: 'string', minLength: 1 }],
    ['a text of a pattern', text().matches(/^a+$/), { type: 'string', minLength: 1, pattern: '^a+$' }],
    ['an integer', integer(), { type: 'integer' }],
    ['an integer with bounds', integer({ min: 0, max: 5 }), { type: 'integer', minimum: 0, maximum: 5 }],
    ['a number', decimal(), { type: 'number' }],
    ['a flag', flag(), { type: 'boolean' }],
    ['a choice', oneOf(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['a choice or null', oneOf(['a']).nullable(), { type: ['string', 'null'], enum: ['a', null] }],
    ['a default', integer().default(7), { type: 'integer', default: 7 }],
    ['any object', jsonObject(), { type: 'object' }],
    ['any object or null', jsonObject().nullable(), { type: ['object', 'null'] }],
    ['an address', address(), { type: 'string', minLength: 1, maxLength: 2048, format: 'uri' }],
    ['ids', ids({ max: 3 }), { type: 'array', items: { type: ['string', 'integer'], minLength: 1, maxLength: 3 } }],
    [
      'a list',
      list(integer(), { min: 1, max: 4 }),
      { type: 'array', minItems: 1, maxItems: 4, items: { type: 'integer' } },
    ],
    [
      'a shape with required fields',
      shape({ a: flag().required(), b: flag(), c: flag().defined() }),
      {
        type: 'object',
        properties: { a: { type: 'boolean' }, b: { type: 'boolean' }, c: { type: 'boolean' } },
        required: ['a', 'c'],
      },
    ],
    [
      'a closed shape with a rule',
      judged(closedShape({ a: shape({ b: integer() }) }), () => ({})),
      {
        type: 'object',
        properties: { a: { type: 'object', properties: { b: { type: 'integer' } } } },
        additionalProperties: false,
      },
    ],
    [
      'a field that a rule of the whole requires',
      shape({ a: requiredByRule(flag()) }),
      { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] },
    ],
    ['code that nobody described', checked(() => ({})), {}],
    [
      'code that somebody described',
      documented(
        checked(() => ({})),
        { type: 'string' },
      ),
      { type: 'string' },
    ],
    [
      'what was said twice',
      documented(documented(text(), { maxLength: 3 }), { maxLength: 2, format: 'x' }),
      { type: 'string', minLength: 1, maxLength: 2, format: 'x' },
    ],
  ]
  for (const [what, schema, expected] of rows) {
    it(`tells ${what}`, () => {
      expect(describeSchema(schema)).to.eql(expected)
    })
  }

  it('says https for an address that must be one', () => {
    expect(describeSchema(address(['https']))).to.include({ format: 'uri', description: 'An absolute https URL' })
  })

  it('leaves the schema that was documented as it was', () => {
    const plain = text()
    documented(plain, { format: 'x' })
    expect(describeSchema(plain)).to.not.have.property('format')
  })
})
