import {
  changesOfText,
  changeTable,
  createTable,
  foreseeQuery,
  importColumns,
  importQuery,
  newColumn,
  tableChanges,
  tablesPage,
} from '../../domain/tables/definition/schema.ts'
import { readCsv } from '../../domain/tables/files/csv.ts'
import { exportCsv } from '../../domain/tables/files/export.ts'
import { type ImportProgress, importRecords, type RefusedLine } from '../../domain/tables/files/import.ts'
import { receiveTableFile } from '../../domain/tables/files/received.ts'
import { lacksKeys } from '../../domain/tables/service.ts'
import type { Table } from '../../domain/tables/types.ts'
import { AppError, invalid, isAppError, messageOf } from '../../platform/errors.ts'
import { parseJson } from '../../platform/values/parse.ts'
import {
  dataTable,
  dataTables,
  presentConsequences,
  presentCountedTable,
  presentTableImport,
  tableConsequences,
  tableImport,
} from '../../present/admin/tables.ts'
import { foreseeChanges } from '../calls/long-reads.ts'
import { CHANGES, COLUMN } from '../openapi/words/admin-places.ts'
import { type Call, del, get, piecesOf, post, Reply, type Route } from '../routing/route.ts'

const UNKNOWN = { 404: 'There is no such app or table, or you have no role in it' }
const ADMIN = { area: 'admin', needs: 'person', also: UNKNOWN } as const
const CSV = 'text/csv'
/** Refused lines that the answer of an import has. */
const MOST_LINES = 200

type Areas = Call<unknown, unknown>['tx']

async function shown(tx: Areas, table: Table) {
  return presentCountedTable(table, await tx.tables.list(table.appId), await tx.tables.count(table))
}

/** Data tables themselves: their columns, and all of their records at once. Single records have twins of the server API. */
export const tableRoutes: readonly Route[] = [
  get('/v1/apps/:appId/tables', {
    ...ADMIN,
    right: 'see',
    summary: 'List data tables by name',
    description: 'With the number of their records.',
    query: tablesPage,
    returns: dataTables,
    run: async ({ tx, appId, query: { after, limit } }) => {
      const all = await tx.tables.list(appId)
      const rest = after === undefined ? all : all.slice(all.findIndex(({ alias }) => alias === after) + 1)
      const page = rest.slice(0, limit)
      const items = await Promise.all(
        page.map(async (table) => presentCountedTable(table, all, await tx.tables.count(table))),
      )
      return { items, next: rest.length > limit ? page.at(-1)!.alias : null }
    },
  }),
  post('/v1/apps/:appId/tables', {
    ...ADMIN,
    right: 'operate',
    summary: 'Create a data table',
    description: 'The alias, by which addresses name the table, is in the answer.',
    takes: 'NewDataTable',
    sends: { name: 'books', columns: [COLUMN] },
    audit: 'tables.create',
    body: createTable,
    status: 201,
    returns: dataTable,
    run: async ({ tx, appId, body, note }) => {
      const made = await shown(tx, await tx.tables.create(appId, body.name, body.columns.map(newColumn)))
      note({ target: made.alias, after: made })
      return made
    },
  }),
  get('/v1/apps/:appId/tables/:tableAlias', {
    ...ADMIN,
    right: 'see',
    summary: 'Read a data table and its columns',
    description: 'By alias or name.',
    returns: dataTable,
    run: async ({ tx, appId, params }) => shown(tx, await tx.tables.get(appId, params.tableAlias!)),
  }),
  get('/v1/apps/:appId/tables/:tableAlias/consequences', {
    ...ADMIN,
    right: 'own',
    summary: 'Tell what changes of a data table would do',
    description: 'Nothing is changed. Each change is judged by the table as it is now, not by the changes before it.',
    query: foreseeQuery,
    returns: tableConsequences,
    run: async (call) => {
      const { changes } = parseJson(changeTable, changesOfText(call.query.changes))
      return presentConsequences(await foreseeChanges(call, call.params.tableAlias!, tableChanges(changes)))
    },
  }),
  post('/v1/apps/:appId/tables/:tableAlias/changes', {
    ...ADMIN,
    right: 'own',
    summary: 'Change the columns of a data table, or its name: all of it or nothing',
    description:
      'Existing records are kept. When records prevent a change, nothing is changed and the error has their number.',
    takes: 'DataTableChanges',
    sends: { changes: CHANGES },
    audit: 'tables.update',
    body: changeTable,
    status: 200,
    returns: dataTable,
    // Sort keys of a column with `collate` are stored a thousand at a time, each in a transaction of its own.
    transaction: false,
    run: async ({ program, appId, params, body, note }) => {
      const changes = tableChanges(body.changes)
      const { before, altered } = await program.inTransaction(async (tx) => {
        const before = await shown(tx, await tx.tables.lock(appId, params.tableAlias!))
        return { before, altered: await tx.tables.alter(appId, before.alias, changes, body.name) }
      })
      let table = altered
      while (lacksKeys(table)) table = await program.inTransaction((tx) => tx.tables.storeKeys(appId, table.alias))
      const after = await shown(program, table)
      note({ target: before.alias, before, after })
      return after
    },
  }),
  del('/v1/apps/:appId/tables/:tableAlias', {
    ...ADMIN,
    right: 'own',
    fresh: true,
    summary: 'Delete a data table with its records',
    description: 'Nothing brings the records back.',
    audit: 'tables.delete',
    status: 204,
    also: { ...UNKNOWN, 409: 'Another table refers to it' },
    run: async ({ tx, appId, params, note }) => {
      const before = await shown(tx, await tx.tables.lock(appId, params.tableAlias!))
      note({ target: before.alias, before })
      await tx.tables.drop(appId, before.alias)
    },
  }),
  get('/v1/apps/:appId/tables/:tableAlias/export', {
    ...ADMIN,
    right: 'campaign',
    summary: 'Export all records of a data table as CSV',
    description:
      'A header, then a line for each record. Texts that a spreadsheet would run as formulas begin with a quote, which an import removes.',
    audit: 'tables.export',
    produces: CSV,
    headers: { 'Content-Disposition': ['The name for the file.', 'attachment; filename="books.csv"'] },
    run: async ({ program, appId, params, note }) => {
      const table = await program.tables.get(appId, params.tableAlias!)
      note({ target: table.alias })
      const headers = {
        'Content-Type': `${CSV}; charset=utf-8`,
        'Content-Disposition': `attachment; filename="${table.name}.csv"`,
      }
      return new Reply(200, piecesOf(exportCsv(program.records, table)), headers)
    },
  }),
  post('/v1/apps/:appId/tables/:tableAlias/imports', {
    ...ADMIN,
    right: 'campaign',
    summary: 'Import records from a CSV file',
    description:
      'At most 16 MiB. The first line is a header. Lines that the table refuses are skipped and told in the answer (the first 200); the ' +
      'others are stored, a thousand in a transaction.',
    sends: 'title,year\r\nEmma,1815\r\n',
    also: { ...UNKNOWN, 400: 'The file is empty, or the form is not whole', 413: 'The file is larger than 16 MiB' },
    audit: 'tables.import',
    query: importQuery,
    status: 200,
    returns: tableImport,
    // A thousand records in a transaction.
    transaction: false,
    upload: async ({ program, appId, params }) => {
      await program.tables.get(appId, params.tableAlias!)
      return receiveTableFile()
    },
    run: async ({ program, appId, params, query, file, note }) => {
      const table = await program.tables.get(appId, params.tableAlias!)
      const lines: RefusedLine[] = []
      let last: ImportProgress = { imported: 0, refused: 0, line: 0 }
      note({ target: table.alias })
      try {
        await importRecords({
          appId,
          alias: table.alias,
          lines: readCsv(file.pieces(), table, importColumns(query.columns)),
          inTransaction: (work) => program.inTransaction((tx) => work(tx.records)),
          keepIds: false,
          raw: false,
          fromLine: query.from,
          onRefused: (line) => {
            if (lines.length < MOST_LINES) lines.push(line)
          },
          onProgress: (now) => {
            last = { ...now }
          },
        })
      } catch (error) {
        note({ target: table.alias, after: { imported: last.imported, refused: last.refused } })
        // The contract's words for every 422; the fields say what is wrong.
        if (last.line === 0)
          throw isAppError(error) && error.code === 'invalid' ? invalid(error.details.fields ?? {}) : error
        const stored = `${last.imported} records were stored before the import stopped at line ${last.line}`
        throw new AppError('unavailable', `${stored}: ${messageOf(error)}. Go on with from=${last.line + 1}.`)
      }
      note({ target: table.alias, after: { imported: last.imported, refused: last.refused } })
      return presentTableImport(last, lines)
    },
  }),
]
