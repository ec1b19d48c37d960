import { definition, integer, table, text, type Value } from '../../platform/db/table.ts'
import type { Source } from '../audience/sends.ts'

/** The two kinds of sends that repeat. */
export const SERIES_KINDS = ['push', 'in-app'] as const
export type SeriesKind = (typeof SERIES_KINDS)[number]

export const SERIES_STATES = ['active', 'paused', 'ended', 'broken'] as const
export type SeriesState = (typeof SERIES_STATES)[number]

export const SERIES = table('series', {
  id: integer('id'),
  appId: integer('app_id'),
  kind: text('kind').as<SeriesKind>(),
  source: integer('source').as<Source>(),
  state: text('state').as<SeriesState>(),
  /** The reason why it ended or is broken, for people; null while it goes on. */
  why: text('why').orNull,
  /** The body of the send, as the messages host takes it. */
  request: definition('request').as<Record<string, unknown>>(),
  /** The segment to which it goes, and the template and push template that it names. */
  segment: text('segment').orNull,
  template: text('template').orNull,
  pushTemplate: text('push_template').orNull,
  /** The last occurrence that was planned, as its zone shows it. */
  planned: text('planned').orNull,
  /** The time at which that begins, and the next one is planned (ms); null while nothing is planned. */
  dueAt: integer('due_at').orNull,
  /** Occurrences that were planned, were left out because they were missed, and had nobody to reach. */
  sent: integer('sent'),
  missed: integer('missed'),
  unreached: integer('unreached'),
  version: integer('version'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
  endedAt: integer('ended_at').orNull,
})

/** A send that repeats. Times are ms. */
export type Series = Value<typeof SERIES>

/** The fate of an occurrence: it was planned; called off before it began; or nobody could be reached. */
export type OccurrenceState = 'planned' | 'called-off' | 'unreached'

export const OCCURRENCES = table('series_occurrences', {
  seriesId: integer('series_id'),
  /** The time that the clock of the series shows then: `YYYY-MM-DD HH:mm`. */
  local: text('local'),
  appId: integer('app_id'),
  state: text('state').as<OccurrenceState>(),
  notificationId: integer('notification_id').orNull,
  messageId: integer('message_id').orNull,
})

/** One time of a series, and what was sent then. */
export type SeriesOccurrence = Value<typeof OCCURRENCES>
