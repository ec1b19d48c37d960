import { type AppError, invalid } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { suggest } from '../../../platform/text/suggest.ts'
import type { Row } from '../types.ts'

/** Columns that `--map` names: by their name, or by a path into objects and lists (`devices.0.token`). Pure. */

/** Columns that an error lists. */
const MAX_LISTED = 50

/**
 * The value of a column: of this name, or else at this path. JSON in the text of a cell is looked into as well.
 * Undefined when there is none.
 */
export function valueAt(row: Row, path: string): unknown {
  return inside(row, path)
}

function inside(value: unknown, path: string): unknown {
  if (typeof value === 'string') return /^\s*[[{]/.test(value) ? inside(parsed(value), path) : undefined
  const holder = Array.isArray(value) ? { ...value } : value
  if (!isPlainObject(holder)) return undefined
  if (Object.hasOwn(holder, path)) return holder[path]
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot)
    const found = Object.hasOwn(holder, name) ? inside(holder[name], path.slice(dot + 1)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The object that a column holds, also as the JSON of a cell. Undefined for anything else. */
export function objectIn(value: unknown): Record<string, unknown> | undefined {
  const whole = typeof value === 'string' && /^\s*\{/.test(value) ? parsed(value) : value
  return isPlainObject(whole) ? whole : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a table with these columns can have a value at the path. */
export function hasColumn(names: readonly string[], path: string): boolean {
  return names.some((name) => path === name || (name !== '' && path.startsWith(`${name}.`)))
}

/** The error for columns that `--map` names and the files do not have. */
export function unknownColumns(missing: readonly string[], names: readonly string[]): AppError {
  const listed = names.slice(0, MAX_LISTED).join(', ')
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : ''
  const meant = missing.length === 1 ? suggest(missing[0]!, names) : undefined
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  return invalid({ '--map': [`names ${missing.join(', ')}${hint}, but the columns are ${listed}${more}`] })
}

/**
 * Watches whether the columns that `--map` names are there. In JSON each row has columns of its own, so only at the end
 * of all files is a column known to be missing.
 */
export function watchColumns(map: ReadonlyMap<string, string>) {
  const unseen = new Set(map.keys())
  const names = new Set<string>()
  return {
    /** The header of a table: its cells may all be empty. */
    header(columns: readonly string[]): void {
      for (const path of unseen) if (hasColumn(columns, path)) unseen.delete(path)
    },
    row(row: Row): void {
      if (unseen.size === 0) return
      for (const path of unseen) if (valueAt(row, path) !== undefined) unseen.delete(path)
      for (const [name, value] of Object.entries(row)) {
        if (names.size > MAX_LISTED) break
        names.add(name)
        // The first level inside, for those who look for a path.
        if (isPlainObject(value)) for (const inner of Object.keys(value).slice(0, 10)) names.add(`${name}.${inner}`)
      }
    },
    /** Throws `invalid` that names the columns which are there. */
    end(): void {
      if (unseen.size > 0) throw unknownColumns([...unseen], [...names])
    },
  }
}

export type ColumnWatch = ReturnType<typeof watchColumns>
