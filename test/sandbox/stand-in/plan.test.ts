import { expect } from 'chai'
import { isAppError } from '../../../src/platform/errors.ts'
import { parsePlan } from '../../../src/sandbox/plan.schema.ts'
import { startFaults } from '../../../src/sandbox/stand-in/faults.ts'
import type { Effect, Match } from '../../../src/sandbox/stand-in/plan.ts'

function wrongFields(plan: unknown): Record<string, string[]> {
  try {
    parsePlan(plan)
  } catch (error) {
    if (isAppError(error)) return error.details.fields ?? {}
    throw error
  }
  return {}
}

const withRule = (match: unknown, effect: unknown) => ({ rules: [{ match, effect }] })

describe('the plan of a sandbox', () => {
  it('may be empty, and keeps what it says', () => {
    expect(parsePlan({})).to.deep.equal({})
    const plan = {
      seed: 7,
      rules: [
        {
          name: 'late',
          match: { on: 'apns', every: 3 },
          effect: { reason: 'Unregistered', timestamp: 5, delayMs: 10 },
        },
      ],
      devices: [{ token: 't', gateway: 'fcm', deadSince: 1 }],
      listeners: { apns: { maxStreams: 2 }, fcm: { certificate: 'expired', quota: { count: 1, windowMs: 1000 } } },
      accessTokenSeconds: 5,
    }
    expect(parsePlan(plan)).to.deep.equal(plan)
  })

  const refused: [string, unknown, string][] = [
    ['no object', [], ''],
    ['an unknown key', { rule: [] }, 'rule'],
    ['an unknown place', withRule({ on: 'hms' }, { hang: true }), 'rules[0].match.on'],
    ['an unknown criterion', withRule({ tokens: 'x' }, { hang: true }), 'rules[0].match.tokens'],
    ['a broken expression', withRule({ tokenPattern: '(' }, { hang: true }), 'rules[0].match.tokenPattern'],
    ['a share over 100', withRule({ percent: 101 }, { hang: true }), 'rules[0].match.percent'],
    ['a text for a number', withRule({ every: '2' }, { hang: true }), 'rules[0].match.every'],
    ['no effect', { rules: [{ match: {} }] }, 'rules[0].effect'],
    ['an effect that does nothing', withRule({}, { retryAfter: 5 }), 'rules[0].effect'],
    ['two ways to give no answer', withRule({}, { hang: true, rst: 'CANCEL' }), 'rules[0].effect'],
    ['a reason of the other gateway', withRule({ on: 'fcm' }, { reason: 'BadDeviceToken' }), 'rules[0].effect.reason'],
    ['an unknown code', withRule({}, { rst: 'OOPS' }), 'rules[0].effect.rst'],
    ['an unknown last stream', withRule({}, { goaway: { last: 'some' } }), 'rules[0].effect.goaway.last'],
    [
      'a header that breaks the line',
      withRule({}, { status: 429, retryAfter: 'a\r\nb: c' }),
      'rules[0].effect.retryAfter',
    ],
    ['a token on the token call', withRule({ on: 'fcm-token', token: 'x' }, { hang: true }), 'rules[0].match'],
    ['a device without gateway', { devices: [{ token: 'x' }] }, 'devices[0].gateway'],
    ['an unknown certificate', { listeners: { fcm: { certificate: 'none' } } }, 'listeners.fcm.certificate'],
  ]
  for (const [what, plan, field] of refused) {
    it(`refuses ${what} and names the field`, () => {
      expect(wrongFields(plan)).to.have.property(field)
    })
  }

  it('takes an unknown reason with a status', () => {
    expect(wrongFields(withRule({ on: 'apns' }, { reason: 'NewReason', status: 400 }))).to.deep.equal({})
  })
})

describe('the rules of a plan', () => {
  const effect: Effect = { hang: true }
  /** Lists which of `count` requests the rule strikes, from 1. */
  const struck = (match: Match, count: number, seed = 1) => {
    const faults = startFaults({ seed, rules: [{ match, effect }] })
    const requests = Array.from({ length: count }, (_, i) => i + 1)
    return requests.filter((i) => faults.pick({ place: 'fcm', token: `token${i}` }))
  }

  it('strike each n-th, the first n, and those after n', () => {
    expect(struck({ every: 3 }, 10)).to.deep.equal([3, 6, 9])
    expect(struck({ first: 2 }, 10)).to.deep.equal([1, 2])
    expect(struck({ after: 8 }, 10)).to.deep.equal([9, 10])
    expect(struck({ after: 2, every: 2, first: 2 }, 10)).to.deep.equal([4, 6])
  })

  it('strike by token', () => {
    expect(struck({ token: 'token4' }, 10)).to.deep.equal([4])
    expect(struck({ tokenPrefix: 'token1' }, 11)).to.deep.equal([1, 10, 11])
    expect(struck({ tokenPattern: '[35]$' }, 10)).to.deep.equal([3, 5])
  })

  it('draw the same share again with the same seed', () => {
    const drawn = struck({ percent: 10 }, 10_000, 42)
    expect(drawn.length).to.be.within(850, 1150)
    expect(struck({ percent: 10 }, 10_000, 42)).to.deep.equal(drawn)
    expect(struck({ percent: 10 }, 10_000, 43)).not.to.deep.equal(drawn)
    expect(struck({ percent: 0 }, 100)).to.deep.equal([])
    expect(struck({ percent: 100 }, 3)).to.deep.equal([1, 2, 3])
  })

  it('strike the same tokens always with tokensPercent', () => {
    const faults = startFaults({ seed: 3, rules: [{ match: { tokensPercent: 20 }, effect }] })
    const strikes = (i: number) => faults.pick({ place: 'apns-production', token: `token${i}` }) !== undefined
    const first = Array.from({ length: 1000 }, (_, i) => strikes(i))
    expect(first.filter(Boolean).length).to.be.within(150, 250)
    expect(Array.from({ length: 1000 }, (_, i) => strikes(i))).to.deep.equal(first)
  })

  it('strike where they are meant to, and by notification', () => {
    const places = ['apns-production', 'apns-sandbox', 'fcm', 'fcm-token'] as const
    const at = (match: Match) => {
      const faults = startFaults({ rules: [{ match, effect }] })
      return places.filter((place) => faults.pick({ place, token: 't', notification: '5' }))
    }
    expect(at({})).to.deep.equal(['apns-production', 'apns-sandbox', 'fcm'])
    expect(at({ on: 'apns' })).to.deep.equal(['apns-production', 'apns-sandbox'])
    expect(at({ on: 'apns-sandbox' })).to.deep.equal(['apns-sandbox'])
    expect(at({ on: 'fcm-token' })).to.deep.equal(['fcm-token'])
    expect(at({ notification: 5 })).to.have.length(3)
    expect(at({ notification: 6 })).to.deep.equal([])
  })

  it('are asked in order, and report what they did', () => {
    const faults = startFaults({
      rules: [{ name: 'once', match: { first: 1 }, effect: { status: 500 } }, { effect: { status: 503 } }],
    })
    const statuses = [1, 2, 3].map(() => faults.pick({ place: 'fcm', token: 't' })?.status)
    expect(statuses).to.deep.equal([500, 503, 503])
    expect(faults.report()).to.deep.equal([
      { name: 'once', fitted: 3, struck: 1 },
      { name: 'rule 2', fitted: 2, struck: 2 },
    ])
  })
})
