import type { Database } from '../../src/platform/db/connect.ts'
import { isPostgres } from '../../src/platform/db/dialect.ts'

/** Finds the place of a database in the handle for reading: the address of PostgreSQL, or the file of SQLite. */
export function placeOf({ read }: Pick<Database, 'read'>): { url: string } | { url?: undefined; file: string } {
  const { config, connectionSettings } = read.client as {
    config: { url?: string }
    connectionSettings: { filename?: string }
  }
  return isPostgres(read) ? { url: config.url! } : { file: connectionSettings.filename! }
}
