import { readCsv, unguarded } from '../../parts/csv.ts'
import { parseJson } from '../../parts/json-text.ts'

/** Use of a column. `same`: the value of a typed file, as it is. `spread`: an object whose members are attributes. */
export type Becomes = 'id' | 'text' | 'number' | 'boolean' | 'json' | 'same' | 'spread' | ''

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
  /** True when each cell is a value already: JSON lines, and our own export. */
  isTyped?: boolean
}

/** A user as the interface takes them, and the line that names them. */
export interface NamedUser {
  line: number
  userId: string
  attributes: Record<string, unknown>
}

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/
const ID = /^(?:user|customer|external)?[ _-]?id(?:entifier)?$/i
/** Columns that name users where `id` is the number of a device or of a row. */
const USER_ID = /^(?:external_|User\.)?user[ _-]?id$/i
/** Exports of other services by the columns that tell them: they hold push tokens, which a command takes along. */
const EXPORTS: readonly (readonly [columns: RegExp, name: string, command: string])[] = [
  [/^(?:identifier|external_user_id)$/, 'OneSignal', 'onesignal'],
  [/^(?:ChannelType|Address)$/, 'Amazon Pinpoint', 'pinpoint'],
  [/^(?:installationId|deviceToken)$/, 'Parse', 'parse'],
]

/** The service whose export a file is, with the command that imports it whole. */
export function exporterOf({ head }: UserFile): { name: string; command: string } | undefined {
  const found = EXPORTS.find(([columns]) => head.filter((name) => columns.test(name)).length === 2)
  return found && { name: found[1], command: found[2] }
}
/** Columns of our own export that are no attributes. */
const OTHERS = 'other_attributes'
const OWN = ['known', 'created', 'first_active', 'last_active', 'installs', 'subscribed', OTHERS]

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads JSON lines, or CSV with the names of its columns in the first line; one column alone may have no name. Throws an `Error` with a
 * sentence for a file that cannot be meant.
 */
export function readFile(text: string): UserFile {
  return /^\s*\{/.test(text) ? readJsonLines(text) : readTable(text)
}

const MOST_COLUMNS = 200
const MOST_LEVELS = 16

function readTable(text: string): UserFile {
  const records = readCsv(text)
  const first = records[0]?.cells ?? []
  const isNamed = first.length > 1 || ID.test(first[0]?.trim() ?? '')
  if (!isNamed && /[;\t|]/.test(first[0] ?? '')) throw new Error('The columns are not separated by commas.')
  const head = isNamed ? first.map((name) => name.trim()) : ['id']
  const twice = head.find((name, i) => name !== '' && head.indexOf(name) !== i)
  if (twice !== undefined) throw new Error(`The column ${twice} is there twice.`)
  if (head.length > MOST_COLUMNS) throw new Error(`The file has more than ${MOST_COLUMNS} columns.`)
  const deep = head.find((name) => name.split('.').length > MOST_LEVELS)
  if (deep !== undefined) throw new Error(`The column ${cut(deep)} has more than ${MOST_LEVELS} levels.`)
  const isTyped = ['user_id', ...OWN].every((name) => head.includes(name))
  const file: UserFile = { head, rows: [], refused: [], isTyped }
  for (const { line, cells, isOpen } of records.slice(isNamed ? 1 : 0)) {
    const reason = isOpen
      ? 'has a quote that is never closed'
      : cells.length !== head.length
        ? `has ${cells.length} cells, the first line has ${head.length}`
        : cells.some((cell) => cell.includes('\0'))
          ? 'has a NUL character'
          : undefined
    if (reason !== undefined) file.refused.push({ line, userId: '', reason })
    else
      file.rows.push({
        line,
        cells: isTyped ? cells.map((cell, i) => (head[i] === 'user_id' ? unguarded(cell) : exported(cell))) : cells,
      })
  }
  return file
}

/** The value of a cell of our export, as src/domain/imports/users/export-cells.ts of the server writes it. A test holds them equal. */
function exported(cell: string): unknown {
  const text = unguarded(cell)
  if (text !== cell) return text
  if (/^(?:true|false)$/i.test(cell)) return /^t/i.test(cell)
  try {
    return /^(?:["[{]|-?\d)/.test(cell) ? parseJson(cell) : cell || undefined
  } catch {
    return cell
  }
}

function readJsonLines(text: string): UserFile {
  const file: UserFile = { head: [], rows: [], refused: [], isTyped: true }
  const places = new Map<string, number>()
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      const cells: unknown[] = []
      const fields = parseJson(line)
      if (!isObject(fields)) throw new Error('is no object')
      for (const [name, value] of Object.entries(fields)) {
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
export function propose({ head, rows, isTyped }: UserFile): Becomes[] {
  const own = isTyped ? head.indexOf('user_id') : -1
  const named = [USER_ID, ID].map((names) => head.findIndex((name) => names.test(name))).find((at) => at >= 0)
  const id = own < 0 ? (named ?? 0) : own
  return head.map((name, i) => {
    if (i === id) return 'id'
    if (isTyped && name === OTHERS) return 'spread'
    if (name === '' || OWN.includes(name)) return ''
    if (isTyped) return 'same'
    const values = rows.map(({ cells }) => cells[i]).filter((value) => value !== undefined && value !== '')
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
  const isTyped = columns.includes('same') || columns.includes('spread')
  const given = cells[columns.indexOf('id')]
  const text = typeof given === 'string' ? given : Number.isSafeInteger(given) ? String(given) : ''
  const userId = isTyped ? text : unguarded(text).trim()
  const refused = (reason: string): Refused => ({ line, userId, reason })
  if (userId === '' || [...userId].length > 255 || userId.includes('\0') || !userId.isWellFormed())
    return refused('the user id must have 1 to 255 characters')
  if (/^[+-]?\d(?:[.,]\d+e\+?\d{1,3}|e\+\d{1,3})$/i.test(userId))
    return refused('the user id is a number that a spreadsheet has rounded')
  const attributes: Record<string, unknown> = {}
  for (const [i, becomes] of columns.entries()) {
    const cell = cells[i]
    if (becomes === '' || becomes === 'id' || cell === undefined || (cell === '' && becomes !== 'same')) continue
    const value = valueOf(cell, becomes)
    if (value === undefined) return refused(`${head[i]} is no ${KINDS[becomes] ?? becomes}: ${cut(cell as string)}`)
    if (becomes === 'spread') for (const [name, one] of Object.entries(value as object)) place(attributes, [name], one)
    else place(attributes, becomes === 'same' ? [head[i]!] : head[i]!.split('.'), value)
  }
  if (JSON.stringify(attributes).length > MOST_CHARS) return refused('the attributes are too large')
  return { line, userId, attributes }
}

const MOST_CHARS = 250_000
const KINDS: Partial<Record<Becomes, string>> = { boolean: 'true or false', spread: 'object' }

/** The beginning of a long text. */
export const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** The value of a cell; undefined when it is none of this kind. */
function valueOf(cell: unknown, becomes: Becomes): unknown {
  if (becomes === 'spread') return isObject(cell) ? cell : undefined
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
  const found = isObject(inner) ? inner : {}
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
