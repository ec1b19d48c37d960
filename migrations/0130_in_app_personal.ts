import type { Knex } from 'knex'
import { clustered, run } from './dialect.ts'

// Not compatible: an earlier program would show tags and template texts with their braces.

export const tables = {
  in_app_language_counts:
    'How many users got an in-app message in which language, and what they did with it. Several rows for a language on PostgreSQL, as in failure_counts.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.alterTable('in_app_messages', (t) => {
      // What makes it differ between users (JSON): template texts, look-ups, languages, and the tags of the document, which `content` then still has.
      t.text('personal')
      // Users who did not get it because of what it says, and the expressions that had no value for them (JSON).
      t.text('left_out')
    }),
    db.schema.alterTable('user_messages', (t) => {
      // The variant that the user got; `default` without one for them, null when the message has only one language.
      t.string('language', 64)
      // The texts that differ between users as this user got them (JSON: path -> text).
      t.text('texts')
    }),
    `CREATE TABLE in_app_language_counts (
    message_id bigint NOT NULL REFERENCES in_app_messages (id) ON DELETE CASCADE,
    shard integer NOT NULL,
    language varchar(64) NOT NULL,
    app_id bigint NOT NULL,
    recipients bigint NOT NULL DEFAULT 0,
    shown bigint NOT NULL DEFAULT 0,
    read bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (message_id, language, shard)
  ) ${clustered(db)}`,
  ])

// Knex would make the tables anew on SQLite, and not quite the same.
export const down = (db: Knex) =>
  run(db, [
    'DROP TABLE in_app_language_counts',
    'ALTER TABLE user_messages DROP COLUMN texts',
    'ALTER TABLE user_messages DROP COLUMN language',
    'ALTER TABLE in_app_messages DROP COLUMN left_out',
    'ALTER TABLE in_app_messages DROP COLUMN personal',
  ])
