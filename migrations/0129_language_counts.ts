import type { Knex } from 'knex'
import { clustered, run } from './dialect.ts'

// Not compatible: an earlier program would send template texts with their braces, and everybody the default language.

export const tables = {
  language_counts:
    'How many recipients of a notification got and opened it in which language. Several rows for a language on PostgreSQL, as in failure_counts.',
}

export const up = (db: Knex) =>
  run(db, [
    `CREATE TABLE language_counts (
    notification_id bigint NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    shard integer NOT NULL,
    language varchar(64) NOT NULL,
    app_id bigint NOT NULL,
    accepted bigint NOT NULL DEFAULT 0,
    opened bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (notification_id, language, shard)
  ) ${clustered(db)}`,
  ])

export const down = (db: Knex) => run(db, ['DROP TABLE language_counts'])
