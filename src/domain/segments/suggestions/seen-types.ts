import { slicesOf } from '../../../platform/db/pages.ts'
import { readObject } from '../../../platform/json/json.ts'
import type { Pace } from '../../../platform/long-reads/pace.ts'
import { DATA } from '../../metrics/where.ts'
import { addAll, mostFrequent, type Scalar, type Tally, type ValueKind } from './tally.ts'

const MAX_TYPES = 100
const MAX_PROPERTIES = 30
/** Events of each type of which the data is read, and data that is read in all (bytes) and in one statement. */
const EXAMPLES = 10
const MOST_BYTES = 512 * 1024
const SLICE_BYTES = 128 * 1024

/** An event that was looked at, without its data. */
export interface SeenEvent {
  id: number
  /** Its place in the log: the number of its transaction, or its id on SQLite. */
  place: number
  type: string
  hasUser: boolean
  receivedAt: number
  bytes: number
}

/** A value in the data of events. */
interface SeenProperty {
  /** The field as the `where` of a metric names it: `data.amount`. */
  field: string
  kinds: ValueKind[]
  values: Scalar[]
}

/** A type of events that users have. */
export interface SeenType {
  type: string
  /** The number of events that were looked at and are of this type. */
  events: number
  /** The time at which the newest of them was received (ms). */
  lastAt: number
  /** Values in their data, the most frequent first. */
  properties: SeenProperty[]
}

/** Types while they are counted, with examples: the newest events that have data. */
type Counted = Omit<SeenType, 'properties'> & { examples: SeenEvent[] }

/** Counts the types of events. Events without a user are left out: they count for nobody. */
export function seenTypes(seen: readonly SeenEvent[]): Counted[] {
  const types = new Map<string, Counted>()
  for (const event of seen) {
    if (!event.hasUser || event.type === '') continue
    const found = types.get(event.type) ?? { type: event.type, events: 0, lastAt: 0, examples: [] }
    found.events += 1
    found.lastAt = Math.max(found.lastAt, event.receivedAt)
    if (event.bytes > 0 && found.examples.length < EXAMPLES) found.examples.push(event)
    types.set(event.type, found)
  }
  return [...types.values()].sort((a, b) => b.events - a.events).slice(0, MAX_TYPES)
}

/** Adds what the data of some events has. `read` reads the data of events with these ids, as JSON. */
export async function withProperties(
  types: readonly Counted[],
  read: (ids: readonly number[]) => Promise<{ type: string; data: string | null }[]>,
  pace: Pace,
): Promise<SeenType[]> {
  const properties = new Map<string, Map<string, Tally>>(types.map(({ type }) => [type, new Map()]))
  let bytes = 0
  // One of each type first: the limit then takes something from all of them.
  const examples = Array.from({ length: EXAMPLES }, (_, i) => types.flatMap((one) => one.examples[i] ?? [])).flat()
  for (const slice of slicesOf(examples, SLICE_BYTES)) {
    bytes += slice.reduce((all, one) => all + one.bytes, 0)
    if (bytes > MOST_BYTES || !(await pace.turn())) break
    for (const { type, data } of await read(slice.map(({ id }) => id))) {
      addAll(properties.get(type)!, readObject(data ?? '{}') ?? {}, DATA)
    }
  }
  return types.map(({ type, events, lastAt }) => ({
    type,
    events,
    lastAt,
    properties: [...properties.get(type)!]
      .sort(([, a], [, b]) => b.seen - a.seen)
      .slice(0, MAX_PROPERTIES)
      .map(([field, { kinds, values }]) => ({ field, kinds: [...kinds], values: mostFrequent(values) })),
  }))
}
