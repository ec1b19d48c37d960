import type { Source } from '../types.ts'
import { checkColumns, convertFields, fateOfColumn } from './fields.ts'

/** A table of one's own: CSV with a header, a JSON list or JSON lines, whose columns `--map` names. */
export const csv: Source = {
  name: 'csv',
  label: 'your own table',
  columns: {},
  others: (column, options) => fateOfColumn(column, options),
  wrappers: [],
  checkHeader: checkColumns,
  convert: (row, options) => convertFields(row, options),
}
