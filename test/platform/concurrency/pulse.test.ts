import { expect } from 'chai'
import { createPulse } from '../../../src/platform/concurrency/pulse.ts'
import { eventually } from '../../support/eventually.ts'

describe('a pulse', () => {
  it('sends the first signal at once, and those that follow together', async () => {
    let sent = 0
    const pulse = createPulse(() => void sent++, 20)
    pulse()
    expect(sent).to.equal(1)
    for (let i = 0; i < 100; i++) pulse()
    expect(sent).to.equal(1)
    await eventually(async () => sent === 2, 'the others are sent as one')
  })

  it('sends nothing that nobody asked for', async () => {
    let sent = 0
    const pulse = createPulse(() => void sent++, 1)
    pulse()
    const other = createPulse(() => void sent++, 5)
    other()
    other()
    await eventually(async () => sent === 3, 'the other one has sent twice')
    expect(sent).to.equal(3)
  })
})
