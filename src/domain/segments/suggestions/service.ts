import { slicesOf } from '../../../platform/db/pages.ts'
import { readObject } from '../../../platform/json/json.ts'
import { type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import { PLATFORM_TYPES, type Platform } from '../../gateways/registry.ts'
import { INSTALL_COLUMNS, type InstallField, type SuggestionsRepository } from './repository.ts'
import { type SeenEvent, type SeenType, seenTypes, withProperties } from './seen-types.ts'
import { addAll, isShort, mostFrequent, type Scalar, type Tally, type ValueKind } from './tally.ts'

/** The newest users and, of each platform, installs that are looked at. */
const USERS = 1000
const INSTALLS = 300
/** Events that are looked at: the newest, and in each of some stretches of what is older. */
const NEWEST_EVENTS = 5000
const STRETCHES = 20
const STRETCH_EVENTS = 250
/** Attributes that are read in all (bytes), and in one statement. */
const MOST_BYTES = 1024 * 1024
const SLICE_BYTES = 128 * 1024
const MAX_ATTRIBUTES = 200
/** An attribute that users have. */
interface SuggestedAttribute {
  /** The field as a filter names it: `attributes.address.city`. */
  field: string
  kinds: ValueKind[]
  /** The number of users that were looked at and have it. */
  users: number
  /** The most frequent values first; texts that are long are left out. */
  values: Scalar[]
}

/** Names and values for a filter, from the newest users, installs and events. */
export interface Suggestions {
  /** The number of users, installs and events that were looked at. */
  examined: { users: number; installs: number; events: number }
  /** Attributes, those of most users first. */
  attributes: SuggestedAttribute[]
  /** Values of the fields of installs, the most frequent first. */
  fields: Record<InstallField, string[]>
  /** Types of events that users have, the most frequent first. */
  events: SeenType[]
}

/** Names and values to choose from while somebody writes a filter. */
export function suggestionsService({ repo }: { repo: SuggestionsRepository }) {
  /** The newest events, and of a long log some from every part of it. */
  async function look(appId: number, pace: Pace): Promise<SeenEvent[]> {
    if (!(await pace.turn())) return []
    const seen = await repo.newestEvents(appId, NEWEST_EVENTS)
    if (seen.length < NEWEST_EVENTS) return seen
    const first = await repo.firstPlace(appId)
    const end = seen.at(-1)!.place
    for (let i = 0; i < STRETCHES; i++) {
      const [from, to] = [i, i + 1].map((n) => first + Math.floor(((end - first) * n) / STRETCHES))
      if (!(await pace.turn())) break
      seen.push(...(await repo.eventsBetween(appId, { from: from!, to: to! }, STRETCH_EVENTS)))
    }
    return seen
  }

  return {
    /** Looks at a bounded number of the newest users and installs; returns what it found when the time of `pace` is over. */
    async of(appId: number, pace: Pace = unhurried): Promise<Suggestions> {
      const attributes = new Map<string, Tally>()
      let users = 0
      let bytes = 0
      const newest = await repo.newestUsers(appId, USERS)
      for (const slice of slicesOf(newest, SLICE_BYTES)) {
        bytes += slice.reduce((all, row) => all + row.bytes, 0)
        if (users > 0 && (bytes > MOST_BYTES || !(await pace.turn()))) break
        const ids = slice.map(({ id }) => id)
        for (const { attributes: text } of await repo.attributesOf(appId, ids)) {
          users += 1
          addAll(attributes, readObject(text) ?? {}, 'attributes')
        }
      }
      const said = new Map<InstallField, Map<string, number>>()
      let installs = 0
      for (const platform of Object.keys(PLATFORM_TYPES) as Platform[]) {
        if (!(await pace.turn())) break
        for (const one of await repo.newestInstalls(appId, PLATFORM_TYPES[platform], INSTALLS)) {
          installs += 1
          for (const field of FIELDS) count(said, field, one[field])
        }
      }
      const seen = await look(appId, pace)
      return {
        examined: { users, installs, events: seen.length },
        events: await withProperties(seenTypes(seen), (ids) => repo.dataOf(appId, ids), pace),
        attributes: [...attributes]
          .sort(([, a], [, b]) => b.seen - a.seen)
          .slice(0, MAX_ATTRIBUTES)
          .map(([field, { seen, kinds, values }]) => ({
            field,
            kinds: [...kinds],
            users: seen,
            values: mostFrequent(values),
          })),
        fields: Object.fromEntries(
          FIELDS.map((field) => [field, mostFrequent(said.get(field) ?? new Map<string, number>())]),
        ) as Suggestions['fields'],
      }
    },
  }
}

const FIELDS = Object.keys(INSTALL_COLUMNS) as InstallField[]

function count(said: Map<InstallField, Map<string, number>>, field: InstallField, value: string | null): void {
  if (!isShort(value)) return
  const values = said.get(field) ?? new Map<string, number>()
  said.set(field, values.set(value, (values.get(value) ?? 0) + 1))
}
