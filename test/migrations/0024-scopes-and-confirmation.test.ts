import { expect } from 'chai'
import { migrations } from '../../migrations/index.ts'
import { migrateDown, migrateUp } from '../../src/platform/db/migrate.ts'
import { onEachDatabase, openTestDatabase } from '../support/app.ts'

const STEP = '0024_scopes_and_confirmation'
const upTo = (isIn: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(migrations).filter(([name]) => isIn(name)))

onEachDatabase('the step that gives server keys scopes', (kind) => {
  it('keeps REST keys with their ids, up and down, and server keys do not become REST keys', async () => {
    const { db, close } = await openTestDatabase(kind)
    try {
      await migrateUp(
        db,
        upTo((name) => name < STEP),
      )
      const key = { app_id: 1, name: 'n', hint: 'h', permissions: 'read', created_at: 5 }
      const last = await db.write(async (trx) => {
        await trx('accounts').insert({ name: 'a', created_at: 0 })
        await trx('apps').insert({ account_id: 1, name: 'a', link_host_label: 'a', created_at: 0, updated_at: 0 })
        for (const digest of ['one', 'two', 'three']) await trx('rest_keys').insert({ ...key, digest })
        await trx('rest_keys').where({ id: 1 }).update({ last_used_at: 6, revoked_at: 7 })
        const [row] = await trx('rest_keys').orderBy('id', 'desc').select('id')
        return row.id as number
      })
      const before = await db.read('rest_keys').orderBy('id')

      await migrateUp(
        db,
        upTo((name) => name <= STEP),
      )
      expect(await db.read('issued_keys').orderBy('id')).to.deep.equal(before.map((row) => ({ ...row, kind: 'rest' })))
      const [made] = await db.write((trx) =>
        trx('issued_keys')
          .insert({ ...key, kind: 'server', digest: 'four' })
          .returning('id'),
      )
      expect(made.id, 'ids go on').to.equal(last + 1)

      await migrateDown(
        db,
        upTo((name) => name <= STEP),
      )
      expect(await db.read('rest_keys').orderBy('id')).to.deep.equal(before)
    } finally {
      await close()
    }
  })
})
