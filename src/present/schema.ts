import { isoOffset, plainUtc } from '../platform/time/clock.ts'
import type { JsonSchema } from '../platform/values/parse.ts'

/**
 * Builders for the schemas of answers. A schema stands beside the function that makes the answer, and the compiler compares
 * their members. The meaning of a member and an example stand with it (`told`); the `$comment` of a form is added to its
 * description.
 */

/** Meaning of a field, in sentences, and an example. An example that follows from the form may be left out. */
export type Words = readonly [says: string, example?: unknown]

/** The words of a member; beside the description that a named schema has itself. */
export const WORDS = Symbol('words')
/** Key of the function that turns a value without a form in JSON, such as a time in milliseconds, into JSON. */
const JSON_OF = Symbol('json of')
/** An example of a named schema, where those of its members do not make a good one. */
export const EXAMPLE = Symbol('example')

/** A schema with the way in which a value becomes what it describes. */
export interface Form<Value, Json> extends JsonSchema {
  [JSON_OF]: (value: Value) => Json
}

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

/** Text that `isoOffset` writes. RFC 3339 would want a colon in the offset, so `date-time` is not its format. */
export const time: Form<number, string> = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\+0000$',
  $comment: 'UTC, ISO 8601 with the offset written `+0000`.',
  [JSON_OF]: isoOffset,
}
/** Text that `plainUtc` writes. */
export const plainTime: Form<number, string> = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
  $comment: 'UTC, as `YYYY-MM-DD HH:MM:SS`.',
  [JSON_OF]: plainUtc,
}

/** A member that is read in another way than from the property of its name. */
export class Read<Source, Json> {
  readonly form: JsonSchema
  readonly read: (source: Source) => unknown
  declare readonly json: Json

  constructor(form: JsonSchema, read: (source: Source) => unknown) {
    this.form = form
    this.read = read
  }
}

/** A member that some answers lack. */
export class Optional<M = JsonSchema | Read<never, unknown>> {
  readonly member: M

  constructor(member: M) {
    this.member = member
  }
}

type Member<Source> = JsonSchema | Read<Source, unknown> | Optional<JsonSchema | Read<Source, unknown>>
type Members<K extends PropertyKey> = Record<K, Member<never>>
type KeysOf<T> = T extends unknown ? keyof T : never
type Presented<F> = F extends (...call: never) => infer T ? KeysOf<NonNullable<T>> : never

/** A member that is absent where its value is undefined. */
export const optional = <M extends JsonSchema | Read<never, unknown>>(member: M): Optional<M> => new Optional(member)

type Example = string | number | boolean | null | readonly unknown[] | { readonly [key: string]: unknown }

/**
 * A member: its form, what it means and an example. Schemas share a sentence by sharing `Words`, to which one may add an
 * example of its own. With a function at the end it is not the property of its name, but what the function reads; the
 * form makes JSON of that.
 */
export function told<F extends JsonSchema>(form: F, words: string | Words, example?: Example): F
export function told<Source, Value, Json>(
  form: Form<Value, Json>,
  words: string | Words,
  ...rest: ReadBy<Source, NoInfer<Value> | undefined>
): Read<Source, Json>
export function told<Source, Value>(
  form: JsonSchema & { [JSON_OF]?: never },
  words: string | Words,
  ...rest: ReadBy<Source, Value>
): Read<Source, Value>
export function told(form: JsonSchema, words: string | Words, ...rest: unknown[]): JsonSchema | Read<never, unknown> {
  const [says, usual] = typeof words === 'string' ? [words] : words
  const read = rest.at(-1)
  const [example = usual] = typeof read === 'function' ? rest.slice(0, -1) : rest
  const member = { ...form, [WORDS]: [says, example] satisfies Words }
  return typeof read === 'function' ? new Read(member, read as (source: never) => unknown) : member
}

type ReadBy<Source, Value> = [read: (source: Source) => Value] | [example: Example, read: (source: Source) => Value]

/** The same members, where what they are read from is part of something larger. */
export function within<Source, Inner, M extends Record<string, Member<never>>>(
  inner: (source: Source) => Inner,
  members: M,
): {
  [K in keyof M]: M[K] extends Optional
    ? Optional<Read<Source, JsonOf<Inner, K, M[K]>>>
    : Read<Source, JsonOf<Inner, K, M[K]>>
} {
  const moved = Object.entries(members).map(([name, member]) => {
    const { form, read, isOptional } = partsOf(member)
    const one = new Read(form, (source: Source) => {
      const from = inner(source)
      return read ? read(from as never) : (from as Record<string, unknown>)[name]
    })
    return [name, isOptional ? new Optional(one) : one]
  })
  return Object.fromEntries(moved) as never
}

/**
 * A named schema of the document: an object with these members and no others that we know of. An example is only needed
 * where those of the members do not make a good one.
 */
export function object(title: string, says: string, members: Members<string>, ...examples: unknown[]): JsonSchema {
  const entries = Object.entries(members)
  return {
    title,
    description: says,
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, one]) => [name, partsOf(one).form])),
    required: entries.filter(([, one]) => !partsOf(one).isOptional).map(([name]) => name),
    ...(examples.length > 0 && { [EXAMPLE]: examples[0] }),
  }
}

/** The same with the function that makes it of a `Source`. */
interface Answer<Source, Json> extends Form<Source, Json> {
  present: (source: Source) => Json
}

type Inner<M> = M extends Optional<infer N> ? N : M
type JsonOf<Source, K, M> =
  Inner<M> extends Read<never, infer Json>
    ? Json
    : Inner<M> extends Form<never, infer Json>
      ? Json
      : K extends keyof Source
        ? Source[K]
        : never
/** The names of members that cannot be made of a `Source`. */
type Unreadable<Source, M> = {
  [K in keyof M]: Inner<M[K]> extends Read<infer From, unknown>
    ? Source extends From
      ? never
      : K
    : K extends keyof Source
      ? Inner<M[K]> extends Form<infer Value, unknown>
        ? Exclude<Source[K], undefined> extends Value
          ? never
          : K
        : never
      : K
}[keyof M]
type JsonWith<Source, M> = {
  [K in keyof M as M[K] extends Optional ? never : K]: JsonOf<Source, K, M[K]>
} & { [K in keyof M as M[K] extends Optional ? K : never]?: Exclude<JsonOf<Source, K, M[K]>, undefined> }
type Flat<T> = { [K in keyof T]: T[K] }

/**
 * The answer that is made of a `Source`, in one declaration: names and forms of its members, what they mean, and how they
 * are read. A member without a function is the property of its name. Where the source has no such property, or one that the
 * form cannot make JSON of, `present` takes nothing but the name of that member, so that whoever calls it does not compile.
 */
export function answer<Source>() {
  return <M extends Record<string, Member<Source>>>(
    title: string,
    says: string,
    members: M,
    ...examples: unknown[]
  ) => {
    const present = presenterOf(members)
    const schema = { ...object(title, says, members, ...examples), [JSON_OF]: present }
    // No keyword of the schema.
    return Object.defineProperty(schema, 'present', { value: present }) as unknown as Answer<
      [Unreadable<Source, M>] extends [never] ? Source : Unreadable<Source, M>,
      Flat<JsonWith<Source, M>>
    >
  }
}

/**
 * A function as one would write it by hand, `(source) => ({ id: source.id, … })`: in a loop over names, engines would make
 * a dictionary of every answer, which takes several times as long.
 */
function presenterOf(members: Members<string>): (source: never) => unknown {
  const calls: unknown[] = []
  const call = (of: unknown, argument: string) => `of[${calls.push(of) - 1}](${argument})`
  const lines = Object.entries(members).map(([name, member]) => {
    const key = JSON.stringify(name)
    const { form, read, isOptional } = partsOf(member)
    const raw = read ? call(read, 'source') : `source[${key}]`
    const toJson = (form as Partial<Form<never, unknown>>)[JSON_OF]
    const json = (value: string) => (toJson ? call(toJson, value) : value)
    if (!isOptional) return `json[${key}] = ${json(raw)}`
    return `value = ${raw}; if (value !== undefined) json[${key}] = ${json('value')}`
  })
  const body = `return (source) => { let value; const json = {}; ${lines.join('; ')}; return json }`
  // oxlint-disable-next-line typescript/no-implied-eval -- made of the names of members alone
  return new Function('of', body)(calls) as (source: never) => unknown
}

function partsOf(member: Member<never>): {
  form: JsonSchema
  read?: Read<never, unknown>['read']
  isOptional: boolean
} {
  const isOptional = member instanceof Optional
  const inner = isOptional ? member.member : member
  return inner instanceof Read ? { form: inner.form, read: inner.read, isOptional } : { form: inner, isOptional }
}

/** The schema of what `F` returns: it does not compile unless it has the same members. */
export function answerOf<F>(
  title: string,
  says: string,
  members: Members<Presented<F>>,
  ...examples: unknown[]
): JsonSchema {
  return object(title, says, members, ...examples)
}

export function list<Value, Json>(items: Form<Value, Json>): Form<readonly Value[], Json[]>
export function list(items: JsonSchema): JsonSchema
export function list(items: JsonSchema & Partial<Form<unknown, unknown>>): JsonSchema {
  const { [JSON_OF]: toJson } = items
  return { type: 'array', items, ...(toJson && { [JSON_OF]: (all: unknown[]) => all.map((one) => toJson(one)) }) }
}

export function oneOf(values: readonly (string | number)[]): JsonSchema {
  return { type: typeof values[0] === 'string' ? 'string' : 'integer', enum: [...values] }
}

/** Numbers that stand for states: the document names them. */
export function states(named: Readonly<Record<string, number>>): JsonSchema {
  const meanings = Object.entries(named).map(([name, value]) => `${value} ${name}`)
  return { type: 'integer', enum: Object.values(named), $comment: `${meanings.join(', ')}.` }
}

export function nullable<Value, Json>(schema: Form<Value, Json>): Form<Value | null, Json | null>
export function nullable(schema: JsonSchema): JsonSchema
export function nullable(schema: JsonSchema & Partial<Form<unknown, unknown>>): JsonSchema {
  const { [JSON_OF]: toJson } = schema
  // Content of stored messages has some of these not at all.
  const orNull = toJson && {
    [JSON_OF]: (value: unknown) => (value === null || value === undefined ? null : toJson(value)),
  }
  if (schema.title !== undefined) return { anyOf: [schema, { type: 'null' }], ...orNull }
  const { type, enum: choices } = schema as { type: string | string[]; enum?: unknown[] }
  return { ...schema, type: [type, 'null'].flat(), ...(choices && { enum: [...choices, null] }), ...orNull }
}

/** A page of a list, and what its items are; `next` is null on the last page. */
export function pageOf(
  name: string,
  says: string,
  items: string | Words,
  item: JsonSchema,
  next: JsonSchema = integer,
): JsonSchema {
  return object(`${String(item.title)}Page`, says, {
    [name]: told(list(item), items),
    next: told(nullable(next), NEXT, next.type === 'string' ? 'u1042' : 51),
  })
}

/** Meaning of `next` on every page. */
export const NEXT = 'The `after` of the next page. Null on the last page.'
