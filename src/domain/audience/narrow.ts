import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { whereAmong } from '../../platform/db/dialect.ts'
import { insideCondition } from '../geofences/presence.repository.ts'
import type { Fences, Narrowing } from './types.ts'

/**
 * What the areas below say of an install, as SQL over `installs`; `now` in ms. Lists are not empty. A segment's comes wrapped:
 * Knex would run a bare fragment that is awaited.
 */
export interface Conditions {
  inSegment(appId: number, segmentId: number, now: number): Promise<{ condition: Knex.Raw }>
  subscribed(appId: number, channelIds: number[]): Knex.Raw
  inside(appId: number, fences: Fences, now: number): Knex.Raw
}

/** The conditions of a narrowing, made once for a step of a walk. Throws `not_found` for a segment that is gone. */
export async function conditionsOf(
  conditions: Conditions,
  appId: number,
  { segments, channels, geofences }: Narrowing,
  now: number,
): Promise<Knex.Raw[]> {
  const found: Knex.Raw[] = []
  // Channels and geofences are answered from primary keys: they go first and spare the segment's more costly filter.
  if (channels.length > 0) found.push(conditions.subscribed(appId, channels))
  if (geofences) found.push(conditions.inside(appId, geofences, now))
  for (const segment of segments) found.push((await conditions.inSegment(appId, segment, now)).condition)
  return found
}

/** Whether it may depend on who is in which geofence: a segment may ask about geofences. */
export function mayNeedFences({ narrowing }: { kind: string; narrowing?: Narrowing }): boolean {
  return narrowing !== undefined && (narrowing.geofences !== null || narrowing.segments.length > 0)
}

/** Which of these installs satisfy all conditions; rows ascending. */
export async function matching(
  sql: Sql,
  conditions: readonly Knex.Raw[],
  rows: readonly number[],
): Promise<Set<number>> {
  if (rows.length === 0) return new Set()
  const query = whereAmong(sql('installs'), sql, 'installs.id', rows)
  for (const condition of conditions) void query.whereRaw(condition)
  const found: { id: number }[] = await query.select('installs.id as id')
  return new Set(found.map(({ id }) => id))
}

/** Inside any of the fences that are meant: any at all, or one of the ids or tags. */
export function insideAny(sql: Sql, appId: number, fences: Fences, at: { now: number; maxAge: number }): Knex.Raw {
  const around = { appId, ...at }
  if (fences.any) return insideCondition(sql, { ...around, any: true })
  const parts: Knex.Raw[] = []
  if (fences.ids.length > 0) parts.push(insideCondition(sql, { ...around, geofenceIds: fences.ids }))
  if (fences.tags.length > 0) parts.push(insideCondition(sql, { ...around, tags: fences.tags }))
  return sql.raw(`(${parts.map(() => '?').join(' OR ')})`, parts)
}
