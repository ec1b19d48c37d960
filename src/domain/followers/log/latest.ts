import { makeRoom } from '../../../platform/concurrency/room.ts'
import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, unindexed, whereAmong } from '../../../platform/db/dialect.ts'
import { highestFirst, newestFirst, PAGE_BYTES, slicesOf } from '../../../platform/db/pages.ts'
import type { Position } from '../position.ts'
import type { LoggedEvent } from '../types.ts'
import { STORED_PAGE } from '../wants.ts'

/** The number of events that one read looks at when only some are asked for: it ends after these, whatever it found. */
const LOOKED_AT = 2000
/** Maximum number of installs of a user whose events are looked for: those they have, and those that named them once. */
const MOST_INSTALLS = 50

/** Conditions on an event besides its type; those that are absent hold for every event. */
export interface Chosen {
  /** The user of the event. */
  userId?: string | undefined
  /** The install that reported it. */
  installId?: string | undefined
  /** A part of the id that its sender gave it, of its user or of its install, in capitals or not. */
  q?: string | undefined
}

/** Query of the newest events of an app. */
export interface LatestQuery extends Chosen {
  appId: number
  /** The event before which the read begins; without it, the newest. */
  before?: Position | undefined
  types?: readonly string[] | undefined
  limit: number
}

export interface LatestPage {
  /** Newest first. */
  events: LoggedEvent[]
  /** The `before` of the next read; undefined when nothing is older. */
  next: Position | undefined
}

type Named = Pick<LoggedEvent, 'uuid' | 'userIdentifier' | 'installId'>

/** Tells whether an event is one of those chosen. */
export function isChosen(
  { uuid, userIdentifier, installId }: Named,
  { userId, installId: install, q }: Chosen,
): boolean {
  if (userId !== undefined && userIdentifier !== userId) return false
  if (install !== undefined && installId !== install) return false
  if (q === undefined) return true
  const part = q.toLowerCase()
  return [uuid, userIdentifier, installId].some((one) => one?.toLowerCase().includes(part))
}

/** An event that a read looks at, before its data is read. */
interface Glance extends Position {
  type: string
  bytes: number
  uuid: string
  userIdentifier: string | null
  installRow: number | null
}

type Fetch = (list: readonly Position[]) => Promise<LoggedEvent[]>

/** Reads the newest events of an app, some of them. `fetch` reads events whole. Tables: docs/reference/schema.md#events. */
export function latestReader(sql: Sql, fetch: Fetch) {
  const postgres = isPostgres(sql)

  /** Events of an app that every reader may know. */
  function known(appId: number) {
    const query = sql('events').where('app_id', appId)
    if (postgres) void query.whereRaw('tx < event_horizon()')
    return query
  }

  const glances = (appId: number) =>
    known(appId).select(
      'id',
      'type',
      'uuid',
      'user_identifier as userIdentifier',
      'install_row as installRow',
      sql.raw(postgres ? 'tx' : '0 AS tx'),
      sql.raw('COALESCE(octet_length(data), 0) AS bytes'),
    )

  /** The newest of all events of an app. */
  function all(appId: number, before: Position | undefined, most: number): Promise<Glance[]> {
    const query = glances(appId)
    return postgres
      ? query.modify(highestFirst(['tx', 'id'], before && [before.tx, before.id], most))
      : query.modify(newestFirst(before?.id, most))
  }

  /**
   * The newest events that these installs reported, whoever used them. By an expression: otherwise the events of everybody may be walked
   * through. First only ids, which an index of SQLite has: an install may have a million events.
   */
  async function ofInstalls({ appId, before }: LatestQuery, rows: readonly number[], most: number): Promise<Glance[]> {
    if (rows.length === 0) return []
    const query = whereAmong(known(appId), sql, 'install_row', rows)
    if (before) void query.whereRaw(`${unindexed('id')} < ?`, [before.id])
    const ids: number[] = await query
      .orderByRaw(`${unindexed('id')} DESC`)
      .limit(most)
      .pluck('id')
    const found: Glance[] = await whereAmong(glances(appId), sql, 'id', ids)
    return found.sort((a, b) => b.id - a.id)
  }

  /** The newest events that servers, not devices, reported about a user. */
  async function ofServers({ appId, before, userId }: LatestQuery, most: number): Promise<Glance[]> {
    return glances(appId)
      .where('user_identifier', userId)
      .whereRaw('install_row IS NULL')
      .modify(newestFirst(before?.id, most))
  }

  /** Rows of the installs that may have reported what is asked for. */
  async function installsOf({ appId, userId, installId }: LatestQuery): Promise<number[]> {
    if (installId !== undefined) {
      return sql('installs').where({ app_id: appId, install_id: installId }).pluck('id')
    }
    const users: number[] = await sql('users').where({ app_id: appId, identifier: userId }).pluck('id')
    const now: number[] = await whereAmong(sql('installs'), sql, 'user_id', users).limit(MOST_INSTALLS).pluck('id')
    const once: number[] = await sql('install_users')
      .where({ app_id: appId, identifier: userId })
      .orderBy('install_row')
      .limit(MOST_INSTALLS)
      .pluck('install_row')
    return [...new Set([...now, ...once])]
  }

  async function look(query: LatestQuery, most: number): Promise<Glance[]> {
    const { appId, userId, installId, before } = query
    if (userId === undefined && installId === undefined) return all(appId, before, most)
    const reported = await ofInstalls(query, await installsOf(query), most)
    if (installId !== undefined) return reported
    return [...reported, ...(await ofServers(query, most))].sort((a, b) => b.id - a.id).slice(0, most)
  }

  /** The events among these that have the text in one of their ids. */
  async function withText(list: readonly Glance[], q: string): Promise<Glance[]> {
    const rows = [...new Set(list.flatMap(({ installRow }) => installRow ?? []))]
    const installs: { id: number; name: string }[] = await whereAmong(sql('installs'), sql, 'id', rows).select(
      'id',
      'install_id as name',
    )
    const names = new Map(installs.map(({ id, name }) => [id, name]))
    return list.filter((one) => isChosen({ ...one, installId: names.get(one.installRow ?? 0) ?? null }, { q }))
  }

  /**
   * The newest events of an app: at most `limit` of them, 2 MiB of data, and of `LOOKED_AT` events when only some types, a user or a text
   * are asked for. So there may be fewer, or none, and a `next` all the same.
   */
  return async function latest(query: LatestQuery): Promise<LatestPage> {
    const { types, userId, q, limit } = query
    const most = types === undefined && userId === undefined && q === undefined ? limit + 1 : LOOKED_AT
    const looked = await look(query, most)
    const typed = looked.filter(
      ({ type, userIdentifier }) =>
        type !== STORED_PAGE &&
        (types === undefined || types.includes(type)) &&
        (userId === undefined || userIdentifier === userId),
    )
    const wanted = q === undefined ? typed : await withText(typed, q)
    const [taken = []] = slicesOf(wanted.slice(0, limit), PAGE_BYTES)
    await makeRoom(taken.reduce((sum, { bytes }) => sum + bytes, 0))
    const isAll = taken.length === wanted.length
    const last = isAll ? (looked.length < most ? undefined : looked.at(-1)) : taken.at(-1)
    return { events: await fetch(taken), next: last && { tx: last.tx, id: last.id } }
  }
}
