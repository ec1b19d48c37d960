import { expect } from 'chai'
import { fairQueue } from '../../../src/platform/concurrency/fair-queue.ts'
import { isAppError } from '../../../src/platform/errors.ts'

describe('a fair queue', () => {
  const options = { atOnce: 1, waiting: 6, waitingOfOne: 4, full: 'too many wait', retrySeconds: 3 }

  /** A queue, and what ran in it: each piece of work ends when `next` is called. */
  function open() {
    const queue = fairQueue(options)
    const begun: string[] = []
    const ends: (() => void)[] = []
    const add = (who: string) =>
      queue
        .run(who, () => {
          begun.push(who)
          return new Promise<void>((end) => ends.push(end))
        })
        .then(
          () => 'done',
          (error: unknown) => (isAppError(error) ? `${error.code} ${error.details.headers?.['Retry-After']}` : error),
        )
    const next = async () => {
      await new Promise(setImmediate)
      ends.shift()!()
      await new Promise(setImmediate)
    }
    return { add, next, begun }
  }

  it('lets callers take turns, whatever each of them has waiting', async () => {
    const { add, next, begun } = open()
    const all = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(add)
    for (let i = 0; i < 7; i++) await next()
    expect(begun.join('')).to.equal('aabcaba')
    expect(await Promise.all(all)).to.deep.equal(Array.from({ length: 7 }, () => 'done'))
  })

  it('refuses one who has too many waiting, and says when to come again', async () => {
    const { add, next, begun } = open()
    const all = Array.from({ length: 7 }, () => add('a'))
    expect(await Promise.all(all.slice(5))).to.deep.equal(['unavailable 3', 'unavailable 3'])
    for (let i = 0; i < 5; i++) await next()
    expect(begun).to.have.length(5)
  })

  it('when it is full takes a place from who has most, for who has less', async () => {
    const { add, next, begun } = open()
    const first = ['a', 'a', 'a', 'a', 'a', 'b', 'b'].map(add)
    const late = add('c')
    expect(await first[4]).to.equal('unavailable 3')
    for (let i = 0; i < 7; i++) await next()
    expect(await late).to.equal('done')
    expect(begun.join('')).to.equal('aabcaba')
  })

  it('when it is full refuses one more of those who have as much as anybody', async () => {
    const { add, next } = open()
    const all = ['x', 'a', 'b', 'c', 'd', 'e', 'f'].map(add)
    expect(await add('g')).to.equal('unavailable 3')
    for (let i = 0; i < 7; i++) await next()
    expect(await Promise.all(all)).to.deep.equal(Array.from({ length: 7 }, () => 'done'))
  })

  it('goes on after work that fails', async () => {
    const queue = fairQueue(options)
    const failed = queue.run('a', () => Promise.reject(new Error('no')))
    const done = queue.run('a', () => Promise.resolve(1))
    expect(await failed.catch((error: Error) => error.message)).to.equal('no')
    expect(await done).to.equal(1)
  })
})
