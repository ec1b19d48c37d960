import { expect } from 'chai'
import { BLOCK_IDS, blockOf, seekPage, totalOf } from '../../../../src/domain/crm/store/directory.ts'
import type { User } from '../../../../src/domain/crm/types.ts'
import { usersPage } from '../../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

describe('the start of a page', () => {
  const blocks = [
    { block: 0, listed: 3 },
    { block: 2, listed: 1 },
    { block: 5, listed: 4 },
  ]
  for (const [before, start] of [
    [0, { fromId: 0, skip: 0 }],
    [2, { fromId: 0, skip: 2 }],
    [3, { fromId: 2 * BLOCK_IDS, skip: 0 }],
    [4, { fromId: 5 * BLOCK_IDS, skip: 0 }],
    [7, { fromId: 5 * BLOCK_IDS, skip: 3 }],
    [8, undefined],
    [9_007_199_254_740_991_000, undefined],
  ] as const) {
    it(`after ${before} users is ${JSON.stringify(start)}`, () => {
      expect(seekPage(blocks, before)).to.deep.equal(start)
    })
  }

  it('is in blocks as they stand in every database that there is: of 4096 ids', () => {
    expect([4095, 4096, 8191].map(blockOf)).to.deep.equal([0, 1, 1])
    expect(seekPage([{ block: 1, listed: 1 }], 0)).to.deep.equal({ fromId: 4096, skip: 0 })
  })

  it('of an app without users is nowhere', () => {
    expect(seekPage([], 0)).to.equal(undefined)
    expect(totalOf([])).to.equal(0)
  })
})

onEachDatabase('the user list', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  const names = (users: User[]) => users.map((user) => user.identifier)
  const put = (identifier: string) =>
    test.program.inTransaction((tx) => tx.crm.putAttributes(test.first.id, identifier, {}))
  const sight = (installId: string) =>
    test.program.inTransaction((tx) => tx.crm.ensureInstall(test.first.id, installId, test.clock.now()))
  const list = (page: number, size: number) => usersPage(test.program, test.first.id, page, size)

  /** The counters and the users must agree, whatever happened. */
  async function expectBlocksAgree() {
    const { read } = test.program.kernel.db
    const users: { id: number; app_id: number }[] = await read('users').where({ listed: true }).select('id', 'app_id')
    const counted: Record<string, number> = {}
    for (const { id, app_id } of users) {
      const key = `${app_id}/${Math.floor(id / BLOCK_IDS)}`
      counted[key] = (counted[key] ?? 0) + 1
    }
    const blocks: { app_id: number; block: number; listed: number }[] = await read('user_blocks').where(
      'listed',
      '<>',
      0,
    )
    expect(Object.fromEntries(blocks.map((b) => [`${b.app_id}/${b.block}`, b.listed]))).to.deep.equal(counted)
  }

  it('of a new app is empty', async () => {
    expect(await list(1, 10)).to.deep.equal({ users: [], total: 0 })
  })

  it('shows every user once, in the order of creation, with an empty page past the end', async () => {
    for (const name of ['c', 'a', 'b', 'e', 'd']) await put(name)
    expect(names((await list(1, 2)).users)).to.deep.equal(['c', 'a'])
    expect(names((await list(2, 2)).users)).to.deep.equal(['b', 'e'])
    expect(names((await list(3, 2)).users)).to.deep.equal(['d'])
    expect(await list(4, 2)).to.deep.equal({ users: [], total: 5 })
    expect(names((await list(1, 1000)).users)).to.deep.equal(['c', 'a', 'b', 'e', 'd'])
  })

  it('does not move when users arrive', async () => {
    for (const name of ['a', 'b', 'c']) await put(name)
    await put('0')
    expect(names((await list(2, 2)).users)).to.deep.equal(['c', '0'])
  })

  it('has every user on exactly one page when the users fill several blocks with gaps', async () => {
    const { id: appId } = test.first
    const ids = [1, 2, BLOCK_IDS - 1, BLOCK_IDS, BLOCK_IDS + 1, 3 * BLOCK_IDS, 3 * BLOCK_IDS + 7, 9 * BLOCK_IDS + 1]
    await test.program.kernel.db.write(async (trx) => {
      for (const id of ids) {
        await trx('users').insert({
          id,
          app_id: appId,
          identifier: `u${id}`,
          anonymous: false,
          listed: true,
          attributes: '{}',
          first_active: 0,
          last_active: 0,
          created_at: 0,
          updated_at: 0,
        })
        await trx('user_blocks')
          .insert({ app_id: appId, block: Math.floor(id / BLOCK_IDS), listed: 1 })
          .onConflict(['app_id', 'block'])
          .merge({ listed: trx.raw('user_blocks.listed + 1') })
      }
    })
    for (const size of [1, 2, 3, 5, 8]) {
      const seen: string[] = []
      for (let page = 1; page <= Math.ceil(ids.length / size); page++)
        seen.push(...names((await list(page, size)).users))
      expect(seen).to.deep.equal(ids.map((id) => `u${id}`))
    }
  })

  it('shows an anonymous user as long as an install has him', async () => {
    const install = await sight('i1')
    await put('known')
    expect(names((await list(1, 10)).users)).to.deep.equal(['i1', 'known'])

    await test.program.inTransaction((tx) => tx.crm.associate(test.first.id, install, 'known', { at: 1 }))
    const page = await list(1, 10)
    expect(names(page.users)).to.deep.equal(['known'])
    expect(page.total).to.equal(1)
    expect(page.users[0]!.installs.map((one) => one.installId)).to.deep.equal(['i1'])

    await test.program.inTransaction((tx) => tx.crm.clearAssociation(test.first.id, install, 2))
    const after = await list(1, 10)
    expect(names(after.users)).to.deep.equal(['i1', 'known'])
    expect(after.users.map((user) => user.installs.length)).to.deep.equal([1, 0])
    await expectBlocksAgree()
  })

  it('gives each user his own installs, oldest first', async () => {
    for (const [installId, user] of [
      ['i1', 'a'],
      ['i2', 'b'],
      ['i3', 'a'],
    ] as const) {
      const install = await sight(installId)
      await test.program.inTransaction((tx) => tx.crm.associate(test.first.id, install, user, { at: 1 }))
    }
    const { users } = await list(1, 10)
    expect(users.map((user) => [user.identifier, user.installs.map((one) => one.installId)])).to.deep.equal([
      ['a', ['i1', 'i3']],
      ['b', ['i2']],
    ])
  })

  it('of one app knows nothing of another', async () => {
    await put('mine')
    const second = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await test.program.inTransaction((tx) => tx.crm.putAttributes(second.id, 'mine', { theirs: true }))
    expect(names((await list(1, 10)).users)).to.deep.equal(['mine'])
    expect((await list(1, 10)).total).to.equal(1)
    expect(await test.program.crm.attributes(test.first.id, 'mine')).to.deep.equal({})
  })

  it('counts right when many installs and users come at once', async () => {
    const { id: appId } = test.first
    const work = Array.from({ length: 40 }, (_, i) =>
      test.program.inTransaction(async (tx) => {
        const install = await tx.crm.ensureInstall(appId, `i${i % 10}`, 1)
        if (i % 2 === 0) await tx.crm.associate(appId, install, `u${i % 3}`, { at: i })
      }),
    )
    await Promise.all(work)
    await expectBlocksAgree()
    const { read } = test.program.kernel.db
    const rows: { id: number; install_count: number }[] = await read('users').select('id', 'install_count')
    const owners: { user_id: number }[] = await read('installs').select('user_id')
    expect(owners).to.have.length(10)
    for (const row of rows) expect(row.install_count).to.equal(owners.filter((one) => one.user_id === row.id).length)
  })

  it('goes with its app', async () => {
    const install = await sight('i1')
    await test.program.inTransaction((tx) =>
      tx.events.ingest(test.first.id, 'i1', [{ type: 'x', uuid: 'u', timestamp: 1 }]),
    )
    await test.program.inTransaction((tx) => tx.crm.registerToken(test.first.id, install, { type: 2, token: 't' }, 1))
    await test.program.inTransaction((tx) => tx.crm.retireToken(test.first.id, install.row, 't', 'gone'))
    await test.program.inTransaction((tx) => tx.apps.delete(test.first.id))
    for (const table of ['users', 'user_blocks', 'installs', 'retired_tokens', 'events']) {
      expect(await test.program.kernel.db.read(table).select('*'), table).to.deep.equal([])
    }
  })
})
