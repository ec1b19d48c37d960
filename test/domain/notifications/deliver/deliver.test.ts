import { expect } from 'chai'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { createLaneControl } from '../../../../src/domain/notifications/deliver/lane-control.ts'
import { SLOT } from '../../../../src/domain/notifications/record/page.ts'
import { STATUS } from '../../../../src/domain/notifications/types.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../../../support/delivery.ts'
import { addGateway } from '../../../support/gateways.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }

onEachDatabase('delivering', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '20' } })
  })
  afterEach(() => test.close())

  const counts = (id: number) => test.program.ledger.counts(test.first.id, id)
  const status = async (id: number) => (await test.program.notifications.get(test.first.id, id)).status

  it('reaches every subscribed install exactly once and calls the notification sent', async () => {
    await withAndroids(test, 45)
    const id = await broadcast(test)
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    expect(await deliverDue(test, sender)).to.equal(3)
    expect(sent.sort()).to.eql(Array.from({ length: 45 }, (_, i) => `token-${i}`).sort())
    expect(await counts(id)).to.include({ audience: 45, accepted: 45, pending: 0 })
    expect(await status(id)).to.equal(STATUS.sent)
  })

  it('sends nothing that was not begun on disk before, and has at most two chunks in doubt', async () => {
    await withAndroids(test, 20)
    const id = await broadcast(test)
    let mostInDoubt = 0
    const { sender, sent } = scriptedSender(async () => {
      // Now: while the page is read, further ones are begun and sent.
      const sentBefore = sent.length
      const [page] = await test.program.ledger.pagesWith(test.first.id, id, 1)
      const begun = page!.outcomes.filter((byte) => byte === SLOT.begun).length
      const recorded = page!.outcomes.filter((byte) => byte === SLOT.accepted).length
      expect(sentBefore).to.be.at.most(begun + recorded)
      mostInDoubt = Math.max(mostInDoubt, begun)
      return ACCEPTED
    })
    await deliverDue(test, sender, { chunk: 3 })
    expect(mostInDoubt).to.be.within(3, 6)
    expect(await counts(id)).to.include({ accepted: 20 })
  })

  it('forgets a token that the gateway calls dead and keeps it among the retired ones', async () => {
    await withAndroids(test, 3)
    const id = await broadcast(test)
    const { sender } = scriptedSender((token) =>
      token === 'token-1' ? { kind: 'token_dead', reason: 'UNREGISTERED' } : ACCEPTED,
    )
    await deliverDue(test, sender)
    expect(await counts(id)).to.include({ accepted: 2, failed: 1 })
    const lookup = await test.program.crm.lookupInstalls(test.first.id, ['install-1'])
    expect(lookup.get('install-1')).to.include({ subscribed: false })
    expect(await test.program.kernel.db.read('retired_tokens').select('token', 'reason')).to.eql([
      { token: 'token-1', reason: 'UNREGISTERED' },
    ])
    const report = await test.program.notifications.report(test.first.id, id)
    expect(JSON.stringify(report)).to.contain('UNREGISTERED')
  })

  it('keeps a token that was registered after the time at which the gateway says it died', async () => {
    await withAndroids(test, 2)
    await broadcast(test)
    const since = test.clock.now() - 1000
    const { sender } = scriptedSender((token) =>
      token === 'token-0' ? { kind: 'token_dead', reason: 'Unregistered', since } : ACCEPTED,
    )
    await deliverDue(test, sender)
    expect((await test.program.crm.lookupInstalls(test.first.id, ['install-0'])).get('install-0')).to.include({
      subscribed: true,
    })
  })

  it('retires a suspicious token only after three refusals on separate notifications', async () => {
    await withAndroids(test, 2)
    const { sender } = scriptedSender((token) =>
      token === 'token-0' ? { kind: 'token_suspect', reason: 'BadDeviceToken' } : ACCEPTED,
    )
    const subscribed = async () =>
      (await test.program.crm.lookupInstalls(test.first.id, ['install-0'])).get('install-0')!.subscribed
    for (const expected of [true, true, false]) {
      await broadcast(test)
      await deliverDue(test, sender)
      expect(await subscribed()).to.equal(expected)
    }
  })

  it('tries again after a failure of the gateway, not before its time, and loses nobody', async () => {
    await withAndroids(test, 10)
    const id = await broadcast(test)
    let failing = true
    const { sender, sent } = scriptedSender((token) =>
      failing && token === 'token-4' ? { kind: 'gateway_down', reason: '503', afterMs: 60_000 } : ACCEPTED,
    )
    await deliverDue(test, sender)
    expect(await counts(id)).to.include({ audience: 10, accepted: 9, pending: 1 })
    expect(await status(id)).to.equal(STATUS.sending)
    failing = false
    test.clock.advance(59_999)
    expect(await deliverDue(test, sender)).to.equal(0)
    test.clock.advance(1)
    await deliverDue(test, sender)
    expect(await counts(id)).to.include({ audience: 10, accepted: 10, pending: 0 })
    expect(sent.filter((token) => token === 'token-4')).to.have.lengthOf(2)
    expect(await status(id)).to.equal(STATUS.sent)
  })

  it('spends on retries a tenth of the first attempts and a hundred more, and lets first attempts go before them', async () => {
    await withAndroids(test, 200)
    const id = await broadcast(test)
    const control = createLaneControl({ refusalLimit: 30, holds: 0 })
    const seen = new Set<string>()
    const { sender, sent } = scriptedSender((token) => {
      if (seen.has(token) || Number(token.slice(6)) % 5 < 2) return ACCEPTED
      seen.add(token)
      return { kind: 'throttled_recipient', reason: '429', afterMs: 1000 }
    })
    await deliverDue(test, sender, { control })
    expect(await counts(id)).to.include({ accepted: 80, pending: 120 })
    test.clock.advance(1000)
    await deliverDue(test, sender, { control })
    expect(sent, '200 first attempts pay for 20 retries beside the 100').to.have.lengthOf(320)

    const more = await broadcast(test)
    seen.clear()
    await deliverDue(test, sender, { control })
    test.clock.advance(1000)
    await deliverDue(test, sender, { control })
    expect(await counts(more)).to.include({ accepted: 80 + 21, pending: 99 })
    test.clock.advance(60_000)
    await deliverDue(test, sender, { control })
    expect(await counts(more)).to.include({ accepted: 200, pending: 0 })
    expect(sent).to.have.lengthOf(640)
  })

  it('holds the lane when our credential is wrong: nobody fails, no token is lost, all go out later', async () => {
    await withAndroids(test, 15)
    const id = await broadcast(test)
    const wrong = scriptedSender(() => ({ kind: 'config_error', reason: 'PERMISSION_DENIED' }))
    await deliverDue(test, wrong.sender, { chunk: 5 })
    expect(await counts(id)).to.include({ audience: 15, pending: 15, failed: 0 })
    const [lane] = await test.program.gateways.lanes.list(test.first.id)
    expect(lane).to.include({ holdKind: 'config_error', holdReason: 'PERMISSION_DENIED', holds: 1 })
    expect(await deliverDue(test, wrong.sender)).to.equal(0)

    test.clock.advance(5 * 60_000)
    const before = wrong.sent.length
    await deliverDue(test, wrong.sender, { chunk: 5 })
    expect(wrong.sent.length - before, 'one probe').to.equal(1)

    test.clock.advance(10 * 60_000)
    await deliverDue(test, scriptedSender(() => ACCEPTED).sender)
    expect(await counts(id)).to.include({ accepted: 15, pending: 0 })
    expect((await test.program.gateways.lanes.list(test.first.id))[0]).to.include({ heldUntil: 0, holds: 0 })
  })

  it('goes on at once when the operator stores another credential', async () => {
    await withAndroids(test, 3)
    const id = await broadcast(test)
    await deliverDue(test, scriptedSender(() => ({ kind: 'config_error', reason: 'invalid_grant' })).sender)
    await addGateway(test)
    await deliverDue(test, scriptedSender(() => ACCEPTED).sender)
    expect(await counts(id)).to.include({ accepted: 3 })
  })

  it('takes a gateway that refuses every token for a wrong credential: nobody fails, nobody is retired', async () => {
    await withAndroids(test, 60)
    const id = await broadcast(test)
    const { sender, sent } = scriptedSender(() => ({ kind: 'token_suspect', reason: 'SENDER_ID_MISMATCH' }))
    await deliverDue(test, sender, { chunk: 20 })
    expect(await counts(id)).to.include({ audience: 60, pending: 60, failed: 0 })
    expect(sent.length).to.be.at.most(40)
    expect(await test.program.kernel.db.read('installs').where({ token_refusals: 0 })).to.have.lengthOf(60)
  })

  it('gives up a message that nobody could ever get after the first refusal', async () => {
    await withAndroids(test, 20)
    const id = await broadcast(test)
    const { sender, sent } = scriptedSender(() => ({
      kind: 'payload_error',
      reason: 'PayloadTooLarge',
      everyone: true,
    }))
    await deliverDue(test, sender, { chunk: 2 })
    expect(sent.length).to.be.at.most(4)
    expect(await counts(id)).to.include({ audience: 20, failed: 20, pending: 0 })
    expect(await status(id)).to.equal(STATUS.failed)
  })

  it('sends nothing more once the notification is cancelled', async () => {
    await withAndroids(test, 20)
    const id = await broadcast(test)
    const set = { status: STATUS.cancelled }
    const cancel = () => test.program.kernel.db.write((trx) => trx('notifications').where({ id }).update(set))
    let cancelled: Promise<unknown> | undefined
    const { sender, sent } = scriptedSender(async () => {
      // Nothing is answered before it is cancelled: what is sent behind it was begun behind it.
      await (cancelled ??= cancel())
      return ACCEPTED
    })
    await deliverDue(test, sender, { chunk: 2 })
    expect(sent.length).to.be.at.most(4)
    const after = await counts(id)
    expect(after.accepted + after.cancelled).to.equal(20)
    expect(await status(id)).to.equal(STATUS.cancelled)
  })

  it('lets what is over its time expire unsent', async () => {
    await withAndroids(test, 5)
    const id = await broadcast(test, { ttl: 60 })
    test.clock.advance(60_000)
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    expect(sent).to.eql([])
    expect(await counts(id)).to.include({ audience: 5, expired: 5 })
    expect(await status(id)).to.equal(STATUS.failed)
  })

  it('skips an install that unsubscribed after the fan-out', async () => {
    await withAndroids(test, 2)
    const id = await broadcast(test)
    await test.program.inTransaction((tx) =>
      tx.events.ingest(test.first.id, 'install-0', [
        { type: 'k.push.deviceUnsubscribed', uuid: 'off', timestamp: test.clock.now() + 1 },
      ]),
    )
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender)
    expect(sent).to.eql(['token-1'])
    expect(await counts(id)).to.include({ accepted: 1, skipped: 1 })
  })

  it('on a stop finishes what is under way and gives the rest back', async () => {
    await withAndroids(test, 20)
    const id = await broadcast(test)
    const stop = new AbortController()
    const { sender, sent } = scriptedSender(() => {
      stop.abort()
      return ACCEPTED
    })
    await deliverDue(test, sender, { chunk: 2, signal: stop.signal })
    const after = await counts(id)
    expect(after.accepted).to.equal(sent.length).and.to.be.at.most(6)
    expect(after.pending).to.equal(20 - sent.length)
    await deliverDue(test, sender)
    expect(new Set(sent).size).to.equal(sent.length)
    expect(await counts(id)).to.include({ accepted: 20 })
  })

  it('calls a recipient unknown whose answer got lost three times', async () => {
    await withAndroids(test, 1)
    const id = await broadcast(test)
    const { sender, sent } = scriptedSender(() => ({ kind: 'uncertain', reason: 'deadline' }))
    for (let i = 0; i < 5; i++) {
      await deliverDue(test, sender)
      test.clock.advance(60_000)
    }
    expect(sent).to.have.lengthOf(3)
    expect(await counts(id)).to.include({ audience: 1, unknown: 1, pending: 0 })
  })

  it('ends everybody in exactly one state whatever the gateway answers', async () => {
    await withAndroids(test, 60)
    const id = await broadcast(test)
    let seed = 7
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    const answers: Outcome[] = [
      ACCEPTED,
      ACCEPTED,
      ACCEPTED,
      { kind: 'token_dead', reason: 'gone' },
      { kind: 'payload_error', reason: 'bad field', everyone: false },
      { kind: 'throttled_recipient', reason: '429' },
      { kind: 'throttled_gateway', reason: '429' },
      { kind: 'gateway_down', reason: '503' },
      { kind: 'config_error', reason: '403' },
      { kind: 'uncertain', reason: 'cut' },
    ]
    const { sender } = scriptedSender(() => answers[Math.floor(random() * answers.length)]!)
    for (let i = 0; i < 500; i++) {
      await deliverDue(test, sender, { chunk: 7 })
      const now = await counts(id)
      expect(now.audience).to.equal(60)
      const { audience, ...states } = now
      expect(Object.values(states).reduce((sum, n) => sum + n, 0)).to.equal(audience)
      if (now.pending === 0) break
      test.clock.advance(600_000)
    }
    const end = await counts(id)
    expect(end.pending).to.equal(0)
    expect([STATUS.sent, STATUS.failed]).to.include(await status(id))
  })
})
