import { expect } from 'chai'
import { readPage } from '../../../src/platform/db/pages.ts'

describe('a page of a list', () => {
  const read = (most: number) => Promise.resolve([1, 2, 3].slice(0, most))

  it('names its last row when more are behind it', async () => {
    expect(await readPage(2, read)).to.deep.equal({ rows: [1, 2], last: 2 })
  })

  it('names none when it is the last page, also a full one', async () => {
    expect(await readPage(3, read)).to.deep.equal({ rows: [1, 2, 3], last: undefined })
    expect(await readPage(4, read)).to.deep.equal({ rows: [1, 2, 3], last: undefined })
  })
})
