import { defaultOfText } from '../../domain/tables/files/import.ts'
import {
  COLUMN_TYPES,
  type Column,
  type ColumnType,
  type NewColumn,
  type TableChange,
} from '../../domain/tables/types.ts'
import { AppError } from '../../platform/errors.ts'

/** The notation of columns and their changes in flags. */

const COLLATE = 'collate='

export const COLUMN_HELP = `NAME:TYPE[:required][:unique][:indexed][:collate=LANGUAGE][:default=VALUE]; TYPE is ${COLUMN_TYPES.filter((type) => type !== 'reference').join(', ')} or reference=TABLE`

const SETTINGS = ['required', 'unique', 'indexed'] as const
type Setting = (typeof SETTINGS)[number]

/**
 * `title:string:required:default=x`. The default extends to the end of the text and may contain colons. Throws `usage`.
 */
export function parseColumn(text: string): NewColumn {
  const [whole, value] = splitDefault(text)
  const [name = '', kind = '', ...words] = whole.split(':')
  const [type, references] = kind.split('=', 2)
  if (name === '') throw usage(text, 'it must start with a column name', COLUMN_HELP)
  if (!(COLUMN_TYPES as readonly string[]).includes(type!)) {
    throw usage(text, kind === '' ? 'it must name a type' : `there is no type ${JSON.stringify(kind)}`, COLUMN_HELP)
  }
  for (const word of words) {
    if (SETTINGS.includes(word as Setting) || word.startsWith(COLLATE)) continue
    throw usage(text, `${JSON.stringify(word)} is not a setting`, COLUMN_HELP)
  }
  const column = { name, type: type as ColumnType }
  return {
    ...column,
    required: words.includes('required'),
    unique: words.includes('unique'),
    indexed: words.includes('indexed'),
    default: value === undefined ? null : defaultOfText(column, value),
    references: references ?? null,
    ...languageOf(words),
  }
}

function languageOf(words: readonly string[]): { collate?: string } {
  const word = words.find((one) => one.startsWith(COLLATE))
  return word === undefined ? {} : { collate: word.slice(COLLATE.length) }
}

/**
 * `title:required`, `title:collate=de` and `title:default=x` of `--set`, `title:required`, `title:collate` and
 * `title:default` of `--unset`. Throws `usage`.
 */
export function parseSetting(text: string, on: boolean, columns: readonly Column[]): TableChange {
  const [whole, value] = splitDefault(text)
  const [name = '', ...words] = whole.split(':')
  const clears = !on && words.includes('default')
  const collate = on ? languageOf(words).collate : words.includes('collate') ? null : undefined
  const known = words.filter((word): word is Setting => SETTINGS.includes(word as Setting))
  if (
    (value === undefined && words.length === 0) ||
    (value !== undefined && !on) ||
    known.length + Number(clears) + Number(collate !== undefined) < words.length
  ) {
    throw usage(
      text,
      `write NAME:required, NAME:unique, NAME:indexed, NAME:collate${on ? '=LANGUAGE' : ''} or NAME:default${on ? '=VALUE' : ''}`,
    )
  }
  const column = columns.find((one) => one.name === name)
  return {
    do: 'set',
    name,
    ...Object.fromEntries(known.map((setting) => [setting, on])),
    ...(collate !== undefined && { collate }),
    ...(clears && { default: null }),
    ...(value !== undefined && { default: column ? defaultOfText(column, value) : value }),
  }
}

/** `old=new` of `--rename`. Throws `usage`. */
export function parseRename(text: string): TableChange {
  const [name, to, ...more] = text.split('=')
  if (!name || !to || more.length > 0) throw usage(text, 'write OLD=NEW')
  return { do: 'rename', name, to }
}

function splitDefault(text: string): [string, string | undefined] {
  const at = text.indexOf(':default=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + ':default='.length)]
}

function usage(text: string, why: string, form?: string): AppError {
  return new AppError('usage', `${JSON.stringify(text)}: ${why}${form === undefined ? '' : ` (${form})`}`)
}

/** The settings of a column, for a table on the terminal. */
export function settingsOf(column: {
  required: boolean
  unique: boolean
  indexed: boolean
  collate?: string
  isCollating?: boolean
  default: unknown
}): string {
  const words = SETTINGS.filter((setting) => column[setting] && !(setting === 'indexed' && column.unique))
  const collate =
    column.collate === undefined ? [] : [`${COLLATE}${column.collate}${column.isCollating ? ' (begun)' : ''}`]
  return [...words, ...collate, ...(column.default === null ? [] : [`default=${JSON.stringify(column.default)}`])].join(
    ' ',
  )
}
