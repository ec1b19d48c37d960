import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { JsonSchema } from '../../src/platform/values/parse.ts'
import { buildOpenApi } from '../../src/server/openapi/document.ts'
import type { OpenApiResponse, Operation } from '../../src/server/openapi/types.ts'
import { routes } from '../../src/server/routes.ts'
import type { Route } from '../../src/server/routing/route.ts'

/** Holds exchanges against the interface document: answers always, requests where they were accepted. */

/** Bodies beyond this are long lists of the same, and would only cost time. */
const LONGEST_BODY = 256 * 1024

const document = buildOpenApi(routes)

const ajv = createAjv(false)
const coercing = createAjv(true)
const validators = new Map<object, ValidateFunction>()

/** An exchange over the wire; the bodies as far as they were kept. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** The headers of the answer, by their names in lower case. */
  headers(): OutgoingHttpHeaders
  sent: Recording
  answered: Recording
}

/** Bytes of a body. */
interface Recording {
  chunks: Buffer[]
  size: number
}

/** Keeps what a request brings and what is answered. */
export function record(request: IncomingMessage, response: ServerResponse): Exchange {
  const sent: Recording = { chunks: [], size: 0 }
  const answered: Recording = { chunks: [], size: 0 }
  const keep = (recording: Recording, chunk: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const bytes = Buffer.from(chunk as string)
    recording.size += bytes.length
    if (recording.size <= LONGEST_BODY) recording.chunks.push(bytes)
  }
  const { emit } = request
  request.emit = (name: string | symbol, ...values: unknown[]) => {
    if (name === 'data') keep(sent, values[0])
    return emit.call(request, name, ...values)
  }
  // Headers that are written together with the status are not kept by Node.
  const written: OutgoingHttpHeaders = {}
  const { writeHead } = response
  response.writeHead = ((...values: Parameters<typeof writeHead>) => {
    const headers = values.at(-1)
    if (typeof headers === 'object') {
      for (const [name, value] of Object.entries(headers)) written[name.toLowerCase()] = value as string | number
    }
    return writeHead.apply(response, values)
  }) as typeof writeHead
  for (const name of ['write', 'end'] as const) {
    const original = response[name].bind(response) as (...values: unknown[]) => never
    response[name] = (...values: unknown[]) => {
      keep(answered, values[0])
      return original(...values)
    }
  }
  return { request, response, headers: () => ({ ...response.getHeaders(), ...written }), sent, answered }
}

const operations = new Map<Route, Operation>()

export function operationOf(route: Route): Operation {
  const known = operations.get(route)
  if (known) return known
  const [area] = [route.area].flat()
  const operation = document.paths[`/${area}${route.path.replace(/[:*](\w+)/g, '{$1}')}`]![route.method]!
  operations.set(route, operation)
  return operation
}

/** Differences between an exchange and the document of its operation. */
export function differences(route: Route, exchange: Exchange): string[] {
  const { request, response, sent, answered } = exchange
  const headers = exchange.headers()
  const operation = operationOf(route)
  const status = String(response.statusCode)
  // The answer of an earlier request was held against the document then.
  const isReplayed = headers['idempotency-replayed'] !== undefined
  const told = resolve(document.components.responses, operation.responses[status] ?? operation.responses.default!)
  const wrong = [
    ...wrongHeaders(told, headers),
    ...(request.method === 'HEAD' || isReplayed ? [] : wrongBody(told, headers, answered)),
  ]
  const accepted = status.startsWith('2') && !isReplayed
  if (accepted) wrong.push(...wrongQuery(operation, request), ...wrongRequest(operation, request, sent, answered))
  return wrong.map((one) => `${route.method} ${route.path} ${status}: ${one}`)
}

/** Headers of transport, caching, proxies and browsers. The document leaves them out, as they say nothing about an operation. */
const PLUMBING =
  /^(access-control-.*|cache-control|connection|content-(length|security-policy|type)|date|etag|keep-alive|referrer-policy|transfer-encoding|vary|x-accel-buffering|x-content-type-options)$/i

function wrongHeaders({ headers = {} }: OpenApiResponse, sent: OutgoingHttpHeaders): string[] {
  const documented = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const others = Object.keys(sent).filter((name) => !documented.has(name) && !PLUMBING.test(name))
  const undocumented = others.map((name) => `the header ${name} is not documented (\`headers\` of the route)`)
  const wrong = Object.entries(headers).flatMap(([name, one]) => {
    const { required, schema } = resolve(document.components.headers, one)
    const value = sent[name.toLowerCase()]
    if (value === undefined) return required ? [`the header ${name} is missing`] : []
    return errorsOf(schema, String(value)).map((error) => `the header ${name} ${error}`)
  })
  return [...undocumented, ...wrong]
}

function wrongBody(
  { content }: OpenApiResponse,
  headers: Record<string, unknown>,
  { chunks, size }: Recording,
): string[] {
  if (!content) return size > 0 ? ['has a body, and none is documented'] : []
  const { 'content-type': sent } = headers
  const type = typeof sent === 'string' ? sent.split(';', 1)[0]! : ''
  const media = content[type]
  if (!media) return [`the type ${type || '(none)'} is not documented`]
  if (type !== 'application/json' || size > LONGEST_BODY) return []
  return errorsOf(media.schema, JSON.parse(Buffer.concat(chunks).toString())).map((error) => `the answer ${error}`)
}

function wrongQuery(operation: Operation, { url }: IncomingMessage): string[] {
  const schema = querySchemaOf(operation)
  if (!schema) return []
  const query = Object.fromEntries([...new URLSearchParams(url!.split('?')[1] ?? '')].toReversed())
  const errors = errorsOf(schema, query, coercing)
  return errors.map((error) => `accepted although the query ${error}`)
}

/** The parsed body; undefined when it is no JSON. */
function jsonOf({ chunks }: Recording): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8').decode(Buffer.concat(chunks)))
  } catch {
    return undefined
  }
}

const querySchemas = new Map<Operation, JsonSchema | undefined>()

/** The schema of the query; undefined where nothing is asked. */
function querySchemaOf(operation: Operation): JsonSchema | undefined {
  if (querySchemas.has(operation)) return querySchemas.get(operation)
  const asked = (operation.parameters ?? [])
    .map((one) => resolve(document.components.parameters, one))
    .filter((one) => one.in === 'query')
  const schema: JsonSchema | undefined =
    asked.length === 0
      ? undefined
      : {
          type: 'object',
          properties: Object.fromEntries(asked.map(({ name, schema }) => [name, schema])),
          required: asked.filter(({ required }) => required).map(({ name }) => name),
        }
  querySchemas.set(operation, schema)
  return schema
}

function wrongRequest(
  { requestBody }: Operation,
  request: IncomingMessage,
  { chunks, size }: Recording,
  answered: Recording,
): string[] {
  const media = requestBody?.content['application/json']
  if (!media || size > LONGEST_BODY || !request.complete || size === 0) return []
  const value = jsonOf({ chunks, size })
  if (value === undefined) return []
  // Events are refused one by one.
  const { refused = [] } = (jsonOf(answered) ?? {}) as { refused?: { index: number }[] }
  const isRefused = (error: string) =>
    refused.some(({ index }) => error.startsWith(`/${index}/`) || error.startsWith(`/${index} `))
  return errorsOf(media.schema, value)
    .filter((error) => !isRefused(error))
    .map((error) => `accepted although the body ${error}`)
}

function errorsOf(schema: object, value: unknown, by = ajv): string[] {
  const validate = validators.get(schema) ?? by.compile(pointed(schema))
  validators.set(schema, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'as a whole'} ${message} ${JSON.stringify(params)} ${JSON.stringify(at(value, instancePath))?.slice(0, 120)}`,
  )
}

function at(value: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], value)
}

function resolve<T extends object>(shared: Record<string, T>, one: T | { $ref: string }): T {
  return '$ref' in one ? shared[one.$ref.slice(one.$ref.lastIndexOf('/') + 1)]! : one
}

function createAjv(coerceTypes: boolean): Ajv2020 {
  const made = new Ajv2020({
    strict: false,
    allErrors: true,
    coerceTypes,
    validateFormats: true,
    logger: false,
    // Every process of a run compiles the schemas, for few checks each: this takes a third of the time.
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  })
  addFormats.default(made)
  // As URL reads them, which takes more than RFC 3986 does.
  for (const name of ['uri', 'iri']) made.addFormat(name, (text) => URL.canParse(text))
  for (const name of ['uri-reference', 'iri-reference']) {
    made.addFormat(name, (text) => URL.canParse(text, 'https://example.com'))
  }
  const answers = namesIn(
    Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ responses }) => responses)),
  )
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    made.addSchema(pointed(answers.has(name) ? closed(schema) : schema), `component:${name}`)
  }
  return made
}

/** Names of the schemas that this refers to, also by way of others. */
function namesIn(value: unknown, found = new Set<string>()): Set<string> {
  for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name!)) continue
    found.add(name!)
    namesIn(document.components.schemas[name!], found)
  }
  return found
}

/** The same without room for members that it does not name: what is answered must be documented. */
function closed<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(closed) as T
  const inside = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]))
  const isOpen = 'properties' in value && 'type' in value && !('additionalProperties' in value)
  return (isOpen ? { ...inside, additionalProperties: false } : inside) as T
}

/** References as ajv finds them. */
function pointed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', 'component:')) as T
}
