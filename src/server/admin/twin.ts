import type { Right } from '../../domain/admins/types.ts'
import type { LockPurpose } from '../../platform/db/dialect.ts'
import { AppError } from '../../platform/errors.ts'
import type { Areas } from '../../program.ts'
import { type Area, Bytes, Reply, type Route, Stream, Text } from '../routing/route.ts'
import { maskPersonal } from './mask.ts'
import { readFirst } from './read-first.ts'

/** The argument of `run` of any route. */
type AnyCall = Parameters<Route['run']>[0]

/** Terms on which a person calls a route of the server API. */
export interface Twin {
  /** Path of the route, without its area. */
  path: string
  /** The area of the route where two have the path. */
  area?: Area
  /** Path below the app, where it is not that of the route without its version. */
  at?: string
  /** Right that reading needs; default `see`. */
  read?: Right
  /** Right that writing needs; without it only GET has a twin. */
  write?: Right
  /** Asks for a fresh sign-in: what DELETE removes cannot be brought back. */
  fresh?: true
  /** POST writes nothing: it needs the right for reading more than `see`, and no row in the audit log. */
  asks?: true
  /** A write sends a push where this says so: in an app in which a second person approves pushes it is refused then. */
  announces?: (call: AnyCall) => boolean | Promise<boolean>
  /** The remedy that is named then, where it is not to ask for approval of the push. */
  instead?: string
  /** GET hands out personal data in bulk: it is written down, and nobody gets it masked. */
  exports?: true
  /** Marks a GET whose answer is personal data through and through, which cannot be masked: not for people who see it masked. */
  bare?: true
  /** The first parameter names somebody: the audit log gets a digest of it, which says the same without naming them. */
  names?: true
  /** Bodies and answers hold credentials: the audit log has the path alone. */
  secret?: true
  /**
   * Locks the thing until the commit, by the very locks that the change or the deletion takes first, so that none can wait for another in a
   * circle: what is read of it then is what this call replaces. Called on PostgreSQL alone; SQLite has a single writer.
   */
  lock?: (call: AnyCall, purpose: LockPurpose) => Promise<unknown>
}

/** Tells whether a row of the table is about this route. */
export function isMeant({ path, area, write, asks }: Twin, route: Route): boolean {
  if (route.path !== path || (area && ![route.area].flat().includes(area))) return false
  return route.method === 'get' || write !== undefined || asks === true
}

/** `/v2/notifications/:id` -> `/notifications/:id` */
const VERSION = /^\/v\d+(?=\/)/

/**
 * The same route for a person: the same work, with the same body, query and answer. A write gives the audit log the thing before
 * and after, as its GET, one of `others`, shows it. Paths name the app, which the routes of the server API learn from their key.
 */
export function twinOf(route: Route, twin: Twin, others: readonly Route[]): Route {
  const { at = twin.path.replace(VERSION, ''), read = 'see', write, fresh, asks, exports } = twin
  const isRead = route.method === 'get'
  const purpose = route.method === 'delete' ? 'delete' : 'change'
  const isNoted = isRead ? exports === true : asks !== true
  const { needs: _needs, scope: _scope, permission: _permission, deprecated: _deprecated, ...same } = route
  return {
    ...same,
    path: `/v1/apps/:appId${at}`,
    area: 'admin',
    needs: 'person',
    right: isRead ? read : write!,
    ...(fresh && (isRead ? exports : route.method !== 'put') && { fresh }),
    ...(isNoted && { audit: actionOf(at, route.method) }),
    twinOf: route,
    async run(call) {
      if (call.person.isMasked) refuseToLookThrough(twin, call.query)
      if (!isRead && (await twin.announces?.(call))) await call.tx.approvals.requireNone(call.appId, twin.instead)
      const address = `${call.address}/v1/apps/${call.appId}`
      const isShown = isNoted && !isRead && !twin.names && !twin.secret
      const shows = isShown ? readerOf(route, others) : undefined
      let before: unknown
      const readBefore = async (tx: Areas) => {
        before = shows && (await shownBy(shows, twin, { ...call, tx, within: 'transaction' }, purpose))
      }
      if (route.transaction !== false) await readBefore(call.tx)
      const result = await route.run({ ...call, inTransaction: readFirst(call.inTransaction, readBefore), address })
      if (isNoted) {
        const answered = isShown ? plain(result) : undefined
        const after =
          answered === undefined
            ? maskPersonal(isShown ? call.body : undefined, shows?.returns)
            : maskPersonal(answered, route.returns)
        call.note({ target: targetOf(twin, call), before: maskPersonal(before, shows?.returns), after })
      }
      return relocated(result, address)
    },
  }
}

/** Sort keys that every record has, whose order tells nothing of anybody. */
const PLAIN_ORDER = /^-?(?:id|createdAt|updatedAt)$/

/**
 * Throws `forbidden` for a filter or an order that would tell what is masked: a filter by what it finds, an order by `after`,
 * which names a place in it, and by the `Next-After` of a page, which holds the value of its last record.
 */
function refuseToLookThrough({ bare }: Twin, query: unknown): void {
  const { filter, sortBy } = (query ?? {}) as { filter?: unknown; sortBy?: string | null }
  const isOrdered = sortBy != null && !PLAIN_ORDER.test(sortBy)
  if (!bare && filter === undefined && !isOrdered) return
  throw new AppError('forbidden', 'personal data is masked for viewers: ask for another role')
}

const VERBS: Readonly<Record<Route['method'], string>> = {
  get: 'export',
  post: 'create',
  put: 'update',
  patch: 'update',
  delete: 'delete',
}

/** `/channels/:uuid/subscriptions` and POST -> `channels.subscriptions.create` */
function actionOf(at: string, method: Route['method']): string {
  const words = at.split('/').filter((word) => word !== '' && !word.startsWith(':'))
  return [...words, VERBS[method]].filter((word, i, all) => word !== all[i - 1]).join('.')
}

/** The thing that the parameters of the path name, the app apart. */
function targetOf({ names }: Twin, { params, program, appId }: AnyCall): string | undefined {
  const named = Object.entries(params).flatMap(([name, value]) => (name === 'appId' ? [] : [value]))
  if (named.length === 0) return undefined
  if (names) return program.kernel.vault.digest(`audit ${appId} ${named[0]}`).slice(0, 16)
  return named.join('/')
}

/** The GET of the same path, of one thing that there is already. */
function readerOf(route: Route, others: readonly Route[]): Route | undefined {
  if (route.method === 'post') return undefined
  return others.find(
    (one) =>
      one.method === 'get' &&
      one.path === route.path &&
      [one.area].flat().some((area) => [route.area].flat().includes(area)),
  )
}

/** The answer of a GET in the transaction that replaces it; undefined when there is nothing. */
async function shownBy(shows: Route, { lock }: Twin, call: AnyCall, purpose: LockPurpose): Promise<unknown> {
  try {
    if (call.program.kernel.db.kind === 'postgres') await lock?.(call, purpose)
    return plain(await shows.run({ ...call, body: undefined, query: {} }))
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** The value of an answer that is plain JSON. */
function plain(result: unknown): unknown {
  const body = result instanceof Reply ? result.body : result
  return body instanceof Stream || body instanceof Text || body instanceof Bytes ? undefined : body
}

/** Addresses in headers, as they are below the app: without the version of the server API. */
function relocated(result: unknown, address: string): unknown {
  if (!(result instanceof Reply)) return result
  const headers = Object.entries(result.headers).map(([name, value]) => [
    name,
    value.replace(`${address}/v1/`, `${address}/`),
  ])
  return new Reply(result.status, result.body, Object.fromEntries(headers) as Record<string, string>)
}
