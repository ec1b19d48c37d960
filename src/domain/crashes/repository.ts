import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { type JsonColumn, jsonRows, whereAmong } from '../../platform/db/dialect.ts'
import { newestFirst } from '../../platform/db/pages.ts'
import type { CrashFilter, CrashGroup, CrashPlatform, CrashReport, CrashSource, WholeCrashReport } from './types.ts'

interface CrashRow {
  id: number
  app_id: number
  install_id: string
  source: string
  report_id: string
  platform: string
  fingerprint: string
  exception: string | null
  message: string | null
  app_version: string | null
  os_version: string | null
  device: string | null
  frame: string | null
  happened_at: number
  received_at: number
  size: number
  report: string
}

/** All columns but the report itself, which may be megabytes. */
const SHOWN = [
  'id',
  'app_id',
  'install_id',
  'source',
  'report_id',
  'platform',
  'fingerprint',
  'exception',
  'message',
  'app_version',
  'os_version',
  'device',
  'frame',
  'happened_at',
  'received_at',
  'size',
] as const

/** Types of the columns in the order in which `insert` gives them. */
const COLUMNS: readonly JsonColumn[] = [
  'bigint',
  ...Array.from({ length: 11 }, () => 'text' as const),
  'bigint',
  'bigint',
  'bigint',
  'text',
]

const toCrashReport = (row: Omit<CrashRow, 'report'>): CrashReport => ({
  id: row.id,
  appId: row.app_id,
  installId: row.install_id,
  source: row.source as CrashSource,
  reportId: row.report_id,
  platform: row.platform as CrashPlatform,
  fingerprint: row.fingerprint,
  exception: row.exception,
  message: row.message,
  appVersion: row.app_version,
  osVersion: row.os_version,
  device: row.device,
  frame: row.frame,
  happenedAt: row.happened_at,
  receivedAt: row.received_at,
  size: row.size,
})

/** What is kept of one app's reports by one door: so many, and so many bytes. */
export interface CrashQuota {
  keep: number
  keepBytes: number
}

export type CrashesRepository = ReturnType<typeof crashesRepository>

export function crashesRepository(sql: Sql) {
  const reports = () => sql<CrashRow>('crash_reports')

  const chosen =
    (appId: number, { platform, fingerprint, since }: CrashFilter) =>
    (query: Knex.QueryBuilder) => {
      void query.where({ app_id: appId })
      if (platform !== undefined) void query.where({ platform })
      if (fingerprint !== undefined) void query.where({ fingerprint })
      if (since !== undefined) void query.where('received_at', '>=', since)
    }

  return {
    /** Which of these reports were sent before, by their own ids. */
    async known(appId: number, source: CrashSource, reportIds: readonly string[]): Promise<string[]> {
      return whereAmong(reports().where({ app_id: appId, source }), sql, 'report_id', reportIds).pluck('report_id')
    },

    /** Stores reports in this order, but for those that were sent before. `text` is the JSON of one. */
    async insert(
      appId: number,
      source: CrashSource,
      list: readonly (Omit<CrashReport, 'id' | 'appId' | 'source'> & { text: string })[],
    ): Promise<void> {
      const lines = list.map((report) => [
        appId,
        report.installId,
        source,
        report.reportId,
        report.platform,
        report.fingerprint,
        report.exception,
        report.message,
        report.appVersion,
        report.osVersion,
        report.device,
        report.frame,
        report.happenedAt,
        report.receivedAt,
        report.size,
        report.text,
      ])
      await sql.raw(
        `INSERT INTO crash_reports (app_id, install_id, source, report_id, platform, fingerprint, exception, message,
           app_version, os_version, device, frame, happened_at, received_at, size, report)
         ${jsonRows(sql, COLUMNS)}
         ON CONFLICT (app_id, source, report_id) DO NOTHING`,
        [JSON.stringify(lines)],
      )
    },

    /** Forgets the oldest reports of this door that are beyond what is kept. */
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

    /** Newest first, those before the id `before`. */
    async list(appId: number, filter: CrashFilter, before: number | undefined, limit: number): Promise<CrashReport[]> {
      const rows = await reports()
        .modify(chosen(appId, filter))
        .modify(newestFirst(before, limit))
        .select(...SHOWN)
      return rows.map(toCrashReport)
    },

    /** The reports by fault, those with the newest first. */
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
        .select(...SHOWN)
      const byId = new Map(newest.map((row) => [row.id, toCrashReport(row)]))
      return rows.map((row) => {
        const { platform, exception, message, frame } = byId.get(row.lastId)!
        return { ...row, platform, exception, message, frame }
      })
    },

    async find(appId: number, id: number): Promise<WholeCrashReport | undefined> {
      const row = await reports().where({ id, app_id: appId }).first()
      return row && { ...toCrashReport(row), report: JSON.parse(row.report) as unknown }
    },

    /** Deletes at most `limit` reports of any app received before `before`; returns how many. */
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
