import type { Knex } from 'knex'

/** Older programs do not fill the table and can work beside it. */
export const compatible = true

/** Devices that went with an erased person: an import must not bring them back. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`CREATE TABLE erased_devices (
    app_id bigint NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- HMAC of the id of an install, or of its push token.
    digest varchar(64) NOT NULL,
    PRIMARY KEY (app_id, digest)
  ) ${db.client.driverName === 'pg' ? '' : 'WITHOUT ROWID'}`)
}

export async function down(db: Knex): Promise<void> {
  await db.schema.dropTable('erased_devices')
}
