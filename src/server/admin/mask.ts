import { AppError } from '../../platform/errors.ts'
import type { JsonSchema } from '../../platform/values/parse.ts'
import { Bytes, Events, JSON_TYPE, jsonText, type Person, Reply, type Route, Stream, Text } from '../routing/route.ts'
import { KINDS, KINDS_OF_FIELDS, type Kind } from './kinds.ts'

/** The end of a masked text. */
const HIDDEN = '•••'
const SHOWN_CHARACTERS = 2
/** A shorter text would be shown whole, or nearly so. */
const FEWEST_CHARACTERS = 4

/** Routes whose answer is no JSON and holds nothing personal: the QR code of a link is the same for everybody. */
const HARMLESS = new Set(['/v1/apps/:appId/deep-links/:id/qr'])

/** Tells whether the answer of a route to this person is masked. `self` is about the person alone. */
export const isMaskedFor = ({ right }: Pick<Route, 'right'>, person: Person | undefined): boolean =>
  person?.isMasked === true && right !== 'self'

/** Throws `forbidden` where an answer is of a form that cannot be masked: files, pages. */
export function refuseUnmaskable({ path, produces, streams }: Pick<Route, 'path' | 'produces' | 'streams'>): void {
  if (produces === undefined || streams !== undefined || HARMLESS.has(path)) return
  throw new AppError(
    'forbidden',
    'personal data is masked for viewers, which is not possible here: ask for another role',
  )
}

/**
 * The answer of a route to somebody who must not see personal data. The fields of the schema of the answer decide (`kinds.ts`):
 * of personal ones text keeps its first two characters, numbers and booleans become null, and lists and objects keep their shape,
 * so that a page can still show how many there are. Without a schema everything is personal.
 */
export function maskedAnswer(route: Pick<Route, 'path' | 'returns' | 'streams' | 'status'>, result: unknown): unknown {
  if (result instanceof Reply) return new Reply(result.status, maskedAnswer(route, result.body), result.headers)
  if (result instanceof Events) {
    const { events } = result
    return new Events(async function* (signal) {
      for await (const one of events(signal)) yield { ...one, data: maskPersonal(one.data, route.streams) }
    })
  }
  if (result instanceof Stream) return maskedStream(route, result)
  if (result instanceof Text && result.type === JSON_TYPE)
    return jsonText(JSON.stringify(maskPersonal(JSON.parse(result.text), route.returns)))
  if (result instanceof Text || result instanceof Bytes) {
    if (!HARMLESS.has(route.path)) refuseUnmaskable({ path: route.path, produces: result.type })
    return result
  }
  return maskPersonal(result, route.returns)
}

function maskedStream({ path, returns, streams }: Pick<Route, 'path' | 'returns' | 'streams'>, list: Stream): Stream {
  const { items, present, within } = list
  if (within === 'pieces' || within === 'records') refuseUnmaskable({ path, produces: within })
  if (within === 'lines') return new Stream(items, (item) => maskPersonal(present(item), streams), within)
  if (typeof within !== 'object') {
    const [one] = fittingOf(returns, [])
    return new Stream(items, (item) => maskPersonal(present(item), one?.items as JsonSchema | undefined), within)
  }
  const { name, others } = within
  const shape = fittingOf(returns, { [name]: [], ...others })[0]
  const members = propertiesOf(shape)[name]
  const ofItem = fittingOf(members, [])[0]?.items as JsonSchema | undefined
  const masked = maskPersonal(others, returns) as Record<string, unknown>
  return new Stream(items, (item) => maskPersonal(present(item), ofItem), { name, others: masked })
}

/** A copy of JSON of this schema without its personal parts. Pure. */
export function maskPersonal(value: unknown, schema: JsonSchema | undefined, place = ''): unknown {
  if (value === null || value === undefined) return value
  if (schema === undefined) return hidden(value)
  if (Array.isArray(value)) {
    const [list] = fittingOf(schema, value)
    const items = list?.items as JsonSchema | undefined
    return value.map((one) => maskPersonal(one, items, place))
  }
  if (typeof value !== 'object') return fittingOf(schema, value).some(isClosed) ? value : hidden(value)
  const [shape] = fittingOf(schema, value)
  if (shape === undefined) return hidden(value)
  const properties = propertiesOf(shape)
  const title = titleOf(shape, place)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const kind = kindOf(title, name)
      if (kind !== undefined) return [name, OF_KIND[kind](one)]
      return [name, maskPersonal(one, properties[name] ?? valuesOf(shape), `${title}.${name}`)]
    }),
  )
}

/** Fields in the schema of an answer about which nobody has decided, as `Title.field`. For the test that there are none. Pure. */
export function undecided(schema: JsonSchema | undefined, place = ''): string[] {
  if (schema === undefined) return [place]
  const choices = alternativesOf(schema)
  if (choices.length > 1 || choices[0] !== schema) return choices.flatMap((one) => undecided(one, place))
  if (isClosed(schema)) return []
  const { items } = schema as { items?: JsonSchema }
  if (items !== undefined) return undecided(items, place)
  const title = titleOf(schema, place)
  const properties = Object.entries(propertiesOf(schema))
  const values = valuesOf(schema)
  if (properties.length === 0 && values === undefined) return kindOf(title, '*') === undefined ? [title] : []
  return [
    ...properties.flatMap(([name, one]) =>
      kindOf(title, name) === undefined ? undecided(one, `${title}.${name}`) : [],
    ),
    ...(values === undefined ? [] : undecided(values, place)),
  ]
}

/** `alice@example.com` -> `al•••`. Pure. */
export function masked(text: string): string {
  const characters = [...text]
  return `${characters.length < FEWEST_CHARACTERS ? '' : characters.slice(0, SHOWN_CHARACTERS).join('')}${HIDDEN}`
}

/** A value under a personal field: its shape stays. Pure. */
function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one)]))
  }
  return typeof value === 'string' ? masked(value) : null
}

/** The part of a value that each kind shows. */
const OF_KIND: Readonly<Record<Kind, (value: unknown) => unknown>> = {
  shown: (value) => value,
  personal: hidden,
  withheld: () => null,
  code: (value) => (typeof value === 'string' && (CODE.test(value) || VERSION.test(value)) ? value : hidden(value)),
  address: (value) => (typeof value === 'string' ? plainAddress(value) : hidden(value)),
  filter: withoutValues,
}

/** `UNREGISTERED`, `80300007`, `java.lang.IllegalStateException`, `com.example.Basket.total(Basket.kt:12)`. */
const CODE = /^[\w.$:<>()[\]/-]{1,200}$/
/** `3.1 (45)` */
const VERSION = /^\d+(\.\d+)*( \(\d+\))?$/

function plainAddress(text: string): string {
  if (!URL.canParse(text)) return masked(text)
  const url = new URL(text)
  if (url.search === '' && url.hash === '' && url.username === '' && url.password === '') return text
  return `${url.protocol}//${url.host}${url.pathname}?${HIDDEN}`
}

/** Members of a filter and of a target that say what is asked, not of whom. */
const QUESTIONS = new Set([
  'field',
  'op',
  'operator',
  'segmentId',
  'segmentUuid',
  'segmentUuids',
  'channels',
  'channelUuids',
  'channelIds',
])

/** A filter or a target without its values: fields, operators and `QUESTIONS` stay. Pure. */
function withoutValues(filter: unknown): unknown {
  if (Array.isArray(filter)) return filter.map(withoutValues)
  if (typeof filter === 'string') return masked(filter)
  // A number as text, so that a sentence about the filter can be read.
  if (typeof filter !== 'object' || filter === null) return typeof filter === 'number' ? HIDDEN : filter
  return Object.fromEntries(
    Object.entries(filter).map(([name, one]) => [name, QUESTIONS.has(name) ? one : withoutValues(one)]),
  )
}

const DECIDED = new Map(
  Object.entries(KINDS).map(([title, kinds]) => [
    title,
    new Map(KINDS_OF_FIELDS.flatMap((kind) => (kinds[kind] ?? '').split(' ').map((name) => [name, kind] as const))),
  ]),
)

const kindOf = (title: string, name: string): Kind | undefined => DECIDED.get(title)?.get(name)

const titleOf = (schema: JsonSchema, place: string): string => (typeof schema.title === 'string' ? schema.title : place)

const propertiesOf = (schema: JsonSchema | undefined): Record<string, JsonSchema> =>
  (schema as { properties?: Record<string, JsonSchema> } | undefined)?.properties ?? {}

/** The schema of members that have no schema of their own. */
function valuesOf(schema: JsonSchema): JsonSchema | undefined {
  const { additionalProperties } = schema as { additionalProperties?: JsonSchema | boolean }
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

function alternativesOf(schema: JsonSchema): JsonSchema[] {
  const { anyOf, oneOf } = schema as { anyOf?: JsonSchema[]; oneOf?: JsonSchema[] }
  return (anyOf ?? oneOf)?.flatMap(alternativesOf) ?? [schema]
}

/** The schemas that fit a value, the closest first: of objects, the one with the most of its members. */
function fittingOf(schema: JsonSchema | undefined, value: unknown): JsonSchema[] {
  if (schema === undefined) return []
  const form = Array.isArray(value) ? 'array' : typeof value === 'object' ? 'object' : 'value'
  const fitting = alternativesOf(schema).filter((one) => formsOf(one).includes(form))
  if (form !== 'object' || fitting.length < 2) return fitting
  const shared = (one: JsonSchema) => Object.keys(value as object).filter((name) => name in propertiesOf(one)).length
  return fitting.toSorted((a, b) => shared(b) - shared(a))
}

function formsOf(schema: JsonSchema): string[] {
  const types = [schema.type].flat()
  return types.map((type) => (type === 'array' || type === 'object' ? type : 'value'))
}

const isOfTime = (pattern: unknown) => typeof pattern === 'string' && pattern.startsWith('^\\d{4}-\\d{2}-\\d{2}')

/** Tells whether a schema holds no text of anybody: words of a list, yes or no, times, counts. */
function isClosed(schema: JsonSchema): boolean {
  const { enum: words, const: word, pattern, minimum, type } = schema as Record<string, unknown>
  if (words !== undefined || word !== undefined) return true
  const types = [type].flat().filter((one) => one !== 'null')
  if (types.length === 0) return true
  return types.every(
    (one) => one === 'boolean' || (one === 'integer' && minimum === 0) || (one === 'string' && isOfTime(pattern)),
  )
}
