import { expect } from 'chai'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { PLATFORM_TYPES } from '../../../../src/domain/gateways/registry.ts'
import type { DeliveryAreas } from '../../../../src/domain/notifications/deliver/delivery-parts.ts'
import { createLaneControl } from '../../../../src/domain/notifications/deliver/lane-control.ts'
import { openPages } from '../../../../src/domain/notifications/deliver/open-pages.ts'
import { recoverPages } from '../../../../src/domain/notifications/deliver/recover.ts'
import { SLOT } from '../../../../src/domain/notifications/record/page.ts'
import { STATUS } from '../../../../src/domain/notifications/types.ts'
import type { Most } from '../../../../src/platform/queue/queue.ts'
import {
  acceptBroadcast,
  broadcast,
  deliverDue,
  deliverLosingCommit,
  deliverPages,
  deliveryParts,
  scriptedSender,
  sendWithoutAnswers,
  withAndroids,
} from '../../../support/delivery.ts'
import { eventually } from '../../../support/eventually.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }
const PAGE = 10

onEachDatabase('the pages of a lane in a pipe', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': String(PAGE) } })
  })
  afterEach(() => test.close())

  const counts = (id: number) => test.program.ledger.counts(test.first.id, id)
  const pages = (): Promise<{ id: number; state: string; fence: number; outcomes: Buffer }[]> =>
    test.program.kernel.db.read('pages').orderBy('id').select('id', 'state', 'fence', 'outcomes')
  const begunOf = ({ outcomes }: { outcomes: Buffer }) => outcomes.filter((byte) => byte === SLOT.begun).length

  /** A lane whose credential has just been accepted: it is on no trial. */
  function proven() {
    const control = createLaneControl({ refusalLimit: 30, holds: 0 })
    control.note(ACCEPTED, test.clock.now(), 0.5)
    return control
  }

  /** A worker whose requests are on their way until `release` is called. */
  async function twoChunksInFlight(owner: string, chunk: number) {
    const { sent, release } = await sendWithoutAnswers(test, 2 * chunk, () => ACCEPTED, {
      owner,
      chunk,
      control: proven(),
    })
    return { sent: [...sent], release }
  }

  it('has recipients of several pages in flight, two chunks in all', async () => {
    await withAndroids(test, 60)
    const id = await broadcast(test)
    const one = await twoChunksInFlight('one', 12)
    expect((await pages()).map(begunOf)).to.eql([10, 10, 4, 0, 0, 0])
    expect(one.sent).to.have.lengthOf(24)
    await one.release()
    expect(await counts(id)).to.include({ accepted: 24, pending: 36 })
  })

  it('never has more than two chunks begun on disk, also when two notifications take turns', async () => {
    await withAndroids(test, 60)
    const ids = [await broadcast(test), await broadcast(test)]
    let most = 0
    const { sender, sent } = scriptedSender(async () => {
      const begun = (await pages()).map(begunOf).reduce((sum, n) => sum + n, 0)
      most = Math.max(most, begun)
      return ACCEPTED
    })
    await deliverDue(test, sender, { chunk: 12, control: proven() })
    expect(most).to.be.within(1, 24)
    expect(sent).to.have.lengthOf(120)
    for (const id of ids) expect(await counts(id)).to.include({ audience: 60, accepted: 60, pending: 0 })
  })

  it('after a crash sends again to the begun recipients of every page, and to nobody else', async () => {
    await withAndroids(test, 50)
    const id = await broadcast(test)
    const dead = await twoChunksInFlight('dead', 8)
    expect((await pages()).filter((page) => begunOf(page) > 0)).to.have.lengthOf(2)

    await recoverPages(deliveryParts(test), { name: 'dead' })
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender, { control: proven() })
    expect(sent).to.have.lengthOf(34).and.to.not.include.members(dead.sent)
    test.clock.advance(15_000)
    await deliverDue(test, sender, { control: proven() })
    expect(sent.slice(34).sort()).to.eql(dead.sent.sort())
    expect(await counts(id)).to.include({ audience: 50, accepted: 50, pending: 0, unknown: 0 })
    await dead.release()
  })

  it('goes on with the first page when another worker takes over the second, and merges what comes late', async () => {
    await withAndroids(test, 20)
    const id = await broadcast(test)
    const slow = await twoChunksInFlight('slow', 8)
    const [, second] = await pages()
    const taken = { id: second!.id, owner: 'slow', fence: second!.fence, failures: 0 }
    await recoverPages(deliveryParts(test), { claim: taken, restMs: 0 })
    const others = scriptedSender(() => ACCEPTED)
    await deliverDue(test, others.sender, { owner: 'quick', control: proven() })
    expect(others.sent, 'the rest of the second page').to.have.lengthOf(4)

    await slow.release()
    test.clock.advance(15_000)
    await deliverDue(test, others.sender, { owner: 'quick', control: proven() })
    expect([...slow.sent, ...others.sent].sort()).to.eql(Array.from({ length: 20 }, (_, i) => `token-${i}`).sort())
    expect(await counts(id)).to.include({ audience: 20, accepted: 20, pending: 0 })
  })

  it('sends to nobody of the pages that are at hand once the notification is cancelled', async () => {
    await withAndroids(test, 60)
    const id = await broadcast(test)
    let atHand = 0
    const { sender, sent } = scriptedSender(async () => {
      if (sent.length < 20 || atHand > 0) return ACCEPTED
      atHand = (await pages()).filter(({ state }) => state === 'claimed').length
      const set = { status: STATUS.cancelled }
      await test.program.kernel.db.write((trx) => trx('notifications').where({ id }).update(set))
      return ACCEPTED
    })
    await deliverDue(test, sender, { chunk: 8, control: proven() })
    expect(atHand).to.be.at.least(2)
    const after = await counts(id)
    expect(after.accepted).to.equal(sent.length).and.to.be.below(50)
    expect(after.cancelled).to.equal(60 - sent.length)
    expect((await pages()).every(({ state }) => state === 'done')).to.equal(true)
  })

  it('keeps the rate of a notification over all the pages that are at hand', async () => {
    await withAndroids(test, 40)
    const id = await broadcast(test, { rateLimit: 16 })
    const setDue = () =>
      test.program.kernel.db.write((trx) => trx('pages').where({ state: 'queued' }).update({ not_before: 0 }))
    await setDue()
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender, { chunk: 40, control: proven() })
    expect(sent).to.have.lengthOf(16)
    for (let seconds = 1; seconds <= 2; seconds++) {
      test.clock.advance(1000)
      await setDue()
      await deliverDue(test, sender, { chunk: 40, control: proven() })
      expect(sent).to.have.lengthOf(Math.min(40, 16 * (seconds + 1)))
    }
    expect(await counts(id)).to.include({ audience: 40, accepted: 40, pending: 0 })
  })

  it('counts the cap of an install once, whichever of the pages at hand it is on', async () => {
    await withAndroids(test, 40)
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { cap: { count: 1, hours: 24 } }))
    const ids = [await broadcast(test), await broadcast(test)]
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender, { chunk: 25, control: proven() })
    expect(new Set(sent).size).to.equal(40)
    expect(sent).to.have.lengthOf(40)
    const [one, two] = await Promise.all(ids.map(counts))
    expect(one!.accepted + two!.accepted).to.equal(40)
    expect(one!.skipped + two!.skipped).to.equal(40)
  })

  it('on a stop returns the pages that are at hand, without a failure and with nobody begun', async () => {
    await withAndroids(test, 60)
    const id = await broadcast(test)
    const stop = new AbortController()
    let claimed = 0
    const { sender, sent } = scriptedSender(async () => {
      claimed = Math.max(claimed, (await pages()).filter(({ state }) => state === 'claimed').length)
      if (claimed >= 3) stop.abort()
      return ACCEPTED
    })
    await deliverDue(test, sender, { chunk: 8, control: proven(), signal: stop.signal })
    expect(claimed).to.be.at.least(3)
    const left = await pages()
    expect(left.map(({ state }) => state)).to.not.include('claimed')
    expect(left.reduce((sum, page) => sum + begunOf(page), 0)).to.equal(0)
    expect(left.filter(({ state, fence }) => state === 'queued' && fence >= 1)).to.not.eql([])
    expect(Math.max(...left.map(({ fence }) => fence)), 'a failure would count a million').to.be.below(10)
    expect(await counts(id)).to.include({ accepted: sent.length, pending: 60 - sent.length })
  })

  it('claims one page while its credential is on trial', async () => {
    await withAndroids(test, 60)
    const id = await broadcast(test)
    const { sender, sent } = scriptedSender(() => ({ kind: 'config_error', reason: 'PERMISSION_DENIED' }))
    expect(await deliverDue(test, sender, { chunk: 8 })).to.equal(1)
    expect(sent.length).to.be.at.most(16)
    expect(await counts(id)).to.include({ audience: 60, pending: 60 })
  })

  it('tries nobody else of any page when no recipient can get the message', async () => {
    await withAndroids(test, 60)
    const id = await broadcast(test)
    const refused: Outcome = { kind: 'payload_error', reason: 'PayloadTooLarge', everyone: true }
    const { sender, sent } = scriptedSender(() => refused)
    await deliverDue(test, sender, { chunk: 15, control: proven() })
    expect(sent.length).to.be.at.most(30)
    expect(await counts(id)).to.include({ audience: 60, failed: 60, pending: 0 })
  })

  it('claims what becomes due while a request is slow to be answered', async () => {
    await withAndroids(test, 10)
    const ids = [await broadcast(test)]
    const slow = Promise.withResolvers<Outcome>()
    let hangs = true
    const { sender } = scriptedSender((token) => {
      if (token !== 'token-3' || !hangs) return ACCEPTED
      hangs = false
      return slow.promise
    })
    const [laneId] = await test.program.queue.dueLanes(test.clock.now(), 1)
    const lane = { laneId: laneId!, platform: PLATFORM_TYPES.android, sender, control: proven(), holds: 0 }
    const claim = ({ queue }: Pick<DeliveryAreas, 'queue'>, most: Most) =>
      queue.claimSome(laneId!, 'test', test.clock.now(), 30_000, most)
    const first = (await test.program.inTransaction(({ queue }) =>
      queue.claim(laneId!, 'test', test.clock.now(), 30_000),
    ))!
    let moreIsDue = () => {}
    const listen = (call: () => void) => (moreIsDue = call)
    const done = deliverPages(deliveryParts(test, 8), first, lane, undefined, { claim, listen })
    await eventually(async () => (await counts(ids[0]!)).accepted === 9, 'all but one have it')
    ids.push(await broadcast(test))
    moreIsDue()
    await eventually(async () => (await counts(ids[1]!)).accepted === 10, 'the second one went out')
    expect(await counts(ids[0]!)).to.include({ accepted: 9, pending: 1 })
    slow.resolve(ACCEPTED)
    await done
    expect(await counts(ids[0]!)).to.include({ accepted: 10, pending: 0 })
  })

  it('never has more than two chunks begun on disk of many small sends that come while it sends', async () => {
    await withAndroids(test, 40)
    let next = 0
    const ids: number[] = []
    const sendToNext = async () => {
      ids.push(await acceptBroadcast(test, { target: { installIds: [`install-${next++}`] } }))
    }
    await sendToNext()
    let most = 0
    let moreIsDue = () => {}
    const slow = Promise.withResolvers<void>()
    const { sender, sent } = scriptedSender(async (token) => {
      // Each request brings two further sends, until there are all.
      for (let more = 0; more < 2 && next < 40; more++) await sendToNext()
      moreIsDue()
      const begun = (await pages()).map(begunOf).reduce((sum, n) => sum + n, 0)
      most = Math.max(most, begun)
      if (sent.length === 40) slow.resolve()
      // Half of what may be in flight is slow, so that others are claimed while responses wait to be recorded.
      if (Number(token.slice('token-'.length)) < 6) await slow.promise
      return ACCEPTED
    })
    const [laneId] = await test.program.queue.dueLanes(test.clock.now(), 1)
    const lane = { laneId: laneId!, platform: PLATFORM_TYPES.android, sender, control: proven(), holds: 0 }
    const claim = ({ queue }: Pick<DeliveryAreas, 'queue'>, some: Most) =>
      queue.claimSome(laneId!, 'test', test.clock.now(), 30_000, some)
    const first = (await test.program.inTransaction(({ queue }) =>
      queue.claim(laneId!, 'test', test.clock.now(), 30_000),
    ))!
    const listen = (call: () => void) => (moreIsDue = call)
    await deliverPages(deliveryParts(test, 6), first, lane, undefined, { claim, listen })
    await deliverDue(test, sender, { chunk: 6, control: proven() })
    expect(sent).to.have.lengthOf(40)
    expect(most).to.be.within(2, 12)
    for (const id of ids) expect(await counts(id)).to.include({ accepted: 1, pending: 0 })
  })

  it('sends to one person while a broadcast of the same app is under way, before the rest of it', async () => {
    await test.close()
    test = await openShared({ settings: { 'delivery.pageSize': '150' } })
    await withAndroids(test, 600)
    await broadcast(test)
    const titles: string[] = []
    let single: Promise<number> | undefined
    const { sender } = scriptedSender(async (_, { content }) => {
      titles.push(content.title)
      if (titles.length === 200) {
        const target = { installIds: ['install-5'] }
        single = acceptBroadcast(test, { target, content: { title: 'Code', message: '1234' } })
      }
      // The other requests wait, too: otherwise the broadcast goes on for as long as the acceptance takes.
      await single
      return ACCEPTED
    })
    await deliverDue(test, sender, { chunk: 20, control: proven() })
    expect(titles).to.have.lengthOf(601)
    // The rest of a page that is at hand, and two chunks that are being sent.
    expect(titles.indexOf('Code')).to.be.within(200, 200 + 150 + 2 * 20)
    expect(await counts((await single)!)).to.include({ accepted: 1, pending: 0 })
  })

  it('puts back a page that cannot be read, and delivers the others', async () => {
    await withAndroids(test, 40)
    const id = await broadcast(test)
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    const [laneId] = await test.program.queue.dueLanes(test.clock.now(), 1)
    const parts = deliveryParts(test, 8)
    const lane = { laneId: laneId!, platform: PLATFORM_TYPES.android, sender, control: proven(), holds: 0 }
    const claim = () =>
      test.program.inTransaction(({ queue }) => queue.claim(laneId!, 'test', test.clock.now(), 30_000))
    const first = (await claim())!
    const putBack: number[] = []
    const kept = new Set<number>()
    const unreadable = first.id + 1
    await deliverPages(parts, first, lane, undefined, {
      claim: ({ queue }, most) => queue.claimSome(laneId!, 'test', test.clock.now(), 30_000, most),
      keep: ({ id }) => void kept.add(id),
      drop: ({ id }) => void kept.delete(id),
      async open(claims, begun) {
        for (const { id } of claims) if (id === unreadable) throw new Error('a message that cannot be read')
        return openPages(parts, claims, lane, begun)
      },
      putBack: async ({ id }) => void putBack.push(id),
    })
    expect(putBack).to.have.lengthOf(1)
    expect(kept).to.eql(new Set())
    expect(sent).to.have.lengthOf(30)
    expect(await counts(id)).to.include({ accepted: 30, pending: 10 })
  })

  for (const nth of [2, 3, 4, 5]) {
    it(`loses nobody of two pages when the answer to the ${nth}. commit gets lost`, async () => {
      await withAndroids(test, 25)
      const id = await broadcast(test)
      const { sender, sent } = scriptedSender(() => ACCEPTED)
      await deliverLosingCommit(test, nth, sender, { chunk: 8, control: proven() })
      // A claim whose answer got lost is recovered when its lease has run out.
      await recoverPages(deliveryParts(test), { all: true })
      for (let i = 0; i < 5; i++) {
        test.clock.advance(20_000)
        await deliverDue(test, sender, { chunk: 8 })
      }
      expect(new Set(sent).size).to.equal(25)
      expect(sent).to.have.lengthOf(25)
      expect(await counts(id)).to.include({ audience: 25, accepted: 25, pending: 0 })
    })
  }
})
