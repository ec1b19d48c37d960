import { expect } from 'chai'
import { loadPure } from './support/pure.ts'

type Change = typeof import('../../src/console/pages/home/change.ts')
type Periods = typeof import('../../src/console/parts/periods.ts')

describe('figures of the home', () => {
  it('say how they differ from those of the days before in a sign and a word', async () => {
    const { changeInWords } = await loadPure<Change>('pages/home/change.ts')
    const said = (now: number, before?: number) => changeInWords(now, before)
    expect(said(162, 150)).to.equal('+12, up from 150')
    expect(said(150, 162)).to.equal('−12, down from 162')
    expect(said(3, 0)).to.equal('+3, up from 0')
    expect(said(1_250_000, 1_200_000)).to.equal('+50K, up from 1.2M')
    expect(said(4, 4)).to.equal('as many as before')
    expect(said(0, 0)).to.equal('none before either')
    expect(said(4)).to.equal(undefined)
  })

  it('are of the period in the address, and of 30 days where it names none', async () => {
    const { periodOf } = await loadPure<Periods>('parts/periods.ts')
    expect(['7', '30', '90'].map(periodOf)).to.deep.equal(['7', '30', '90'])
    for (const given of [null, '', '8', '91', '-7', '7.0', ' 7', 'week']) expect(periodOf(given)).to.equal('30')
  })
})
