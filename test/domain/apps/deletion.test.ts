import { expect } from 'chai'
import type { Knex } from 'knex'
import { type DeletionParts, deleteApp } from '../../../src/domain/apps/deletion.ts'
import type { Outcome } from '../../../src/domain/gateways/gateway.ts'
import { PLATFORM_TYPES } from '../../../src/domain/gateways/registry.ts'
import { createLaneControl } from '../../../src/domain/notifications/deliver/lane-control.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import {
  broadcast,
  deliverDue,
  deliverPages,
  deliveryParts,
  scriptedSender,
  withAndroids,
} from '../../support/delivery.ts'
import { countRows, fillEveryTable, notFilled, wholeDatabase } from '../../support/every-table.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'
import { listenToWrites } from '../../support/statements.ts'

const INTERRUPTED = 'the command was interrupted'

onEachDatabase('deleting an app in slices', (kind) => {
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram({ kind })
  })
  afterEach(() => test.close())

  /** `deleteApp` without pauses. */
  function deleteQuickly(appId: number, parts: Partial<DeletionParts> = {}): Promise<void> {
    const { inTransaction } = test.program
    return deleteApp({ inTransaction, clock: { monotonic: () => 0, sleep: async () => {} }, ...parts }, appId)
  }

  /** The same, ended after so many transactions. */
  async function interruptAfter(transactions: number, appId: number): Promise<void> {
    let begun = 0
    const inTransaction: DeletionParts['inTransaction'] = async (work) => {
      if (begun++ === transactions) throw new Error(INTERRUPTED)
      return test.program.inTransaction(work)
    }
    const end = await deleteQuickly(appId, { inTransaction }).catch((error: Error) => error.message)
    expect(end).to.equal(INTERRUPTED)
  }

  /** Clears away what deleted channels and purposes left behind, as the server does. */
  async function clearChannels(): Promise<void> {
    while (await test.program.inTransaction((tx) => tx.channels.clearAway()));
    while ((await test.program.inTransaction((tx) => tx.purposes.forget(10))) > 0);
    while ((await test.program.inTransaction((tx) => tx.metrics.forget(10))) > 0);
  }

  it('nothing of it is left in any table, and all of another app', async () => {
    const { program, first } = test
    const sql = program.kernel.db.read
    await fillEveryTable(program, first.id)
    await clearChannels()
    const before = await wholeDatabase(sql)

    const { id } = await program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await fillEveryTable(program, id)
    expect(notFilled(before, await wholeDatabase(sql)), 'tables that this test does not fill').to.deep.equal([])
    await deleteQuickly(id)
    await clearChannels()
    expect(await wholeDatabase(sql)).to.deep.equal(before)
  })

  it('ended in the middle it is listed, nobody gets in, nothing is sent, and a second call finishes it', async () => {
    const { program, clock, first } = test
    const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await program.inTransaction((tx) => tx.apps.rotate(first.id, 'server', 3_600_000))
    const { key } = await program.inTransaction((tx) => tx.restKeys.create(first.id, { permissions: ['read'] }))
    await withAndroids(test, 3)
    const pushed = await broadcast(test)
    await fillEveryTable(program, first.id)
    await fillEveryTable(program, other.id)
    const due = async () => [
      (await program.ledger.dueRuns(clock.now(), 10)).length,
      (await program.inAppWalks.due(clock.now(), 10)).length,
    ]
    expect(await due()).to.deep.equal([2, 2])

    for (const transactions of [1, 3]) {
      await interruptAfter(transactions, first.id)
      expect((await program.apps.list()).map(({ id }) => id)).to.deep.equal([first.id, other.id])
      expect(await program.apps.findByApiKey(first.apiKey)).to.equal(undefined)
      expect(await program.apps.authenticate(first.apiKey, first.serverKey, 'server')).to.equal(undefined)
      expect(await program.apps.authenticate(first.apiKey, first.secretKey, 'secret')).to.equal(undefined)
      expect(await program.restKeys.authenticate(key)).to.equal(undefined)
      expect(await due(), 'what is due is of the other app').to.deep.equal([1, 1])
    }
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(test, sender)
    expect(sent).to.deep.equal([])
    expect(await program.ledger.counts(first.id, pushed)).to.include({ audience: 3, cancelled: 3 })

    await deleteQuickly(first.id)
    expect((await program.apps.list()).map(({ id }) => id)).to.deep.equal([other.id])
    expect(await program.apps.authenticate(other.apiKey, other.serverKey, 'server')).to.equal(other.id)
    expect(await due()).to.deep.equal([1, 1])
  })

  for (const [when, transactions] of [
    ['it is closed', 1],
    ['its pages are gone', 5],
    ['it is gone', undefined],
  ] as const) {
    it(`a send that is under way when ${when} ends without an error, and nobody else is sent to`, async () => {
      const { program, first, clock } = test
      await withAndroids(test, 50)
      await broadcast(test)
      const answers = Promise.withResolvers<Outcome>()
      const asked = Promise.withResolvers<void>()
      const { sender, sent } = scriptedSender(() => {
        asked.resolve()
        return answers.promise
      })
      const errors: string[] = []
      const log = { ...silentLog, error: (_fields: object, message: string) => void errors.push(message) }
      const [laneId] = await program.queue.dueLanes(clock.now(), 1)
      const claim = await program.inTransaction((tx) => tx.queue.claim(laneId!, 'test', clock.now(), 30_000))
      const lane = (await program.gateways.lanes.find(laneId!))!
      const control = createLaneControl({ refusalLimit: 30, holds: lane.holds })
      const context = { laneId: lane.id, platform: PLATFORM_TYPES[lane.platform], sender, control, holds: lane.holds }
      const delivered = deliverPages({ ...deliveryParts(test, 10), log }, claim!, context)
      await asked.promise
      if (transactions === undefined) await deleteQuickly(first.id)
      else await interruptAfter(transactions, first.id)
      answers.resolve({ kind: 'token_dead', reason: 'gone' })
      await delivered
      expect(errors).to.deep.equal([])
      // Two chunks may be on their way, no more.
      expect(sent.length).to.be.at.most(20)
      expect(await deliverDue(test, sender)).to.equal(0)
      if (transactions !== undefined) await deleteQuickly(first.id)
      expect(await program.apps.list()).to.deep.equal([])
    })
  }

  if (kind === 'sqlite') {
    it('what a slice deletes is found through indexes, and what goes with it as well', async () => {
      const { program, first } = test
      const { db } = program.kernel
      await fillEveryTable(program, first.id)
      const deletes = new Map<string, readonly unknown[]>()
      listenToWrites(program, (sql, bindings) => {
        if (sql.startsWith('delete ') && sql.includes('rowid')) deletes.set(sql, bindings)
      })
      await deleteQuickly(first.id)
      expect(deletes.size).to.be.at.least(15)
      const read: string[] = []
      for (const [sql, bindings] of deletes) {
        const plan: { detail: string }[] = await db.read.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings as Knex.RawBinding[])
        for (const { detail } of plan) if (detail.startsWith('SCAN ')) read.push(detail)
      }
      expect(read.filter((detail) => detail !== 'SCAN owners')).to.deep.equal([])
    })
  }

  it('no slice deletes more rows than its limit and the few that go with each', async () => {
    const { program, first } = test
    const count = 230
    for (let i = 0; i < count; i++) await addInstall(program, first.id, `install-${i}`, { user: `user-${i}` })
    await fillEveryTable(program, first.id)
    const { db, clock } = program.kernel
    const [message, notification] = await Promise.all(
      ['in_app_messages', 'notifications'].map((table) => db.read(table).where({ app_id: first.id }).first('id')),
    )
    await db.write(async (trx) => {
      const at = clock.now()
      await trx.raw(
        `INSERT INTO user_messages (user_id, message_id, app_id, sent_at, updated_at)
         SELECT id, ?, app_id, ?, ? FROM users WHERE identifier LIKE 'user-%'`,
        [message.id, at, at],
      )
      await trx.raw(
        `INSERT INTO notification_opens (notification_id, app_id, install_row, user_identifier)
         SELECT ?, app_id, id, 'x' FROM installs WHERE install_id LIKE 'install-%'`,
        [notification.id],
      )
      await trx.raw(
        `INSERT INTO events (app_id, install_row, uuid, type, happened_at, received_at)
         SELECT app_id, id, 'x', 'x', ?, ? FROM installs WHERE install_id LIKE 'install-%'`,
        [at, at],
      )
    })
    const size = () => countRows(db.read)
    const slices: { limit: number; rows: number; lost: number }[] = []
    await deleteQuickly(first.id, {
      async inTransaction(work) {
        const before = await size()
        let limit = Number.POSITIVE_INFINITY
        let rows = 0
        const result = await program.inTransaction(({ apps }) =>
          work({
            apps: {
              ...apps,
              async clear(id, area, most) {
                const cleared = await apps.clear(id, area, most)
                limit = most
                rows = cleared ?? 0
                return cleared
              },
            },
          }),
        )
        slices.push({ limit, rows, lost: before - (await size()) })
        return result
      },
    })
    expect(slices[0]!.lost, 'the first transaction').to.equal(0)
    for (const { limit, rows, lost } of slices.slice(1, -1)) {
      expect(rows).to.be.at.most(limit)
      expect(lost)
        .to.be.at.least(rows)
        .and.at.most(rows * 3 + 8)
    }
    expect(slices.at(-1)!.lost, 'the last transaction').to.be.below(40)
    expect(slices.filter(({ rows, limit }) => rows === limit).length, 'full slices').to.be.at.least(4)
  })
})

describe('the slices of a deletion', () => {
  /** The limits of the slices and the pauses after them, when an area has as many rows as anybody wants, `slices` times. */
  async function slicesTaking(ms: number, slices: number): Promise<{ limits: number[]; pauses: number[] }> {
    const limits: number[] = []
    const pauses: number[] = []
    let now = 0
    const apps = {
      close: async () => {},
      async clear(_id: number, area: number, limit: number) {
        if (area > 0) return undefined
        limits.push(limit)
        now += ms
        return limits.length < slices ? limit : 0
      },
      delete: async () => {},
    }
    const clock = { monotonic: () => now, sleep: async (pause: number) => void pauses.push(pause) }
    await deleteApp({ inTransaction: (work) => work({ apps }), clock }, 1)
    const [first, ...others] = pauses
    expect(first, 'other processes may know the keys for a second').to.equal(1000)
    return { limits, pauses: others }
  }

  it('become bigger while they are quick, up to a limit', async () => {
    const { limits, pauses } = await slicesTaking(1, 12)
    expect(limits.slice(0, 4)).to.deep.equal([100, 150, 225, 338])
    expect(Math.max(...limits)).to.equal(2000)
    expect(new Set(pauses)).to.deep.equal(new Set([12]))
  })

  it('become smaller while they are slow, and others get as much time as they took', async () => {
    const { limits, pauses } = await slicesTaking(100, 5)
    expect(limits).to.deep.equal([100, 25, 10, 10, 10])
    expect(new Set(pauses)).to.deep.equal(new Set([100]))
  })
})
