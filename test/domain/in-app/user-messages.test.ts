import { expect } from 'chai'
import { collect } from '../../../src/platform/concurrency/chunks.ts'
import { rowsOf } from '../../../src/platform/db/dialect.ts'
import { createProgram } from '../../../src/program.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, onPostgres, openTestProgram, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'
import { addMessage, giveMessage } from '../../support/user-messages.ts'

const DAY = 86_400_000
const MANY = 10_000

/** Gives a user this many messages, one a minute, all of them open; their ids. */
async function giveMany({ program, first, clock }: TestProgram, identifier: string, count: number): Promise<number[]> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
  const now = clock.now()
  return program.kernel.db.write(async (trx) => {
    const { id: user } = await trx('users').where({ app_id: first.id, identifier }).first('id')
    const { id: last } = (await trx('in_app_messages').max({ id: 'id' }).first()) as { id: number | null }
    await trx.raw(
      `INSERT INTO in_app_messages (app_id, source, status, filters, target, template, template_version, tag_values, content,
         presented_when, created_at, updated_at)
       ${numbers} SELECT ${first.id}, 1, 3, '{}', '{}', 'x', 1, '{}', '{"ver":1}', 'immediately', ${now}, ${now} FROM n`,
    )
    await trx.raw(
      `INSERT INTO user_messages (user_id, message_id, app_id, sent_at, updated_at)
       SELECT ${user}, id, ${first.id}, ${now} - 60000 * (${(last ?? 0) + count} - id), ${now} - 60000 * (${(last ?? 0) + count} - id)
       FROM in_app_messages WHERE id > ${last ?? 0}`,
    )
    return Array.from({ length: count }, (_, i) => (last ?? 0) + 1 + i)
  })
}

interface PlanNode {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** Every row that a plan of PostgreSQL read, also those that it threw away. */
function visited(node: PlanNode): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  return own + (node.Plans ?? []).reduce((sum, one) => sum + visited(one), 0)
}

onEachDatabase('a user with very many messages', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind })
    for (const [installId, user, count] of [
      ['I1', 'few', 1000],
      ['I2', 'many', MANY],
    ] as const) {
      await addInstall(test.program, test.first.id, installId, { user })
      await giveMany(test, user, count)
    }
    await test.program.kernel.db.write((trx) => trx.raw('ANALYZE'))
  })
  after(() => test.close())

  interface Statement {
    sql: string
    bindings: unknown[]
  }

  /** The statements that some work makes. */
  async function statementsOf<T>(work: () => Promise<T>): Promise<{ found: Statement[]; result: T }> {
    const found: Statement[] = []
    const note = ({ sql, bindings }: Statement) => void found.push({ sql, bindings })
    const { read } = test.program.kernel.db
    read.on('query', note)
    const result = await work()
    read.removeListener('query', note)
    return { found, result }
  }

  /** Counts the rows that a statement visits on PostgreSQL; SQLite only tells its plan, whose every step must be a look-up. */
  async function visitsOf({ sql, bindings }: Statement): Promise<number> {
    const { read } = test.program.kernel.db
    if (kind === 'postgres') {
      const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${sql.replace(/\$\d+/g, '?')}`
      const [row] = rowsOf<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(await read.raw(explain, bindings as never))
      return visited(row!['QUERY PLAN'][0]!.Plan)
    }
    const plan = rowsOf<{ detail: string }>(await read.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings as never))
    for (const { detail } of plan) {
      // Of those that changed in the same millisecond.
      if (detail === 'USE TEMP B-TREE FOR LAST TERM OF ORDER BY') continue
      expect(detail, sql).to.match(
        /^SEARCH .*(USING|INTEGER PRIMARY KEY)|^LIST SUBQUERY|^SCAN json_each|^USE TEMP B-TREE FOR ORDER BY$/,
      )
      // Sorting a user's messages would first read all of them; those of given keys are few.
      if (!sql.includes('json_each')) expect(detail, sql).to.not.match(/user_messages.*TEMP B-TREE|^USE TEMP/)
    }
    return 0
  }

  const sync = (user: string, after: number | undefined) =>
    statementsOf(async () => collect(await test.program.inAppSync.messages(test.first.id, user, after)))

  for (const [what, after, most] of [
    ['without `after`', () => undefined, 60],
    ['with an `after` of long ago', () => 0, 120],
    ['with a recent `after`', () => test.clock.now() - 30 * 60_000, 36],
  ] as const) {
    it(`syncs ${what} in a bounded number of index reads, as one with a tenth of them`, async () => {
      const sizes: number[] = []
      for (const user of ['few', 'many']) {
        const { found, result } = await sync(user, after())
        expect(result).to.have.length(most)
        expect(found.length).to.be.within(4, 8)
        let rows = 0
        for (const statement of found) rows += await visitsOf(statement)
        sizes.push(rows)
      }
      if (kind === 'postgres') {
        expect(sizes[1]).to.be.at.most(2000)
        expect(sizes[1]! / sizes[0]!).to.be.within(0.9, 1.1)
      }
    })
  }

  it('finds current messages among the newest 600, and reads no further', async () => {
    const { program, first, clock } = test
    await addInstall(program, first.id, 'I3', { user: 'closed' })
    const closed = async (count: number) => {
      await giveMany(test, 'closed', count)
      await program.kernel.db.write((trx) =>
        trx('user_messages')
          .whereIn('user_id', trx('users').where({ identifier: 'closed' }).select('id'))
          .whereNull('dismissed_at')
          .whereNot({ message_id: open })
          .update({ dismissed_at: clock.now() }),
      )
    }
    const open = await addMessage(program, first.id)
    await giveMessage(program, first.id, open, ['closed'], clock.now() - DAY)
    await closed(599)
    const { found, result } = await sync('closed', undefined)
    expect(result.map(({ id }) => id)).to.deep.equal([open])
    expect(found.length).to.equal(8)
    for (const statement of found) expect(await visitsOf(statement)).to.be.at.most(2000)
    await closed(1)
    expect(await collect(await program.inAppSync.messages(first.id, 'closed', undefined))).to.deep.equal([])
  })

  it('gets the messages sent last, whatever was created or read since', async () => {
    const { program, first, clock } = test
    await addInstall(program, first.id, 'I4', { user: 'late' })
    const scheduled = await addMessage(program, first.id)
    const ids = await giveMany(test, 'late', 300)
    await giveMessage(program, first.id, scheduled, ['late'])
    const read = { read_at: clock.now(), updated_at: clock.now() }
    await program.kernel.db.write((trx) => trx('user_messages').whereIn('message_id', ids.slice(0, 200)).update(read))
    const messages = await collect(await program.inAppSync.messages(first.id, 'late', undefined))
    const [last, ...before] = ids.toReversed()
    expect(messages.map(({ id }) => id)).to.deep.equal([last, scheduled, ...before.slice(0, 58)])
  })

  it('has its reactions looked up by keys', async () => {
    const { program, first } = test
    const pairs = [1, 500, 900, 999, 1000].flatMap((messageId) =>
      ['few', 'many', 'nobody'].map((identifier) => ({ identifier, messageId })),
    )
    const { found, result } = await statementsOf(() => program.userMessages.lock(first.id, pairs))
    expect(result.map(({ identifier }) => identifier)).to.deep.equal(Array(5).fill('few'))
    for (const statement of found) expect(await visitsOf(statement)).to.be.at.most(200)
  })

  it('gets the newest', async () => {
    const messages = await collect(await test.program.inAppSync.messages(test.first.id, 'many', undefined))
    expect(messages.map(({ id }) => id)).to.deep.equal(Array.from({ length: 60 }, (_, i) => 1000 + MANY - i))
  })
})

onEachDatabase('rows of messages that have ended', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind })
    for (const user of ['anna', 'bob', 'carl']) await addInstall(test.program, test.first.id, `I-${user}`, { user })
  })
  after(() => test.close())

  async function forget(days = 90): Promise<void> {
    for (let place: { after: number } | undefined = { after: 0 }; place; ) {
      const from: { after: number } = place
      place = await test.program.inTransaction((tx) => tx.inAppRetention.forget(days, from, 2))
    }
  }
  const owners = async (id: number) => {
    const rows = await test.program.kernel.db.read('user_messages').where({ message_id: id }).select('user_id')
    return rows.length
  }

  it('are deleted after the retention time, in small steps; all others stay', async () => {
    const { program, first, clock } = test
    const now = clock.now()
    const old = { createdAt: now - 200 * DAY }
    const all = ['anna', 'bob', 'carl']
    const add = async (fields: Parameters<typeof addMessage>[2], sentAt = now - 150 * DAY) => {
      const id = await addMessage(program, first.id, { ...old, ...fields })
      await giveMessage(program, first.id, id, all, sentAt)
      return id
    }
    const inbox = { title: 'a', subtitle: '' }
    const over = await add({ ttlMs: DAY })
    const withdrawn = await add({ withdrawnAt: now - 91 * DAY })
    const boxOver = await add({ ttlMs: DAY, inbox: { ...inbox, to: now - 91 * DAY } })
    const kept = [
      await add({ ttlMs: 70 * DAY }),
      await add({ ttlMs: null }),
      await add({ withdrawnAt: now - 89 * DAY }),
      await add({ ttlMs: DAY, inbox }),
      await add({ ttlMs: DAY, inbox: { ...inbox, to: now - 89 * DAY } }),
      await add({ ttlMs: DAY, nextAt: now }),
      await add({ ttlMs: DAY, createdAt: now - 10 * DAY }),
    ]
    const partly = await addMessage(program, first.id, { ...old, ttlMs: DAY })
    await giveMessage(program, first.id, partly, ['anna'], now - 150 * DAY)
    await giveMessage(program, first.id, partly, ['bob'], now - 20 * DAY)
    await forget()
    for (const id of [over, withdrawn, boxOver]) expect(await owners(id), `${id}`).to.equal(0)
    for (const id of kept) expect(await owners(id), `${id}`).to.equal(3)
    expect(await owners(partly)).to.equal(1)
    const marked = await program.kernel.db
      .read('in_app_messages')
      .whereNotNull('forgotten_at')
      .orderBy('id')
      .select('id')
    expect(marked.map(({ id }) => id)).to.deep.equal([over, withdrawn, boxOver])
    clock.advance(100 * DAY)
    await forget()
    expect(await owners(partly)).to.equal(0)
  })

  it('go with the user', async () => {
    const { program, first } = test
    const id = await addMessage(program, first.id)
    await giveMessage(program, first.id, id, ['anna', 'bob'])
    await program.kernel.db.write(async (trx) => {
      const { id: user } = await trx('users').where({ app_id: first.id, identifier: 'anna' }).first('id')
      await trx('installs').where({ user_id: user }).delete()
      await trx('users').where({ id: user }).delete()
    })
    expect(await owners(id)).to.equal(1)
  })
})

onEachDatabase('counts that were stored separately', (kind) => {
  it('are added by the sweep, all of a message together', async () => {
    const test = await openTestProgram({ kind })
    try {
      const { program, first } = test
      const id = await addMessage(program, first.id)
      const line = { app_id: first.id, delivered: 0, shown: 0, dismissed: 0, read: 2, inbox_deleted: 1 }
      await program.kernel.db.write((trx) =>
        trx('in_app_tallies').insert([
          { ...line, message_id: id },
          { ...line, message_id: id },
          { ...line, message_id: id + 1 },
        ]),
      )
      expect(await program.userMessages.pending(first.id, id)).to.include({ read: 4, inboxDeleted: 2, shown: 0 })
      expect(await program.inTransaction((tx) => tx.userMessages.settleTallies(2))).to.equal(2)
      expect(await program.inTransaction((tx) => tx.userMessages.settleTallies(2))).to.equal(1)
      expect(await program.inTransaction((tx) => tx.userMessages.settleTallies(2))).to.equal(0)
      const row = await program.kernel.db.read('in_app_messages').where({ id }).first('read', 'inbox_deleted')
      expect(row).to.deep.equal({ read: 4, inbox_deleted: 2 })
    } finally {
      await test.close()
    }
  })
})

onPostgres('reactions to one message at once', () => {
  let test: TestProgram
  let uuid = 0
  const openShared = sharedDatabase('postgres')
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  const KINDS = ['delivered', 'opened', 'read', 'dismissed', 'inbox.deleted']
  const readOf = (id: number) => test.program.kernel.db.read('in_app_messages').where({ id }).first('read', 'delivered')
  const settle = () => test.program.inTransaction((tx) => tx.userMessages.settleTallies(100))
  const read = (userId: string, id: number) => ({
    type: 'k.message.read',
    uuid: `u${uuid++}`,
    timestamp: 1,
    data: { type: 2, id },
    userId,
  })

  it('do not wait for a transaction that writes the message, and are counted afterwards', async () => {
    const { program, first } = test
    await addInstall(program, first.id, 'I1', { user: 'anna' })
    await addInstall(program, first.id, 'I2', { user: 'bob' })
    const id = await addMessage(program, first.id)
    await giveMessage(program, first.id, id, ['anna', 'bob'])
    const locked = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    const writer = program.kernel.db.write(async (trx) => {
      await trx('in_app_messages').where({ id }).forUpdate().first('id')
      locked.resolve()
      await done.promise
    })
    await locked.promise
    await program.uploads.ingest(first.id, 'I1', [read('anna', id)])
    done.resolve()
    await writer
    expect((await readOf(id)).read).to.equal(0)
    expect(await program.userMessages.pending(first.id, id)).to.include({ read: 1, delivered: 0 })
    await program.uploads.ingest(first.id, 'I2', [read('bob', id)])
    expect((await readOf(id)).read).to.equal(1)
    expect(await settle()).to.equal(1)
    expect((await readOf(id)).read).to.equal(2)
    expect(await program.userMessages.pending(first.id, id)).to.include({ read: 0 })
  })

  it('of many devices on several nodes neither deadlock nor get lost, whatever their order', async () => {
    const { program, first } = test
    const users = Array.from({ length: 12 }, (_, i) => `user ${i}`)
    const ids = [await addMessage(program, first.id), await addMessage(program, first.id)]
    for (const [i, user] of users.entries()) {
      for (const device of ['a', 'b', 'c']) await addInstall(program, first.id, `${device}${i}`, { user })
    }
    for (const id of ids) await giveMessage(program, first.id, id, users)
    const { wake: _, ticks: _ticks, outcomes: _outcomes, pageMarks: _marks, port: _port, ...parts } = program.kernel
    const nodes = [program, createProgram(parts), createProgram(parts)]
    await Promise.all(
      nodes.flatMap((node, n) => {
        const order = n % 2 ? users.entries() : [...users.entries()].toReversed()
        return [...order].map(([i, user]) => {
          const events = (n % 2 ? ids : ids.toReversed()).flatMap((id) =>
            KINDS.map((kind) => ({ ...read(user, id), type: `k.message.${kind}` })),
          )
          return node.uploads.ingest(first.id, `${'abc'[n]}${i}`, events)
        })
      }),
    )
    await settle()
    for (const id of ids) expect(await readOf(id)).to.deep.equal({ read: users.length, delivered: users.length })
  })
})
