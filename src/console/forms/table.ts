import type { Option } from '../parts/field.tsx'

/**
 * Forms as tables: a row for each field, and groups of rows. First values, the body that is sent, places of errors, missing
 * values and the flags of the shown command follow from the rows.
 */

/** Values of a form by the names of its fields. */
export type Values = Readonly<Record<string, unknown>>
/** A body of the interface. */
export type Body = Record<string, unknown>

/** The control that draws a field; `own`: the page draws it, or nobody. */
export type Kind =
  | 'text'
  | 'area'
  | 'password'
  | 'number'
  | 'color'
  | 'picture'
  | 'select'
  | 'radio'
  | 'ticks'
  | 'many'
  | 'tick'
  | 'switch'
  | 'json'
  | 'instant'
  | 'own'

/** Everything about a field but its name, its place in the body, its kind and its label. */
export interface Ways<T> {
  /** Text below the field; a function where it depends on other values of the form. */
  hint?: string | ((values: Values) => string | undefined) | undefined
  placeholder?: string
  isOptional?: boolean
  isMono?: boolean
  autoFocus?: boolean
  autoComplete?: string
  inputMode?: 'numeric'
  type?: 'url' | 'email'
  /** Height of an `area` or a `json`. */
  rows?: number
  min?: number
  max?: number
  step?: number
  unit?: string
  options?: readonly Option[]
  look?: 'cards'

  /** The value in a new form, or what makes it; default: none. */
  first?: T | (() => T)
  /** Value that the shown command has while the field is empty. */
  sample?: T
  /** Whatever is written, the shown command has the sample in its place. */
  isSecret?: boolean
  /** Further places of the interface whose errors stand beside this field. */
  also?: readonly string[]
  /** The member of the body while the field is empty; default: `absent` for optional fields, otherwise the empty value is sent. */
  empty?: 'absent' | 'null' | 'sent'
  /** A text with the blanks at its ends. */
  isAsTyped?: boolean
  /** Sentence beside the field that is empty but must not be: what to do. */
  need?: string
  /** Returns what is wrong with the value; undefined when nothing is. */
  check?(value: T, values: Values): string | undefined
  /** Tells from the values of the form whether the field is there. A field that is not is neither drawn nor sent nor checked. */
  when?(values: Values): boolean
  /** The value as the interface takes it; undefined for no member. */
  to?(value: T, values: Values): unknown
  /** The value of what the interface gave: of its place in the body, and of the whole. */
  from?(stored: unknown, body: Values): T | null | undefined
  /** Flag of the command that does the same, without its dashes. */
  flag?: string
  /** Word behind the flag of a change while the field is empty. A word with dashes is a flag that takes its place. */
  off?: string
  /** Turns the value into the word behind the flag. */
  say?(sent: never): string | number
}

export interface Field<A extends string = string, P extends string = string, T = unknown> extends Ways<T> {
  /** Name of the field, which is its name in drafts, and of its element. */
  at: A
  /** Place in the body, with dots; empty for none. */
  path: P | ''
  kind: Kind
  label: string
}

/** Fields beside each other, folded in, in a box with a legend, or with nothing but a condition in common. */
export interface Group<R extends Rows = Rows> {
  look: 'halves' | 'row' | 'more' | 'part' | 'plain'
  label: string
  rows: R
  when?(values: Values): boolean
}

type Row = Field | { look: Group['look']; label: string; rows: Rows; when?(values: Values): boolean }
export type Rows = readonly Row[]

/** The rows of groups in place of the groups. Three deep is as far as forms go, and as types can follow. */
type Inner<R> = R extends { at: string } ? R : R extends { rows: readonly (infer I)[] } ? I : never
type Leaf<R> = Inner<Inner<Inner<R>>>
/** Type of the values of a form of these rows. */
export type ValuesOf<R extends Rows> = {
  [F in Leaf<R[number]> as F extends { at: infer A extends string } ? A : never]: F extends Ways<infer T> ? T : never
}

/** Rows that were made for a body. */
export interface For<B> {
  readonly body?: (body: B) => void
}
export type BodyOf<R> = R extends For<infer B> ? NonNullable<B> : Body

/** The parts of a text that stands for a list, each once; `apart` separates them. */
export const listOf = (given: string, apart: RegExp = /[\n,]/): string[] => [
  ...new Set(given.split(apart).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))),
]
const NONE: Partial<Record<Kind, unknown>> = {
  number: null,
  instant: null,
  tick: false,
  switch: false,
  ticks: [],
  many: [],
}

const isField = (row: Row): row is Field => 'at' in row

/** Every field of the rows. */
export const fieldsOf = (rows: Rows): Field[] => rows.flatMap((row) => (isField(row) ? [row] : fieldsOf(row.rows)))

/** The fields that are there while the form holds these values. */
const presentIn = (rows: Rows, values: Values): Field[] =>
  rows.flatMap((row) => {
    if (row.when && !row.when(values)) return []
    return isField(row) ? [row] : presentIn(row.rows, values)
  })

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** `content.title` of a body; undefined where there is none. */
const read = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), body)

function put(body: Body, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop()!
  let inner = body
  for (const name of names) inner = (inner[name] ??= {}) as Body
  inner[last] = value
}

/** The same with another value at a place; without it for undefined. Objects that hold nothing else go with it. */
function changedAt(whole: Body, [name = '', ...inner]: readonly string[], value: unknown): Body {
  const next = inner.length === 0 ? value : changedAt(isObject(whole[name]) ? whole[name] : {}, inner, value)
  const { [name]: _, ...rest } = whole
  return next === undefined || (inner.length > 0 && isEmpty(next)) ? rest : { ...whole, [name]: next }
}

const firstOf = (field: Field): unknown =>
  typeof field.first === 'function'
    ? field.first()
    : 'first' in field
      ? field.first
      : (NONE[field.kind] ?? (field.kind in NONE ? null : ''))

/** First values of a form: read from `body`, which the interface gave, or those of a new form. */
export function valuesOf<R extends Rows>(rows: R, body?: object): ValuesOf<R> {
  const valueOf = (field: Field): unknown => {
    if (body === undefined) return firstOf(field)
    const stored = field.path === '' ? undefined : read(body, field.path)
    return (field.from ? field.from(stored, body as Values) : stored) ?? firstOf(field)
  }
  return Object.fromEntries(fieldsOf(rows).map((field) => [field.at, valueOf(field)])) as ValuesOf<R>
}

/** The value as the interface takes it; undefined for no member. */
function sentOf(field: Field, values: Values): unknown {
  const value = values[field.at]
  const plain = typeof value === 'string' && !field.isAsTyped ? value.trim() : value
  const sent = field.to ? field.to(value, values) : plain
  if (!isEmpty(sent)) return sent
  const empty = field.empty ?? (field.isOptional ? 'absent' : 'sent')
  return empty === 'absent' ? undefined : empty === 'null' ? null : sent
}

/** The body that the form makes. Its type is what the rows were made for. */
export function bodyOf<B = Body>(rows: Rows, values: Values): NonNullable<B> {
  const body: Body = {}
  for (const field of presentIn(rows, values)) {
    const sent = field.path === '' ? undefined : sentOf(field, values)
    if (sent !== undefined) put(body, field.path, sent)
  }
  return body as NonNullable<B>
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A stored value with what is different between two others: members of objects that are in neither stay. */
export function changedPart(stored: unknown, before: unknown, after: unknown): unknown {
  if (isSame(before, after)) return stored
  if (!isObject(stored) || !isObject(before) || !isObject(after)) return after
  const names = [...new Set([...Object.keys(stored), ...Object.keys(after)])]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = changedPart(stored[name], before[name], after[name])
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/**
 * The body of a form that edits `stored`, which the interface gave: what no row shows stays as it is there, and so does what nobody
 * changed. Of a form of something new, whose `stored` is empty, the same as `bodyOf`.
 */
export function bodyOver<B = Body>(rows: Rows, values: Values, stored: object): NonNullable<B> {
  const after = bodyOf(rows, values)
  if (isEmpty(stored)) return after as NonNullable<B>
  const before = bodyOf(rows, valuesOf(rows, stored))
  const paths = new Set(fieldsOf(rows).flatMap(({ path }) => (path === '' ? [] : [path])))
  let body = stored as Body
  for (const path of paths) {
    const [was, is] = [read(before, path), read(after, path)]
    if (!isSame(was, is)) body = changedAt(body, path.split('.'), changedPart(read(stored, path), was, is))
  }
  return body as NonNullable<B>
}

/** The body of a form that changes `stored` by the members it gives: of those that are objects, what no row shows is kept. */
export function bodyOfChange<B = Body>(rows: Rows, values: Values, stored: object): NonNullable<B> {
  const [given, whole] = [bodyOf(rows, values), bodyOver(rows, values, stored)]
  const kept = Object.entries(given).map(([name, value]) => {
    const isPart = isObject(value) && isObject((stored as Body)[name])
    return [name, isPart ? (whole[name] ?? value) : value]
  })
  return Object.fromEntries(kept) as NonNullable<B>
}

/** Places of the interface -> the field beside which what is said of them stands. */
export function namesOf(rows: Rows, values: Values): Record<string, string> {
  // Two fields may have one place: the one that is there gets its errors.
  const all = [...fieldsOf(rows), ...presentIn(rows, values)]
  return Object.fromEntries(
    all.flatMap(({ at, path, also = [] }) => [path, ...also].flatMap((place) => (place === '' ? [] : [[place, at]]))),
  )
}

/** Sentences about what is missing or wrong before anything is sent, by field. */
export function problemsOf(rows: Rows, values: Values): Record<string, string | undefined> {
  return Object.fromEntries(presentIn(rows, values).map((field) => [field.at, problemOf(field, values)]))
}

export const NO_OBJECT = 'Write an object: {"name": "value"}.'

function problemOf(field: Field, values: Values): string | undefined {
  const value = values[field.at]
  const sent = field.to?.(value, values)
  const isBlank = isEmpty(typeof value === 'string' ? value.trim() : value) || (Array.isArray(sent) && isEmpty(sent))
  if (field.need !== undefined && isBlank) return field.need
  const isNoObject = value !== undefined && !isObject(value) && !(value === null && field.empty === 'null')
  if (field.kind === 'json' && isNoObject) return NO_OBJECT
  return field.check?.(value, values)
}

/** The same values with samples in place of what is empty, or secret, for the shown command. */
export const withSamples = <V extends Values>(rows: Rows, values: V): V => ({
  ...values,
  ...Object.fromEntries(
    presentIn(rows, values).flatMap((field) => {
      const isNone = isEmpty(sentOf(field, values))
      const isReplaced = field.isSecret ? !(isNone && field.isOptional) : isNone && field.sample !== undefined
      return isReplaced ? [[field.at, field.sample ?? '']] : []
    }),
  ),
})

/** Tells whether a field of the rows holds something else than in a new form. */
export const isFilled = (rows: Rows, values: Values): boolean =>
  presentIn(rows, values).some((field) => JSON.stringify(values[field.at]) !== JSON.stringify(firstOf(field)))

/** Flags of the command that does the same; `isChange`: they also take away what is empty. */
export function flagsOf(rows: Rows, values: Values, isChange = false): string[] {
  return presentIn(rows, values).flatMap((field) => {
    if (field.flag === undefined) return []
    const flag = `--${field.flag}`
    const sent = sentOf(field, values)
    if (typeof sent === 'boolean' && !field.say) return sent ? [flag] : isChange ? [`--no-${field.flag}`] : []
    if (isEmpty(sent)) {
      if (!isChange || field.off === undefined) return []
      return field.off.startsWith('--') ? [field.off] : [flag, field.off]
    }
    if (field.say) return [flag, String(field.say(sent as never))]
    return [sent].flat().flatMap((one) => [flag, String(one)])
  })
}

/** Values for rows, and the way from a control to its value. */
export interface Bound<V extends object> {
  values: { value: V }
  field<K extends keyof V & string>(
    name: K,
  ): { name?: string | undefined; value: V[K]; error?: string | undefined; onChange(value: V[K]): void }
}

/** Rows over a part of what somebody edits, such as a block of a document: each change makes the part anew. `change` also learns the place. */
export function boundTo<R extends Rows, T extends object>(
  rows: R,
  part: T,
  change: (part: T, place: string) => void,
  errors: Readonly<Record<string, string | undefined>> = {},
): Bound<ValuesOf<R>> {
  const values = valuesOf(rows, part)
  const fields = new Map(fieldsOf(rows).map((field) => [field.at, field]))
  return {
    values: { value: values },
    field(name) {
      const field = fields.get(name)!
      const set = (value: unknown) => {
        const sent = sentOf(field, { ...values, [name]: value })
        change(changedAt(part as Body, field.path.split('.'), sent) as T, field.path)
      }
      return { name, value: values[name], error: errors[field.path], onChange: set }
    },
  }
}
