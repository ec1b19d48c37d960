import { documented, flag, integer, shape, text } from '../../platform/parse.ts'

/** Query of a list of records. What the texts mean depends on the table and is checked with it. */
export const recordsQuery = shape({
  page: documented(integer({ min: 1 }), { description: 'Default 1' }),
  numberPerPage: integer({ min: 1, max: 1000 }).default(50),
  sortBy: documented(text({ empty: true }), {
    description: 'A field of the table, `-` before it reverses. Default `id`. Records without a value come first',
  }),
  filter: documented(text({ empty: true }), {
    description:
      'JSON: `{"field": "n", "operator": "gte", "value": 3}`, a list of such (all must hold), or `and`, `or`, `not` of them. ' +
      'Operators: eq, ne, lt, lte, gt, gte, in, contains, startsWith, isNull',
  }),
  count: documented(flag(), { anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['1', '0'] }] }),
  after: documented(text({ empty: true }), {
    description: 'Goes on behind a page: the `Next-After` of its answer. Instead of `page`',
  }),
}).required()
