import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

/** Earlier programs neither read nor write what is new: meanwhile no series goes on. */
export const compatible = true

export const tables = {
  series: 'Sends that repeat, each with its rule and the request that is sent.',
  series_occurrences:
    'The times at which a series was planned, and what was sent then. The key is what makes each of them happen once.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('series', (t) => {
      t.bigIncrements('id')
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      // push, or in-app.
      t.string('kind', 8).notNullable()
      t.integer('source').notNullable()
      // active, paused, ended or broken; `why` is the reason of the last two for people.
      t.string('state', 8).notNullable()
      t.text('why')
      // The body of the send, as the messages host takes it (JSON).
      t.text('request').notNullable()
      // What the body names, so that a series is found when that is deleted.
      t.string('segment')
      t.string('template')
      // The last time that was planned, as its zone shows it: `YYYY-MM-DD HH:mm`.
      t.string('planned', 16)
      // When that begins, and the next one is planned; null while nothing is planned.
      t.bigInteger('due_at')
      t.integer('sent').notNullable().defaultTo(0)
      t.integer('missed').notNullable().defaultTo(0)
      t.integer('unreached').notNullable().defaultTo(0)
      // Counts the changes, so that a plan that was made for an earlier state is not stored.
      t.integer('version').notNullable().defaultTo(1)
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
      t.bigInteger('ended_at')
      t.index(['app_id', 'id'])
      t.index(['app_id', 'state', 'id'])
    }),
    'CREATE INDEX series_due ON series (due_at, id) WHERE due_at IS NOT NULL',
    "CREATE INDEX series_broken ON series (app_id, id) WHERE state = 'broken'",
    'CREATE INDEX series_ended ON series (ended_at) WHERE ended_at IS NOT NULL',

    `CREATE TABLE series_occurrences (
    series_id bigint NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    -- As the zone of the series shows it: YYYY-MM-DD HH:mm.
    local varchar(16) NOT NULL,
    app_id bigint NOT NULL,
    -- planned, called-off or unreached.
    state varchar(12) NOT NULL,
    -- What was made for it: one of the two, or neither.
    notification_id bigint,
    message_id bigint,
    PRIMARY KEY (series_id, local)
  )`,

    // The series of which it is an occurrence; null for every other one.
    'ALTER TABLE notifications ADD COLUMN series_id bigint',
    'ALTER TABLE in_app_messages ADD COLUMN series_id bigint',
  ])

export async function down(db: Knex): Promise<void> {
  // Knex would make the tables anew on SQLite, and not quite the same.
  await run(db, [
    'ALTER TABLE in_app_messages DROP COLUMN series_id',
    'ALTER TABLE notifications DROP COLUMN series_id',
  ])
  await dropTables(db, tables)
}
