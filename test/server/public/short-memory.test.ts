import { expect } from 'chai'
import { shortMemory } from '../../../src/server/public/short-memory.ts'

describe('a short memory', () => {
  it('forgets a value when its time is over, counted from when it was set', () => {
    const memory = shortMemory<string, number>({ lifeMs: 10, capacity: 5 })
    memory.set('a', 1, 0)
    expect(memory.get('a', 9)).to.equal(1)
    expect(memory.get('a', 10)).to.equal(undefined)
    memory.set('a', 2, 10)
    expect(memory.get('a', 19)).to.equal(2)
  })

  it('forgets the older half when there are too many, and never holds more', () => {
    const memory = shortMemory<number, number>({ lifeMs: 10, capacity: 4 })
    for (const key of [1, 2, 3, 4]) memory.set(key, key, 0)
    memory.set(3, 33, 0)
    expect([1, 2, 3, 4].map((key) => memory.get(key, 1))).to.deep.equal([1, 2, 33, 4])
    memory.set(5, 5, 0)
    expect([1, 2, 3, 4, 5].map((key) => memory.get(key, 1))).to.deep.equal([undefined, undefined, 33, 4, 5])
    memory.clear()
    expect(memory.get(5, 1)).to.equal(undefined)
  })
})
