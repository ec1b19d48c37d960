import packageJson from '../../../package.json' with { type: 'json' }
import { TOKEN_SCOPES } from '../../domain/admins/types.ts'
import { PERMISSIONS, SCOPES } from '../../domain/apps/issued-keys.ts'
import { ERRORS } from '../../platform/errors.ts'
import { describe, describeBody, type JsonSchema } from '../../platform/values/parse.ts'
import { error, invalid, refusal } from '../../present/errors.ts'
import { told, type Words } from '../../present/schema.ts'
import { AREAS, type Area, isRepeatable, type KeyNeeds, type Route } from '../routing/route.ts'
import { DOORS_TAG, doorsOf } from './doors.ts'
import { commonHeaders, commonParameters, commonResponses, failure, shared } from './shared.ts'
import { createTeller, exampleOf } from './tell.ts'
import type { Content, Header, OpenApiDocument, OpenApiResponse, Operation, Parameter } from './types.ts'
import { PARAMETERS } from './words.ts'

const TAGS: Record<Area, string> = {
  crm: 'Users, their installs and attributes',
  data: 'Records of the data tables of an app',
  links: 'Deep links, also deferred ones, and the banners that lead to them',
  push: 'Push host: earlier forms of notifications, channels, gateway configuration, calls of Safari',
  messages:
    'Messaging host: notifications, push templates, pictures, in-app messages, templates, channels, segments, geofences',
  events: 'What devices report: events, crashes, installs',
  admin:
    'The admin interface, for people: the console and the command line from elsewhere. It answers under its prefix only',
}

const DESCRIPTION = `Every path is shown below the prefix of its area. An area answers in two more places: at the root without
the prefix, and under its host name when one is configured (\`hosts.*\`). Where two areas have the same path, the root serves the
form of \`messages\`.

Unknown fields of a body are accepted and ignored, except where a schema says \`additionalProperties: false\`. A 422 names every
wrong field at once. Null for an optional field of a body means the same as absent, unless a description says that it clears. Lists
for servers have an \`ETag\`, unless they are sent in parts: with \`If-None-Match\` the answer is 304 without a body if nothing has
changed. Rules that involve several fields do not show in the schemas; the descriptions state them.`

type Teller = ReturnType<typeof createTeller>

/** The document of a route table, everything where it is used. Pure: it depends on no setting and no database, so that it can be checked in. */
export function buildOpenApi(routes: readonly Route[]): OpenApiDocument {
  const teller = createTeller()
  const paths: OpenApiDocument['paths'] = {}
  for (const area of AREAS) {
    for (const route of routes) {
      if (!areasOf(route).includes(area)) continue
      const path = `/${area}${templateOf(route.path)}`
      paths[path] = { ...paths[path], [route.method]: operationOf(route, area, teller) }
    }
  }
  Object.assign(paths, doorsOf(teller))
  for (const schema of [error, invalid, refusal]) teller.tell(schema)
  const used = new Set(routes.flatMap(areasOf))
  return {
    openapi: '3.1.0',
    info: {
      title: 'appsvc',
      version: packageJson.version,
      summary: packageJson.description,
      description: DESCRIPTION,
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    servers: [{ url: '/', description: 'The server that this document was read from' }],
    tags: [...AREAS.filter((area) => used.has(area)).map((name) => ({ name, description: TAGS[name] })), DOORS_TAG],
    paths,
    components: {
      securitySchemes: SECURITY,
      parameters: commonParameters,
      headers: commonHeaders,
      responses: commonResponses,
      schemas: teller.named,
    },
  }
}

function areasOf({ area }: Route): readonly Area[] {
  return [area].flat()
}

const SECURITY = {
  serverKey: {
    type: 'http',
    scheme: 'basic',
    description:
      'For servers. User name: the API key of the app. Password: its server key, which may do everything, or a scoped server key ' +
      `(\`appsvc keys create --server\`), which may do what its scopes allow: ${SCOPES.join(', ')}. Each operation names the scope that it needs.`,
  },
  deviceKey: {
    type: 'http',
    scheme: 'basic',
    description: 'For apps on devices. User name: the API key of the app. Password: its secret key.',
  },
  restKey: {
    type: 'http',
    scheme: 'basic',
    description:
      'For the data area. User name: a REST key of the app. Any password. Its scopes, also called permissions, say what it may do: ' +
      `${PERMISSIONS.join(', ')}. Each operation names the one that it needs.`,
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-appsvc',
    description:
      'For browsers: the session of a person. On http, which only this machine itself may use, the cookie is called `appsvc`. Calls ' +
      'that change something need the header `Origin` with the address of the server.',
  },
  personalToken: {
    type: 'http',
    scheme: 'bearer',
    description: `For programs of a person: a personal token (\`appsvc_pt_…\`) with scopes: ${TOKEN_SCOPES.join(', ')}. Each operation names the right that it needs.`,
  },
}

const SCHEME_OF = {
  'server-key': 'serverKey',
  'own-app': 'serverKey',
  'device-key': 'deviceKey',
  'rest-key': 'restKey',
} as const satisfies Record<KeyNeeds, keyof typeof SECURITY>

/** Lists the ways to authenticate for a route, any of which suffices; none for a route that is open to everybody. */
function securityOf({ needs, right, scope, permission }: Route): Record<string, string[]>[] {
  if (needs === 'path-key' || needs === 'nobody') return []
  if (needs === 'person') return [{ session: [] }, { personalToken: [right ?? []].flat() }]
  return [{ [SCHEME_OF[needs]]: [scope ?? permission ?? []].flat() }]
}

/** `/v1/users/:userId` -> `/v1/users/{userId}` */
function templateOf(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}')
}

function operationOf(route: Route, area: Area, teller: Teller): Operation {
  const parameters = parametersOf(route, teller)
  return {
    operationId: operationId(route, area),
    tags: [area],
    summary: route.summary,
    description: route.description,
    ...(route.deprecated && { deprecated: true }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody(route) && { requestBody: { required: true, content: bodyOf(route, teller) } }),
    responses: responsesOf(route, teller),
  }
}

function hasBody({ body, upload, raw }: Route): boolean {
  return body !== undefined || upload !== undefined || raw !== undefined
}

function bodyOf({ body, upload, raw, takes, takesFile, sends }: Route, { tell }: Teller): Content {
  const file = oneFile(takes, takesFile)
  const schema = body && { ...describeBody(body), ...(takes && { title: takes }) }
  return {
    ...(raw && { '*/*': { schema: {} } }),
    ...(schema && { 'application/json': { schema: tell(schema), example: sends ?? exampleOf(schema) } }),
    ...(upload && { 'multipart/form-data': { schema: tell(file), example: exampleOf(file) } }),
  }
}

/** The name of the part is not looked at. */
const oneFile = (title = 'SubscribersFile', contentMediaType = 'text/csv'): JsonSchema => ({
  title,
  type: 'object',
  properties: { file: { type: 'string', contentMediaType } },
  required: ['file'],
})

/** `getCrmV1UsersByUserIdAttributes`: unique, because method, area and path together are. */
function operationId({ method, path }: Route, area: Area): string {
  const words = `${area}${path}`.split(/[/._-]/).filter((word) => word !== '')
  return (
    method + words.map((word) => capital(word.replace(/^[:*](.)/, (_, c: string) => `By${c.toUpperCase()}`))).join('')
  )
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Finds the words for a parameter: those of this path, or else those of its name on any path. */
function parameterWords({ path }: Route, place: 'path' | 'query', name: string): Words | undefined {
  return PARAMETERS[`${path}.${place}.${name}`] ?? PARAMETERS[`${place}.${name}`]
}

function parametersOf(route: Route, { tellField }: Teller): Operation['parameters'] & object {
  const said = route.twinOf ?? route
  const parameter = (place: 'path' | 'query', name: string, required: boolean, schemaOf: JsonSchema): Parameter => {
    const at = `${said.path}.${place}.${name}`
    const words = parameterWords(said, place, name)
    const form = words ? told(schemaOf, words) : schemaOf
    const { description, examples, ...schema } = tellField(form, at)
    const [example = exampleOf(form)] = (examples ?? []) as unknown[]
    return {
      name,
      in: place,
      required,
      ...(typeof description === 'string' && { description }),
      schema,
      ...(example !== undefined && { example }),
    }
  }
  // Its example says whether it is a number: a path holds text.
  const typeOf = (name: string) => (typeof parameterWords(said, 'path', name)?.[1] === 'number' ? 'integer' : 'string')
  const named = [...route.path.matchAll(/[:*](\w+)/g)].map(([, name]) =>
    parameter('path', name!, true, { type: typeOf(name!) }),
  )
  const documented = route.query ?? route.asks
  const query = documented ? describe(documented) : {}
  const required = new Set((query.required ?? []) as string[])
  const asked = Object.entries((query.properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) =>
    parameter('query', name, required.has(name), schema),
  )
  return [...named, ...asked, ...(isRepeatable(route) ? [shared('parameters', 'IdempotencyKey')] : [])]
}

/** Tells whether a route needs credentials of an app. */
function isForKeys({ needs }: Route): boolean {
  return needs !== 'path-key' && needs !== 'nobody' && needs !== 'person'
}

/** Tells whether a key can be valid and still lack the scope that the route needs. */
function needsScope({ needs }: Route): boolean {
  return needs === 'server-key' || needs === 'own-app' || needs === 'rest-key'
}

/** Tells whether a route for people can refuse a person. Everybody may read their own things. */
function mayBeForbidden({ needs, right, method }: Route): boolean {
  return (needs === 'person' || needs === 'nobody') && (method !== 'get' || (needs === 'person' && right !== 'self'))
}

/** Tells whether a route refuses addresses that tried too many wrong keys. A session and a personal token cannot be guessed. */
function hasGuessedKeys({ needs, audit }: Route): boolean {
  return (
    needs === 'server-key' || needs === 'own-app' || needs === 'rest-key' || (needs === 'nobody' && audit !== undefined)
  )
}

/** Tells that the path names an install. Its id can break a rule, so the route can answer 422. */
function namesInstall({ path }: Route): boolean {
  return path.includes(':installId')
}

function responsesOf(route: Route, teller: Teller): Operation['responses'] {
  const responses: Operation['responses'] = {
    ...(isForKeys(route) && { 401: shared('responses', 'Unauthorized') }),
    ...(needsScope(route) && { 403: shared('responses', 'Forbidden') }),
    ...(route.needs === 'person' && { 401: shared('responses', 'SignInFirst') }),
    ...(mayBeForbidden(route) && { 403: shared('responses', 'NotAllowed') }),
    ...(route.needs === 'rest-key' && { 406: shared('responses', 'NotAcceptable') }),
    ...(route.path.includes(':apiKey') && { 404: failure('There is no app with this API key') }),
    ...(route.needs === 'person' &&
      route.path.includes(':appId') && { 404: failure('There is no such app, or the person has no role in it') }),
    ...(isRepeatable(route) && { 409: shared('responses', 'Conflict') }),
    // What is wrong with a file, its size too, is said of the file.
    ...((route.body || route.raw) && { 413: shared('responses', 'TooLarge') }),
    // `raw` takes any type and encoding.
    ...((route.body || route.upload) && { 415: shared('responses', 'UnsupportedMedia') }),
    ...((hasBody(route) || route.query || isRepeatable(route) || namesInstall(route)) && {
      422: shared('responses', 'Invalid'),
    }),
    ...(hasGuessedKeys(route) && { 429: shared('responses', 'TooMany') }),
    503: shared('responses', 'Unavailable'),
    default: shared('responses', 'Failure'),
  }
  responses[route.status ?? 200] = successOf(route, teller)
  for (const [code, also] of Object.entries(route.also ?? {})) {
    const status = Number(code)
    const { says, body } = typeof also === 'string' ? { says: also, body: undefined } : also
    if (body) responses[code] = { description: says, ...jsonOf(body, teller) }
    else if (status === ERRORS.unauthorized.http) {
      const usual = isForKeys(route) ? commonResponses.Unauthorized : commonResponses.SignInFirst
      responses[code] = { ...usual, description: says }
    } else if (status === ERRORS.invalid.http) {
      responses[code] = { ...commonResponses.Invalid!, description: says }
    } else responses[code] = failure(says, status)
  }
  return responses
}

const MEANING: Record<number, string> = { 200: 'Done', 201: 'Created', 202: 'Accepted', 204: 'Done' }

function successOf(route: Route, teller: Teller): OpenApiResponse {
  const status = route.status ?? 200
  const headers = headersOf(route)
  const base = {
    description: route.method === 'delete' ? 'Done' : MEANING[status]!,
    ...(Object.keys(headers).length > 0 && { headers }),
  }
  if (route.bodyless || status === 204) return base
  if (route.produces) {
    const types = [route.produces, route.alsoProduces].filter((type) => type !== undefined)
    const text = (type: string) => ({ schema: { type: 'string', contentMediaType: type } })
    return { ...base, content: Object.fromEntries(types.map((type) => [type, text(type)])) }
  }
  const { content } = jsonOf(route.returns!, teller)
  return {
    ...base,
    content: { ...content, ...(route.alsoProduces && { [route.alsoProduces]: { schema: { type: 'string' } } }) },
  }
}

function headersOf(route: Route): NonNullable<OpenApiResponse['headers']> {
  const own = Object.entries(route.headers ?? {}).map(([name, [description, example]]): [string, Header] => [
    name,
    { description, ...(route.status === 201 && { required: true }), schema: { type: 'string' }, example },
  ])
  return {
    ...Object.fromEntries(own),
    ...(isRepeatable(route) && { 'Idempotency-Replayed': shared('headers', 'IdempotencyReplayed') }),
  }
}

function jsonOf(schema: JsonSchema, { tell }: Teller): { content: Content } {
  return { content: { 'application/json': { schema: tell(schema), example: exampleOf(schema) } } }
}
