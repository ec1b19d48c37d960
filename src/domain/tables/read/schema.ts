import { OPERATORS } from '../../../platform/filters/operators.ts'
import { documented, flag, integer, shape, text } from '../../../platform/values/parse.ts'

/** Query of a list of records. Its texts depend on the table and are checked against it later. */
export const recordsQuery = shape({
  page: documented(integer({ min: 1 }), { description: 'Default 1' }),
  numberPerPage: integer({ min: 1, max: 1000 }).default(50),
  sortBy: documented(text({ empty: true }), {
    description:
      'A field of the table; a leading `-` reverses the order. Default `id`. Records without a value come first. ' +
      'Text is ordered by code point, or as its column asks (`collate`)',
  }),
  filter: documented(text({ empty: true }), {
    description:
      'JSON: `{"field": "n", "operator": "atLeast", "value": 3}`, a list of conditions (all must hold), or `and`, `or`, `not` of them. ' +
      `Operators: ${Object.keys(OPERATORS).join(', ')} (docs/tables.md lists other spellings)`,
  }),
  count: documented(flag(), { anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['1', '0'] }] }),
  after: documented(text({ empty: true }), {
    description: 'Continues after a page: the `Next-After` of its response. Instead of `page`',
  }),
}).required()
