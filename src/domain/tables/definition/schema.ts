import { invalid, isAppError } from '../../../platform/errors.ts'
import { isPlainObject, jsonProblem, parseJsonBytes } from '../../../platform/json/json.ts'
import {
  checked,
  closedShape,
  documented,
  flag,
  integer,
  list,
  oneOf,
  shape,
  text,
} from '../../../platform/values/parse.ts'
import { COLUMN_TYPES, type NewColumn, type TableChange } from '../types.ts'
import { MAX_COLUMNS } from './names.ts'

/** Any JSON value: the type of the column decides what it may be. */
const anyValue = documented(checked<unknown>(() => ({})).nullable(), {})

const NAME = { max: 255 }
const column = {
  name: text(NAME).required(),
  type: oneOf(COLUMN_TYPES).required(),
  required: flag().default(false),
  unique: flag().default(false),
  indexed: flag().default(false),
  default: anyValue,
  references: documented(text(NAME).nullable(), { description: 'Of the type reference: name of the table' }),
  collate: text({ max: 35 }),
}

/** Body of creating a table. What its columns may be depends on each other, and is checked with them. */
export const createTable = shape({
  name: text(NAME).required(),
  columns: list(closedShape(column).required(), { min: 1, max: MAX_COLUMNS }).required(),
}).required()

const KINDS = ['add', 'drop', 'rename', 'set'] as const
const change = closedShape({
  do: oneOf(KINDS).required(),
  column: closedShape(column),
  name: text(NAME),
  to: text(NAME),
  required: flag(),
  unique: flag(),
  indexed: flag(),
  default: anyValue,
}).required()

/** Body of changing a table. */
export const changeTable = shape({
  changes: list(change, { max: MAX_COLUMNS }).default([]),
  name: documented(text(NAME), { description: 'A new name; the alias changes with it' }),
}).required()

/** Query of what changes would do: the `changes` of the body, as JSON. */
export const foreseeQuery = shape({
  changes: documented(text({ max: 20_000 }).required(), { description: 'The `changes` of the change, as JSON' }),
}).required()

/** Query of the list of tables: `after` is the `next` of the previous page. */
export const tablesPage = shape({ after: text(NAME), limit: integer({ min: 1, max: 200 }).default(50) })

/** Query of an import. */
export const importQuery = shape({
  columns: documented(text({ max: 20_000 }), {
    description:
      'JSON: for each cell of the first line the field that it is, or null to leave it out. Without it the first line names the fields',
  }),
  from: integer({ min: 1 }).default(1),
})

interface GivenColumn {
  name: string
  type: NewColumn['type']
  required?: boolean | undefined
  unique?: boolean | undefined
  indexed?: boolean | undefined
  default?: unknown
  references?: string | null | undefined
  collate?: string | undefined
}

/** A checked column of a body -> a column to create. */
export function newColumn(given: GivenColumn): NewColumn {
  const { name, type, required = false, unique = false, indexed = false, references = null, collate } = given
  return {
    name,
    type,
    required,
    unique,
    indexed,
    default: given.default ?? null,
    references,
    ...(collate !== undefined && { collate }),
  }
}

interface GivenChange extends Omit<GivenColumn, 'name' | 'type' | 'references' | 'collate'> {
  do: (typeof KINDS)[number]
  column?: GivenColumn | undefined
  name?: string | undefined
  to?: string | undefined
}

/** Checked changes of a body -> changes. Throws `invalid` for one that lacks what its kind needs. */
export function tableChanges(given: readonly GivenChange[]): TableChange[] {
  return given.map((one, i): TableChange => {
    const need = <T>(value: T | undefined, name: string): T => {
      if (value === undefined) throw invalid({ [`changes[${i}].${name}`]: [`is required to ${one.do} a column`] })
      return value
    }
    if (one.do === 'add') return { do: 'add', column: newColumn(need(one.column, 'column')) }
    const name = need(one.name, 'name')
    if (one.do === 'drop') return { do: 'drop', name }
    if (one.do === 'rename') return { do: 'rename', name, to: need(one.to, 'to') }
    const { required, unique, indexed } = one
    return {
      do: 'set',
      name,
      ...(required !== undefined && { required }),
      ...(unique !== undefined && { unique }),
      ...(indexed !== undefined && { indexed }),
      ...(one.default !== undefined && { default: one.default }),
    }
  })
}

/** The `columns` of an import. Throws `invalid`. */
export function importColumns(text: string | undefined): (string | null)[] | undefined {
  if (text === undefined) return undefined
  const value = jsonOf(text, 'columns')
  if (Array.isArray(value) && value.every((one) => one === null || typeof one === 'string')) return value
  throw invalid({ columns: ['must be a JSON list of names and null'] })
}

/** The `changes` of a query -> a body to be checked. Throws `invalid`. */
export function changesOfText(text: string): unknown {
  const value = jsonOf(text, 'changes')
  if (Array.isArray(value) && value.every(isPlainObject)) return { changes: value }
  throw invalid({ changes: ['must be a JSON list of changes'] })
}

function jsonOf(text: string, key: string): unknown {
  try {
    return parseJsonBytes(Buffer.from(text))
  } catch (error) {
    if (isAppError(error)) throw invalid({ [key]: [jsonProblem(error) ?? 'is not valid JSON'] })
    throw error
  }
}
