import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { App } from '../app.ts'
import { isDatabaseFault } from '../platform/db/unavailable.ts'
import { AppError, isAppError } from '../platform/errors.ts'
import { isStorable, jsonBytes, refuseUnkept } from '../platform/json/json.ts'
import { failpoint } from '../platform/process/failpoints.ts'
import { parseJson, parseText } from '../platform/values/parse.ts'
import { admitPerson } from './admin/admit.ts'
import { auditOf } from './admin/audited.ts'
import { eventStream } from './admin/event-stream.ts'
import { isMaskedFor, maskedAnswer, refuseUnmaskable } from './admin/mask.ts'
import { cookieOf } from './admin/origin.ts'
import { placeOfCall, whileAllowed } from './admin/while-allowed.ts'
import { authenticate } from './calls/auth.ts'
import { answerOnce, idempotencyOf, REPLAYED } from './calls/idempotency.ts'
import { type Keyed, whileKeyed } from './calls/while-keyed.ts'
import { answerToWrongKey } from './calls/wrong-keys.ts'
import { readBytes, readJson } from './http/body.ts'
import { goneSignal } from './http/gone.ts'
import { readFile } from './http/upload.ts'
import { chargeBytes, checkBytes, takeNewcomers } from './limits/caps.ts'
import { areaAddress, destinationOf } from './routing/hosts.ts'
import {
  type Area,
  type Call,
  EVENT_STREAM,
  Events,
  eventsOf,
  isRepeatable,
  type Note,
  type Person,
  type ReceivedFile,
  Reply,
  type Route,
  Stream,
} from './routing/route.ts'
import { type Fitting, routeTable, withMethod } from './routing/route-table.ts'

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
    if (path.includes('%')) refuseUnstorable(context, route, params)
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
  tokenId: undefined,
  tokenApp: undefined,
  tokenScopes: undefined,
}

/** Proxies must not collect it (`X-Accel-Buffering` is nginx's). */
const LIVE = { 'Content-Type': EVENT_STREAM, 'X-Accel-Buffering': 'no' }

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
  const person = who.person ?? NOBODY
  const sink = await route.upload({ ...who, person, app: host, host, remote: context.ip })
  let isWanted = false
  try {
    const file = await whileThey(
      host,
      who,
      () => context.req.destroy(),
      () => readFile(context, sink),
    )
    const reply = await runWith(host, route, context, who, file)
    // A repeat got the stored answer, so its file is not needed.
    isWanted = reply.headers[REPLAYED] === undefined
    return reply
  } finally {
    if (!isWanted) await sink.discard()
  }
}

/** Does what takes long for a person; `end` breaks it off when that person has no access any more. */
async function whileThey<T>(host: App, { person, appId }: Who, end: () => void, work: () => Promise<T>): Promise<T> {
  if (!person) return work()
  const leave = whileAllowed(host, { person, place: placeOfCall(person, appId), end })
  try {
    return await work()
  } finally {
    leave()
  }
}

/** A live page, which ends when its person has no access any more: the browser asks again, and hears why. */
function liveAnswer(host: App, { events }: Events, { person, appId }: Who, { res }: Context): Readable {
  const ended = new AbortController()
  const whileTheyMay = eventsOf((signal) => events(AbortSignal.any([signal, ended.signal])))
  const stream = eventStream(host, whileTheyMay, person, goneSignal(res))
  if (!person) return stream
  const leave = whileAllowed(host, { person, place: placeOfCall(person, appId), end: () => ended.abort() })
  stream.once('close', leave)
  return stream
}

/** A long answer is cut off when whoever gets it has no access any more. */
function cutLongAnswer(
  host: App,
  route: Route,
  { person, appId, params }: Who,
  { body }: Reply,
  context: Context,
): void {
  if (!(body instanceof Stream)) return
  const end = () => void context.res.destroy()
  if (!person) return void keyedBy(host, route, params, context, end)
  const leave = whileAllowed(host, { person, place: placeOfCall(person, appId), end })
  context.res.once('close', leave)
}

/** A call that waits: whoever calls may have no access any more before there is an answer. */
function waitingCall(host: App, route: Route, { person, appId, params }: Who, context: Context): Keyed {
  const { res } = context
  const keyed = keyedBy(host, route, params, context)
  if (keyed) return keyed
  const gone = goneSignal(res)
  if (!person) return { signal: gone, check: async () => {} }
  const ended = new AbortController()
  const end = (why: AppError) => ended.abort(why)
  res.once('close', whileAllowed(host, { person, place: placeOfCall(person, appId), end }))
  return { signal: AbortSignal.any([gone, ended.signal]), check: async () => ended.signal.throwIfAborted() }
}

/** The watch over the keys of a call; undefined for a call without keys. */
function keyedBy(
  host: App,
  { needs, permission, scope }: Route,
  params: Record<string, string>,
  context: Context,
  end?: () => void,
): Keyed | undefined {
  if (needs === 'person' || needs === 'nobody') return undefined
  return whileKeyed(
    host,
    { needs, ...(permission && { permission }), ...(scope && { scope }) },
    { params, context, ...(end && { end }) },
  )
}

/** Counts the bytes of a device before anybody looks at them: a body that is refused costs as much as one that is accepted. */
async function runWith(
  host: App,
  route: Route,
  context: Context,
  who: Who,
  file: ReceivedFile | undefined,
): Promise<Reply> {
  const isCounted = route.device === true && (route.body !== undefined || route.raw === true)
  if (!isCounted) return runRead(host, route, context, who, { file })
  const sender = { host, appId: who.appId, remote: context.ip }
  await checkBytes(sender)
  let taken = 0
  const onRead = (count: number) => {
    taken += count
    chargeBytes(sender, count)
  }
  try {
    return await runRead(host, route, context, who, { file, onRead })
  } catch (thrown) {
    // What failed on our side is sent again, and is not the caller's fault.
    if (!isAppError(thrown) || isDatabaseFault(thrown)) chargeBytes(sender, -taken)
    throw thrown
  }
}

/** What reads the body: the file that has been taken in, and who counts the bytes. */
interface Reading {
  file: ReceivedFile | undefined
  onRead?: ((bytes: number) => void) | undefined
}

/** What a route works with: inside a transaction, or the whole program. */
type Working = Pick<Call<unknown, unknown>, 'app' | 'within'>

async function runRead(host: App, route: Route, context: Context, whose: Who, reading: Reading): Promise<Reply> {
  if (route.first) await route.first({ host, remote: context.ip })
  const { call, value, waits } = await readCall(host, route, context, whose, reading)
  const prepared = route.prepare && (await route.prepare(call))
  const answer = (working: Working) => answerCall(host, route, context, whose, { ...call, ...working, prepared })
  if (route.method === 'get') {
    const reply = await answer({ app: host, within: 'program' })
    await waits()?.check()
    // What an answer shows is on disk. When the disk failed, answers still say what is known, and `/readyz` that it may be lost.
    await host.kernel.db.settled()?.catch(() => {})
    return reply
  }
  // Deleting adds no work and frees space, so it is allowed on a full disk.
  if (route.method !== 'delete' && !route.reads) host.kernel.disk.takeIn()
  const reply = await (route.transaction === false
    ? answer({ app: host, within: 'program' })
    : write(host, route, context, whose, { body: reading.file ? reading.file.digest : value, answer }))
  failpoint('accept.committed')
  if (route.wakes) host.kernel.wake()
  return reply
}

/** Reads and checks what the caller sent. `waits`: the watch over a call whose route waits. */
async function readCall(host: App, route: Route, context: Context, whose: Who, { file, onRead }: Reading) {
  const { person: _, ...who } = whose
  const { config } = host.kernel
  const limit = Math.min(config[route.bodyLimit ?? 'limits.body'], route.maxBody ?? Infinity)
  const isDevice = route.device === true
  const isStranger = isDevice || route.needs === 'nobody'
  const read = route.body
    ? await readJson(context.req, limit, { anyType: isDevice, asText: route.unkept?.asText, onRead, isStranger })
    : undefined
  if (read && !route.unkept?.byRun) refuseUnkept(read.unkept)
  const bytes = route.raw ? await readBytes(context.req, limit, { onRead, isStranger }) : Buffer.alloc(0)
  let waits: Keyed | undefined
  const call = {
    ...who,
    host,
    file,
    bytes,
    size: read?.size ?? bytes.length,
    unkept: read?.unkept ?? [],
    remote: context.ip,
    search: context.querystring,
    header: (name: string) => context.get(name),
    gone: () => (waits ??= waitingCall(host, route, whose, context)).signal,
    isHead: context.method === 'HEAD',
    cookie: (id: string) => cookieOf(context, config, id),
    body: route.body && parseJson(route.body, read?.value),
    query: route.query && parseText(route.query, { ...context.query }),
  }
  return { call, value: read?.value, waits: () => waits }
}

/** Runs the route, masks what the person may not see, and notes the call in the audit log. */
async function answerCall(
  host: App,
  route: Route,
  context: Context,
  whose: Who,
  call: Omit<Call<unknown, unknown, unknown, unknown>, 'note' | 'person'>,
): Promise<Reply> {
  const { person, appId } = whose
  let details: Note = {}
  const isMasked = isMaskedFor(route, person)
  if (isMasked) refuseUnmaskable(route)
  const whole = await route.run({
    ...call,
    note: (more) => void (details = { ...details, ...more }),
    person: person ?? NOBODY,
  })
  const result = isMasked ? maskedAnswer(route, whole) : whole
  if (result instanceof Events) return new Reply(200, liveAnswer(host, result, whose, context), LIVE)
  const reply = result instanceof Reply ? result : new Reply(route.status ?? 200, result)
  cutLongAnswer(host, route, whose, reply, context)
  if (route.audit === undefined || reply.status >= 400) return reply
  const entry = auditOf(route.audit, { appId, person, remote: context.ip, details })
  if (call.within === 'program') await host.inTransaction((tx) => tx.audit.record(entry))
  else await call.app.audit.record(entry)
  return reply
}

/** Runs a writing route in one transaction, and once only for an `Idempotency-Key`. */
async function write(
  host: App,
  route: Route,
  context: Context,
  { appId, params, person }: Who,
  { body, answer }: { body: unknown; answer(working: Working): Promise<Reply> },
): Promise<Reply> {
  const header = isRepeatable(route) ? context.get('idempotency-key') || undefined : undefined
  const { method, path } = context
  const idempotency = idempotencyOf(header, route, { method, path, params, body, personId: person?.id })
  if (!idempotency && route.transaction === 'shared') return answer({ app: host, within: 'program' })
  return host.inTransaction((app) => {
    const answerHere = () => answer({ app, within: 'transaction' })
    if (!idempotency) return answerHere()
    return answerOnce(app, appId, idempotency, async () => {
      // A key is stored for a month, so those of devices count against their limits.
      if (!route.device) return answerHere()
      await takeNewcomers({ host, remote: context.ip }, 1)
      const reply = await answerHere()
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

/**
 * Text with a NUL is stored nowhere, so nothing that is read has such a name; PostgreSQL does not even look it up. Devices get what they
 * get for any name that nobody has, and what writes says what is wrong with the name.
 */
function refuseUnstorable({ path }: Context, { method, device }: Route, params: Record<string, string>): void {
  if (method !== 'get' || device || Object.values(params).every(isStorable)) return
  throw new AppError('not_found', `there is nothing at ${path}`)
}

function checkEncoding(path: string): void {
  try {
    decodeURIComponent(path)
  } catch {
    throw new AppError('bad_request', 'the path is not valid percent-encoded UTF-8')
  }
}
