import { expect } from 'chai'
import { together } from '../../../src/platform/concurrency/together.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { eventually } from '../../support/eventually.ts'

describe('work that shares runs', () => {
  function recorded(answer: (items: readonly string[]) => void = () => {}) {
    const runs: string[] = []
    const add = together<number, string, string>({
      async run(key, items) {
        runs.push(`${key}: ${items.join(' ')}`)
        answer(items)
        return items.map((item) => `${item}!`)
      },
      count: (waiting) => Math.min(waiting.length, 3),
    })
    const outcome = (key: number, item: string) => add(key, item).catch((error: Error) => error.message)
    return { runs, outcome }
  }

  it('goes together by key, as much as fits, and each gets its own result', async () => {
    const { runs, outcome } = recorded()
    const all = ['a', 'b', 'c', 'd'].map((item) => outcome(1, item))
    expect(await Promise.all([...all, outcome(2, 'e')])).to.deep.equal(['a!', 'b!', 'c!', 'd!', 'e!'])
    expect(runs).to.have.members(['1: a b c', '2: e', '1: d'])
  })

  it('is tried in halves when a run fails, so that only the faulty one fails', async () => {
    const { runs, outcome } = recorded((items) => {
      if (items.includes('bad')) throw new Error('bad')
    })
    expect(await Promise.all(['a', 'bad', 'c'].map((item) => outcome(1, item)))).to.deep.equal(['a!', 'bad', 'c!'])
    expect(runs).to.deep.equal(['1: a bad c', '1: a bad', '1: a', '1: bad', '1: c'])
  })

  it('waits for those who came lately, and goes when as many are there or the time is over', async () => {
    const runs: string[] = []
    const ends: (() => void)[] = []
    const add = together<number, string, void>({
      async run(_, items) {
        runs.push(items.join(' '))
        await new Promise<void>((resolve) => ends.push(resolve))
        return items.map(() => undefined)
      },
      count: (waiting) => waiting.length,
      gatherMs: 600_000,
    })
    const first = [add(1, 'a'), add(1, 'b')]
    await eventually(() => ends.length === 1, 'the first run')
    const second = [add(1, 'c')]
    ends[0]!()
    await Promise.all(first)
    // Three came lately, and one waits.
    second.push(add(1, 'd'), add(1, 'e'))
    await eventually(() => ends.length === 2, 'the second run')
    ends[1]!()
    await Promise.all(second)
    expect(runs).to.deep.equal(['a b', 'c d e'])
  })

  it('fails for all when the database is not there', async () => {
    const { runs, outcome } = recorded(() => {
      throw new AppError('unavailable', 'gone')
    })
    expect(await Promise.all(['a', 'b'].map((item) => outcome(1, item)))).to.deep.equal(['gone', 'gone'])
    expect(runs).to.have.length(1)
  })
})
