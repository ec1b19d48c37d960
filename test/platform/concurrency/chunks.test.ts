import { expect } from 'chai'
import { batches, chunks, collect, growthOf } from '../../../src/platform/concurrency/chunks.ts'

describe('chunks', () => {
  it('hold everything in its order, the last one what is left', () => {
    expect([...chunks([1, 2, 3, 4, 5], 2)]).to.deep.equal([[1, 2], [3, 4], [5]])
    expect([...chunks([1, 2], 2)]).to.deep.equal([[1, 2]])
  })

  it('of nothing there are none', () => {
    expect([...chunks([], 2)]).to.deep.equal([])
  })
})

describe('batches', () => {
  /** Items that are read with so many bytes each. */
  function reading(sizes: readonly number[]) {
    let bytes = 0
    async function* items() {
      for (const [i, size] of sizes.entries()) {
        bytes += size
        yield i
      }
    }
    return { items: items(), read: () => bytes }
  }
  const batched = ({ items, read }: ReturnType<typeof reading>) =>
    collect(batches(items, { size: 3, bytes: 100, bytesOf: growthOf(read) }))

  it('have as many items as they may, the last one what is left', async () => {
    expect(await batched(reading([1, 1, 1, 1]))).to.deep.equal([[0, 1, 2], [3]])
    expect(await batched(reading([]))).to.deep.equal([])
  })

  it('end earlier when what is read becomes large', async () => {
    expect(await batched(reading([99, 1, 99, 1, 1, 500]))).to.deep.equal([
      [0, 1],
      [2, 3],
      [4, 5],
    ])
  })
})
