import { expect } from 'chai'
import {
  FAILURES,
  packRows,
  reasonsOf,
  SLOT,
  slotName,
  tally,
  unpackRows,
} from '../../../../src/domain/notifications/record/page.ts'

describe('a page of recipients', () => {
  const lists: [string, number[]][] = [
    ['nobody', []],
    ['the first install', [1]],
    ['neighbours', [1, 2, 3, 4]],
    ['the borders of one and two bytes', [127, 128, 255, 256, 16_383, 16_384]],
    ['rows beyond 32 bits', [1, 2 ** 31, 2 ** 32 + 5, 2 ** 40, Number.MAX_SAFE_INTEGER]],
  ]
  for (const [what, rows] of lists) {
    it(`packs and unpacks ${what}`, () => expect(unpackRows(packRows(rows))).to.eql(rows))
  }

  it('takes about one byte for each neighbour', () => {
    const rows = Array.from({ length: 1000 }, (_, i) => 5_000_000 + i)
    expect(packRows(rows).length).to.be.below(1010)
  })

  it('refuses rows out of order or repeated, which would be a bug in the walk', () => {
    expect(() => packRows([2, 1])).to.throw('out of order')
    expect(() => packRows([2, 2])).to.throw('out of order')
  })

  it('counts every recipient in exactly one state', () => {
    const outcomes = Object.values(SLOT)
    const { audience, moved, failed, pending, accepted, expired, cancelled, skipped, unknown } = tally(
      Buffer.from(outcomes),
    )
    expect(audience + moved).to.equal(outcomes.length)
    expect(pending + accepted + failed + expired + cancelled + skipped + unknown).to.equal(audience)
    expect(failed).to.equal(Object.keys(FAILURES).length)
  })

  it('tells why recipients failed or were left out', () => {
    const { no_gateway, quiet_hours, accepted, skipped } = SLOT
    expect(reasonsOf(Buffer.from([accepted, no_gateway, no_gateway, quiet_hours, skipped]))).to.eql({
      no_gateway: 2,
      quiet_hours: 1,
    })
  })

  it('has a word for every byte', () => {
    for (const [name, byte] of Object.entries(SLOT)) expect(slotName(byte)).to.equal(name)
  })
})
