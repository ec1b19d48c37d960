import type { Knex } from 'knex'
import { packRows } from '../../src/domain/notifications/record/page.ts'
import type { Sql } from '../../src/platform/db/connect.ts'
import { isPostgres, rowsOf } from '../../src/platform/db/dialect.ts'
import type { Program } from '../../src/program.ts'
import { column } from './tables.ts'

/** The tables, but those that SQLite keeps for itself. */
async function tableNames(sql: Sql): Promise<string[]> {
  const names = isPostgres(sql)
    ? `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`
    : `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'geofence_boxes_%'`
  return rowsOf<{ name: string }>(await sql.raw(names)).map(({ name }) => name)
}

/** The number of rows of all tables together, also data tables. */
export async function countRows(sql: Sql): Promise<number> {
  const counts = (await tableNames(sql)).map((name) => `(SELECT count(*) FROM "${name}")`)
  const [row] = rowsOf<{ count: number | string }>(await sql.raw(`SELECT ${counts.join(' + ')} AS count`))
  return Number(row!.count)
}

/** The contents of every table, each row as JSON, in no order. Tables that SQLite keeps for itself are left out. */
export async function wholeDatabase(sql: Sql): Promise<Map<string, string[]>> {
  const contents = new Map<string, string[]>()
  // PostgreSQL names them in another order once one of them was altered.
  for (const name of (await tableNames(sql)).toSorted()) {
    const rows: unknown[] = await sql(name)
    contents.set(name, rows.map((row) => JSON.stringify(row)).sort())
  }
  return contents
}

/** Tables whose rows are no app's, and the data tables themselves. */
const OF_NO_APP =
  /^(accounts|acme_accounts|admins|admin_challenges|admin_links|admin_passkeys|admin_recovery_codes|admin_sessions|audit|cap_uses|certificates|faults|instance|load|nodes|schema_migrations|sign_in_tries|data_\d+_.+)$/

/** The tables that have no more rows than before: with a new table, a row of it is to be added to `fillEveryTable`. */
export function notFilled(before: Map<string, string[]>, after: Map<string, string[]>): string[] {
  return [...before]
    .filter(([name, rows]) => !OF_NO_APP.test(name) && after.get(name)!.length <= rows.length)
    .map(([name]) => name)
}

/**
 * Gives an app a row of every table: rows with a due time are due at once, nothing is sent yet. Values mean something
 * only where others look.
 */
export async function fillEveryTable(program: Program, appId: number): Promise<void> {
  const at = program.kernel.clock.now()
  await program.inTransaction(async (tx) => {
    await tx.tables.create(appId, 'books', [column('title', 'string')])
    await tx.restKeys.create(appId, { permissions: ['read'] })
  })
  await program.kernel.db.write((trx) => fillRest(trx, appId, at))
}

async function fillRest(trx: Knex.Transaction, appId: number, at: number): Promise<void> {
  const isOld = { created_at: at, updated_at: at }
  /** Stores a row of the app. */
  const own = (table: string, row: object) => trx(table).insert({ app_id: appId, ...row })
  /** The same; its id. */
  const made = async (table: string, row: object): Promise<number> => {
    const [stored] = await own(table, row).returning('id')
    return stored.id
  }
  const name = `of-${appId}`

  const user = await made('users', {
    ...isOld,
    identifier: name,
    anonymous: false,
    listed: true,
    first_active: at,
    last_active: at,
  })
  const install = await made('installs', { ...isOld, install_id: name, user_id: user, platform: 1, last_active: at })
  const purpose = await made('purposes', { ...isOld, uid: name, name, allowed_by_default: true, required: false })
  await own('user_purposes', { user_id: user, purpose_id: purpose, allowed: true, source: 'server', at })
  await own('deleted_purposes', { purpose_id: 1_000_000 + appId })
  await own('suppressions', { digest: name, at })
  await own('install_users', { identifier: name, install_row: install })
  await own('erasures', { id: name, kind: 'user', digest: 'd', state: 'done', requested_at: at, done_at: at })
  await own('erased_devices', { digest: name })
  await own('user_blocks', { block: 1, listed: 1 })
  await own('send_labels', { label: name, kind: 'push', created_at: at, send_id: 0 })
  await own('push_hours', { notification_id: 0, hour: 1, platform: 1, shard: 0 })
  await own('link_days', { link_id: 0, day: 1, platform: 'ios', route: 'app', shard: 0 })
  await own('active_hours', { user_id: user, period: 1, last_hour: 1, counts: '[]', preferred_hour: 1 })
  await own('user_signing_keys', { sealed: 's', hint: 'h', created_at: at })
  await own('retired_tokens', { install_row: install, platform: 1, token: 't', reason: 'r', retired_at: at })
  await own('events', { install_row: install, uuid: name, type: 't', happened_at: at, received_at: at })
  await own('forgotten_events', { tx: 0, event_id: 0 })
  await own('followers', { name, cursor: '' })
  await own('idempotency_keys', { key: name, caller: 'server', fingerprint: 'f', created_at: at })

  const table = await trx('data_tables').where({ app_id: appId }).first('id')
  await trx('data_blocks').insert({ table_id: table.id, block: 0, stripe: 0, row_count: 0, changes: 0 })
  const template = await made('templates', { ...isOld, uid: name, name, version: 1 })
  await trx('template_versions').insert({
    template_id: template,
    version: 1,
    content: '{}',
    tags: '[]',
    sample: '{}',
    created_at: at,
  })
  const pushTemplate = await made('push_templates', { ...isOld, uid: name, name, version: 1 })
  await trx('push_template_versions').insert({
    push_template_id: pushTemplate,
    version: 1,
    body: '{}',
    created_at: at,
  })
  const picture = await made('pictures', {
    uid: name,
    name,
    kind: 'png',
    width: 1,
    height: 1,
    frames: 1,
    size: 1,
    created_at: at,
  })
  await trx('picture_bytes').insert({ picture_id: picture, bytes: Buffer.from([0, 255]) })
  await trx('picture_uses').insert({ picture_id: picture, push_template_id: pushTemplate })
  await own('picture_totals', { pictures: 1, size: 1 })
  await own('gateway_configs', { ...isOld, platform: 1, sealed: 's', facts: '{}', sendable: true, version: 1 })
  await own('imports', { ...isOld, source: 'csv', digest: name, place: 0, counts: '{}', errors_size: 0 })
  await own('web_prompts', { ...isOld, name, uuid: name, design: '{}' })
  const lane = await made('lanes', { platform: 1, updated_at: at })

  const link = await made('deep_links', {
    ...isOld,
    slug: name,
    link_data: '{}',
    desktop_web_fallback_url: 'https://example.com',
    mobile_web_fallback_url: 'https://example.com',
  })
  await own('deep_link_counts', { link_id: link, lookups: 1, clicks: 1 })
  await own('deleted_links', { link_id: link })
  await own('link_taps', { web_install_id: name, link_id: link, tapped_at: at })
  await own('banners', { ...isOld, uuid: name, link_id: link, design: '{}' })
  await own('link_settings', {
    ios_bundle_ids: '[]',
    android_sha256: '[]',
    fingerprint_window: 0,
    offers_clipboard: false,
    offers_code: false,
    updated_at: at,
  })

  const channel = await made('channels', { ...isOld, uuid: name, show_in_portal: false })
  await own('channel_users', { channel_id: channel, user_id: user })
  await own('channel_installs', { channel_id: channel, install_row: install, subscribed: true })
  await own('deleted_channels', { channel_id: 1_000_000 + appId })
  const file = await made('channel_imports', {
    ...isOld,
    uuid: name,
    channel_id: channel,
    state: 'done',
    size: 1,
    total: 1,
  })
  await trx('channel_import_unknowns').insert({ import_id: file, line: 1, identifier: 'nobody' })
  await own('subscriber_file_slices', { file: name, slice: 0, bytes: Buffer.from('a'), created_at: at })
  await own('segments', { ...isOld, uuid: name, name, filter: '{}' })

  const bounds = { west: 1, south: 1, east: 2, north: 2 }
  const geofence = await made('geofences', {
    ...isOld,
    ...bounds,
    name,
    is_enabled: true,
    kind: 'circle',
    bounds: '{}',
    digest: name,
    tags: '[]',
  })
  await own('geofence_tags', { tag: name, geofence_id: geofence })
  await trx('geofence_activations').insert({ geofence_id: geofence, shard: 0, entries: 1 })
  await own('install_positions', { install_row: install, lat: 1, lng: 1, position_at: at })
  await own('geofence_presence', { install_row: install, geofence_id: geofence, entered_at: at, user_id: user })

  const notification = await made('notifications', {
    ...isOld,
    source: 1,
    status: 1,
    filters: '{}',
    target: '{}',
    content: '{}',
    expires_at: at + 3_600_000,
  })
  const own2 = (table: string, row: object) => own(table, { notification_id: notification, ...row })
  await own2('runs', { due_at: at, state: 'due', cursor: '{}' })
  await own2('pages', {
    ...isOld,
    lane_id: lane,
    state: 'queued',
    not_before: at,
    first_install: install,
    last_install: install,
    recipients: packRows([install]),
    outcomes: Buffer.alloc(1),
    total: 1,
  })
  await own2('notification_opens', { install_row: install, user_identifier: name })
  await own2('notification_user_meta', { identifier: name, meta: '{}' })
  await trx('failure_counts').insert({
    app_id: appId,
    notification_id: notification,
    shard: 0,
    kind: 'k',
    reason: 'r',
    failures: 1,
  })
  await trx('language_counts').insert({ app_id: appId, notification_id: notification, shard: 0, language: 'de' })
  await own2('delivery_failures', { install_row: install, kind: 'k', reason: 'r', happened_at: at })
  await own('send_history', { install_row: install, sent: '[]' })

  const series = await made('series', {
    ...isOld,
    kind: 'push',
    source: 1,
    state: 'active',
    request: '{}',
    planned: '2026-01-01 09:00',
  })
  await own('series_occurrences', { series_id: series, local: '2026-01-01 09:00', state: 'planned' })
  const message = await made('in_app_messages', {
    ...isOld,
    source: 1,
    status: 1,
    filters: '{}',
    target: '{}',
    template: 't',
    template_version: 1,
    tag_values: '{}',
    content: '{}',
    presented_when: 'never',
    notification_id: notification,
    next_at: at,
  })
  await own('user_messages', {
    user_id: user,
    message_id: message,
    sent_at: at,
    updated_at: at,
    language: 'de',
    texts: JSON.stringify({ 'content.Title': name }),
  })
  await own('in_app_language_counts', { message_id: message, shard: 0, language: 'de' })
  const none = { delivered: 0, shown: 0, dismissed: 0, read: 0, inbox_deleted: 0 }
  await own('in_app_tallies', { message_id: message, ...none })

  const checkin = await made('checkins', {
    user_identifier: name,
    device_key: 'k',
    location: 'l',
    party_size: 1,
    checked_in_at: at,
  })
  await trx('checkin_contacts').insert({ checkin_id: checkin, last_name: 'n' })
  await own('crash_reports', {
    install_id: name,
    source: 's',
    report_id: name,
    platform: 'p',
    fingerprint: 'f',
    happened_at: at,
    received_at: at,
    size: 1,
    report: '{}',
  })
  // Somebody who works with several apps.
  const anna = { ...isOld, email: 'anna@example.com', name: 'Anna', handle: 'anna' }
  const [admin] = await trx('admins').insert(anna).onConflict('email').merge(['name']).returning('id')
  await own('admin_roles', { admin_id: admin.id, role: 'viewer' })
  await own('admin_tokens', { admin_id: admin.id, name, digest: name, hint: 'h', scopes: '["see"]', created_at: at })
  await own('test_devices', { name, install_row: install, created_at: at })
  await own('push_approvals', {
    state: 'waiting',
    request: '{}',
    title: name,
    requested_by: 1,
    requested_name: 'p',
    requested_at: at,
  })
  const webhook = await made('webhooks', {
    ...isOld,
    url: 'https://example.com',
    batch_max: 1,
    batch_wait_ms: 0,
    sealed: 's',
    hint: 'h',
    state: 'on',
  })
  const metric = await made('metrics', {
    name,
    event: 'paid',
    from_cursor: '0'.repeat(22),
    created_at: at,
    stored_since: at,
  })
  await own('metric_days', { user_id: user, metric_id: metric, day: 20260301, count: 1, sum_millionths: 1 })
  await own('deleted_metrics', { metric_id: 1_000_000 + appId })
  await own('webhook_cursors', { webhook_id: webhook, kind: 'live', cursor: '0'.repeat(22), not_before: at })
  await own('webhook_attempts', {
    webhook_id: webhook,
    kind: 'live',
    message_id: name,
    attempt: 1,
    events: 1,
    took_ms: 1,
    happened_at: at,
  })
}
