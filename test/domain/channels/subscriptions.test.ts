import { expect } from 'chai'
import { subscribedCondition } from '../../../src/domain/channels/subscriptions.repository.ts'
import type { Change } from '../../../src/domain/channels/subscriptions.service.ts'
import type { Channel } from '../../../src/domain/channels/types.ts'
import { collect } from '../../../src/platform/concurrency/chunks.ts'
import { rowsOf } from '../../../src/platform/db/dialect.ts'
import { addInstall, usersPage } from '../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

onEachDatabase('subscriptions to channels', (kind) => {
  let test: TestProgram
  let appId: number
  let a: Channel
  let b: Channel
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
    a = await test.program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'a' }))
    b = await test.program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'b' }))
  })
  afterEach(() => test.close())

  /** Ids of the installs that a send to these channels would reach. */
  async function reached(...channels: Channel[]): Promise<string[]> {
    const sql = test.program.kernel.db.read
    const ids = channels.map(({ id }) => id)
    const rows = await sql('installs')
      .where({ app_id: appId })
      .where(subscribedCondition(sql, appId, ids))
      .orderBy('id')
      .select('install_id')
    return rows.map((row: { install_id: string }) => row.install_id)
  }
  const server = (
    subscribe: boolean,
    given: { installIds?: string[]; userIds?: string[]; keepInstalls?: boolean },
    channel = a,
  ) =>
    test.program.inTransaction((tx) =>
      tx.subscriptions.changeSubscribers(appId, channel.id, given, { subscribe, all: false }),
    )
  const byInstall = (installId: string, how: Change, ...uuids: string[]) =>
    test.program.inTransaction((tx) => tx.subscriptions.changeByInstall(appId, installId, how, uuids))
  const seenBy = async (identifier: string) => collect(await test.program.subscriptions.seenByUser(appId, identifier))
  const byUser = (identifier: string, how: Change, ...uuids: string[]) =>
    test.program.inTransaction((tx) => tx.subscriptions.changeByUser(appId, identifier, how, uuids))

  it('a new channel reaches nobody', async () => {
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    expect(await reached(a, b)).to.deep.equal([])
  })

  it('reach an install by itself, and all installs of a user through him', async () => {
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    await addInstall(test.program, appId, 'two', { user: 'anna' })
    await addInstall(test.program, appId, 'three')
    await server(true, { installIds: ['three'] })
    expect(await reached(a)).to.deep.equal(['three'])
    await server(true, { userIds: ['anna'] })
    expect(await reached(a)).to.deep.equal(['one', 'two', 'three'])
    expect(await reached(b)).to.deep.equal([])
    expect(await reached(b, a)).to.deep.equal(['one', 'two', 'three'])
  })

  it('follow the user: an install that changes hands is reached through the new one, and keeps its own', async () => {
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    await server(true, { userIds: ['anna'] })
    await server(true, { installIds: ['one'] }, b)
    test.clock.advance(1000)
    await addInstall(test.program, appId, 'one', { user: 'bert' })
    expect(await reached(a)).to.deep.equal([])
    expect(await reached(b)).to.deep.equal(['one'])
  })

  it('end for an install that a server takes out, although its user is in', async () => {
    for (const id of ['one', 'two']) await addInstall(test.program, appId, id, { user: 'anna' })
    await server(true, { userIds: ['anna'], installIds: ['one'] })
    await server(false, { installIds: ['one'] })
    expect(await reached(a)).to.deep.equal(['two'])
    await server(true, { installIds: ['one'] })
    expect(await reached(a)).to.deep.equal(['one', 'two'])
  })

  it('end with the one of the user, unless the server says to keep those of the installs', async () => {
    for (const user of ['anna', 'bert']) await addInstall(test.program, appId, `${user}s`, { user })
    await server(true, { userIds: ['anna', 'bert'], installIds: ['annas', 'berts'] })
    await server(false, { userIds: ['anna'], keepInstalls: true })
    expect(await reached(a)).to.deep.equal(['annas', 'berts'])
    await server(false, { userIds: ['anna'] })
    expect(await reached(a)).to.deep.equal(['berts'])
    await server(true, { userIds: ['anna'] })
    expect(await reached(a)).to.deep.equal(['annas', 'berts'])
  })

  it('leave no opt-out where none is needed', async () => {
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    await server(true, { installIds: ['one'] })
    await server(false, { installIds: ['one'] })
    await server(true, { userIds: ['anna'] })
    expect(await reached(a)).to.deep.equal(['one'])
    await server(false, { installIds: ['one'], userIds: ['anna'] })
    await server(true, { userIds: ['anna'] })
    expect(await reached(a)).to.deep.equal(['one'])
  })

  it('a device that said no is not reached through its user, until it says yes', async () => {
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    await byInstall('one', 'remove', 'a')
    await server(true, { userIds: ['anna'] })
    expect(await reached(a)).to.deep.equal([])
    expect(await reached(a, b)).to.deep.equal([])
    await byInstall('one', 'add', 'a')
    expect(await reached(a)).to.deep.equal(['one'])
  })

  it('a device that said no stays out when a server takes it out and its user comes in afterwards', async () => {
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    await byInstall('one', 'add', 'a')
    await byInstall('one', 'remove', 'a')
    await server(true, { userIds: ['anna'] })
    await byInstall('one', 'remove', 'a')
    await server(false, { userIds: ['anna'] })
    // It is in neither way now: what the server says ends nothing of what the device said.
    await server(false, { installIds: ['one'] })
    await server(true, { userIds: ['anna'] })
    expect(await reached(a)).to.deep.equal([])
  })

  it('an opt-out from one channel does not touch another', async () => {
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    for (const channel of [a, b]) await server(true, { userIds: ['anna'] }, channel)
    await byInstall('one', 'remove', 'a')
    expect(await reached(a)).to.deep.equal([])
    expect(await reached(a, b)).to.deep.equal(['one'])
  })

  it('a device that replaces all leaves those it was in through its user, too', async () => {
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    await server(true, { userIds: ['anna'] })
    await byInstall('one', 'replace', 'b')
    expect([await reached(a), await reached(b)]).to.deep.equal([[], ['one']])
    // It was never in this one, so a server may put its user in later.
    const c = await test.program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'c' }))
    await server(true, { userIds: ['anna'] }, c)
    expect(await reached(c)).to.deep.equal(['one'])
  })

  it('a user who leaves leaves with all his installs', async () => {
    for (const id of ['one', 'two']) await addInstall(test.program, appId, id, { user: 'anna' })
    await server(true, { installIds: ['one'], userIds: ['anna'] })
    const seen = await seenBy('anna')
    expect(seen.map(({ uuid, subscribed }) => [uuid, subscribed])).to.deep.equal([['a', true]])
    await byUser('anna', 'remove', 'a')
    expect(await reached(a)).to.deep.equal([])
    expect(await seenBy('anna')).to.deep.equal([])
  })

  it('a user sees what one of his installs was put in, and replacing all leaves it', async () => {
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    await server(true, { installIds: ['one'] })
    expect((await seenBy('anna')).map(({ uuid }) => uuid)).to.deep.equal(['a'])
    await byUser('anna', 'replace', 'b')
    expect([await reached(a), await reached(b)]).to.deep.equal([[], ['one']])
  })

  it('an opt-out of one device outlives the user who subscribes on another; an anonymous user speaks for his install', async () => {
    for (const id of ['one', 'two']) await addInstall(test.program, appId, id, { user: 'anna' })
    await byInstall('one', 'remove', 'a')
    await byUser('anna', 'add', 'a')
    expect(await reached(a)).to.deep.equal(['two'])
    await addInstall(test.program, appId, 'three')
    await byInstall('three', 'remove', 'a')
    await byUser('three', 'add', 'a')
    expect(await reached(a)).to.deep.equal(['two', 'three'])
  })

  it('a user who was subscribed before his first event is the same user afterwards', async () => {
    await byUser('anna', 'add', 'a')
    await byUser('new-install', 'add', 'b')
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    await addInstall(test.program, appId, 'new-install')
    expect([await reached(a), await reached(b)]).to.deep.equal([['one'], ['new-install']])
    const { users, total } = await usersPage(test.program, appId, 1, 10)
    expect([users.map(({ identifier, anonymous }) => [identifier, anonymous]), total]).to.deep.equal([
      [
        ['anna', false],
        ['new-install', true],
      ],
      2,
    ])
  })

  it('of another app are not to be had with our channel, nor ours with theirs', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const row = await addInstall(test.program, other.id, 'theirs')
    await test.program.inTransaction(({ ingestion }) => ingestion.subscriptions.setInstalls(appId, a.id, [row], true))
    expect(await test.program.channels.counts(appId, a.id)).to.include({ installs: 0 })
    expect(await test.program.channels.findByIds(other.id, [a.id])).to.deep.equal({ channels: [], unknown: [a.id] })
    expect(await test.program.channels.findByUuids(other.id, ['a'])).to.deep.equal({ channels: [], unknown: ['a'] })
  })

  it('look-ups keep the order and tell what is unknown', async () => {
    const byUuid = await test.program.channels.findByUuids(appId, ['b', 'x', 'a', 'b'])
    expect([byUuid.channels.map(({ uuid }) => uuid), byUuid.unknown]).to.deep.equal([['b', 'a'], ['x']])
    const byId = await test.program.channels.findByIds(appId, [99, b.id, a.id])
    expect([byId.channels.map(({ uuid }) => uuid), byId.unknown]).to.deep.equal([['b', 'a'], [99]])
  })

  it('mean nothing once their channel or their app is gone, and are cleared away behind', async () => {
    await addInstall(test.program, appId, 'one', { user: 'anna' })
    await server(true, { installIds: ['one'], userIds: ['anna'] })
    await server(true, { installIds: ['one'], userIds: ['anna'] }, b)
    const left = async () => {
      const tables = ['channel_installs', 'channel_users', 'deleted_channels']
      const counts = tables.map((table) => test.program.kernel.db.read(table).count({ n: '*' }).first())
      return (await Promise.all(counts)).map((row) => Number(row!.n))
    }
    const clear = () => test.program.inTransaction((tx) => tx.channels.clearAway())
    expect(await clear()).to.equal(false)
    await test.program.inTransaction((tx) => tx.channels.delete(appId, a.id))
    expect([await left(), await reached(a), await reached(a, b)]).to.deep.equal([[2, 2, 1], [], ['one']])
    expect(await seenBy('anna')).to.have.length(1)
    const again = await test.program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'a' }))
    expect(await reached(again)).to.deep.equal([])
    while (await clear());
    expect(await left()).to.deep.equal([1, 1, 0])
    expect(await reached(b)).to.deep.equal(['one'])
    await test.program.inTransaction((tx) => tx.apps.delete(appId))
    expect((await left())[2]).to.equal(2)
    while (await clear());
    expect(await left()).to.deep.equal([0, 0, 0])
  })

  it('cannot be made to a channel that is gone', async () => {
    const row = await addInstall(test.program, appId, 'one', { user: 'anna' })
    const user = (await test.program.crm.showInstall(appId, 'one')).userId
    await test.program.inTransaction((tx) => tx.channels.delete(appId, a.id))
    await test.program.inTransaction(async ({ ingestion: { subscriptions } }) => {
      await subscriptions.addUsers(appId, a.id, [user])
      await subscriptions.setInstalls(appId, a.id, [row], true)
    })
    const counts = await test.program.channels.counts(appId, a.id)
    expect(counts).to.deep.equal({ installs: 0, optedOut: 0, users: 0 })
  })

  it('of a big channel are cleared away in slices, and others of the app stay', async () => {
    const { db } = test.program.kernel
    const users = 12_000
    await db.write(async (trx) => {
      const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${users})`
      for (const { id } of [a, b]) {
        await trx.raw(`${numbers} INSERT INTO channel_users SELECT ${appId}, ${id}, i FROM n`)
        await trx.raw(`${numbers} INSERT INTO channel_installs SELECT ${appId}, ${id}, i, i % 2 = 0 FROM n`)
      }
    })
    await test.program.inTransaction((tx) => tx.channels.delete(appId, a.id))
    let slices = 0
    while (await test.program.inTransaction((tx) => tx.channels.clearAway())) slices++
    expect(slices).to.be.within(5, 8)
    expect(await test.program.channels.counts(appId, a.id)).to.deep.equal({ installs: 0, optedOut: 0, users: 0 })
    const half = users / 2
    expect(await test.program.channels.counts(appId, b.id)).to.deep.equal({ installs: half, optedOut: half, users })
  })

  it('thirty thousand at once are one call', async () => {
    const ids = Array.from({ length: 30_000 }, (_, i) => `install-${i}`)
    await addInstall(test.program, appId, 'install-7')
    await addInstall(test.program, appId, 'install-29999')
    const { unknownInstallIds } = await server(true, { installIds: ids })
    expect(unknownInstallIds).to.have.length(29_998)
    expect(await reached(a)).to.deep.equal(['install-7', 'install-29999'])
  })

  if (kind === 'sqlite') {
    it('are asked for by key alone, whether an install is in or a device sees its channels', async () => {
      const sql = test.program.kernel.db.read
      const plan = async (query: { toSQL(): { sql: string; bindings: readonly unknown[] } }) => {
        const { sql: text, bindings } = query.toSQL()
        const rows = rowsOf<{ detail: string }>(
          await sql.raw(`EXPLAIN QUERY PLAN ${text}`, bindings as unknown as string[]),
        )
        return rows.map(({ detail }) => detail).join('; ')
      }
      const installs = () => sql('installs').where({ app_id: 1, platform: 2 }).whereRaw('subscribed').select('id')
      for (const ids of [[1], [1, 2, 3]]) {
        const walk = await plan(installs().where(subscribedCondition(sql, 1, ids)))
        expect(walk).to.match(/SEARCH own USING (PRIMARY KEY|INDEX \w+) \(.*app_id=\? AND channel_id=\?.*\)/)
        expect(walk).to.match(/SEARCH theirs USING .*\(.*app_id=\? AND channel_id=\?.*\)/)
        expect(walk).to.not.include('SCAN')
      }
      expect(await plan(sql('channel_installs').where({ install_row: 1, app_id: 1 }))).to.include('(install_row=?')
      expect(await plan(sql('channel_users').where({ user_id: 1, app_id: 1 }))).to.include('(user_id=?')
    })
  }
})
