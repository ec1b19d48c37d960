import { expect } from 'chai'
import { migrations } from '../../migrations/index.ts'
import type { Database } from '../../src/platform/db/connect.ts'
import { migrateDown, migrateUp } from '../../src/platform/db/migrate.ts'
import { onEachDatabase, openTestDatabase } from '../support/app.ts'

const STEP = '0023_callers'
const upTo = (last: string) => Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last))
const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < STEP))

onEachDatabase('the step that tells callers apart', (kind) => {
  let db: Database
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ db, close } = await openTestDatabase(kind))
    await migrateUp(db, before)
    await db.write(async (trx) => {
      await trx('accounts').insert({ name: 'a', created_at: 0 })
      await trx('apps').insert({ account_id: 1, name: 'a', link_host_label: 'a', created_at: 0, updated_at: 0 })
      await trx('channels').insert({
        app_id: 1,
        uuid: 'news',
        name: 'News',
        show_in_portal: true,
        created_at: 0,
        updated_at: 0,
      })
      const answer = { status: 202, headers: '{}', body: '{"a":1}' }
      await trx('idempotency_keys').insert({ app_id: 1, key: 'k', fingerprint: 'f', ...answer, created_at: 5 })
    })
  })
  afterEach(() => close())

  const keys = () => db.read('idempotency_keys').orderBy('fingerprint').select('*')

  it('keeps every key, as one of which nobody knows whose it is, up and down', async () => {
    const [old] = await keys()
    await migrateUp(db, upTo(STEP))
    expect(await keys()).to.deep.equal([{ ...old, caller: '' }])
    await migrateDown(db, upTo(STEP))
    expect(await keys()).to.deep.equal([old])
  })

  it('takes a key once for each caller, and on the way down keeps the one of the server', async () => {
    await migrateUp(db, upTo(STEP))
    const callers = ['server', 'rest', 'device', 'device:0a']
    for (const caller of callers) {
      const row = { app_id: 1, key: 'k', caller, fingerprint: caller, created_at: 6 }
      await db.write((trx) => trx('idempotency_keys').insert(row))
    }
    const again = { app_id: 1, key: 'k', caller: 'server', fingerprint: 'x', created_at: 6 }
    const refused = await db.write((trx) => trx('idempotency_keys').insert(again)).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Error)
    await migrateDown(db, upTo(STEP))
    expect((await keys()).map(({ fingerprint }) => fingerprint)).to.deep.equal(['server'])
  })

  it('forgets the keys of an app with it', async () => {
    await migrateUp(db, upTo(STEP))
    await db.write((trx) => trx('apps').delete())
    expect(await keys()).to.deep.equal([])
  })

  it('leaves the channels that are there what they are', async () => {
    await migrateUp(db, upTo(STEP))
    const [channel] = await db.read('channels').select('*')
    expect([channel.name, Boolean(channel.made_by_device)]).to.deep.equal(['News', false])
    const [app] = await db.read('apps').select('device_channels_public')
    expect(Boolean(app.device_channels_public)).to.equal(false)
  })
})
