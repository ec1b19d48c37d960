import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, rowsOf } from '../../platform/db/dialect.ts'
import { PLATFORM_TYPES, platformOf } from '../gateways/registry.ts'
import { ascending } from './target.ts'
import type { Cursor, PlacedCursor, Step } from './walk.ts'
import { hasChanged, SETTLING_MS, type Stretch, stretchesOf, type Within } from './within.ts'

interface Found {
  id: number
  preferred_hour: number
  zone_changed_at: number
}

interface Result {
  steps: Step[]
  cursor: Cursor
  done: boolean
}

/** Stretches looked at for one page: many zones have few installs, and a step must stay short. */
const MOST_STRETCHES = 48
const START: PlacedCursor = [0, -1, 0]

/** Everybody at some places, zone by zone along the index; a page of each platform a step. */
export async function placedStep(
  sql: Sql,
  appId: number,
  within: Within,
  cursor: Cursor,
  limit: number,
): Promise<Result> {
  const stretches = stretchesOf(within)
  const placed: Record<string, PlacedCursor | null> = { ...(cursor.placed ?? (await beginning(sql, appId))) }
  const steps: Step[] = []
  for (const [type, from] of Object.entries(placed)) {
    if (from === null) continue
    const { found, next } = await fill(sql, appId, Number(type), stretches, from, limit)
    placed[type] = next
    if (found.length > 0) steps.push(stepOf(Number(type), found, within))
  }
  return { steps, cursor: { placed }, done: Object.values(placed).every((at) => at === null) }
}

/** Only platforms that somebody has: a walk may go through a thousand places, and for nothing. */
async function beginning(sql: Sql, appId: number): Promise<Record<string, PlacedCursor>> {
  const used: Record<string, PlacedCursor> = {}
  for (const type of Object.values(PLATFORM_TYPES)) {
    const found = await sql.raw('SELECT id FROM installs WHERE app_id = ? AND platform = ? AND subscribed LIMIT 1', [
      appId,
      type,
    ])
    if (rowsOf(found).length > 0) used[type] = START
  }
  return used
}

async function fill(
  sql: Sql,
  appId: number,
  type: number,
  stretches: readonly Stretch[],
  from: PlacedCursor,
  limit: number,
): Promise<{ found: Found[]; next: PlacedCursor | null }> {
  const found: Found[] = []
  let [index, hour, row] = from
  /** Stretches that were looked at from their beginning, and how many were in them. */
  let whole = 0
  let inWhole = 0
  for (let looks = 0; looks < MOST_STRETCHES && index < stretches.length; ) {
    const wanted = limit - found.length
    const isWhole = hour === -1 && row === 0
    const count = isWhole && isPostgres(sql) ? worthTogether(whole, inWhole, wanted) : 1
    const together = untilUnnamed(stretches, index, Math.min(count, MOST_STRETCHES - looks))
    const rows =
      together.length > 1
        ? (await stretchesTogether(sql, appId, type, together, wanted)).slice(0, wanted)
        : (await stretchAfter(sql, appId, type, stretches[index]!, hour, row, wanted)).map((one) => ({
            ...one,
            place: 0,
          }))
    found.push(...rows)
    const last = rows.at(-1)
    if (last && rows.length === wanted) return { found, next: [index + last.place, last.preferred_hour, last.id] }
    const passed = Math.max(together.length, 1)
    if (isWhole) {
      whole += passed
      inWhole += rows.length
    }
    looks += passed
    index += passed
    hour = -1
    row = 0
  }
  return { found, next: index < stretches.length ? [index, hour, row] : null }
}

/**
 * Stretches that one statement had better look at: as many as hold what is wanted, by what was in those before. At most as many as
 * are known, because of each everything that is wanted is read, and may be read in vain.
 */
function worthTogether(known: number, found: number, wanted: number): number {
  return Math.min(known, Math.ceil((wanted * known) / Math.max(found, 1)))
}

/** The next `count` stretches, up to one without a zone: that is asked for in other words. */
function untilUnnamed(stretches: readonly Stretch[], index: number, count: number): NamedStretch[] {
  const named: NamedStretch[] = []
  for (const { zone, ...hours } of stretches.slice(index, index + count)) {
    if (zone === null) break
    named.push({ zone, ...hours })
  }
  return named
}

type NamedStretch = Stretch & { zone: string }

/**
 * The first installs of several stretches with one round trip, at most `limit` of each, in the order of the stretches: `place` is
 * which one. PostgreSQL only: SQLite has no LATERAL, and no server that is far away.
 */
async function stretchesTogether(
  sql: Sql,
  appId: number,
  type: number,
  stretches: readonly NamedStretch[],
  limit: number,
): Promise<(Found & { place: number })[]> {
  const result = await sql.raw(
    `SELECT place - 1 AS place, found.* FROM unnest(CAST(? AS text[]), CAST(? AS integer[]), CAST(? AS integer[]))
       WITH ORDINALITY AS given (zone, first_hour, last_hour, place)
     CROSS JOIN LATERAL (
       SELECT id, preferred_hour, zone_changed_at FROM installs
       WHERE app_id = ? AND platform = ? AND timezone = given.zone AND subscribed
         AND preferred_hour BETWEEN given.first_hour AND given.last_hour
       ORDER BY preferred_hour, id LIMIT ${limit}) AS found`,
    [
      stretches.map(({ zone }) => zone) as unknown as Knex.Value,
      stretches.map(({ from }) => from) as unknown as Knex.Value,
      stretches.map(({ to }) => to) as unknown as Knex.Value,
      appId,
      type,
    ],
  )
  return rowsOf<Found & { place: number }>(result).sort(
    (a, b) => a.place - b.place || a.preferred_hour - b.preferred_hour || a.id - b.id,
  )
}

async function stretchAfter(
  sql: Sql,
  appId: number,
  type: number,
  { zone, from, to }: Stretch,
  hour: number,
  row: number,
  limit: number,
): Promise<Found[]> {
  // Answered from the index installs_places alone, in its order. Not one statement for both: with an upper bound beside the pair
  // SQLite reads on to the end of the zone.
  const isOneHour = from === to
  const result = await sql.raw(
    `SELECT id, preferred_hour, zone_changed_at FROM installs
     WHERE app_id = ? AND platform = ? AND ${zone === null ? 'timezone IS NULL' : 'timezone = ?'} AND subscribed
       AND ${isOneHour ? 'preferred_hour = ? AND id > ?' : '(preferred_hour, id) > (?, ?)'}
     ORDER BY ${isOneHour ? 'id' : 'preferred_hour, id'} LIMIT ?`,
    [appId, type, ...(zone === null ? [] : [zone]), isOneHour ? from : hour, row, limit],
  )
  return rowsOf<Found>(result)
}

/** Everybody who changed the zone or the preferred hour, in the order in which they did. */
export async function changedStep(
  sql: Sql,
  appId: number,
  within: Within,
  cursor: Cursor,
  limit: number,
): Promise<Result> {
  const [at, row] = cursor.changed ?? [within.changedSince, Number.MAX_SAFE_INTEGER]
  const result = await sql.raw(
    `SELECT id, platform, preferred_hour, zone_changed_at, created_at FROM installs
     WHERE app_id = ? AND (zone_changed_at, id) > (?, ?) AND subscribed ORDER BY zone_changed_at, id LIMIT ?`,
    [appId, at, row, limit],
  )
  const read = rowsOf<Found & { platform: number; created_at: number }>(result)
  const moved = read.filter((install) => install.zone_changed_at > install.created_at + SETTLING_MS)
  const steps = [...Map.groupBy(moved, (install) => install.platform)].map(([type, found]) =>
    stepOf(type, found, within),
  )
  const last = read.at(-1)
  return {
    steps,
    cursor: { changed: last ? [last.zone_changed_at, last.id] : [at, row] },
    done: read.length < limit,
  }
}

/** Every zone that a subscribed install of the app is in, by hopping along the index from one to the next. */
export async function zonesInUse(sql: Sql, appId: number): Promise<(string | null)[]> {
  const zones = new Set<string | null>()
  for (const platform of Object.values(PLATFORM_TYPES)) {
    const [none] = rowsOf<{ id: number }>(
      await sql.raw(
        'SELECT id FROM installs WHERE app_id = ? AND platform = ? AND timezone IS NULL AND subscribed LIMIT 1',
        [appId, platform],
      ),
    )
    if (none) zones.add(null)
    const next = (then: string) =>
      `(SELECT timezone FROM installs WHERE app_id = ? AND platform = ? AND subscribed ${then} ORDER BY timezone LIMIT 1)`
    const named = rowsOf<{ zone: string }>(
      await sql.raw(
        `WITH RECURSIVE used (zone) AS (
           SELECT ${next('AND timezone IS NOT NULL')}
           UNION ALL SELECT ${next('AND timezone > used.zone')} FROM used WHERE used.zone IS NOT NULL
         ) SELECT zone FROM used WHERE zone IS NOT NULL`,
        [appId, platform, appId, platform],
      ),
    )
    for (const { zone } of named) zones.add(zone)
  }
  return [...zones]
}

function stepOf(type: number, found: readonly Found[], within: Within): Step {
  const moved = found.filter((install) => hasChanged(install, within)).map(({ id }) => id)
  // An install that changes its zone during the step can be read twice.
  return { platform: platformOf(type), rows: ascending(found.map(({ id }) => id)), moved: ascending(moved) }
}
