import { expect } from 'chai'
import { SpillingMap } from '../../../src/platform/files/spilling-map.ts'
import { collectAll } from '../../../src/platform/threads/rest.ts'

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
      'caf\u00e9',
      'cafe\u0301',
      // Halves of pairs, which have no UTF-8.
      '\ud83d',
      '\ud83e',
      '\ufffd',
      'x\ude00',
      'x\ufffd',
      ...Array.from({ length: 100 }, (_, i) => `t${i}`),
    ]
    expect(new Set(texts).size).to.equal(texts.length)
    for (const text of texts) {
      expect(map.get(text), JSON.stringify(text)).to.equal(undefined)
      map.set(text, `is ${text} \ud83d`)
      known.set(text, `is ${text} \ud83d`)
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

  it('keeps few characters in memory, however few the texts are', () => {
    const map = new SpillingMap()
    const long = (i: number) => `${i}`.padEnd(512 * 1024, '.')
    const held = () => {
      collectAll()
      return process.memoryUsage().heapUsed
    }
    const before = held()
    for (let i = 0; i < 200; i++) map.set(long(i), 'x')
    expect(held() - before).to.be.below(32 * 1024 * 1024)
    expect([map.get(long(0)), map.get(long(199)), map.get(long(200))]).to.deep.equal(['x', 'x', undefined])
    map.close()
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
