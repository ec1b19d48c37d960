import { expect } from 'chai'
import { SpillingMap } from '../../../src/platform/files/spilling-map.ts'

describe('a map that spills', () => {
  it('knows each text exactly, in memory and in its file', () => {
    const map = new SpillingMap({ kept: 10 })
    const known = new Map<string, string>()
    // Names of objects, texts that sort apart in JavaScript and SQLite, and an empty one.
    const texts = [
      '',
      '__proto__',
      'ä',
      '\uffff',
      '\u{1f600}',
      'a\0b',
      'a',
      'A',
      ...Array.from({ length: 100 }, (_, i) => `t${i}`),
    ]
    for (const text of texts) {
      expect(map.get(text), JSON.stringify(text)).to.equal(undefined)
      map.set(text, `is ${text}`)
      known.set(text, `is ${text}`)
    }
    for (const text of texts.filter((_, i) => i % 3 === 0)) {
      map.set(text, 'again')
      known.set(text, 'again')
    }
    for (const [text, value] of known) expect(map.get(text), JSON.stringify(text)).to.equal(value)
    expect(map.get('t100')).to.equal(undefined)
    map.close()
    expect(map.get('t1')).to.equal(undefined)
  })

  it('is used again after it was closed', () => {
    const map = new SpillingMap({ kept: 2 })
    for (const text of ['a', 'b', 'c']) map.set(text, text)
    map.close()
    map.close()
    for (const text of ['c', 'd', 'e']) map.set(text, text)
    expect(['b', 'c', 'e'].map((text) => map.get(text))).to.deep.equal([undefined, 'c', 'e'])
    map.close()
  })
})
