import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, type JsonColumn, jsonRows, rowsOf } from '../../../platform/db/dialect.ts'
import { sqlName } from '../definition/names.ts'
import { shownField, sqlValue, valueOf } from '../definition/sql-values.ts'
import type { ColumnType, Field, Table } from '../types.ts'

/** A longer text is not read for a look-up: it fits into no message. In bytes. */
const LONGEST = 65_536

/** The types in which values are handed to PostgreSQL. */
const GIVEN: Readonly<Record<ColumnType, JsonColumn>> = {
  string: 'text',
  text: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  datetime: 'text',
  json: 'text',
  reference: 'bigint',
}

export type LookUpsRepository = ReturnType<typeof lookUpsRepository>

/** Single records, found by a value of theirs. Tables: docs/reference/schema.md#data_tables. */
export function lookUpsRepository(sql: Sql) {
  return {
    /**
     * The first record by id with each of these values in the field `by`, which has an index: the values of the fields
     * `wanted`, by the position of the value. One statement, so that all are from the same moment.
     */
    async firstWith(
      table: Table,
      by: Field,
      values: readonly unknown[],
      wanted: readonly Field[],
    ): Promise<Map<number, Record<string, unknown>>> {
      const lines = values.map((value, i) => [i, sqlValue(sql, by.type, value)])
      const given = by.type === 'datetime' && isPostgres(sql) ? 'CAST(given.v AS timestamptz)' : 'given.v'
      const columns = wanted.map((field) => `${shownShort(sql, table, field)} AS "${field.name}"`)
      const name = sqlName(table)
      const found = await sql.raw(
        `WITH given (i, v) AS (${jsonRows(sql, ['bigint', GIVEN[by.type]], lines.length)})
         SELECT ${['given.i AS _position', ...columns].join(', ')} FROM given CROSS JOIN ${name}
         WHERE ${name}.id = (SELECT one.id FROM ${name} AS one WHERE one."${by.name}" = ${given} ORDER BY one.id LIMIT 1)`,
        [JSON.stringify(lines)],
      )
      return new Map(
        rowsOf<Record<string, unknown> & { _position: number }>(found).map(({ _position, ...row }) => [
          _position,
          Object.fromEntries(wanted.map(({ name, type }) => [name, valueOf(type, row[name])])),
        ]),
      )
    },
  }
}

/** A field in a SELECT; null where its text is too long. */
function shownShort(sql: Sql, table: Table, field: Field): string {
  const shown = shownField(sql, table, field)
  if (field.type !== 'text' && field.type !== 'json') return shown
  return `CASE WHEN octet_length(${shown}) <= ${LONGEST} THEN ${shown} END`
}
