import { expect } from 'chai'
import { tally } from '../../../src/sandbox/stand-in/tally.ts'

describe('the compact tally', () => {
  it('counts every text exactly, also after it has grown', () => {
    const counts = tally()
    for (let i = 0; i < 50_000; i++) counts.add(`token-${i}`)
    for (let i = 0; i < 100; i++) counts.add(`token-${i * 7}`)
    counts.add('token-0')
    expect(counts.summary()).to.deep.equal({ distinct: 50_000, repeated: 100, max: 3 })
    expect(counts.count('token-0')).to.equal(3)
    expect(counts.count('token-7')).to.equal(2)
    expect(counts.count('token-8')).to.equal(1)
    expect(counts.count('token-50000')).to.equal(0)
  })

  it('keeps text and salt apart', () => {
    const counts = tally()
    expect(counts.add('ab', 'c')).to.equal(1)
    expect(counts.add('a', 'bc')).to.equal(1)
    expect(counts.add('abc')).to.equal(1)
    expect(counts.add('ab', 'c')).to.equal(2)
  })

  it('begins anew when cleared', () => {
    const counts = tally()
    counts.add('a')
    counts.clear()
    expect(counts.summary()).to.deep.equal({ distinct: 0, repeated: 0, max: 0 })
    expect(counts.count('a')).to.equal(0)
  })
})
