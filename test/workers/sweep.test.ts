import { expect } from 'chai'
import { createWake } from '../../src/workers/jobs/job.ts'
import { sweep } from '../../src/workers/jobs/sweep.ts'
import { onEachDatabase, openTestApp, type TestApp } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'
import { addInstall } from '../support/installs.ts'
import { addMessage, giveMessage } from '../support/user-messages.ts'

const DAY_MS = 86_400_000

onEachDatabase('tidying up', (kind) => {
  let test: TestApp
  beforeEach(async () => {
    test = await openTestApp({ kind, settings: { 'channels.importRetentionDays': '30' } })
  })
  afterEach(() => test.close())

  it('clears away what a deleted channel left behind, and old outcomes of files', async () => {
    const { app, clock } = test
    const appId = test.first.id
    const { id } = await app.inTransaction((tx) => tx.channels.create(appId, { uuid: 'old' }))
    const kept = await app.inTransaction((tx) => tx.channels.create(appId, { uuid: 'kept' }))
    await app.kernel.db.write((trx) =>
      trx.raw(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11000)
         INSERT INTO channel_users SELECT ${appId}, ${id}, i FROM n`,
      ),
    )
    const file = { id: 'f'.repeat(36), size: 1, total: 1, digest: '' }
    const { row } = await app.inTransaction((tx) => tx.channelImports.queue(kept, file))
    await app.inTransaction((tx) => tx.ingestion.imports.fail(row, 'for the test', clock.now()))
    await app.inTransaction((tx) => tx.channels.delete(appId, id))

    const stop = new AbortController()
    const wake = createWake()
    const running = sweep({ app, owner: 'test', signal: stop.signal, wake, tick() {} })
    const rows = async (table: string) => (await app.kernel.db.read(table)).length
    await eventually(async () => (await rows('deleted_channels')) === 0, 'the channel is cleared away')
    expect([await rows('channel_users'), await rows('channel_imports')]).to.deep.equal([0, 1])
    clock.advance(31 * DAY_MS)
    wake.ring()
    await eventually(async () => (await rows('channel_imports')) === 0, 'the import is forgotten')
    stop.abort()
    await running
  })

  it('adds counts of in-app messages that were put down, and forgets who had what is long over', async () => {
    const { app, clock } = test
    const appId = test.first.id
    await addInstall(app, appId, 'I1', { user: 'anna' })
    const id = await addMessage(app, appId, { ttlMs: DAY_MS })
    await giveMessage(app, appId, id, ['anna'])
    await app.kernel.db.write((trx) =>
      trx('in_app_tallies').insert({
        app_id: appId,
        message_id: id,
        delivered: 1,
        shown: 0,
        dismissed: 0,
        read: 0,
        inbox_deleted: 0,
      }),
    )
    const stop = new AbortController()
    const wake = createWake()
    const running = sweep({ app, owner: 'test', signal: stop.signal, wake, tick() {} })
    const message = () => app.kernel.db.read('in_app_messages').where({ id }).first('delivered', 'forgotten_at')
    await eventually(async () => (await message()).delivered === 1, 'the count is added')
    clock.advance(92 * DAY_MS)
    wake.ring()
    await eventually(async () => (await message()).forgotten_at !== null, 'the message is forgotten')
    expect(await app.kernel.db.read('user_messages')).to.deep.equal([])
    stop.abort()
    await running
  })
})
