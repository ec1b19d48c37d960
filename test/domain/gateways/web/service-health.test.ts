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
  const ask = (health: ReturnType<typeof open>, outcome: Outcome, now: number) => {
    const refused = health.begin(now)
    if (!refused) health.ended(outcome, now)
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
    health.ended(throttled(0), 0)
    health.ended(throttled(50_000), 0)
    health.ended(throttled(10_000), 0)
    expect(health.begin(999)).to.include({ afterMs: 49_001 })
  })

  it('is tried with one request after a pause, until something is accepted', () => {
    const health = open()
    ask(health, throttled(1000), 0)
    expect(health.begin(1000)).to.equal(undefined)
    expect(health.begin(1000)).to.include({ kind: 'throttled_gateway', afterMs: 2000 })
    health.ended(ACCEPTED, 1100)
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
      health.ended(throttled(1000), now)
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

  it('holds only fifty while it is silent', () => {
    const health = open()
    for (let i = 0; i < 50; i++) expect(health.begin(0)).to.equal(undefined)
    expect(health.begin(2000)).to.equal(undefined)
    expect(health.begin(3001)).to.include({ kind: 'gateway_down', local: true })
    health.ended(ACCEPTED, 3001)
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
})
