import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { type BuiltConsole, buildConsole, newsOf } from '../../src/server/console/build.ts'

type ConsoleFile = BuiltConsole['files'][number]

/** The page, its style sheet, and every script that is needed before somebody sees the sign-in page or Home. */
const FIRST_LOAD = 60_000
const ALL = 260_000
/** The map of geofences: outlines of the world, and what is loaded besides with zooms and names. */
const OUTLINES = 42_000
const MAP_DATA = 250_000

describe('the size of the console', () => {
  let built: ReturnType<typeof buildConsole>
  before(() => {
    built = buildConsole({ withGallery: false })
  })

  for (const page of ['sign-in', 'home']) {
    it(`stays below 60 kB for the first load with gzip, until ${page} is there`, async () => {
      const { index, files } = await built
      const early = files.filter(({ name }) => index.includes(name))
      const own = files.filter(({ name }) => new RegExp(`^(?:folder_)?${page}-`).test(name))
      expect(early.length).to.be.greaterThan(1)
      expect(own).to.have.length(1)
      const loaded = withImports([...early, ...own], files)
      expect(size(index) + sum(loaded)).to.be.below(FIRST_LOAD)
    })
  }

  it('stays below 260 kB for everything, with gzip', async () => {
    const { index, files } = await built
    expect(size(index) + sum(files.filter(({ name }) => !isMapData(name)))).to.be.below(ALL)
  })

  it('has the data of the map apart, below 250 kB besides the outlines of the world', async () => {
    const { index, files } = await built
    const data = files.filter(({ name }) => isMapData(name))
    expect(data.map(({ name }) => name.replace(/-.*/, '')).toSorted()).to.deep.equal(['coasts', 'outlines', 'places'])
    expect(data.some(({ name }) => index.includes(name))).to.equal(false)
    const sizeOf = (wanted: (name: string) => boolean) => sum(data.filter(({ name }) => wanted(name)))
    expect(sizeOf((name) => name.startsWith('outlines-'))).to.be.below(OUTLINES)
    expect(sizeOf((name) => !name.startsWith('outlines-'))).to.be.below(MAP_DATA)
  })

  it('has the gallery in a checkout, and not in a package', async () => {
    const named = ({ files }: BuiltConsole) => files.filter(({ name }) => name.startsWith('folder_gallery-')).length
    expect([named(await buildConsole()), named(await built)]).to.deep.equal([1, 0])
  })

  it('has the news of the newest version, each in one line', () => {
    const changelog =
      '# Changelog\n\n## 2\n\n### Must act\n\n- Do.\n\n### New\n\n- One\n  thing.\n- `two`\n\n## 1\n\n### New\n\n- Old\n'
    expect(newsOf(changelog)).to.deep.equal(['One thing.', '`two`'])
    expect(newsOf('# Changelog')).to.deep.equal([])
  })

  it('is the same for the same sources', async () => {
    const [first, second] = [await built, await buildConsole({ withGallery: false })]
    expect(second.index).to.equal(first.index)
    expect(second.files.map(({ name }) => name)).to.deep.equal(first.files.map(({ name }) => name))
  })
})

/** Data of the map, which are loaded when somebody opens the page of geofences; each file is one of `map/natural-earth`. */
const isMapData = (name: string): boolean => /^(?:outlines|coasts|places)-/.test(name)

/** Size (bytes) of a file with gzip. */
const size = (bytes: Uint8Array | string): number => gzipSync(bytes, { level: 9 }).length

const sum = (files: readonly ConsoleFile[]): number => files.reduce((total, { bytes }) => total + size(bytes), 0)

/** Finds the files with all that their scripts import statically. */
function withImports(some: readonly ConsoleFile[], all: readonly ConsoleFile[]): ConsoleFile[] {
  const byName = new Map(all.map((file) => [file.name, file]))
  const found = new Set(some)
  // A set may grow while it is walked: files that are added are walked too.
  for (const { name, bytes } of found) {
    if (!name.endsWith('.js')) continue
    for (const [, imported] of Buffer.from(bytes)
      .toString()
      .matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) {
      const file = byName.get(imported!)
      if (file) found.add(file)
    }
  }
  return [...found]
}
