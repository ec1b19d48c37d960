import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { buildConsole } from '../../src/server/console/build.ts'

const FIRST_LOAD = 80_000
/** In-app messages are composed, tested, reviewed and repeated as pushes are, with fields by the type of their tags. */
const ALL = 235_000

describe('the size of the console', () => {
  let built: ReturnType<typeof buildConsole>
  before(() => {
    built = buildConsole()
  })

  it('stays below 80 kB for the first load and below 235 kB for everything, with gzip', async () => {
    const { index, files } = await built
    const size = (bytes: Uint8Array | string) => gzipSync(bytes, { level: 9 }).length
    const early = files.filter(({ name }) => index.includes(name))
    expect(early.length).to.be.greaterThan(1)
    const sum = (some: typeof files) => some.reduce((total, { bytes }) => total + size(bytes), 0)
    expect(size(index) + sum(early)).to.be.below(FIRST_LOAD)
    const all = files.filter(({ name }) => !isOutline(name))
    expect(size(index) + sum(all)).to.be.below(ALL)
  })

  it('is the same for the same sources', async () => {
    const [first, second] = [await built, await buildConsole()]
    expect(second.index).to.equal(first.index)
    expect(second.files.map(({ name }) => name)).to.deep.equal(first.files.map(({ name }) => name))
  })
})

/** Outlines of the map, which are data and are loaded when somebody draws a geofence. */
const isOutline = (name: string): boolean => name.startsWith('outlines-')
