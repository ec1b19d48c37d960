import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { makeDirectories } from '../../platform/files/directories.ts'
import { replaceFile } from '../../platform/files/durable-file.ts'
import { idOfUpload, uploadsDirectory } from '../channels/files/disk.ts'
import { erasuresFile } from '../erasures/list-file.ts'

/** Table with the files of the data directory that a database needs to be whole. Only backups have it. */
export const PACKED_TABLE = 'backup_files'

const PIECE_BYTES = 1024 * 1024

/** Files of a data directory, opened. */
export interface OpenFiles {
  add(): void
  /** Stores their content in the copy of a database. */
  packInto(db: Database): void
  close(): void
}

/**
 * Files that belong to a database: the erasure list, and subscriber files that wait to be applied. Call `add` before the database is copied
 * and again afterwards: a file that is applied and deleted meanwhile is still open, and one that came meanwhile is found the second time.
 */
export function openFiles(dataDir: string): OpenFiles {
  const open = new Map<string, number>()

  return {
    add() {
      for (const name of namesIn(dataDir)) {
        if (open.has(name)) continue
        try {
          open.set(name, openSync(join(dataDir, name), 'r'))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        }
      }
    },

    packInto(db) {
      if (open.size === 0) return
      db.exec(`CREATE TABLE ${PACKED_TABLE} (name TEXT NOT NULL, piece INTEGER NOT NULL, bytes BLOB NOT NULL)`)
      const insert = db.prepare(`INSERT INTO ${PACKED_TABLE} (name, piece, bytes) VALUES (?, ?, ?)`)
      const piece = Buffer.alloc(PIECE_BYTES)
      for (const [name, fd] of open) {
        for (let number = 0, at = 0; ; number++) {
          const read = readSync(fd, piece, 0, PIECE_BYTES, at)
          if (read === 0 && number > 0) break
          insert.run(name, number, piece.subarray(0, read))
          at += read
          if (read === 0) break
        }
      }
    },

    close() {
      for (const fd of open.values()) closeSync(fd)
      open.clear()
    },
  }
}

/** Paths below the data directory. */
function namesIn(dataDir: string): string[] {
  const uploads = listed(uploadsDirectory(dataDir)).filter((name) => idOfUpload(name) !== undefined)
  const hasList = listed(dataDir).includes(LIST)
  return [...(hasList ? [LIST] : []), ...uploads.map((name) => `uploads/${name}`)]
}

const LIST = 'erasures.list'

function listed(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The path of a packed file; undefined for a name that we do not write. A backup must not choose paths. */
function pathOf(dataDir: string, name: string): string | undefined {
  if (name === LIST) return erasuresFile(dataDir)
  const upload = name.startsWith('uploads/') ? name.slice('uploads/'.length) : ''
  return idOfUpload(upload) === undefined ? undefined : join(uploadsDirectory(dataDir), upload)
}

/**
 * Writes the packed files of a backup to a data directory, and takes them out of the database. The lines of the erasure
 * list are added to those that are there (`known` are further ones): users who were erased stay erased. Returns how
 * many subscriber files there were.
 */
export function unpackFiles(db: Database, dataDir: string, known: readonly string[] = []): number {
  const has = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = ?`).get(PACKED_TABLE) !== undefined
  const names = has ? (db.prepare(`SELECT DISTINCT name FROM ${PACKED_TABLE}`).pluck().all() as string[]) : []
  const contentOf = (name: string) =>
    Buffer.concat(
      db.prepare(`SELECT bytes FROM ${PACKED_TABLE} WHERE name = ? ORDER BY piece`).pluck().all(name) as Buffer[],
    )
  let uploads = 0
  for (const name of names) {
    const path = pathOf(dataDir, name)
    if (path === undefined || name === LIST) continue
    makeDirectories(dirname(path))
    replaceFile(path, contentOf(name))
    uploads++
  }
  const lists = [...(names.includes(LIST) ? [contentOf(LIST).toString('utf8')] : []), ...known]
  addToList(erasuresFile(dataDir), lists)
  if (has) db.exec(`DROP TABLE ${PACKED_TABLE}`)
  return uploads
}

/** Adds to an erasure list the lines of others that it does not have. */
function addToList(file: string, others: readonly string[]): void {
  const before = textOf(file)
  const joined = joinLists([before ?? '', ...others])
  if (joined !== '' && joined !== before) replaceFile(file, joined)
}

/** The lines of several erasure lists, each once. */
export function joinLists(lists: readonly string[]): string {
  const lines = new Set(lists.flatMap((list) => list.split('\n')).filter((line) => line.trim() !== ''))
  return lines.size === 0 ? '' : `${[...lines].join('\n')}\n`
}

/** The content of a text file; undefined when there is none. */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
