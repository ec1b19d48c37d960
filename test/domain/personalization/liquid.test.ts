import { expect } from 'chai'
import { Liquid } from 'liquidjs'
import { compile, compileAddress } from '../../../src/domain/personalization/compile.ts'
import { chance, seedOf } from '../../support/chance.ts'
import { many } from '../../support/depth.ts'
import { anyScope, anyTemplate } from './generated.ts'

/** liquidjs, but for one thing: what is no finite number is missing. */
function createLiquid(): Liquid {
  const liquid = new Liquid({ ownPropertyOnly: true, strictFilters: true })
  for (const name of ['plus', 'minus', 'times', 'divided_by', 'round']) {
    const theirs = liquid.filters[name] as (this: unknown, ...values: unknown[]) => number
    liquid.registerFilter(name, function (...values) {
      const result = theirs.apply(this, values)
      return Number.isFinite(result) ? result : undefined
    })
  }
  return liquid
}

describe('template texts beside liquidjs', () => {
  it('render as it does, whatever stands in them', () => {
    const liquid = createLiquid()
    const seed = seedOf(98)
    const random = chance(seed)
    const scopes = Array.from({ length: 50 }, () => anyScope(random))
    for (let i = 0; i < many(20_000, { whole: 100_000, long: 500_000 }); i++) {
      const [text, scope] = [anyTemplate(random), scopes[random(scopes.length)]!]
      const why = () => `seed ${seed}: ${JSON.stringify(text)} with ${JSON.stringify(scope)}`
      const { template, problems } = compile(text)
      if (template === undefined) throw new Error(`${problems[0]?.message} in ${why()}`)
      const result = template.render(scope, { maxBytes: 1_000_000 })
      const theirs = liquid.parseAndRenderSync(text, scope) as string
      if (result.text !== theirs) expect(result, why()).to.have.property('text', theirs)
    }
  })

  it('are read to the end or refused with a place, whatever was cut out of them and put into them', () => {
    const seed = seedOf(99)
    const random = chance(seed)
    const scope = anyScope(random)
    const pieces = [
      '{{',
      '}}',
      '{%',
      '%}',
      '-',
      '|',
      ':',
      ',',
      '.',
      '[',
      ']',
      "'",
      '"',
      ' if ',
      'endif',
      'else',
      '\\',
      '\ud83d',
      '__proto__',
      '\u202e',
    ]
    for (let i = 0; i < many(10_000, { long: 200_000 }); i++) {
      let text = anyTemplate(random)
      for (let n = 1 + random(3); n > 0; n--) {
        const at = random(text.length + 1)
        text = text.slice(0, at) + (random(2) === 0 ? pieces[random(pieces.length)]! : '') + text.slice(at + random(3))
      }
      const { template, problems } = (random(2) === 0 ? compile : compileAddress)(text)
      const why = `seed ${seed}: ${JSON.stringify(text)}`
      if (template !== undefined) {
        const { text: rendered, tooLarge } = template.render(scope, { maxBytes: 1_000_000 })
        if (!tooLarge && rendered !== '') expect(Buffer.byteLength(rendered), why).to.be.at.least(0)
        continue
      }
      expect(problems.length, why).to.be.above(0)
      for (const { line, column, message } of problems) {
        if (!message.startsWith(`line ${line}, column ${column}: `)) expect(message, why).to.contain('line')
        const written = [...(text.split('\n')[line - 1] ?? '')].length
        if (column < 1 || column > written + 1) expect(column, why).to.be.within(1, written + 1)
      }
    }
  })
})
