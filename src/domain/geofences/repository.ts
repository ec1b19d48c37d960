import { createHash } from 'node:crypto'
import type { Sql } from '../../platform/db/connect.ts'
import { whereAmong } from '../../platform/db/dialect.ts'
import { bytesOf, type WeighedRow } from '../../platform/db/pages.ts'
import { boxOf, shapeOf } from './shape.ts'
import type { BoundsFeature, Geofence } from './types.ts'

interface GeofenceRow {
  id: number
  app_id: number
  name: string
  is_enabled: boolean | number
  kind: string
  bounds: string
  digest: string
  tags: string
  west: number
  south: number
  east: number
  north: number
  settled_lat: number | null
  settled_row: number | null
  created_at: number
  updated_at: number
}

const toGeofence = (row: GeofenceRow): Geofence => ({
  id: row.id,
  appId: row.app_id,
  name: row.name,
  isEnabled: Boolean(row.is_enabled),
  boundsGeoJson: JSON.parse(row.bounds) as BoundsFeature,
  tags: JSON.parse(row.tags) as string[],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toRow = (geofence: Omit<Geofence, 'id'>) => {
  const bounds = JSON.stringify(geofence.boundsGeoJson)
  return {
    app_id: geofence.appId,
    name: geofence.name,
    is_enabled: geofence.isEnabled,
    kind: geofence.boundsGeoJson.geometry.type === 'Point' ? 'circle' : 'polygon',
    bounds,
    digest: createHash('sha256').update(bounds).digest('base64url'),
    tags: JSON.stringify(geofence.tags),
    ...boxOf(shapeOf(geofence.boundsGeoJson)),
    created_at: geofence.createdAt,
    updated_at: geofence.updatedAt,
  }
}

/** A place in the order in which installs are placed: by latitude, then by row. */
export interface Place {
  lat: number
  row: number
}

/** A fence into which not all installs that were there already have been placed. */
export interface Unsettled {
  geofence: Geofence
  /** The position up to which they have. */
  at: Place
}

export type GeofencesRepository = ReturnType<typeof geofencesRepository>

export function geofencesRepository(sql: Sql) {
  const geofences = () => sql<GeofenceRow>('geofences')

  async function writeTags(appId: number, geofenceId: number, tags: readonly string[]): Promise<void> {
    if (tags.length === 0) return
    await sql('geofence_tags').insert(tags.map((tag) => ({ app_id: appId, tag, geofence_id: geofenceId })))
  }

  return {
    async find(appId: number, id: number): Promise<Geofence | undefined> {
      const row = await geofences().where({ app_id: appId, id }).first()
      return row && toGeofence(row)
    },

    /** Stores a fence into which nobody has been placed. */
    async insert(geofence: Omit<Geofence, 'id'>): Promise<Geofence> {
      const [row] = await geofences().insert(toRow(geofence)).returning('*')
      await writeTags(geofence.appId, row!.id, geofence.tags)
      return toGeofence(row!)
    },

    async update({ id, ...geofence }: Geofence): Promise<void> {
      await geofences().where({ app_id: geofence.appId, id }).update(toRow(geofence))
      await sql('geofence_tags').where({ app_id: geofence.appId, geofence_id: id }).delete()
      await writeTags(geofence.appId, id, geofence.tags)
    },

    /** Returns whether there was one. Who was inside and its counts go with it. */
    async delete(appId: number, id: number): Promise<boolean> {
      return (await geofences().where({ app_id: appId, id }).delete()) > 0
    },

    /** Fences in the order of their creation, after the one with the id `after`, with what they weigh. */
    list(appId: number, after: number, limit: number): Promise<WeighedRow[]> {
      const listed = sql('geofences').where({ app_id: appId }).where('id', '>', after).orderBy('id').limit(limit)
      return listed.select('id', bytesOf(sql, ['bounds', 'tags']))
    },

    /** Those with these ids; unknown ones are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<Geofence[]> {
      // The plus keeps SQLite from walking all fences of the app instead of fetching these by id.
      return (await whereAmong(geofences().whereRaw('+app_id = ?', [appId]), sql, 'id', ids)).map(toGeofence)
    },

    /** Which of these ids the app has. */
    async knownIds(appId: number, ids: readonly number[]): Promise<Set<number>> {
      if (ids.length === 0) return new Set()
      // The plus keeps SQLite from walking all fences of the app instead of fetching these by id.
      const rows: { id: number }[] = await whereAmong(
        sql('geofences').whereRaw('+app_id = ?', [appId]),
        sql,
        'id',
        ids,
      ).select('id')
      return new Set(rows.map((row) => row.id))
    },

    /** Names and tags of these fences of the app, for what is told of them. */
    async labels(appId: number, ids: readonly number[]): Promise<Map<number, { name: string; tags: string[] }>> {
      const rows: Pick<GeofenceRow, 'id' | 'name' | 'tags'>[] = await whereAmong(
        sql('geofences').whereRaw('+app_id = ?', [appId]),
        sql,
        'id',
        ids,
      ).select('id', 'name', 'tags')
      return new Map(rows.map(({ id, name, tags }) => [id, { name, tags: JSON.parse(tags) as string[] }]))
    },

    /** Notes how far a fence's installs have been placed; null when all are. */
    async setSettled(id: number, at: Place | null): Promise<void> {
      await geofences()
        .where({ id })
        .update({ settled_lat: at?.lat ?? null, settled_row: at?.row ?? null })
    },

    /** A fence that waits for its installs. */
    async unsettled(key: { id: number } | { appId: number } | 'any'): Promise<Unsettled | undefined> {
      const waiting = geofences().whereNotNull('settled_row').orderBy('id')
      // The plus keeps SQLite from walking all fences of the app instead of the few that wait.
      if (key !== 'any') {
        void ('id' in key ? waiting.where({ id: key.id }) : waiting.whereRaw('+app_id = ?', [key.appId]))
      }
      const row = await waiting.first()
      return row && { geofence: toGeofence(row), at: { lat: row.settled_lat!, row: row.settled_row! } }
    },
  }
}
