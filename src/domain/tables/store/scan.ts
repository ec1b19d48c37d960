import { AppError, type FieldErrors, invalid } from '../../../platform/errors.ts'
import { fieldsOf } from '../definition/names.ts'
import type { Cursor, Field, FilterNode, Sort, Table } from '../types.ts'
import { behindPrefix } from './filter-sql.ts'

/**
 * The cost of a read that no index answers: the number of records to check, times the checks on each. Pure. An index
 * can help in two ways: it holds the results themselves in the right order, or it narrows the records to check.
 */

type Condition = Extract<FilterNode, { kind: 'condition' }>

/** Maximum number of candidate sets whose records are counted to find a small one. */
const MAX_TRIED = 4

/** Bytes of a text that cost as much as another check. */
const BYTES_PER_CHECK = 512

type Asked = { sort: Sort; filter?: FilterNode | undefined }

/**
 * Number of checks per record: its conditions, and one for sorting without an index. `bytes` holds the average size of
 * the text in each field.
 */
export function checksPerRecord({ sort, filter }: Asked, bytes: ReadonlyMap<string, number>): number {
  const price = (name: string) => 1 + Math.floor((bytes.get(name) ?? 0) / BYTES_PER_CHECK)
  const conditions = filter ? conditionsOf(filter) : []
  const looks = conditions.reduce((sum, one) => sum + (one.operator === 'in' ? 2 : 1) * price(one.field.name), 0)
  return Math.max(1, looks + (sort.field.indexed ? 0 : price(sort.field.name)))
}

/** The fields of the query that may hold long text. */
export function longFields({ sort, filter }: Asked): string[] {
  const fields = [sort.field, ...(filter ? conditionsOf(filter) : []).map(({ field }) => field)]
  return [...new Set(fields.filter(({ type }) => type === 'text').map(({ name }) => name))]
}

/** All conditions of a filter. */
export function conditionsOf(node: FilterNode): Condition[] {
  if (node.kind === 'condition') return [node]
  return node.kind === 'not' ? conditionsOf(node.node) : node.nodes.flatMap(conditionsOf)
}

/** Which ends of an index range an operator sets. Other operators cannot use an index range. */
const ENDS: Partial<Record<Condition['operator'], readonly ('lower' | 'upper')[]>> = {
  equals: ['lower', 'upper'],
  startsWith: ['lower', 'upper'],
  greaterThan: ['lower'],
  atLeast: ['lower'],
  lessThan: ['upper'],
  atMost: ['upper'],
}

/** True if the matching records are one range of an index in this order, so that no other record is checked. */
export function isOneRange(filter: FilterNode, { field }: Sort): boolean {
  const conditions = filter.kind === 'and' ? filter.nodes : [filter]
  const ends: string[] = []
  for (const one of conditions) {
    if (one.kind !== 'condition' || !one.field.indexed || one.field.name !== nameOf(conditions[0]!)) return false
    const own = one.isEmpty ? ENDS.equals : ENDS[one.operator]
    if (!own) return false
    ends.push(...own)
  }
  // Of two lower ends SQLite uses one, and checks the records from there to the other.
  if (new Set(ends).size < ends.length) return false
  const first = conditions[0] as Condition
  const isPoint = first.operator === 'equals' || first.operator === 'exists'
  return field.name === first.field.name || (field.name === 'id' && isPoint)
}

const nameOf = (node: FilterNode) => (node.kind === 'condition' ? node.field.name : undefined)

/**
 * The filter for the records after a place in the order. All of them satisfy an end that lies before the place, so that
 * end is marked as loose: otherwise SQLite might enter the index there, and step from it to the place.
 */
export function behind(node: FilterNode, { field, descending }: Sort, place: Cursor): FilterNode {
  if (node.kind === 'and')
    return { kind: 'and', nodes: node.nodes.map((one) => behind(one, { field, descending }, place)) }
  if (node.kind !== 'condition' || node.field.name !== field.name || place.value === null) return node
  const end = descending ? 'upper' : 'lower'
  if (!ENDS[node.operator]?.includes(end) || node.operator === 'equals') return node
  const [value] = node.values
  const text = node.operator === 'startsWith' && descending ? (behindPrefix(value as string) ?? value) : value
  const order = compare(text, place.value)
  return (descending ? order >= 0 : order <= 0) ? { ...node, loose: end } : node
}

/** Compares values of a field as both databases do: text by code point. */
function compare(a: unknown, b: unknown): number {
  return typeof a === 'string' ? compareText(a, b as string) : Number(a) - Number(b)
}

function compareText(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  for (let i = 0; i < most; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x !== y) return rankOf(x) - rankOf(y)
  }
  return a.length - b.length
}

/** Code points above U+FFFF are written with surrogates, which have lower numbers than the last characters below. */
function rankOf(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800
  return unit >= 0xd800 ? unit + 0x2000 : unit
}

/** Compares two records by their values in the sorted field. Without a value is first; the reverse of all that. */
export function compareInOrder({ descending }: Sort): (a: Cursor, b: Cursor) => number {
  const ascending = (a: Cursor, b: Cursor) => {
    if (a.value === null || b.value === null) return Number(b.value === null) - Number(a.value === null) || a.id - b.id
    return compare(a.value, b.value) || a.id - b.id
  }
  return descending ? (a, b) => ascending(b, a) : ascending
}

/**
 * Divides a filter into what one range of the index in this order answers, and the rest, which is checked on each
 * record of the range.
 */
export function partOfIndex(
  filter: FilterNode | undefined,
  sort: Sort,
): { range: FilterNode | undefined; rest: FilterNode | undefined } {
  if (!filter) return { range: undefined, rest: undefined }
  if (isOneRange(filter, sort)) return { range: filter, rest: undefined }
  const nodes = filter.kind === 'and' ? filter.nodes : [filter]
  const range: FilterNode[] = []
  const rest: FilterNode[] = []
  for (const node of nodes) {
    const fits = node.kind === 'condition' && isOneRange({ kind: 'and', nodes: [...range, node] }, sort)
    if (fits) range.push(node)
    else rest.push(node)
  }
  const all = (parts: FilterNode[]): FilterNode | undefined =>
    parts.length > 0 ? { kind: 'and', nodes: parts } : undefined
  return { range: all(range), rest: all(rest) }
}

/** The order in which all matching records are found soonest: of an index that answers the filter, otherwise of ids. */
export function fastestWalk(
  table: Table,
  filter: FilterNode | undefined,
): { walk: Sort; range: FilterNode | undefined; rest: FilterNode | undefined } {
  const field = filter && conditionsOf(filter)[0]?.field
  if (filter && field?.indexed && isOneRange(filter, { field, descending: false })) {
    return { walk: { field, descending: false }, range: filter, rest: undefined }
  }
  // The records of one value are in the order of their ids.
  const walk = { field: fieldsOf(table).get('id')!, descending: false }
  return { walk, ...partOfIndex(filter, walk) }
}

/**
 * Sets of indexed conditions such that every matching record satisfies at least one condition of the set. To read the
 * list, it is enough to check the records of one set. The most promising set comes first; there are none if the filter
 * has no such part.
 */
export function candidateSets(node: FilterNode): Condition[][] {
  if (node.kind === 'not') return []
  if (node.kind === 'condition') return isAnswered(node) ? [[node]] : []
  if (node.kind === 'and') {
    const sets = node.nodes.flatMap(candidateSets)
    return sets.sort((a, b) => promise(a) - promise(b)).slice(0, MAX_TRIED)
  }
  const sets = node.nodes.map((one) => candidateSets(one)[0])
  return sets.every((set) => set !== undefined) ? [sets.flat()] : []
}

function isAnswered({ field, operator, isEmpty }: Condition): boolean {
  return field.indexed && (operator === 'in' || operator in ENDS || isEmpty === true)
}

const promise = (set: readonly Condition[]) => Math.max(...set.map(({ operator }) => PROMISE.indexOf(operator)))
const PROMISE: Condition['operator'][] = [
  'equals',
  'in',
  'startsWith',
  'exists',
  'greaterThan',
  'atLeast',
  'lessThan',
  'atMost',
]

/**
 * What to do about a read that checks too many records: the fields `sortBy` and `filter` of the query that no index
 * answers, each with the column to index, or what else helps.
 */
function remediesOf(table: Table, { sort, filter }: Asked): FieldErrors {
  const index = (name: string) =>
    `index the column ${name}: appsvc tables alter --app ${table.appId} ${table.name} --set ${name}:indexed`
  const remedies: FieldErrors = {}
  if (!sort.field.indexed) {
    remedies.sortBy = [
      sort.field.type === 'text' ? 'a text column has no index: sort by another field' : index(shownName(sort.field)),
    ]
  }
  const field = filter && conditionsOf(filter).find((one) => isWorthAnIndex(one))?.field
  if (field) remedies.filter = [index(shownName(field))]
  else if (filter && !remedies.sortBy) {
    remedies.filter = ['add a condition on an indexed column that matches few records, or sort by such a column']
  }
  return remedies
}

const shownName = ({ name, keysOf }: Field) => keysOf?.name ?? name

/** Whether an index of its column would answer a condition. None answers `contains` and `notEquals`. */
function isWorthAnIndex({ field, operator, isEmpty }: Condition): boolean {
  if (field.indexed || field.type === 'text' || field.type === 'json') return false
  return operator in ENDS || operator === 'in' || isEmpty === true
}

/** The error of a read whose time is over. It names the column to index. */
export function tookTooLong(
  table: Table,
  asked: Asked,
  { examined, total, seconds }: { examined: number; total: number; seconds: number },
): AppError {
  const remedy = Object.values(remediesOf(table, asked)).flat().join('; ')
  const message = `the query examined about ${Math.min(examined, total)} of ${total} records in ${seconds} s (limits.readSeconds): ${remedy}`
  return new AppError('unavailable', message, { headers: { 'Retry-After': String(RETRY_S) } })
}

/** Repeating such a query helps only after an operator has acted. */
const RETRY_S = 60

/** The error of a list that is too large to sort without an index. */
export function tooManyToSort(table: Table, asked: Asked, most: number): AppError {
  const [remedy] = remediesOf(table, asked).sortBy!
  const why =
    asked.sort.field.type === 'text'
      ? 'the table is too large to sort by it'
      : `a page must not end after more than ${most} records of a list that no index sorts`
  return invalid({ sortBy: [`${why}; ${remedy}`] })
}
