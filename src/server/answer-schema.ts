import { isPlainObject } from '../platform/json.ts'
import { type JsonSchema } from '../platform/parse.ts'

/** Objects that callers fill as they like: what an example of them holds says nothing. */
const FREE = new Set([
  'meta',
  'data',
  'filters',
  'filter',
  'boundsGeoJson',
  'attributes',
  'platforms',
  'frame',
  'defaults',
  'sample',
])

/**
 * The schema of answers that look like these examples: types as they occur, a member of an object required when every example
 * has it. So an example with a null or without a member belongs to them wherever answers can be so. Where one is empty, callers
 * fill the object as they like. Pure.
 */
export function schemaOf(examples: readonly unknown[], name = ''): JsonSchema {
  const types = [...new Set(examples.map(typeOf))]
  const objects = examples.filter(isPlainObject)
  const isFree = FREE.has(name) || objects.some((one) => Object.keys(one).length === 0)
  const items = examples.filter((one) => Array.isArray(one)).flat()
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(objects.length > 0 && !isFree && membersOf(objects)),
    ...(items.length > 0 && { items: schemaOf(items) }),
  }
}

function membersOf(objects: readonly Record<string, unknown>[]): JsonSchema {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))]
  const having = (name: string) => objects.filter((one) => Object.hasOwn(one, name))
  return {
    properties: Object.fromEntries(
      names.map((name) => [
        name,
        schemaOf(
          having(name).map((one) => one[name]),
          name,
        ),
      ]),
    ),
    required: names.filter((name) => having(name).length === objects.length),
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
