import { AppError, type FieldErrors, invalid } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { countProblem, isRoundedNumber, ROUNDED_RULE, readCsvRows, readHeader } from '../../../platform/text/csv.ts'
import { unguarded } from '../../../platform/text/csv-text.ts'
import type { UserRow } from '../../crm/adoption/user-rows.ts'
import {
  EXPORT_FACTS,
  EXPORT_ID,
  EXPORT_OTHERS,
  isExportHeader,
  jsonOf,
  readExportedCell,
  truthOf,
} from './export-cells.ts'

/** Forms of attributes in a column of CSV. */
const COLUMN_FORMS = ['text', 'number', 'boolean', 'json', 'skip'] as const
export type ColumnForm = (typeof COLUMN_FORMS)[number]

/** A line of a file of users: the user, or the reason why there is none. */
export type UserLine = { line: number; row: UserRow; fault?: undefined } | { line: number; fault: string }

export interface UserFileRules {
  /** The column or member with the identifier. Without it, the first one that is called like one. */
  id?: string | undefined
  /** Forms of columns by name; the others are text. */
  forms: ReadonlyMap<string, ColumnForm>
}

const MAX_RECORD_LENGTH = 1024 * 1024
const ID = /^(?:user|customer|external)?[ _-]?id(?:entifier)?$/i
/** Columns of the export of users that are no attributes of theirs. */
const OWN: ReadonlySet<string> = new Set([...EXPORT_FACTS, EXPORT_OTHERS])
/** Levels that a name with dots may have: JSON is not read beyond 64. */
const MAX_LEVELS = 16
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/

/** Reads `COLUMN=FORM` given on a command line. Throws `usage`. */
export function readForms(given: readonly string[]): Map<string, ColumnForm> {
  return new Map(
    given.map((text) => {
      const at = text.lastIndexOf('=')
      const form = COLUMN_FORMS.find((one) => one === text.slice(at + 1))
      if (at < 1 || !form)
        throw new AppError('usage', `--column ${text}: give COLUMN=${COLUMN_FORMS.join('|')}, such as visits=number`)
      return [text.slice(0, at), form] as const
    }),
  )
}

/** The columns of a file. */
interface Head {
  names: readonly string[]
  /** Index of the column with the identifier. */
  at: number
  forms: UserFileRules['forms']
  /** True for an export of this server. */
  isExport: boolean
}

/** Users of a CSV file with the names of its columns in the first line. Throws `invalid` when a named column is not there. */
export async function* readUsersCsv(
  chunks: AsyncIterable<Uint8Array>,
  { id, forms }: UserFileRules,
): AsyncGenerator<UserLine> {
  let head: Head | undefined
  for await (const record of readCsvRows(chunks, { longest: MAX_RECORD_LENGTH })) {
    const { line, cells } = record
    if (!head) {
      const names = readHeader(record)
      head = { names, at: idColumn(names, id), forms, isExport: isExportHeader(names) }
      checkNamed(names, forms)
      continue
    }
    const fault = record.fault ?? countProblem(record, head.names.length)
    const texts = cells.map(({ text }) => text)
    yield fault === undefined ? userOfCells(line, texts, head) : { line, fault }
  }
  if (!head) throw new AppError('bad_request', 'the file is empty: its first line names the columns')
}

function idColumn(head: readonly string[], given: string | undefined): number {
  const id = given ?? (isExportHeader(head) ? EXPORT_ID : undefined)
  const at = id === undefined ? head.findIndex((name) => ID.test(name)) : head.indexOf(id)
  if (at >= 0) return at
  throw invalid({
    file: [id === undefined ? 'has no column that is called user_id or id: name one with --id' : `has no column ${id}`],
  })
}

function checkNamed(head: readonly string[], forms: UserFileRules['forms']): void {
  const missing = [...forms.keys()].find((name) => !head.includes(name))
  if (missing !== undefined) throw invalid({ file: [`has no column ${JSON.stringify(missing)}, which --column names`] })
  const deep = head.find((name) => name.split('.', MAX_LEVELS + 1).length > MAX_LEVELS)
  if (deep !== undefined)
    throw invalid({ file: [`has a column ${deep.slice(0, 40)}… of more than ${MAX_LEVELS} levels: use fewer dots`] })
}

function userOfCells(line: number, cells: readonly string[], { names, at, forms, isExport }: Head): UserLine {
  const given = unguarded(cells[at]!)
  const userId = isExport ? given : given.trim()
  if (isRoundedNumber(userId)) return { line, fault: `user id ${ROUNDED_RULE}` }
  const attributes: Record<string, unknown> = {}
  let isDeep = false
  for (const [i, cell] of cells.entries()) {
    const name = names[i]!
    const form = forms.get(name)
    if (i === at || cell === '') continue
    if (isExport && form === undefined && name === EXPORT_OTHERS) {
      const others = valueOf(cell, 'json')
      if (!isPlainObject(others)) return { line, fault: `${name} is no JSON object` }
      for (const [other, value] of Object.entries(others)) place(attributes, [other], value)
      continue
    }
    const read = form ?? (OWN.has(name) || name === '' ? 'skip' : isExport ? readExportedCell : 'text')
    if (read === 'skip') continue
    const value = typeof read === 'string' ? valueOf(cell, read) : read(cell)
    if (value === undefined) return { line, fault: `${name} is no ${form === 'boolean' ? 'true or false' : form}` }
    isDeep ||= form === 'json' && name.includes('.')
    place(attributes, isExport && form === undefined ? [name] : name.split('.'), value)
  }
  // A name with dots may bring a JSON that was allowed beyond what is.
  if (isDeep && valueOf(JSON.stringify(attributes), 'json') === undefined) return { line, fault: 'is nested too deep' }
  return { line, row: { userId, attributes } }
}

/** The value of a cell; undefined when it is none of this form. */
function valueOf(cell: string, form: ColumnForm): unknown {
  if (form === 'text') return unguarded(cell)
  const text = cell.trim()
  if (form === 'number') return NUMBER.test(text) ? Number(text) : undefined
  return form === 'boolean' ? truthOf(text) : jsonOf(text)
}

/** Stores `address.city` within `address`. `__proto__` is a name like any other. */
function place(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path as [string, ...string[]]
  const set = (one: unknown) =>
    void Object.defineProperty(into, name, { value: one, enumerable: true, configurable: true, writable: true })
  if (rest.length === 0) return set(value)
  const inner = Object.hasOwn(into, name) && isPlainObject(into[name]) ? into[name] : {}
  set(inner)
  place(inner, rest, value)
}

/** A line of JSON lines as it was read. */
type JsonLine =
  | { line: number; fields: Record<string, unknown>; fault?: undefined }
  | { line: number; fault: FieldErrors }

/** Users of JSON lines: the member with the identifier, and the attributes beside it. */
export async function* readUsersJson(lines: AsyncIterable<JsonLine>, { id }: UserFileRules): AsyncGenerator<UserLine> {
  for await (const read of lines) {
    const { line } = read
    if (read.fault) yield { line, fault: Object.values(read.fault).flat().join(', ') }
    else {
      const name = id ?? Object.keys(read.fields).find((key) => ID.test(key))
      const given = name === undefined ? undefined : read.fields[name]
      const { [name ?? '']: _, ...attributes } = read.fields
      yield typeof given === 'string' || Number.isSafeInteger(given)
        ? { line, row: { userId: String(given), attributes } }
        : { line, fault: `has no user id${id === undefined ? ': name its member with --id' : ` in ${id}`}` }
    }
  }
}
