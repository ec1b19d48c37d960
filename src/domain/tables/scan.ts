import { type AppError, type FieldErrors, invalid } from '../../platform/errors.ts'
import { behindPrefix } from './filter-sql.ts'
import { listed } from './names.ts'
import type { Cursor, FilterNode, Sort, Table } from './types.ts'

/**
 * What a read of a table costs that no index answers: records that are looked at, times what is asked of each. Pure. An index is
 * of help in two ways: it has the answers themselves in their order, or the few records among which they are.
 */

type Condition = Extract<FilterNode, { kind: 'condition' }>

/** Stepping over an entry of an index costs a tenth of looking at a record. */
export const ENTRIES_PER_LOOK = 10

/** Most sets of conditions whose records are counted to find a small one. */
const MOST_TRIED = 4

/** So many bytes of a text take as long as another look. */
const BYTES_PER_LOOK = 512

type Asked = { sort: Sort; filter?: FilterNode | undefined }

/**
 * What is asked of each record: conditions, and to be put into an order that no index has. `bytes` are those of a text of each field,
 * as many as there are on average.
 */
export function looksPerRecord({ sort, filter }: Asked, bytes: ReadonlyMap<string, number>): number {
  const price = (name: string) => 1 + Math.floor((bytes.get(name) ?? 0) / BYTES_PER_LOOK)
  const conditions = filter ? conditionsOf(filter) : []
  const looks = conditions.reduce((sum, one) => sum + (one.operator === 'in' ? 2 : 1) * price(one.field.name), 0)
  return Math.max(1, looks + (sort.field.indexed ? 0 : price(sort.field.name)))
}

/** The fields that are looked at and may hold long texts. */
export function longFields({ sort, filter }: Asked): string[] {
  const fields = [sort.field, ...(filter ? conditionsOf(filter) : []).map(({ field }) => field)]
  return [...new Set(fields.filter(({ type }) => type === 'text').map(({ name }) => name))]
}

function conditionsOf(node: FilterNode): Condition[] {
  if (node.kind === 'condition') return [node]
  return node.kind === 'not' ? conditionsOf(node.node) : node.nodes.flatMap(conditionsOf)
}

/** Which ends of a stretch of an index a condition sets. Others are of no use there. */
const ENDS: Partial<Record<Condition['operator'], readonly ('lower' | 'upper')[]>> = {
  equals: ['lower', 'upper'],
  startsWith: ['lower', 'upper'],
  greaterThan: ['lower'],
  atLeast: ['lower'],
  lessThan: ['upper'],
  atMost: ['upper'],
}

/** True when an index has the matching records next to each other and in this order, so that nothing else is looked at. */
export function isStretch(filter: FilterNode, { field }: Sort): boolean {
  const conditions = filter.kind === 'and' ? filter.nodes : [filter]
  const ends: string[] = []
  for (const one of conditions) {
    if (one.kind !== 'condition' || !one.field.indexed || one.field.name !== nameOf(conditions[0]!)) return false
    const own = one.isEmpty ? ENDS.equals : ENDS[one.operator]
    if (!own) return false
    ends.push(...own)
  }
  // Of two lower ends SQLite takes one, and steps from there to the other.
  if (new Set(ends).size < ends.length) return false
  const first = conditions[0] as Condition
  const isPoint = first.operator === 'equals' || first.operator === 'exists'
  return field.name === first.field.name || (field.name === 'id' && isPoint)
}

const nameOf = (node: FilterNode) => (node.kind === 'condition' ? node.field.name : undefined)

/**
 * The filter for what is behind a place in the order: an end that lies before the place is met by all of that. SQLite enters an
 * index by one of two such ends, and steps from there to the other.
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

/** As both databases compare values of one field: texts by their code points. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string))
  return Number(a) - Number(b)
}

/**
 * Sets of conditions that an index answers, of which every matching record meets at least one: whoever has a set needs to look
 * only among its records. The most promising first; none when the filter has no such part.
 */
export function candidateSets(node: FilterNode): Condition[][] {
  if (node.kind === 'not') return []
  if (node.kind === 'condition') return isAnswered(node) ? [[node]] : []
  if (node.kind === 'and') {
    const sets = node.nodes.flatMap(candidateSets)
    return sets.sort((a, b) => promise(a) - promise(b)).slice(0, MOST_TRIED)
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

/** Refuses a read that would look at too many records; names what no index answers, and what to do. */
export function tooManyLooks(table: Table, { sort, filter }: Asked, total: number, limit: number): AppError {
  const why = `${total} records would be looked at for that, more than limits.tableScan (${limit}) allows for what is asked of each`
  const remedy = (name: string) =>
    `index the column: appsvc tables alter ${table.appId} ${table.name} --set ${name}:indexed`
  const fields: FieldErrors = {}
  if (!sort.field.indexed) {
    const isLong = sort.field.type === 'text'
    const act = isLong ? 'a text column has no index: sort by another field' : remedy(sort.field.name)
    fields.sortBy = [`${why}; ${act}`]
  }
  if (filter) {
    const conditions = conditionsOf(filter)
    const names = [...new Set(conditions.filter((one) => !one.field.indexed).map(({ field }) => field.name))]
    const [first] = conditions.filter(
      (one) => !one.field.indexed && one.field.type !== 'text' && one.field.type !== 'json',
    )
    const act = first
      ? remedy(first.field.name)
      : 'add a condition on an indexed column that few records meet, or ask fewer at once'
    fields.filter = [`${why}${names.length > 0 ? ` (${listed(names)} without an index)` : ''}; ${act}`]
  }
  return invalid(fields)
}

/** Refuses a page that far down in a filtered list. */
export function tooFarDown(most: number): AppError {
  return invalid({ page: [`must not begin behind ${most} records of a filtered list: go on with after, page by page`] })
}

/** Refuses to count so many. */
export function tooManyToCount(most: number): AppError {
  return invalid({
    count: [`more than ${most} records match, which are not counted: leave it out, or narrow the filter`],
  })
}
