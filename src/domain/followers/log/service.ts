import { makeRoom } from '../../../platform/concurrency/room.ts'
import type { Vault } from '../../../platform/crypto/vault.ts'
import { openErased, USER_ERASED } from '../../events/erased-user.ts'
import type { Position } from '../position.ts'
import type { LoggedEvent, LogPage, LogQuery, PageEntry } from '../types.ts'
import type { Glimpse, LastQuery, LogRepository } from './repository.ts'

export type EventLog = ReturnType<typeof eventLog>

/** What became of the recipients of a closed page; undefined when the page was forgotten. */
export type ResultsOfPage = (appId: number, entry: PageEntry) => Promise<readonly object[] | undefined>

/** How many recipients of pages one read returns: it ends before the page with which there would be more. */
const MOST_RECIPIENTS = 2000
/** What a recipient takes in an answer, about (bytes). */
const RECIPIENT_BYTES = 200

export interface EventLogParts {
  repo: LogRepository
  /** Asked for pages that are read. */
  resultsOf: ResultsOfPage
  /**
   * Waits until everything that can be read is on disk. A power cut must not take back what a reader was given: its place in the log would
   * be that of another event.
   */
  settled(): Promise<void> | undefined
  vault: Pick<Vault, 'open'>
}

/** The events of all apps in the order in which they were committed. */
export function eventLog({ repo, resultsOf, settled, vault }: EventLogParts) {
  /** Events that tell of an erasure name the person to readers; they are stored without. */
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

    /** When the first event was received that `read` would return (ms); undefined when there is none. */
    async nextReceivedAt(query: Omit<LogQuery, 'limit'>): Promise<number | undefined> {
      return (await repo.read({ ...query, limit: 1 })).events[0]?.receivedAt
    },

    /** The last events of an app, oldest first. */
    async last(query: LastQuery): Promise<LoggedEvent[]> {
      const found = (await repo.last(query)).map(named)
      await settled()
      return query.deliveries ? (await withResults(found.toReversed())).toReversed() : found
    },

    /** Of which apps and types the next events are, for who waits for some of them. */
    glance: (after: Position): Promise<Glimpse> => repo.glance(after),
    /** The end of the log: what is stored from now on comes after it. */
    async end(): Promise<Position> {
      const end = await repo.end()
      await settled()
      return end
    },
    /** Called when the database was restored: what is stored from now on comes after every cursor ever answered. */
    jump: (): Promise<void> => repo.jump(),
  }
}
