import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, type JsonColumn, jsonRows, rowsOf } from '../../../platform/db/dialect.ts'
import { prepared } from '../../../platform/db/prepared.ts'
import type { Value } from '../../../platform/db/statement.ts'
import type { FirstReports } from '../types.ts'
import { INSTALLS } from './installs.repository.ts'
import { versionKey } from './version-key.ts'

/** An install to create, with its anonymous user and what it has reported already. */
export interface NewInstall extends FirstReports {
  installId: string
  userId: number
  /** The time of its last activity (ms). */
  at: number
}

type Made = { row: number; installId: string }

const NEW = INSTALLS.omit('row', 'userSince', 'refusals')
const NAMES: readonly string[] = [...NEW.names, 'zone_changed_at']
const NOTHING: Readonly<Record<string, Value>> = Object.fromEntries(NAMES.map((name) => [name, null]))
const TYPES: readonly JsonColumn[] = [...NEW.types, 'bigint']
const RETURNING = 'ON CONFLICT (app_id, install_id) DO NOTHING RETURNING id AS "row", install_id AS "installId"'

/** The statements for SQLite, one by one (docs/decisions/measurements.md): for an install that has reported nothing, and for any. */
const CREATE = prepared<{ appId: number; installId: string; userId: number; at: number; now: number }, Made>(
  `INSERT INTO installs (app_id, install_id, user_id, last_active, created_at, updated_at)
   VALUES (:appId, :installId, :userId, :at, :now, :now) ${RETURNING}`,
)
const CREATE_REPORTED = prepared<Record<string, Value>, Made>(
  `INSERT INTO installs (${NAMES.join(', ')}) VALUES (${NAMES.map((name) => `:${name}`).join(', ')}) ${RETURNING}`,
)

export type NewInstallsRepository = ReturnType<typeof newInstallsRepository>

/** Creation of many installs. Tables: docs/reference/schema.md#installs. */
export function newInstallsRepository(sql: Sql) {
  return {
    /** Creates those of the installs that do not exist, and returns them. */
    async create(appId: number, list: readonly NewInstall[], now: number): Promise<Made[]> {
      if (isPostgres(sql)) {
        const lines = list.map((install) => {
          const row = rowOf(appId, install, now)
          return NAMES.map((name) => row[name])
        })
        return rowsOf(
          await sql.raw(`INSERT INTO installs (${NAMES.join(', ')}) ${jsonRows(sql, TYPES)} ${RETURNING}`, [
            JSON.stringify(lines),
          ]),
        )
      }
      const made: Made[] = []
      for (const install of list) {
        const { installId, userId, at, details, token } = install
        const hasReported = details !== undefined || token !== undefined
        const one = hasReported
          ? await CREATE_REPORTED.first(sql, rowOf(appId, install, now))
          : await CREATE.first(sql, { appId, installId, userId, at, now })
        if (one) made.push(one)
      }
      return made
    },
  }
}

/**
 * The row as `setDetails` and the registration of the token would leave it. A column that may not be null needs its first value here: the
 * default of the database does not apply. Pure.
 */
function rowOf(
  appId: number,
  { installId, userId, at, details, token }: NewInstall,
  now: number,
): Record<string, Value> {
  const enabled = token?.registration.notificationsEnabled
  const row = NEW.toRow({
    ...details?.data,
    appVersionKey: details && versionKey(details.data.appVersion),
    ...(token && {
      platform: token.registration.platform,
      token: token.registration.token,
      tokenKeys: token.registration.keys,
      topic: token.registration.topic,
      environment: token.registration.environment,
      tokenAt: token.at,
    }),
    appId,
    installId,
    userId,
    notificationsEnabled: enabled ?? true,
    notificationsAt: token && enabled !== undefined ? token.at : 0,
    subscribed: token !== undefined && (enabled ?? true),
    detailsAt: details?.at ?? 0,
    lastActive: at,
    createdAt: now,
    updatedAt: now,
  })
  const zoneChangedAt = (details?.data.timezone ?? null) === null ? 0 : now
  return { ...NOTHING, ...row, zone_changed_at: zoneChangedAt }
}
