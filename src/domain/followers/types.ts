import type { EventData } from '../events/types.ts'
import type { Position } from './position.ts'

/** Entries that a reader, or a webhook, may ask for besides events: `deliveries` are the pages of notifications. */
export const INCLUDES = ['deliveries'] as const

/** An event as the log holds it. */
export interface LoggedEvent {
  position: Position
  /** The cursor behind this event (position.ts), which is also its id for readers. */
  cursor: string
  appId: number
  type: string
  uuid: string
  userIdentifier: string | null
  /** Id of the install; null when no device made the event, or when the install is gone. */
  installId: string | null
  data: EventData | null
  /** ms */
  happenedAt: number
  /** ms */
  receivedAt: number
  /** Set for a page of a notification that closed, unlike an event that anybody reported under this type. */
  isPage?: true
}

/** A page of a notification that closed, as the log keeps it. `recipients` is their number. */
export type PageEntry = { notificationId: number; pageId: number; recipients: number }

/** Query of the log. */
export interface LogQuery {
  /** App whose events are read; without it, those of all apps. */
  appId?: number | undefined
  /** Position behind which reading begins; without it, the oldest event that is kept. */
  after?: Position | undefined
  /** Types of the events; without it, all. */
  types?: readonly string[] | undefined
  /** Set to get the pages of notifications as they closed, whatever `types` says. */
  deliveries?: boolean | undefined
  /** Maximum number of events. Fewer are read when they are large. */
  limit: number
}

export interface LogPage {
  events: LoggedEvent[]
  /** The position after which to go on. It moves also when no event was found, past those of other types and of other apps. */
  next: Position
  /** The number of events that were looked at, of all types. */
  looked: number
  /** True when nothing that can be read now comes after `next`. */
  atEnd: boolean
  /** True when events after `after` were forgotten (`events.retentionDays`) before this read. */
  missed: boolean
}

/** A reader of the log whose place is kept in the database. */
export interface Follower<A> {
  /** The row of its cursor: at most 255 characters, of letters, digits and `.:_-`. */
  readonly name: string
  /** App whose events it gets; without it, those of all apps. */
  readonly appId?: number
  /**
   * Types of the events; all of them when it is absent. A function is called before and after each read, so that no event is
   * skipped that was stored after a type was added.
   */
  readonly types?: readonly string[] | (() => Promise<readonly string[]>)
  /** Beginning of a new follower; by default `end`: it gets the events that are stored from now on. */
  readonly from?: 'start' | 'end'
  /** Maximum number of events that it gets at once; default 500. */
  readonly most?: number
  /**
   * The place at which it is done, if it ever is: what comes behind it may be read and must not matter. `end` is called in the
   * transaction that stores the last of its effects. Such a follower reads what is old: it rests between its turns, and
   * misses nothing when old events are forgotten.
   */
  readonly until?: { readonly place: Position; end(areas: A): Promise<void> }
  readonly effect: InsideEffect<A> | OutsideEffect
}

/** An effect in our database. Each event takes effect exactly once, whatever is killed. */
interface InsideEffect<A> {
  /**
   * Stores the effects of these events, in their order, in the transaction that also moves the cursor. No network. On
   * PostgreSQL it may be repeated, so it must change nothing but the database.
   */
  apply(areas: A, events: readonly LoggedEvent[]): Promise<void>
}

/** An effect somewhere else. It may happen twice: after a crash, events of which the cursor was not stored come again. */
interface OutsideEffect {
  /**
   * Hands the events over; resolves when they are safe there. Returns how many of them, from the first, were taken; all
   * when it returns nothing. When it throws, the same events come again after a pause that grows up to a minute. It must
   * end within `LEASE_MS` of the claim: `signal` aborts then, or when the program stops.
   */
  deliver(events: readonly LoggedEvent[], turn: { fence: number; signal: AbortSignal }): Promise<number | void>
}
