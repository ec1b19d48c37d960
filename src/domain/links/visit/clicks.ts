import { messageOf } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log/log.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Click } from '../types.ts'

/** A buffer of clicks that are written to the database in batches. */
export interface ClickBuffer {
  /** Adds a click. Never waits. */
  add(click: Click): void
  /** Number of clicks that are not written yet. */
  waiting(): number
  /** Writes the remaining clicks. Nothing may be added afterwards. */
  close(): Promise<void>
}

export interface ClickBufferParts {
  /** Stores a batch in one transaction. A batch that failed is passed again later. */
  store(batch: readonly Click[]): Promise<void>
  clock: Clock
  log: Log
  everyMs?: number
  batch?: number
  capacity?: number
}

/** How often clicks are written. A crash loses the clicks of about this time. */
const EVERY_MS = 1000
/** Clicks of one transaction: tens of milliseconds of work in several steps. */
const BATCH = 2000
/** How many batches are sorted by link together, so that each batch touches few pages of the database. */
const SORTED_BATCHES = 10
/**
 * While the thread is busy with redirects, which people wait for, it pauses after each batch for this many times the
 * duration of the write, because a commit blocks the thread for the disk. The fuller the buffer, the shorter the pause;
 * above half there is none.
 */
const REST = 40
const MIN_REST_MS = 5
/** The thread counts as busy when it worked for this share of a pause. */
const BUSY = 0.3
/**
 * Maximum number of buffered clicks while the database cannot be written: some 40 MB. Further clicks are dropped and
 * logged.
 */
const CAPACITY = 200_000

/**
 * Keeps clicks in memory and writes them in batches every second and at the end, so that a redirect never waits for a
 * commit. At tens of thousands of clicks a second the counts lag some seconds. Clicks are lost only when the process is
 * killed before they are written, or when the database is unavailable for long.
 */
export function clickBuffer({
  store,
  clock,
  log,
  everyMs = EVERY_MS,
  batch: size = BATCH,
  capacity = CAPACITY,
}: ClickBufferParts): ClickBuffer {
  const waiting: Click[] = []
  /** The next clicks to write, sorted by link. */
  let sorted: Click[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  const closing = new AbortController()

  /** Pauses after a batch that took `ms`. Returns whether the thread was busy in the pause. */
  async function rest(ms: number): Promise<boolean> {
    const before = performance.eventLoopUtilization()
    await clock.sleep(Math.max(ms, MIN_REST_MS), closing.signal)
    return performance.eventLoopUtilization(before).utilization > BUSY
  }

  const count = () => waiting.length + sorted.length

  /** Writes until the buffer is empty. Stops at the first batch that fails, and keeps it. */
  async function drain(): Promise<void> {
    let isBusy = false
    while (count() > 0) {
      if (sorted.length === 0) sorted = waiting.splice(0, size * SORTED_BATCHES).sort(byLink)
      const batch = sorted.slice(0, size)
      const began = performance.now()
      try {
        await store(batch)
      } catch (error) {
        log.warn({ error: messageOf(error), waiting: count() }, 'clicks could not be stored; trying again')
        return
      }
      sorted = sorted.slice(batch.length)
      if (count() === 0 || closing.signal.aborted) continue
      const share = isBusy ? REST * Math.max(0, 1 - ((2 * count()) / capacity) ** 2) : 0
      isBusy = await rest((performance.now() - began) * share)
    }
    if (dropped > 0) {
      log.error({ dropped }, 'clicks were not counted: the database was unavailable too long')
      dropped = 0
    }
  }

  function write(): Promise<void> {
    writing ??= drain().finally(() => (writing = undefined))
    return writing
  }

  function arm(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void write().then(() => {
        if (count() > 0) arm()
      })
    }, everyMs).unref()
  }

  return {
    waiting: count,

    add(click) {
      if (count() >= capacity) dropped++
      else waiting.push(click)
      arm()
    },

    async close() {
      clearTimeout(timer)
      closing.abort()
      await writing
      await write()
      if (count() > 0) log.error({ lost: count() }, 'clicks were lost: they could not be stored before the stop')
    },
  }
}

function byLink(a: Click, b: Click): number {
  return a.appId - b.appId || a.linkId - b.linkId
}
