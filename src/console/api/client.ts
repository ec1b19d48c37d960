import { signal } from '@preact/signals'
import { ApiError, errorOf, isCancelled, OFFLINE } from './errors.ts'
import type { paths } from './schema.ts'

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The addresses that know a verb, as the interface document writes them: `/admin/v1/apps/{appId}`. */
export type PathFor<V extends Verb> = {
  [P in keyof paths]: paths[P] extends Record<V, object> ? P : never
}[keyof paths]
type OperationOf<P extends keyof paths, V extends Verb> = paths[P] extends Record<V, infer O> ? O : never

type JsonOf<T> = T extends { content: { 'application/json': infer J } } ? J : undefined
type Success<R> = R extends object
  ? { [S in keyof R]: S extends 200 | 201 | 202 ? JsonOf<R[S]> : never }[keyof R]
  : never
/** Type of the answer of an operation; undefined for 204. */
export type Answer<P extends keyof paths, V extends Verb = 'get'> =
  OperationOf<P, V> extends { responses: infer R } ? ([Success<R>] extends [never] ? undefined : Success<R>) : never
/** Type of the body of an operation. */
export type Body<P extends keyof paths, V extends Verb> =
  OperationOf<P, V> extends { requestBody?: infer B } ? JsonOf<NonNullable<B>> : undefined

/** `never` where the operation has no such parameters. */
type ParametersOf<O, Where extends string> = O extends { parameters: infer A }
  ? Where extends keyof A
    ? NonNullable<A[Where]>
    : never
  : never
/** Parameters of an address, where a number may be given as text and a text as a number. */
type Loose<T> = { [K in keyof T]: T[K] extends string | number ? string | number : T[K] }

type PathPart<O> = [ParametersOf<O, 'path'>] extends [never]
  ? { path?: never }
  : { path: Loose<ParametersOf<O, 'path'>> }
type QueryPart<O> = [ParametersOf<O, 'query'>] extends [never]
  ? { query?: never }
  : { query?: { [K in keyof ParametersOf<O, 'query'>]?: Written<ParametersOf<O, 'query'>[K]> | undefined } }
/** Any text or number where the interface takes any; one of its words where it takes those. */
type Written<T> = T | (number extends T ? string : never) | (string extends T ? number : never)
type BodyPart<P extends keyof paths, V extends Verb> = [Body<P, V>] extends [undefined]
  ? { body?: undefined }
  : { body: Body<P, V> }

/** Parameters and body of a call, as the interface document has them. */
export type CallOf<P extends keyof paths, V extends Verb> = PathPart<OperationOf<P, V>> &
  QueryPart<OperationOf<P, V>> &
  BodyPart<P, V> & { signal?: AbortSignal | undefined; idempotencyKey?: string }

/** A call without its types, for the few that are made of data. */
export interface RawCall {
  path?: Record<string, string | number> | undefined
  query?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined
  /** An object is sent as JSON; a `Blob` or text as it is; a `FormData` as a form with files. */
  body?: unknown
  /** Media type of a `Blob` or text. */
  type?: string
  signal?: AbortSignal | undefined
  idempotencyKey?: string
}

/** True after a call did not reach the server, until one does. */
export const isOffline = signal(false)

/** Pause between two tries to reach a server that is away. */
const KNOCK_MS = 5000

/** While the server is away, asks for it now and then, and at once when the network comes back. Returns what ends that. */
export function awaitServer(): () => void {
  let timer: ReturnType<typeof setInterval> | undefined
  const knock = () => {
    if (isOffline.peek() && !document.hidden) call('get', '/admin/v1/state').catch(() => {})
  }
  const stopWatching = isOffline.subscribe((isAway) => {
    clearInterval(timer)
    if (isAway) timer = setInterval(knock, KNOCK_MS)
  })
  addEventListener('online', knock)
  document.addEventListener('visibilitychange', knock)
  return () => {
    stopWatching()
    clearInterval(timer)
    removeEventListener('online', knock)
    document.removeEventListener('visibilitychange', knock)
  }
}

/** Functions of the shell that calls need: to ask people to confirm who they are, and to end a session that has expired. */
interface Hooks {
  /** Resolves when the session is fresh again; rejects when the person gave up. */
  confirm(): Promise<void>
  /** The session has ended. */
  expired(): void
}
let hooks: Hooks = {
  confirm: () => Promise.reject(new ApiError(403, 'Sign in again to do this.', 'confirm_sign_in')),
  expired() {},
}
/** Called once, by the shell. */
export function connect(shell: Hooks): void {
  hooks = shell
}

/** `/admin/v1/apps/{appId}` with `{ path: { appId: 1 } }` -> `/admin/v1/apps/1` */
export function addressOf(path: string, { path: params = {}, query }: Pick<RawCall, 'path' | 'query'>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`
}

/**
 * Calls the interface and returns the JSON of its answer (undefined when it has none). An answer that needs a fresh sign-in opens
 * the dialog "Confirm it is you", and the call is made again. Throws `ApiError`, and `AbortError` when `signal` aborts.
 */
export async function call(method: Verb, path: string, options: RawCall = {}): Promise<unknown> {
  try {
    return await once(method, path, options)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'confirm_sign_in') throw error
    await hooks.confirm()
    return await once(method, path, options)
  }
}

/** A path with a part that browsers take out of it, together with the part before. */
const DOTS = /^[^?]*\/\.\.?(?:[/?]|$)/

async function once(method: Verb, path: string, options: RawCall): Promise<unknown> {
  const address = addressOf(path, options)
  if (DOTS.test(address))
    throw new ApiError(0, 'An id of one or two dots cannot be used here. Use the command of appsvc for it.')
  const { body, signal: cancel, idempotencyKey, type } = options
  const isForm = body instanceof FormData
  const isRaw = typeof body === 'string' || body instanceof Blob || isForm
  const headers = new Headers({ Accept: 'application/json' })
  // The browser says the type of a form, with what separates its parts.
  if (body !== undefined && !isForm)
    headers.set('Content-Type', isRaw ? (type ?? 'application/octet-stream') : 'application/json')
  if (idempotencyKey) headers.set('Idempotency-Key', idempotencyKey)
  let response: Response
  try {
    response = await fetch(address, {
      method: method.toUpperCase(),
      headers,
      credentials: 'same-origin',
      ...(body !== undefined && { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
      ...(cancel && { signal: cancel }),
    })
  } catch (error) {
    if (isCancelled(error)) throw error
    throw unreachable()
  }
  const answer = await jsonOf(response)
  // A proxy that does not find the server says so in words of its own.
  if (AWAY.has(response.status) && typeof answer !== 'object') throw unreachable()
  isOffline.value = false
  if (response.ok) return answer
  const error = errorOf(response.status, answer)
  if (error.status === 401 && !isSignIn(path)) hooks.expired()
  throw error
}

/** Statuses with which a proxy answers in place of a server that is away. */
const AWAY = new Set([502, 503, 504])

function unreachable(): ApiError {
  isOffline.value = true
  return new ApiError(0, 'The server cannot be reached. Check the connection and try again.', OFFLINE)
}

/** A 401 of these says that a password is wrong, not that a session has ended. */
const isSignIn = (path: string) => /^\/admin\/v1\/(?:sessions\b|setup$|session\/confirm)/.test(path)

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return response.ok ? text : undefined
  }
}

export type Arguments<P extends keyof paths, V extends Verb> =
  Record<string, never> extends CallOf<P, V> ? [options?: CallOf<P, V>] : [options: CallOf<P, V>]

function caller<V extends Verb>(method: V) {
  return <P extends PathFor<V>>(path: P, ...[options]: Arguments<P, V>): Promise<Answer<P, V>> =>
    call(method, path, options) as Promise<Answer<P, V>>
}

/** The interface, typed by its document: `await api.get('/admin/v1/apps/{appId}', { path: { appId } })`. */
export const api = {
  get: caller('get'),
  post: caller('post'),
  put: caller('put'),
  patch: caller('patch'),
  delete: caller('delete'),
}

/** A call that a form makes, and shows below its button. */
export interface Asked<A> {
  method: Uppercase<Exclude<Verb, 'get'>>
  path: string
  body: unknown
  send(): Promise<A>
}

/** Prepares a call of `api` that `send` makes later. */
export function asked<V extends Exclude<Verb, 'get'>, P extends PathFor<V>>(
  verb: V,
  path: P,
  options: CallOf<P, V>,
): Asked<Answer<P, V>> {
  return {
    method: verb.toUpperCase() as Uppercase<V>,
    path: addressOf(path, options),
    body: (options as RawCall).body,
    send: () => call(verb, path, options) as Promise<Answer<P, V>>,
  }
}
