import type { Knex } from 'knex'

/**
 * What grows for years is found through an index, also by who tidies up and by foreign keys: to delete a row, both databases look
 * for those that refer to it. Where an index could draw other statements to itself, it has the further columns that these ask for.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw('CREATE INDEX apps_by_account ON apps (account_id)')
  await db.raw('CREATE INDEX retired_tokens_by_app ON retired_tokens (app_id, install_row)')
  await db.raw('CREATE INDEX runs_by_app ON runs (app_id, notification_id)')
  await db.raw('CREATE INDEX pages_by_app ON pages (app_id, notification_id)')
  await db.raw('CREATE INDEX pages_by_lane ON pages (lane_id)')
  // All that a report asks of the failures, in its order; the app comes last, or it would draw those of one install to itself.
  await db.raw('CREATE INDEX delivery_failures_by_reason ON delivery_failures (notification_id, kind, reason, app_id)')
  // Those who had a message longest are forgotten first, however many have it still.
  await db.schema.alterTable('user_messages', (t) => t.dropIndex(['message_id', 'user_id']))
  await db.raw('CREATE INDEX user_messages_by_age ON user_messages (message_id, sent_at)')
  // Taps after which the app was seen are kept for good: nobody steps over them any more.
  await db.raw('DROP INDEX link_taps_by_age')
  await db.raw('CREATE INDEX link_taps_unseen ON link_taps (tapped_at) WHERE installed_at IS NULL')
}

export async function down(db: Knex): Promise<void> {
  await db.raw('DROP INDEX link_taps_unseen')
  await db.raw('CREATE INDEX link_taps_by_age ON link_taps (tapped_at)')
  await db.raw('DROP INDEX user_messages_by_age')
  await db.schema.alterTable('user_messages', (t) => t.index(['message_id', 'user_id']))
  const others = [
    'delivery_failures_by_reason',
    'pages_by_lane',
    'pages_by_app',
    'runs_by_app',
    'retired_tokens_by_app',
  ]
  for (const index of [...others, 'apps_by_account']) await db.raw(`DROP INDEX ${index}`)
}
