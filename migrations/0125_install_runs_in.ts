import type { Knex } from 'knex'
import { run } from './dialect.ts'

/** Earlier programs neither read nor write the column. */
export const compatible = true

/** The platform of web pushes. */
const WEB = 3

export const up = (db: Knex) =>
  run(db, [
    db.schema.alterTable('installs', (t) => {
      // A page in a browser, or an app; null where the device never said. Of installs with web pushes it decides the transport.
      t.string('runs_in', 8)
    }),
    `UPDATE installs SET runs_in = CASE sdk_type WHEN 'web' THEN 'browser' ELSE 'app' END
     WHERE platform = ${WEB} AND sdk_type IS NOT NULL`,
  ])

// Knex would make the table anew on SQLite, and not quite the same.
export const down = (db: Knex) => run(db, ['ALTER TABLE installs DROP COLUMN runs_in'])
