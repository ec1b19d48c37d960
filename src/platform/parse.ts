import * as yup from 'yup'
import { AppError, type FieldErrors, invalid } from './errors.ts'
import { isPlainObject, isStorable } from './json.ts'
import {
  atLeast,
  atMost,
  IS_EMPTY,
  IS_REQUIRED,
  joined,
  MUST_BE,
  NOT_STORABLE,
  oneOfThese,
  unknownField,
  within,
} from './reader.ts'

/**
 * From unknown to typed, or `AppError('invalid')` that names every wrong key. The only file that talks to yup:
 * left alone yup turns 12 into "12" and `"true"` into true, so JSON is validated strictly (no coercion) and text
 * (query strings, flags, CSV) is coerced by `parseText`.
 */

yup.setLocale({
  mixed: {
    required: IS_REQUIRED,
    defined: IS_REQUIRED,
    notNull: 'must not be null',
    notType: ({ type }: { type: string }) => (MUST_BE as Record<string, string>)[type] ?? `must be ${type}`,
    oneOf: ({ values }: { values: unknown }) => `must be one of ${String(values)}`,
  },
  string: {
    min: ({ min }: { min: number }) => atLeast(min, 'characters'),
    max: ({ max }: { max: number }) => atMost(max, 'characters'),
  },
  number: {
    integer: 'must be an integer',
    min: ({ min }: { min: number }) => `must be at least ${min}`,
    max: ({ max }: { max: number }) => `must be at most ${max}`,
  },
  array: {
    min: ({ min }: { min: number }) => atLeast(min, 'items'),
    max: ({ max }: { max: number }) => atMost(max, 'items'),
  },
})

/** Any schema made with the builders below. */
export type Schema = yup.AnySchema
export type Infer<S extends Schema> = yup.InferType<S>

/** A string without NUL and lone surrogates (neither database can store them); `max` counts code points. */
export function text({ max, empty = false }: { max?: number; empty?: boolean } = {}) {
  let schema = yup.string().test('storable', NOT_STORABLE, (value) => value == null || isStorable(value))
  if (max !== undefined) {
    schema = schema.test('max', atMost(max, 'characters'), (v) => v == null || [...v].length <= max)
    schema = documented(schema, { maxLength: max })
  }
  if (!empty) schema = schema.min(1)
  return schema
}

/** An integer that JavaScript and both databases hold exactly. */
export function integer({ min, max }: { min?: number; max?: number } = {}) {
  let schema = yup.number().integer()
  if (min !== undefined) schema = schema.min(min)
  if (max !== undefined) schema = schema.max(max)
  // What is beyond a bound is told that bound, once.
  const isTold = (v: number) => (max !== undefined && v > max) || (min !== undefined && v < min)
  return schema
    .test('safe', 'is too large', (v) => v == null || !Number.isInteger(v) || Number.isSafeInteger(v) || isTold(v))
    .test('plain', 'must be an integer in decimal digits', (_, context) => isWritten(context.originalValue, /^-?\d+$/))
}

/** A finite number. */
export function decimal() {
  return yup
    .number()
    .test('finite', 'must be a finite number', (value) => value == null || Number.isFinite(value))
    .test('plain', 'must be a decimal number', (_, context) => isWritten(context.originalValue, /^-?\d+(\.\d+)?$/))
}

/** Text is judged as it was written: coercion alone would read `0x10`, `1e3` and `1 2` as numbers. */
function isWritten(given: unknown, pattern: RegExp): boolean {
  return typeof given !== 'string' || pattern.test(given)
}

export function flag() {
  return yup.boolean()
}

export function oneOf<const T extends string>(values: readonly T[], message = oneOfThese(values)) {
  return yup.string<T>().oneOf([...values] as T[], message)
}

/** A free-form JSON object. */
export function jsonObject() {
  const schema = yup
    .mixed<Record<string, unknown>>()
    .test('object', MUST_BE.object, (value) => value == null || isPlainObject(value))
  return documented(schema, { type: 'object' })
}

/**
 * A free-form JSON object whose texts every client can read: half a surrogate pair makes Apple's reader refuse the whole answer
 * that it is in.
 */
export function jsonData() {
  const schema = checked<Record<string, unknown>>((value) =>
    isPlainObject(value) ? Object.fromEntries(unreadableTexts(value)) : { '': [MUST_BE.object] },
  )
  return documented(schema, { type: 'object' })
}

function unreadableTexts(value: unknown, path = ''): [path: string, problems: string[]][] {
  if (typeof value === 'string') return isStorable(value) ? [] : [[path, [NOT_STORABLE]]]
  if (Array.isArray(value)) return value.flatMap((item, i) => unreadableTexts(item, `${path}[${i}]`))
  if (!isPlainObject(value)) return []
  if (!Object.keys(value).every(isStorable)) {
    return [[path, ['has a key that is not well-formed text without NUL characters']]]
  }
  return Object.entries(value).flatMap(([key, inner]) => unreadableTexts(inner, joined(path, key)))
}

/** An absolute address. `schemes` narrows it, e.g. `['http', 'https']`; without it any scheme that is not script. */
export function address(schemes?: readonly string[]) {
  const wanted = schemes ? `must be an absolute ${schemes.join(' or ')} URL` : 'must be an absolute URL'
  const schema = text({ max: 2048 }).test(
    'url',
    wanted,
    (value) => value == null || value === '' || isAddress(value, schemes),
  )
  return documented(schema, {
    format: 'uri',
    ...(schemes && { description: `An absolute ${schemes.join(' or ')} URL` }),
  })
}

/** An absolute address as in `address`, or a path on a website that is known elsewhere: one slash, and never another host. */
export function addressOrPath() {
  const wanted = 'must be an absolute URL, or a path such as /sale?x=1 on the website of the app'
  const schema = text({ max: 2048 }).test(
    'url',
    wanted,
    (value) => value == null || value === '' || isAddress(value) || isPath(value),
  )
  return documented(schema, { format: 'uri-reference' })
}

/** Items of a list that says nothing else. */
const LONGEST_LIST = 10_000

/** A list whose items are all checked by `item`; wrong ones are named `[i]`. One with more than `max` items is refused unread. */
export function list<S extends Schema>(item: S, { min, max = LONGEST_LIST }: { min?: number; max?: number } = {}) {
  let schema = yup
    .array()
    .of<Exclude<Infer<S>, undefined>>(item.defined())
    .max(max)
    .typeError(({ value }: { value: unknown }) => (Array.isArray(value) ? atMost(max, 'items') : MUST_BE.array))
  // yup looks at every item before it minds the length, and a body has room for millions. What is no list it leaves alone.
  schema['_typeCheck'] = (value: unknown): value is never => Array.isArray(value) && value.length <= max
  if (min !== undefined) schema = schema.min(min)
  return schema
}

/**
 * Ids as callers write them: strings or integers, checked in one pass because a list may hold tens of thousands.
 * The values stay as given; compare them as strings.
 */
export function ids({ max = 255 }: { max?: number } = {}) {
  const schema = checked<(string | number)[]>((value) => {
    if (!Array.isArray(value)) return { '': ['must be an array of ids'] }
    const errors: FieldErrors = {}
    value.forEach((id: unknown, i) => {
      const ok = typeof id === 'number' ? Number.isSafeInteger(id) : typeof id === 'string' && isId(id, max)
      if (!ok) errors[`[${i}]`] = [`must be a string of 1 to ${max} characters, or an integer`]
    })
    return errors
  })
  return documented(schema, {
    type: 'array',
    items: { type: ['string', 'integer'], minLength: 1, maxLength: max },
  })
}

/** Any value but null, judged by `check`: path relative to this value (`''` is itself) -> what is wrong. */
export function checked<T>(check: (value: unknown) => FieldErrors) {
  return yup.mixed<T & {}>().test({
    name: 'checked',
    // Null comes here only where it is allowed.
    test: (value, context) => value == null || asFailure(check(value), context),
  })
}

/**
 * Adds rules that look at several fields of an object at once; paths as in `checked`. They also run when single fields are
 * wrong, so that one answer names everything: `judge` must not trust the types.
 */
export function judged<S extends Schema>(schema: S, judge: (value: Record<string, unknown>) => FieldErrors): S {
  return schema.test({
    name: 'judged',
    test: (value, context) => !isPlainObject(value) || asFailure(judge(value), context),
  })
}

/** Wrong places that one check names; the rest it counts. A long list of ids can be wrong in very many. */
const MOST_NAMED = 1000

function asFailure(errors: FieldErrors, context: yup.TestContext): true | yup.ValidationError {
  const wrong = Object.entries(errors)
  if (wrong.length === 0) return true
  const named = wrong.slice(0, MOST_NAMED)
  if (wrong.length > MOST_NAMED) named.push(['', [`has ${wrong.length - MOST_NAMED} more wrong items`]])
  return new yup.ValidationError(
    named.flatMap(([path, messages]) =>
      messages.map((message) => context.createError({ path: within(context.path ?? '', path) || undefined!, message })),
    ),
  )
}

/** An object with these fields. Absent stays absent (yup alone would invent `{}`). Unknown fields pass. */
export function shape<F extends yup.ObjectShape>(fields: F) {
  return yup.object(fields).default(undefined).transform(withoutInheritedNames)
}

/** yup takes an unknown field called `constructor` or `__proto__` for one of its own and throws a TypeError. */
function withoutInheritedNames(value: unknown): unknown {
  if (!isPlainObject(value) || !Object.keys(value).some((key) => key in Object.prototype)) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => !(key in Object.prototype)))
}

/** As `shape`, but a field that is not named here is an error: for places where a typing error would change the meaning. */
export function closedShape<F extends yup.ObjectShape>(fields: F) {
  const schema = shape(fields).test({
    name: 'closed',
    test(value, context) {
      const given = context.originalValue ?? value
      if (!isPlainObject(given)) return true
      const unknown = Object.keys(given).filter((key) => !Object.hasOwn(fields, key))
      if (unknown.length === 0) return true
      const message = unknownField(Object.keys(fields))
      return asFailure(Object.fromEntries(unknown.map((key) => [key, [message]])), context)
    },
  })
  return documented(schema, { additionalProperties: false })
}

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 has it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** Adds keywords to what `describe` says of a schema: for rules that are code, such as those of `checked`. */
export function documented<S extends Schema>(schema: S, keywords: JsonSchema): S {
  return schema.meta({ json: { ...metaOf(schema.spec).json, ...keywords } })
}

/** Says that a field which may be absent as far as its own schema goes is required by a rule of the whole (`judged`). */
export function requiredByRule<S extends Schema>(schema: S): S {
  return schema.meta({ requiredByRule: true })
}

/**
 * What a schema takes, as JSON Schema: types, bounds, choices, required fields, defaults. Rules that are code (`judged`, and
 * `checked` without `documented`) do not show: a value that fits may still be refused.
 */
export function describe(schema: Schema): JsonSchema {
  return jsonSchemaOf(schema.describe())
}

/** yup's own description, with every part that some kind of schema has. */
type Described = yup.SchemaDescription & { fields?: Record<string, Described>; innerType?: Described }

function jsonSchemaOf(described: Described): JsonSchema {
  const { fields, innerType, default: value } = described
  const named = Object.entries(fields ?? {})
  const required = named.filter(([, field]) => !field.optional || metaOf(field).requiredByRule).map(([name]) => name)
  const said = {
    ...typeOf(described),
    ...Object.assign({}, ...described.tests.map(({ name, params }) => keywordsOf(described.type, name, params))),
    ...(named.length > 0 && {
      properties: Object.fromEntries(named.map(([name, field]) => [name, jsonSchemaOf(field)])),
    }),
    ...(required.length > 0 && { required }),
    ...(innerType && { items: jsonSchemaOf(innerType) }),
    ...(value !== undefined && { default: value }),
    ...metaOf(described).json,
  } as Record<string, unknown>
  if (described.oneOf.length > 0) said.enum = described.nullable ? [...described.oneOf, null] : described.oneOf
  if (described.nullable && said.type !== undefined) said.type = [said.type, 'null'].flat()
  return said
}

/** What `documented` and `requiredByRule` left. */
function metaOf({ meta }: Pick<Described, 'meta'>): { json?: JsonSchema; requiredByRule?: true } {
  return meta ?? {}
}

const JSON_TYPES = new Set(['string', 'number', 'boolean', 'object', 'array'])

function typeOf({ type, tests }: Described): JsonSchema {
  if (tests.some(({ name }) => name === 'integer')) return { type: 'integer' }
  return JSON_TYPES.has(type) ? { type } : {}
}

function keywordsOf(type: string, test: string | undefined, params: Record<string, unknown> = {}): JsonSchema {
  const unit = type === 'string' ? 'Length' : type === 'array' ? 'Items' : 'imum'
  if (test === 'min' && params.min !== undefined) return { [`min${unit}`]: params.min }
  if (test === 'max' && params.max !== undefined) return { [`max${unit}`]: params.max }
  if (test === 'matches' && params.regex instanceof RegExp) return { pattern: params.regex.source }
  // A required text is not an empty one.
  return test === 'required' && type === 'string' ? { minLength: 1 } : {}
}

/** Validates JSON strictly, no coercion, and fills defaults in. Throws `AppError('invalid')` with every wrong key. */
export function parseJson<S extends Schema>(schema: S, value: unknown): Infer<S> {
  const errors = check(schema, value, true)
  if (errors) throw invalid(errors)
  return schema.cast(value, { assert: false })
}

/** Validates text by what it means: `"12"` is 12 where a number is wanted. For query strings, flags and CSV. */
export function parseText<S extends Schema>(schema: S, value: Record<string, unknown>): Infer<S> {
  const repeated = Object.keys(value).filter((key) => Array.isArray(value[key]))
  const errors = { ...check(schema, value, false) }
  for (const key of repeated) errors[key] = ['was given more than once']
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return schema.cast(value)
}

/** The wrong keys of `value`, or undefined when there are none. */
export function check(schema: Schema, value: unknown, strict: boolean): FieldErrors | undefined {
  try {
    schema.validateSync(value, { abortEarly: false, strict })
    return undefined
  } catch (error) {
    if (error instanceof yup.ValidationError) return fieldErrors(error)
    throw error
  }
}

function fieldErrors(error: yup.ValidationError): FieldErrors {
  // A map, because a caller may name a field __proto__.
  const fields = new Map<string, Set<string>>()
  const visit = (one: yup.ValidationError) => {
    if (one.inner.length > 0) return one.inner.forEach(visit)
    const path = one.path ?? ''
    fields.set(path, new Set([...(fields.get(path) ?? []), ...one.errors]))
  }
  visit(error)
  // Yup says of an empty text that it is missing, too.
  for (const messages of fields.values()) if (messages.has(IS_EMPTY)) messages.delete(IS_REQUIRED)
  return Object.fromEntries([...fields].map(([path, messages]) => [path, [...messages]]))
}

function isId(value: string, max: number): boolean {
  return value !== '' && isStorable(value) && (value.length <= max || [...value].length <= max)
}

function isAddress(value: string, schemes?: readonly string[]): boolean {
  // URL takes blanks and line breaks away, and reads https:x as https://x; whoever opens an address gets it as it is written.
  if (/\p{Cc}|^ | $|^https?:(?!\/\/)/iu.test(value) || !URL.canParse(value)) return false
  const scheme = new URL(value).protocol.slice(0, -1)
  return schemes ? schemes.includes(scheme) : !['javascript', 'data', 'vbscript'].includes(scheme)
}

function isPath(value: string): boolean {
  // Browsers read backslashes as slashes: what begins with two of either names a host.
  return value.startsWith('/') && !/\p{Cc}| $/u.test(value) && !/^[/\\]{2}/.test(value)
}

/** A path segment of a URL that must be an integer id; anything else is simply unknown. */
export function idSegment(value: string, what: string): number {
  if (!/^[1-9]\d{0,15}$/.test(value) || !Number.isSafeInteger(Number(value))) {
    throw new AppError('not_found', `there is no ${what} ${JSON.stringify(value)}`)
  }
  return Number(value)
}

type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The fields that have a value. */
export function present<T extends object>(fields: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>
}
