import type { Words } from './types.ts'

const COLUMN = {
  name: 'title',
  type: 'string',
  required: true,
  unique: false,
  indexed: true,
  default: null,
  references: null,
}
const TABLE = {
  id: 3,
  appId: 1,
  name: 'books',
  alias: '1_books',
  columns: [COLUMN],
  createdAt: '2026-11-23T10:00:00+0000',
  updatedAt: '2026-11-23T10:00:00+0000',
  records: 1204,
}
const CHANGES = [{ do: 'rename', name: 'title', to: 'name' }]
const CONSEQUENCE = {
  do: 'rename',
  column: 'title',
  effects: [
    'The values stay.',
    'Callers and apps that send or read title must use name at once: title is refused from then on.',
  ],
  obstacles: [],
}
const REFUSED = { line: 7, errors: { year: ['must be an integer'] }, record: { title: 'Emma', year: 'long ago' } }

/** Data tables themselves, and what the map of geofences shows besides them. */
export const ADMIN_PLACES: Words = {
  operations: {
    'get /admin/v1/apps/:appId/map': {
      description:
        'As `console.tiles` and `console.tilesCredit` say. Without them the map asks nobody and shows outlines.',
    },
    'get /admin/v1/apps/:appId/map/density': {
      description:
        'The squares are the same for everybody, at least half a kilometre wide, and at most 50 by 50. Those with fewer than five installs ' +
        'are left out, and the others are rounded down to a multiple of five, so that nobody can be found with it.',
    },
    'get /admin/v1/apps/:appId/tables': { description: 'With the number of their records.' },
    'post /admin/v1/apps/:appId/tables': {
      description: 'The alias, by which addresses name the table, is in the answer.',
      takes: 'NewDataTable',
      sends: { name: 'books', columns: [COLUMN] },
    },
    'get /admin/v1/apps/:appId/tables/:tableAlias': { description: 'By alias or name.' },
    'get /admin/v1/apps/:appId/tables/:tableAlias/consequences': {
      description: 'Nothing is changed. Each change is judged by the table as it is now, not by the changes before it.',
    },
    'post /admin/v1/apps/:appId/tables/:tableAlias/changes': {
      description:
        'Existing records are kept. When records prevent a change, nothing is changed and the error has their number.',
      takes: 'DataTableChanges',
      sends: { changes: CHANGES },
    },
    'delete /admin/v1/apps/:appId/tables/:tableAlias': { description: 'Nothing brings the records back.' },
    'get /admin/v1/apps/:appId/tables/:tableAlias/export': {
      description:
        'A header, then a line for each record. Texts that a spreadsheet would run as formulas begin with a quote, which an import removes.',
    },
    'post /admin/v1/apps/:appId/tables/:tableAlias/imports': {
      description:
        'At most 16 MiB. The first line is a header. Lines that the table refuses are skipped and told in the answer (the first 200); the ' +
        'others are stored, a thousand in a transaction.',
      sends: 'title,year\r\nEmma,1815\r\n',
    },
  },
  schemas: {
    MapSettings: ['Where the pictures of maps come from.', { tiles: null, credit: null }],
    Density: [
      'Last positions of installs in squares.',
      { size: 0.703125, isComplete: true, cells: [{ south: 52.03125, west: 13.359375, installs: 40 }] },
    ],
    DensityCell: ['A square with at least five installs.', { south: 52.03125, west: 13.359375, installs: 40 }],
    DataTable: ['A data table.', TABLE],
    DataTables: ['A page of data tables.', { items: [TABLE], next: null }],
    NewDataTable: ['A data table to create.'],
    DataTableChanges: ['Changes of the columns of a data table, in their order.'],
    TableColumn: ['A column of a data table.', COLUMN],
    TableConsequences: [
      'What changes of a table would do.',
      { records: 1204, seconds: 0, stopsServer: false, changes: [CONSEQUENCE] },
    ],
    TableConsequence: ['What one change would do.', CONSEQUENCE],
    TableImport: ['How an import went.', { imported: 1200, refused: 1, lines: [REFUSED] }],
    RefusedTableLine: ['A line that was not stored.', REFUSED],
  },
  fields: {
    'TableColumn.unique': ['No two records may have the same value.', false],
    'TableColumn.indexed': ['Records can be sorted and filtered by it quickly.', true],
    'NewDataTable.columns.unique': ['No two records may have the same value.', false],
    'NewDataTable.columns.indexed': ['Records can be sorted and filtered by it quickly.', true],
    'NewDataTable.columns.collate': ['The order of its texts. Absent or null: that of the server.', 'de'],
    'DataTableChanges.changes.column.unique': ['No two records may have the same value.', false],
    'DataTableChanges.changes.column.indexed': ['Records can be sorted and filtered by it quickly.', true],
    'DataTableChanges.changes.column.collate': ['The order of its texts. Absent or null: that of the server.', 'de'],
    'TableColumn.references': ['The table whose records it names. Null: none.', null],
    'TableColumn.isCollating': ['Whether its texts have an order of a language.', false],
    'DataTableChanges.changes.do': [
      'The change: `add`, `drop`, `rename`, `index` or another one of `appsvc tables alter`.',
      'rename',
    ],
    'DataTableChanges.changes.column': ['The column to add.'],
    'DataTableChanges.changes.unique': ['Whether no two records may have the same value.', false],
    'DataTableChanges.changes.indexed': ['Whether records can be sorted and filtered by it quickly.', true],
    'TableColumn.collate': ['The order of its texts; absent for that of the server.', 'de'],
    'TableColumn.type': ['What the column holds.', 'string'],
    'NewDataTable.columns.type': ['What the column holds.', 'string'],
    'DataTableChanges.changes.column.type': ['What the column holds.', 'string'],
    'TableConsequence.do': ['The change.', 'dropColumn'],
    'TableConsequence.column': ['The column that it is about.', 'price'],
    'TableConsequence.effects': ['What it does, in sentences.', ['1,204 records lose a value']],
    'TableConsequence.obstacles': ['Why it cannot be done, in sentences.', []],
    '/v1/apps/:appId/tables.query.after': ['Where the page begins: `next` of the page before.', 'books'],
    'MapSettings.tiles': ['Address with `{z}`, `{x}` and `{y}`; null for none.', null],
    'MapSettings.credit': ['What the map says about their source.', null],
    'Density.size': ['Side of a square in degrees.', 0.703125],
    'Density.isComplete': ['False when the time was over before all positions were read.', true],
    'Density.cells': ['The squares that may be shown.', []],
    'DensityCell.south': ['Latitude of the lower edge.', 52.03125],
    'DensityCell.west': ['Longitude of the left edge.', 13.359375],
    'DensityCell.installs': ['A multiple of five, rounded down.', 40],
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
    'NewDataTable.name': ['At most 40 letters, digits and underscores.', 'books'],
    'NewDataTable.columns': ['Its columns, in order.', [COLUMN]],
    'DataTableChanges.changes': ['What to do, in this order.', CHANGES],
    'DataTableChanges.name': ['A new name of the table.', 'novels'],
    'DataTables.items': ['The tables of the page.', [TABLE]],
    'DataTables.next': ['The `after` of the next page; null on the last one.', null],
    'DataTable.id': ['Number of the table.', 3],
    'DataTable.alias': ['By which addresses name it.', '1_books'],
    'DataTable.columns': ['Its columns, in order.', [COLUMN]],
    'DataTable.records': ['How many records it has.', 1204],
    'TableConsequences.records': ['How many records the table has.', 1204],
    'TableConsequences.seconds': ['About how long the table is locked; 0 for less than a tenth of a second.', 0],
    'TableConsequences.stopsServer': ['The server answers nothing else meanwhile (SQLite).', false],
    'TableConsequences.changes': ['Each change, in the order given.', [CONSEQUENCE]],
    'TableImport.imported': ['Records that were stored.', 1200],
    'TableImport.refused': ['Lines that were skipped.', 1],
    'TableImport.lines': ['The first 200 of them.', [REFUSED]],
    'RefusedTableLine.line': ['Number of the line in the file.', 7],
    'RefusedTableLine.errors': ['What is wrong, by field.', REFUSED.errors],
    'RefusedTableLine.record': ['What the line says, as far as it could be read.', REFUSED.record],
  },
}
