import Database from 'better-sqlite3'
import { AppError, messageOf } from '../errors.ts'

/** Entries that stay in memory. Writing them into a large file blocks the thread, for about 15 µs each. */
const KEPT = 10_000
/** Characters of entries that stay in memory: texts may be long. */
const KEPT_CHARACTERS = 4 * 1024 * 1024
/** Pages of the temporary file that stay in memory (KiB). */
const CACHE_KIB = 16 * 1024

/**
 * Texts by texts, for any number of them in bounded memory: what exceeds `kept` entries, or four million characters, goes into a temporary file, which is
 * deleted when it is closed and when the process ends. SQLite makes it in `TMPDIR`, else in /var/tmp. Every answer is exact.
 */
export class SpillingMap {
  readonly #kept: number
  #recent = new Map<string, string>()
  /** The characters of what was set since the last writing. */
  #characters = 0
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
    this.#characters += key.length + value.length
    if (this.#recent.size < this.#kept && this.#characters < KEPT_CHARACTERS) return
    this.#file ??= openTemporaryFile()
    this.#file.add(this.#recent)
    this.#empty()
  }

  /** Deletes the temporary file. The map is empty afterwards. */
  close(): void {
    this.#file?.close()
    this.#file = undefined
    this.#empty()
  }

  #empty(): void {
    this.#recent = new Map()
    this.#characters = 0
  }
}

/** A text as SQLite keeps it exactly: one that is not well-formed has no UTF-8, and is stored as bytes, which equal no text. */
type Stored = string | Buffer

const stored = (text: string): Stored => (text.isWellFormed() ? text : Buffer.from(text, 'utf16le'))
const textOf = (kept: Stored): string => (typeof kept === 'string' ? kept : kept.toString('utf16le'))

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
  const find = db.prepare<[Stored], Stored>('SELECT value FROM entries WHERE key = ?').pluck()
  const put = db.prepare<[Stored, Stored]>('INSERT OR REPLACE INTO entries (key, value) VALUES (?, ?)')
  const putAll = db.transaction((entries: readonly (readonly [string, string])[]) => {
    for (const [key, value] of entries) put.run(stored(key), stored(value))
  })
  return {
    get(key) {
      const found = guarded(() => find.get(stored(key)))
      return found === undefined ? undefined : textOf(found)
    },
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
