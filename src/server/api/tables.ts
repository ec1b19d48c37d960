import { recordsQuery } from '../../domain/tables/read/schema.ts'
import type { TableRecord } from '../../domain/tables/types.ts'
import { checked, documented, idSegment } from '../../platform/values/parse.ts'
import { presentRecord, tableRecord } from '../../present/api/tables.ts'
import { list } from '../../present/schema.ts'
import { listRecords } from '../calls/long-reads.ts'
import { RECORD } from '../openapi/words/data.ts'
import { type Call, del, get, post, put, Reply, type Route, streamOf } from '../routing/route.ts'

const CREATE =
  'Fields that the table does not have are refused. A list of at most 1000 records is stored as a whole or not at all. ' +
  'The answer has no body.'

const OURS = { area: 'data', needs: 'rest-key' } as const
const UNKNOWN_TABLE = { 404: 'There is no such table' }
const UNKNOWN = { 404: 'There is no such table or record' }
const LOCATION = {
  Location: [
    'The address of the new record; of the first one of a list.',
    'https://api.example.com/data/v1/data/1_orders/17',
  ],
} as const
const BODY = { bodyLimit: 'limits.dataBody' } as const

/** A body that is checked once the table is known: its columns decide what the body may hold. */
const anyJson = checked<unknown>(() => ({}))
const newRecords = documented(anyJson, {
  type: ['object', 'array'],
  description: 'A record, or a list of at most 1000 of which all are stored or none',
}).required()
const change = documented(anyJson, { type: 'object', description: 'The changed fields, or all of them' }).required()

/**
 * Characters of the longest `Link`: clients read about 16 KiB of headers, and a filter may be nearly as long. Then only
 * `Next-After` stays.
 */
const MAX_LINK_LENGTH = 8192

/** Records of data tables. */
export const dataRoutes: Route[] = [
  post('/v1/data/:tableAlias', {
    ...OURS,
    ...BODY,
    summary: 'Create a record, or a list of records',
    description: CREATE,
    sends: RECORD,
    permission: 'create',
    body: newRecords,
    status: 201,
    bodyless: true,
    also: UNKNOWN_TABLE,
    headers: LOCATION,
    transaction: 'shared',
    run: create,
  }),
  post('/v1/data/:tableAlias/:id', {
    ...OURS,
    ...BODY,
    summary: 'Create a record or a list of records; the `id` is ignored',
    description: `The \`id\` of the path is ignored. ${CREATE}`,
    sends: RECORD,
    permission: 'create',
    body: newRecords,
    status: 201,
    bodyless: true,
    also: UNKNOWN_TABLE,
    headers: LOCATION,
    transaction: 'shared',
    run: create,
  }),
  get('/v1/data/:tableAlias', {
    ...OURS,
    summary: 'List records',
    description:
      'Pages by number (`page`), or by cursor (`after`), which stays fast in large tables. A page past the end is empty.',
    permission: 'read',
    query: recordsQuery,
    also: UNKNOWN_TABLE,
    returns: list(tableRecord),
    headers: {
      'Next-After': ['The `after` of the next page. Absent on the last page.', 'eyJpZCI6NTB9'],
      Link: [
        'The address of the next page with `rel="next"`. Absent on the last page, and when it would be too long for a header.',
        '<https://api.example.com/data/v1/data/1_orders?after=eyJpZCI6NTB9>; rel="next"',
      ],
      'Total-Count': ['How many records match. Only with `count=true`.', '1204'],
    },
    run: async (call) => {
      const { params, query, search, address } = call
      const { table, records, next, total } = await listRecords(call, params.tableAlias!, query)
      const headers: Record<string, string> = total === undefined ? {} : { 'Total-Count': String(total) }
      if (next !== null) {
        const following = new URLSearchParams(search)
        following.delete('page')
        following.set('after', next)
        headers['Next-After'] = next
        const link = `<${address}/v1/data/${table.alias}?${following}>; rel="next"`
        if (link.length <= MAX_LINK_LENGTH) headers.Link = link
      }
      const shown = (record: TableRecord) => presentRecord(table, record)
      return new Reply(200, Symbol.asyncIterator in records ? streamOf(records, shown) : records.map(shown), headers)
    },
  }),
  get('/v1/data/:tableAlias/:id', {
    ...OURS,
    summary: 'Read a record',
    description: 'Returns the record without a wrapper.',
    permission: 'read',
    also: UNKNOWN,
    returns: tableRecord,
    run: async ({ tx, appId, params }) => {
      const { table, record } = await tx.records.get(appId, params.tableAlias!, recordId(params))
      return presentRecord(table, record)
    },
  }),
  put('/v1/data/:tableAlias/:id', {
    ...OURS,
    ...BODY,
    summary: 'Change a record',
    description: 'An absent field stays as it is; null clears it. The answer is the whole record.',
    sends: { paid: false },
    permission: 'update',
    body: change,
    also: UNKNOWN,
    returns: tableRecord,
    run: async ({ tx, appId, params, body }) => {
      const { table, record } = await tx.records.update(appId, params.tableAlias!, recordId(params), body)
      return presentRecord(table, record)
    },
  }),
  del('/v1/data/:tableAlias/:id', {
    ...OURS,
    summary: 'Delete a record',
    description: 'Answers 201, for the programs that rely on it.',
    permission: 'delete',
    status: 201,
    bodyless: true,
    also: { ...UNKNOWN, 409: 'Records of another table reference it' },
    run: ({ tx, appId, params }) => tx.records.delete(appId, params.tableAlias!, recordId(params)),
  }),
]

type CreateCall = Pick<
  Call<unknown, unknown>,
  'tx' | 'program' | 'within' | 'appId' | 'params' | 'body' | 'size' | 'address'
>

async function create({ tx, program, within, appId, params, body, size, address }: CreateCall): Promise<Reply> {
  const { create } = within === 'program' ? program.creations : tx.records
  const { table, ids } = await create(appId, params.tableAlias!, body, size)
  return new Reply(201, undefined, { Location: `${address}/v1/data/${table.alias}/${ids[0]}` })
}

function recordId(params: Record<string, string>): number {
  return idSegment(params.id!, 'record')
}
