import type { Knex } from 'knex'
import { run } from './dialect.ts'

/** Earlier programs list in-app messages by their numbers, and do not need the index. */
export const compatible = true

export const up = (db: Knex) =>
  run(db, ['CREATE INDEX in_app_messages_by_age ON in_app_messages (app_id, created_at, id)'])

export const down = (db: Knex) => run(db, ['DROP INDEX in_app_messages_by_age'])
