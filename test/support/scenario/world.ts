import { createBanner, newBanner } from '../../../src/domain/links/banners/schema.ts'
import { packRows } from '../../../src/domain/notifications/record/page.ts'
import type { Sql } from '../../../src/platform/db/connect.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import type { Program } from '../../../src/program.ts'
import { credential } from '../gateways.ts'
import { circle } from '../geofences.ts'
import { column } from '../tables.ts'
import { alert, heading } from '../templates.ts'
import { insertInstalls, numbers } from './world-installs.ts'

/**
 * A year in the life of an app with this many installs, stored in a few statements: tables that grow with installs are
 * in proportion, the settings of an operator are there in any case. Statements of the scenario run on it, in tests with
 * a few thousand installs, in the bench with a million.
 */

const DAY_MS = 86_400_000
/** The age of ancient rows: everything that is forgotten by its age has some of them. */
const ANCIENT_MS = 3 * 365 * DAY_MS
/** The last row number up to which one in five is ancient: as many in a large world as in a small one. */
const ANCIENT_UP_TO = 10_000
const FENCES = 100
const SEGMENTS = 20
const HOOKS = 10
/** The others have a zone. */
const WITHOUT_ZONE = 'id % 16 = 5'
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Australia/Sydney']

/** The parts of a world that the scenario knows. */
export interface World {
  installs: number
  /** A notification to everybody, with failures, openings and pages in proportion. */
  big: number
  /** An in-app message to everybody who agreed to them. */
  message: number
  channel: number
  fence: number
  segment: string
  bannerUuid: string
}

/** Gives an app that has nothing yet its year. Install `install-i` belongs to the user `user-i`, both from 1. */
export async function makeWorld(program: Program, appId: number, installs: number): Promise<World> {
  const now = program.kernel.clock.now()
  const made = await setUp(program, appId)
  await program.kernel.db.write(async (trx) => {
    await insertInstalls(trx, appId, installs, now)
  })
  // Each part by itself: a million of them in one transaction make a write-ahead log of gigabytes.
  for (const part of [people, places, sends, messages, labels, series, links, reports]) {
    await program.kernel.db.write((trx) => part({ trx, appId, installs, now, ...made }))
  }
  await program.inTransaction((tx) => tx.tables.recount(appId, 'things'))
  await program.inTransaction((tx) => tx.tables.recount(appId, 'names'))
  return { installs, ...made }
}

type Made = Omit<World, 'installs'>

interface Filling extends Made {
  trx: Sql
  appId: number
  installs: number
  now: number
}

/** Makes the things of operators, through the services, and the two sends to everybody. */
async function setUp(program: Program, appId: number): Promise<Made> {
  const now = program.kernel.clock.now()
  const made = await program.inTransaction(async (tx) => {
    await tx.apps.restrain(appId, { cap: { count: 1000, hours: 24 } })
    await tx.links.configure(appId, {
      fingerprintWindow: 3600,
      iosTeamId: 'ABCDE12345',
      iosBundleIds: ['com.example.app'],
    })
    await tx.gateways.configure(appId, { android: credential() })
    await tx.purposes.put(appId, 'news', { name: 'News', description: null, default: true, required: false })
    const { id: channel } = await tx.channels.create(appId, { uuid: 'news', name: 'News', showInPortal: true })
    await tx.metrics.put(appId, 'revenue', { event: 'order.paid', where: null, value: 'data.amount' })
    for (let i = 0; i < SEGMENTS; i++) {
      const filter = { field: 'attributes.plan', op: 'equals', value: i === 0 ? 'gold' : `plan ${i}` } as const
      await tx.segments.create(appId, { name: `Segment ${i}`, filter })
    }
    await tx.templates.create(appId, {
      uid: 'plain',
      content: alert([heading()]) as never,
      tags: [],
      sample: {},
    })
    await tx.pushTemplates.create(appId, {
      uid: 'plain',
      body: { content: { title: 'Hello', message: 'We are open' } },
    })
    const things = [column('title', 'string', { indexed: true }), column('n', 'integer'), column('note', 'text')]
    await tx.tables.create(appId, 'things', things)
    const names = [
      column('name', 'string', { indexed: true, collate: 'und' }),
      column('other', 'string', { collate: 'und' }),
    ]
    await tx.tables.create(appId, 'names', names)
    const { id: fence } = await tx.geofences.create(appId, {
      name: 'Settled',
      isEnabled: true,
      tags: ['settled'],
      boundsGeoJson: circle([13.4, 52.5], 20_000),
    })
    for (let i = 1; i < FENCES; i++) {
      const bounds = circle([-120 + i, 30 + (i % 20)], 500)
      await tx.geofences.create(appId, { name: `Fence ${i}`, isEnabled: true, tags: ['far'], boundsGeoJson: bounds })
    }
    const linkData = { item: 1 }
    const address = 'https://example.com/'
    const link = { slug: 'offer', linkData, desktopWebFallbackUrl: address, mobileWebFallbackUrl: address }
    await tx.links.create(appId, [link])
    const banner = await tx.banners.create(appId, NEW_BANNER)
    await tx.prompts.create(appId, 'ask', { type: 'bell' })
    return { channel, fence, bannerUuid: banner.uuid }
  })
  const { uuid: segment } = (await program.kernel.db
    .read('segments')
    .where({ app_id: appId })
    .orderBy('id')
    .first('uuid')) as {
    uuid: string
  }
  const big = await program.kernel.db.write((trx) => insertNotification(trx, appId, now))
  const message = await program.kernel.db.write((trx) => insertMessage(trx, appId, now))
  return { ...made, segment, big, message }
}

async function insertNotification(trx: Sql, appId: number, now: number): Promise<number> {
  const [row] = await trx('notifications')
    .insert({ app_id: appId, ...NOTIFICATION, expires_at: now + DAY_MS, created_at: now, updated_at: now })
    .returning('id')
  return row.id
}

/** A banner of the link `offer`. */
export const NEW_BANNER = newBanner(
  parseJson(createBanner, {
    link: 'offer',
    labels: { heading: 'a', body: 'b', acceptAction: 'c', declineAction: 'd' },
  }),
)

const NOTIFICATION = {
  source: 1,
  status: 3,
  filters: '{"broadcast":true}',
  target: '{"kind":"broadcast","exclude":[]}',
  content: '{"title":"T","message":"M","background":false,"ios":{},"android":{}}',
}

async function insertMessage(trx: Sql, appId: number, now: number): Promise<number> {
  const [row] = await trx('in_app_messages')
    .insert({ app_id: appId, ...MESSAGE, created_at: now, updated_at: now })
    .returning('id')
  return row.id
}

const MESSAGE = {
  source: 1,
  status: 3,
  filters: '{"broadcast":true}',
  target: '{}',
  template: 'plain',
  template_version: 1,
  tag_values: '{}',
  content: '{"ver":1,"frame":{"type":"alert","nodes":[{"type":"heading","text":"Hello"}]}}',
  presented_when: 'immediately',
}

const isAncient = (i: string) => `${i} % 5 = 2 AND ${i} < ${ANCIENT_UP_TO}`

/** The time of row `i`: within the last month, or ancient. */
const timeOf = (i: string, now: number) =>
  `CASE WHEN ${isAncient(i)} THEN ${now - ANCIENT_MS} ELSE ${now - 30 * DAY_MS} END + ${i} % 86400`

/** The id of the import with this number (from 1). */
export const importId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Attributes, hours, zones, channels, keys of requests, tokens of the past. */
async function people({ trx, appId, installs, now, channel }: Filling): Promise<void> {
  const zone = ZONES.map((name, i) => `WHEN id % ${ZONES.length} = ${i} THEN '${name}'`).join(' ')
  await trx.raw(
    `UPDATE installs SET platform = CASE id % 4 WHEN 1 THEN 1 ELSE 2 END, timezone = CASE WHEN ${WITHOUT_ZONE} THEN NULL ${zone} END,
       preferred_hour = id % 25 - 1, app_version = '2.' || id % 4, app_version_key = '2.' || id % 4 WHERE app_id = ?`,
    [appId],
  )
  await trx.raw(
    `UPDATE users SET in_app_enabled = (id % 2 = 0), attributes = '{"plan":"' || CASE id % 50 WHEN 0 THEN 'gold' ELSE 'free' END ||
       '","age":' || (18 + id % 60) || '}' WHERE app_id = ?`,
    [appId],
  )
  const period = Math.floor(now / (15 * DAY_MS))
  await trx.raw(
    `INSERT INTO active_hours (user_id, app_id, period, last_hour, counts, preferred_hour)
     SELECT id, app_id, CASE WHEN ${isAncient('id')} THEN ${period - 50} ELSE ${period} END,
       ${Math.floor(now / 3_600_000) - 30}, '[[0,0,0,0,0,0,0,3,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0]]', 7 FROM users WHERE app_id = ? AND id % 3 > 0`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO channel_installs (app_id, channel_id, install_row, subscribed)
     SELECT app_id, CAST(? AS bigint), id, id % 20 = 0 FROM installs WHERE app_id = ? AND (id % 20 = 0 OR id % 40 = 2) ORDER BY id`,
    [channel, appId],
  )
  await trx.raw(
    `INSERT INTO channel_users (app_id, channel_id, user_id)
     SELECT app_id, CAST(? AS bigint), id FROM users WHERE app_id = ? AND (id % 20 = 1 OR id % 40 = 2) ORDER BY id`,
    [channel, appId],
  )
  await trx.raw(
    `INSERT INTO user_purposes (user_id, purpose_id, app_id, allowed, source, at)
     SELECT u.id, p.id, u.app_id, u.id % 4 > 0, 'device', CAST(? AS bigint) FROM purposes AS p JOIN users AS u ON u.app_id = p.app_id
     WHERE p.app_id = ? AND u.id % 2 = 0 ORDER BY u.id`,
    [now, appId],
  )
  await trx.raw(
    `INSERT INTO metric_days (user_id, metric_id, day, app_id, count, sum_millionths)
     SELECT u.id, m.id, 20260201 + u.id % 28, u.app_id, 1, 1000000 * (u.id % 10) FROM metrics AS m JOIN users AS u ON u.app_id = m.app_id
     WHERE m.app_id = ? AND u.id % 2 = 0 ORDER BY u.id`,
    [appId],
  )
  // Digests of nobody here: as many identifiers as one in fifty of the users.
  await trx.raw(
    `${numbers(Math.ceil(installs / 50))} INSERT INTO suppressions (app_id, digest, at)
     SELECT CAST(? AS bigint), 'digest-' || i, CAST(? AS bigint) FROM n`,
    [appId, now],
  )
  // Channels that devices made, each with one subscriber.
  await trx.raw(
    `${numbers(Math.ceil(installs / 100))} INSERT INTO channels (app_id, uuid, show_in_portal, made_by_device, created_at, updated_at)
     SELECT CAST(? AS bigint), 'own-' || i, FALSE, TRUE, CAST(? AS bigint), CAST(? AS bigint) FROM n`,
    [appId, now, now],
  )
  await trx.raw(
    `INSERT INTO channel_users (app_id, channel_id, user_id)
     SELECT c.app_id, c.id, u.id FROM channels AS c JOIN users AS u ON u.app_id = c.app_id AND u.identifier = 'user-' || substr(c.uuid, 5)
     WHERE c.app_id = ? AND c.made_by_device`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO retired_tokens (app_id, install_row, platform, token, reason, retired_at)
     SELECT app_id, id, 2, 'old-' || id, 'gone', CAST(? AS bigint) FROM installs WHERE app_id = ? AND id % 20 = 3`,
    [now, appId],
  )
  await trx.raw(
    `INSERT INTO install_users (app_id, identifier, install_row)
     SELECT installs.app_id, users.identifier, installs.id FROM installs JOIN users ON users.id = installs.user_id
     WHERE installs.app_id = ? AND users.identifier <> installs.install_id`,
    [appId],
  )
  await trx.raw(
    `${numbers(Math.ceil(installs / 10))} INSERT INTO erasures (id, app_id, kind, digest, state, found, requested_at, done_at)
     SELECT 'erasure-' || i, CAST(? AS bigint), 'user', 'digest-' || i, 'done', true, ${timeOf('i', now)}, ${timeOf('i', now)} FROM n`,
    [appId],
  )
  await trx.raw(
    `${numbers(installs)} INSERT INTO erased_devices (app_id, digest) SELECT CAST(? AS bigint), 'digest-' || i FROM n`,
    [appId],
  )
  await trx.raw(
    `${numbers(installs)} INSERT INTO audit (happened_at, admin_id, who, role, action, app_id, remote)
     SELECT ${timeOf('i', now)}, 1 + i % 7, 'Anna', 'owner', 'action.' || (i % 50), CAST(? AS bigint), '192.0.2.7' FROM n`,
    [appId],
  )
  await trx.raw(
    `${numbers(installs)} INSERT INTO sign_in_tries (digest, until)
     SELECT 'tries-' || CAST(? AS bigint) || '-' || i, ${timeOf('i', now)} FROM n`,
    [appId],
  )
  await trx.raw(
    `${numbers(installs)} INSERT INTO cap_uses (digest, free_at)
     SELECT 'caps-' || CAST(? AS bigint) || '-' || i, ${timeOf('i', now)} FROM n`,
    [appId],
  )
  await trx.raw(
    `${numbers(Math.ceil(installs / 100))} INSERT INTO subscriber_file_slices (app_id, file, slice, bytes, created_at)
     SELECT CAST(? AS bigint), 'file-' || i, 0, 'a', ${timeOf('i', now)} FROM n`,
    [appId],
  )
  await trx.raw(
    `${numbers(Math.ceil(installs / 10))} INSERT INTO idempotency_keys (app_id, caller, key, fingerprint, status, created_at)
     SELECT CAST(? AS bigint), 'server', 'key-' || i, 'f', 200, ${timeOf('i', now)} FROM n`,
    [appId],
  )
  await trx.raw(
    `${numbers(Math.ceil(installs / 100))} INSERT INTO channel_imports
       (uuid, app_id, channel_id, state, size, total, created_at, updated_at)
     SELECT '00000000-0000-4000-8000-' || substr('00000000000' || i, length(CAST(i AS text))), CAST(? AS bigint), CAST(? AS bigint), 'done', 1, 1, ${timeOf('i', now)}, ${timeOf('i', now)} FROM n`,
    [appId, channel],
  )
  await trx.raw(
    `INSERT INTO channel_import_unknowns (import_id, line, identifier)
     SELECT id, 1, 'nobody' FROM channel_imports WHERE app_id = ?`,
    [appId],
  )
}

/** Positions of two installs in seven, half of them in one geofence. */
async function places({ trx, appId, now, fence }: Filling): Promise<void> {
  await trx.raw(
    `INSERT INTO install_positions (install_row, app_id, lat, lng, position_at)
     SELECT id, app_id, CASE id % 7 WHEN 0 THEN 52.45 ELSE 48 END + (id % 997) / 9970.0, 13.35 + (id % 991) / 9910.0, ${timeOf('id', now)}
     FROM installs WHERE app_id = ? AND id % 7 < 2 ORDER BY id`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO geofence_presence (install_row, geofence_id, app_id, entered_at, user_id)
     SELECT install_row, CAST(? AS bigint), p.app_id, position_at, i.user_id
     FROM install_positions AS p JOIN installs AS i ON i.id = p.install_row WHERE p.app_id = ? AND lat > 50 ORDER BY install_row`,
    [fence, appId],
  )
}

/** Notifications of a year, done: pages, runs, failures, openings, histories. */
async function sends({ trx, appId, installs, now, big }: Filling): Promise<void> {
  const { source, status, filters, target, content } = NOTIFICATION
  await trx.raw(
    `${numbers(Math.ceil(installs / 100))} INSERT INTO notifications
       (app_id, source, status, filters, target, content, expires_at, created_at, updated_at)
     SELECT CAST(? AS bigint), ${source}, ${status}, '${filters}', '${target}', '${content}', ${now}, ${now}, ${now} FROM n`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO runs (app_id, notification_id, due_at, state, cursor)
     SELECT app_id, id, created_at, 'done', '{}' FROM notifications WHERE app_id = ?`,
    [appId],
  )
  const lane = (await trx('lanes').where({ app_id: appId }).first('id')) as { id: number } | undefined
  const laneId =
    lane?.id ??
    ((await trx('lanes').insert({ app_id: appId, platform: 2, updated_at: now }).returning('id'))[0].id as number)
  const page = `app_id, notification_id, lane_id, state, not_before, first_install, last_install, recipients, outcomes,
    total, accepted, created_at, updated_at`
  const recipients = packRows([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const outcomes = Buffer.alloc(10, 2)
  await trx.raw(
    `INSERT INTO pages (${page})
     SELECT app_id, id, CAST(? AS bigint), 'done', created_at, 1, 10, ?, ?, 10, 10, created_at, created_at
     FROM notifications WHERE app_id = ? AND id <> ?`,
    [laneId, recipients, outcomes, appId, big],
  )
  await trx.raw(
    `${numbers(Math.ceil(installs / 1000))} INSERT INTO pages (${page})
     SELECT CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint), 'done', ${now}, i * 1000 - 999, i * 1000, ?, ?, 10, 10, ${now}, ${now} FROM n`,
    [appId, big, laneId, recipients, outcomes],
  )
  await trx.raw(
    `INSERT INTO delivery_failures (app_id, notification_id, install_row, kind, reason, happened_at)
     SELECT app_id, CASE WHEN id % 2 = 0 THEN ${big} ELSE ${big} + 1 + id % ${Math.ceil(installs / 100)} END, id,
       'token_dead', 'UNREGISTERED', ${now} FROM installs WHERE app_id = ? AND id % 15 = 1`,
    [appId],
  )
  // As the program counts them while it stores them.
  await trx.raw(
    `INSERT INTO failure_counts (notification_id, shard, kind, reason, app_id, failures)
     SELECT notification_id, 0, kind, reason, app_id, COUNT(*) FROM delivery_failures WHERE app_id = ? GROUP BY 1, 3, 4, 5`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO language_counts (notification_id, shard, language, app_id, accepted)
     SELECT notifications.id, 0, tags.tag, app_id, 10 FROM notifications
     CROSS JOIN (SELECT 'de' AS tag UNION SELECT 'fr' UNION SELECT 'default') AS tags WHERE app_id = ?`,
    [appId],
  )
  await trx.raw(
    `${numbers(installs)} INSERT INTO link_days (app_id, link_id, day, platform, route, shard, clicks)
     SELECT CAST(? AS bigint), i % ${Math.ceil(installs / 10)}, (CASE WHEN ${isAncient('i')} THEN 1000 ELSE ${Math.floor(now / DAY_MS)} END) - i / ${Math.ceil(installs / 10)},
       'ios', 'jumpPage', 0, 1 FROM n WHERE true ON CONFLICT DO NOTHING`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO notification_opens (notification_id, app_id, install_row, user_identifier, opened_at)
     SELECT CAST(? AS bigint), app_id, id, 'user-' || id, ${now} FROM installs WHERE app_id = ? AND id % 4 = 0`,
    [big, appId],
  )
  await trx.raw(
    `INSERT INTO notification_user_meta (notification_id, app_id, identifier, meta)
     SELECT CAST(? AS bigint), app_id, identifier, '{}' FROM users WHERE app_id = ? AND id % 100 = 1`,
    [big, appId],
  )
  await trx.raw(
    `INSERT INTO send_history (app_id, install_row, sent) SELECT app_id, id, '[${now - DAY_MS}]' FROM installs WHERE app_id = ?`,
    [appId],
  )
}

/** In-app messages of a year, and the users who have them. */
async function messages({ trx, appId, installs, now, message }: Filling): Promise<void> {
  const { source, status, filters, target, template, content } = MESSAGE
  await trx.raw(
    `${numbers(Math.ceil(installs / 100))} INSERT INTO in_app_messages
       (app_id, source, status, filters, target, template, template_version, tag_values, content, presented_when, created_at, updated_at)
     SELECT CAST(? AS bigint), ${source}, ${status}, '${filters}', '${target}', '${template}', 1, '{}', '${content}', 'immediately',
       ${timeOf('i', now)}, ${now} FROM n`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO user_messages (user_id, message_id, app_id, sent_at, updated_at)
     SELECT id, CAST(? AS bigint), app_id, ${now}, ${now} FROM users WHERE app_id = ? AND id % 2 = 0`,
    [message, appId],
  )
  await trx.raw(
    `INSERT INTO user_messages (user_id, message_id, app_id, sent_at, updated_at)
     SELECT id, CAST(? AS bigint) + 1 + id % ${Math.ceil(installs / 100)}, app_id, ${now - DAY_MS}, ${now - DAY_MS}
     FROM users WHERE app_id = ? AND id % 2 = 0`,
    [message, appId],
  )
}

/** Sends that repeated for a while and have ended, with their times. */
async function series({ trx, appId, installs, now }: Filling): Promise<void> {
  await trx.raw(
    `${numbers(Math.ceil(installs / 20))} INSERT INTO series
       (app_id, kind, source, state, request, planned, created_at, updated_at, ended_at)
     SELECT CAST(? AS bigint), 'push', 1, 'ended', '{}', '2026-01-01 09:00', ${timeOf('i', now)}, ${now}, ${timeOf('i', now)} FROM n`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO series_occurrences (series_id, local, app_id, state)
     SELECT id, '2026-01-01 09:00', app_id, 'planned' FROM series WHERE app_id = ?`,
    [appId],
  )
}

/** Labels of the pushes and messages of a year: a few that many carry. */
async function labels({ trx, appId }: Filling): Promise<void> {
  for (const [kind, table] of [
    ['push', 'notifications'],
    ['in-app', 'in_app_messages'],
  ]) {
    await trx.raw(
      `INSERT INTO send_labels (app_id, label, kind, created_at, send_id)
       SELECT app_id, 'label-' || id % 5, '${kind}', created_at, id FROM ${table} WHERE app_id = ?`,
      [appId],
    )
  }
}

/** Links of a year, their counts, and taps on banners. */
async function links({ trx, appId, installs, now }: Filling): Promise<void> {
  await trx.raw(
    `${numbers(Math.ceil(installs / 2))} INSERT INTO deep_links
       (app_id, slug, link_data, title, desktop_web_fallback_url, mobile_web_fallback_url, created_at, updated_at)
     SELECT CAST(? AS bigint), 's' || i, '{"item":1}', 'Spring', 'https://example.com/' || i, 'https://m.example.com/' || i, ${now}, ${now} FROM n`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO deep_link_counts (link_id, app_id, lookups, clicks)
     SELECT id, app_id, 1, 1 FROM deep_links WHERE app_id = ? AND id NOT IN (SELECT link_id FROM deep_link_counts)`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO link_taps (app_id, web_install_id, link_id, fingerprint, platform, os_major, tapped_at, installed_at)
     SELECT app_id, 'web-' || id, id, 'print-' || id, 'android', '15', ${timeOf('id', now)}, CASE WHEN id % 2 = 0 THEN CAST(${now} AS bigint) END
     FROM deep_links WHERE app_id = ? AND id % 10 > 6`,
    [appId],
  )
  await pictures(trx, appId, now)
}

/** Pictures of which every link shows one, and one is the icon of the app. */
async function pictures(trx: Filling['trx'], appId: number, now: number): Promise<void> {
  await trx.raw(
    `${numbers(100)} INSERT INTO pictures (app_id, uid, name, kind, width, height, frames, size, created_at)
     SELECT CAST(? AS bigint), 'world-' || i, 'world.png', 'png', 1, 1, 1, 1, ${now} FROM n WHERE true ON CONFLICT (uid) DO NOTHING`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO picture_uses (picture_id, deep_link_id)
     SELECT pictures.id, deep_links.id FROM deep_links JOIN pictures ON pictures.uid = 'world-' || (1 + deep_links.id % 100)
     WHERE deep_links.app_id = ? AND pictures.app_id = deep_links.app_id ON CONFLICT DO NOTHING`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO picture_uses (picture_id, icon_app_id)
     SELECT id, app_id FROM pictures WHERE uid = 'world-1' AND app_id = ? ON CONFLICT DO NOTHING`,
    [appId],
  )
}

/** Events, crash reports, check-ins, records of a data table. */
async function reports({ trx, appId, installs, now }: Filling): Promise<void> {
  await trx.raw(
    `INSERT INTO events (app_id, install_row, uuid, type, user_identifier, data, happened_at, received_at)
     SELECT app_id, id, 'session-' || id, 'k.fg', 'user-' || id, '{}', ${now}, ${timeOf('id', now)} FROM installs WHERE app_id = ?`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO crash_reports (app_id, install_id, source, report_id, platform, fingerprint, exception, happened_at, received_at, size, report)
     SELECT app_id, install_id, 'acra', 'crash-' || id, 'android', 'f' || id % 50, 'java.lang.Error', ${now}, ${timeOf('id', now)}, 2, '{}'
     FROM installs WHERE app_id = ? AND id % 50 = 7`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO checkins (app_id, user_identifier, device_key, location, party_size, checked_in_at)
     SELECT app_id, identifier, 'key', 'Bar', 2, ${timeOf('id', now)} FROM users WHERE app_id = ? AND id % 20 = 7`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO checkin_contacts (checkin_id, last_name) SELECT id, 'Doe' FROM checkins WHERE app_id = ?`,
    [appId],
  )
  // Off, so that nothing is sent.
  await trx.raw(
    `${numbers(HOOKS)} INSERT INTO webhooks
       (app_id, url, batch_max, batch_wait_ms, sealed, hint, state, replays, created_at, updated_at)
     SELECT CAST(? AS bigint), 'https://hooks.example.com/' || i, 1, 0, '', '', 'off', 0, 0, 0 FROM n`,
    [appId],
  )
  await trx.raw(
    `INSERT INTO webhook_attempts (webhook_id, app_id, kind, message_id, attempt, events, status, took_ms, happened_at)
     SELECT (SELECT MIN(id) FROM webhooks) + id % ${HOOKS}, app_id, 'live', 'evt_' || id, 1, 1, 200, 1, ${timeOf('id', now)}
     FROM installs WHERE app_id = ?`,
    [appId],
  )
  const time = new Date(now).toISOString()
  await trx.raw(
    `${numbers(Math.ceil(installs / 2))} INSERT INTO data_${appId}_things ("createdAt", "updatedAt", title, n, note)
     SELECT CAST(? AS ${trx.client.driverName === 'pg' ? 'timestamptz' : 'text'}), CAST(? AS ${trx.client.driverName === 'pg' ? 'timestamptz' : 'text'}),
       'Title ' || i, i, 'Note ' || i FROM n`,
    [time, time],
  )
  await trx.raw(
    `${numbers(Math.ceil(installs / 2))} INSERT INTO data_${appId}_names ("createdAt", "updatedAt", name, _key_1, other, _key_2)
     SELECT CAST(? AS ${trx.client.driverName === 'pg' ? 'timestamptz' : 'text'}), CAST(? AS ${trx.client.driverName === 'pg' ? 'timestamptz' : 'text'}),
       'name ' || i, 'name ' || i, 'other ' || i, 'other ' || i FROM n`,
    [time, time],
  )
}
