import { expect } from 'chai'
import { createWake } from '../../src/workers/jobs/job.ts'
import { sweep } from '../../src/workers/jobs/sweep.ts'
import { eventually } from '../support/eventually.ts'
import { addInstall } from '../support/installs.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../support/program.ts'
import { addMessage, giveMessage } from '../support/user-messages.ts'

const DAY_MS = 86_400_000

onEachDatabase('tidying up', (kind) => {
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram({ kind, settings: { 'channels.importRetentionDays': '30' } })
  })
  afterEach(() => test.close())

  it('clears away what a deleted channel left behind, and old outcomes of files', async () => {
    const { program, clock } = test
    const appId = test.first.id
    const { id } = await program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'old' }))
    const kept = await program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'kept' }))
    await program.kernel.db.write((trx) =>
      trx.raw(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11000)
         INSERT INTO channel_users SELECT ${appId}, ${id}, i FROM n`,
      ),
    )
    const file = { id: 'f'.repeat(36), size: 1, total: 1, digest: '' }
    const { row } = await program.inTransaction((tx) => tx.channelImports.queue(kept, file))
    await program.inTransaction((tx) => tx.ingestion.imports.fail(row, 'for the test', clock.now()))
    await program.inTransaction((tx) => tx.channels.delete(appId, id))

    const stop = new AbortController()
    const wake = createWake()
    const running = sweep({ program, owner: 'test', signal: stop.signal, wake, tick() {} })
    const rows = async (table: string) => (await program.kernel.db.read(table)).length
    await eventually(async () => (await rows('deleted_channels')) === 0, 'the channel is cleared away')
    expect([await rows('channel_users'), await rows('channel_imports')]).to.deep.equal([0, 1])
    clock.advance(31 * DAY_MS)
    wake.ring()
    await eventually(async () => (await rows('channel_imports')) === 0, 'the import is forgotten')
    stop.abort()
    await running
  })

  it('adds counts of in-app messages that were put down, and forgets who had what is long over', async () => {
    const { program, clock } = test
    const appId = test.first.id
    await addInstall(program, appId, 'I1', { user: 'anna' })
    const id = await addMessage(program, appId, { ttlMs: DAY_MS })
    await giveMessage(program, appId, id, ['anna'])
    await program.kernel.db.write((trx) =>
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
    const running = sweep({ program, owner: 'test', signal: stop.signal, wake, tick() {} })
    const message = () => program.kernel.db.read('in_app_messages').where({ id }).first('delivered', 'forgotten_at')
    await eventually(async () => (await message()).delivered === 1, 'the count is added')
    clock.advance(92 * DAY_MS)
    wake.ring()
    await eventually(async () => (await message()).forgotten_at !== null, 'the message is forgotten')
    expect(await program.kernel.db.read('user_messages')).to.deep.equal([])
    stop.abort()
    await running
  })
})
