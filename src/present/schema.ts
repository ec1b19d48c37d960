import type { JsonSchema } from '../platform/values/parse.ts'

/**
 * Builders for the schemas of answers. A schema stands beside the function that makes the answer, and the compiler
 * compares their members. Descriptions and examples of members are in `openapi/words`; a `$comment`, on the form of a
 * value, is added to them.
 */

export const string: JsonSchema = { type: 'string' }
export const integer: JsonSchema = { type: 'integer' }
export const count: JsonSchema = { type: 'integer', minimum: 0 }
export const number: JsonSchema = { type: 'number' }
export const boolean: JsonSchema = { type: 'boolean' }
/** An address. It is what a caller gave, so it may hold characters that RFC 3986 wants escaped. */
export const url: JsonSchema = { type: 'string', format: 'iri-reference' }
/** An object that callers fill as they like. */
export const free: JsonSchema = { type: 'object', additionalProperties: true }
/** An id as a caller wrote it. */
export const givenId: JsonSchema = { type: ['string', 'integer'] }

/** What `isoOffset` writes. It is not RFC 3339, which wants a colon in the offset. */
export const time: JsonSchema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\+0000$',
  $comment: 'UTC, ISO 8601 with the offset written `+0000`.',
}
/** What `plainUtc` writes. */
export const plainTime: JsonSchema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
  $comment: 'UTC, as `YYYY-MM-DD HH:MM:SS`.',
}

/** A member that some answers lack. */
class Optional {
  readonly schema: JsonSchema

  constructor(schema: JsonSchema) {
    this.schema = schema
  }
}

type Members<K extends PropertyKey> = Record<K, JsonSchema | Optional>
type KeysOf<T> = T extends unknown ? keyof T : never
type Presented<F> = F extends (...call: never) => infer T ? KeysOf<NonNullable<T>> : never

export const optional = (schema: JsonSchema): Optional => new Optional(schema)

/**
 * An object with these members and no others that we know of. A title makes it a schema of the document with that
 * name.
 */
export function object(members: Members<string>, title?: string): JsonSchema {
  const entries = Object.entries(members)
  return {
    ...(title !== undefined && { title }),
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, one]) => [name, one instanceof Optional ? one.schema : one])),
    required: entries.filter(([, one]) => !(one instanceof Optional)).map(([name]) => name),
  }
}

/** The schema of what `F` returns: it does not compile unless it has the same members. */
export function answerOf<F>(title: string, members: Members<Presented<F>>): JsonSchema {
  return object(members, title)
}

export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

export function oneOf(values: readonly (string | number)[]): JsonSchema {
  return { type: typeof values[0] === 'string' ? 'string' : 'integer', enum: [...values] }
}

/** Numbers that stand for states: the document names them. */
export function states(named: Readonly<Record<string, number>>): JsonSchema {
  const meanings = Object.entries(named).map(([name, value]) => `${value} ${name}`)
  return { type: 'integer', enum: Object.values(named), $comment: `${meanings.join(', ')}.` }
}

export function nullable(schema: JsonSchema): JsonSchema {
  if (schema.title !== undefined) return { anyOf: [schema, { type: 'null' }] }
  const { type, enum: choices } = schema as { type: string | string[]; enum?: unknown[] }
  return { ...schema, type: [type, 'null'].flat(), ...(choices && { enum: [...choices, null] }) }
}

/** A page of a list; `next` is null on the last one. */
export function pageOf(name: string, item: JsonSchema, next: JsonSchema = integer): JsonSchema {
  return object({ [name]: list(item), next: nullable(next) }, `${String(item.title)}Page`)
}
