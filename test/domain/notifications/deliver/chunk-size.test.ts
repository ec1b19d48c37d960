import { expect } from 'chai'
import { createChunkSize } from '../../../../src/domain/notifications/deliver/chunk-size.ts'

describe('the size of a chunk', () => {
  /** Answers at this rate for two seconds, in turns of 10 ms. */
  function atRate(perSecond: number, most: number, roundTripMs?: number): number {
    const chunk = createChunkSize(most)
    if (roundTripMs !== undefined) chunk.noteRoundTrip(roundTripMs)
    for (let now = 0; now <= 2000; now += 10) chunk.noteAnswers(perSecond / 100, now)
    return chunk.size
  }

  it('begins with 200, or fewer if the setting says so', () => {
    expect(createChunkSize(2000).size).to.equal(200)
    expect(createChunkSize(50).size).to.equal(50)
  })

  it('is what the lane sends in 12.5 ms', () => {
    expect(atRate(80_000, 2000)).to.be.within(1000, 1100)
    expect(atRate(40_000, 2000)).to.be.within(500, 550)
  })

  it('is at least 200 and at most what the setting says', () => {
    expect(atRate(1000, 2000)).to.equal(200)
    expect(atRate(400_000, 2000)).to.equal(2000)
    expect(atRate(200_000, 50)).to.equal(50)
    expect(atRate(10, 50)).to.equal(50)
  })

  it('is larger when the gateway is far away, so that the line is always full', () => {
    const chunk = createChunkSize(2000)
    chunk.noteRoundTrip(250)
    chunk.noteRoundTrip(60)
    chunk.noteRoundTrip(90)
    // Two chunks in flight, each answered after 60 ms: such a lane sends at the rate that its chunks allow.
    for (let now = 0; now <= 3000; now += 10) chunk.noteAnswers((2 * chunk.size * 10) / 60, now)
    expect(chunk.size).to.equal(2000)
  })

  it('shrinks again when the gateway becomes slow', () => {
    const chunk = createChunkSize(2000)
    for (let now = 0; now <= 1000; now += 10) chunk.noteAnswers(1000, now)
    expect(chunk.size).to.be.above(1000)
    for (let now = 1010; now <= 2000; now += 10) chunk.noteAnswers(10, now)
    expect(chunk.size).to.equal(200)
  })
})
