import * as yup from 'yup'
import { AppError, type FieldErrors, invalid, namedOf } from '../errors.ts'
import { isPlainObject, isStorable } from '../json/json.ts'
import { readInstant, WITH_OFFSET } from '../time/instants.ts'
import { passAbsent } from './absent-fields.ts'
import { changesInheritedOnly, checkQuickly, UNSURE } from './quick-check.ts'
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
import { LAST_VERSION } from './version.ts'

/**
 * Turns unknown values into typed ones, or throws `AppError('invalid')` that names every wrong key. Only this file,
 * `absent-fields.ts` and `quick-check.ts` use yup: by default yup turns 12 into "12" and `"true"` into true, so `parseJson` validates JSON without coercion, and
 * `parseText` coerces text (query strings, flags, CSV). Trees and documents are read by `platform/values/reader.ts`.
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

/**
 * A string without NUL characters and lone surrogates, which not every database can store; `max` counts code points.
 */
export function text({ max, empty = false }: { max?: number; empty?: boolean } = {}) {
  let schema = yup.string().test('storable', NOT_STORABLE, (value) => value == null || isStorable(value))
  if (max !== undefined) {
    schema = schema.test('max', atMost(max, 'characters'), (v) => v == null || v.length <= max || [...v].length <= max)
    schema = documented(schema, { maxLength: max })
  }
  if (!empty) schema = schema.min(1)
  return schema
}

/** A character that somebody sees. */
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/u
/** Characters that end a line, or that no line has. */
const NOT_IN_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** A name for people, who must see it in a list: one line with something visible, of at most `max` characters. */
export function lineOfText({ max }: { max: number }) {
  return text({ max }).test('line', 'must be one line with a visible character', (value) => {
    return value == null || value === '' || (VISIBLE.test(value) && !NOT_IN_A_LINE.test(value))
  })
}

/** An integer that JavaScript and both databases hold exactly. */
export function integer({ min, max }: { min?: number; max?: number } = {}) {
  let schema = yup.number().integer()
  if (min !== undefined) schema = schema.min(min)
  if (max !== undefined) schema = schema.max(max)
  // A number beyond a bound gets the message of that bound only.
  const isTold = (v: number) => (max !== undefined && v > max) || (min !== undefined && v < min)
  return schema
    .test('safe', 'is too large', (v) => v == null || !Number.isInteger(v) || Number.isSafeInteger(v) || isTold(v))
    .test('plain', 'must be an integer in decimal digits', (_, context) => isWritten(context.originalValue, /^-?\d+$/))
}

/** A date, which is midnight in UTC, or a time with its offset. `readInstant(value, WITH_OFFSET)` reads it. */
export function instant() {
  const schema = text({ max: 40 }).test(
    'instant',
    'must be a date such as 2026-03-01 or a time with its offset such as 2026-03-01T08:00:00Z',
    (value) => value == null || value === '' || readInstant(value, WITH_OFFSET) !== undefined,
  )
  return documented(schema, { description: 'A date (midnight in UTC), or a time with its offset' })
}

/** A finite number. */
export function decimal({ min, max }: { min?: number; max?: number } = {}) {
  let schema = yup.number()
  if (min !== undefined) schema = schema.min(min)
  if (max !== undefined) schema = schema.max(max)
  return schema
    .test('finite', 'must be a finite number', (value) => value == null || Number.isFinite(value))
    .test('plain', 'must be a decimal number', (_, context) => isWritten(context.originalValue, /^-?\d+(\.\d+)?$/))
}

/** Checks the text before coercion, which would also accept `0x10` and `1e3` as numbers. */
function isWritten(given: unknown, pattern: RegExp): boolean {
  return typeof given !== 'string' || pattern.test(given)
}

export function flag() {
  return yup.boolean()
}

export function oneOf<const T extends string>(values: readonly T[], message = oneOfThese(values)) {
  return yup.string<T>().oneOf([...values] as T[], message)
}

/** One of a few integers. */
export function oneOfIntegers<const T extends number>(values: readonly T[]) {
  return documented(yup.number<T>().oneOf([...values] as T[], oneOfThese(values)), { type: 'integer' })
}

/** A free-form JSON object. */
export function jsonObject() {
  const schema = yup
    .mixed<Record<string, unknown>>()
    .test('object', MUST_BE.object, (value) => value == null || isPlainObject(value))
  return documented(schema, { type: 'object' })
}

/**
 * A free-form JSON object whose strings every client can read: a lone surrogate makes Apple's parser reject the whole
 * response that contains it.
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

/**
 * An absolute URL with one of `schemes`, such as `['http', 'https']`; without them, any scheme that cannot run a
 * script.
 */
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

/**
 * An absolute URL as in `address`, or a path on the app's website: it begins with a single slash, so it cannot name a
 * host.
 */
export function addressOrPath() {
  const wanted = 'must be an absolute URL, or a path such as /sale?x=1 on the website of the app'
  const schema = text({ max: 2048 }).test(
    'url',
    wanted,
    (value) => value == null || value === '' || isAddress(value) || isPath(value),
  )
  return documented(schema, { format: 'uri-reference' })
}

/** Maximum number of items of a list without a limit of its own. */
const MAX_ITEMS = 10_000

/**
 * A list whose items `item` checks; a wrong item is reported at `[i]`. A list of more than `max` items is refused
 * unread.
 */
export function list<S extends Schema>(item: S, { min, max = MAX_ITEMS }: { min?: number; max?: number } = {}) {
  let schema = yup
    .array()
    .of<Exclude<Infer<S>, undefined>>(item.defined())
    .max(max)
    .typeError(({ value }: { value: unknown }) => (Array.isArray(value) ? atMost(max, 'items') : MUST_BE.array))
  // yup checks every item before the length, and a body has room for millions. It does not check the items of a value
  // with a wrong type.
  schema['_typeCheck'] = (value: unknown): value is never => Array.isArray(value) && value.length <= max
  if (min !== undefined) schema = schema.min(min)
  return schema
}

/**
 * Ids as callers write them: strings or integers. They are checked in one pass because a list may hold tens of
 * thousands, and returned unchanged; compare them as strings.
 */
export function ids({ max = 255 }: { max?: number } = {}) {
  const schema = checked<(string | number)[]>((value) => {
    if (!Array.isArray(value)) return { '': ['must be an array of ids'] }
    const wrong: number[] = []
    value.forEach((id: unknown, i) => {
      const ok = typeof id === 'number' ? Number.isSafeInteger(id) : typeof id === 'string' && isId(id, max)
      if (!ok) wrong.push(i)
    })
    return failures(wrong, (i) => `[${i}]`, `must be a string of 1 to ${max} characters, or an integer`)
  })
  return documented(schema, {
    type: 'array',
    items: { type: ['string', 'integer'], minLength: 1, maxLength: max },
  })
}

/**
 * Any value except null, checked by `check`, which returns problems by path relative to the value (`''` is the value
 * itself).
 */
export function checked<T>(check: (value: unknown) => FieldErrors) {
  return yup.mixed<T & {}>().test({
    name: 'checked',
    // Null arrives here only if it is allowed.
    test: (value, context) => value == null || asFailure(check(value), context),
  })
}

/**
 * Adds rules that compare several fields of an object; paths as in `checked`. They also run if single fields are wrong,
 * so that one response names every problem. `judge` must therefore not rely on the types.
 */
export function judged<S extends Schema>(schema: S, judge: (value: Record<string, unknown>) => FieldErrors): S {
  return schema.test({
    name: 'judged',
    test: (value, context) => !isPlainObject(value) || asFailure(judge(value), context),
  })
}

/** The same message for each of these places. Not an entry for each: those of a long list would take seconds. */
function failures<T>(wrong: readonly T[], pathOf: (place: T) => string, message: string): FieldErrors {
  const named = namedOf(wrong.length)
  const errors: FieldErrors = Object.fromEntries(wrong.slice(0, named).map((place) => [pathOf(place), [message]]))
  if (wrong.length > named) errors[''] = [moreWrong(wrong.length - named)]
  return errors
}

const moreWrong = (count: number) => `has ${count} more wrong items`

function asFailure({ '': whole, ...errors }: FieldErrors, context: yup.TestContext): true | yup.ValidationError {
  const wrong = Object.entries(errors)
  const named = wrong.slice(0, namedOf(wrong.length))
  if (wrong.length > named.length) named.push(['', [moreWrong(wrong.length - named.length)]])
  if (whole) named.push(['', whole])
  if (named.length === 0) return true
  const at = context.path ?? ''
  return new yup.ValidationError(
    named.flatMap(([path, messages]) =>
      messages.map((message) =>
        context.createError({ path: within(at, path) || undefined!, message, disableStackTrace: true }),
      ),
    ),
    undefined,
    undefined,
    undefined,
    true,
  )
}

/**
 * An object with these fields. Unknown fields are accepted. An absent object stays absent; yup by default would create
 * `{}`.
 */
export function shape<F extends yup.ObjectShape>(fields: F) {
  const schema = yup.object(fields).default(undefined).transform(withoutInheritedNames)
  passAbsent(schema)
  return schema
}

/**
 * Takes fields with inherited names out of a value. yup mistakes an unknown field called `constructor` or `__proto__` for one of
 * its own and throws a TypeError.
 */
const withoutInheritedNames = changesInheritedOnly((value: unknown): unknown => {
  if (!isPlainObject(value) || !Object.keys(value).some((key) => key in Object.prototype)) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => !(key in Object.prototype)))
})

/**
 * `shape` in which an unknown field is an error, for objects in which a misspelt field would change the meaning. `ignored` are
 * fields of the record that we answer, which may be sent back.
 */
export function closedShape<F extends yup.ObjectShape>(fields: F, ignored: readonly string[] = []) {
  const schema = shape(fields).test({
    name: 'closed',
    test(value, context) {
      const given = context.originalValue ?? value
      if (!isPlainObject(given)) return true
      const unknown = Object.keys(given).filter((key) => !Object.hasOwn(fields, key) && !ignored.includes(key))
      if (unknown.length === 0) return true
      return asFailure(
        failures(unknown, (key) => key, unknownField(Object.keys(fields))),
        context,
      )
    },
  })
  return documented(schema, { additionalProperties: ignored.length > 0 })
}

/**
 * An object of one of two forms: `other` where `isOther` says so of a value, `usual` for everything else, so that what is
 * wrong is told by the form that was meant.
 */
export function either<A extends Schema, B extends Schema>(
  usual: A,
  other: B,
  isOther: (value: Record<string, unknown>) => boolean,
): yup.Schema<Infer<A> | Infer<B>> {
  const formOf = (value: unknown): Schema => (isPlainObject(value) && isOther(value) ? other : usual)
  const schema = usual
    .when('.', ([value]: unknown[]) => formOf(value))
    .meta({ either: { forms: [usual, other], formOf } })
  return schema as Schema as yup.Schema<Infer<A> | Infer<B>>
}

/** A JSON Schema (draft 2020-12), as used by OpenAPI 3.1. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** Adds keywords to the description of a schema, for rules that are code, such as those of `checked`. */
export function documented<S extends Schema>(schema: S, keywords: JsonSchema): S {
  return schema.meta({ json: { ...metaOf(schema.spec).json, ...keywords } })
}

/**
 * Describes a field as required if a rule of the whole object (`judged`) requires it, although its own schema does not.
 */
export function requiredByRule<S extends Schema>(schema: S): S {
  return schema.meta({ requiredByRule: true })
}

/**
 * A schema as JSON Schema: types, bounds, choices, required fields, defaults. Rules that are code (`judged`, and
 * `checked` without `documented`) are not included, so a value that satisfies the description may still be refused.
 */
export function describe(schema: Schema): JsonSchema {
  return jsonSchemaOf(schema.describe(), false)
}

/** The same of a JSON body, in which null for an optional field means absent (`parseJson`). */
export function describeBody(schema: Schema): JsonSchema {
  return jsonSchemaOf(schema.describe(), true)
}

/** yup's own description, with the parts of every kind of schema. */
type Described = yup.SchemaDescription & { fields?: Record<string, Described>; innerType?: Described }

function jsonSchemaOf(described: Described, isBody: boolean): JsonSchema {
  const { either } = metaOf(described)
  if (either) return { anyOf: either.forms.map((form) => jsonSchemaOf(form.describe(), isBody)) }
  const { fields, innerType, default: value } = described
  const named = Object.entries(fields ?? {})
  const required = named.filter(([, field]) => !field.optional || metaOf(field).requiredByRule).map(([name]) => name)
  const said = {
    ...typeOf(described),
    ...Object.assign({}, ...described.tests.map(({ name, params }) => keywordsOf(described.type, name, params))),
    ...(named.length > 0 && {
      properties: Object.fromEntries(named.map(([name, field]) => [name, fieldSchemaOf(field, isBody)])),
    }),
    ...(required.length > 0 && { required }),
    ...(innerType && { items: jsonSchemaOf(innerType, isBody) }),
    ...(value !== undefined && { default: value }),
    ...metaOf(described).json,
  } as Record<string, unknown>
  if (described.oneOf.length > 0) said.enum = described.nullable ? [...described.oneOf, null] : described.oneOf
  if (described.nullable && said.type !== undefined) said.type = [said.type, 'null'].flat()
  return said
}

/** A field of an object. */
function fieldSchemaOf(field: Described, isBody: boolean): JsonSchema {
  const schema = jsonSchemaOf(field, isBody)
  const isRequired = !field.optional || metaOf(field).requiredByRule
  return isBody && !isRequired && !field.nullable ? orNull(schema) : schema
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: choices, anyOf } = schema as { type?: string | string[]; enum?: unknown[]; anyOf?: unknown[] }
  return {
    ...schema,
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(choices && { enum: [...choices, null] }),
    ...(anyOf && { anyOf: [...anyOf, { type: 'null' }] }),
  }
}

/** The metadata that `documented`, `requiredByRule` and `either` stored. */
interface Meta {
  json?: JsonSchema
  requiredByRule?: true
  either?: { forms: readonly Schema[]; formOf(value: unknown): Schema }
}

function metaOf({ meta }: Pick<Described, 'meta'>): Meta {
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
  // yup's `required` also refuses an empty text.
  return test === 'required' && type === 'string' ? { minLength: 1 } : {}
}

/**
 * Validates JSON without coercion, fills in defaults, and drops the fields that the schema does not have, so that no answer shows
 * what is not stored. A field that is optional and has no meaning for null may be null, which is the same as absent. Throws
 * `AppError('invalid')` with every wrong key.
 */
export function parseJson<S extends Schema>(schema: S, given: unknown): Infer<S> {
  const right = checkQuickly(schema, given)
  if (right !== UNSURE) return right
  const value = withoutNulls(schema, given)
  const errors = check(schema, value, true)
  if (errors) throw invalid(errors)
  return schema.cast(value, { assert: false, stripUnknown: true })
}

/** The parts of a schema: the fields of an object, the items of a list. */
type Inside = { fields?: Record<string, Schema>; innerType?: Schema }

/** The names of the fields of an object's schema. */
export const fieldNames = (schema: Schema): string[] => Object.keys((schema as Inside).fields ?? {})

/** Tells whether null means absent for this field: it may be absent, and null has no meaning of its own. */
const isNullAbsent = ({ spec }: Schema) => spec.optional && !spec.nullable

/**
 * The value without the nulls that mean absent, so that a record as we answer it can be sent back. Values that callers
 * fill as they like are not looked into. Copies only what changes.
 */
export function withoutNulls(schema: Schema, value: unknown): unknown {
  const { either } = metaOf(schema.spec)
  if (either) return withoutNulls(either.formOf(value), value)
  const { fields, innerType } = schema as Inside
  if (Array.isArray(value)) {
    if (!innerType || !hasNulls(innerType)) return value
    const items = value.map((item) => withoutNulls(innerType, item))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!fields || !isPlainObject(value)) return value
  let copy: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) continue
    const field = fields[name]!
    if (value[name] === null) {
      if (isNullAbsent(field)) delete (copy ??= { ...value })[name]
      continue
    }
    const inner = withoutNulls(field, value[name])
    if (inner !== value[name]) (copy ??= { ...value })[name] = inner
  }
  return copy ?? value
}

/** Tells whether a schema has fields. A list of thousands of ids has none and is not walked. */
function hasNulls(schema: Schema): boolean {
  const { fields, innerType } = schema as Inside
  return fields !== undefined || (innerType !== undefined && hasNulls(innerType))
}

/** Validates text with coercion: `"12"` becomes 12 if a number is wanted. For query strings, flags and CSV. */
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
    // Nobody reads where in yup an error was made, and finding out takes longer than the check.
    schema.validateSync(value, { abortEarly: false, strict, disableStackTrace: true })
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
  // yup also reports an empty text as missing.
  for (const messages of fields.values()) if (messages.has(IS_EMPTY)) messages.delete(IS_REQUIRED)
  return Object.fromEntries([...fields].map(([path, messages]) => [path, [...messages]]))
}

function isId(value: string, max: number): boolean {
  return value !== '' && isStorable(value) && (value.length <= max || [...value].length <= max)
}

/** Tells whether a text is an absolute URL as `address` wants it. */
export function isAddress(value: string, schemes?: readonly string[]): boolean {
  // URL drops blanks and line breaks and reads https:x as https://x, but devices get the text as it is written.
  if (/\p{Cc}|^ | $|^https?:(?!\/\/)/iu.test(value) || !URL.canParse(value)) return false
  const scheme = new URL(value).protocol.slice(0, -1)
  return schemes ? schemes.includes(scheme) : !['javascript', 'data', 'vbscript'].includes(scheme)
}

function isPath(value: string): boolean {
  // Browsers treat backslashes as slashes, and two of either at the beginning introduce a host.
  return value.startsWith('/') && !/\p{Cc}| $/u.test(value) && !/^[/\\]{2}/.test(value)
}

/** Reads a path segment of a URL that must be an integer id. Throws `not_found` for anything else. */
export function idSegment(value: string, what: string): number {
  if (!/^[1-9]\d{0,15}$/.test(value) || !Number.isSafeInteger(Number(value))) {
    throw new AppError('not_found', `there is no ${what} ${JSON.stringify(value)}`)
  }
  return Number(value)
}

/** Reads the number of a version from a URL or command. Throws `not_found` if it cannot be one. */
export function versionNumber(given: string): number {
  const version = idSegment(given, 'version')
  if (version > LAST_VERSION) throw new AppError('not_found', `there is no version ${version}`)
  return version
}

type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The fields that are not undefined. */
export function present<T extends object>(fields: T): WithoutUndefined<T> {
  const kept: WithoutUndefined<T> = {}
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key]
    if (value !== undefined) kept[key] = value as Exclude<T[keyof T], undefined>
  }
  return kept
}
