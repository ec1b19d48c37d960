/** A column as examples show it. */
const TITLE = {
  name: 'title',
  type: 'string',
  required: true,
  unique: false,
  indexed: true,
  default: null,
  references: null,
}

import type { TableConsequences } from '../../domain/tables/definition/consequences.ts'
import type { ImportProgress, RefusedLine } from '../../domain/tables/files/import.ts'
import { COLUMN_TYPES, type Table } from '../../domain/tables/types.ts'
import { presentTable } from '../api/tables.ts'
import {
  answer,
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
  told,
} from '../schema.ts'
import { APP_ID, CREATED_AT, ERRORS, UPDATED_AT } from '../words.ts'

/** A table with the number of its records. */
export function presentCountedTable(table: Table, all: readonly Table[], records: number) {
  return { ...presentTable(table, all), records }
}

const tableColumn = object(
  'TableColumn',
  'A column of a data table.',
  {
    name: told(string, 'Name of the column.', 'author'),
    type: told(oneOf(COLUMN_TYPES), 'What the column holds.', 'string'),
    required: told(boolean, 'Whether each record must have a value.', true),
    unique: told(boolean, 'No two records may have the same value.', false),
    indexed: told(boolean, 'Records can be sorted and filtered by it quickly.', true),
    default: told({}, 'The value of a record that is stored without one; null: none.', 'unknown'),
    references: told(nullable(string), 'The table whose records it names. Null: none.', null),
    collate: optional(told(string, 'The order of its texts; absent for that of the server.', 'de')),
    isCollating: optional(told(boolean, 'Whether its texts have an order of a language.', false)),
  },
  TITLE,
)

/** A table as examples show it. */
const BOOKS = {
  id: 3,
  appId: 1,
  name: 'books',
  alias: '1_books',
  columns: [TITLE],
  createdAt: '2026-11-23T10:00:00+0000',
  updatedAt: '2026-11-23T10:00:00+0000',
  records: 1204,
}

export const dataTable = answerOf<typeof presentCountedTable>(
  'DataTable',
  'A data table.',
  {
    id: told(integer, 'Number of the table.', 3),
    appId: told(integer, APP_ID),
    name: told(string, 'Name of the table.', 'books'),
    alias: told(string, 'By which addresses name it.', '1_books'),
    columns: told(list(tableColumn), 'Its columns, in order.', [TITLE]),
    createdAt: told(time, CREATED_AT),
    updatedAt: told(time, UPDATED_AT),
    records: told(count, 'How many records it has.', 1204),
  },
  BOOKS,
)
export const dataTables = object(
  'DataTables',
  'A page of data tables.',
  {
    items: told(list(dataTable), 'The tables of the page.', [BOOKS]),
    next: told(nullable(string), 'The `after` of the next page; null on the last one.', null),
  },
  {
    items: [BOOKS],
    next: null,
  },
)

export const tableConsequences = answer<TableConsequences>()(
  'TableConsequences',
  'What changes of a table would do.',
  {
    records: told(count, 'How many records the table has.', 1204),
    seconds: told(count, 'About how long the table is locked; 0 for less than a tenth of a second.', 0),
    stopsServer: told(boolean, 'The server answers nothing else meanwhile (SQLite).', false),
    changes: told(
      list(
        object(
          'TableConsequence',
          'What one change would do.',
          {
            do: told(string, 'The change.', 'dropColumn'),
            column: told(string, 'The column that it is about.', 'price'),
            effects: told(list(string), 'What it does, in sentences.', ['1,204 records lose a value']),
            obstacles: told(list(string), 'Why it cannot be done, in sentences.', []),
          },
          {
            do: 'rename',
            column: 'title',
            effects: [
              'The values stay.',
              'Callers and apps that send or read title must use name at once: title is refused from then on.',
            ],
            obstacles: [],
          },
        ),
      ),
      'Each change, in the order given.',
      [
        {
          do: 'rename',
          column: 'title',
          effects: [
            'The values stay.',
            'Callers and apps that send or read title must use name at once: title is refused from then on.',
          ],
          obstacles: [],
        },
      ],
    ),
  },
  {
    records: 1204,
    seconds: 0,
    stopsServer: false,
    changes: [
      {
        do: 'rename',
        column: 'title',
        effects: [
          'The values stay.',
          'Callers and apps that send or read title must use name at once: title is refused from then on.',
        ],
        obstacles: [],
      },
    ],
  },
)
export const presentConsequences = tableConsequences.present

/** Shows the counts of an import and its first refused lines with their reasons. */
export function presentTableImport({ imported, refused }: ImportProgress, lines: readonly RefusedLine[]) {
  return {
    imported,
    refused,
    lines: lines.map(({ line, errors, record }) => ({ line, errors, record: record ?? null })),
  }
}

export const tableImport = answerOf<typeof presentTableImport>(
  'TableImport',
  'How an import went.',
  {
    imported: told(count, 'Records that were stored.', 1200),
    refused: told(count, 'Lines that were skipped.', 1),
    lines: told(
      list(
        object(
          'RefusedTableLine',
          'A line that was not stored.',
          {
            line: told(count, 'Number of the line in the file.', 7),
            errors: told({ type: 'object', additionalProperties: list(string) }, ERRORS),
            record: told(nullable(free), 'What the line says, as far as it could be read.', {
              title: 'Emma',
              year: 'long ago',
            }),
          },
          { line: 7, errors: { year: ['must be an integer'] }, record: { title: 'Emma', year: 'long ago' } },
        ),
      ),
      'The first 200 of them.',
      [{ line: 7, errors: { year: ['must be an integer'] }, record: { title: 'Emma', year: 'long ago' } }],
    ),
  },
  {
    imported: 1200,
    refused: 1,
    lines: [{ line: 7, errors: { year: ['must be an integer'] }, record: { title: 'Emma', year: 'long ago' } }],
  },
)
