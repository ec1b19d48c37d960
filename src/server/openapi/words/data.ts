import type { Words } from './types.ts'

const RECORD = { customer: 'user-17', total: 49.9, paid: true }
const CREATE =
  'Fields that the table does not have are refused. A list of at most 1000 records is stored as a whole or not at all. ' +
  'The answer has no body.'

/** Records of data tables. */
export const DATA: Words = {
  operations: {
    'post /v1/data/:tableAlias': { description: CREATE, sends: RECORD },
    'post /v1/data/:tableAlias/:id': { description: `The \`id\` of the path is ignored. ${CREATE}`, sends: RECORD },
    'get /v1/data/:tableAlias': {
      description:
        'Pages by number (`page`), or by cursor (`after`), which stays fast in large tables. A page past the end is empty.',
    },
    'get /v1/data/:tableAlias/:id': { description: 'Returns the record without a wrapper.' },
    'put /v1/data/:tableAlias/:id': {
      description: 'An absent field stays as it is; null clears it. The answer is the whole record.',
      sends: { paid: false },
    },
    'delete /v1/data/:tableAlias/:id': { description: 'Answers 201, for the programs that rely on it.' },
  },
  schemas: {
    Record: [
      'A record: its id, the columns of its table, and its two times.',
      { id: 17, ...RECORD, createdAt: '2026-03-01T12:00:00+0000', updatedAt: '2026-03-01T12:30:00+0000' },
    ],
  },
  fields: {
    'Record.id': ['Number of the record.', 17],
  },
  parameters: {
    'path.tableAlias': ['The alias of the table: the app id, `_`, and its name.', '1_orders'],
    'query.page': ['Number of the page, from 1. Default 1.', 1],
    'query.sortBy': [
      'A column; `-` before it reverses the order. Default `id`. Records without a value come first.',
      '-total',
    ],
    'query.filter': [
      // The operators are told beside them, in domain/tables.
      '',
      '{"field":"total","operator":"gte","value":10}',
    ],
    'query.count': ['True asks for the header `Total-Count`.', true],
    '/v1/data/:tableAlias.query.after': [
      'Continues after a page: the `Next-After` of its answer. Excludes `page`.',
      'eyJpZCI6NTB9',
    ],
  },
}
