import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { versionKey } from '../src/domain/crm/store/version-key.ts'
import type { NewGeofence } from '../src/domain/geofences/types.ts'
import type { Sql } from '../src/platform/db/connect.ts'
import { makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import type { Result } from './support/result.ts'
import type { NotificationOrder, Order, Walked, WalkerData } from './support/walker.ts'

export interface AudienceOptions {
  installs: number
  /** `sqlite` or `postgres`. */
  database: string
}

/** The message of a walker that failed. */
interface Failed {
  error: string
}

const ZONES = 400
const HOUR_MS = 3_600_000
const VERSIONS = ['1.9.4', '2.0.0', '2.1.7', '2.10.0']
const CONTENT = { title: 'Fresh bread', message: 'Out of the oven until six.' }

/** A geofence that contains every seventh install. */
const FENCE: NewGeofence = {
  name: 'Berlin',
  isEnabled: true,
  tags: [],
  boundsGeoJson: {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [13.4, 52.5] },
    properties: { radius: 20_000 },
  },
}

/** What `fill` stores for the install of the user with this number. */
const is = {
  inChannel: (user: number) => user % 20 < 2,
  inSegment: (user: number) => user % 3 === 0 && user % 5 !== 0 && user % 4 !== 0,
  inFence: (user: number) => user % 7 === 0,
  inLists: (user: number) => user % 3 !== 2,
}

const SEGMENT = {
  and: [
    { field: 'attributes.plan', op: 'equals', value: 'gold' },
    { field: 'os', op: 'equals', value: 'android' },
    { field: 'appVersion', op: 'atLeast', value: '2.0' },
  ],
}
const ATTRIBUTE_ONLY = { field: 'attributes.plan', op: 'equals', value: 'gold' }
/** Ten conditions on attributes, one of which often matches. */
const BIG_OR = {
  or: [
    ...[1, 2, 3, 4, 5].map((n) => ({ field: 'attributes.city', op: 'equals', value: `City ${n} of nobody` })),
    ...[200, 300, 400].map((age) => ({ field: 'attributes.age', op: 'greaterThan', value: age })),
    { field: 'attributes.plan', op: 'in', value: ['gold', 'silver'] },
    { field: 'attributes.profile.level', op: 'equals', value: 99 },
  ],
}

/**
 * Measures fan-outs in the loop that the program runs: the time until the first page can be sent, the installs checked per second, the
 * number of recipients, and the memory used. The baseline is a bare statement that reads the same table. Throws when a fan-out does
 * not find exactly the expected recipients.
 */
export async function benchAudience({ installs, database }: AudienceOptions): Promise<Result[]> {
  const db = await openDatabase(database)
  const data = await makeDataDirectory({ installs, database: db.url, fill })
  try {
    return await measureWalks({ dir: data.dir, environment: data.environment, appId: data.app.id }, installs)
  } finally {
    data.remove()
    await db.drop()
  }
}

/** Measures all fan-outs on a database that `fill` has filled. */
async function measureWalks(data: WalkerData, installs: number): Promise<Result[]> {
  const walker = fork(join(import.meta.dirname, 'support/walker.ts'), [JSON.stringify(data)], {
    // The same size of the young generation as in a worker thread of the program.
    execArgv: ['--expose-gc', '--max-semi-space-size=4'],
  })
  const ended = once(walker, 'exit').then(() => ({ error: 'it ended' }))
  const answer = async () => {
    const one = await Promise.race([once(walker, 'message').then(([message]) => message as Walked | Failed), ended])
    if (typeof one === 'object' && 'error' in one) throw new Error(`the walker failed: ${one.error}`)
    return one
  }
  const order = (what: Order) => {
    walker.send(what)
    return answer()
  }
  try {
    await answer()
    const bare = await order({ kind: 'bare' })
    const bareRate = (bare.meant / bare.ms) * 1000
    const results: Result[] = []
    const measure = async (name: string, what: Omit<NotificationOrder, 'kind'>, meant: number) => {
      const walked = await order({ kind: 'notification', ...what })
      if (walked.meant !== meant) throw new Error(`${name}: ${walked.meant} recipients instead of ${meant}`)
      results.push(...resultsOf(name, walked, installs, bareRate))
    }
    const count = (...all: ((user: number) => boolean)[]) => {
      let found = 0
      for (let user = 1; user <= installs; user++) if (all.every((one) => one(user))) found++
      return found
    }
    const to = (target: object, extra: object = {}) => ({ form: { target, content: CONTENT, ...extra } })
    const [channel, segment] = [{ channelUuids: ['news'] }, { segmentUuid: 'segment' }]
    const fence = { geofenceTags: ['settled'] }
    const { inChannel, inSegment, inFence, inLists } = is

    await measure('broadcast', to({ broadcast: true }), installs)
    await measure('channel', to(channel), count(inChannel))
    await measure('segment', to(segment), count(inSegment))
    await measure('geofence', to(fence), count(inFence))
    const all = { ...channel, ...segment, ...fence }
    await measure('channel+segment+fence', to(all), count(inChannel, inSegment, inFence))
    const fresh = { ...to({}), fence: FENCE }
    await measure('fence made just now', fresh, count(inFence))
    await measure(
      'one attribute',
      to({ segmentUuid: 'attribute' }),
      count((user) => user % 3 === 0),
    )
    await measure('or of ten', to({ segmentUuid: 'or' }), count(inLists))
    const day = new Date(Date.now() + 60 * HOUR_MS).toISOString().slice(0, 10)
    const local = { schedule: { sendAt: `${day} 09:00`, strategy: 'local', pastTimes: 'nextDay' } }
    await measure('local', to({ broadcast: true }, local), installs)
    const later = new Date(Date.now() + 200 * HOUR_MS).toISOString().slice(0, 10)
    const intelligent = { schedule: { sendAt: later, strategy: 'intelligent', pastTimes: 'nextDay' } }
    await measure('intelligent', to({ broadcast: true }, intelligent), installs)
    return results
  } finally {
    if (walker.connected) walker.send('stop')
    await ended
  }
}

function resultsOf(name: string, walked: Walked, installs: number, bareRate: number): Result[] {
  const { meant, ms, cpuMs, firstPageMs, longestWriteMs, rssBefore, rssPeak } = walked
  return [
    {
      name,
      value: (installs / ms) * 1000,
      unit: 'considered/s',
      against: { name: 'bare walk', value: bareRate },
      note: [
        `${Math.round((meant / ms) * 1000)} recipients/s (${meant} in ${(ms / 1000).toFixed(2)} s)`,
        `${((cpuMs * 1000) / installs).toFixed(1)} us CPU per install`,
        `first page ${firstPageMs.toFixed(0)} ms`,
        `longest write ${longestWriteMs.toFixed(0)} ms`,
        `memory ${rssBefore.toFixed(0)} MB, peak +${(rssPeak - rssBefore).toFixed(0)}`,
      ].join('; '),
    },
  ]
}

/** Stores zones, hours, versions, attributes, a channel, segments, positions and a geofence for installs whose users are 1, 2, 3 ... */
export async function fill(trx: Sql, appId: number): Promise<void> {
  const zones = Intl.supportedValuesOf('timeZone').slice(0, ZONES)
  const now = Date.now()
  const pick = (values: readonly string[], index: string) =>
    `CASE ${index} ${values.map((value, i) => `WHEN ${i} THEN '${value}'`).join(' ')} END`
  await trx.raw(`CREATE TEMPORARY TABLE bench_zones (n bigint PRIMARY KEY, name text NOT NULL)`)
  for (const [n, name] of zones.entries()) await trx('bench_zones').insert({ n, name })
  await trx.raw(
    `UPDATE installs SET
       timezone = (SELECT name FROM bench_zones WHERE n = (installs.user_id * 7919) % ${zones.length}),
       preferred_hour = (user_id * 31) % 25 - 1,
       os = CASE WHEN user_id % 5 = 0 THEN 'HarmonyOS' ELSE 'Android' END,
       app_version = ${pick(VERSIONS, 'user_id % 4')},
       app_version_key = ${pick(
         VERSIONS.map((version) => versionKey(version)!),
         'user_id % 4',
       )}`,
  )
  await trx.raw('DROP TABLE bench_zones')
  await trx.raw(
    `UPDATE users SET attributes = '{"plan":"' || ${pick(['gold', 'silver', 'free'], 'id % 3')} || '","age":' || (18 + id % 60) ||
       ',"city":"City ' || (id % 5000) || '","interests":["bread","cake"],"profile":{"level":' || (id % 9) || ',"since":2019}}'`,
  )

  const [channel] = await trx('channels')
    .insert({
      app_id: appId,
      uuid: 'news',
      name: 'News',
      show_in_portal: true,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
  const among = [appId, channel.id]
  // Half of the subscriptions belong to installs, half to users. Some installs of subscribed users opted out.
  await trx.raw(
    `INSERT INTO channel_installs (app_id, channel_id, install_row, subscribed)
     SELECT CAST(? AS bigint), CAST(? AS bigint), id, user_id % 20 = 0 FROM installs
     WHERE user_id % 20 = 0 OR user_id % 40 = 2 ORDER BY id`,
    among,
  )
  await trx.raw(
    `INSERT INTO channel_users (app_id, channel_id, user_id)
     SELECT CAST(? AS bigint), CAST(? AS bigint), id FROM users WHERE id % 20 = 1 OR id % 40 = 2 ORDER BY id`,
    among,
  )
  const segment = (uuid: string, filter: object) => ({
    app_id: appId,
    uuid,
    name: uuid,
    filter: JSON.stringify(filter),
    created_at: now,
    updated_at: now,
  })
  await trx('segments').insert([
    segment('segment', SEGMENT),
    segment('attribute', ATTRIBUTE_ONLY),
    segment('or', BIG_OR),
  ])
  await fillPlaces(trx, appId, now)
}

async function fillPlaces(trx: Sql, appId: number, now: number): Promise<void> {
  // Every seventh install is inside the geofence, and every seventh has a position outside.
  await trx.raw(
    `INSERT INTO install_positions (install_row, app_id, lat, lng, position_at)
     SELECT id, app_id, CASE user_id % 7 WHEN 0 THEN 52.45 ELSE 48 END + (id % 997) / 9970.0, 13.35 + (id % 991) / 9910.0, CAST(? AS bigint)
     FROM installs WHERE user_id % 7 < 2 ORDER BY id`,
    [now],
  )
  const bounds = JSON.stringify(FENCE.boundsGeoJson)
  const [fence] = await trx('geofences')
    .insert({
      app_id: appId,
      name: 'Settled',
      is_enabled: true,
      kind: 'circle',
      bounds,
      digest: 'bench',
      tags: '["settled"]',
      west: 13.1,
      south: 52.3,
      east: 13.7,
      north: 52.7,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
  await trx('geofence_tags').insert({ app_id: appId, tag: 'settled', geofence_id: fence.id })
  await trx.raw(
    `INSERT INTO geofence_presence (install_row, geofence_id, app_id, entered_at, user_id)
     SELECT install_row, CAST(? AS bigint), app_id, position_at,
       (SELECT user_id FROM installs WHERE installs.id = install_positions.install_row)
     FROM install_positions WHERE lat > 50 ORDER BY install_row`,
    [fence.id],
  )
}
