import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  COSTS,
  CURVE,
  firstToSaturate,
  loadOf,
  mostInstalls,
  PRIMARIES,
  sharesOf,
  withTables,
} from '../bench/capacity.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')

describe('what one primary carries', () => {
  it('is in docs/scaling.md as the script prints it: node bench/capacity.ts --write', () => {
    const page = read('docs/scaling.md')
    expect(withTables(page)).to.equal(page)
  })

  for (const [name, { value, page, words }] of Object.entries(COSTS)) {
    it(`counts with a cost that ${page} states: ${name}`, () => {
      expect(words).to.include(String(value))
      expect(read(page)).to.include(words)
    })
  }

  it('has a day with all of its uploads', () => {
    expect(CURVE).to.have.lengthOf(24)
    expect(CURVE.reduce((sum, share) => sum + share)).to.be.closeTo(100, 1e-9)
  })

  it('grows with the installs, and a larger primary has more room in every part', () => {
    const [small, , large] = PRIMARIES as [(typeof PRIMARIES)[0], unknown, (typeof PRIMARIES)[0]]
    const [few, many] = [loadOf(1e6), loadOf(100e6)]
    expect(many.uploads / few.uploads).to.be.closeTo(100, 1e-9)
    for (const [part, share] of Object.entries(sharesOf(many, large)))
      expect(share, part).to.be.below(sharesOf(many, small)[part]!)
  })

  it('ends where the first part is taken whole', () => {
    for (const primary of PRIMARIES) {
      const most = mostInstalls(primary, ['processors', 'connections', 'memory'])
      expect(firstToSaturate(loadOf(most * 1e6), primary)[1]).to.be.at.most(1)
      expect(firstToSaturate(loadOf((most + 1) * 1e6), primary)[1]).to.be.above(1)
    }
  })
})
