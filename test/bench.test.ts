import { expect } from 'chai'
import { changesText, compareRuns } from '../bench/support/compare.ts'
import { medianOf, type Result } from '../bench/support/result.ts'
import { merged, type Run, repeated } from '../bench/support/runs.ts'

const run = (...rows: Result[]): Run => ({
  commit: 'c',
  date: '2026-11-23T00:00:00.000Z',
  node: 'v24',
  cores: 2,
  rows: rows.map((row) => ({ bench: 'send', ...row })),
})
const rate = (value: number, min = value, max = value): Result => ({
  name: 'broadcast',
  value,
  unit: 'pushes/s',
  spread: { min, max, runs: 5 },
})
const verdicts = (before: Result[], after: Result[]) =>
  compareRuns(run(...before), run(...after)).map(({ verdict }) => verdict)

describe('bench compare', () => {
  it('says nothing while spreads overlap, however far the medians are apart', () => {
    expect(verdicts([rate(100, 50, 160)], [rate(200, 150, 250)])).to.deep.equal([])
  })

  it('says nothing of a tenth, however narrow the spreads are', () => {
    expect(verdicts([rate(100, 99, 101)], [rate(109, 108, 110)])).to.deep.equal([])
    expect(verdicts([rate(100, 99, 101)], [rate(91, 90, 92)])).to.deep.equal([])
  })

  it('tells better from worse by the unit', () => {
    expect(verdicts([rate(100)], [rate(150)])).to.deep.equal(['better'])
    expect(verdicts([rate(100)], [rate(50)])).to.deep.equal(['worse'])
    const time = (value: number): Result => ({ name: 'p99', value, unit: 'ms' })
    expect(verdicts([time(100)], [time(150)])).to.deep.equal(['worse'])
    expect(verdicts([{ ...time(100), better: 'more' }], [{ ...time(150), better: 'more' }])).to.deep.equal(['better'])
  })

  it('compares ratios where both have the same baseline, as the machine may have been slower', () => {
    const against = (value: number, base: number, name = 'bare Koa') => ({
      ...rate(value),
      against: { name, value: base },
    })
    expect(verdicts([against(100, 200)], [against(50, 100)])).to.deep.equal([])
    expect(verdicts([against(100, 200)], [against(100, 100)])).to.deep.equal(['better'])
    expect(verdicts([against(100, 200)], [against(50, 100, 'h2load')])).to.deep.equal(['worse'])
  })

  it('names rows that only one of the runs has', () => {
    const other = { ...rate(1), name: 'other' }
    expect(compareRuns(run(rate(1)), run(other))).to.deep.include.members([
      { name: 'send: other', verdict: 'new', text: '1 pushes/s' },
      { name: 'send: broadcast', verdict: 'gone', text: 'not in the second run' },
    ])
  })

  it('prints both figures with their spreads', () => {
    const [before, after] = [run(rate(100, 90, 110)), run(rate(50, 45, 55))]
    expect(changesText(before, after, compareRuns(before, after))).to.include(
      'worse   send: broadcast  100 pushes/s (90 to 110) -> 50 pushes/s (45 to 55), -50 %',
    )
    expect(changesText(before, before, [])).to.include('nothing changed by more than noise')
  })
})

describe('runs of a bench', () => {
  it('are merged to medians, of ratios too', () => {
    const one = (value: number, base: number): Result[] => [
      { name: 'a', value, unit: 'ms', against: { name: 'b', value: base } },
    ]
    expect(merged([one(1, 1), one(9, 3), one(4, 1)])).to.deep.equal([
      {
        name: 'a',
        value: 4,
        unit: 'ms',
        against: { name: 'b', value: 1 },
        spread: { min: 1, max: 9, runs: 3 },
        ratio: { value: 3, min: 1, max: 4, runs: 3 },
      },
    ])
    expect(medianOf([4, 1, 3, 2])).to.equal(2.5)
  })

  it('are as many as asked for, but one of a bench that repeats its rows itself', async () => {
    let runs = 0
    const { spread, ...plain } = rate(1)
    const bench = (result: Result) => () => {
      runs++
      return Promise.resolve([result])
    }
    await repeated(bench(plain), 5)
    expect(runs).to.equal(5)
    await repeated(bench({ ...plain, spread: spread! }), 5)
    expect(runs).to.equal(6)
  })
})
