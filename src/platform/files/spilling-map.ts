import Database from 'better-sqlite3'
import { AppError, messageOf } from '../errors.ts'

/** Entries that stay in memory; with short texts some 10 MB. */
const KEPT = 50_000
/** Pages of the temporary file that stay in memory (KiB). */
const CACHE_KIB = 16 * 1024

/**
 * Well-formed texts by texts, for any number of them in bounded memory: what exceeds `kept` entries goes into a temporary file, which is
 * deleted when it is closed and when the process ends. SQLite makes it in `TMPDIR`, else in /var/tmp. Every answer is exact.
 */
export class SpillingMap {
  readonly #kept: number
  #recent = new Map<string, string>()
  #file: TemporaryFile | undefined

  constructor({ kept = KEPT }: { kept?: number | undefined } = {}) {
    this.#kept = kept
  }

  /** Throws `unavailable` when the temporary file cannot be read. */
  get(key: string): string | undefined {
    return this.#recent.get(key) ?? this.#file?.get(key)
  }

  /** Throws `unavailable` when the temporary file cannot be written. */
  set(key: string, value: string): void {
    this.#recent.set(key, value)
    if (this.#recent.size < this.#kept) return
    this.#file ??= openTemporaryFile()
    this.#file.add(this.#recent)
    this.#recent = new Map()
  }

  /** Deletes the temporary file. The map is empty afterwards. */
  close(): void {
    this.#file?.close()
    this.#file = undefined
    this.#recent = new Map()
  }
}

interface TemporaryFile {
  get(key: string): string | undefined
  add(entries: ReadonlyMap<string, string>): void
  close(): void
}

function openTemporaryFile(): TemporaryFile {
  const db = guarded(() => {
    // A database without a name is a file that SQLite deletes as it opens it.
    const made = new Database('')
    made.pragma('journal_mode = OFF')
    made.pragma('synchronous = OFF')
    made.pragma('temp_store = FILE')
    made.pragma(`cache_size = -${CACHE_KIB}`)
    made.exec('CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID')
    return made
  })
  const find = db.prepare<[string], string>('SELECT value FROM entries WHERE key = ?').pluck()
  const put = db.prepare<[string, string]>('INSERT OR REPLACE INTO entries (key, value) VALUES (?, ?)')
  const putAll = db.transaction((entries: readonly (readonly [string, string])[]) => {
    for (const [key, value] of entries) put.run(key, value)
  })
  return {
    get: (key) => guarded(() => find.get(key)),
    // In the order of the keys, so that neighbours are written together.
    add: (entries) => guarded(() => putAll([...entries].sort(([one], [other]) => (one < other ? -1 : 1)))),
    close: () => void db.close(),
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new AppError(
      'unavailable',
      `a temporary file cannot be written (${messageOf(error)}): TMPDIR names the directory of temporary files, which needs more space`,
    )
  }
}
