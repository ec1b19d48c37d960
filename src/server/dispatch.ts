import type { Context } from 'koa'
import type { App, Areas } from '../app.ts'
import { AppError } from '../platform/errors.ts'
import { failpoint } from '../platform/failpoints.ts'
import { jsonBytes } from '../platform/json.ts'
import { parseJson, parseText } from '../platform/parse.ts'
import { admitPerson } from './admin/admit.ts'
import { auditOf } from './admin/audited.ts'
import { eventStream } from './admin/event-stream.ts'
import { isMaskedFor, maskedAnswer, refuseUnmaskable } from './admin/mask.ts'
import { cookieOf } from './admin/origin.ts'
import { authenticate } from './auth.ts'
import { readBytes, readJson } from './body.ts'
import { chargeBytes, checkBytes, takeNewcomers } from './device/caps.ts'
import { goneSignal } from './gone.ts'
import { areaAddress, destinationOf } from './hosts.ts'
import { idempotencyOf, once, REPLAYED } from './idempotency.ts'
import {
  type Area,
  type Call,
  EVENT_STREAM,
  Events,
  isRepeatable,
  type Note,
  type Person,
  type ReceivedFile,
  Reply,
  type Route,
} from './route.ts'
import { type Fitting, routeTable, withMethod } from './route-table.ts'
import { readFile } from './upload.ts'
import { answerToWrongKey } from './wrong-keys.ts'

/** What is told about a request as soon as it is known. */
export interface Listener {
  /** The path is one of devices: the answer, whatever it is, has `CORS`. */
  onDevicePath(): void
  /** The request runs this route. */
  onMatch(route: Route, area: Area): void
}

/** Finds the declared route of a request and runs it: key, body, schema, transaction, answer. */
export function createDispatch(app: App, routes: readonly Route[]) {
  const { config } = app.kernel
  const tables = new Map<readonly Area[], ReturnType<typeof routeTable>>()

  function tableOf(areas: readonly Area[]): ReturnType<typeof routeTable> {
    let table = tables.get(areas)
    if (!table) tables.set(areas, (table = routeTable(routes, areas)))
    return table
  }

  function fittingAt(areas: readonly Area[], path: string): Fitting {
    const found = tableOf(areas)(path)
    if (found.routes.length > 0 || !path.includes('//')) return found
    // Old SDKs write `/v1//app-installs/...`. Routes for servers match the exact path only.
    const lenient = tableOf(areas)(path.replace(/\/{2,}/g, '/'))
    return { ...lenient, routes: lenient.routes.filter(({ route }) => route.device) }
  }

  return async function dispatch(context: Context, whole: string, listener: Listener): Promise<Reply> {
    const { areas, path, byHost } = destinationOf(hostOf(context), whole, config)
    if (path.includes('%')) checkEncoding(path)
    const fitting = fittingAt(areas, path)
    const method = METHODS[context.method] ?? context.method.toLowerCase()
    const found = withMethod(fitting, method)

    if (fitting.routes.some(({ route }) => route.device)) listener.onDevicePath()
    if (!found) return unmatched(context, fitting)

    const { route, area } = found
    const params = fitting.paramsOf(found)
    listener.onMatch(route, area)
    const { authorization, accept = '' } = context.req.headers
    const { needs } = route
    const admitted =
      needs === 'person' || needs === 'nobody'
        ? admitPerson(app, route, context, params)
        : admit(app, { ...route, needs }, params, {
            authorization: authorization || undefined,
            remote: context.ip,
          })
    // What is known goes on without a wait, so that its reads are among those of its turn (gathered.ts).
    const { appId, person } = asWho(admitted instanceof Promise ? await admitted : admitted)
    if (route.needs === 'rest-key') checkAccept(accept)
    return run(app, route, context, {
      appId,
      person,
      params,
      address: areaAddress(area, byHost, config, context.req.socket),
    })
  }
}

/** Whom routes find that need no person. */
const NOBODY: Person = {
  id: 0,
  name: 'nobody',
  email: '',
  rights: [],
  role: undefined,
  roles: [],
  isMasked: true,
  session: undefined,
  tokenApp: undefined,
  tokenScopes: undefined,
}

/** Proxies must neither keep nor collect it (`X-Accel-Buffering` is nginx's). */
const LIVE = { 'Content-Type': EVENT_STREAM, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }

const METHODS: Record<string, string | undefined> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** As Koa reads it; only an odd header needs all that Koa does. */
function hostOf(context: Context): string {
  const { host = '' } = context.req.headers
  return /[\s,@]/.test(host) ? context.host : host
}

/** The app of the keys, without a promise when they are known. */
function admit(
  app: App,
  route: Route & { needs: Exclude<Route['needs'], 'person' | 'nobody'> },
  params: Record<string, string>,
  { authorization, remote }: { authorization: string | undefined; remote: string },
): number | Promise<number> {
  const refuse = (thrown: unknown): never => {
    throw answerToWrongKey(app, route, { thrown, authorization, remote })
  }
  try {
    const found = authenticate(app, route, authorization, params)
    return found instanceof Promise ? found.catch(refuse) : found
  } catch (thrown) {
    return refuse(thrown)
  }
}

const asWho = (admitted: number | { appId: number; person: Person | undefined }) =>
  typeof admitted === 'number' ? { appId: admitted, person: undefined } : admitted

/**
 * Browsers call device routes from other origins, without cookies; every call is preflighted
 * (docs/reference/device-protocol.md section 2).
 */
export const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'authorization, content-type, accept',
  'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
  'Access-Control-Max-Age': '86400',
}

function unmatched(context: Context, { routes }: Fitting): Reply {
  if (routes.length === 0) throw new AppError('not_found', `there is nothing at ${context.path}`)
  const methods = [...new Set(routes.map(({ route }) => route.method.toUpperCase()))]
  if (methods.includes('GET')) methods.push('HEAD')
  const allow = { Allow: [...methods, 'OPTIONS'].join(', ') }
  if (context.method === 'OPTIONS') return new Reply(204, undefined, allow)
  throw new AppError('method_not_allowed', `${context.method} is not supported here: use ${methods.join(' or ')}`, {
    headers: allow,
  })
}

/** Whose call it is. */
interface Who extends Pick<Call<unknown, unknown>, 'appId' | 'params' | 'address'> {
  person: Person | undefined
}

async function run(host: App, route: Route, context: Context, who: Who): Promise<Reply> {
  if (!route.upload) return runWith(host, route, context, who, undefined)
  const sink = await route.upload({ ...who, app: host, host })
  let isWanted = false
  try {
    const reply = await runWith(host, route, context, who, await readFile(context, sink))
    // A repeat got the stored answer, so its file is not needed.
    isWanted = reply.headers[REPLAYED] === undefined
    return reply
  } finally {
    if (!isWanted) await sink.discard()
  }
}

async function runWith(
  host: App,
  route: Route,
  context: Context,
  { person, ...who }: Who,
  file: ReceivedFile | undefined,
): Promise<Reply> {
  const { config } = host.kernel
  const sender = { host, appId: who.appId, remote: context.ip }
  const isCounted = route.device === true && (route.body !== undefined || route.raw === true)
  if (isCounted) await checkBytes(sender)
  const read = route.body
    ? await readJson(context.req, config[route.bodyLimit ?? 'limits.body'], route.device === true)
    : undefined
  const bytes = route.raw ? await readBytes(context.req, config[route.bodyLimit ?? 'limits.body']) : Buffer.alloc(0)
  const call = {
    ...who,
    host,
    file,
    bytes,
    size: read?.size ?? bytes.length,
    remote: context.ip,
    search: context.querystring,
    header: (name: string) => context.get(name),
    gone: () => goneSignal(context.res),
    isHead: context.method === 'HEAD',
    cookie: (id: string) => cookieOf(context, config, id),
    body: route.body && parseJson(route.body, read?.value),
    query: route.query && parseText(route.query, { ...context.query }),
  }
  const prepared = route.prepare && (await route.prepare(call))
  const answer = async (app: Call<unknown, unknown>['app']): Promise<Reply> => {
    let details: Note = {}
    const isMasked = isMaskedFor(route, person)
    if (isMasked) refuseUnmaskable(route)
    const whole = await route.run({
      ...call,
      prepared,
      app,
      note: (more) => void (details = { ...details, ...more }),
      person: person ?? NOBODY,
    })
    const result = isMasked ? maskedAnswer(route, whole) : whole
    if (result instanceof Events) {
      return new Reply(200, eventStream(host, result, person, goneSignal(context.res)), LIVE)
    }
    const reply = result instanceof Reply ? result : new Reply(route.status ?? 200, result)
    if (route.audit === undefined || reply.status >= 400) return reply
    const entry = auditOf(route.audit, { appId: who.appId, person, remote: context.ip, details })
    // A route that is not in a transaction is given the whole database.
    if (app === host) await host.inTransaction((tx) => tx.audit.record(entry))
    else await app.audit.record(entry)
    return reply
  }
  if (route.method === 'get') {
    const reply = await answer(host)
    // What an answer shows is on disk. When the disk failed, answers still say what is known, and `/readyz` that it may be lost.
    await host.kernel.db.settled()?.catch(() => {})
    return reply
  }
  // Deleting adds no work and frees space, so it is allowed on a full disk.
  if (route.method !== 'delete' && !route.reads) host.kernel.disk.takeIn()
  const reply = await (route.transaction === false
    ? answer(host)
    : write(host, route, context, { ...who, personId: person?.id, body: file ? file.digest : read?.value, answer }))
  failpoint('accept.committed')
  if (isCounted) chargeBytes(sender, call.size)
  if (route.wakes) host.kernel.wake()
  return reply
}

/** Runs a writing route in one transaction, and once only for an `Idempotency-Key`. */
async function write(
  host: App,
  route: Route,
  context: Context,
  {
    appId,
    params,
    personId,
    body,
    answer,
  }: {
    appId: number
    params: Record<string, string>
    personId: number | undefined
    body: unknown
    answer(app: Areas): Promise<Reply>
  },
): Promise<Reply> {
  const header = isRepeatable(route) ? context.get('idempotency-key') || undefined : undefined
  const { method, path } = context
  const idempotency = idempotencyOf(header, route, { method, path, params, body, personId })
  if (!idempotency && route.transaction === 'shared') return answer(host)
  return host.inTransaction((app) => {
    if (!idempotency) return answer(app)
    return once(app, appId, idempotency, async () => {
      // A key is stored for a month, so those of devices count against their limits.
      if (!route.device) return answer(app)
      await takeNewcomers({ host, remote: context.ip }, 1)
      const reply = await answer(app)
      // The stored copy of the answer.
      if (reply.body !== undefined) chargeBytes({ host, remote: context.ip, appId }, jsonBytes(reply.body))
      return reply
    })
  })
}

/** In the data area, an `Accept` header must admit JSON, as the contract says. No header admits anything. */
function checkAccept(accept: string): void {
  if (accept === '' || /json|\*\/\*|application\/\*/i.test(accept)) return
  throw new AppError('not_acceptable', `answers are JSON: send Accept: application/json, not ${accept}`)
}

function checkEncoding(path: string): void {
  try {
    decodeURIComponent(path)
  } catch {
    throw new AppError('bad_request', 'the path is not valid percent-encoded UTF-8')
  }
}
