import { expect } from 'chai'
import { CompactMap } from '../../../src/platform/text/compact-map.ts'

describe('a compact map', () => {
  it('finds what was set, also after it has grown, and nothing else', () => {
    const map = new CompactMap()
    for (let i = 0; i < 20_000; i++) map.set(`text ${i}`, i)
    for (let i = 0; i < 20_000; i++) expect(map.get(`text ${i}`)).to.equal(i)
    for (let i = 0; i < 20_000; i++) expect(map.get(`other ${i}`)).to.equal(undefined)
  })

  it('keeps the last value of a text', () => {
    const map = new CompactMap()
    map.set('', 0)
    expect(map.get('')).to.equal(0)
    map.set('', 7)
    expect(map.get('')).to.equal(7)
  })
})
