import { expect } from 'chai'
import { createRetryBudget } from '../../../../src/domain/notifications/deliver/retry-budget.ts'

describe('the budget of retries', () => {
  it('is a hundred at once, and as many a minute', () => {
    const budget = createRetryBudget()
    expect(budget.available(0)).to.equal(100)
    budget.spend(100)
    expect(budget.available(0)).to.equal(0)
    expect(budget.available(30_000)).to.equal(50)
    expect(budget.available(3_600_000), 'not more than a minute saved up').to.equal(100)
  })

  it('grows by a tenth of the first attempts', () => {
    const budget = createRetryBudget()
    budget.earn(995)
    expect(budget.available(0)).to.equal(199)
    budget.earn(5)
    expect(budget.available(0)).to.equal(200)
  })

  it('says how long to wait for so many, at most a minute', () => {
    const budget = createRetryBudget()
    expect(budget.waitMs(100, 0)).to.equal(0)
    budget.spend(100)
    expect(budget.waitMs(10, 0)).to.equal(6000)
    expect(budget.waitMs(5000, 0)).to.equal(60_000)
    expect(budget.available(6000)).to.equal(10)
  })

  it('never lets more through than it has, whatever comes in which order', () => {
    const budget = createRetryBudget()
    let first = 0
    let retries = 0
    for (let second = 0; second < 600; second++) {
      first += 7
      budget.earn(7)
      const now = second * 1000
      const count = Math.min(50, budget.available(now))
      budget.spend(count)
      retries += count
      expect(retries).to.be.at.most(100 + first * 0.1 + (now / 60_000) * 100 + 1e-6)
    }
    expect(retries, 'and it is used').to.be.at.least(1500)
  })
})
