import type { Clock } from '../../../platform/clock.ts'
import { messageOf } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log.ts'
import type { Click } from '../types.ts'

/** Clicks on their way into the database. */
export interface ClickBuffer {
  /** Takes a click; never waits. */
  add(click: Click): void
  /** How many are not written yet. */
  waiting(): number
  /** Writes what is left. Nothing may be added afterwards. */
  close(): Promise<void>
}

export interface ClickBufferParts {
  /** Stores a batch in one transaction; a batch that it rejects is given to it again. */
  store(batch: readonly Click[]): Promise<void>
  clock: Clock
  log: Log
  everyMs?: number
  batch?: number
  capacity?: number
}

/** A crash loses the clicks of so long at most. */
const EVERY_MS = 1000
/** What one transaction takes aboard: tens of milliseconds of work, in several steps. */
const BATCH = 2000
/** So many batches are put in the order of their links before the first is written: then each has few pages of the database. */
const SORTED_BATCHES = 10
/**
 * While the thread has its hands full with redirects, which people wait for, writing rests so many times as long as it took. The
 * fuller the memory, the shorter the rest; from the half on there is none. A commit waits for the disk on this very thread.
 */
const REST = 40
const LEAST_REST_MS = 5
/** Share of a rest in which the thread was at work. */
const BUSY = 0.3
/** What is kept while the database cannot be written: some 40 MB. More clicks are dropped, and that is logged. */
const CAPACITY = 200_000

/**
 * Keeps clicks in memory and writes them in batches, so that a redirect never waits for a commit: every second, and at the end. In
 * a rush of tens of thousands a second the counts come some seconds later. A click is lost only when the process ends without a
 * word before it is written, or when the database is away for long.
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
  /** Next to be written, by link. */
  let sorted: Click[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  const closing = new AbortController()

  /** Leaves the thread to others after a batch that took `ms`. Says whether they needed it. */
  async function rest(ms: number): Promise<boolean> {
    const before = performance.eventLoopUtilization()
    await clock.sleep(Math.max(ms, LEAST_REST_MS), closing.signal)
    return performance.eventLoopUtilization(before).utilization > BUSY
  }

  const count = () => waiting.length + sorted.length

  /** Writes until nothing waits. Stops at the first batch that cannot be stored, and keeps it. */
  async function drain(): Promise<void> {
    let isBusy = false
    while (count() > 0) {
      if (sorted.length === 0) sorted = waiting.splice(0, size * SORTED_BATCHES).sort(byLink)
      const batch = sorted.slice(0, size)
      const began = performance.now()
      try {
        await store(batch)
      } catch (error) {
        log.warn({ error: messageOf(error), waiting: count() }, 'clicks cannot be stored now; trying again')
        return
      }
      sorted = sorted.slice(batch.length)
      if (count() === 0 || closing.signal.aborted) continue
      const share = isBusy ? REST * Math.max(0, 1 - ((2 * count()) / capacity) ** 2) : 0
      isBusy = await rest((performance.now() - began) * share)
    }
    if (dropped > 0) {
      log.error({ dropped }, 'clicks were not counted because the database could not take them')
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
      if (count() > 0) log.error({ lost: count() }, 'clicks were lost: the database could not take them')
    },
  }
}

function byLink(a: Click, b: Click): number {
  return a.appId - b.appId || a.linkId - b.linkId
}
