import * as yup from 'yup'
import { isPlainObject } from '../json/json.ts'
import { neededOf } from './absent-fields.ts'

/**
 * A check of JSON in front of yup's. Nearly all bodies are right, and yup makes some thirty objects and closures for each field before it
 * says so. Here a schema is a function over its values that runs the same rules. It knows only "right" and "not sure": whatever is
 * wrong, is null or needs more of yup is left to yup, which also writes the errors.
 */

/** The answer about a value that is wrong, or that only yup can judge. */
export const UNSURE = Symbol('unsure')

/** Returns the value as `cast` with `stripUnknown` does, or `UNSURE`. */
type Check = (value: unknown) => unknown

/** The members of yup's schemas that say what they ask and change. */
interface Inside {
  readonly type: string
  readonly spec: { readonly strip: boolean; readonly strict: boolean; readonly recursive: boolean }
  readonly conditions: readonly unknown[]
  readonly transforms: readonly unknown[]
  readonly tests: readonly { readonly OPTIONS: { test: Rule } }[]
  readonly internalTests: Readonly<Record<string, unknown>>
  readonly _whitelist: ReadonlySet<unknown>
  readonly _blacklist: ReadonlySet<unknown>
  readonly _nodes: readonly string[]
  readonly fields: Readonly<Record<string, yup.AnySchema>>
  readonly innerType?: yup.AnySchema
  _typeCheck(value: unknown): boolean
}

type Rule = (this: RuleContext, value: unknown, context: RuleContext) => unknown

/** Kinds of schemas, and how many transforms yup gives them: these leave a value of the right type as it is. */
const OWN_TRANSFORMS: ReadonlyMap<string, number> = new Map(
  [yup.mixed(), yup.string(), yup.number(), yup.boolean(), yup.array(), yup.object()].map((schema) => {
    const { type, transforms } = schema as unknown as Inside
    return [type, transforms.length]
  }),
)

/** Questions of yup that `isRight` asks itself, or that are about null and absence. */
const ASKED_HERE = new Set(['typeError', 'nullable', 'optionality', 'whiteList'])

/** Transforms that change nothing about values without inherited names, which are not checked here. */
const harmless = new WeakSet<object>()

/** Marks a transform that only takes fields with inherited names away. */
export function changesInheritedOnly<T extends object>(transform: T): T {
  harmless.add(transform)
  return transform
}

const CHECKS = new WeakMap<yup.AnySchema, Check>()

/** Checks and converts a value like yup in strict mode, or returns `UNSURE`. Never throws. */
export function checkQuickly(schema: yup.AnySchema, value: unknown): unknown {
  let check = CHECKS.get(schema)
  if (!check) CHECKS.set(schema, (check = checkOf(schema)))
  return check(value)
}

const never: Check = () => UNSURE

function checkOf(schema: yup.AnySchema): Check {
  const inside = schema as unknown as Inside
  if (!isPlain(inside)) return never
  if (inside.type === 'object') return objectCheck(inside)
  if (inside.type === 'array') return arrayCheck(inside)
  return (value) => (isRight(inside, value) ? value : UNSURE)
}

/** Tells whether a schema is the same for all values and changes none of them. */
function isPlain({ type, spec, conditions, transforms, internalTests, _blacklist }: Inside): boolean {
  return (
    conditions.length === 0 &&
    !spec.strip &&
    !spec.strict &&
    spec.recursive &&
    _blacklist.size === 0 &&
    Object.keys(internalTests).every((name) => ASKED_HERE.has(name) || internalTests[name] === undefined) &&
    transforms.filter((transform) => !harmless.has(transform as object)).length === OWN_TRANSFORMS.get(type)
  )
}

/** Tells whether a value has the type of a schema, is one of its choices and keeps its rules, without what is inside it. */
function isRight(schema: Inside, value: unknown): boolean {
  if (value === null || value === undefined || !schema._typeCheck(value)) return false
  if (schema._whitelist.size > 0 && !schema._whitelist.has(value)) return false
  return keepsRules(schema, value)
}

function keepsRules({ tests }: Inside, value: unknown): boolean {
  if (tests.length === 0) return true
  const context = new RuleContext(value)
  try {
    for (const { OPTIONS } of tests) if (OPTIONS.test.call(context, value, context) !== true) return false
    return true
  } catch {
    // The rule is not kept, asks for what only yup knows, or fails: then it fails there, too.
    return false
  }
}

/** The context that a rule gets beside the value. Rules that read more of it, or make an error, are for yup. */
class RuleContext {
  readonly originalValue: unknown

  constructor(value: unknown) {
    this.originalValue = value
  }

  resolve(item: unknown): unknown {
    if (typeof item === 'object' && item !== null) throw unsure
    return item
  }
}

const unsure = new Error('this is for yup')
for (const name of ['path', 'parent', 'from', 'options', 'schema', 'type', 'createError'])
  Object.defineProperty(RuleContext.prototype, name, {
    get() {
      throw unsure
    },
  })

function arrayCheck(schema: Inside): Check {
  const { innerType } = schema
  return (value) => {
    if (!schema._typeCheck(value)) return UNSURE
    const items = value as unknown[]
    if (!innerType) return keepsRules(schema, items) ? items : UNSURE
    let copy: unknown[] | undefined
    for (let i = 0; i < items.length; i++) {
      const item = checkQuickly(innerType, items[i])
      if (item === UNSURE) return UNSURE
      if (item !== items[i]) copy ??= items.slice(0, i)
      copy?.push(item)
    }
    return keepsRules(schema, items) ? (copy ?? items) : UNSURE
  }
}

function objectCheck(schema: Inside): Check {
  const { _nodes: names, fields } = schema
  const needed = neededOf(schema)
  return (value) => {
    if (!isPlainObject(value)) return UNSURE
    let copy: Record<string, unknown> | undefined
    let known = 0
    for (const name of names) {
      const given = value[name]
      if (given === undefined) {
        if (needed.has(name)) return UNSURE
        continue
      }
      const field = checkQuickly(fields[name]!, given)
      if (field === UNSURE) return UNSURE
      if (field !== given) copy ??= picked(value, names.slice(0, names.indexOf(name)))
      if (copy) copy[name] = field
      known++
    }
    const given = Object.keys(value)
    if (given.length !== known) {
      // Inherited names, and fields that are there as undefined, are rare enough for yup.
      if (given.some((name) => name in Object.prototype || (name in fields && value[name] === undefined))) return UNSURE
      copy ??= picked(value, names)
    }
    return keepsRules(schema, value) ? (copy ?? value) : UNSURE
  }
}

/** The fields of these names that a value has. */
function picked(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const name of names) if (value[name] !== undefined) copy[name] = value[name]
  return copy
}
