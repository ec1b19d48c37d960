import type { Answer } from '../../api/client.ts'
import { parseJson } from '../../parts/json-text.ts'
import { TEXT_OPS } from '../../parts/operators.ts'

export type DataTable = Answer<'/admin/v1/apps/{appId}/tables/{tableAlias}'>
export type Column = DataTable['columns'][number]
export type ColumnType = Column['type']
/** A record as the interface has it. */
export type Row = { id: number } & Record<string, unknown>

/** Names of the types of columns for people, with an explanation and a sample. */
export const TYPES: Record<ColumnType, { label: string; about: string; sample: string }> = {
  string: { label: 'Short text', about: 'At most 255 characters; can be indexed', sample: 'Emma' },
  text: { label: 'Long text', about: 'Any length; cannot be indexed', sample: 'A longer text' },
  integer: { label: 'Whole number', about: '42', sample: '42' },
  number: { label: 'Number', about: '4.2', sample: '4.2' },
  boolean: { label: 'Yes or no', about: '', sample: 'true' },
  datetime: { label: 'Time', about: '2026-11-21T09:30:00Z', sample: '2026-11-21T09:30:00Z' },
  json: { label: 'JSON', about: 'Any structure', sample: '{"a": 1}' },
  reference: { label: 'Record of a table', about: 'The id of a record of another table', sample: '17' },
}

/** A value as people write it; empty for none. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Makes a written text the value to send: empty text is null. Throws an Error that says how to write the value. */
export function valueOf(type: ColumnType, text: string): unknown {
  const given = type === 'string' || type === 'text' ? text : text.trim()
  if (given === '') return null
  if (type === 'integer' || type === 'reference') {
    if (!/^-?\d+$/.test(given)) throw new Error('Write a whole number.')
    if (!Number.isSafeInteger(Number(given))) throw new Error(`Write a whole number up to ${Number.MAX_SAFE_INTEGER}.`)
    return Number(given)
  }
  if (type === 'number') {
    const value = Number(given)
    if (!Number.isFinite(value)) throw new Error('Write a number such as 4.2.')
    return value
  }
  if (type === 'boolean') {
    if (given !== 'true' && given !== 'false') throw new Error('Choose yes or no.')
    return given === 'true'
  }
  if (type === 'json') {
    try {
      JSON.parse(given)
    } catch {
      throw new Error('This is not JSON: texts stand in "quotes".')
    }
    return parseJson(given)
  }
  return given
}

/** A condition of the filter that people make. */
export interface Condition {
  field: string
  operator: string
  value: string
}

const ORDERED = ['equals', 'notEquals', 'lessThan', 'atMost', 'greaterThan', 'atLeast', 'exists']
const OPERATORS: Record<ColumnType, readonly string[]> = {
  string: ['equals', 'notEquals', ...TEXT_OPS, 'lessThan', 'greaterThan', 'exists'],
  text: [...TEXT_OPS, 'equals', 'notEquals', 'exists'],
  integer: ORDERED,
  number: ORDERED,
  datetime: ORDERED,
  boolean: ['equals', 'exists'],
  reference: ['equals', 'notEquals', 'exists'],
  json: ['exists'],
}

export const operatorsOf = (type: ColumnType): readonly string[] => OPERATORS[type]

/** Fields by which records can be found: the columns, and those of every record. */
export function fieldsOf({ columns }: DataTable): { name: string; type: ColumnType; indexed: boolean }[] {
  return [
    { name: 'id', type: 'integer', indexed: true },
    ...columns.map(({ name, type, indexed }) => ({ name, type, indexed })),
    { name: 'createdAt', type: 'datetime', indexed: true },
    { name: 'updatedAt', type: 'datetime', indexed: true },
  ]
}

/** Conditions -> `filter` of the interface; undefined for none. Throws an Error that names the field. */
export function filterOf(conditions: readonly Condition[], table: DataTable): string | undefined {
  if (conditions.length === 0) return undefined
  const fields = fieldsOf(table)
  return JSON.stringify(
    conditions.map(({ field, operator, value }) => {
      if (operator === 'exists') return { field, operator, value: value !== 'false' }
      const type = fields.find(({ name }) => name === field)?.type ?? 'string'
      try {
        return { field, operator, value: valueOf(type, value) ?? '' }
      } catch (error) {
        throw new Error(`${field}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
      }
    }),
  )
}

/** Flags of `appsvc tables create` for a column. */
export function columnWords(column: {
  name: string
  type: string
  required: boolean
  unique: boolean
  indexed: boolean
  default?: unknown
  references?: string | null
}): string {
  const kind = column.references ? `reference=${column.references}` : column.type
  const settings = (['required', 'unique', 'indexed'] as const).filter((one) => column[one])
  const value = column.default === null || column.default === undefined ? [] : [`default=${textOf(column.default)}`]
  return [column.name, kind, ...settings, ...value].join(':')
}
