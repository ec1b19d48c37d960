import { expect } from 'chai'
import { stencilOf } from '../../../src/platform/json/stencil.ts'

const TEXTS = [
  'a',
  'Ü"\\ 😀\u2028',
  'line\nline\t\u0000\u007f',
  '\ud800 half',
  '{{ x }}',
  '"',
  '\\'.repeat(7),
  'Grüße für 5 €\u007f\u0080\u07ff\u0800\uffff',
  `${'é'.repeat(95)}"`,
  'x'.repeat(96),
  '€'.repeat(97),
  'x'.repeat(5000),
]
const inside = ([one, two]: readonly string[]) =>
  JSON.stringify({ first: one, both: `${two} and ${one}`, n: 1, text: JSON.stringify({ deep: [two] }) })

describe('a stencil of a JSON text', () => {
  const stencil = stencilOf(inside, 2)!

  function written(texts: readonly string[], limit = 1_000_000): string | undefined {
    const bytes = Buffer.alloc(stencil.mostBytes(texts))
    const end = stencil.write(texts, limit, bytes, 0)
    return end === undefined ? undefined : bytes.toString('utf8', 0, end)
  }

  for (const one of TEXTS) {
    it(`is filled as if it were written anew: ${JSON.stringify(one.slice(0, 20))}`, () => {
      for (const two of TEXTS) {
        expect(stencil.filled([one, two])).to.equal(inside([one, two]))
        expect(written([one, two])).to.equal(inside([one, two]))
      }
    })
  }

  it('writes into a buffer behind what is there, within the bytes that it has announced', () => {
    const texts = ['\u0000\u0000', '"\\\ud800']
    const bytes = Buffer.alloc(3 + stencil.mostBytes(texts), 'x')
    const end = stencil.write(texts, 1000, bytes, 3)!
    expect(bytes.toString('utf8', 0, end)).to.equal(`xxx${inside(texts)}`)
  })

  it('is for texts that are not empty: a member may be left out for one', () => {
    expect(stencil.filled(['', 'a'])).to.equal(undefined)
    expect(written(['', 'a'])).to.equal(undefined)
  })

  it('keeps to a number of bytes', () => {
    const whole = inside(['é', 'é'])
    const bytes = Buffer.byteLength(whole)
    expect(written(['é', 'é'], bytes)).to.equal(whole)
    expect(written(['é', 'é'], bytes - 1)).to.equal(undefined)
  })

  it('may have no place for a text', () => {
    expect(stencilOf(([one]) => JSON.stringify({ one }), 2)!.filled(['a', 'b'])).to.equal('{"one":"a"}')
  })

  const changed: [string, (texts: readonly string[]) => string][] = [
    ['changed', ([one]) => JSON.stringify(one!.toUpperCase())],
    ['encoded', ([one]) => JSON.stringify(encodeURIComponent(one!))],
    ['measured', ([one]) => JSON.stringify(one!.length < 8 ? {} : { one })],
    ['cut', ([one]) => JSON.stringify(one!.slice(0, 60))],
    ['put into three JSON texts', ([one]) => JSON.stringify(JSON.stringify(JSON.stringify(one)))],
  ]
  for (const [how, write] of changed) {
    it(`is none for a text that is ${how}`, () => {
      expect(stencilOf(write, 1)).to.equal(undefined)
    })
  }
})
