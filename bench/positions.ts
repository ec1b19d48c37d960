import { createHash } from 'node:crypto'
import { boxOf, shapeOf } from '../src/domain/geofences/shape/shape.ts'
import type { BoundsFeature, LngLat } from '../src/domain/geofences/types.ts'
import type { Sql } from '../src/platform/db/connect.ts'
import { jsonRows } from '../src/platform/db/dialect.ts'
import { makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import { openExecutable, start } from './support/executable.ts'
import type { Result } from './support/result.ts'
import { callsRow, type Measured, meterOf, uploadOf } from './support/server-load.ts'

export interface PositionsOptions {
  fences: number
  connections: number
  /** Duration of each kind of call (ms). */
  ms: number
  executable?: string | undefined
  /** `sqlite` or `postgres`. */
  database: string
}

const INSTALLS = 10_000
/** Geofences and installs are within about 20 km of a city. */
const CITIES = 100
const SPREAD = 0.2
/** Geofences that one statement stores. */
const SLICE = 5000

/**
 * Measures position reports among many geofences, half of them circles and half polygons. Every report moves its install by some
 * kilometres, so that most reports enter and leave geofences. The baseline is plain uploads to the same server.
 */
export async function benchPositions(options: PositionsOptions): Promise<Result[]> {
  const { fences, connections, ms, executable, database } = options
  const program = await openExecutable(executable)
  const random = randomNumbers(1)
  const db = await openDatabase(database)
  const data = await makeDataDirectory({
    installs: INSTALLS,
    database: db.url,
    fill: (trx, appId) => insertFences(trx, appId, fences, random),
  })
  try {
    const argv = ['serve', '--port', '0', '--data-dir', data.dir]
    const server = await start<{ listening: string }>(program, argv, data.environment)
    try {
      const measure = meterOf(server, { credentials: data.deviceKey, connections, ms })
      const installOf = (number: number) => 1 + (number % INSTALLS)
      const report = (number: number) => {
        const [lng, lat] = placeNear(installOf(number) % CITIES, random)
        return uploadOf(`install-${installOf(number)}`, [{ type: 'k.engage.locationUpdated', data: { lat, lng } }])
      }
      const plain = await measure((number) => uploadOf(`install-${installOf(number)}`, [{ type: 'shop.viewed' }]))
      const against = { name: 'plain upload', value: plain.rate }
      const row = (name: string, measured: Measured) => callsRow(`positions ${database}: ${name}`, measured, against)
      return [row('plain upload', plain), row(`report, ${fences} geofences`, await measure(report))]
    } finally {
      await server.stop()
    }
  } finally {
    data.remove()
    await db.drop()
  }
}

/** Stores geofences as the API would. Through the API itself this would take too long. */
async function insertFences(sql: Sql, appId: number, count: number, random: () => number): Promise<void> {
  const now = Date.now()
  for (let first = 0; first < count; first += SLICE) {
    const lines = Array.from({ length: Math.min(SLICE, count - first) }, (_, i) => {
      const number = first + i
      const feature = number % 2 === 0 ? circle(number % CITIES, random) : polygon(number % CITIES, random)
      const bounds = JSON.stringify(feature)
      const digest = createHash('sha256').update(bounds).digest('base64url')
      const { west, south, east, north } = boxOf(shapeOf(feature))
      const kind = number % 2 === 0 ? 'circle' : 'polygon'
      return [appId, `Fence ${number}`, kind, bounds, digest, '["bench"]', west, south, east, north, now, now]
    })
    await sql.raw(
      `WITH given (app_id, name, kind, bounds, digest, tags, west, south, east, north, created_at, updated_at) AS (
         ${jsonRows(sql, [
           'bigint',
           ...(['text', 'text', 'text', 'text', 'text'] as const),
           ...(['double precision', 'double precision', 'double precision', 'double precision'] as const),
           ...(['bigint', 'bigint'] as const),
         ])})
       INSERT INTO geofences
         (app_id, name, is_enabled, kind, bounds, digest, tags, west, south, east, north, created_at, updated_at)
       SELECT app_id, name, TRUE, kind, bounds, digest, tags, west, south, east, north, created_at, updated_at FROM given`,
      [JSON.stringify(lines)],
    )
  }
}

/** A position in a city. The cities form a grid over half of the earth, including the antimeridian. */
function placeNear(city: number, random: () => number): LngLat {
  const lng = -180 + 36 * (city % 10) + SPREAD * (2 * random() - 1)
  const lat = -60 + 12 * Math.floor(city / 10) + SPREAD * (2 * random() - 1)
  return [lng < -180 ? lng + 360 : lng, lat]
}

function circle(city: number, random: () => number): BoundsFeature {
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: placeNear(city, random) },
    properties: { radius: 200 + 800 * random() },
  }
}

/** A polygon with eight corners, some hundred metres around a position. */
function polygon(city: number, random: () => number): BoundsFeature {
  const [lng, lat] = placeNear(city, random)
  const corners = Array.from({ length: 8 }, (_, i): LngLat => {
    const reach = 0.002 + 0.006 * random()
    const x = lng + reach * Math.cos((i * Math.PI) / 4)
    return [x < -180 ? x + 360 : x > 180 ? x - 360 : x, lat + reach * Math.sin((i * Math.PI) / 4)]
  })
  return {
    type: 'Feature',
    geometry: { type: 'Polygon', coordinates: [[...corners, corners[0]!]] },
    properties: { orderAdded: [0, 1, 2, 3, 4, 5, 6, 7] },
  }
}

/** A random number generator (mulberry32) that returns the same numbers from 0 to 1 in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
