import * as yup from 'yup'

/** The protected members of yup's objects that pass over fields. */
interface Walked {
  readonly _nodes: readonly string[]
  readonly fields: Readonly<Record<string, yup.AnySchema>>
  _validate(value: unknown, ...rest: unknown[]): void
  _cast(value: unknown, ...rest: unknown[]): unknown
}

const usual = yup.ObjectSchema.prototype as unknown as Walked

/**
 * A prototype of yup's objects that passes over fields that a value does not have. Most bodies have a few of many fields, and checking an
 * absent one takes as long as checking one that is there. A field is looked at all the same when its absence matters: it is required, it
 * has a default, or its rules read the fields beside it.
 */
const passing = Object.assign(Object.create(yup.ObjectSchema.prototype) as Walked, {
  _validate(this: Walked, value: unknown, ...rest: unknown[]): void {
    usual._validate.call(lookingAt(this, value), value, ...rest)
  },
  _cast(this: Walked, value: unknown, ...rest: unknown[]): unknown {
    return usual._cast.call(lookingAt(this, value), value, ...rest)
  },
})

/** Makes the schema of an object, and all that is made from it, pass over absent fields whose absence changes nothing. */
export function passAbsent(schema: yup.AnySchema): void {
  Object.setPrototypeOf(schema, passing)
}

/** The fields of a schema. */
interface Fields {
  /** A power of two for each of them, so that each choice of fields has its sum. */
  powers: ReadonlyMap<string, number>
  /** Fields whose absence matters. */
  needed: ReadonlySet<string>
  /** The schema without the other fields, for a choice of fields. Most values have the same few as others. */
  left: Map<number, Walked>
}

const MOST_LEFT = 32
/** Sums of more powers of two are not exact. */
const MOST_POWERS = 53

/** The schema without the fields that `value` does not have and that need not be there. */
function lookingAt(schema: Walked, value: unknown): Walked {
  if (typeof value !== 'object' || value === null) return schema
  const { powers, needed, left } = fieldsOf(schema)
  let sum = 0
  for (const name in value) sum += powers.get(name) ?? 0
  const known = left.get(sum)
  if (known) return known
  const nodes = schema._nodes.filter((name) => name in value || needed.has(name))
  const made = Object.create(schema, { _nodes: { value: nodes } }) as Walked
  if (left.size < MOST_LEFT && schema._nodes.length <= MOST_POWERS) left.set(sum, made)
  return made
}

/** Fields by their schema, and which of them matter by the list of them: copies of a schema share it while they have the same. */
const FIELDS = new WeakMap<Walked, Fields>()
const NEEDED = new WeakMap<readonly string[], ReadonlySet<string>>()

function fieldsOf(schema: Walked): Fields {
  let known = FIELDS.get(schema)
  if (!known) {
    const powers = new Map(schema._nodes.map((name, i) => [name, 2 ** i]))
    FIELDS.set(schema, (known = { powers, needed: neededOf(schema), left: new Map() }))
  }
  return known
}

/** The fields of an object's schema that have to be looked at when they are absent. */
export function neededOf({ _nodes: nodes, fields }: Pick<Walked, '_nodes' | 'fields'>): ReadonlySet<string> {
  const known = NEEDED.get(nodes)
  if (known) return known
  const needed = new Set(nodes.filter((name) => !mayBeAbsent(fields[name]!)))
  NEEDED.set(nodes, needed)
  return needed
}

/** Tells whether a field that is absent is never wrong and gets no value, whatever stands beside it. */
function mayBeAbsent(field: yup.AnySchema): boolean {
  let isTouched = false
  const touch = () => {
    isTouched = true
    return undefined
  }
  const beside = new Proxy({}, { get: touch, has: () => touch() ?? false, ownKeys: () => touch() ?? [] })
  const options = { parent: beside, context: beside }
  try {
    field.validateSync(undefined, { ...options, strict: true, abortEarly: false, disableStackTrace: true } as object)
    const value: unknown = field.cast(undefined, { ...options, assert: false } as object)
    return value === undefined && !isTouched
  } catch {
    return false
  }
}
