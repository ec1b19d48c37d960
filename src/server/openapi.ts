import packageJson from '../../package.json' with { type: 'json' }
import { PERMISSIONS, SCOPES } from '../domain/apps/issued-keys.ts'
import { ERRORS } from '../platform/errors.ts'
import { describe, type JsonSchema } from '../platform/parse.ts'
import { schemaOf } from './answer-schema.ts'
import { commonParameters, commonResponses, errorSchemas, refusal, shared } from './openapi-shared.ts'
import type { Content, OpenApiDocument, OpenApiResponse, Operation, Parameter } from './openapi-types.ts'
import { AREAS, type Area, type Needs, type Route } from './route.ts'

const TAGS: Record<Area, string> = {
  crm: 'Users, their installs and attributes',
  data: 'Records of the tables of an app',
  links: 'Deferred deep links',
  push: 'Push host: earlier forms of notifications, channels, gateway configuration',
  messages: 'Messaging host: notifications, in-app messages, channels, geofences, opens',
  events: 'What devices tell',
}

const DESCRIPTION = `Every path is shown below the prefix of its area. An area answers in two more places: at the root without
the prefix, and under its host name when one is configured (\`hosts.*\`). Where two areas have the same path, the root is the
form of \`messages\`.

Unknown fields of a body are accepted and ignored, except where a schema says \`additionalProperties: false\`. A 422 names every
wrong field at once. Rules that look at several fields do not show in the schemas.`

/** The document of a route table. Pure: it depends on no setting and no database, so that it can be checked in. */
export function buildOpenApi(routes: readonly Route[]): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const area of AREAS) {
    for (const route of routes) {
      if (!areasOf(route).includes(area)) continue
      const path = `/${area}${templateOf(route.path)}`
      paths[path] = { ...paths[path], [route.method]: operationOf(route, area) }
    }
  }
  const used = new Set(routes.flatMap(areasOf))
  return {
    openapi: '3.1.0',
    info: {
      title: 'appsvc',
      version: packageJson.version,
      summary: packageJson.description,
      description: DESCRIPTION,
      license: { name: packageJson.license },
    },
    servers: [{ url: '/', description: 'Wherever this document was read from' }],
    tags: AREAS.filter((area) => used.has(area)).map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      securitySchemes: SECURITY,
      parameters: commonParameters,
      responses: commonResponses,
      schemas: errorSchemas,
    },
  }
}

/** The document as it is checked in and served. */
export function openApiText(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

function areasOf({ area }: Route): readonly Area[] {
  return [area].flat()
}

const SECURITY = {
  serverKey: {
    type: 'http',
    scheme: 'basic',
    description:
      'For servers. User name: the API key of the app; password: its server key, which may do everything, or a scoped server key ' +
      `(\`appsvc keys create --server\`), which may do what its scopes say: ${SCOPES.join(', ')}. Each operation names the scope that it needs`,
  },
  deviceKey: {
    type: 'http',
    scheme: 'basic',
    description: 'For apps on devices. User name: the API key of the app; password: its secret key',
  },
  restKey: {
    type: 'http',
    scheme: 'basic',
    description:
      'For the data area. User name: a REST key of the app; any password. Its scopes, also called permissions, say what it may do: ' +
      `${PERMISSIONS.join(', ')}. Each operation names the one that it needs`,
  },
}

const SCHEME_OF = {
  'server-key': 'serverKey',
  'own-app': 'serverKey',
  'device-key': 'deviceKey',
  'rest-key': 'restKey',
} as const satisfies Record<Exclude<Needs, 'path-key'>, keyof typeof SECURITY>

/** `/v1/users/:userId` -> `/v1/users/{userId}` */
function templateOf(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}')
}

function operationOf(route: Route, area: Area): Operation {
  const parameters = parametersOf(route)
  return {
    operationId: operationId(route, area),
    tags: [area],
    summary: route.summary,
    security:
      route.needs === 'path-key' ? [] : [{ [SCHEME_OF[route.needs]]: [route.scope ?? route.permission ?? []].flat() }],
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody(route) && { requestBody: { required: true, content: bodyOf(route) } }),
    responses: responsesOf(route),
  }
}

function hasBody({ body, upload, raw }: Route): boolean {
  return body !== undefined || upload !== undefined || raw !== undefined
}

function bodyOf({ body, upload, raw }: Route): Content {
  return {
    ...(raw && { '*/*': { schema: {} } }),
    ...(body && { 'application/json': { schema: describe(body) } }),
    ...(upload && { 'multipart/form-data': { schema: ONE_FILE } }),
  }
}

/** The name of the part is not looked at. */
const ONE_FILE: JsonSchema = {
  type: 'object',
  properties: { file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'One file' } },
  required: ['file'],
}

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

function parametersOf(route: Route): Operation['parameters'] & object {
  const named = [...route.path.matchAll(/[:*](\w+)/g)].map(
    ([, name]): Parameter => ({ name: name!, in: 'path', required: true, schema: { type: 'string' } }),
  )
  const documented = route.query ?? route.asks
  const query = documented ? describe(documented) : {}
  const required = new Set((query.required ?? []) as string[])
  const asked = Object.entries((query.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, schema]): Parameter => ({ name, in: 'query', required: required.has(name), schema }),
  )
  return [...named, ...asked, ...(isRepeatable(route) ? [shared('parameters', 'IdempotencyKey')] : [])]
}

/** Whether the dispatcher honours an `Idempotency-Key`. */
function isRepeatable({ method, transaction }: Route): boolean {
  return method === 'post' && transaction !== false
}

/** Whether keys that open it may lack what it needs. */
function needsScope({ needs }: Route): boolean {
  return needs === 'server-key' || needs === 'own-app' || needs === 'rest-key'
}

/** What an install may be called is a rule, also where the path names it. */
function namesInstall({ path }: Route): boolean {
  return path.includes(':installId')
}

function responsesOf(route: Route): Operation['responses'] {
  const status = route.status ?? 200
  const responses: Operation['responses'] = {
    ...(route.needs !== 'path-key' && { 401: shared('responses', 'Unauthorized') }),
    ...(needsScope(route) && { 403: shared('responses', 'Forbidden') }),
    ...(route.needs === 'rest-key' && { 406: shared('responses', 'NotAcceptable') }),
    ...(route.path.includes(':apiKey') && { 404: answer(ERRORS.not_found.http, 'There is no app with this API key') }),
    ...(isRepeatable(route) && { 409: shared('responses', 'Conflict') }),
    // What is wrong with a file, its size too, is said of the file.
    ...((route.body || route.raw) && { 413: shared('responses', 'TooLarge') }),
    // `raw` takes any type and encoding.
    ...((route.body || route.upload) && { 415: shared('responses', 'UnsupportedMedia') }),
    ...((hasBody(route) || route.query || isRepeatable(route) || namesInstall(route)) && {
      422: shared('responses', 'Invalid'),
    }),
    ...(route.needs !== 'path-key' && route.needs !== 'device-key' && { 429: shared('responses', 'TooMany') }),
    default: shared('responses', 'Failure'),
  }
  responses[status] = answerOf(route, status, status === 204 ? 'Done' : (MEANING[status] ?? 'The answer'))
  for (const [code, description] of Object.entries(route.also ?? {}))
    responses[code] = answerOf(route, Number(code), description)
  return responses
}

const MEANING: Record<number, string> = { 200: 'Done', 201: 'Created', 202: 'Accepted' }

function answerOf(route: Route, status: number, description: string): OpenApiResponse {
  const isSuccess = status === (route.status ?? 200)
  if (route.bodyless && isSuccess) return { description }
  if (route.produces && isSuccess) {
    return { description, content: { [route.produces]: { schema: { type: 'string', format: 'binary' } } } }
  }
  if (!route.returns || !isSuccess) return answer(status, description)
  const [example] = route.returns
  return { description, content: { 'application/json': { schema: schemaOf(route.returns), example } } }
}

function answer(status: number, description: string): OpenApiResponse {
  if (status === 204) return { description }
  const schema = status < 400 ? {} : refusal(status === ERRORS.bad_request.http)
  return { description, content: { 'application/json': { schema } } }
}
