import { setImmediate } from 'node:timers/promises'
import type { Knex } from 'knex'
import { keyOf, lockUntilCommit } from '../../platform/db/advisory-lock.ts'
import type { Sql } from '../../platform/db/connect.ts'
import {
  countShard,
  dialectOf,
  isPostgres,
  jsonRows,
  rowsOf,
  unindexed,
  whereAmong,
  whereIds,
} from '../../platform/db/dialect.ts'
import { readShape, recallShape, rememberShape } from './shape/memory.ts'
import type { Candidate } from './transitions.ts'
import type { Position } from './types.ts'

/**
 * Bounds of up to this size (bytes) are read with the search. Longer ones are read only if their shape is not cached.
 */
const SHORT_BOUNDS = 4096

/** Positions that are too old to count but not deleted yet: this many are taken off the counts at most. */
const OLD_POSITIONS = 2000

/** Installs that one statement removes from a geofence when all are removed. It takes some milliseconds. */
const SLICE = 5000

/** First key of our advisory locks on PostgreSQL ("geof"). The second is the app id. */
const LOCK = 0x67656f66
/** First key of the locks by user ("geou"). The second is the row of the user. */
const USER_LOCK = 0x67656f75

/** Selects geofences: these ids, those with one of these tags, or all. Lists must not be empty. */
export type InsideOf = { geofenceIds: readonly number[] } | { tags: readonly string[] } | { any: true }

export type Inside = InsideOf & {
  appId: number
  /** Milliseconds. */
  now: number
  /** Positions this old (ms) or older do not count: `geofences.maxAge`. */
  maxAge: number
}

/**
 * SQL for a statement over `installs`: true if the install is inside one of these geofences of the app by its last
 * position. It is evaluated with primary keys for each install. Disabled geofences contain no installs.
 */
export function insideCondition(sql: Sql, { appId, now, maxAge, ...which }: Inside): Knex.Raw {
  const places = (values: readonly unknown[]) => values.map(() => '?').join(', ')
  const [meant, values] =
    'geofenceIds' in which
      ? [` AND inside.geofence_id IN (${places(which.geofenceIds)})`, which.geofenceIds]
      : 'tags' in which
        ? [
            ` AND EXISTS (SELECT 1 FROM geofence_tags tagged WHERE tagged.app_id = inside.app_id
              AND tagged.geofence_id = inside.geofence_id AND tagged.tag IN (${places(which.tags)}))`,
            which.tags,
          ]
        : ['', []]
  // OFFSET 0 keeps PostgreSQL from reading whole geofences for every page of a fan-out, as it did right after a large
  // one was created.
  return sql.raw(
    `EXISTS (SELECT 1 FROM geofence_presence inside
      JOIN install_positions place ON place.install_row = inside.install_row AND place.position_at > ?
      WHERE inside.app_id = ?${meant} AND inside.install_row = installs.id LIMIT 1 OFFSET 0)`,
    [now - maxAge, appId, ...values],
  )
}

interface FoundRow {
  row: number
  id: number
  digest: string
  bounds: string | null
}

/** The position of an install at the time `at` (ms). */
export interface Whereabouts {
  row: number
  position: Position
  at: number
}

/** An install enters or leaves a geofence at `at` (ms). */
export interface Crossing {
  row: number
  geofenceId: number
  at: number
}

/** The geofences that may contain a position, and those that contained the install before. */
export interface Surroundings {
  candidates: Candidate[]
  inside: Set<number>
}

export type PresenceRepository = ReturnType<typeof presenceRepository>

/**
 * Last positions of installs, and the geofences that contain them.
 * Tables: docs/reference/schema.md#geofences, #geofence_activations, #install_positions, #geofence_presence, #geofence_users, #geofence_boxes.
 */
export function presenceRepository(sql: Sql) {
  /**
   * Finds the enabled geofences of the app whose box contains the position of a row of `given`: in the R*Tree of
   * SQLite, or the GiST index of PostgreSQL. `text` joins them as `g`; `app` returns its bindings.
   *
   * OFFSET 0 keeps PostgreSQL from reading all geofences of the app first, which it expects to be few: among 5000
   * geofences, 60 positions took 1.8 s without it and take half a millisecond with it.
   */
  const boxesAround = isPostgres(sql)
    ? {
        text: `CROSS JOIN LATERAL (SELECT id, digest, bounds FROM geofences
          WHERE is_enabled AND int8range(app_id, app_id, '[]') @> CAST(? AS bigint)
            AND box(point(west, south), point(east, north)) && box(point(given.x, given.lat), point(given.x, given.lat))
          OFFSET 0) g`,
        app: (appId: number) => [appId],
      }
    : {
        text: `CROSS JOIN geofence_boxes b ON b.first_app <= ? AND b.last_app >= ?
          AND b.west <= given.x AND b.east >= given.x AND b.south <= given.lat AND b.north >= given.lat
          CROSS JOIN geofences g ON g.id = b.id AND ${unindexed('g.app_id')} = ?`,
        app: (appId: number) => [appId * 2, appId * 2 + 1, appId],
      }

  async function boundsOf(id: number): Promise<string> {
    const row = await sql('geofences').where({ id }).first('bounds')
    return row.bounds
  }

  return {
    /**
     * Locks the geofences of the app against changes until the commit. An install that moves while a geofence is
     * created is therefore either found by `surroundings` or placed with the geofence. Locks the users of these installs
     * too, in the order of their ids: two installs of a user change the same rows of `geofence_users`, and would
     * deadlock when one enters what the other leaves. SQLite has a single writer.
     */
    async lockMoving(appId: number, rows: readonly number[]): Promise<void> {
      if (!isPostgres(sql)) return
      await sql.raw(
        `WITH fences AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(?, ?))
         SELECT pg_advisory_xact_lock(?, moving.key) FROM fences CROSS JOIN (
           SELECT DISTINCT CAST(user_id % 2147483648 AS int) AS key FROM installs WHERE id = ANY(?) ORDER BY 1) AS moving`,
        [LOCK, keyOf(appId), USER_LOCK, rows as unknown as Knex.Value],
      )
    },

    /** The counterpart of `lockMoving`: no install of the app moves until the commit. */
    async lockFences(appId: number): Promise<void> {
      await lockUntilCommit(sql, LOCK, keyOf(appId))
    },

    /**
     * Stores positions, except those of installs with a later known position, which are left out of the result. Returns
     * the time of the previous position of each, null if there was none. Each install is given once.
     */
    async place(appId: number, list: readonly Whereabouts[]): Promise<{ row: number; previousAt: number | null }[]> {
      const result = await sql.raw(
        `INSERT INTO install_positions (install_row, app_id, lat, lng, position_at)
         ${jsonRows(sql, ['bigint', 'bigint', 'double precision', 'double precision', 'bigint'])}
         ON CONFLICT (install_row) DO UPDATE SET lat = excluded.lat, lng = excluded.lng,
           previous_at = install_positions.position_at, position_at = excluded.position_at
         WHERE excluded.position_at >= install_positions.position_at
         RETURNING install_row AS "row", previous_at AS "previousAt"`,
        [JSON.stringify(list.map(({ row, position: { lat, lng }, at }) => [row, appId, lat, lng, at]))],
      )
      return rowsOf(result)
    },

    /** The surroundings of each of these installs at its new position, by row. */
    async surroundings(appId: number, list: readonly Whereabouts[]): Promise<Map<number, Surroundings>> {
      const around = new Map(
        list.map(({ row }) => [row, { candidates: new Map<number, Candidate>(), inside: new Set<number>() }]),
      )
      // Each position is looked up twice, the second time 360 degrees further east: the box of a geofence across the
      // antimeridian extends beyond 180 degrees. The antimeridian itself counts as -180.
      const places = list.flatMap(({ row, position: { lat, lng } }) => {
        const west = lng === 180 ? -180 : lng
        return [
          [row, west, lat],
          [row, west + 360, lat],
        ]
      })
      const given = `given (install_row, x, lat) AS MATERIALIZED (${jsonRows(sql, ['bigint', 'double precision', 'double precision'])})`
      const found = await sql.raw(
        `WITH ${given}
         SELECT given.install_row AS "row", g.id, g.digest, CASE WHEN octet_length(g.bounds) <= ${SHORT_BOUNDS} THEN g.bounds END AS bounds
         FROM given ${boxesAround.text}`,
        [JSON.stringify(places), ...boxesAround.app(appId)],
      )
      for (const { row, id, digest, bounds } of rowsOf<FoundRow>(found)) {
        const { candidates } = around.get(row)!
        if (candidates.has(id)) continue
        const shape = bounds !== null ? readShape(bounds) : recallShape(digest)
        candidates.set(id, { id, shape: shape ?? rememberShape(digest, await boundsOf(id)) })
      }
      const present = whereAmong(sql('geofence_presence'), sql, 'install_row', [...around.keys()])
      const inside: { row: number; id: number }[] = await present.select('install_row as row', 'geofence_id as id')
      for (const { row, id } of inside) around.get(row)!.inside.add(id)
      return new Map([...around].map(([row, one]) => [row, { ...one, candidates: [...one.candidates.values()] }]))
    },

    /** Places installs into geofences and counts the entries. Each pair is given once. */
    async enter(appId: number, list: readonly Crossing[]): Promise<void> {
      if (list.length === 0) return
      const inside = list.map(({ row, geofenceId, at }) => [row, geofenceId, at])
      await sql.raw(
        `WITH given (install_row, geofence_id, entered_at) AS (${jsonRows(sql, ['bigint', 'bigint', 'bigint'], list.length)})
         INSERT INTO geofence_presence (install_row, geofence_id, app_id, entered_at, user_id)
         SELECT installs.id, given.geofence_id, installs.app_id, given.entered_at, installs.user_id
         FROM given CROSS JOIN installs WHERE installs.id = given.install_row AND ${unindexed('installs.app_id')} = ?
         ON CONFLICT (install_row, geofence_id) DO UPDATE SET entered_at = excluded.entered_at`,
        [JSON.stringify(inside), appId],
      )
      const entries = new Map<number, number>()
      for (const { geofenceId } of list) entries.set(geofenceId, (entries.get(geofenceId) ?? 0) + 1)
      await sql.raw(
        `WITH given (geofence_id, entries) AS (${jsonRows(sql, ['bigint', 'bigint'])})
         INSERT INTO geofence_activations (geofence_id, shard, entries)
         SELECT geofence_id, ${countShard(dialectOf(sql))}, entries FROM given WHERE true
         ON CONFLICT (geofence_id, shard) DO UPDATE SET entries = geofence_activations.entries + excluded.entries`,
        [JSON.stringify([...entries].sort(([a], [b]) => a - b))],
      )
    },

    async leave(list: readonly Crossing[]): Promise<void> {
      if (list.length === 0) return
      await sql.raw(
        `DELETE FROM geofence_presence WHERE (install_row, geofence_id) IN (${jsonRows(sql, ['bigint', 'bigint'])})`,
        [JSON.stringify(list.map(({ row, geofenceId }) => [row, geofenceId]))],
      )
    },

    /** Removes all installs from a geofence, in slices, so that this process can do other work in between. */
    async empty(appId: number, geofenceId: number): Promise<void> {
      const inside = () => sql('geofence_presence').where({ app_id: appId, geofence_id: geofenceId })
      for (;;) {
        const some = inside().limit(SLICE).select('install_row')
        const left = await inside().whereIn('install_row', some).delete()
        if (left < SLICE) return
        await setImmediate()
      }
    },

    /**
     * The next positions of the app's installs after the place `after`, up to the latitude `north`, ordered by latitude
     * and row.
     */
    async placed(
      appId: number,
      after: { lat: number; row: number },
      north: number,
      limit: number,
    ): Promise<(Position & { row: number })[]> {
      const result = await sql.raw(
        `SELECT install_row AS row, lat, lng FROM install_positions
         WHERE app_id = ? AND (lat, install_row) > (?, ?) AND lat <= ? ORDER BY lat, install_row LIMIT ?`,
        [appId, after.lat, after.row, north, limit],
      )
      return rowsOf<Position & { row: number }>(result)
    },

    /**
     * Places installs into a geofence without counting an entry. The time of their last position counts as the time of
     * entry.
     */
    async settle(appId: number, geofenceId: number, rows: readonly number[]): Promise<void> {
      if (rows.length === 0) return
      const places = whereIds(sql('install_positions'), sql, appId, rows, { column: 'install_row' })
      const { sql: select, bindings } = places
        .select('install_row', sql.raw('CAST(? AS bigint)', [geofenceId]), 'app_id', 'position_at')
        .select(sql.raw('(SELECT user_id FROM installs WHERE installs.id = install_positions.install_row)'))
        .toSQL()
      await sql.raw(
        `INSERT INTO geofence_presence (install_row, geofence_id, app_id, entered_at, user_id) ${select}
         ON CONFLICT (install_row, geofence_id) DO NOTHING`,
        bindings as Knex.RawBinding[],
      )
    },

    /**
     * The entries so far of each of these geofences, and its users with an install inside whose position is later than
     * `since`. Both are kept as they change (by triggers, docs/reference/schema.md#geofence_users); users whose positions
     * are too old but not deleted yet are taken off, as far as they are at most `OLD_POSITIONS`.
     */
    async counts(
      appId: number,
      geofenceIds: readonly number[],
      since: number,
    ): Promise<Map<number, { activationCount: number; activeUsers: number }>> {
      const ids = geofenceIds as number[]
      const kept: { id: number; entries: number; users: number }[] = await sql('geofence_activations')
        .whereIn('geofence_id', ids)
        .groupBy('geofence_id')
        .select('geofence_id as id')
        .sum({ entries: 'entries', users: 'users' })
      const old = sql('install_positions')
        .where('position_at', '<=', since)
        .orderBy('position_at')
        .limit(OLD_POSITIONS)
        .select('install_row', 'app_id')
      const gone = rowsOf<{ id: number; users: number }>(
        await sql.raw(
          `SELECT gone.geofence_id AS id, COUNT(*) AS users FROM (
             SELECT inside.geofence_id, inside.user_id, COUNT(*) AS installs
             FROM (?) AS old CROSS JOIN geofence_presence AS inside
             WHERE inside.install_row = old.install_row AND old.app_id = ?
             GROUP BY inside.geofence_id, inside.user_id) AS gone
           JOIN geofence_users AS counted ON counted.geofence_id = gone.geofence_id AND counted.user_id = gone.user_id
           WHERE counted.installs = gone.installs GROUP BY gone.geofence_id`,
          [old as unknown as Knex.Value, appId],
        ),
      )
      const counts = new Map(ids.map((id) => [id, { activationCount: 0, activeUsers: 0 }]))
      for (const { id, entries, users } of kept) counts.set(id, { activationCount: entries, activeUsers: users })
      for (const { id, users } of gone) {
        const count = counts.get(id)
        if (count) count.activeUsers -= users
      }
      return counts
    },

    /**
     * Deletes at most `limit` positions, of all apps, from `before` or earlier. The installs are then inside no
     * geofence. Returns how many.
     */
    async forget(before: number, limit: number): Promise<number> {
      const old = sql('install_positions')
        .where('position_at', '<=', before)
        .orderBy('position_at')
        .limit(limit)
        .select('install_row')
      // The condition is repeated, because an install may move between the SELECT and the DELETE.
      return sql('install_positions').whereIn('install_row', old).where('position_at', '<=', before).delete()
    },
  }
}
