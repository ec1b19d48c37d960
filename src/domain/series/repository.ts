import type { Sql } from '../../platform/db/connect.ts'
import { deleteWithBelongings } from '../../platform/db/delete-some.ts'
import { byIndex, rowLock, rowLocked, whereIds } from '../../platform/db/dialect.ts'
import { bytesOf, newestFirst, type WeighedRow } from '../../platform/db/pages.ts'
import { prepared, preparedUpdate, preparedUpsert } from '../../platform/db/prepared.ts'
import type { Row } from '../../platform/db/table.ts'
import { notePictures } from '../pictures/uses.ts'
import { OCCURRENCES, SERIES, type Series, type SeriesKind, type SeriesOccurrence, type SeriesState } from './types.ts'

const NEW = SERIES.omit('id')

const OCCURRENCE = prepared<{ series_id: number; local: string }, Row<typeof OCCURRENCES>>(
  `SELECT ${OCCURRENCES.names.join(', ')} FROM series_occurrences WHERE series_id = :series_id AND local = :local`,
  { series_id: 'bigint', local: 'text' },
)
/** One that was called off can be taken anew. */
const TAKE = preparedUpsert<Row<typeof OCCURRENCES>>(
  'series_occurrences',
  {
    series_id: 'bigint',
    local: 'text',
    app_id: 'bigint',
    state: 'text',
    notification_id: 'bigint',
    message_id: 'bigint',
  },
  { key: ['series_id', 'local'], replaces: "series_occurrences.state = 'called-off'" },
)
const SETTLE = preparedUpdate<Omit<Row<typeof OCCURRENCES>, 'app_id'>>('series_occurrences', {
  set: { state: 'text', notification_id: 'bigint', message_id: 'bigint' },
  key: { series_id: 'bigint', local: 'text' },
})

/** The change of a series whose next occurrence is planned. */
type Advance = Pick<Series, 'planned' | 'dueAt' | 'sent' | 'missed' | 'unreached' | 'updatedAt'>
const ADVANCE = preparedUpdate<Record<string, string | number | null>>('series', {
  set: {
    planned: 'text',
    due_at: 'bigint',
    sent: 'bigint',
    missed: 'bigint',
    unreached: 'bigint',
    updated_at: 'bigint',
  },
  key: { id: 'bigint', app_id: 'bigint', version: 'bigint' },
  also: 'version = series.version + 1',
})

const BELONGINGS = [{ table: 'series_occurrences', owner: 'series_id', along: 'local' }] as const

/** The columns of what series may name, and what may be deleted. */
const NAMED_IN = { segment: 'segment', template: 'template', 'push template': 'push_template' } as const
export type Named = keyof typeof NAMED_IN

export type SeriesRepository = ReturnType<typeof seriesRepository>

/** Tables: docs/reference/schema.md#series, #series_occurrences. */
export function seriesRepository(sql: Sql) {
  const series = () => SERIES.in(sql)
  const due = () => sql.from(sql.raw(`series ${byIndex(sql, 'series_due')}`)).whereNotNull('due_at')

  return {
    async insert(given: Omit<Series, 'id'>): Promise<Series> {
      const [row] = await series().insert(NEW.toRow(given)).returning('*')
      await notePictures(sql, 'series', row!.id, given.request)
      return SERIES.fromRow(row!)
    },

    async find(appId: number, id: number): Promise<Series | undefined> {
      const row = await series().where({ app_id: appId, id }).first()
      return row && SERIES.fromRow(row)
    },

    /** A series that stays as it is until the commit. */
    async lock(appId: number, id: number): Promise<Series | undefined> {
      const row = await series().where({ app_id: appId, id }).modify(rowLocked(sql, 'change')).first()
      return row && SERIES.fromRow(row)
    },

    /** Stores a change of a series, unless it was changed since it was read; returns whether it did. */
    async update({ id, appId, version }: Series, change: Partial<Series>): Promise<boolean> {
      const row = SERIES.toRow({ ...change, version: version + 1 })
      if ((await series().where({ app_id: appId, id, version }).update(row)) === 0) return false
      if (change.request) await notePictures(sql, 'series', id, change.request)
      return true
    },

    /** `update` of a series that goes on as planned. */
    async advance({ id, appId, version }: Series, change: Advance): Promise<boolean> {
      const row = SERIES.toRow(change) as Record<string, string | number | null>
      return (await ADVANCE.run(sql, { ...row, id, app_id: appId, version })) > 0
    },

    async delete(appId: number, id: number): Promise<void> {
      await series().where({ app_id: appId, id }).delete()
    },

    /** Series, newest first, with the size of each; `after` is the id of the last one on the page before. */
    list(
      appId: number,
      state: SeriesState | undefined,
      after: number | undefined,
      limit: number,
    ): Promise<WeighedRow[]> {
      return sql('series')
        .where({ app_id: appId, ...(state !== undefined && { state }) })
        .modify(newestFirst(after, limit))
        .select('id', bytesOf(sql, ['request']))
    },

    /** Series that have a next time, by that; `after` is the last one on the page before. */
    listByDue(
      appId: number,
      state: SeriesState | undefined,
      after: { id: number; dueAt: number } | undefined,
      limit: number,
    ): Promise<WeighedRow[]> {
      return sql
        .from(sql.raw(`series ${byIndex(sql, 'series_by_due')}`))
        .where({ app_id: appId, ...(state !== undefined && { state }) })
        .whereNotNull('due_at')
        .modify((query) => {
          if (after) void query.whereRaw('due_at >= ? AND (due_at > ? OR id > ?)', [after.dueAt, after.dueAt, after.id])
        })
        .orderBy(['due_at', 'id'])
        .limit(limit)
        .select('id', bytesOf(sql, ['request']))
    },

    /** The series with these ids; unknown ones are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<Series[]> {
      return (await whereIds(series(), sql, appId, ids).select()).map(SERIES.fromRow)
    },

    /** The number of series of an app that have not ended. */
    async countOpen(appId: number): Promise<number> {
      const row = await sql('series')
        .where({ app_id: appId })
        .whereIn('state', ['active', 'paused', 'broken'])
        .count({ count: '*' })
        .first()
      return Number(row!.count)
    },

    /** Broken series, at most `limit`; of all apps without `appId`. */
    async broken(appId: number | undefined, limit: number): Promise<Pick<Series, 'id' | 'appId' | 'why'>[]> {
      const rows: { id: number; app_id: number; why: string | null }[] = await sql('series')
        // As its partial index has it.
        .whereRaw("state = 'broken'")
        .modify((query) => {
          if (appId !== undefined) void query.where({ app_id: appId })
        })
        .orderBy(['app_id', 'id'])
        .limit(limit)
        .select('id', 'app_id', 'why')
      return rows.map((row) => ({ id: row.id, appId: row.app_id, why: row.why }))
    },

    /** The kinds of series that go on, with their apps: of at most `limit` series; of all apps without `appId`. */
    async goingOn(appId: number | undefined, limit: number): Promise<Pick<Series, 'appId' | 'kind'>[]> {
      const active =
        appId === undefined
          ? due().orderBy(['due_at', 'id'])
          : sql.from('series').where({ app_id: appId, state: 'active' }).orderBy('id')
      const rows: { app_id: number; kind: SeriesKind }[] = await active.limit(limit).select('app_id', 'kind')
      const kinds = new Map(rows.map((row) => [`${row.app_id} ${row.kind}`, { appId: row.app_id, kind: row.kind }]))
      return [...kinds.values()]
    },

    /** Series of all apps whose planned occurrence begins by `now`, the most urgent first: at most `limit`. */
    async due(now: number, limit: number): Promise<Series[]> {
      const rows = await due().where('due_at', '<=', now).orderBy(['due_at', 'id']).limit(limit).select('*')
      return rows.map(SERIES.fromRow)
    },

    /** The time (ms) at which the next one is due. */
    async nextAt(): Promise<number | undefined> {
      const row: { due_at: number } | undefined = await due().orderBy(['due_at', 'id']).first('due_at')
      return row?.due_at
    },

    /** Locks those of these series, of any app, that nobody else is planning; returns the version of each by its id. */
    async lockSome(ids: readonly number[]): Promise<Map<number, number>> {
      const rows: { id: number; version: number }[] = await sql
        .from('series')
        .whereIn('id', [...ids])
        .orderBy('id')
        .select('id', 'version')
        .modify((query) => {
          const lock = rowLock(sql, 'series', 'skip locked')
          if (lock !== '') void query.forNoKeyUpdate().skipLocked()
        })
      return new Map(rows.map(({ id, version }) => [id, version]))
    },

    /** Makes series break that name what is deleted, unless they have ended. */
    async breakNaming(appId: number, what: Named, name: string, why: string, now: number): Promise<void> {
      await sql('series')
        .where({ app_id: appId, [NAMED_IN[what]]: name })
        .whereIn('state', ['active', 'paused'])
        .update({ state: 'broken', why, due_at: null, updated_at: now, version: sql.raw('version + 1') })
    },

    /** Ends every series of an app. */
    async endAll(appId: number, why: string, now: number): Promise<void> {
      await sql('series')
        .where({ app_id: appId })
        .whereIn('state', ['active', 'paused', 'broken'])
        .update({ state: 'ended', why, due_at: null, ended_at: now, updated_at: now, version: sql.raw('version + 1') })
    },

    async occurrence(seriesId: number, local: string): Promise<SeriesOccurrence | undefined> {
      const row = await OCCURRENCE.first(sql, { series_id: seriesId, local })
      return row && OCCURRENCES.fromRow(row)
    },

    /** The last occurrences of a series, newest first. */
    async occurrences(seriesId: number, limit: number): Promise<SeriesOccurrence[]> {
      const rows = await OCCURRENCES.in(sql)
        .where({ series_id: seriesId })
        .orderBy('local', 'desc')
        .limit(limit)
        .select()
      return rows.map(OCCURRENCES.fromRow)
    },

    /**
     * Takes a time for an occurrence; false when it was taken before, so that nothing may be sent for it again. One that was
     * called off can be taken anew.
     */
    async take(given: SeriesOccurrence): Promise<boolean> {
      return (await TAKE.run(sql, OCCURRENCES.toRow(given) as Row<typeof OCCURRENCES>)) > 0
    },

    /** Stores what was made for an occurrence that was taken. */
    async settle({
      seriesId,
      local,
      state,
      notificationId,
      messageId,
    }: Omit<SeriesOccurrence, 'appId'>): Promise<void> {
      const made = { notification_id: notificationId, message_id: messageId }
      await SETTLE.run(sql, { series_id: seriesId, local, state, ...made })
    },

    async setOccurrence(seriesId: number, local: string, change: Partial<SeriesOccurrence>): Promise<void> {
      await OCCURRENCES.in(sql).where({ series_id: seriesId, local }).update(OCCURRENCES.toRow(change))
    },

    /** Deletes at most `limit` rows of series that ended before `before` (ms); returns how many. */
    forget(before: number, limit: number): Promise<number> {
      const old = sql('series').where('ended_at', '<', before).orderBy('ended_at')
      return deleteWithBelongings(sql, 'series', old, BELONGINGS, limit)
    },

    /** Deletes at most `limit` rows of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('series').where({ app_id: appId }).orderBy('id')
      return deleteWithBelongings(sql, 'series', some, BELONGINGS, limit)
    },
  }
}
