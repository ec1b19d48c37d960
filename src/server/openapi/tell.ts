import type { JsonSchema } from '../../platform/values/parse.ts'
import { EXAMPLE, WORDS, type Words } from '../../present/schema.ts'
import { shared } from './shared.ts'
import { FIELDS, SCHEMAS } from './words.ts'

/**
 * Completes schemas for the document, and gives each that has a title its place among the named ones. Answers say
 * themselves what their members mean (`told`), bodies too (`documented`) or by the whole path of each in `words`, where
 * parameters are.
 */
export function createTeller() {
  const named: Record<string, JsonSchema> = {}

  /** `path` is the dotted way from the named schema, or from the body, that the field is in. */
  function tell(schema: JsonSchema, path = ''): JsonSchema {
    const { title } = schema
    if (typeof title !== 'string') return complete(schema, path)
    if (!Object.hasOwn(named, title)) {
      named[title] = {}
      const [description] = SCHEMAS[title] ?? [schema.description]
      named[title] = { ...(description !== undefined && { description }), ...complete(schema, title) }
    }
    return shared('schemas', title)
  }

  function complete(schema: JsonSchema, path: string): JsonSchema {
    // What depends on another field is told in words: few tools read conditions.
    const { if: _if, then: _then, else: _else, [WORDS]: _words, [EXAMPLE]: _example, ...kept } = schema as Parts
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
    const [words] = wordsOf(schema, path) ?? []
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
  const ofTitle = typeof title === 'string' ? SCHEMAS[title]?.[1] : undefined
  for (const example of [wordsOf(schema, path)?.[1], (schema as Parts)[EXAMPLE], ofTitle]) {
    if (example !== undefined) return example
  }
  if (Array.isArray(schema.examples)) return schema.examples[0]
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

/** Finds the words for a field: at the field itself, or else by its whole path. */
function wordsOf(schema: JsonSchema, path: string): Words | undefined {
  return (schema as Parts)[WORDS] ?? FIELDS[path]
}

interface Parts extends JsonSchema {
  [WORDS]?: Words
  [EXAMPLE]?: unknown
  title?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  additionalProperties?: boolean | JsonSchema
}

/** Tells whether nothing inside a schema has an example of its own. */
function isLeaf(schema: JsonSchema): boolean {
  const { title, properties, items, anyOf, additionalProperties } = schema as Parts
  if (title !== undefined || properties || anyOf) return false
  if (isSchema(additionalProperties)) return isLeaf(additionalProperties)
  return items === undefined || isLeaf(items)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
