import type { Client } from 'openapi-fetch'
import { dataOf } from './errors.ts'
import type { components, paths } from './schema.ts'

type Answer<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never

/** The kinds of answer that are a page of a list: `next` is null on the last. */
type Page<Body> = Body extends { next: infer Next } ? (null extends Next ? Body : never) : never

/** Addresses of lists: their answers have a `next` that ends with null. */
export type ListPath = { [P in keyof paths]: [Page<Answer<P>>] extends [never] ? never : P }[keyof paths]

/** One item of a list. */
export type Item<P extends ListPath> = {
  [K in keyof Page<Answer<P>>]: Page<Answer<P>>[K] extends readonly (infer Member)[] ? Member : never
}[keyof Page<Answer<P>>]

type Parameters<P extends ListPath> = paths[P] extends { get: { parameters: infer All } } ? All : never
type Query<P extends ListPath> = Parameters<P> extends { query?: infer Q } ? Omit<NonNullable<Q>, 'after'> : never

/** Parameters of a list; `after` is ours. */
export type ListInit<P extends ListPath> = {
  query?: Query<P>
  signal?: AbortSignal
} & (Parameters<P> extends { path: infer Path } ? { path: Path } : unknown)

/** Reads a list page by page, and yields its items. */
export async function* list<P extends ListPath>(
  api: Client<paths>,
  path: P,
  init: ListInit<P> = {} as ListInit<P>,
): AsyncGenerator<Item<P>, void, undefined> {
  const { query, path: named, signal } = init as { query?: object; path?: object; signal?: AbortSignal }
  let after: string | number | null | undefined
  do {
    const params = { path: named, query: { ...firstOf(path), ...query, ...(after !== undefined && { after }) } }
    const result = await api.GET(path, { params, ...(signal && { signal }) } as never)
    const page = dataOf<Record<string, unknown>>(result)
    yield* Object.values(page).find(Array.isArray) as Item<P>[]
    after = page.next as string | number | null | undefined
  } while (after !== null && after !== undefined)
}

const EVERYBODY = JSON.stringify({ or: [true, false].map((value) => ({ field: 'identifier', op: 'known', value })) })

/** The query with which an address answers pages with `next`: users also have an older list, by numbered pages, unless they are searched. */
function firstOf(path: ListPath): object {
  return path === '/crm/v2/users' ? { filter: EVERYBODY } : {}
}

/** A record of a data table. */
export type TableRecord = components['schemas']['Record']

/** Settings of `records()`: the parameters of the list of records, without those of its pages. */
export interface RecordsInit {
  query?: Omit<
    NonNullable<paths['/data/v1/data/{tableAlias}']['get']['parameters']['query']>,
    'after' | 'page' | 'count'
  >
  signal?: AbortSignal
}

/** Reads the records of a data table page by page. */
export async function* records(
  api: Client<paths>,
  tableAlias: string,
  { query, signal }: RecordsInit = {},
): AsyncGenerator<TableRecord, void, undefined> {
  let after: string | null = null
  do {
    const params = { path: { tableAlias }, query: { ...query, ...(after !== null && { after }) } }
    const result: Awaited<ReturnType<typeof read>> = await read(params)
    yield* dataOf<TableRecord[]>(result)
    after = result.response.headers.get('next-after')
  } while (after !== null)

  function read(params: paths['/data/v1/data/{tableAlias}']['get']['parameters']) {
    return api.GET('/data/v1/data/{tableAlias}', { params, ...(signal && { signal }) })
  }
}
