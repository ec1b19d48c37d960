import type { Knex } from 'knex'

/**
 * What servers ask for every day: notifications by status and date, links that are switched off or deleted, and the
 * API key of an app, which is public.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw('CREATE INDEX notifications_by_age ON notifications (app_id, created_at, id)')
  await db.raw('CREATE INDEX notifications_by_status ON notifications (app_id, status, created_at, id)')

  await db.raw('ALTER TABLE deep_links ADD COLUMN is_enabled boolean NOT NULL DEFAULT true')
  // A link may have a million taps. It is out of the way at once, and its rows go after it in slices.
  await db.schema.createTable('deleted_links', (t) => {
    t.bigInteger('link_id').primary().references('deep_links.id').onDelete('CASCADE')
    t.bigInteger('app_id').notNullable()
  })

  // Of API keys only. Those that were made before are known by their digest alone.
  await db.raw('ALTER TABLE app_keys ADD COLUMN value varchar(64)')
}

export async function down(db: Knex): Promise<void> {
  await db.raw('ALTER TABLE app_keys DROP COLUMN value')
  // Deleted links would be back under names that no visitor can ask for; their taps go with them.
  await db.raw('DELETE FROM deep_links WHERE id IN (SELECT link_id FROM deleted_links)')
  await db.schema.dropTable('deleted_links')
  await db.raw('ALTER TABLE deep_links DROP COLUMN is_enabled')
  await db.raw('DROP INDEX notifications_by_status')
  await db.raw('DROP INDEX notifications_by_age')
}
