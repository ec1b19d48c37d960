import { invalid } from '../../../platform/errors.ts'
import { readValue, showValue } from '../definition/columns.ts'
import { fieldsOf, listed } from '../definition/names.ts'
import type { Cursor, Field, Sort, Table } from '../types.ts'

/** Orders of records, and places in them. Records without a value come first, in a reversed order last. Pure. */

/** `sortBy` -> order; by id if absent. Throws `invalid` if it is not a field of the table. */
export function parseSort(table: Table, sortBy: string | undefined): Sort {
  const fields = fieldsOf(table)
  const descending = sortBy?.startsWith('-') === true
  const name = descending ? sortBy.slice(1) : (sortBy ?? 'id')
  const field = fields.get(name)
  if (!field) {
    throw invalid({
      sortBy: [`must be a field of the table (${listed([...fields.keys()])}), with a leading - to reverse the order`],
    })
  }
  if (field.type === 'json') throw invalid({ sortBy: [`${field.name} contains JSON, which has no order`] })
  return { field: field.keys ?? field, descending }
}

/** Tells whether the order has cursors. A `text` value may be too long for a cursor in a URL. */
export function hasCursors({ type }: Field): boolean {
  return type !== 'text'
}

const MAX_CURSOR_LENGTH = 8192
const NOT_A_CURSOR = 'is not a cursor from the Next-After of a page'

/** An opaque cursor for the place after a record. It is valid only in the same order. */
export function writeCursor({ field, descending }: Sort, { value, id }: Cursor): string {
  const parts = [orderName(field, descending), showValue(field.type, value), id]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** The place of a cursor in this order. Throws `invalid` for any other text. */
export function readCursor({ field, descending }: Sort, text: string): Cursor {
  // A sort key may have more characters than the text of its column.
  const type = field.keysOf ? 'text' : field.type
  if (!hasCursors(field)) throw invalid({ after: [`cannot be used when sorting by ${field.name}: use page`] })
  const parts = /^[\w-]+$/.test(text) && text.length <= MAX_CURSOR_LENGTH ? partsOf(text) : undefined
  if (!Array.isArray(parts) || parts.length !== 3) throw invalid({ after: [NOT_A_CURSOR] })
  const [name, shown, id] = parts as unknown[]
  if (name !== orderName(field, descending)) throw invalid({ after: ['belongs to a page with another sortBy'] })
  const read = shown === null && field.nullable ? { value: null } : readValue(type, shown)
  if (read.fault !== undefined || !Number.isSafeInteger(id)) {
    throw invalid({ after: [NOT_A_CURSOR] })
  }
  return { value: read.value, id: id as number }
}

/** Keys of another language are other places. */
function orderName({ name, keysOf }: Field, descending: boolean): string {
  const order = keysOf ? `${keysOf.name}:${keysOf.collate}` : name
  return descending ? `-${order}` : order
}

function partsOf(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
