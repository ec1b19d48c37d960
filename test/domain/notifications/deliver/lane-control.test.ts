import { expect } from 'chai'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { createLaneControl } from '../../../../src/domain/notifications/deliver/lane-control.ts'

describe('the health of a lane', () => {
  const accepted: Outcome = { kind: 'accepted' }
  const down: Outcome = { kind: 'gateway_down', reason: '503' }
  const suspect: Outcome = { kind: 'token_suspect', reason: 'DeviceTokenNotForTopic' }
  const dead: Outcome = { kind: 'token_dead', reason: 'Unregistered' }
  const open = () => createLaneControl({ refusalLimit: 30, holds: 0 })
  const feed = (control: ReturnType<typeof open>, outcomes: Outcome[], now = 0) =>
    outcomes.forEach((outcome) => control.note(outcome, now, 0.5))
  const times = (count: number, outcome: Outcome): Outcome[] => Array.from({ length: count }, () => outcome)

  it('lets everything through while all is well', () => {
    const control = open()
    feed(control, times(500, accepted))
    expect(control.hold).to.equal(null)
    expect(control.allowance(200, 200, 0)).to.equal(200)
  })

  it('stops at the first word that our credential is wrong, and looks again after 5 minutes', () => {
    const control = open()
    feed(
      control,
      [
        { kind: 'config_error', reason: 'BadCertificate' },
        { kind: 'config_error', reason: 'later' },
      ],
      1000,
    )
    expect(control.hold).to.eql({ until: 301_000, kind: 'config_error', reason: 'BadCertificate', holds: 1 })
    expect(control.allowance(200, 0, 1000)).to.equal(0)
  })

  it('doubles the wait up to an hour while nothing changes', () => {
    const waits = [0, 1, 2, 3, 4, 9].map((holds) => {
      const control = createLaneControl({ refusalLimit: 30, holds })
      feed(control, [{ kind: 'config_error', reason: 'x' }])
      return control.hold!.until / 60_000
    })
    expect(waits).to.eql([5, 10, 20, 40, 60, 60])
  })

  it('has a credential in question after an answer about it, until something is accepted or a minute is over', () => {
    const control = open()
    expect(control.isInQuestion(0)).to.equal(false)
    feed(control, [{ ...suspect, local: true }])
    expect(control.isInQuestion(0)).to.equal(false)
    feed(control, [suspect])
    expect([control.isInQuestion(0), control.isInQuestion(60_000)]).to.deep.equal([true, false])
    feed(control, [accepted])
    expect(control.isInQuestion(0)).to.equal(false)
  })

  it('after a hold tries one recipient at a time until one is accepted', () => {
    const control = createLaneControl({ refusalLimit: 30, holds: 2 })
    expect(control.allowance(200, 0, 0)).to.equal(1)
    expect(control.allowance(200, 1, 0)).to.equal(0)
    feed(control, [accepted])
    expect(control.probing).to.equal(false)
    expect(control.allowance(200, 0, 0)).to.equal(200)
  })

  const local: Outcome[] = [
    { ...down, local: true },
    { ...down, reason: '507', local: 'recipient' },
    { kind: 'throttled_gateway', reason: '429', afterMs: 60_000, local: true },
    { kind: 'throttled_gateway', reason: '429', afterMs: 60_000, local: 'recipient' },
    { ...suspect, local: true },
    { ...dead, local: true },
  ]
  for (const outcome of local) {
    it(`goes on when one host of many says ${outcome.kind}, however often`, () => {
      const control = open()
      feed(control, [accepted, ...times(500, outcome)])
      expect(control.hold).to.equal(null)
      expect(control.allowance(200, 0, 0)).to.equal(200)
    })
  }

  it('asks for no budget of retries where the sender spares every host by itself', () => {
    const control = createLaneControl({ refusalLimit: 30, holds: 0, manyHosts: true })
    feed(control, [accepted])
    for (let i = 0; i < 10; i++) expect(control.allowance(200, 0, 0, 'retry')).to.equal(200)
    expect(control.retryWaitMs(1000, 0)).to.equal(0)
  })

  it('says since when a gateway has not answered, until it answers or was not asked for longer than any wait', () => {
    const control = open()
    expect(control.silence(0)).to.equal(undefined)
    feed(control, [down], 1000)
    feed(control, [{ kind: 'uncertain', reason: 'no answer' }], 301_000)
    expect(control.silence(310_000)).to.deep.equal({ since: 1000, reason: 'no answer' })
    feed(control, [accepted], 311_000)
    expect(control.silence(312_000)).to.equal(undefined)
    // Another thread may have sent what waited, or it was called off: nobody comes here to take it back.
    feed(control, [down], 400_000)
    expect(control.silence(759_999)).to.deep.equal({ since: 400_000, reason: '503' })
    expect(control.silence(760_000)).to.equal(undefined)
    feed(control, [down], 900_000)
    expect(control.silence(900_000)).to.deep.equal({ since: 900_000, reason: '503' })
  })

  it('opens the breaker after 20 failures in a row, not after 19', () => {
    const control = open()
    feed(control, times(19, down))
    expect(control.hold).to.equal(null)
    feed(control, [down])
    expect(control.hold).to.include({ kind: 'gateway_down', reason: '503' })
  })

  for (const kind of ['gateway_down', 'throttled_gateway'] as const) {
    it(`leaves a gateway alone for a second that wants to be asked again at once (${kind})`, () => {
      const control = open()
      const atOnce: Outcome = { kind, reason: '503', afterMs: 0 }
      feed(control, times(20, atOnce), 5000)
      expect(control.hold).to.include({ kind, until: 6000 })
      control.resume(1)
      feed(control, [atOnce], 6000)
      expect(control.hold).to.include({ kind, until: 7000, holds: 2 })
    })
  }

  it('opens the breaker when more than half of the last hundred failed', () => {
    const control = open()
    for (let i = 0; i < 34; i++) feed(control, [down, down, accepted])
    expect(control.hold).to.include({ kind: 'gateway_down' })
  })

  it('rides out one failure in a hundred', () => {
    const control = open()
    for (let i = 0; i < 20; i++) feed(control, [...times(99, accepted), down])
    expect(control.hold).to.equal(null)
  })

  it('takes 20 refused tokens in a row for a wrong credential: nobody may be retired for that', () => {
    const control = open()
    feed(control, times(20, suspect))
    expect(control.hold).to.include({ kind: 'config_error' })
    expect(control.hold!.reason).to.contain('DeviceTokenNotForTopic')
    expect(control.refusalsDoubted).to.equal(true)
  })

  it('takes more than 30 % refusals among the last 200 for a wrong credential', () => {
    const control = open()
    for (let i = 0; i < 103; i++) feed(control, [accepted, i % 10 < 7 ? dead : accepted])
    expect(control.hold).to.include({ kind: 'config_error' })
  })

  it('forgets, when it goes on, what was refused and what failed before', () => {
    const refused = open()
    feed(refused, times(20, suspect))
    refused.resume(1)
    feed(refused, times(19, suspect))
    expect(refused.hold, 'refusals in a row').to.equal(null)

    const share = open()
    for (let i = 0; i < 103; i++) feed(share, [accepted, i % 10 < 7 ? dead : accepted])
    expect(share.hold).to.include({ kind: 'config_error' })
    share.resume(1)
    feed(share, [accepted, ...times(3, dead)])
    expect(share.hold, 'the share of refused tokens').to.equal(null)

    const failed = open()
    for (let i = 0; i < 34; i++) feed(failed, [down, down, accepted])
    expect(failed.hold).to.include({ kind: 'gateway_down' })
    failed.resume(0)
    feed(failed, [down])
    expect(failed.hold, 'the share of failures').to.equal(null)

    const inARow = open()
    feed(inARow, times(20, down))
    inARow.resume(0)
    feed(inARow, times(19, down))
    expect(inARow.hold, 'failures in a row').to.equal(null)
  })

  it('lets those whom a crash left in doubt go at its own pace, beside the budget of retries', () => {
    const control = open()
    feed(control, [accepted])
    expect(control.allowance(200, 0, 0, 'retry')).to.equal(100)
    expect(control.allowance(200, 0, 0, 'retry'), 'the budget is used up').to.equal(0)
    for (let i = 0; i < 10; i++) expect(control.allowance(200, 0, 0, 'after-crash')).to.equal(200)
    expect(control.allowance(200, 0, 0, 'retry'), 'they are no first attempts that pay for retries').to.equal(0)
    const held = createLaneControl({ refusalLimit: 30, holds: 2 })
    expect(held.allowance(200, 0, 0, 'after-crash'), 'a lane that is tried goes on one by one').to.equal(1)
  })

  it('believes a vendor who calls a few tokens dead', () => {
    const control = open()
    feed(control, times(25, dead))
    expect(control.hold).to.equal(null)
  })

  it('obeys the pause that a throttling gateway asks for, then goes on at half speed', () => {
    const control = open()
    for (let second = 0; second < 3; second++) {
      for (let i = 0; i < 400; i++) control.note(accepted, second * 1000 + i * 2.5, 0.5)
    }
    control.note({ kind: 'throttled_gateway', reason: '429', afterMs: 60_000 }, 3000, 0.5)
    expect(control.hold).to.include({ kind: 'throttled_gateway', until: 63_000 })
    control.resume(0)
    let sent = 0
    for (let ms = 63_000; ms < 73_000; ms += 100) sent += control.allowance(200, 0, ms)
    expect(sent / 10).to.be.within(150, 260)
    expect(control.waitMs(73_000)).to.be.within(0, 10)
  })

  it('a complaint at the very beginning, or after a pause, does not slow it down to a crawl', () => {
    for (const since of [0, 3_600_000]) {
      const control = open()
      feed(control, times(5, accepted))
      control.allowance(200, 0, since)
      control.note(accepted, since + 5, 0.5)
      control.note({ kind: 'throttled_gateway', reason: '429', afterMs: 1000 }, since + 10, 0.5)
      control.resume(1)
      control.note({ kind: 'throttled_gateway', reason: '429', afterMs: 1000 }, since + 2000, 0.5)
      control.resume(2)
      control.note(accepted, since + 4000, 0.5)
      let sent = 0
      for (let ms = since + 5000; ms < since + 6000; ms += 100) sent += control.allowance(200, 0, ms)
      expect(sent).to.be.at.least(800)
    }
  })
})
