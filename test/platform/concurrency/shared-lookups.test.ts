import { expect } from 'chai'
import { shareLookups } from '../../../src/platform/concurrency/shared-lookups.ts'

describe('shared lookups', () => {
  /** Lookups whose fetches end when they are told to; `fetches` lists what was asked for. */
  function scripted() {
    const fetches: { keys: string[]; answer(): void; fail(error: Error): void }[] = []
    let begun = Promise.withResolvers<void>()
    const look = shareLookups((keys: readonly string[]) => {
      const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>()
      const known = keys.filter((key) => key !== 'unknown')
      fetches.push({
        keys: [...keys],
        answer: () => resolve(new Map(known.map((key) => [key, `${key} in fetch ${fetches.length}`]))),
        fail: reject,
      })
      begun.resolve()
      begun = Promise.withResolvers()
      return promise
    })
    return { look, fetches, begun: () => begun.promise }
  }

  it('asked for at the same time are fetched together, each key once', async () => {
    const { look, fetches, begun } = scripted()
    const answers = Promise.all([look('a'), look('b'), look('a'), look('unknown')])
    await begun()
    fetches[0]!.answer()
    expect(await answers).to.deep.equal(['a in fetch 1', 'b in fetch 1', 'a in fetch 1', undefined])
    expect(fetches.map(({ keys }) => keys)).to.deep.equal([['a', 'b', 'unknown']])
  })

  it('asked for while others are fetched wait for a fetch that begins later: no answer is older than its question', async () => {
    const { look, fetches, begun } = scripted()
    const first = look('a')
    await begun()
    const second = look('a')
    const next = begun()
    fetches[0]!.answer()
    expect(await first).to.equal('a in fetch 1')
    await next
    fetches[1]!.answer()
    expect(await second).to.equal('a in fetch 2')
  })

  it('all fail that were fetched together, and the next ones work', async () => {
    const { look, fetches, begun } = scripted()
    const failing = [look('a'), look('b')].map((one) => one.catch((error: Error) => error.message))
    await begun()
    fetches[0]!.fail(new Error('gone'))
    expect(await Promise.all(failing)).to.deep.equal(['gone', 'gone'])
    const next = look('a')
    await begun()
    fetches[1]!.answer()
    expect(await next).to.equal('a in fetch 2')
  })
})
