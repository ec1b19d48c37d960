import { expect } from 'chai'
import { countUnknownZones, explainOutcomes } from '../../../../src/domain/notifications/report/report.ts'

describe('explaining outcomes', () => {
  it('adds failures without a vendor reason, most frequent first, so that the failures add up', () => {
    const told = [{ kind: 'token_dead', reason: 'UNREGISTERED', count: 2 }]
    const { failures } = explainOutcomes(told, { token_dead: 2, no_gateway: 5 })
    expect(failures.map(({ kind, count }) => [kind, count])).to.eql([
      ['no_gateway', 5],
      ['token_dead', 2],
    ])
  })

  it('counts the rest of a page that was given up after one reported refusal', () => {
    const told = [{ kind: 'payload_error', reason: 'PayloadTooLarge', count: 1 }]
    const { failures } = explainOutcomes(told, { payload_error: 10 })
    expect(failures.reduce((sum, one) => sum + one.count, 0)).to.equal(10)
  })

  it('lists recipients that were left out apart from failures', () => {
    const { failures, skips } = explainOutcomes([], { quiet_hours: 3, frequency_cap: 4 })
    expect(failures).to.eql([])
    expect(skips).to.eql([
      { reason: 'frequency_cap', count: 4 },
      { reason: 'quiet_hours', count: 3 },
    ])
  })

  it('counts each unknown zone once, and a missing zone never', () => {
    const zones = [[null, 'Mars/Phobos', 'Europe/Berlin'], null, ['Mars/Phobos', 'Moon/Tranquility']]
    expect(countUnknownZones(zones.map((one) => ({ zones: one })))).to.equal(2)
    expect(countUnknownZones([])).to.equal(0)
  })
})
