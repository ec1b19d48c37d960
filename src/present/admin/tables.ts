import type { TableConsequences } from '../../domain/tables/definition/consequences.ts'
import type { ImportProgress, RefusedLine } from '../../domain/tables/files/import.ts'
import { COLUMN_TYPES, type Table } from '../../domain/tables/types.ts'
import { presentTable } from '../api/tables.ts'
import {
  answerOf,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  time,
} from '../schema.ts'

/** A table with the number of its records. */
export function presentCountedTable(table: Table, all: readonly Table[], records: number) {
  return { ...presentTable(table, all), records }
}

const tableColumn = object(
  {
    name: string,
    type: oneOf(COLUMN_TYPES),
    required: boolean,
    unique: boolean,
    indexed: boolean,
    default: {},
    references: nullable(string),
    collate: optional(string),
    isCollating: optional(boolean),
  },
  'TableColumn',
)

export const dataTable = answerOf<typeof presentCountedTable>('DataTable', {
  id: integer,
  appId: integer,
  name: string,
  alias: string,
  columns: list(tableColumn),
  createdAt: time,
  updatedAt: time,
  records: count,
})
export const dataTables = object({ items: list(dataTable), next: nullable(string) }, 'DataTables')

export function presentConsequences({ records, changes, seconds, stopsServer }: TableConsequences) {
  return { records, seconds, stopsServer, changes }
}

export const tableConsequences = answerOf<typeof presentConsequences>('TableConsequences', {
  records: count,
  seconds: count,
  stopsServer: boolean,
  changes: list(
    object({ do: string, column: string, effects: list(string), obstacles: list(string) }, 'TableConsequence'),
  ),
})

/** How an import went; the first refused lines with their reasons. */
export function presentTableImport({ imported, refused }: ImportProgress, lines: readonly RefusedLine[]) {
  return {
    imported,
    refused,
    lines: lines.map(({ line, errors, record }) => ({ line, errors, record: record ?? null })),
  }
}

export const tableImport = answerOf<typeof presentTableImport>('TableImport', {
  imported: count,
  refused: count,
  lines: list(
    object(
      {
        line: count,
        errors: { type: 'object', additionalProperties: list(string) },
        record: nullable(free),
      },
      'RefusedTableLine',
    ),
  ),
})
