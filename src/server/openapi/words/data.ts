import type { Words } from './types.ts'

export const RECORD = { customer: 'user-17', total: 49.9, paid: true }

/** Records of data tables. */
export const DATA: Words = {
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
