import type { Knex } from 'knex'
import { dropFunctions, dropTables, dropTriggers, isPostgres, run, SHARD } from './dialect.ts'

/** Earlier programs do not know the table; its triggers count what they do, too. */
export const compatible = true

const DAY_MS = 86_400_000

export const tables = {
  install_days:
    'How many installs were added, could be reached for the first time or again, were lost and were opted out on each UTC day. Triggers count. On PostgreSQL the sum of several rows.',
}

export const triggers = {
  install_days_added: 'Counts new installs in the day in which they were created.',
  install_days_changed: 'Counts an install in the day in which it could be reached, or no longer.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('install_days', (t) => {
      t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
      // Days since 1970.
      t.integer('day').notNullable()
      t.integer('shard').notNullable()
      // Installs that reported for the first time.
      t.bigInteger('added').notNullable()
      // Installs that pushes could reach from then on.
      t.bigInteger('gained').notNullable()
      // Installs whose token was refused, removed or taken over by another install.
      t.bigInteger('lost').notNullable()
      // Reachable installs whose owner turned notifications off.
      t.bigInteger('opted_out').notNullable()
      t.primary(['app_id', 'day', 'shard'])
      t.index(['day'])
    }),
    ...(isPostgres(db) ? countOnPostgres() : countOnSqlite()),
  ])

const COLUMNS = 'app_id, day, shard, added, gained, lost, opted_out'
const one = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`
/** An install that stops being reachable has lost its token, or its owner has turned notifications off. */
const CHANGE = [
  one('NEW.subscribed'),
  one('NOT NEW.subscribed AND NEW.notifications_enabled'),
  one('NOT NEW.subscribed AND NOT NEW.notifications_enabled'),
].join(', ')
const MORE = `ON CONFLICT (app_id, day, shard) DO UPDATE SET ${['added', 'gained', 'lost', 'opted_out']
  .map((name) => `${name} = install_days.${name} + excluded.${name}`)
  .join(', ')}`

const countOnSqlite = (): string[] => [
  `CREATE TRIGGER install_days_added AFTER INSERT ON installs BEGIN
    INSERT INTO install_days (${COLUMNS})
      VALUES (NEW.app_id, NEW.created_at / ${DAY_MS}, 0, 1, ${one('NEW.subscribed')}, 0, 0) ${MORE};
  END`,
  `CREATE TRIGGER install_days_changed AFTER UPDATE OF subscribed ON installs WHEN OLD.subscribed <> NEW.subscribed BEGIN
    INSERT INTO install_days (${COLUMNS}) VALUES (NEW.app_id, NEW.updated_at / ${DAY_MS}, 0, 0, ${CHANGE}) ${MORE};
  END`,
]

const countOnPostgres = (): string[] => [
  // In the order of the key, so that two connections that share a shard cannot deadlock.
  `CREATE FUNCTION count_added_installs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO install_days (${COLUMNS})
      SELECT found.app_id, found.day, ${SHARD}, found.added, found.gained, 0, 0
      FROM (SELECT app_id, created_at / ${DAY_MS} AS day, COUNT(*) AS added, COUNT(*) FILTER (WHERE subscribed) AS gained
            FROM reported GROUP BY 1, 2) AS found
      ORDER BY found.app_id, found.day
    ${MORE};
    RETURN NULL; END $$`,
  `CREATE TRIGGER install_days_added AFTER INSERT ON installs REFERENCING NEW TABLE AS reported
    FOR EACH STATEMENT EXECUTE FUNCTION count_added_installs()`,
  // An app that goes away has nothing to count.
  `CREATE FUNCTION count_changed_install() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO install_days (${COLUMNS})
      SELECT id, NEW.updated_at / ${DAY_MS}, ${SHARD}, 0, ${CHANGE} FROM apps WHERE id = NEW.app_id FOR KEY SHARE
    ${MORE};
    RETURN NULL; END $$`,
  `CREATE TRIGGER install_days_changed AFTER UPDATE OF subscribed ON installs
    FOR EACH ROW WHEN (OLD.subscribed <> NEW.subscribed) EXECUTE FUNCTION count_changed_install()`,
]

export async function down(db: Knex): Promise<void> {
  await dropTriggers(db, 'install_days_added', 'install_days_changed')
  await dropFunctions(db, 'count_added_installs', 'count_changed_install')
  await dropTables(db, tables)
}
