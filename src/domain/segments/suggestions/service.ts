import { slicesOf } from '../../../platform/db/pages.ts'
import { isPlainObject, readObject } from '../../../platform/json/json.ts'
import { type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import { PLATFORM_TYPES, type Platform } from '../../gateways/registry.ts'
import { INSTALL_COLUMNS, type InstallField, type SuggestionsRepository } from './repository.ts'

/** The newest users and, of each platform, installs that are looked at. */
const USERS = 1000
const INSTALLS = 300
/** Attributes that are read in all (bytes), and in one statement. */
const MOST_BYTES = 1024 * 1024
const SLICE_BYTES = 128 * 1024
const MAX_ATTRIBUTES = 200
const MAX_VALUES = 15
/** Different values of one attribute that are counted: beyond, it is hardly one of a few. */
const MAX_DISTINCT = 1000
const MAX_VALUE_LENGTH = 80
/** As deep as a filter can name them. */
const MAX_DEPTH = 8

type AttributeKind = 'text' | 'number' | 'boolean' | 'list'
type Scalar = string | number | boolean

/** An attribute that users have. */
interface SuggestedAttribute {
  /** As a filter names it: `attributes.address.city`. */
  field: string
  kinds: AttributeKind[]
  /** How many of the users that were looked at have it. */
  users: number
  /** The most frequent values first; texts that are long are left out. */
  values: Scalar[]
}

/** What a filter can name, from the newest users and installs. */
export interface Suggestions {
  /** How many users and installs were looked at. */
  examined: { users: number; installs: number }
  /** What most users have comes first. */
  attributes: SuggestedAttribute[]
  /** Values of the fields of installs, the most frequent first. */
  fields: Record<InstallField, string[]>
}

/** Names and values to choose from while somebody writes a filter. */
export function suggestionsService({ repo }: { repo: SuggestionsRepository }) {
  return {
    /** Looks at a bounded number of the newest users and installs; what was found when the time of `pace` is over, is returned. */
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
          addAll(attributes, readObject(text) ?? {})
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
      return {
        examined: { users, installs },
        attributes: [...attributes]
          .sort(([, a], [, b]) => b.users - a.users)
          .slice(0, MAX_ATTRIBUTES)
          .map(([field, { users: having, kinds, values }]) => ({
            field,
            kinds: [...kinds],
            users: having,
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

interface Tally {
  users: number
  kinds: Set<AttributeKind>
  values: Map<Scalar, number>
}

/** Adds the attributes of one user. */
function addAll(tallies: Map<string, Tally>, attributes: unknown, at = 'attributes', depth = 0): void {
  if (!isPlainObject(attributes)) return
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || name === '') continue
    const field = at + (/^[^\s.[\]"'\\]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)
    if (isPlainObject(value)) {
      if (depth + 1 < MAX_DEPTH) addAll(tallies, value, field, depth + 1)
      continue
    }
    let tally = tallies.get(field)
    if (!tally) {
      if (tallies.size >= MAX_DISTINCT) continue
      tally = { users: 0, kinds: new Set(), values: new Map() }
      tallies.set(field, tally)
    }
    tally.users += 1
    tally.kinds.add(kindOf(value))
    if (isShort(value) && (tally.values.has(value) || tally.values.size < MAX_DISTINCT)) {
      tally.values.set(value, (tally.values.get(value) ?? 0) + 1)
    }
  }
}

function kindOf(value: unknown): AttributeKind {
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number' | 'boolean'
  return typeof value === 'string' ? 'text' : 'list'
}

function isShort(value: unknown): value is Scalar {
  if (typeof value === 'string') return value !== '' && value.length <= MAX_VALUE_LENGTH
  return typeof value === 'number' || typeof value === 'boolean'
}

function count(said: Map<InstallField, Map<string, number>>, field: InstallField, value: string | null): void {
  if (!isShort(value)) return
  const values = said.get(field) ?? new Map<string, number>()
  said.set(field, values.set(value, (values.get(value) ?? 0) + 1))
}

function mostFrequent<T extends Scalar>(values: ReadonlyMap<T, number>): T[] {
  return [...values]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_VALUES)
    .map(([value]) => value)
}
