import { expect } from 'chai'
import { type Admission, createKeyMemory } from '../../../src/domain/apps/key-memory.ts'
import { createChanges } from '../../../src/platform/threads/changes.ts'
import { testClock } from '../../support/clock.ts'

describe('the memory of keys', () => {
  const clock = testClock()
  const admission = (until = Infinity): Admission => ({ appId: 1, until })

  /** Looks the key up through the memory; `asked` counts how often it had to ask. */
  function asker(memory = createKeyMemory(clock, createChanges())) {
    const asker = {
      memory,
      asked: 0,
      find: (answer: Admission | undefined = admission(), keys: string[] = ['a', 'b'], kind = 'server') =>
        memory.find(kind, keys, async () => {
          asker.asked++
          return answer
        }),
    }
    return asker
  }

  it('asks once in a second', async () => {
    const one = asker()
    await one.find()
    clock.advance(999)
    expect(await one.find(admission())).to.eql(admission())
    expect(one.asked).to.equal(1)
    clock.advance(1)
    expect(await one.find()).to.eql(admission())
    expect(one.asked).to.equal(2)
  })

  it('counts the second from before the question', async () => {
    const memory = createKeyMemory(clock, createChanges())
    await memory.find('server', ['a'], async () => {
      clock.advance(600)
      return admission()
    })
    clock.advance(400)
    let asked = false
    await memory.find('server', ['a'], async () => {
      asked = true
      return undefined
    })
    expect(asked).to.equal(true)
  })

  it('keeps no wrong key', async () => {
    const one = asker()
    const wrong = await one.memory.find('server', ['a', 'b'], async () => undefined)
    expect([wrong, one.memory.size()]).to.eql([undefined, 0])
    await one.find()
    expect(one.asked).to.equal(1)
  })

  it('takes no key for another, and none for another kind of key', async () => {
    const one = asker()
    await one.find(admission(), ['a', 'b'])
    const others = [['a', 'c'], ['a b'], ['a', 'b', ''], ['', 'ab'], ['a1', 'b'], ['A', 'b']]
    for (const keys of others) expect(await one.memory.find('server', keys, async () => undefined)).to.equal(undefined)
    expect(await one.memory.find('secret', ['a', 'b'], async () => undefined)).to.equal(undefined)
  })

  it('forgets a key when it ends by itself', async () => {
    const one = asker()
    await one.find(admission(clock.now() + 300))
    clock.advance(299)
    await one.find(admission(clock.now() + 1))
    expect(one.asked).to.equal(1)
    clock.advance(1)
    expect(await one.memory.find('server', ['a', 'b'], async () => undefined)).to.equal(undefined)
  })

  it('forgets all keys when told, in every thread that shares the cell, also one that is being looked up', async () => {
    const changes = createChanges()
    const [one, two] = [asker(createKeyMemory(clock, changes)), asker(createKeyMemory(clock, changes))]
    await one.find()
    await two.find()
    // Found before the end of the key, and noted after it.
    await two.memory.find('server', ['late'], async () => {
      one.memory.forget()
      return admission()
    })
    await one.find()
    await two.find()
    await two.find(admission(), ['late'])
    expect([one.asked, two.asked]).to.eql([2, 3])
  })

  it('keeps a bounded number of keys, the latest of them', async () => {
    const one = asker()
    for (let i = 0; i < 10_500; i++) await one.find(admission(), [`key ${i}`])
    expect(one.memory.size()).to.equal(10_000)
    one.asked = 0
    await one.find(admission(), ['key 10499'])
    await one.find(admission(), ['key 500'])
    expect(one.asked).to.equal(0)
    await one.find(admission(), ['key 499'])
    expect(one.asked).to.equal(1)
  })
})
