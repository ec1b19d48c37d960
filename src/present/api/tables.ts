import { showValue } from '../../domain/tables/definition/columns.ts'
import { showInstant } from '../../domain/tables/definition/instants.ts'
import type { Table, TableRecord } from '../../domain/tables/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { integer } from '../schema.ts'

/** A record as the data area shows it: its id, the columns of its table in their order, its two times. */
export function presentRecord({ columns }: Table, { id, createdAt, updatedAt, values }: TableRecord) {
  const shown = columns.map((column) => [column.name, showValue(column.type, values.get(column) ?? null)] as const)
  return { id, ...Object.fromEntries(shown), createdAt: showInstant(createdAt), updatedAt: showInstant(updatedAt) }
}

/** A table with its columns, as the command line shows it. */
export function presentTable({ id, appId, name, alias, columns, createdAt, updatedAt }: Table, all: readonly Table[]) {
  const nameOf = (target: number | null) => all.find((one) => one.id === target)?.name ?? null
  return {
    id,
    appId,
    name,
    alias,
    columns: columns.map((column) => ({
      name: column.name,
      type: column.type,
      required: column.required,
      unique: column.unique,
      indexed: column.indexed || column.unique || column.type === 'reference',
      default: column.default,
      references: nameOf(column.references),
      ...(column.collate !== undefined && { collate: column.collate }),
      ...(column.keyedTo !== undefined && { isCollating: true }),
    })),
    createdAt: isoOffset(createdAt),
    updatedAt: isoOffset(updatedAt),
  }
}

/** The columns of a table are its app's own. Times of records have milliseconds where there are any. */
const recordTime = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{3})?\\+0000$',
  $comment: 'UTC, ISO 8601 with the offset written `+0000`.',
}
export const tableRecord = {
  title: 'Record',
  type: 'object',
  properties: { id: integer, createdAt: recordTime, updatedAt: recordTime },
  required: ['id', 'createdAt', 'updatedAt'],
  additionalProperties: true,
}
