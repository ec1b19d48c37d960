import { expect } from 'chai'
import { isAppError } from '../../../src/platform/errors.ts'
import { createDiskSpace } from '../../../src/platform/files/disk-space.ts'

const MIB = 1024 * 1024

/** A disk whose free space and clock the test sets, and how often it was asked. */
function diskWith(free: number, lowWater = 100 * MIB) {
  const state = { free, now: 0, looks: 0 }
  const space = createDiskSpace({
    dir: '/',
    lowWater,
    now: () => state.now,
    statfs: () => {
      state.looks++
      return { bsize: MIB, blocks: 100_000, bavail: Math.floor(state.free / MIB) }
    },
  })
  const refusal = (bytes?: number) => {
    try {
      space.takeIn(bytes)
      return undefined
    } catch (error) {
      return isAppError(error) ? `${error.code} ${error.details.headers?.['Retry-After']}` : String(error)
    }
  }
  return { state, space, refusal }
}

describe('the space of a disk', () => {
  it('is looked at once a second while there is much of it', () => {
    const { state, space } = diskWith(10_000 * MIB)
    for (let i = 0; i < 100; i++) space.takeIn(MIB)
    expect(state.looks).to.equal(1)
    state.now = 1000
    space.takeIn()
    expect(state.looks).to.equal(2)
  })

  it('is looked at each time near the mark, because more is stored in a second than there is left', () => {
    const { state, space, refusal } = diskWith(150 * MIB)
    for (let i = 0; i < 40; i++) {
      space.takeIn()
      state.free -= MIB
    }
    expect(refusal()).to.equal(undefined)
    state.free = 99 * MIB
    expect(refusal()).to.equal('unavailable 30')
    expect(space.isLow()).to.equal(true)
    state.free = 105 * MIB
    expect(space.isLow(), 'a tenth more has to be free').to.equal(true)
    state.free = 111 * MIB
    expect(space.isLow()).to.equal(false)
  })

  it('counts what was taken in since it was looked at', () => {
    const { state, refusal } = diskWith(300 * MIB)
    expect(refusal(MIB)).to.equal(undefined)
    // Others have stored much meanwhile; with what is taken in it is time to look.
    state.free = 160 * MIB
    expect(refusal(140 * MIB)).to.equal(undefined)
    expect(refusal(61 * MIB)).to.equal('unavailable 30')
    expect(refusal(59 * MIB)).to.equal(undefined)
  })
})
