import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, rowsOf, whereAmong } from '../../platform/db/dialect.ts'
import { readShape, recallShape, rememberShape } from './shape-memory.ts'
import type { Candidate } from './transitions.ts'
import type { Position } from './types.ts'

/** Bounds up to this long (bytes) come with the search; longer ones only when their shape is not remembered. */
const SHORT_BOUNDS = 4096

/** Rows that share a fence's count of entries. */
const SHARDS = 16

/** First key of our advisory locks on PostgreSQL ("geof"); the second is the app. */
const LOCK = 0x67656f66

/** Which fences: the given ones, those with one of the tags, or all. Lists must not be empty. */
export type InsideOf = { geofenceIds: readonly number[] } | { tags: readonly string[] } | { any: true }

export type Inside = InsideOf & {
  appId: number
  /** Milliseconds. */
  now: number
  /** Positions this old (ms) or older do not count: `geofences.maxAge`. */
  maxAge: number
}

/**
 * SQL, for a statement over `installs`, that is true where the install is inside one of these fences of the app by its last
 * position. Answered from primary keys, install by install. Disabled fences have nobody inside.
 */
export function insideCondition(sql: Sql, inside: Inside): Knex.Raw {
  const { text, bindings } = presenceOf(inside)
  return sql.raw(`EXISTS (SELECT 1 ${text} AND inside.install_row = installs.id)`, bindings)
}

/**
 * SQL, in parentheses, of the rows of those installs, for `installs.id IN`: for fences with few installs in an app with many. An
 * install that is in several of the fences is there several times.
 */
export function insideRows(sql: Sql, inside: Inside): Knex.Raw {
  const { text, bindings } = presenceOf(inside)
  return sql.raw(`(SELECT inside.install_row ${text})`, bindings)
}

function presenceOf(inside: Inside): { text: string; bindings: Knex.RawBinding[] } {
  const { appId, now, maxAge } = inside
  const places = (values: readonly unknown[]) => values.map(() => '?').join(', ')
  const [which, values] =
    'geofenceIds' in inside
      ? [` AND inside.geofence_id IN (${places(inside.geofenceIds)})`, inside.geofenceIds]
      : 'tags' in inside
        ? [
            ` AND EXISTS (SELECT 1 FROM geofence_tags tagged WHERE tagged.app_id = inside.app_id
              AND tagged.geofence_id = inside.geofence_id AND tagged.tag IN (${places(inside.tags)}))`,
            inside.tags,
          ]
        : ['', []]
  return {
    text: `FROM geofence_presence inside
      JOIN install_positions place ON place.install_row = inside.install_row AND place.position_at > ?
      WHERE inside.app_id = ?${which}`,
    bindings: [now - maxAge, appId, ...values],
  }
}

interface FoundRow {
  id: number
  digest: string
  bounds: string | null
  here: boolean | number
}

/** Fences round a position, and those that the install is in as far as we know. */
export interface Surroundings {
  candidates: Candidate[]
  inside: Set<number>
}

export type PresenceRepository = ReturnType<typeof presenceRepository>

/** Where installs are, and in which fences. */
export function presenceRepository(sql: Sql) {
  /**
   * The one question that the databases answer differently: enabled fences of the app whose box has the position, from the R*Tree
   * or from the GiST index. Both look once more a turn further east, where fences across the antimeridian lie.
   */
  function boxesAround(appId: number, { lat, lng }: Position): { text: string; bindings: number[] } {
    // The antimeridian is -180 here; +180 is its next turn.
    const west = lng === 180 ? -180 : lng
    const found = `SELECT g.id, g.digest, CASE WHEN octet_length(g.bounds) <= ${SHORT_BOUNDS} THEN g.bounds END AS bounds`
    if (isPostgres(sql)) {
      const one = `${found}, false AS here FROM geofences g
        WHERE g.is_enabled AND int8range(g.app_id, g.app_id, '[]') @> CAST(? AS bigint)
          AND box(point(g.west, g.south), point(g.east, g.north)) && box(point(?, ?), point(?, ?))`
      const bind = (x: number) => [appId, x, lat, x, lat]
      return { text: `${one} UNION ALL ${one}`, bindings: [...bind(west), ...bind(west + 360)] }
    }
    const one = `${found}, 0 AS here FROM geofence_boxes b CROSS JOIN geofences g ON g.id = b.id
      WHERE b.first_app <= ? AND b.last_app >= ? AND b.west <= ? AND b.east >= ? AND b.south <= ? AND b.north >= ?
        AND +g.app_id = ?`
    const bind = (x: number) => [appId * 2, appId * 2 + 1, x, x, lat, lat, appId]
    return { text: `${one} UNION ALL ${one}`, bindings: [...bind(west), ...bind(west + 360)] }
  }

  async function boundsOf(id: number): Promise<string> {
    const row = await sql('geofences').where({ id }).first('bounds')
    return row.bounds
  }

  return {
    /**
     * From here to the commit nobody changes a fence of the app, so that an install which moves while a fence is made is either
     * met by the search or placed with the fence. SQLite has one writer anyway.
     */
    async lockMoving(appId: number): Promise<void> {
      if (isPostgres(sql)) await sql.raw('SELECT pg_advisory_xact_lock_shared(?, ?)', [LOCK, appId % 2 ** 31])
    },

    /** The other side of it: from here to the commit no install of the app moves. */
    async lockFences(appId: number): Promise<void> {
      if (isPostgres(sql)) await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [LOCK, appId % 2 ** 31])
    },

    /**
     * Stores where the install was at `at`, unless a later position is known (then undefined). Tells when the position before
     * was, null when there was none.
     */
    async place(
      appId: number,
      installRow: number,
      { lat, lng }: Position,
      at: number,
    ): Promise<{ previousAt: number | null } | undefined> {
      const result = await sql.raw(
        `INSERT INTO install_positions (install_row, app_id, lat, lng, position_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (install_row) DO UPDATE SET lat = excluded.lat, lng = excluded.lng,
           previous_at = install_positions.position_at, position_at = excluded.position_at
         WHERE excluded.position_at >= install_positions.position_at
         RETURNING previous_at`,
        [installRow, appId, lat, lng, at],
      )
      const [row] = rowsOf<{ previous_at: number | null }>(result)
      return row && { previousAt: row.previous_at }
    },

    async surroundings(appId: number, installRow: number, position: Position): Promise<Surroundings> {
      const { text, bindings } = boxesAround(appId, position)
      const result = await sql.raw(
        `${text} UNION ALL SELECT geofence_id, '', NULL, ${isPostgres(sql) ? 'true' : '1'}
           FROM geofence_presence WHERE install_row = ?`,
        [...bindings, installRow],
      )
      const candidates = new Map<number, Candidate>()
      const inside = new Set<number>()
      for (const { id, digest, bounds, here } of rowsOf<FoundRow>(result)) {
        if (here) inside.add(id)
        else if (!candidates.has(id)) {
          const shape = bounds !== null ? readShape(bounds) : recallShape(digest)
          candidates.set(id, { id, shape: shape ?? rememberShape(digest, await boundsOf(id)) })
        }
      }
      return { candidates: [...candidates.values()], inside }
    },

    /** From now on the install is in these fences too. */
    async enter(appId: number, installRow: number, geofenceIds: readonly number[], at: number): Promise<void> {
      if (geofenceIds.length === 0) return
      await sql('geofence_presence')
        .insert(geofenceIds.map((id) => ({ install_row: installRow, geofence_id: id, app_id: appId, entered_at: at })))
        .onConflict(['install_row', 'geofence_id'])
        .merge(['entered_at'])
      await sql('geofence_activations')
        .insert(geofenceIds.map((id) => ({ geofence_id: id, shard: installRow % SHARDS, entries: 1 })))
        .onConflict(['geofence_id', 'shard'])
        .merge({ entries: sql.raw('geofence_activations.entries + 1') })
    },

    async leave(installRow: number, geofenceIds: readonly number[]): Promise<void> {
      if (geofenceIds.length === 0) return
      await sql('geofence_presence')
        .where({ install_row: installRow })
        .whereIn('geofence_id', geofenceIds as number[])
        .delete()
    },

    /** Nobody is in the fence any more. */
    async empty(appId: number, geofenceId: number): Promise<void> {
      await sql('geofence_presence').where({ app_id: appId, geofence_id: geofenceId }).delete()
    },

    /** Last positions of the app's installs from one latitude up to another, after the given one, by latitude and row. */
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

    /** These installs of the app are in the fence since their last position, as far as that is known. */
    async settle(appId: number, geofenceId: number, rows: readonly number[]): Promise<void> {
      if (rows.length === 0) return
      const places = whereAmong(sql('install_positions').whereRaw('+app_id = ?', [appId]), sql, 'install_row', rows)
      const { sql: select, bindings } = places
        .select('install_row', sql.raw('CAST(? AS bigint)', [geofenceId]), 'app_id', 'position_at')
        .toSQL()
      await sql.raw(
        `INSERT INTO geofence_presence (install_row, geofence_id, app_id, entered_at) ${select}
         ON CONFLICT (install_row, geofence_id) DO NOTHING`,
        bindings as Knex.RawBinding[],
      )
    },

    /** Entries so far, and users with an install inside by a position later than `since`, of each of these fences. */
    async counts(
      appId: number,
      geofenceIds: readonly number[],
      since: number,
    ): Promise<Map<number, { activationCount: number; activeUsers: number }>> {
      const ids = geofenceIds as number[]
      const entries: { id: number; entries: number }[] = await sql('geofence_activations')
        .whereIn('geofence_id', ids)
        .groupBy('geofence_id')
        .select('geofence_id as id')
        .sum({ entries: 'entries' })
      const users: { id: number; users: number }[] = await sql('geofence_presence as inside')
        .join('install_positions as place', 'place.install_row', 'inside.install_row')
        .join('installs', 'installs.id', 'inside.install_row')
        .where('inside.app_id', appId)
        .whereIn('inside.geofence_id', ids)
        .where('place.position_at', '>', since)
        .groupBy('inside.geofence_id')
        .select('inside.geofence_id as id')
        .countDistinct({ users: 'installs.user_id' })
      const entered = new Map(entries.map((row) => [row.id, row.entries]))
      const active = new Map(users.map((row) => [row.id, row.users]))
      return new Map(ids.map((id) => [id, { activationCount: entered.get(id) ?? 0, activeUsers: active.get(id) ?? 0 }]))
    },

    /** Forgets at most `limit` positions, of any app, from `before` or earlier, and who is where by them; returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const old = sql('install_positions')
        .where('position_at', '<=', before)
        .orderBy('position_at')
        .limit(limit)
        .select('install_row')
      // Said twice: an install that moves meanwhile is looked at once more.
      return sql('install_positions').whereIn('install_row', old).where('position_at', '<=', before).delete()
    },
  }
}
