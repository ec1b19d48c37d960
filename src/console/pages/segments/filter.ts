import { operatorOf, operatorWords } from '../../parts/operators.ts'
import { fieldOf, isMetric, labelOf, valueKind } from './fields.ts'

/** A filter as the interface has it. */
export type Filter = Record<string, unknown>

/** A row of the builder. Its id names it as long as the page is open. */
export type Row = Condition | Group

export interface Condition {
  id: number
  isNot: boolean
  field: string
  op: string
  value: unknown
  withinDays?: number | undefined
  /** Members that no field of the row shows. */
  others?: Filter
}

export interface Group {
  id: number
  isNot: boolean
  kind: 'and' | 'or'
  rows: readonly Row[]
}

export const isGroup = (row: Row): row is Group => 'rows' in row

/** Depth that the server accepts (docs/segments.md). */
export const MAX_DEPTH = 16

let made = 0
const nextId = () => (made += 1)

export const newCondition = (field = ''): Condition => ({
  id: nextId(),
  isNot: false,
  field,
  op: fieldOf(field)?.ops[0] ?? 'equals',
  value: undefined,
})
export const newGroup = (kind: Group['kind'] = 'and', rows: readonly Row[] = [newCondition()]): Group => ({
  id: nextId(),
  isNot: false,
  kind,
  rows,
})

/** The rows of a filter; the outermost is always a group. Undefined for what is no filter at all. */
export function rowsOf(filter: unknown): Group | undefined {
  const row = rowOf(filter, 1)
  if (row === undefined) return undefined
  return isGroup(row) && !row.isNot ? row : newGroup('and', [row])
}

function rowOf(filter: unknown, depth: number): Row | undefined {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter) || depth > MAX_DEPTH) return undefined
  const given = filter as Filter
  for (const kind of ['and', 'or'] as const) {
    if (!(kind in given)) continue
    const parts = given[kind]
    if (!Array.isArray(parts)) return undefined
    const rows = parts.map((part) => rowOf(part, depth + 1))
    return rows.includes(undefined) ? undefined : newGroup(kind, rows as Row[])
  }
  if ('not' in given) {
    const row = rowOf(given['not'], depth + 1)
    return row && { ...row, isNot: !row.isNot }
  }
  const { field, op = given['operator'], operator: _, value, withinDays: days, ...others } = given
  if (typeof field !== 'string' || typeof op !== 'string') return undefined
  const isAbsent = op === 'isNull' && !('value' in given)
  return {
    id: nextId(),
    isNot: false,
    field,
    op,
    value: isAbsent ? true : value,
    ...(typeof days === 'number' && { withinDays: days }),
    ...(Object.keys(others).length > 0 && { others }),
  }
}

/** The filter of the rows. A group of one row is that row. */
export function filterOf(row: Row): Filter {
  const filter = bareFilterOf(row)
  return row.isNot ? { not: filter } : filter
}

function bareFilterOf(row: Row): Filter {
  if (isGroup(row)) return row.rows.length === 1 ? filterOf(row.rows[0]!) : { [row.kind]: row.rows.map(filterOf) }
  const { field, op, value, withinDays, others } = row
  return {
    field,
    op,
    ...(value !== undefined && { value }),
    ...(withinDays !== undefined && { withinDays }),
    ...others,
  }
}

/** The path of each row in the filter: `and[1].not` -> id of the row. */
function placesOf(row: Row, at = '', places = new Map<string, number>()): Map<string, number> {
  const join = (key: string) => (at === '' ? key : `${at}.${key}`)
  const inner = row.isNot ? join('not') : at
  if (!isGroup(row)) return places.set(inner, row.id)
  if (row.rows.length === 1) return placesOf(row.rows[0]!, inner, places)
  places.set(inner, row.id)
  for (const [i, one] of row.rows.entries()) {
    placesOf(one, inner === '' ? `${row.kind}[${i}]` : `${inner}.${row.kind}[${i}]`, places)
  }
  return places
}

/** Errors of the interface about places of a filter (`filter.and[1].value`), by row. */
export function problemsByRow(row: Group, errors: Readonly<Record<string, string>>): ReadonlyMap<number, string> {
  const places = placesOf(row)
  const found = new Map<number, string>()
  for (const [path, text] of Object.entries(errors)) {
    const whole = path.replace(/^filter\.?/, '')
    const place = [...places.keys()]
      .filter((one) => one === '' || whole === one || (/^[.[]/.test(whole.slice(one.length)) && whole.startsWith(one)))
      .sort((a, b) => b.length - a.length)[0]
    found.set(place === undefined ? row.id : places.get(place)!, text)
  }
  return found
}

/** Tells whether every row has a field and a value. */
export function isComplete(row: Row): boolean {
  if (isGroup(row)) return row.rows.length > 0 && row.rows.every(isComplete)
  if (row.field === '' || row.value === undefined || row.value === null) return false
  return row.value !== '' && !(Array.isArray(row.value) && row.value.length === 0)
}

/** The same rows with one changed, or without it (`undefined`). */
export function changed(group: Group, id: number, change: (row: Row) => Row | undefined): Group {
  return {
    ...group,
    rows: group.rows.flatMap((row) => {
      if (row.id === id) return change(row) ?? []
      return isGroup(row) ? changed(row, id, change) : row
    }),
  }
}

/** A filter as a sentence: “plan is gold and (Last active in the last 7 days or Channel is news)”. */
export function wordsOf(filter: unknown): string {
  const rows = rowsOf(filter)
  return rows === undefined ? 'A filter that only its JSON can show' : sayGroup(rows)
}

function say(row: Row): string {
  const text = isGroup(row) ? (row.rows.length === 1 ? say(row.rows[0]!) : `(${sayGroup(row)})`) : sayCondition(row)
  return row.isNot ? `not ${text}` : text
}

const sayGroup = ({ kind, rows }: Group): string => rows.map(say).join(` ${kind} `)

function sayCondition({ field, op, value, withinDays }: Condition): string {
  const kind = valueKind(field, op)
  const name = labelOf(field)
  const operator = operatorOf(op)
  if (operator === 'exists' || operator === 'isNull' || operator === 'known') {
    const isYes = (value === true) === (operator !== 'isNull')
    if (operator === 'known') return isYes ? 'the user is known' : 'the user is anonymous'
    return `${name} ${isYes ? 'has a value' : 'has no value'}`
  }
  if (kind === 'yesNo') return `${name}: ${value === true ? 'yes' : 'no'}`
  const words = operatorWords(op, fieldOf(field)?.kind === 'date')
  if (kind === 'days') return `${name} ${words} ${textOf(value)} ${value === 1 ? 'day' : 'days'}`
  const shown = Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value)
  const span = isMetric(field) && withinDays !== undefined ? ` in the last ${withinDays} days` : ''
  return `${name} ${words} ${shown}${span}`
}

/** A value as text, whatever the JSON has in its place. */
export function textOf(value: unknown): string {
  if (value === undefined) return '…'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
