import { expect } from 'chai'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { createServiceHealth } from '../../../../src/domain/gateways/web/service-health.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }
const DEAD: Outcome = { kind: 'token_dead', reason: 'HTTP 410' }
const DOWN: Outcome = { kind: 'gateway_down', reason: 'HTTP 500', local: true }
const UNCERTAIN: Outcome = { kind: 'uncertain', reason: 'no answer' }
const throttled = (afterMs: number): Outcome => ({
  kind: 'throttled_gateway',
  reason: 'HTTP 429',
  afterMs,
  local: true,
})

describe('the health of one push service', () => {
  const open = () => createServiceHealth(() => 0.5)
  const last = ({ begun }: ReturnType<typeof open>) => ({ endpoint: `/${begun}`, number: begun })
  const ask = (health: ReturnType<typeof open>, outcome: Outcome, now: number) => {
    const refused = health.begin(now)
    if (!refused) health.ended(outcome, now, last(health))
    return refused
  }

  it('lets everybody through while it answers, whatever it thinks of them', () => {
    const health = open()
    for (let i = 0; i < 200; i++) expect(ask(health, i % 2 ? ACCEPTED : DEAD, i)).to.equal(undefined)
    expect(health.inFlight).to.equal(0)
  })

  it('is not asked before the time that it wants', () => {
    const health = open()
    ask(health, throttled(120_000), 0)
    expect(health.begin(1)).to.deep.equal({
      kind: 'throttled_gateway',
      reason: 'HTTP 429',
      afterMs: 119_999,
      local: true,
    })
    expect(health.begin(119_999)).to.include({ afterMs: 1 })
    expect(health.begin(120_000)).to.equal(undefined)
  })

  it('waits a second at least, and the longest that any answer wants', () => {
    const health = open()
    for (let i = 0; i < 3; i++) health.begin(0)
    health.ended(throttled(0), 0, last(health))
    health.ended(throttled(50_000), 0, last(health))
    health.ended(throttled(10_000), 0, last(health))
    expect(health.begin(999)).to.include({ afterMs: 49_001 })
  })

  it('is tried with one request after a pause, until something is accepted', () => {
    const health = open()
    ask(health, throttled(1000), 0)
    expect(health.begin(1000)).to.equal(undefined)
    expect(health.begin(1000)).to.include({ kind: 'throttled_gateway', afterMs: 2000 })
    health.ended(ACCEPTED, 1100, last(health))
    expect([health.begin(1100), health.begin(1100)]).to.deep.equal([undefined, undefined])
  })

  it('lets the others come back later the longer it is in trouble, so that they do not come in vain all the time', () => {
    const health = open()
    let now = 0
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map(() => {
      ask(health, throttled(1000), now)
      now += 1000
      health.begin(now)
      const { afterMs } = health.begin(now) as { afterMs: number }
      health.ended(throttled(1000), now, last(health))
      now += 1000
      return afterMs
    })
    expect(waits[0]).to.equal(2000)
    expect(waits).to.deep.equal([...waits].sort((a, b) => a - b))
    expect(waits.at(-1)).to.equal(60_000)
  })

  it('is left alone after ten failures in a row, longer each time', () => {
    const health = open()
    let now = 0
    for (let i = 0; i < 10; i++) expect(ask(health, DOWN, now)).to.equal(undefined)
    const waits: number[] = []
    for (let i = 0; i < 6; i++) {
      const refused = health.begin(now) as { afterMs: number }
      waits.push(refused.afterMs)
      now += refused.afterMs
      ask(health, DOWN, now)
    }
    expect(waits).to.deep.equal([...waits].sort((a, b) => a - b))
    expect(waits.at(-1)).to.be.greaterThan(waits[0]! * 4)
  })

  it('is left alone when three in ten fail, not when one does', () => {
    const few = open()
    for (let i = 0; i < 100; i++) ask(few, i % 10 === 0 ? DOWN : ACCEPTED, 0)
    expect(few.begin(0)).to.equal(undefined)
    const many = open()
    for (let i = 0; i < 50; i++) ask(many, i % 3 !== 0 ? ACCEPTED : DOWN, 0)
    expect(many.begin(0)).to.include({ kind: 'gateway_down', local: true })
  })

  it('is not left alone when it is one of phones and fails for some of them', () => {
    const health = createServiceHealth(() => 0.5, { isOfBrowsers: false })
    const askFor = (endpoint: string, outcome: Outcome) => {
      const refused = health.begin(0)
      if (!refused) health.ended(outcome, 0, { endpoint, number: health.begun })
      return refused
    }
    for (let i = 0; i < 90; i++) expect(askFor(`/${i}`, i % 3 === 0 ? ACCEPTED : DOWN)).to.equal(undefined)
    // The same ones again, one after the other.
    for (let i = 0; i < 90; i++) if (i % 3 > 0) expect(askFor(`/${i}`, DOWN)).to.equal(undefined)
    askFor('/0', ACCEPTED)
    for (let i = 0; i < 10; i++) expect(askFor(`/other${i}`, DOWN)).to.equal(undefined)
    expect(health.begin(0)).to.include({ kind: 'gateway_down', local: true })
  })

  it('holds only fifty while it is silent', () => {
    const health = open()
    for (let i = 0; i < 50; i++) expect(health.begin(0)).to.equal(undefined)
    expect(health.begin(2000)).to.equal(undefined)
    expect(health.begin(3001)).to.include({ kind: 'gateway_down', local: true })
    health.ended(ACCEPTED, 3001, last(health))
    expect(health.begin(3001)).to.equal(undefined)
  })

  it('is left alone when answers do not come', () => {
    const health = open()
    for (let i = 0; i < 10; i++) ask(health, UNCERTAIN, 0)
    expect(health.begin(0)).to.include({ kind: 'gateway_down' })
  })

  it('keeps a failure to itself when the service wants to be asked again at once', () => {
    const health = open()
    ask(health, { ...DOWN, afterMs: 0 }, 0)
    expect(health.begin(0)).to.equal(undefined)
  })

  it('is proven by what it accepted lately', () => {
    const health = open()
    expect(health.isProven(0)).to.equal(false)
    ask(health, ACCEPTED, 0)
    expect([health.isProven(599_999), health.isProven(600_000)]).to.deep.equal([true, false])
  })

  const limited = (afterMs: number): Outcome => ({ ...throttled(afterMs), local: 'recipient' }) as Outcome
  const NO_SUBSCRIBER: Outcome = { kind: 'gateway_down', reason: 'HTTP 507', local: 'recipient' }

  it('says nothing against a service when recipients have no subscriber', () => {
    const health = open()
    for (let i = 0; i < 200; i++) expect(ask(health, NO_SUBSCRIBER, i)).to.equal(undefined)
    ask(health, throttled(1000), 200)
    expect(ask(health, NO_SUBSCRIBER, 1200)).to.equal(undefined)
    expect([health.begin(1200), health.begin(1200)]).to.deep.equal([undefined, undefined])
  })

  it('leaves a service alone after four throttled endpoints and one that was asked after them', () => {
    const health = open()
    for (let i = 0; i < 4; i++) expect(ask(health, limited(60_000), i)).to.equal(undefined)
    expect(ask(health, limited(90_000), 10)).to.equal(undefined)
    expect(health.begin(11)).to.include({ kind: 'throttled_gateway', afterMs: 89_999 })
    // Afterwards the first one is enough.
    expect(ask(health, limited(90_000), 90_010)).to.equal(undefined)
    expect(health.begin(90_011)).to.include({ afterMs: 89_999 })
  })

  it('asks a service for one endpoint at a time while several are throttled, and goes on when one is not', () => {
    const health = open()
    for (let i = 0; i < 4; i++) ask(health, limited(60_000), 0)
    expect(health.begin(0)).to.equal(undefined)
    expect(health.begin(0)).to.include({ kind: 'throttled_gateway', afterMs: 2000, local: true })
    health.ended(ACCEPTED, 0, last(health))
    for (let i = 0; i < 3; i++) ask(health, limited(60_000), 0)
    expect([health.begin(0), health.begin(0)]).to.deep.equal([undefined, undefined])
  })

  it('does not count requests against a service that began with those that were throttled', () => {
    const health = open()
    const requests = Array.from({ length: 20 }, () => {
      health.begin(0)
      return last(health)
    })
    for (const request of requests) health.ended(limited(60_000), 0, request)
    expect(health.begin(0)).to.equal(undefined)
  })

  it('is no judge of a limit by what was accepted before it', () => {
    const health = open()
    health.begin(0)
    const early = last(health)
    for (let i = 0; i < 3; i++) ask(health, limited(60_000), 0)
    health.ended(ACCEPTED, 0, early)
    ask(health, limited(60_000), 0)
    ask(health, limited(60_000), 0)
    expect(health.begin(0)).to.include({ kind: 'throttled_gateway', afterMs: 60_000 })
  })

  it('forgets a throttled endpoint after ten minutes', () => {
    const health = open()
    for (let i = 0; i < 20; i++) expect(ask(health, limited(1000), i * 200_000)).to.equal(undefined)
    const late = open()
    for (let i = 0; i < 4; i++) ask(late, limited(1000), 0)
    for (let i = 0; i < 3; i++) expect(ask(late, limited(1000), 600_000)).to.equal(undefined)
    expect(late.begin(600_000)).to.equal(undefined)
  })
})
