import { closeSync, existsSync, fdatasync, openSync } from 'node:fs'
import { COMMITTED, COMMITTING, damagedError, FLUSHED, type Soundness, UNKEPT_SENTENCE } from './soundness.ts'

/**
 * Flushes SQLite's write-ahead log beside the thread that commits (docs/decisions/0058-flushes-beside-the-thread.md). The connection
 * that writes has `synchronous = NORMAL`: its COMMIT appends to the log and does not wait for the disk. What it committed is visible to
 * others at once, so nobody may be told of it before `settle` resolves.
 */
export interface Flush {
  /** A writer calls it when it has connected: from now on its log is flushed, which may be another file of that name. */
  connected(): void
  /** Runs a COMMIT. Every connection of the process that writes goes through it. */
  commit<T>(run: () => T): T
  /**
   * Resolves when everything that was committed before the call is on disk, whichever thread committed it; undefined when it is there
   * already. Rejects with `unavailable` when a flush failed: then nobody knows what is on disk, and the database is condemned.
   */
  settle(): Promise<void> | undefined
  /** Waits for the flush under way. */
  close(): Promise<void>
}

export interface FlushOptions {
  /** The log file: that of the database with `-wal`. */
  file: string
  /** The cell from which `soundness` was made. */
  cell: SharedArrayBuffer
  soundness: Soundness
  /** The connection of this thread flushes each COMMIT by itself (`synchronous = FULL`). */
  byItself: boolean
  /** Set by tests. */
  datasync?: (fd: number, done: (error: Error | null) => void) => void
}

interface Waiter {
  resolve(): void
  reject(error: unknown): void
}

export function createFlush({ file, cell, soundness, byItself, datasync = fdatasync }: FlushOptions): Flush {
  const counts = new Int32Array(cell)
  let log: number | undefined
  /** Descriptors of an earlier log: a flush may be using them. */
  let stale: number[] = []
  let waiting: Waiter[] = []
  let running: PromiseWithResolvers<void> | undefined

  /** Records that this many commits of the process, or more, are on disk. */
  function raise(count: number): void {
    for (;;) {
      const known = Atomics.load(counts, FLUSHED)
      if (!isMore(count, known) || Atomics.compareExchange(counts, FLUSHED, known, count) === known) return
    }
  }

  /** Closes the descriptors of earlier logs. No lock of SQLite is on these files, so closing a descriptor loses none. */
  function closeStale(): void {
    for (const fd of stale.splice(0)) closeSync(fd)
  }

  /**
   * Runs one flush for all callers that wait. A caller that comes meanwhile waits for the next flush, which begins after its
   * commit.
   */
  function run(): void {
    const served = waiting
    waiting = []
    const count = Atomics.load(counts, COMMITTED)
    const done = (error: unknown) => {
      // Linux forgets what it could not write, and the next flush succeeds. So a failed flush is final.
      if (error) soundness.condemn('unkept')
      const isKept = soundness.sentence !== UNKEPT_SENTENCE
      if (isKept) raise(count)
      else served.push(...waiting.splice(0))
      for (const { resolve, reject } of served) {
        if (isKept) resolve()
        else reject(damagedError(UNKEPT_SENTENCE))
      }
      if (waiting.length > 0) return run()
      closeStale()
      running!.resolve()
      running = undefined
    }
    try {
      // The last connection of all removes the log, when the database file has everything and is flushed.
      if (log === undefined && !existsSync(file)) return done(null)
      datasync((log ??= openSync(file, 'r')), done)
    } catch (error) {
      done(error)
    }
  }

  return {
    connected() {
      if (log !== undefined) stale.push(log)
      log = undefined
      if (!running) closeStale()
    },

    commit(work) {
      const before = Atomics.load(counts, COMMITTED)
      Atomics.add(counts, COMMITTING, 1)
      try {
        const result = work()
        // A flush is one of the whole file: what others committed before is on disk, too.
        if (byItself) raise(before + 1)
        return result
      } finally {
        Atomics.add(counts, COMMITTED, 1)
      }
    },

    settle() {
      if (soundness.sentence === UNKEPT_SENTENCE) return Promise.reject(damagedError(UNKEPT_SENTENCE))
      if (!isMore(Atomics.load(counts, COMMITTING), Atomics.load(counts, FLUSHED))) return undefined
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        if (running) return
        running = Promise.withResolvers()
        run()
      })
    },

    async close() {
      await running?.promise
      if (log !== undefined) closeSync(log)
      log = undefined
    },
  }
}

/** Compares counts, which begin anew after some 4 000 million commits. */
function isMore(count: number, than: number): boolean {
  return ((count - than) | 0) > 0
}
