import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { AppError, messageOf } from '../errors.ts'

/** The contents of an SQLite file that nobody uses at the moment. */
export interface DatabaseContents {
  bytes: number
  /** Migration steps, oldest first. */
  steps: string[]
  /** Rows of each table. */
  tables: Record<string, number>
  /** A check value of the master key; null when it has none. Undefined when the schema is older than the table `instance`. */
  keyCheck: string | null | undefined
}

/** Opens an SQLite file that nobody else uses. Throws `invalid` when it is not one. */
export function openFile(file: string, { readonly = false } = {}): Database.Database {
  const db = new Database(file, { readonly, fileMustExist: true })
  try {
    db.pragma('schema_version')
    return db
  } catch (error) {
    db.close()
    throw unsound(file, messageOf(error))
  }
}

/**
 * Reads the whole file: every page, the order of every index, the rows of every table. Blocks the thread for seconds per gigabyte.
 * `isQuick` reads only its schema. Throws `invalid` when the file is damaged or cut.
 */
export function inspectFile(file: string, { isQuick = false } = {}): DatabaseContents {
  const db = openFile(file, { readonly: true })
  try {
    if (!isQuick) {
      const [found] = db.pragma('integrity_check(1)', { simple: false }) as { integrity_check: string }[]
      if (found?.integrity_check !== 'ok') throw unsound(file, found?.integrity_check ?? 'no answer')
    }
    const names = db
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
      )
      .pluck()
      .all() as string[]
    const count = (name: string) =>
      db
        .prepare(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)
        .pluck()
        .get() as number
    return {
      bytes: statSync(file).size,
      steps: names.includes('schema_migrations')
        ? (db.prepare('SELECT name FROM schema_migrations ORDER BY name').pluck().all() as string[])
        : [],
      tables: isQuick ? {} : Object.fromEntries(names.map((name) => [name, count(name)])),
      keyCheck: names.includes('instance')
        ? ((db.prepare('SELECT key_check FROM instance WHERE id = 1').pluck().get() as string | null | undefined) ??
          null)
        : undefined,
    }
  } catch (error) {
    throw error instanceof AppError ? error : unsound(file, messageOf(error))
  } finally {
    db.close()
  }
}

function unsound(file: string, why: string): AppError {
  return new AppError('bad_request', `${file} is not a sound SQLite database (${why})`)
}
