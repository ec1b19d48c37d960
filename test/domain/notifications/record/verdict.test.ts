import { expect } from 'chai'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'
import { SLOT } from '../../../../src/domain/notifications/record/page.ts'
import { crashVerdict, uncertainVerdict, verdictOf } from '../../../../src/domain/notifications/record/verdict.ts'

describe('what becomes of a recipient', () => {
  const first = { attempt: 0, resends: 0 }
  const final: [Outcome, keyof typeof SLOT][] = [
    [{ kind: 'accepted' }, 'accepted'],
    [{ kind: 'token_dead', reason: 'Unregistered' }, 'token_dead'],
    [{ kind: 'token_suspect', reason: 'BadDeviceToken' }, 'token_suspect'],
    [{ kind: 'payload_error', reason: 'PayloadTooLarge', everyone: true }, 'payload_error'],
    [{ kind: 'throttled_gateway', reason: 'quota' }, 'pending'],
    [{ kind: 'config_error', reason: 'BadCertificate' }, 'pending'],
  ]
  for (const [outcome, slot] of final) {
    it(`${outcome.kind} leaves it ${slot}`, () => expect(verdictOf(outcome, first, 0.5)).to.eql({ slot: SLOT[slot] }))
  }

  it('a throttled device is tried again after 30 s and more, five times in all', () => {
    const outcome: Outcome = { kind: 'throttled_recipient', reason: 'TooManyRequests' }
    expect(verdictOf(outcome, first, 0.5)).to.eql({
      slot: SLOT.moved,
      retry: { afterMs: 15_000, attempt: 1, resends: 0 },
    })
    expect(verdictOf(outcome, { attempt: 3, resends: 0 }, 1)).to.have.nested.property('retry.afterMs', 240_000)
    expect(verdictOf(outcome, { attempt: 4, resends: 0 }, 0.5)).to.eql({ slot: SLOT.throttled_recipient })
  })

  it('what the vendor asked to wait wins over our own reckoning', () => {
    for (const kind of ['throttled_recipient', 'gateway_down'] as const) {
      const verdict = verdictOf({ kind, reason: 'x', afterMs: 77_000 }, first, 0.5)
      expect(verdict).to.have.nested.property('retry.afterMs', 77_000)
    }
  })

  it('a failing gateway is tried again without end, with growing pauses of at most 5 minutes', () => {
    const outcome: Outcome = { kind: 'gateway_down', reason: '503' }
    expect(verdictOf(outcome, first, 1)).to.have.nested.property('retry.afterMs', 1000)
    expect(verdictOf(outcome, { attempt: 50, resends: 0 }, 1)).to.have.nested.property('retry.afterMs', 300_000)
  })

  it('one push service of many that throttles makes its recipients wait in a retry page, uncounted', () => {
    const outcome: Outcome = { kind: 'throttled_gateway', reason: '429', afterMs: 120_000, local: true }
    const moved = (attempt: number) => ({
      slot: SLOT.moved,
      retry: { afterMs: 120_000, attempt, resends: 0, local: true },
    })
    expect(verdictOf(outcome, first, 0.5)).to.eql(moved(1))
    expect(verdictOf(outcome, { attempt: 7, resends: 0 }, 0.5)).to.eql(moved(7))
    const silent: Outcome = { kind: 'throttled_gateway', reason: '429', local: true }
    expect(verdictOf(silent, first, 1)).to.have.nested.property('retry.afterMs', 10_000)
    const down: Outcome = { kind: 'gateway_down', reason: '500', local: true }
    expect(verdictOf(down, first, 1)).to.have.nested.include({ 'retry.afterMs': 1000, 'retry.local': true })
  })

  it('who was being sent to when a worker ended is sent to again after 5 to 15 s, twice at most, and is then unknown', () => {
    expect(crashVerdict(first, 0)).to.eql({ slot: SLOT.moved, retry: { afterMs: 5000, attempt: 0, resends: 1 } })
    expect(crashVerdict({ attempt: 2, resends: 1 }, 1)).to.eql({
      slot: SLOT.moved,
      retry: { afterMs: 15_000, attempt: 2, resends: 2 },
    })
    expect(crashVerdict({ attempt: 0, resends: 2 }, 0)).to.eql({ slot: SLOT.unknown })
  })

  it('a lost answer is sent again after 5 to 30 s, twice at most, and is then unknown', () => {
    expect(uncertainVerdict(first, 0)).to.eql({ slot: SLOT.moved, retry: { afterMs: 5000, attempt: 0, resends: 1 } })
    expect(uncertainVerdict({ attempt: 2, resends: 1 }, 1)).to.eql({
      slot: SLOT.moved,
      retry: { afterMs: 30_000, attempt: 2, resends: 2 },
    })
    expect(uncertainVerdict({ attempt: 0, resends: 2 }, 0.5)).to.eql({ slot: SLOT.unknown })
  })
})
