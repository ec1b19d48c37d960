import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Sql } from '../db/connect.ts'
import { rowsOf } from '../db/dialect.ts'

/**
 * The creation time (birth time) of a file in ns. A copy does not inherit it, and no restart, mount point or host name changes it. Null
 * where the file system does not keep it: the system then reports 0, or the time of the last change for every file.
 */
export async function birthOf(file: string): Promise<bigint | null> {
  const [born, around] = await Promise.all([stat(file, { bigint: true }), stat(dirname(file), { bigint: true })])
  const isMadeUp = born.birthtimeNs === born.ctimeNs && around.birthtimeNs === around.ctimeNs
  return born.birthtimeNs === 0n || isMadeUp ? null : born.birthtimeNs
}

/**
 * Distinguishes an SQLite file from a copy of it by its creation time. Inode numbers are unsuitable, because file systems reuse the
 * number of a deleted file. Null where the creation time is unknown.
 */
export async function fileIdentity(file: string): Promise<string | null> {
  const born = await birthOf(file)
  return born === null ? null : `file ${born}`
}

/**
 * Distinguishes a PostgreSQL database from a copy of it: the system identifier of the cluster, which `initdb` assigns and standbys share,
 * and the oid of the database. Null when the server does not reveal them.
 */
export async function postgresIdentity(sql: Sql): Promise<string | null> {
  try {
    const result = await sql.raw(
      `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system,
              (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database`,
    )
    const { system, database } = rowsOf<{ system: string; database: string }>(result)[0]!
    return `postgres ${system}/${database}`
  } catch (error) {
    // Insufficient privilege: some hosting providers do not allow this function.
    if (error instanceof Error && 'code' in error && error.code === '42501') return null
    throw error
  }
}
