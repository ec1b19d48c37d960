import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { insideCondition } from '../../geofences/presence.repository.ts'
import type { Fences, Narrowing } from '../types.ts'

/**
 * Conditions on an install that other areas provide, as SQL over `installs`. `now` is in ms; lists are never empty. A
 * segment's condition comes inside an object, because Knex runs a bare fragment that is awaited.
 */
export interface Conditions {
  inSegment(appId: number, segmentId: number, now: number): Promise<{ condition: Knex.Raw }>
  subscribed(appId: number, channelIds: number[]): Knex.Raw
  inside(appId: number, fences: Fences, now: number): Knex.Raw
}

/** The conditions of a filter, made once per step of a walk. Throws `not_found` when a segment was deleted. */
export async function conditionsOf(
  conditions: Conditions,
  appId: number,
  { segments, channels, geofences }: Narrowing,
  now: number,
): Promise<Knex.Raw[]> {
  const found: Knex.Raw[] = []
  // Channels and geofences are answered from primary keys: they come first and save evaluating the costlier segment.
  if (channels.length > 0) found.push(conditions.subscribed(appId, channels))
  if (geofences) found.push(conditions.inside(appId, geofences, now))
  for (const segment of segments) found.push((await conditions.inSegment(appId, segment, now)).condition)
  return found
}

/** Whether a target may depend on which installs are in which geofence. Segments may ask about geofences, too. */
export function mayNeedFences({ narrowing }: { kind: string; narrowing?: Narrowing }): boolean {
  return narrowing !== undefined && (narrowing.geofences !== null || narrowing.segments.length > 0)
}

/** Inside any of these geofences: any of the app, or one with a listed id or tag. */
export function insideAny(sql: Sql, appId: number, fences: Fences, at: { now: number; maxAge: number }): Knex.Raw {
  const around = { appId, ...at }
  if (fences.any) return insideCondition(sql, { ...around, any: true })
  const parts: Knex.Raw[] = []
  if (fences.ids.length > 0) parts.push(insideCondition(sql, { ...around, geofenceIds: fences.ids }))
  if (fences.tags.length > 0) parts.push(insideCondition(sql, { ...around, tags: fences.tags }))
  return sql.raw(`(${parts.map(() => '?').join(' OR ')})`, parts)
}
