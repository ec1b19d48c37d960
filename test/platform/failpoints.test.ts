import { expect } from 'chai'
import { failpoint, readFailpoints } from '../../src/platform/failpoints.ts'

describe('failpoints', () => {
  it('are none without the variable, and passing one does nothing', () => {
    expect(readFailpoints(undefined)).to.equal(undefined)
    expect(readFailpoints('')).to.equal(undefined)
    failpoint('deliver.begun')
  })

  it('are read as name, pass and way to fail', () => {
    expect([...readFailpoints('deliver.begun:2, accept.committed:1:throw')!]).to.deep.equal([
      ['deliver.begun', { left: 2, how: 'kill' }],
      ['accept.committed', { left: 1, how: 'throw' }],
    ])
  })

  for (const text of ['deliver.begun', 'deliver.begun:0', 'deliver.begun:x', 'nowhere:1', 'deliver.begun:1:hang']) {
    it(`refuse ${text}`, () => {
      expect(() => readFailpoints(text)).to.throw('is not name:nth')
    })
  }
})
