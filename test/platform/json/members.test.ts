import { expect } from 'chai'
import { memberOf } from '../../../src/platform/json/members.ts'
import { collectAll } from '../../../src/platform/threads/rest.ts'

/** A text that counts the characters that are looked at or searched. */
function counted(text: string): { text: string; looked: () => number } {
  let looked = 0
  const spread = (from: number, found: number) => {
    looked += (found === -1 ? text.length : found + 1) - from
    return found
  }
  const counting = {
    length: text.length,
    charCodeAt(at: number) {
      looked++
      return text.charCodeAt(at)
    },
    indexOf: (what: string, from = 0) => spread(from, text.indexOf(what, from)),
    slice: (from: number, to: number) => text.slice(from, to),
  }
  return { text: counting as unknown as string, looked: () => looked }
}

describe('a member of a JSON text', () => {
  it('is looked for once in each character, however often its name is within others', () => {
    for (const items of [10, 100, 1000]) {
      const document = JSON.stringify({ plan: 'gold', list: Array.from({ length: items }, (_, plan) => ({ plan })) })
      const { text, looked } = counted(document)
      expect(memberOf(text, '"plan"')).to.equal('"gold"')
      // Once for the name, once for the depth.
      expect(looked()).to.be.below(3 * document.length)
    }
  })

  it('does not keep a large text in memory', () => {
    const held = () => {
      collectAll()
      return process.memoryUsage().heapUsed
    }
    const textOf = (i: number) => Buffer.from(`{"a":"${'.'.repeat(64 * 1024)}","plan":"of person ${i}"}`).toString()
    const before = held()
    const members = Array.from({ length: 500 }, (_, i) => memberOf(textOf(i), '"plan"'))
    expect(held() - before).to.be.below(8 * 1024 * 1024)
    expect(members[499]).to.equal('"of person 499"')
  })
})
