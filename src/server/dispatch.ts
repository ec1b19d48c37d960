import type { Context } from 'koa'
import { AppError } from '../platform/errors.ts'
import { isStorable } from '../platform/json/json.ts'
import type { Program } from '../program.ts'
import { admitPerson } from './admin/admit.ts'
import { authenticate } from './calls/auth.ts'
import { answerToWrongKey } from './calls/wrong-keys.ts'
import { strayPage } from './front-door.ts'
import { areaAddress, destinationOf } from './routing/hosts.ts'
import { type Area, type Person, Reply, type Route } from './routing/route.ts'
import { type Fitting, mayBeCut, routeTable, withMethod } from './routing/route-table.ts'
import { runRoute } from './running/run.ts'

/** Listener for facts about a request, told as soon as they are known. */
export interface Listener {
  /** The path is one of devices: the answer, whatever it is, has `CORS`. */
  onDevicePath(): void
  /** The request runs this route. */
  onMatch(route: Route, area: Area): void
}

/** Finds the declared route of a request, admits the caller and runs the route. */
export function createDispatch(program: Program, routes: readonly Route[]) {
  const { config } = program.kernel
  const tables = new Map<readonly Area[], ReturnType<typeof routeTable>>()
  const pageFor = strayPage(config)

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
    if (!found) return (fitting.routes.length === 0 ? pageFor(context) : undefined) ?? unmatched(context, fitting)

    const { route, area } = found
    if (mayBeCut(path, route)) throw cutPath(context)
    const params = fitting.paramsOf(found)
    listener.onMatch(route, area)
    const { authorization, accept = '' } = context.req.headers
    const { needs } = route
    const admitted =
      needs === 'person' || needs === 'nobody'
        ? admitPerson(program, route, context, params)
        : admit(program, { ...route, needs }, params, {
            authorization: authorization || undefined,
            remote: context.ip,
          })
    // What is known goes on without a wait, so that its reads are among those of its turn (gathered.ts).
    const { appId, person } = asWho(admitted instanceof Promise ? await admitted : admitted)
    if (path.includes('%')) refuseUnstorable(context, route, params)
    if (route.needs === 'rest-key') checkAccept(accept)
    return runRoute(program, route, context, {
      appId,
      person,
      params,
      address: areaAddress(area, byHost, config, context.req.socket),
    })
  }
}

const METHODS: Record<string, string | undefined> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Returns the host as Koa would; only an odd header needs all that Koa does. */
function hostOf(context: Context): string {
  const { host = '' } = context.req.headers
  return /[\s,@]/.test(host) ? context.host : host
}

/** The app of the keys, without a promise when they are known. */
function admit(
  program: Program,
  route: Route & { needs: Exclude<Route['needs'], 'person' | 'nobody'> },
  params: Record<string, string>,
  { authorization, remote }: { authorization: string | undefined; remote: string },
): number | Promise<number> {
  const refuse = async (thrown: unknown): Promise<never> => {
    throw await answerToWrongKey(program, route, { thrown, authorization, remote })
  }
  try {
    const found = authenticate(program, route, authorization, params)
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

function cutPath({ method, path }: Context): AppError {
  const remedy = 'leave out the slash. An id of two dots never arrives in a path: use the command of appsvc for it'
  return new AppError('not_found', `there is nothing to ${method} at ${path}, which ends with a slash: ${remedy}`)
}

/** Checks that an `Accept` header admits JSON, as the contract asks of the data area. No header admits anything. */
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
