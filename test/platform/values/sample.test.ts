import { expect } from 'chai'
import { createSample } from '../../../src/platform/values/sample.ts'

const sampleOf = (size: number, of: number) => {
  const sample = createSample<number>(size)
  for (let item = 0; item < of; item++) sample.offer(item)
  return [...sample.items()]
}

describe('a sample', () => {
  it('is everything where there is no more', () => {
    expect(sampleOf(10, 0)).to.deep.equal([])
    expect(sampleOf(10, 3)).to.deep.equal([0, 1, 2])
    expect(sampleOf(10, 10)).to.have.length(10)
  })

  it('has so many different items, and the same ones each time', () => {
    const once = sampleOf(100, 10_000)
    expect(new Set(once).size).to.equal(100)
    expect(sampleOf(100, 10_000)).to.deep.equal(once)
  })

  it('is spread over all that were offered', () => {
    const items = sampleOf(1000, 100_000)
    for (let tenth = 0; tenth < 10; tenth++) {
      const here = items.filter((item) => Math.floor(item / 10_000) === tenth)
      expect(here.length, `tenth ${tenth}`).to.be.within(60, 140)
    }
  })
})
