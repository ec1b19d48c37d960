import { expect } from 'chai'
import { compile, compileAddress } from '../../../src/domain/personalization/compile.ts'
import type { Template } from '../../../src/domain/personalization/types.ts'
import { chance, seedOf } from '../../support/chance.ts'
import { many } from '../../support/depth.ts'
import { anyScope, anyTemplate } from './generated.ts'

const templateOf = (text: string) => compile(text).template!
const scopeOf = (meta: unknown) => ({ meta, now: 0 })

/** The answer that `whole` has to give, by that of `render`. */
function expected(template: Template, scope: Parameters<Template['render']>[0], maxBytes: number): string | undefined {
  const { text, missing, tooLarge } = template.render(scope, { maxBytes })
  return tooLarge || missing.length > 0 ? undefined : text
}

describe('the whole text of a template', () => {
  it('is that of its rendering, unless something is missing or it is too large', () => {
    const seed = seedOf(138)
    const random = chance(seed)
    const scopes = Array.from({ length: 50 }, () => anyScope(random))
    let wholes = 0
    for (let i = 0; i < many(4000, { long: 200_000 }); i++) {
      const text = anyTemplate(random)
      const { template } = (random(4) === 0 ? compileAddress : compile)(text)
      if (!template) continue
      // One after the other, so that nothing may be left of the scope before.
      for (let n = 0; n < 3; n++) {
        const scope = scopes[random(scopes.length)]!
        const maxBytes = [16_384, 40, 8][random(3)]!
        const whole = template.whole(scope, maxBytes)
        if (whole !== undefined) wholes++
        const wanted = expected(template, scope, maxBytes)
        if (whole !== wanted) expect(whole, `seed ${seed}: ${text} with ${JSON.stringify(scope)}`).to.equal(wanted)
      }
    }
    expect(wholes).to.be.greaterThan(100)
  })

  it('is not kept from one recipient to the next, whatever became of the one before', () => {
    const template = templateOf('{{ meta.a }}{{ meta.b }}')
    const big = 'x'.repeat(100)
    expect(template.whole(scopeOf({ a: 'A', b: 'B' }), 50)).to.equal('AB')
    expect(template.whole(scopeOf({ a: 'A' }), 50)).to.equal(undefined)
    expect(template.whole(scopeOf({ a: big, b: 'B' }), 50)).to.equal(undefined)
    expect(template.whole(scopeOf({ a: 'C', b: 'D' }), 50)).to.equal('CD')
    expect(template.whole(scopeOf({ a: 'é'.repeat(25), b: 'D' }), 50)).to.equal(undefined)
    expect(template.whole(scopeOf({ a: 'é'.repeat(24), b: 'D' }), 50)).to.equal(`${'é'.repeat(24)}D`)
  })

  it('of an address is none where its value is no address', () => {
    const { template } = compileAddress('{{ meta.url }}')
    expect(template!.whole(scopeOf({ url: 'https://shop.example/a' }), 100)).to.equal('https://shop.example/a')
    expect(template!.whole(scopeOf({ url: 'javascript:alert(1)' }), 100)).to.equal(undefined)
  })
})
