import { setImmediate } from 'node:timers/promises'
import type { EventLog } from './log/service.ts'
import type { LogWatch } from './log/watch.ts'
import type { LogPage, LogQuery } from './types.ts'

/** How many reads one call makes while it finds no event of the types that it wants. */
const MOST_READS = 10

interface Parts {
  eventLog: EventLog
  logWatch: LogWatch
}

/** What the events of one app are asked for by a caller. */
export type CallersQuery = LogQuery & { appId: number }

/**
 * The next events for a caller. When there are none it waits up to `waitMs` for one. It may answer earlier and without
 * an event, with a `next` that has moved: behind many events of other types, or when the server stops.
 */
export async function readOn(
  { eventLog, logWatch }: Parts,
  query: CallersQuery,
  { waitMs, gone }: { waitMs: number; gone: () => AbortSignal },
): Promise<LogPage> {
  let page = await readSome(eventLog, query)
  if (waitMs === 0 || !isEmptyEnd(page)) return page
  const until = performance.now() + waitMs
  const waiting = await logWatch.listen(query)
  const signal = gone()
  try {
    // Once more: something may have been stored before it listened.
    page = await readSome(eventLog, { ...query, after: page.next })
    while (isEmptyEnd(page) && !signal.aborted && !logWatch.isEnded()) {
      const left = until - performance.now()
      if (left <= 0) break
      await waiting.within(left, signal)
      page = await readSome(eventLog, { ...query, after: page.next })
    }
    return page
  } finally {
    waiting.leave()
  }
}

const isEmptyEnd = ({ events, atEnd, missed }: LogPage) => events.length === 0 && atEnd && !missed

/** Reads past events of other types, a bounded number of times. */
async function readSome(eventLog: EventLog, query: CallersQuery): Promise<LogPage> {
  let page = await eventLog.read(query)
  for (let reads = 1; reads < MOST_READS && page.events.length === 0 && !page.atEnd && !page.missed; reads++) {
    // On SQLite a read is one piece of work: others have their turn between two.
    await setImmediate()
    page = await eventLog.read({ ...query, after: page.next })
  }
  return page
}
