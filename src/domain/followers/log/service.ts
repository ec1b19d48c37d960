import { makeRoom } from '../../../platform/concurrency/room.ts'
import type { Vault } from '../../../platform/crypto/vault.ts'
import { openErased, USER_ERASED } from '../../events/erased-user.ts'
import type { Position } from '../position.ts'
import type { LoggedEvent, LogPage, LogQuery, PageEntry } from '../types.ts'
import type { LatestPage, LatestQuery } from './latest.ts'
import type { Glimpse, LastQuery, LogRepository } from './repository.ts'

export type EventLog = ReturnType<typeof eventLog>

/** Outcomes of the recipients of a closed page; undefined when the page was forgotten. */
export type ResultsOfPage = (appId: number, entry: PageEntry) => Promise<readonly object[] | undefined>

/** Maximum number of recipients of pages that one read returns: it ends before the page with which there would be more. */
const MOST_RECIPIENTS = 2000
/** The approximate size of a recipient in an answer (bytes). */
const RECIPIENT_BYTES = 200

export interface EventLogParts {
  repo: LogRepository
  /** Outcomes of pages that are read. */
  resultsOf: ResultsOfPage
  /**
   * Waits until everything that can be read is on disk. After a power cut, the place of an event that a reader has must
   * not be that of another event.
   */
  settled(): Promise<void> | undefined
  vault: Pick<Vault, 'open'>
}

/** The events of all apps in the order in which they were committed. */
export function eventLog({ repo, resultsOf, settled, vault }: EventLogParts) {
  /** Opens the name in an event that reports an erasure: readers get the name, the database does not hold it. */
  function named(event: LoggedEvent): LoggedEvent {
    const identifier = event.type === USER_ERASED ? openErased(vault, event) : undefined
    return identifier === undefined ? event : { ...event, userIdentifier: identifier, data: null }
  }

  /** The first of these events, with the recipients of pages; there is always one. */
  async function withResults(events: readonly LoggedEvent[]): Promise<LoggedEvent[]> {
    const taken: LoggedEvent[] = []
    let left = MOST_RECIPIENTS
    for (const event of events) {
      if (!event.isPage) {
        taken.push(event)
        continue
      }
      const entry = event.data as unknown as PageEntry
      if (taken.length > 0 && entry.recipients > left) break
      left -= entry.recipients
      await makeRoom(entry.recipients * RECIPIENT_BYTES)
      const recipients = await resultsOf(event.appId, entry)
      const { notificationId } = entry
      const data = recipients ? { notificationId, recipients } : { notificationId, recipients: [], forgotten: true }
      taken.push({ ...event, data })
    }
    return taken
  }

  return {
    /**
     * The next events after a position (repository.ts). Bounded in rows, bytes and recipients, whatever is asked.
     */
    async read(query: LogQuery): Promise<LogPage> {
      const found = await repo.read(query)
      await settled()
      const page = { ...found, events: found.events.map(named) }
      if (!query.deliveries) return page
      const events = await withResults(page.events)
      if (events.length === page.events.length) return { ...page, events }
      return { ...page, events, next: events.at(-1)!.position, atEnd: false }
    },

    /** The time at which the first event was received that `read` would return (ms); undefined when there is none. */
    async nextReceivedAt(query: Omit<LogQuery, 'limit'>): Promise<number | undefined> {
      return (await repo.read({ ...query, limit: 1 })).events[0]?.receivedAt
    },

    /** The time at which the first event after a position was received, of any type (ms); undefined when there is none. */
    receivedAfter: (appId: number, after: Position): Promise<number | undefined> => repo.receivedAfter(appId, after),

    /** The last events of an app, oldest first. */
    async last(query: LastQuery): Promise<LoggedEvent[]> {
      const found = (await repo.last(query)).map(named)
      await settled()
      return query.deliveries ? (await withResults(found.toReversed())).toReversed() : found
    },

    /**
     * The newest events of an app, some of them, and the end of the log before they were read: what is stored from then on comes
     * after it. Pages of notifications are left out.
     */
    async latest(query: LatestQuery): Promise<LatestPage & { end: Position }> {
      const end = await repo.end()
      const { events, next } = await repo.latest(query)
      await settled()
      return { events: events.map(named), next, end }
    },

    /** Apps and types of the next events, for readers that wait for some of them. */
    glance: (after: Position): Promise<Glimpse> => repo.glance(after),
    /** The end of the log: events that are stored from now on come after it. */
    async end(): Promise<Position> {
      const end = await repo.end()
      await settled()
      return end
    },
    /**
     * Moves the log on; call it when the database was restored. Events that are stored from now on come after every
     * cursor ever answered.
     */
    jump: (): Promise<void> => repo.jump(),
  }
}
