import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { dialectOf, isPostgres } from '../../../platform/db/dialect.ts'
import { isTextOperator, ORDER, type TextOperator, textSql } from '../../../platform/filters/operators.ts'
import { sqlValue } from '../definition/sql-values.ts'
import type { Field, FilterNode } from '../types.ts'

/**
 * A checked filter -> a condition for both databases. Names come from the fields of the table, operators from a fixed
 * list, and values are always bound.
 */
export function filterSql(sql: Sql, node: FilterNode): Knex.Raw {
  if (node.kind === 'not') return sql.raw('(?) IS NOT TRUE', [filterSql(sql, node.node)])
  if (node.kind !== 'condition') {
    const parts = node.nodes.map((one) => filterSql(sql, one))
    return sql.raw(`(${parts.map(() => '?').join(node.kind === 'and' ? ' AND ' : ' OR ')})`, parts)
  }
  const { field, operator, values, isEmpty, loose } = node
  // A plus keeps SQLite from using an index for the column. PostgreSQL combines two ends by itself.
  const plain = (end: 'lower' | 'upper') => (loose === end && !isPostgres(sql) ? '+??' : '??')
  const bound = values.map((value) => sqlValue(sql, field.type, value))
  switch (operator) {
    case 'exists':
      return sql.raw(`?? IS ${isEmpty ? '' : 'NOT '}NULL`, [field.name])
    case 'in':
      return sql.raw(`?? IN (${bound.map(() => '?').join(', ')})`, [field.name, ...bound])
    case 'startsWith':
      return startsWith(sql, field, values[0] as string, plain)
    case 'notEquals':
      // Also true of records without a value.
      return sql.raw('?? IS DISTINCT FROM ?', [field.name, bound[0]!])
    case 'equals':
      return sql.raw(`${plain('upper')} = ?`, [field.name, bound[0]!])
    default: {
      if (isTextOperator(operator)) return textCondition(sql, operator, field.name, bound[0]!)
      const sign = ORDER[operator]
      return sql.raw(`${plain(sign.startsWith('>') ? 'lower' : 'upper')} ${sign} ?`, [field.name, bound[0]!])
    }
  }
}

function textCondition(sql: Sql, operator: TextOperator, column: string, text: Knex.Value): Knex.Raw {
  const { between, parts } = textSql(operator, dialectOf(sql))
  const marks = parts.map((part) => (part === 'value' ? '??' : '?'))
  const words = between.map((piece, i) => `${piece}${marks[i] ?? ''}`).join('')
  return sql.raw(
    words,
    parts.map((part) => (part === 'value' ? column : text)),
  )
}

/** A prefix as a range, which an index can answer: both databases order text by code point. */
function startsWith(sql: Sql, { name }: Field, prefix: string, plain: (end: 'lower' | 'upper') => string): Knex.Raw {
  const end = behindPrefix(prefix)
  if (end === undefined) return sql.raw(`${plain('lower')} >= ?`, [name, prefix])
  return sql.raw(`(${plain('lower')} >= ? AND ${plain('upper')} < ?)`, [name, prefix, name, end])
}

/** The first text after all that begin with `prefix`; undefined if there is none. */
export function behindPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!)
  while (points.length > 0) {
    const last = points.pop()!
    if (last === 0x10ffff) continue
    // Surrogates are not characters.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
  }
  return undefined
}
