import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { jsonRows, whereAmong } from '../../platform/db/dialect.ts'
import { newestFirst } from '../../platform/db/pages.ts'
import {
  type CrashFilter,
  type CrashGroup,
  type CrashReport,
  type CrashSource,
  REPORTS,
  type WholeCrashReport,
} from './types.ts'

const SHOWN = REPORTS.omit('text')
const NEW = REPORTS.omit('id')

/** Limits of the reports of one app and source that are kept: their number and their bytes. */
export interface CrashQuota {
  keep: number
  keepBytes: number
}

export type CrashesRepository = ReturnType<typeof crashesRepository>

/** Tables: docs/reference/schema.md#crash_reports. */
export function crashesRepository(sql: Sql) {
  const reports = () => REPORTS.in(sql)

  const chosen =
    (appId: number, { platform, fingerprint, since }: CrashFilter) =>
    (query: Knex.QueryBuilder) => {
      void query.where({ app_id: appId })
      if (platform !== undefined) void query.where({ platform })
      if (fingerprint !== undefined) void query.where({ fingerprint })
      if (since !== undefined) void query.where('received_at', '>=', since)
    }

  return {
    /** Report ids among `reportIds` that are stored already. */
    async known(appId: number, source: CrashSource, reportIds: readonly string[]): Promise<string[]> {
      return whereAmong(reports().where({ app_id: appId, source }), sql, 'report_id', reportIds).pluck('report_id')
    },

    /** Stores the reports that are new, in this order. `text` is the JSON of a report. */
    async insert(
      appId: number,
      source: CrashSource,
      list: readonly (Omit<CrashReport, 'id' | 'appId' | 'source'> & { text: string })[],
    ): Promise<void> {
      await sql.raw(
        `INSERT INTO crash_reports (${NEW.names.join(', ')}) ${jsonRows(sql, NEW.types)}
         ON CONFLICT (app_id, source, report_id) DO NOTHING`,
        [JSON.stringify(list.map((report) => NEW.toLine({ ...report, appId, source })))],
      )
    },

    /** Deletes the oldest reports of this source above the quota. */
    async trim(appId: number, source: CrashSource, { keep, keepBytes }: CrashQuota): Promise<void> {
      await sql.raw(
        `DELETE FROM crash_reports WHERE id IN (
           SELECT id FROM (
             SELECT id, row_number() OVER newest AS place, sum(size) OVER newest AS bytes
             FROM crash_reports WHERE app_id = ? AND source = ?
             WINDOW newest AS (ORDER BY id DESC ROWS UNBOUNDED PRECEDING)
           ) AS counted WHERE place > ? OR bytes > ?)`,
        [appId, source, keep, keepBytes],
      )
    },

    /** Reports without their text, newest first, before the id `before`. */
    async list(appId: number, filter: CrashFilter, before: number | undefined, limit: number): Promise<CrashReport[]> {
      const rows = await reports()
        .modify(chosen(appId, filter))
        .modify(newestFirst(before, limit))
        .select(...SHOWN.names)
      return rows.map(SHOWN.fromRow)
    },

    /** The reports grouped by fault, the most recently reported first. */
    async groups(appId: number, filter: CrashFilter, limit: number): Promise<CrashGroup[]> {
      const rows: (Omit<CrashGroup, 'platform' | 'exception' | 'message' | 'frame'> & { fingerprint: string })[] =
        await sql('crash_reports')
          .modify(chosen(appId, filter))
          .groupBy('fingerprint')
          .orderBy('lastId', 'desc')
          .limit(limit)
          .select('fingerprint')
          .count({ reports: '*' })
          .countDistinct({ installs: 'install_id' })
          .min({ firstAt: 'happened_at' })
          .max({ lastAt: 'happened_at', lastId: 'id' })
      const newest = await reports()
        .whereIn(
          'id',
          rows.map(({ lastId }) => lastId),
        )
        .select(...SHOWN.names)
      const byId = new Map(newest.map((row) => [row.id, SHOWN.fromRow(row)]))
      return rows.map((row) => {
        const { platform, exception, message, frame } = byId.get(row.lastId)!
        return { ...row, platform, exception, message, frame }
      })
    },

    async find(appId: number, id: number): Promise<WholeCrashReport | undefined> {
      const row = await reports().where({ id, app_id: appId }).first()
      return row && { ...SHOWN.fromRow(row), report: JSON.parse(row.report) as unknown }
    },

    /** Deletes at most `limit` reports of all apps received before `before`. Returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const old = sql('crash_reports')
        .where('received_at', '<', before)
        .orderBy('received_at')
        .limit(limit)
        .select('id')
      return sql('crash_reports').whereIn('id', old).delete()
    },

    /** Deletes at most `limit` reports of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'crash_reports', sql('crash_reports').where({ app_id: appId }).orderBy('id').limit(limit))
    },
  }
}
