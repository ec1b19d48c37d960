import type { Knex } from 'knex'
import { isPlainObject, readObject } from '../../platform/json/json.ts'
import type { Narrowing, Target, UserTarget } from './types.ts'

const isIds = (value: unknown): boolean => Array.isArray(value) && value.every(Number.isSafeInteger)

const isNarrowing = (value: unknown): boolean => {
  if (!isPlainObject(value) || !isIds(value.segments) || !isIds(value.channels)) return false
  const { geofences } = value
  if (geofences === null) return true
  return isPlainObject(geofences) && isIds(geofences.ids) && Array.isArray(geofences.tags)
}

/** Whether a stored value is the target of a push. Anything else must reach nobody. */
export function isTarget(value: unknown): value is Target {
  if (!isPlainObject(value) || !isIds(value.exclude)) return false
  if (value.kind === 'broadcast') return true
  if (![value.also, value.users].every((ids) => ids === undefined || isIds(ids))) return false
  return value.kind === 'installs' ? isIds(value.rows) : value.kind === 'filter' && isNarrowing(value.narrowing)
}

/** Whether a stored value is the target of an in-app message. */
export function isUserTarget(value: unknown): value is UserTarget {
  if (!isPlainObject(value) || !isIds(value.exclude)) return false
  if (value.kind === 'broadcast') return true
  if (value.kind === 'named') return isIds(value.users) && isIds(value.installs)
  return value.kind === 'filter' && isNarrowing(value.narrowing)
}

/** A segment or a channel. */
export interface AimedAt {
  segmentId?: number
  channelId?: number
}

/** The plus makes SQLite sort these few rows, instead of reading the whole table in this order. */
const SORTED = '+id'

/**
 * The id of the first of these rows, which have `id` and `target` (JSON), whose target contains the segment. Reads all
 * of them: the query should use a partial index that holds few.
 */
export async function firstForSegment(query: Knex.QueryBuilder, segmentId: number): Promise<number | undefined> {
  return (await idsAimedAt(query, { segmentId }, 1))[0]
}

/** The ids of at most `limit` of these rows whose target contains the segment or the channel. Reads as `firstForSegment` does. */
export async function idsAimedAt(
  query: Knex.QueryBuilder,
  { segmentId, channelId }: AimedAt,
  limit: number,
): Promise<number[]> {
  const rows: { id: number; target: string }[] = await query
    .whereLike('target', '{"kind":"filter"%')
    .orderByRaw(SORTED)
    .select('id', 'target')
  return rows
    .filter(({ target }) => {
      const { narrowing } = readObject(target) ?? {}
      // Nothing is sent to a target that cannot be read.
      if (!isNarrowing(narrowing)) return false
      const { segments, channels } = narrowing as Narrowing
      return (
        (segmentId !== undefined && segments.includes(segmentId)) ||
        (channelId !== undefined && channels.includes(channelId))
      )
    })
    .slice(0, limit)
    .map(({ id }) => id)
}

/** The id of the first of these rows, which have `id` and `purpose`, under a purpose. Reads as `firstForSegment` does. */
export async function firstUnderPurpose(query: Knex.QueryBuilder, uid: string): Promise<number | undefined> {
  const row: { id: number } | undefined = await query.where({ purpose: uid }).orderByRaw(SORTED).first('id')
  return row?.id
}
