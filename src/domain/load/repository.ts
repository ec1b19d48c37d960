import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { prepared } from '../../platform/db/prepared.ts'
import type { LoadCounts, LoadPoint, LoadSizes } from './types.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000

/** The spans of rows (ms). */
export type RowSpan = typeof MINUTE_MS | typeof HOUR_MS

const SUMS = {
  serverCalls: 'server_calls',
  deviceCalls: 'device_calls',
  errors: 'errors',
  accepted: 'accepted',
  failed: 'failed',
  cpuMs: 'cpu_ms',
  cpuRoomMs: 'cpu_room_ms',
} as const satisfies Record<keyof LoadCounts, string>

const GREATEST = {
  queueMs: 'queue_ms',
  memoryBytes: 'memory_bytes',
  databaseBytes: 'database_bytes',
} as const

const COLUMNS = { ...SUMS, ...GREATEST, diskFreeBytes: 'disk_free_bytes' } as const satisfies Record<
  Exclude<keyof LoadPoint, 'at'>,
  string
>

type Report = LoadCounts & LoadSizes & { minute: number; hour: number }

/** Adds a report to its minute and to its hour. Both rows are written in the order of the key, so two processes cannot deadlock. */
const ADD = prepared<Report & Readonly<Record<string, number | null>>>((kind) => {
  const [most, least] = kind === 'postgres' ? ['GREATEST', 'LEAST'] : ['max', 'min']
  const values = Object.keys(COLUMNS).map((name) => `CAST(:${name} AS bigint)`)
  const row = (span: number, at: string) => `(${span / 1000}, CAST(:${at} AS bigint), 1, ${values.join(', ')})`
  const free = 'disk_free_bytes'
  return `INSERT INTO load (span, at, reports, ${Object.values(COLUMNS).join(', ')})
    VALUES ${row(MINUTE_MS, 'minute')}, ${row(HOUR_MS, 'hour')}
    ON CONFLICT (span, at) DO UPDATE SET reports = load.reports + 1,
      ${Object.values(SUMS)
        .map((column) => `${column} = load.${column} + excluded.${column}`)
        .join(', ')},
      ${Object.values(GREATEST)
        .map((column) => `${column} = ${most}(load.${column}, excluded.${column})`)
        .join(', ')},
      ${free} = ${least}(COALESCE(load.${free}, excluded.${free}), COALESCE(excluded.${free}, load.${free}))`
})

const READ = prepared<{ span: number; from: number; to: number }, LoadPoint>(
  `SELECT at, ${Object.entries(COLUMNS)
    .map(([name, column]) => `${column} AS "${name}"`)
    .join(', ')}
   FROM load WHERE span = :span AND at >= :from AND at < :to ORDER BY at`,
)

export type LoadRepository = ReturnType<typeof loadRepository>

/** Work and size of the server over time. Tables: docs/reference/schema.md#load. */
export function loadRepository(sql: Sql) {
  return {
    /** Adds a report about the minute that begins at `at` (ms). */
    async add(at: number, report: LoadCounts & LoadSizes): Promise<void> {
      await ADD.run(sql, { ...report, minute: at - (at % MINUTE_MS), hour: at - (at % HOUR_MS) })
    },

    /** Rows of a span that begin from `from` on and before `to` (ms), oldest first. */
    async read(span: RowSpan, from: number, to: number): Promise<LoadPoint[]> {
      return READ.all(sql, { span: span / 1000, from, to })
    },

    /** Deletes at most `limit` rows of a span that begin before `before` (ms); returns how many. */
    forget(span: RowSpan, before: number, limit: number): Promise<number> {
      const old = sql('load')
        .where({ span: span / 1000 })
        .where('at', '<', before)
        .orderBy('at')
        .limit(limit)
      return deleteSome(sql, 'load', old)
    },
  }
}
