import type { FilterTree } from '../../platform/filters/tree.ts'
import type { ValueTest } from '../../platform/filters/value-test.ts'
import type { Position } from '../followers/position.ts'

/** Definition of a metric: the events, of one type, that are counted for each user and day. */
export interface MetricDefinition {
  /** The type of the events. */
  event: string
  /** The condition on the events, as callers write it (docs/events.md); null: all. */
  where: Record<string, unknown> | null
  /** The number in an event that is summed (`data.amount`); null: events are counted. */
  value: string | null
}

/** A metric. Another definition makes a new metric of the same name, which begins to count at zero. */
export interface Metric extends MetricDefinition {
  id: number
  appId: number
  /** Chosen by the caller; unique in the app. */
  name: string
  /** The position of the log behind which events are counted. */
  from: Position
  /** The time since which it counts what is stored (ms). */
  createdAt: number
  /** The time at which the oldest event was received that counts though it was stored before (ms); null: none of those counts. */
  storedSince: number | null
  /** The time at which all events from before had been read (ms); null: they are still read, or do not count. */
  backfilledAt: number | null
}

/** A metric, and how much of the events from before it has been read. */
export interface MetricProgress extends Metric {
  /** From 0 to 1, which is all of them; null: they do not count. */
  backfilled: number | null
}

/** A condition on a value in the data of an event. */
export interface DataTest {
  kind: 'data'
  path: string[]
  test: ValueTest
}

export type Where = FilterTree<DataTest>

/** Comparison of a user's metric: of the count, or the sum. `value` is in the unit of the events. */
export interface MetricComparison {
  op: '<' | '<=' | '>' | '>='
  value: number
  /** The number of days back from now; null: all days that are kept. */
  withinDays: number | null
}

/** The count of one user on one day. */
export interface DayCount {
  userId: number
  metricId: number
  /** UTC, as the number 20261123. */
  day: number
  count: number
  /** Sum in millionths of the unit. */
  sum: number
}
