import { expect } from 'chai'
import { failpoint, hearFailpoints, readFailpoints } from '../../../src/platform/process/failpoints.ts'

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

  it('are heard by a test of the same process until it has heard enough, and fail as it says', () => {
    const heard: string[] = []
    const end = hearFailpoints((name) => {
      heard.push(name)
      if (heard.length === 2) throw new Error('the end')
    })
    failpoint('deliver.begun')
    expect(() => failpoint('deliver.answered')).to.throw('the end')
    end()
    failpoint('deliver.recorded')
    expect(heard).to.deep.equal(['deliver.begun', 'deliver.answered'])
  })

  for (const text of ['deliver.begun', 'deliver.begun:0', 'deliver.begun:x', 'nowhere:1', 'deliver.begun:1:hang']) {
    it(`refuse ${text}`, () => {
      expect(() => readFailpoints(text)).to.throw('is not name:nth')
    })
  }
})
