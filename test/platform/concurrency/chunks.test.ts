import { expect } from 'chai'
import { chunks } from '../../../src/platform/concurrency/chunks.ts'

describe('chunks', () => {
  it('hold everything in its order, the last one what is left', () => {
    expect([...chunks([1, 2, 3, 4, 5], 2)]).to.deep.equal([[1, 2], [3, 4], [5]])
    expect([...chunks([1, 2], 2)]).to.deep.equal([[1, 2]])
  })

  it('of nothing there are none', () => {
    expect([...chunks([], 2)]).to.deep.equal([])
  })
})
