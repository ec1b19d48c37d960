import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Sql } from '../db/connect.ts'
import { rowsOf } from '../db/dialect.ts'

/**
 * When a file was born (ns), which no copy inherits and no restart, mount point or host name changes. Null where the file system
 * keeps no time of birth: the system then says 0, or gives the time of the last change for it, as for everything.
 */
export async function birthOf(file: string): Promise<bigint | null> {
  const [born, around] = await Promise.all([stat(file, { bigint: true }), stat(dirname(file), { bigint: true })])
  const isMadeUp = born.birthtimeNs === born.ctimeNs && around.birthtimeNs === around.ctimeNs
  return born.birthtimeNs === 0n || isMadeUp ? null : born.birthtimeNs
}

/**
 * What tells an SQLite file from a copy of it: when it was born. Inode numbers do not do: file systems give the number of a deleted
 * file to the next one. Null where that cannot be told.
 */
export async function fileIdentity(file: string): Promise<string | null> {
  const born = await birthOf(file)
  return born === null ? null : `file ${born}`
}

/**
 * What tells a database of PostgreSQL from a copy of it: the number that `initdb` gave the cluster, which standbys share, and the
 * database's own in it. Null when the server does not tell.
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
    // Insufficient privilege: some hosts keep these functions to themselves.
    if (error instanceof Error && 'code' in error && error.code === '42501') return null
    throw error
  }
}
