import type { App, Areas } from '../app.ts'
import type { Infer, Schema } from '../platform/parse.ts'

/** The areas of the contract; each answers under its host name, its path prefix, and at the root (decisions 1). */
export const AREAS = ['crm', 'data', 'links', 'push', 'messages', 'events'] as const
export type Area = (typeof AREAS)[number]

export type Method = 'get' | 'post' | 'put' | 'delete'

/**
 * Who may call: `server-key` and `device-key` are HTTP Basic with the API key as user name and that key as password;
 * `own-app` is the server key of the very app whose id is the path's `appId` (403 otherwise).
 */
export type Needs = 'server-key' | 'device-key' | 'own-app'

/** What `run` gets: everything already checked. */
export interface Call<B, Q> {
  /** The areas, inside one transaction for every method but GET; it commits before the answer leaves. */
  app: Areas
  /** The whole program, for what must happen outside the transaction (waking a thread, streaming). */
  host: App
  appId: number
  /** Percent-decoded path segments. */
  params: Record<string, string>
  body: B
  query: Q
  /** Address of the caller, for limits and logs. */
  remote: string
}

export interface Route<B = unknown, Q = unknown> {
  method: Method
  /** `/v1/users/:userId/attributes` */
  path: string
  /** One area, or several that share the route. */
  area: Area | readonly Area[]
  summary: string
  needs: Needs
  body?: Schema
  query?: Schema
  /** Which `limits.*` setting caps the body; default `limits.body`. */
  bodyLimit?: 'limits.body' | 'limits.deviceBody' | 'limits.notificationBody'
  /** False for a route that must do slow work before it writes: `app` is then for reading, and it calls `host.inTransaction`. */
  transaction?: false
  /** True when the route may have made work for the sending threads: they are told after the commit. */
  wakes?: true
  /** Device routes: CORS, any content type, no content negotiation. */
  device?: boolean
  /** Status when `run` returns a plain value; 204 sends no body. Default 200. */
  status?: number
  /** Statuses worth documenting besides the usual ones. */
  also?: Record<number, string>
  run(call: Call<B, Q>): Promise<unknown>
}

/** An answer whose status or headers differ from the route's own. `body` undefined means none. */
export class Reply {
  readonly status: number
  readonly body: unknown
  readonly headers: Record<string, string>

  constructor(status: number, body?: unknown, headers: Record<string, string> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** A long JSON array, sent as it is read so that memory does not grow with it. */
export class Stream {
  readonly items: AsyncIterable<unknown>

  constructor(items: AsyncIterable<unknown>) {
    this.items = items
  }
}

type Declared<S> = S extends Schema ? Infer<S> : undefined

type Declaration<B extends Schema | undefined, Q extends Schema | undefined> = Omit<
  Route,
  'method' | 'path' | 'body' | 'query' | 'run'
> & {
  body?: B
  query?: Q
  run(call: Call<Declared<B>, Declared<Q>>): Promise<unknown>
}

function declare(method: Method) {
  return <B extends Schema | undefined = undefined, Q extends Schema | undefined = undefined>(
    path: string,
    declaration: Declaration<B, Q>,
  ): Route => ({ method, path, ...declaration }) as Route
}

/** One declaration checks the key, parses, types and documents a route. */
export const get = declare('get')
export const post = declare('post')
export const put = declare('put')
export const del = declare('delete')
