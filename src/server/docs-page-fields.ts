import type { JsonSchema } from '../platform/parse.ts'

/** One line of a table of fields. */
export interface BodyField {
  /** Dotted path; `[]` stands for each item of a list. */
  name: string
  type: string
  required: boolean
  /** Bounds, default, description. */
  notes: string
}

/** Every field that a JSON Schema names, depth first, the object before its fields. Pure. */
export function fieldsOf(schema: JsonSchema, prefix = ''): BodyField[] {
  if (isSchema(schema.items)) return fieldsOf(schema.items, `${prefix}[]`)
  const required = new Set((schema.required ?? []) as string[])
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([key, field]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`
    const line = { name, type: typeText(field), required: required.has(key), notes: notesOf(field) }
    return [line, ...fieldsOf(field, name)]
  })
}

/** `string or integer`, `list of objects`, `one of a, b`. */
export function typeText(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.map(String).join(', ')}`
  const types = [schema.type ?? 'any'].flat() as string[]
  return types.map((type) => (type === 'array' ? `list${listText(schema)}` : type)).join(' or ')
}

function listText({ items }: JsonSchema): string {
  return isSchema(items) ? ` of ${typeText(items)}` : ''
}

const UNITS: [string, string][] = [
  ['Length', 'characters'],
  ['Items', 'items'],
]

function notesOf(schema: JsonSchema): string {
  const { format, pattern, description, default: value } = schema
  const bound = (keyword: string) => (typeof schema[keyword] === 'number' ? schema[keyword] : undefined)
  const closed = schema.additionalProperties === false && 'no other fields'
  const bounds = UNITS.map(([keyword, unit]) => range(bound(`min${keyword}`), bound(`max${keyword}`), unit))
  const notes = [
    description,
    range(bound('minimum'), bound('maximum'), ''),
    ...bounds,
    format,
    typeof pattern === 'string' && `\`${pattern}\``,
    value !== undefined && `default \`${JSON.stringify(value)}\``,
    closed,
  ]
  return notes.filter((note) => note !== undefined && note !== false && note !== '').join('; ')
}

/** A least length of one goes without saying. */
function range(least: number | undefined, most: number | undefined, unit: string): string {
  const floor = unit !== '' && least === 1 ? undefined : least
  const tail = unit && ` ${unit}`
  if (floor !== undefined && most !== undefined) return `${floor} to ${most}${tail}`
  if (most !== undefined) return `at most ${most}${tail}`
  return floor === undefined ? '' : `at least ${floor}${tail}`
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
