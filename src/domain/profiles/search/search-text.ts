import type { AttributeOp, Understood } from '../types.ts'

/** Signs of a search field; longer ones first. `:` is none: identifiers have it. */
const SIGNS: readonly [sign: string, op: AttributeOp][] = [
  ['!=', 'notEquals'],
  ['>=', 'atLeast'],
  ['<=', 'atMost'],
  ['=', 'equals'],
  ['~', 'contains'],
  ['>', 'greaterThan'],
  ['<', 'lessThan'],
]
const ORDERS: ReadonlySet<AttributeOp> = new Set(['greaterThan', 'atLeast', 'lessThan', 'atMost'])
const WITH_SIGN = /^\s*([^\s=!<>~][^=!<>~]*?)\s*(!=|>=|<=|=|~|>|<)\s*(.+?)\s*$/s

/**
 * Reads a text typed into the search for users: `anna@`, `plan = gold`, `visits >= 12`, `city ~ ber`. Quotes make a
 * text of a number: `zip = "01067"`. Pure.
 */
export function understand(typed: string): Understood {
  const text = typed.trim()
  if (text === '') return { kind: 'everybody' }
  const [, name, sign, given] = WITH_SIGN.exec(text) ?? []
  if (name === undefined || sign === undefined || given === undefined) return { kind: 'name', text }
  const op = SIGNS.find(([one]) => one === sign)![1]
  const value = op === 'contains' ? unquoted(given) : valueOf(given)
  // An order of texts is not what `name > b` is typed for.
  if (ORDERS.has(op) && typeof value === 'boolean') return { kind: 'name', text }
  return { kind: 'attribute', name, op, value }
}

function valueOf(given: string): string | number | boolean {
  if (given === 'true' || given === 'false') return given === 'true'
  return /^-?\d{1,15}(\.\d{1,6})?$/.test(given) ? Number(given) : unquoted(given)
}

const unquoted = (given: string): string => /^"(.*)"$/s.exec(given)?.[1] ?? given
