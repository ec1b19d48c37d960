import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'

export interface CopyOptions {
  /** The SQLite file; servers and commands may be using it. */
  from: string
  /** An existing, empty file. */
  to: string
  signal?: AbortSignal | undefined
  /** Called after each slice, in bytes. */
  onProgress?(done: number, total: number): void
}

/** Pages of one slice: half a megabyte with pages of 4 KiB. */
const PAGES_AT_ONCE = 128
/**
 * The bytes that are written between two flushes. Without flushes the system collects gigabytes of unwritten pages and then
 * writes them all at once, while every commit of the server waits for its own flush.
 */
const FLUSH_BYTES = 8 * 1024 * 1024

/**
 * Copies an SQLite database as it is at this moment, while others read and write it. The read transaction that stays open makes SQLite
 * copy one state: without it the copy would begin again after each write of another connection. Writers do not wait, but the
 * write-ahead log cannot be truncated until the copy is complete. The thread is blocked for the time of a slice, and of a flush: call it
 * where nobody waits. Rejects with the reason of `signal` when it aborts.
 */
export async function copyOnline({ from, to, signal, onProgress }: CopyOptions): Promise<void> {
  const source = new Database(from, { fileMustExist: true })
  const fd = openSync(to, 'r+')
  try {
    source.pragma('query_only = ON')
    source.exec('BEGIN')
    const pageSize = source.pragma('page_size', { simple: true }) as number
    // The transaction reads nothing before its first statement.
    source.prepare('SELECT count(*) FROM sqlite_schema').get()
    let flushed = 0
    await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        signal?.throwIfAborted()
        const done = (totalPages - remainingPages) * pageSize
        if (done - flushed >= FLUSH_BYTES) {
          fdatasyncSync(fd)
          flushed = done
        }
        onProgress?.(done, totalPages * pageSize)
        return PAGES_AT_ONCE
      },
    })
  } finally {
    closeSync(fd)
    source.close()
  }
}
