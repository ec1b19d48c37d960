import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { AREAS } from './support/areas.ts'

const ROOT = join(import.meta.dirname, '..')

/** The words in the first column of the table below a heading. */
function wordsBelow(heading: string, page: string): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^\| ([^|]+?) \|/gm)].map(([, word]) => word!).slice(1)
}

describe('the glossary', () => {
  const areas = wordsBelow('Areas of the product', readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8'))

  it('has every area, in their order', () => {
    expect(areas).to.eql(AREAS)
  })

  it('has no area that is not there', () => {
    expect([...areas].sort()).to.eql(readdirSync(join(ROOT, 'src/domain')).sort())
  })
})
