import { readCsv, unguarded } from '../../parts/csv.ts'
import { parseJson } from '../../parts/json-text.ts'

/** Use of a column. `same`: the value of JSON lines, as it is. */
export type Becomes = 'id' | 'text' | 'number' | 'boolean' | 'json' | 'same' | ''

/** A line of a file; a cell is undefined where the line has none. */
export interface FileRow {
  line: number
  cells: readonly unknown[]
}

/** A line that is not stored. */
export interface Refused {
  line: number
  userId: string
  reason: string
}

/** A file as it was read: columns, lines, and lines that could not be read. */
export interface UserFile {
  head: string[]
  rows: FileRow[]
  refused: Refused[]
}

/** A user as the interface takes them, and the line that names them. */
export interface NamedUser {
  line: number
  userId: string
  attributes: Record<string, unknown>
}

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/
const ID = /^(?:user|customer|external)?[ _-]?id(?:entifier)?$/i
/** Columns of our own export that are no attributes. */
const OWN = ['known', 'created', 'first_active', 'last_active', 'installs', 'subscribed', 'other_attributes']

/** Reads JSON lines, or CSV with the names of its columns in the first line; one column alone may have no name. */
export function readFile(text: string): UserFile {
  return /^\uFEFF?\s*\{/.test(text) ? readJsonLines(text) : readTable(text)
}

function readTable(text: string): UserFile {
  const records = readCsv(text)
  const first = records[0]?.cells ?? []
  const isNamed = first.length > 1 || ID.test(first[0]?.trim() ?? '')
  const head = isNamed ? first.map((name) => name.trim()) : ['id']
  const file: UserFile = { head, rows: [], refused: [] }
  for (const record of records.slice(isNamed ? 1 : 0)) {
    const { line, cells } = record
    if (cells.length === head.length) file.rows.push(record)
    else file.refused.push({ line, userId: '', reason: `has ${cells.length} cells, the first line has ${head.length}` })
  }
  return file
}

function readJsonLines(text: string): UserFile {
  const file: UserFile = { head: [], rows: [], refused: [] }
  const places = new Map<string, number>()
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    try {
      const cells: unknown[] = []
      for (const [name, value] of Object.entries(parseJson(line) as object)) {
        if (!places.has(name)) places.set(name, file.head.push(name) - 1)
        cells[places.get(name)!] = value
      }
      file.rows.push({ line: i + 1, cells })
    } catch (error) {
      file.refused.push({ line: i + 1, userId: '', reason: (error as Error).message })
    }
  }
  return file
}

/** A first proposal for each column, by its name and all of its values. */
export function propose({ head, rows }: UserFile): Becomes[] {
  const id = Math.max(
    0,
    head.findIndex((name) => ID.test(name)),
  )
  return head.map((name, i) => {
    if (i === id) return 'id'
    if (name === '' || OWN.includes(name)) return ''
    const values = rows.map(({ cells }) => cells[i]).filter((value) => value !== undefined && value !== '')
    if (values.some((value) => typeof value !== 'string')) return 'same'
    const all = (pattern: RegExp) => values.length > 0 && values.every((value) => pattern.test(value as string))
    return all(NUMBER) ? 'number' : all(/^(?:true|false)$/) ? 'boolean' : all(/^[[{]/) ? 'json' : 'text'
  })
}

/** The user of a line, or the reason why it has none. An empty cell leaves the attribute as it is. */
export function userOf(
  { line, cells }: FileRow,
  head: readonly string[],
  columns: readonly Becomes[],
): NamedUser | Refused {
  const given = cells[columns.indexOf('id')]
  const userId = typeof given === 'string' ? unguarded(given).trim() : given === undefined ? '' : JSON.stringify(given)
  const refused = (reason: string): Refused => ({ line, userId, reason })
  if (userId === '' || [...userId].length > 255) return refused('the user id must have 1 to 255 characters')
  if (/^\d([.,]\d+)?e\+\d+$/i.test(userId)) return refused('the user id is a number that a spreadsheet has rounded')
  const attributes: Record<string, unknown> = {}
  for (const [i, becomes] of columns.entries()) {
    const cell = cells[i]
    if (becomes === '' || becomes === 'id' || cell === undefined || cell === '') continue
    const value = valueOf(cell, becomes)
    if (value === undefined)
      return refused(`${head[i]} is no ${becomes === 'boolean' ? 'true or false' : becomes}: ${cell as string}`)
    place(attributes, head[i]!.split('.'), value)
  }
  return { line, userId, attributes }
}

/** The value of a cell; undefined when it is none of this kind. */
function valueOf(cell: unknown, becomes: Becomes): unknown {
  if (becomes === 'same' || typeof cell !== 'string') return cell
  if (becomes === 'number') return NUMBER.test(cell.trim()) ? Number(cell) : undefined
  if (becomes === 'boolean') return /^(true|false)$/i.test(cell.trim()) ? /^t/i.test(cell.trim()) : undefined
  if (becomes === 'text') return unguarded(cell)
  try {
    return parseJson(cell)
  } catch {
    return undefined
  }
}

/** Stores `address.city` within `address`. */
function place(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path as [string, ...string[]]
  // `__proto__` is a name like any other.
  const set = (one: unknown) =>
    void Object.defineProperty(into, name, { value: one, enumerable: true, configurable: true, writable: true })
  if (rest.length === 0) return set(value)
  const inner = Object.hasOwn(into, name) ? into[name] : undefined
  const found = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {}
  set(found)
  place(found, rest, value)
}

const SLICE_ROWS = 500
const SLICE_CHARS = 200_000

/** Users in slices that a request takes. */
export function slicesOf(users: readonly NamedUser[]): NamedUser[][] {
  const slices: NamedUser[][] = [[]]
  let size = 0
  for (const user of users) {
    const more = JSON.stringify(user).length
    if (slices.at(-1)!.length === SLICE_ROWS || size + more > SLICE_CHARS) {
      slices.push([])
      size = 0
    }
    slices.at(-1)!.push(user)
    size += more
  }
  return slices.filter((slice) => slice.length > 0)
}
