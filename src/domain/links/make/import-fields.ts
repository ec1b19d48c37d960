/** The fields of a row of links, found by name in any spelling, with the names that the file gives its columns. Pure. */

/** A row of the file: texts from CSV, any values from JSON. */
export type Row = Record<string, unknown>

/** A value and the column that has it. */
export interface Found {
  column: string
  value: string
}

/** Fields by a normalized name. */
export interface Fields {
  /** The first non-empty text among these fields. */
  text(...names: string[]): Found | undefined
  /** The value of the first of these fields that has one. */
  any(...names: string[]): { column: string; value: unknown } | undefined
  /** The columns of these fields that the file has, empty ones too. */
  columns(...names: string[]): string[]
  /** Adds fields that are part of a column, unless they are there. */
  add(column: string, values: readonly (readonly [string, string])[]): void
}

/**
 * The fields of a row: `Deep link (link)` as `link`, `Short link` as `shortlink`, `$desktop_url` as `desktopurl`. Where
 * two columns have one name, the first counts.
 */
export function fieldsOf(row: Row): Fields {
  const found = new Map<string, { column: string; value: unknown }>()
  const put = (column: string, key: string, value: unknown) => {
    const before = found.get(key)
    if (before === undefined || isNothing(before.value)) found.set(key, { column, value })
  }
  for (const [column, value] of Object.entries(row)) {
    const inBrackets = /\(([A-Za-z_]+)\)/.exec(column)
    put(column, bare(inBrackets ? inBrackets[1]! : column), value)
  }
  return {
    text(...names) {
      for (const name of names) {
        const { column, value } = found.get(name) ?? {}
        if (typeof value === 'string' && value.trim() !== '') return { column: column!, value: value.trim() }
      }
      return undefined
    },
    any: (...names) => names.map((name) => found.get(name)).find((one) => one !== undefined && !isNothing(one.value)),
    columns: (...names) => names.flatMap((name) => found.get(name)?.column ?? []),
    add(column, values) {
      for (const [name, value] of values) put(`${column} (${name})`, bare(name), value)
    },
  }
}

const isNothing = (value: unknown) => value === undefined || value === null || value === ''

/** A name in small letters and digits. */
export function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The members that have a value. */
export function present(values: Row): Row {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isNothing(value)))
}
