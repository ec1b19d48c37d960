import type { AuditNote, Right, Role, RoleIn, Session, TokenScope } from '../../domain/admins/types.ts'
import type { Permission, Scope } from '../../domain/apps/issued-keys.ts'
import type { AsText, Unkept } from '../../platform/json/numbers.ts'
import { writeRecord } from '../../platform/text/csv-text.ts'
import type { Infer, JsonSchema, Schema } from '../../platform/values/parse.ts'
import type { Areas, Program } from '../../program.ts'

/**
 * The areas of the contract; each answers under its host name, its path prefix, and at the root
 * (docs/decisions/0006-where-the-contract-is-silent.md).
 */
export const CONTRACT_AREAS = ['crm', 'data', 'links', 'push', 'messages', 'events'] as const
export type ContractArea = (typeof CONTRACT_AREAS)[number]
/** The areas of the contract, and `admin`, for people: it answers under its prefix only. */
export const AREAS = [...CONTRACT_AREAS, 'admin'] as const
export type Area = (typeof AREAS)[number]

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/**
 * The proof that a caller needs: `server-key` and `device-key` are HTTP Basic with the API key as user name and that key as
 * password; `own-app` is the server key of the very app whose id is the path's `appId` (403 otherwise). A server key is the app's
 * own, which may do everything, or a scoped one with the scope that the route names. `rest-key` is a REST key as user name,
 * whatever the password, with the permission that the route names. `path-key` has no credentials: the API key, which is public,
 * stands in the path as `apiKey` (404 for an unknown one). A path with `apiKey` of a `device-key` or `server-key` route must name
 * the app of the credentials (404 otherwise). `person` is somebody with the route's `right`, by a session cookie or a personal
 * token; `nobody` has no credentials. Both are routes of `admin`.
 */
type Needs = KeyNeeds | 'path-key' | 'person' | 'nobody'
/** The proofs that need a key of an app. */
export type KeyNeeds = 'server-key' | 'device-key' | 'own-app' | 'rest-key'

/** The caller of a route of `admin`, with their rights where the route works. */
export interface Person {
  id: number
  name: string
  email: string
  /** Rights in the app of the path, or in the whole server. */
  rights: readonly Right[]
  /** The role in the same place, the widest. */
  role: Role | undefined
  /** All roles, for lists of apps. */
  roles: readonly RoleIn[]
  /** True for viewers: identifiers, attributes, tokens and addresses of users are not shown to them. */
  isMasked: boolean
  /** The session of the cookie; undefined for a personal token. */
  session: Session | undefined
  /** The personal token; undefined for a session. */
  tokenId: number | undefined
  /** The app that the personal token is for; undefined for every app. */
  tokenApp: number | undefined
  /** Scopes of the personal token; undefined for a session. */
  tokenScopes: readonly TokenScope[] | undefined
}

/** The note of a route for the audit log; `by` when the caller becomes known only inside (a sign-in). */
export interface Note extends AuditNote {
  by?: { id: number; name: string }
  /** The app that was made or deleted, where the path does not name it. */
  appId?: number
}

/** An uploaded file that was taken in. */
export interface ReceivedFile {
  /** Tells whether two uploads are the same one. */
  digest: string
}

/**
 * The receiver of the file of a multipart request while it arrives: `begin` (name and media type as the caller gave them),
 * `write` for each piece, `end` when it is whole and safe; `discard` at any time, then nothing of it stays. Errors that they
 * throw are answered.
 */
export interface FileSink<F extends ReceivedFile = ReceivedFile> {
  begin(name: string, type: string): Promise<void>
  write(chunk: Buffer): Promise<void>
  end(): Promise<F>
  discard(): Promise<void>
}

/** The argument of `run`: everything already checked. */
export interface Call<B, Q, F = undefined, P = undefined, C = undefined> {
  /** The areas, inside one transaction for every method but GET; it commits before the answer leaves. */
  tx: Areas
  /** The whole program, for work outside the transaction (waking a thread, streaming). */
  program: Program
  /** Runs the one transaction in which a route with `transaction: false` makes its change: the twin reads there what is replaced. */
  inTransaction: Program['inTransaction']
  /** Scope of `tx`: inside a transaction, or the whole program, where every write commits by itself. */
  within: 'transaction' | 'program'
  appId: number
  /** Percent-decoded path segments. */
  params: Record<string, string>
  body: B
  /** The result of `convert`. */
  converted: C
  query: Q
  /** The file of a multipart route. */
  file: F
  /** The result of `prepare`. */
  prepared: P
  /** The body of a `raw` route; empty otherwise. */
  bytes: Buffer
  /** Bytes of the body as it was sent. */
  size: number
  /** Numbers of the body that are not kept; those that are no texts are refused by `run` where the route says so. */
  unkept: readonly Unkept[]
  /** Address of the caller, for limits and logs. */
  remote: string
  /** The query as it was sent, without the question mark: for routes to which callers add a query of their own. */
  search: string
  /** A request header; empty when there is none. */
  header(name: string): string
  /** Aborted when the caller disconnects before its answer is sent. */
  gone(): AbortSignal
  /** True for a HEAD. A GET that counts something must not count it. */
  isHead: boolean
  /** The absolute address of the area that answers, to print addresses below it. */
  address: string
  /** The caller of a route that `needs: 'person'`; elsewhere somebody without any right. */
  person: Person
  /** `Set-Cookie` of a session with this id. Throws `forbidden` where http would leak it. */
  cookie(id: string): string
  /** Adds details to the row of the audit log. Never pass a secret. */
  note(details: Note): void
}

/** The facts of a multipart request that are known before its body is read. */
type UploadCall = Pick<Call<unknown, unknown>, 'tx' | 'program' | 'appId' | 'params' | 'person' | 'remote'>

export interface Route<B = unknown, Q = unknown, F = unknown, P = unknown, C = unknown> {
  method: Method
  /** `/v1/users/:userId/attributes` */
  path: string
  /** One area, or several that share the route. */
  area: Area | readonly Area[]
  summary: string
  /** Rules and effects that neither the summary nor the schemas tell. */
  description: string
  /** The title of the body in the document. */
  takes?: string
  /** The media type of the file of a multipart route; `text/csv` by default. For the document: what comes is looked at. */
  takesFile?: string
  /** An example of the body, where those of its members do not make a good one. */
  sends?: unknown
  needs: Needs
  /** The permission that a REST key needs here (`rest-key` only). */
  permission?: Permission
  /**
   * The scope that a server key must have here (`server-key` and `own-app`). Without one, only the app's own key
   * opens the route.
   */
  scope?: Scope
  /** The right that the person needs (`person` only): in the app of `:appId`, else in the whole server. */
  right?: Right
  /** True where the sign-in must be of the last ten minutes (`person` only). */
  fresh?: true
  /**
   * The action in the audit log, such as `channels.update`. Required of every route of `admin` but GET; a GET that has
   * one is noted, too. The row is written in the transaction of the call; with `transaction: false`, right after `run`.
   */
  audit?: string
  /**
   * The route of the server API that does the same for servers (src/server/admin/twins.ts): the document describes this one with
   * its words.
   */
  twinOf?: Route
  body?: Schema
  /**
   * The treatment of numbers that JavaScript does not keep (src/platform/json/numbers.ts). By default the body is 422. `asText`:
   * those that stay as they were written, because phones cannot be corrected. `byRun`: `run` refuses the others, each with its
   * item.
   */
  unkept?: { asText: AsText; byRun?: true }
  query?: Schema
  /** Parameters that a route reads out of `search` by itself, for the document only: callers may add whatever they like. */
  asks?: Schema
  /** Makes it a multipart route that takes one file: returns the receiver of the file, or throws, before a byte of it is read. */
  upload?(call: UploadCall): Promise<FileSink<F & ReceivedFile>>
  /** The body is taken as bytes (`bytes`), whatever its type and encoding: for bodies that libraries of others send. */
  raw?: true
  /** The `limits.*` setting that caps the body; default `limits.body`. */
  bodyLimit?: 'limits.body' | 'limits.deviceBody' | 'limits.notificationBody' | 'limits.dataBody' | 'limits.crashBody'
  /** Bytes that the body never exceeds, whatever the setting says: where nobody has signed in. */
  maxBody?: number
  /** Counts the call, or throws, before a byte of its body is read: refusing has to be cheaper than the work that it saves. */
  first?(call: Pick<Call<B, Q>, 'program' | 'remote'>): Promise<void>
  /**
   * False for a route that must do slow work before it writes: `tx` is then for reading, and it calls
   * `program.inTransaction`. `shared` for one that shares transactions with other calls: `tx` is then the whole program,
   * unless the call has an `Idempotency-Key`, which is kept in the call's own transaction.
   */
  transaction?: false | 'shared'
  /** Converts the checked body to the product's own terms, once for all that follows. Pure; it refuses nothing. */
  convert?(body: B): C
  /**
   * True for a call that only reads and inserts rows of its own, quickly: on PostgreSQL it may share its transaction with others
   * (`WriteOptions.shares`).
   */
  shares?(call: Pick<Call<B, Q, F, P, C>, 'converted'>): boolean
  /** Does the work that takes too long for a transaction, before it. It refuses nothing: a repeat gets the first answer. */
  prepare?(call: Pick<Call<B, Q, F, P, C>, 'program' | 'appId' | 'params' | 'body' | 'converted'>): Promise<P>
  /** True when the route may have made work for worker threads: all are told after the commit. A send tells those that it is for by itself. */
  wakes?: true
  /** Changes nothing by itself, so it is allowed on a full disk. */
  reads?: true
  /** Device routes: CORS, any content type, no content negotiation. */
  device?: boolean
  /** Status when `run` returns a plain value; 204 sends no body. Default 200. */
  status?: number
  /** The media type of an answer of success that is whole bytes. */
  produces?: string
  /** The answer of success has no body, although its status could have one. */
  bodyless?: true
  /** Another media type in which callers may ask for the same answer. */
  alsoProduces?: string
  /** The schema of the answer of success; they stand beside the functions in `present`. */
  returns?: JsonSchema
  /** The schema of each event or line, of a route that `produces` server-sent events or NDJSON. */
  streams?: JsonSchema
  /** Headers of the answer of success, and what they tell. */
  headers?: Record<string, readonly [description: string, example: string]>
  /** Statuses worth documenting besides the usual ones; with the schema of the body where it is not the usual error. */
  also?: Record<number, string | { says: string; body: JsonSchema }>
  /** An earlier form, kept for the programs that use it. */
  deprecated?: true
  run(call: Call<B, Q, F, P, C>): Promise<unknown>
}

/** An answer whose status or headers differ from the route's own. `body` undefined means none. */
export class Reply {
  readonly status: number
  readonly body: unknown
  readonly headers: Record<string, string>
  /** `Set-Cookie`, which may be there more than once. */
  readonly cookies: readonly string[]

  constructor(status: number, body?: unknown, headers: Record<string, string> = {}, cookies: readonly string[] = []) {
    this.status = status
    this.body = body
    this.headers = headers
    this.cookies = cookies
  }
}

/** The media type of `LINES`: one JSON value a line. */
export const NDJSON = 'application/x-ndjson'

/** Lines in place of an array: each item is a line of its own (NDJSON). */
const LINES = 'lines'
/** Texts in place of an array: each item is sent as it is. */
const PIECES = 'pieces'

/** CSV: each item is a record. */
const RECORDS = 'records'

/**
 * A long JSON array, an object with one in it, or lines of JSON, sent as it is read so that memory does not grow with
 * it.
 */
export class Stream {
  readonly items: AsyncIterable<unknown>
  /** Turns an item into its part of the answer. */
  readonly present: (item: unknown) => unknown
  /**
   * The name of the array in the object that is the answer, and the members behind it; undefined: the array is the
   * answer; `lines`, `pieces` and `records`: there is no array.
   */
  readonly within:
    | { name: string; others: Record<string, unknown> }
    | typeof LINES
    | typeof PIECES
    | typeof RECORDS
    | undefined

  constructor(items: AsyncIterable<unknown>, present: (item: unknown) => unknown, within: Stream['within']) {
    this.items = items
    this.present = present
    this.within = within
  }
}

/** `Stream` of the items as `present` makes them. */
export function streamOf<T>(items: AsyncIterable<T>, present: (item: T) => unknown, within?: Stream['within']): Stream {
  return new Stream(items, present as (item: unknown) => unknown, within)
}

/** `Stream` of the items as `present` makes them, one a line. The route says `produces: NDJSON`. */
export function linesOf<T>(items: AsyncIterable<T>, present: (item: T) => unknown): Stream {
  return streamOf(items, present, LINES)
}

/** `Stream` of texts one after the other, such as lines of CSV. The reply says its `Content-Type`. */
export function piecesOf(items: AsyncIterable<string>): Stream {
  return streamOf(items, (text) => text, PIECES)
}

/** The media type of `recordsOf`; the route says `produces: CSV`. */
export const CSV = 'text/csv'

/** `Stream` of CSV: a record with the names of the columns, then one of the cells of each item. */
export function recordsOf<T>(
  names: readonly string[],
  items: AsyncIterable<T>,
  present: (item: T) => CsvCells,
): Stream {
  async function* records(): AsyncGenerator<CsvCells> {
    yield names
    for await (const item of items) yield present(item)
  }
  return streamOf(records(), writeRecord, RECORDS)
}
type CsvCells = Parameters<typeof writeRecord>[0]

/** An answer that is not JSON: whole text of a media type. */
export class Text {
  readonly text: string
  /** The media type with its charset: `text/html; charset=utf-8`. */
  readonly type: string

  constructor(text: string, type: string) {
    this.text = text
    this.type = type
  }
}

/** The media type of JSON, which answers have unless they say another one. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** An answer of JSON that is a text already: what `JSON.stringify` would make of it. */
export const jsonText = (text: string): Text => new Text(text, JSON_TYPE)

/** An answer of server-sent events, which goes on until the caller leaves or `events` ends. */
export class Events {
  readonly events: (signal: AbortSignal) => AsyncIterable<LiveEvent>

  constructor(events: Events['events']) {
    this.events = events
  }
}

/** One event: its name, its data as JSON, and an id from which the browser goes on when it comes back. */
export interface LiveEvent {
  event: string
  data: unknown
  id?: string
}

/** The media type of `eventsOf`; the route says `produces: EVENT_STREAM`. */
export const EVENT_STREAM = 'text/event-stream'

/**
 * `Events` of what `events` yields. It must end soon after `signal` is aborted, which happens when the caller goes. For
 * GET routes of `admin`.
 */
export function eventsOf(events: Events['events']): Events {
  return new Events(events)
}

/** Tells whether an `Idempotency-Key` is honoured: it is kept with the rows of an app. */
export function isRepeatable({
  method,
  transaction,
  needs,
  path,
}: Pick<Route, 'method' | 'transaction' | 'needs' | 'path'>): boolean {
  if (method !== 'post' || transaction === false || needs === 'nobody') return false
  return needs !== 'person' || path.includes(':appId')
}

/** An answer that is neither JSON nor text: whole bytes of a media type. */
export class Bytes {
  readonly bytes: Buffer
  readonly type: string

  constructor(bytes: Buffer, type: string) {
    this.bytes = bytes
    this.type = type
  }
}

type Declared<S> = S extends Schema ? Infer<S> : undefined

type Declaration<B extends Schema | undefined, Q extends Schema | undefined, F extends ReceivedFile, P, C> = Omit<
  Route,
  'method' | 'path' | 'body' | 'query' | 'upload' | 'convert' | 'shares' | 'prepare' | 'run'
> & {
  body?: B
  query?: Q
  upload?(call: UploadCall): Promise<FileSink<F>>
  convert?(body: Declared<B>): C
  shares?(call: Pick<Call<Declared<B>, Declared<Q>, F, undefined, C>, 'converted'>): boolean
  prepare?(
    call: Pick<Call<Declared<B>, Declared<Q>, F, undefined, C>, 'program' | 'appId' | 'params' | 'body' | 'converted'>,
  ): Promise<P>
  run(call: Call<Declared<B>, Declared<Q>, F, P, C>): Promise<unknown>
}

function declare(method: Method) {
  return <
    B extends Schema | undefined = undefined,
    Q extends Schema | undefined = undefined,
    F extends ReceivedFile = ReceivedFile,
    P = undefined,
    C = undefined,
  >(
    path: string,
    declaration: Declaration<B, Q, F, P, C>,
  ): Route => ({ method, path, ...declaration }) as Route
}

/** One declaration checks the key, parses, types and documents a route. */
export const get = declare('get')
export const post = declare('post')
export const put = declare('put')
export const patch = declare('patch')
export const del = declare('delete')
