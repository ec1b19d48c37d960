import { expect } from 'chai'
import { migrations } from '../../migrations/index.ts'
import { migrateDown, migrateUp } from '../../src/platform/db/migrate.ts'
import { onEachDatabase, openTestDatabase } from '../support/app.ts'

const BEFORE = '0025_after_crash'
const LAST = '0027_kept_counts'
const upTo = (isIn: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(migrations).filter(([name]) => isIn(name)))

onEachDatabase('the steps that keep counts', (kind) => {
  it('count what there is, and take nothing but the counts away again', async () => {
    const { db, close } = await openTestDatabase(kind)
    try {
      await migrateUp(
        db,
        upTo((name) => name <= BEFORE),
      )
      await db.write(async (trx) => {
        const at = { created_at: 1, updated_at: 1 }
        await trx('accounts').insert({ name: 'a', created_at: 0 })
        await trx('apps').insert({ account_id: 1, name: 'a', link_host_label: 'a', ...at })
        const user = { app_id: 1, anonymous: false, listed: true, first_active: 1, last_active: 1, ...at }
        for (const identifier of ['ann', 'bob']) await trx('users').insert({ ...user, identifier })
        for (const [i, userId] of [1, 1, 2].entries()) {
          await trx('installs').insert({ app_id: 1, install_id: `i${i}`, user_id: userId, last_active: 1, ...at })
        }
        const box = { west: 0, south: 0, east: 1, north: 1 }
        const fence = { app_id: 1, name: 'f', is_enabled: true, kind: 'circle', bounds: '{}', digest: 'd', tags: '[]' }
        for (let i = 0; i < 2; i++) await trx('geofences').insert({ ...fence, ...box, ...at })
        await trx('geofence_activations').insert({ geofence_id: 1, shard: 7, entries: 4 })
        for (const install of [1, 2, 3]) {
          const place = { install_row: install, app_id: 1 }
          await trx('install_positions').insert({ ...place, lat: 0, lng: 0, position_at: 1 })
          await trx('geofence_presence').insert({ ...place, geofence_id: 1, entered_at: 1 })
        }
        await trx('geofence_presence').insert({ install_row: 3, app_id: 1, geofence_id: 2, entered_at: 1 })
        for (const userId of [1, 2]) {
          const hours = { user_id: userId, app_id: 1, period: 1, last_hour: 1, counts: '[]', preferred_hour: 9 }
          await trx('active_hours').insert(hours)
        }
        const content = { source: 1, status: 3, filters: '{}', target: '{}', content: '{}', expires_at: 1 }
        await trx('notifications').insert({ app_id: 1, ...content, ...at })
        const failure = { app_id: 1, notification_id: 1, install_row: 1, kind: 'k', happened_at: 1 }
        const reasons = ['often', 'often', ...Array.from({ length: 150 }, (_, i) => `r${i}`)]
        for (const reason of reasons) await trx('delivery_failures').insert({ ...failure, reason })
      })
      const tables = ['geofence_presence', 'geofence_activations', 'active_hours', 'delivery_failures']
      const rows = async () => Promise.all(tables.map((table) => db.read(table).orderBy(1 as never)))
      const before = await rows()

      await migrateUp(
        db,
        upTo((name) => name <= LAST),
      )
      expect(
        await db
          .read('geofence_users')
          .orderBy(['geofence_id', 'user_id'])
          .select('geofence_id', 'user_id', 'installs'),
      ).to.deep.equal([
        { geofence_id: 1, user_id: 1, installs: 2 },
        { geofence_id: 1, user_id: 2, installs: 1 },
        { geofence_id: 2, user_id: 2, installs: 1 },
      ])
      expect(await db.read('geofence_activations').orderBy(['geofence_id', 'shard'])).to.deep.equal([
        { geofence_id: 1, shard: 0, entries: 0, users: 2 },
        { geofence_id: 1, shard: 7, entries: 4, users: 0 },
        { geofence_id: 2, shard: 0, entries: 0, users: 1 },
      ])
      expect(await db.read('active_hour_counts')).to.deep.equal([{ app_id: 1, preferred_hour: 9, shard: 0, users: 2 }])
      const counts: { reason: string; failures: number }[] = await db.read('failure_counts').orderBy('failures', 'desc')
      expect(counts.length).to.equal(101)
      expect(counts.slice(0, 2).map(({ reason, failures }) => [reason, failures])).to.deep.equal([
        ['other reasons', 51],
        ['often', 2],
      ])

      // The counts are kept from here on.
      await db.write((trx) => trx('installs').where({ id: 3 }).delete())
      expect(await db.read('geofence_users').select('geofence_id', 'user_id', 'installs')).to.deep.equal([
        { geofence_id: 1, user_id: 1, installs: 2 },
      ])

      await migrateDown(db, migrations, 2)
      const after = await rows()
      expect(after[2]).to.deep.equal(before[2])
      expect(after[3]).to.deep.equal(before[3])
      expect(after[0]!.map(Object.keys)).to.deep.equal(before[0]!.slice(0, 2).map(Object.keys))
    } finally {
      await close()
    }
  })
})
