import { isAppError } from '../../../platform/errors.ts'
import { isStorable, parseJsonText } from '../../../platform/json/json.ts'
import { guarded, unguarded } from '../../../platform/text/csv-text.ts'

/** The column of the export of users that names them. */
export const EXPORT_ID = 'user_id'
/** The last column of the export: attributes without a column of their own, as JSON. */
export const EXPORT_OTHERS = 'other_attributes'
/** Columns of the export behind the identifier that are no attributes. */
export const EXPORT_FACTS = ['known', 'created', 'first_active', 'last_active', 'installs', 'subscribed'] as const

const OWN: readonly string[] = [EXPORT_ID, ...EXPORT_FACTS, EXPORT_OTHERS]

/** Tells whether a header is one of the export, whose cells say of what kind their values are. Pure. */
export const isExportHeader = (head: readonly string[]): boolean => OWN.every((name) => head.includes(name))

/** Tells whether an attribute of this name can have a column: an import reads a dot as a way inside, and blanks away. Pure. */
export const isColumnName = (name: string): boolean =>
  name !== '' &&
  !name.includes('.') &&
  name.trim() === name &&
  guarded(name) === name &&
  isStorable(name) &&
  !OWN.includes(name)

/** The cell of an attribute that has a column; null where there is nothing to say. Text that would be read as something else is JSON. Pure. */
export function exportedCell(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return readExportedCell(String(value)) === value ? value : value.toExponential()
  if (typeof value !== 'string') return JSON.stringify(value)
  const isPlain = isStorable(value) && (guarded(value) !== value || readExportedCell(value) === value)
  return isPlain ? value : JSON.stringify(value)
}

/** The value of a cell that `exportedCell` made and a writer guarded; undefined for an empty one. Pure. */
export function readExportedCell(cell: string): unknown {
  const text = unguarded(cell)
  if (text !== cell) return text
  const truth = truthOf(cell)
  if (truth !== undefined) return truth
  if (!/^(?:["[{]|-?\d)/.test(cell)) return cell === '' ? undefined : cell
  return jsonOf(cell) ?? cell
}

/** The boolean of a text, in capitals too as programs for tables write it; undefined when it is none. Pure. */
export function truthOf(text: string): boolean | undefined {
  return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined
}

/** The JSON value of a text; undefined when it is none, or has a number that is not kept. Pure. */
export function jsonOf(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    if (isAppError(error)) return undefined
    throw error
  }
}
