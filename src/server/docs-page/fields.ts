import type { JsonSchema } from '../../platform/values/parse.ts'

/** One line of a table of fields. */
export interface BodyField {
  /** Dotted path; `[]` stands for each item of a list. */
  name: string
  type: string
  required: boolean
  /** Bounds, default, description. */
  notes: string
}

/**
 * Every field of a JSON Schema, depth first, an object before its fields. Named schemas are named and not looked
 * into. Pure.
 */
export function fieldsOf(schema: JsonSchema, prefix = ''): BodyField[] {
  if (isSchema(schema.items)) return fieldsOf(schema.items, `${prefix}[]`)
  const required = new Set((schema.required ?? []) as string[])
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([key, field]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`
    const line = { name, type: typeText(field), required: required.has(key), notes: notesOf(field) }
    return [line, ...fieldsOf(field, name)]
  })
}

/** `string or integer`, `list of objects`, `one of a, b`, `User or null`. */
export function typeText(schema: JsonSchema): string {
  if (typeof schema.$ref === 'string') return nameOf(schema.$ref)
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((one) => typeText(one as JsonSchema)).join(' or ')
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.map(String).join(', ')}`
  const types = [schema.type ?? 'any'].flat() as string[]
  return types.map((type) => (type === 'array' ? `list${listText(schema)}` : type)).join(' or ')
}

/** `#/components/schemas/User` -> `User` */
function nameOf(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1)
}

function listText({ items }: JsonSchema): string {
  return isSchema(items) ? ` of ${typeText(items)}` : ''
}

const UNITS: [string, string][] = [
  ['Length', 'characters'],
  ['Items', 'items'],
]

function notesOf(schema: JsonSchema): string {
  const { format, pattern, description, default: value, examples } = schema
  const bound = (keyword: string) => (typeof schema[keyword] === 'number' ? schema[keyword] : undefined)
  const closed = schema.additionalProperties === false && 'no other fields'
  const bounds = UNITS.map(([keyword, unit]) => range(bound(`min${keyword}`), bound(`max${keyword}`), unit))
  const notes = [
    typeof description === 'string' && description.replace(/\.$/, ''),
    range(bound('minimum'), bound('maximum'), ''),
    ...bounds,
    format,
    typeof pattern === 'string' && `\`${pattern}\``,
    value !== undefined && `default \`${JSON.stringify(value)}\``,
    closed,
    Array.isArray(examples) && `for example \`${JSON.stringify(examples[0])}\``,
  ]
  return notes.filter((note) => note !== undefined && note !== false && note !== '').join('; ')
}

/** `1 to 5 items`. A minimum length of one is not mentioned. */
function range(min: number | undefined, max: number | undefined, unit: string): string {
  const floor = unit !== '' && min === 1 ? undefined : min
  const tail = unit && ` ${unit}`
  if (floor !== undefined && max !== undefined) return `${floor} to ${max}${tail}`
  if (max !== undefined) return `at most ${max}${tail}`
  return floor === undefined ? '' : `at least ${floor}${tail}`
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
