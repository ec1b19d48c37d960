import { expect } from 'chai'
import { inSlices, type SliceOptions } from '../../../src/platform/concurrency/slices.ts'

/** Works on so many rows, each taking `ms` per row; the limits of the slices and the pauses behind them. */
async function slicesOf(rows: number, ms: number, options: SliceOptions & { signal?: AbortSignal } = {}) {
  const limits: number[] = []
  const pauses: number[] = []
  let now = 0
  let left = rows
  const { signal, ...others } = options
  const more = await inSlices<object>(
    {
      inTransaction: (work) => work({}),
      clock: { monotonic: () => now, sleep: async (pause) => void pauses.push(pause) },
      signal,
    },
    async (_areas, limit) => {
      limits.push(limit)
      const taken = Math.min(limit, left)
      left -= taken
      now += taken * ms
      return taken
    },
    others,
  )
  return { limits, pauses, left, more }
}

describe('slices', () => {
  it('are taken until one is not full', async () => {
    const { left, more, limits } = await slicesOf(1000, 0)
    expect({ left, more, limits }).to.deep.equal({ left: 0, more: true, limits: [100, 150, 225, 338, 507] })
    expect((await slicesOf(100, 0)).limits).to.deep.equal([100, 150])
  })

  it('come to 25 ms each, however slow a row is, and others get as much time as they took', async () => {
    const { limits, pauses } = await slicesOf(200, 0.5, { first: 20 })
    expect(Math.max(...limits)).to.equal(50)
    expect(pauses.slice(0, 3)).to.deep.equal([12, 15, 22.5])
    expect((await slicesOf(20, 86_400_000)).pauses, 'of a day for each row').to.deep.equal([1000])
  })

  it('have at most as many rows as is asked, and end when the work is called off', async () => {
    expect((await slicesOf(20, 0, { first: 5, most: 5 })).limits).to.deep.equal([5, 5, 5, 5, 5])
    const stop = new AbortController()
    const onSlice = () => stop.abort()
    expect((await slicesOf(1000, 0, { signal: stop.signal, onSlice })).left).to.equal(900)
  })
})
