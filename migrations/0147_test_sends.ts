import type { Knex } from 'knex'
import { pageTriggers } from './0123_figures.ts'
import { noteClosedPages } from './0124_small_pages.ts'
import { dropTriggers, isPostgres, run } from './dialect.ts'

/** Earlier programs send no tests that they would mark, and read what they read before. */
export const compatible = true

/** Marks pushes that somebody sends to see how they look. They have figures of their own, and are in no figure of the app. */
export const up = async (db: Knex) => {
  await run(db, [
    db.schema.alterTable('notifications', (t) => {
      // Sent to see how it looks: it is in no figure of the app.
      t.boolean('is_test').notNullable().defaultTo(false)
    }),
  ])
  await count(db, { withTests: false })
}

export async function down(db: Knex): Promise<void> {
  await count(db, { withTests: true })
  // Knex would make the table anew on SQLite, and not quite the same.
  await run(db, ['ALTER TABLE notifications DROP COLUMN is_test'])
}

/** A condition on the rows of the figures: those of a notification (`given.id`), and of an app but for its tests. */
export const isCounted = (page: string): string =>
  `(given.id > 0 OR NOT EXISTS (SELECT 1 FROM notifications WHERE id = ${page}.notification_id AND is_test))`

/** Lets the triggers of pages count tests for their app, or not. */
async function count(db: Knex, { withTests }: { withTests: boolean }): Promise<void> {
  if (isPostgres(db)) return run(db, noteClosedPages(withTests ? '' : ` WHERE ${isCounted('page')}`))
  await dropTriggers(db, 'push_hours_page_added', 'push_hours_page_closed')
  await run(db, pageTriggers(withTests ? '' : ` AND ${isCounted('NEW')}`))
}
