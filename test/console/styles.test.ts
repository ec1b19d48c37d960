import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const FOLDER = join(import.meta.dirname, '../../src/console')
const SHEETS = globSync('**/*.css', { cwd: FOLDER }).toSorted()

/** Names a side of the screen, which is another one where text runs from right to left. */
const PHYSICAL =
  /(?:^|[\s;{])((?:margin|padding|border|inset)-(?:left|right)[\w-]*|left|right|text-align|float|clear)\s*:\s*([^;}]+)/g
/** Four values begin at the top and go round the clock: the second is on the right. */
const FOUR =
  /(?:^|[\s;{])(margin|padding|inset|border-width)\s*:\s*((?:[^\s;()]+|[\w-]*\([^;]*?\))(?:\s+(?:[^\s;()]+|[\w-]*\([^;]*?\))){3})\s*;/g

describe('the style sheets of the console', () => {
  it('name no side of the screen, so that pages can run from right to left', () => {
    const found: string[] = []
    for (const name of SHEETS) {
      const sheet = readFileSync(join(FOLDER, name), 'utf8').replace(/\/\*[^]*?\*\//g, '')
      for (const [, property, value] of sheet.matchAll(PHYSICAL)) {
        if (!/^(?:margin|padding|border|inset|left$|right$)/.test(property!) && !/\b(?:left|right)\b/.test(value!))
          continue
        found.push(`${name}: ${property}: ${value!.trim()}`)
      }
      for (const [, property, value] of sheet.matchAll(FOUR)) found.push(`${name}: ${property}: ${value}`)
    }
    expect(found).to.deep.equal([])
  })

  it('draw phones of 320 and of 390 px alike, so that tests look at the narrow ones', () => {
    const bounds = SHEETS.flatMap((name) =>
      [...readFileSync(join(FOLDER, name), 'utf8').matchAll(/@(?:media|container)[^{]*?\bwidth\b[^{]*/g)]
        .flatMap(([query]) => [...query.matchAll(/([\d.]+)(px|r?em)/g)])
        .map(([, size, unit]) => ({ name, px: Number(size) * (unit === 'px' ? 1 : 16) })),
    )
    expect(bounds.length).to.be.above(10)
    expect(bounds.filter(({ px }) => px >= 320 && px < 390)).to.deep.equal([])
  })
})
