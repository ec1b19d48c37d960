import type { FilterTree } from '../../platform/filters/tree.ts'
import type { ValueTest } from '../../platform/filters/value-test.ts'
import type { Position } from '../followers/position.ts'

/** What is counted for each user and day: events of one type. */
export interface MetricDefinition {
  /** The type of the events. */
  event: string
  /** Which of them, as callers write it (docs/events.md); null: all. */
  where: Record<string, unknown> | null
  /** The number in an event that is summed (`data.amount`); null: events are counted. */
  value: string | null
}

/** A metric. A changed definition makes a new one of the same name, which begins to count anew. */
export interface Metric extends MetricDefinition {
  id: number
  appId: number
  /** Chosen by the caller; unique in the app. */
  name: string
  /** It counts the events behind this position of the log. */
  from: Position
  /** Since when it counts (ms). */
  createdAt: number
}

/** A condition on a value in the data of an event. */
export interface DataTest {
  kind: 'data'
  path: string[]
  test: ValueTest
}

export type Where = FilterTree<DataTest>

/** How a metric of a user is compared: by count, or by sum. `value` is in the unit of the events. */
export interface MetricComparison {
  op: '<' | '<=' | '>' | '>='
  value: number
  /** Back from now; null: all days that are kept. */
  withinDays: number | null
}

/** What was counted for one user on one day. */
export interface DayCount {
  userId: number
  metricId: number
  /** UTC, as the number 20261123. */
  day: number
  count: number
  /** Sum in millionths of the unit. */
  sum: number
}
