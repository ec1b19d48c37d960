import { expect } from 'chai'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { createLaneControl } from '../../../../src/domain/notifications/deliver/lane-control.ts'
import { PageRecord } from '../../../../src/domain/notifications/deliver/page-record.ts'
import { recoverPages } from '../../../../src/domain/notifications/deliver/recover.ts'
import { endPage } from '../../../../src/domain/notifications/deliver/turn.ts'
import { SLOT } from '../../../../src/domain/notifications/record/page.ts'
import { STATUS } from '../../../../src/domain/notifications/types.ts'
import {
  broadcast,
  deliverDue,
  deliverLosingCommit,
  deliveryParts,
  scriptedSender,
  withAndroids,
} from '../../../support/delivery.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }

onEachDatabase('what is recorded of a page', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  const counts = (id: number) => test.program.ledger.counts(test.first.id, id)
  const status = async (id: number) => (await test.program.notifications.get(test.first.id, id)).status

  async function tell(install: string, type: string, data?: object): Promise<void> {
    const timestamp = test.clock.now() + 1
    const event = { type, uuid: `${install} ${type}`, timestamp, ...(data && { data: { ...data } }) }
    await test.program.inTransaction((tx) => tx.events.ingest(test.first.id, install, [event]))
  }

  for (const [who, left, chunk] of [
    ['everybody', 4, 10],
    ['the last', 3, 1],
    ['the last few', 2, 2],
  ] as const) {
    it(`holds that ${who} of it had unsubscribed, also when nobody is sent to after them`, async () => {
      await withAndroids(test, 4)
      const id = await broadcast(test)
      for (let i = who === 'everybody' ? 0 : left; i < 4; i++) await tell(`install-${i}`, 'k.push.deviceUnsubscribed')
      const { sender, sent } = scriptedSender(() => ACCEPTED)
      await deliverDue(test, sender, { chunk })
      const skipped = 4 - sent.length
      expect(await counts(id)).to.include({ audience: 4, accepted: sent.length, skipped, pending: 0 })
      expect(await status(id)).to.equal(sent.length > 0 ? STATUS.sent : STATUS.failed)
      const [page] = await test.program.ledger.pagesWith(test.first.id, id, 1)
      expect(page!.state).to.equal('done')
    })
  }

  it('includes a skip of an install that changed its platform since the fan-out', async () => {
    await withAndroids(test, 3)
    const id = await broadcast(test)
    await tell('install-1', 'k.push.deviceRegistered', { token: 'a'.repeat(64), type: 1, bundleId: 'com.example.app' })
    expect((await test.program.crm.lookupInstalls(test.first.id, ['install-1'])).get('install-1')).to.include({
      subscribed: true,
    })
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    expect(sent.sort()).to.eql(['token-0', 'token-2'])
    expect(await counts(id)).to.include({ audience: 3, accepted: 2, skipped: 1, pending: 0 })
  })

  it('is logged once while the database does not accept it, not twice a second', async () => {
    await withAndroids(test, 1)
    await broadcast(test)
    const [laneId] = await test.program.queue.dueLanes(test.clock.now(), 1)
    const claim = (await test.program.inTransaction((tx) => tx.queue.claim(laneId!, 'test', test.clock.now(), 30_000)))!
    const page = (await test.program.ledger.claimedPage(claim))!
    const parts = deliveryParts(test)
    const told: string[] = []
    const say = (level: string) => (_fields: object, message: string) => void told.push(`${level} ${message}`)
    const full = Object.assign(new Error('no space'), { name: 'SqliteError', code: 'SQLITE_FULL' })
    const failures: Error[] = [full, full, full, new Error('a bug'), new Error('a bug'), full]
    await endPage(
      {
        ...parts,
        clock: { ...parts.clock, sleep: async () => {} },
        log: { ...parts.log, warn: say('warn'), error: say('error') },
        async inTransaction(work) {
          const failure = failures.shift()
          if (failure) throw failure
          return parts.inTransaction(work)
        },
      },
      {
        laneId: laneId!,
        platform: 2,
        sender: undefined,
        control: createLaneControl({ refusalLimit: 30, holds: 0 }),
        holds: 0,
      },
      new PageRecord(claim, page),
      SLOT.cancelled,
    )
    const what = 'outcomes cannot be recorded'
    expect(told).to.deep.equal([`warn ${what}`, `error ${what}`, `warn ${what}`])
    expect(failures).to.deep.equal([])
  })

  for (const nth of [2, 3]) {
    it(`loses nobody whose transaction was committed although its answer got lost, at the ${nth}. of them`, async () => {
      await withAndroids(test, 6)
      const id = await broadcast(test)
      const { sender, sent } = scriptedSender(() => ACCEPTED)
      await deliverLosingCommit(test, nth, sender, { chunk: 2 })
      await recoverPages(deliveryParts(test), { all: true })
      for (let i = 0; i < 5; i++) {
        test.clock.advance(20_000)
        await deliverDue(test, sender, { chunk: 2 })
      }
      expect(new Set(sent).size).to.equal(6)
      expect(await counts(id)).to.include({ audience: 6, accepted: 6, pending: 0 })
      expect(await status(id)).to.equal(STATUS.sent)
    })
  }
})
