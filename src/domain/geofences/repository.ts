import { createHash } from 'node:crypto'
import type { Sql } from '../../platform/db/connect.ts'
import { unindexed, whereIds } from '../../platform/db/dialect.ts'
import { bytesOf, oldestFirst, type WeighedRow } from '../../platform/db/pages.ts'
import { boxOf, shapeOf } from './shape/shape.ts'
import { GEOFENCES, type Geofence } from './types.ts'

const LABELS = GEOFENCES.pick('id', 'name', 'tags')

/** The digest of stored bounds: the same text has the same shape. */
export const digestOf = (bounds: string): string => createHash('sha256').update(bounds).digest('base64url')

/** A row with the columns that are derived from the bounds: their kind, digest and box. */
function toRow(geofence: Omit<Geofence, 'id'>) {
  const row = GEOFENCES.toRow(geofence)
  return {
    ...row,
    kind: geofence.boundsGeoJson.geometry.type === 'Point' ? 'circle' : 'polygon',
    digest: digestOf(row.bounds!),
    ...boxOf(shapeOf(geofence.boundsGeoJson)),
  }
}

/** A position in the order in which installs are placed into a geofence: by latitude, then by row. */
export interface Place {
  lat: number
  row: number
}

/** A geofence that is not complete: not all installs that were in its area when it was created or changed are placed yet. */
export interface Unsettled {
  geofence: Geofence
  /** The place up to which they are placed. */
  at: Place
}

/** Rows of one INSERT: databases limit the parameters of a statement. */
const ROWS = 500
const NOT_WAITING = { settled_lat: null, settled_row: null }

export type GeofencesRepository = ReturnType<typeof geofencesRepository>

/** Tables: docs/reference/schema.md#geofences, #geofence_tags. */
export function geofencesRepository(sql: Sql) {
  const geofences = () => sql('geofences')

  async function writeTags(appId: number, geofenceId: number, tags: readonly string[]): Promise<void> {
    if (tags.length === 0) return
    await sql('geofence_tags').insert(tags.map((tag) => ({ app_id: appId, tag, geofence_id: geofenceId })))
  }

  return {
    async find(appId: number, id: number): Promise<Geofence | undefined> {
      const row = await geofences().where({ app_id: appId, id }).first()
      return row && GEOFENCES.fromRow(row)
    },

    /** Stores a geofence without installs. */
    async insert(geofence: Omit<Geofence, 'id'>): Promise<Geofence> {
      const [row] = await geofences().insert(toRow(geofence)).returning('*')
      await writeTags(geofence.appId, row.id, geofence.tags)
      return GEOFENCES.fromRow(row)
    },

    /** Stores geofences whose installs are not placed yet, those that are enabled. Returns their ids in the same order. */
    async insertAll(appId: number, all: readonly Omit<Geofence, 'id' | 'appId'>[]): Promise<number[]> {
      const ids: number[] = []
      for (let from = 0; from < all.length; from += ROWS) {
        const some = all.slice(from, from + ROWS)
        const rows = some.map((geofence) => {
          const row = toRow({ ...geofence, appId })
          const waits = geofence.isEnabled ? { settled_lat: row.south, settled_row: 0 } : NOT_WAITING
          return { ...row, ...waits }
        })
        const stored: { id: number }[] = await geofences().insert(rows).returning('id')
        // Ids are given in the order of the rows; RETURNING promises no order.
        const given = stored.map(({ id }) => id).toSorted((a, b) => a - b)
        const tags = some.flatMap(({ tags }, i) => tags.map((tag) => ({ app_id: appId, tag, geofence_id: given[i]! })))
        for (let at = 0; at < tags.length; at += ROWS) await sql('geofence_tags').insert(tags.slice(at, at + ROWS))
        ids.push(...given)
      }
      return ids
    },

    /** Name and digest of every geofence of the app. */
    names(appId: number): Promise<{ name: string; digest: string }[]> {
      return geofences().where({ app_id: appId }).select('name', 'digest')
    },

    async update({ id, ...geofence }: Geofence): Promise<void> {
      await geofences().where({ app_id: geofence.appId, id }).update(toRow(geofence))
      await sql('geofence_tags').where({ app_id: geofence.appId, geofence_id: id }).delete()
      await writeTags(geofence.appId, id, geofence.tags)
    },

    /** Deletes a geofence with its counts and the record of the installs inside. Returns whether there was one. */
    async delete(appId: number, id: number): Promise<boolean> {
      return (await geofences().where({ app_id: appId, id }).delete()) > 0
    },

    /** Ids and sizes of geofences in the order of their creation, after the id `after`. */
    list(appId: number, after: number, limit: number): Promise<WeighedRow[]> {
      const listed = geofences().where({ app_id: appId }).modify(oldestFirst(after, limit))
      return listed.select('id', bytesOf(sql, ['bounds', 'tags']))
    },

    /** The geofences with these ids; unknown ids are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<Geofence[]> {
      return (await whereIds(geofences(), sql, appId, ids)).map(GEOFENCES.fromRow)
    },

    /** Ids among `ids` that are geofences of the app. */
    async knownIds(appId: number, ids: readonly number[]): Promise<Set<number>> {
      if (ids.length === 0) return new Set()
      const rows: { id: number }[] = await whereIds(geofences(), sql, appId, ids).select('id')
      return new Set(rows.map((row) => row.id))
    },

    /** Names and tags of these geofences of the app, for events. */
    async labels(appId: number, ids: readonly number[]): Promise<Map<number, { name: string; tags: string[] }>> {
      const rows = await whereIds(geofences(), sql, appId, ids).select(LABELS.names)
      return new Map(rows.map(LABELS.fromRow).map(({ id, ...label }) => [id, label]))
    },

    /** Stores the place up to which the installs of a geofence are placed; null when all are. */
    async setSettled(appId: number, id: number, at: Place | null): Promise<void> {
      await geofences()
        .where({ app_id: appId, id })
        .update({ settled_lat: at?.lat ?? null, settled_row: at?.row ?? null })
    },

    /** The oldest geofence whose installs are not all placed yet. */
    async unsettled(key: { id: number } | { appId: number } | 'any'): Promise<Unsettled | undefined> {
      const waiting = geofences().whereNotNull('settled_row').orderBy('id')
      if (key !== 'any') {
        void ('id' in key ? waiting.where({ id: key.id }) : waiting.whereRaw(`${unindexed('app_id')} = ?`, [key.appId]))
      }
      const row = await waiting.first()
      return row && { geofence: GEOFENCES.fromRow(row), at: { lat: row.settled_lat!, row: row.settled_row! } }
    },
  }
}
