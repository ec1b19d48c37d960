import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.schema.createTable('segments', (t) => {
    t.bigIncrements('id')
    t.bigInteger('app_id').notNullable().references('apps.id').onDelete('CASCADE')
    t.string('uuid', 36).notNullable()
    t.string('name').notNullable()
    t.text('filter').notNullable()
    t.bigInteger('created_at').notNullable()
    t.bigInteger('updated_at').notNullable()
    t.unique(['app_id', 'uuid'])
    t.index(['app_id', 'id'])
  })

  // The app version as text that sorts as versions do. Compared byte by byte, whatever the database's language.
  const isPostgres = db.client.driverName === 'pg'
  await db.raw(`ALTER TABLE installs ADD COLUMN app_version_key text ${isPostgres ? 'COLLATE "C"' : ''}`)
  await fillKeys(db)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('ALTER TABLE installs DROP COLUMN app_version_key')
  await db.schema.dropTable('segments')
}

/** Millions of installs have a few hundred versions. */
async function fillKeys(db: Knex): Promise<void> {
  const rows: { app_version: string }[] = await db('installs').whereNotNull('app_version').distinct('app_version')
  if (rows.length === 0) return
  await db.raw('CREATE TEMPORARY TABLE version_keys (version text PRIMARY KEY, version_key text)')
  const keys = rows.map(({ app_version: version }) => ({ version, version_key: versionKey(version) }))
  for (let i = 0; i < keys.length; i += 400) await db('version_keys').insert(keys.slice(i, i + 400))
  await db.raw(
    `UPDATE installs SET app_version_key = (SELECT version_key FROM version_keys WHERE version = app_version)
     WHERE app_version IS NOT NULL`,
  )
  await db.raw('DROP TABLE version_keys')
}

/** As src/domain/crm/store/version-key.ts had it when this step was released. */
function versionKey(version: string): string | null {
  const match = /^\s*v?(\d+(?:\.\d+)*)([^+\s(]*)/i.exec(version)
  if (!match) return null
  const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, '')
  const sized = (digits: string) => digits.length.toString(36) + digits
  const places = match[1]!.split('.').map(withoutZeros)
  while (places.at(-1) === '0') places.pop()
  const words = match[2]!.toLowerCase().match(/\d+|[^\d\p{P}\p{S}]+/gu) ?? []
  if ([...places, ...words].some((part) => /^\d/.test(part) && withoutZeros(part).length > 35)) return null
  const wordKey = (word: string) => (/^\d/.test(word) ? `1${sized(withoutZeros(word))}` : `2${word}!`)
  return places.map(sized).join('') + (words.length > 0 ? `-${words.map(wordKey).join('')}` : '.')
}
