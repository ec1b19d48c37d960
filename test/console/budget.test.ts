import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { buildConsole } from '../../src/server/console/build.ts'

const FIRST_LOAD = 80_000
const ALL = 260_000
/** The map of geofences: outlines of the world, and what is loaded besides with zooms and names. */
const OUTLINES = 42_000
const MAP_DATA = 250_000

describe('the size of the console', () => {
  let built: ReturnType<typeof buildConsole>
  before(() => {
    built = buildConsole()
  })

  it('stays below 80 kB for the first load and below 260 kB for everything, with gzip', async () => {
    const { index, files } = await built
    const size = (bytes: Uint8Array | string) => gzipSync(bytes, { level: 9 }).length
    const early = files.filter(({ name }) => index.includes(name))
    expect(early.length).to.be.greaterThan(1)
    const sum = (some: typeof files) => some.reduce((total, { bytes }) => total + size(bytes), 0)
    expect(size(index) + sum(early)).to.be.below(FIRST_LOAD)
    const all = files.filter(({ name }) => !isMapData(name))
    expect(size(index) + sum(all)).to.be.below(ALL)
  })

  it('has the data of the map apart, below 250 kB besides the outlines of the world', async () => {
    const { index, files } = await built
    const data = files.filter(({ name }) => isMapData(name))
    expect(data.map(({ name }) => name.replace(/-.*/, '')).toSorted()).to.deep.equal(['coasts', 'outlines', 'places'])
    expect(data.some(({ name }) => index.includes(name))).to.equal(false)
    const sizeOf = (wanted: (name: string) => boolean) =>
      data.filter(({ name }) => wanted(name)).reduce((sum, { bytes }) => sum + gzipSync(bytes, { level: 9 }).length, 0)
    expect(sizeOf((name) => name.startsWith('outlines-'))).to.be.below(OUTLINES)
    expect(sizeOf((name) => !name.startsWith('outlines-'))).to.be.below(MAP_DATA)
  })

  it('is the same for the same sources', async () => {
    const [first, second] = [await built, await buildConsole()]
    expect(second.index).to.equal(first.index)
    expect(second.files.map(({ name }) => name)).to.deep.equal(first.files.map(({ name }) => name))
  })
})

/** Data of the map, which are loaded when somebody opens the page of geofences; each file is one of `map/natural-earth`. */
const isMapData = (name: string): boolean => /^(?:outlines|coasts|places)-/.test(name)
