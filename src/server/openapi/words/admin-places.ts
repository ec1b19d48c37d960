import { of, type Words } from './types.ts'

export const COLUMN = {
  name: 'title',
  type: 'string',
  required: true,
  unique: false,
  indexed: true,
  default: null,
  references: null,
}
export const CHANGES = [{ do: 'rename', name: 'title', to: 'name' }]

/** Data tables themselves, and what the map of geofences shows besides them. */
export const ADMIN_PLACES: Words = {
  schemas: {
    NewDataTable: ['A data table to create.'],
    DataTableChanges: ['Changes of the columns of a data table, in their order.'],
  },
  fields: {
    ...of(['DataTableChanges.changes', 'DataTableChanges.changes.column', 'NewDataTable.columns'], {
      name: ['Name of the column.', 'author'],
      required: ['Whether each record must have a value.', true],
      default: ['The value of a record that is stored without one.', 'unknown'],
    }),
    'DataTableChanges.changes.to': ['The new name of the column.', 'writer'],
    'NewDataTable.columns.unique': ['No two records may have the same value.', false],
    'DataTableChanges.changes.column.unique': ['No two records may have the same value.', false],
    'NewDataTable.columns.indexed': ['Records can be sorted and filtered by it quickly.', true],
    'DataTableChanges.changes.column.indexed': ['Records can be sorted and filtered by it quickly.', true],
    'NewDataTable.columns.collate': ['The order of its texts. Absent or null: that of the server.', 'de'],
    'DataTableChanges.changes.column.collate': ['The order of its texts. Absent or null: that of the server.', 'de'],
    'DataTableChanges.changes.do': [
      'The change: `add` adds `column`; `drop` deletes the column `name`; `rename` calls it `to`; `set` sets those of the other members that are given.',
      'rename',
    ],
    'DataTableChanges.changes.column': ['The column to add.'],
    'DataTableChanges.changes.unique': ['Whether no two records may have the same value.', false],
    'DataTableChanges.changes.indexed': ['Whether records can be sorted and filtered by it quickly.', true],
    'NewDataTable.columns.type': ['What the column holds.', 'string'],
    'DataTableChanges.changes.column.type': ['What the column holds.', 'string'],
    'NewDataTable.name': ['At most 40 letters, digits and underscores.', 'books'],
    'NewDataTable.columns': ['Its columns, in order.', [COLUMN]],
    'DataTableChanges.changes': ['What to do, in this order.', CHANGES],
    'DataTableChanges.name': ['A new name of the table.', 'novels'],
  },
  parameters: {
    '/v1/apps/:appId/tables.query.after': ['Where the page begins: `next` of the page before.', 'books'],
    'query.west': ['Longitude of the left edge of the box.', 5],
    'query.south': ['Latitude of the lower edge of the box.', 47],
    'query.east': ['Longitude of the right edge; above 180 across the antimeridian.', 15],
    'query.north': ['Latitude of the upper edge of the box.', 55],
    'query.changes': ['The `changes` of the change, as JSON.', JSON.stringify(CHANGES)],
    'query.columns': [
      'JSON: the field of each cell of the first line, or null to leave it out.',
      '["title","year",null]',
    ],
    'query.from': ['The first line to import; 1 is the header.', 1],
  },
}
