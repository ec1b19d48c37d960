import type { JsonSchema } from '../../platform/values/parse.ts'
import { shared } from './shared.ts'
import { FIELDS, SCHEMAS } from './words.ts'

/**
 * Completes schemas for the document: descriptions and examples of fields by their names (`words`), and a place among
 * the document's named schemas for each that has a title.
 */
export function createTeller() {
  const named: Record<string, JsonSchema> = {}

  /** `path` is the dotted way from the named schema, or from the body, that the field is in. */
  function tell(schema: JsonSchema, path = ''): JsonSchema {
    const { title } = schema
    if (typeof title !== 'string') return complete(schema, path)
    if (!Object.hasOwn(named, title)) {
      named[title] = {}
      const [description] = SCHEMAS[title] ?? []
      named[title] = { ...(description && { description }), ...complete(schema, title) }
    }
    return shared('schemas', title)
  }

  function complete(schema: JsonSchema, path: string): JsonSchema {
    // What depends on another field is told in words: few tools read conditions.
    const { if: _if, then: _then, else: _else, ...kept } = schema
    const { properties, items, anyOf, additionalProperties } = schema as Parts
    const isFree = [schema.type].flat().includes('object') && !properties && additionalProperties === undefined
    return {
      ...kept,
      ...(isFree && { additionalProperties: true }),
      ...(isSchema(additionalProperties) && { additionalProperties: tell(additionalProperties, path) }),
      ...(items && { items: tell(items, path) }),
      ...(anyOf && { anyOf: anyOf.map((one) => tell(one, path)) }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, one]) => [name, tellField(one, `${path}.${name}`)]),
        ),
      }),
    }
  }

  /** A field with its words; `path` ends with its name. */
  function tellField(schema: JsonSchema, path: string): JsonSchema {
    const [words] = wordsOf(path) ?? []
    const told = tell(schema, path)
    const { $comment, ...kept } = told
    // A domain's own words are for fields that have none here, and for what every address must be.
    const own = words && told.format !== 'uri' ? undefined : told.description
    const description = [words, own, $comment].filter(Boolean).map(sentenceOf).join(' ')
    return {
      ...kept,
      ...(description && { description }),
      ...(isLeaf(schema) && { examples: [exampleOf(schema, path)] }),
    }
  }

  return { tell, tellField, named }
}

/** An example of what a schema takes: of an object, the members that are always there. */
export function exampleOf(schema: JsonSchema, path = ''): unknown {
  const { title, properties, required = [], items, anyOf } = schema as Parts
  if (Object.hasOwn(schema, 'const')) return schema.const
  const at = typeof title === 'string' ? title : path
  // Null is an example too.
  for (const words of [wordsOf(path), typeof title === 'string' ? SCHEMAS[title] : undefined]) {
    if (words?.[1] !== undefined) return words[1]
  }
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (anyOf) return exampleOf(anyOf[0]!, at)
  if (properties) {
    return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name]!, `${at}.${name}`)]))
  }
  if (items) return [exampleOf(items, at)]
  const [type] = [schema.type].flat()
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (type === 'object') return {}
  return undefined
}

/** Domains write rules without a full stop. */
function sentenceOf(text: unknown): string {
  return String(text).replace(/[^.]$/, '$&.')
}

/** What is said of a field: the entry of the longest end of its path. */
function wordsOf(path: string): (typeof FIELDS)[string] | undefined {
  const names = path.split('.')
  for (let from = 0; from < names.length; from++) {
    const key = names.slice(from).join('.')
    if (Object.hasOwn(FIELDS, key)) return FIELDS[key]
  }
  return undefined
}

interface Parts {
  title?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  additionalProperties?: boolean | JsonSchema
}

/** Whether nothing inside has an example of its own. */
function isLeaf(schema: JsonSchema): boolean {
  const { title, properties, items, anyOf, additionalProperties } = schema as Parts
  if (title !== undefined || properties || anyOf) return false
  if (isSchema(additionalProperties)) return isLeaf(additionalProperties)
  return items === undefined || isLeaf(items)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
