import { expect } from 'chai'
import { createRequestCounts, DURATIONS } from '../../../src/server/metrics/request-counts.ts'

const USERS = { area: 'crm', route: '/v2/users', method: 'get' }

describe('the counts of requests', () => {
  it('tell routes, methods and statuses apart, and put each duration where it belongs', () => {
    const counts = createRequestCounts()
    counts.observe({ ...USERS, status: 200, seconds: 0.005 })
    counts.observe({ ...USERS, status: 200, seconds: 0.0051 })
    counts.observe({ ...USERS, status: 404, seconds: 31 })
    counts.observe({ ...USERS, method: 'put', status: 200, seconds: 0 })
    const [read, written] = counts.list()
    expect([...read!.statuses]).to.deep.equal([
      [200, 2],
      [404, 1],
    ])
    expect(read!.durations).to.deep.equal([1, 1, ...Array<number>(DURATIONS.length - 2).fill(0), 1])
    expect(read!.seconds).to.be.closeTo(31.0101, 1e-9)
    expect(written!.durations[0]).to.equal(1)
  })

  it('of a thread are handed over once and add up with those of others', () => {
    const [main, other] = [createRequestCounts(), createRequestCounts()]
    main.observe({ ...USERS, status: 200, seconds: 1 })
    for (let i = 0; i < 3; i++) {
      other.observe({ ...USERS, status: 200, seconds: 1 })
      other.observe({ ...USERS, status: 500, seconds: 2 })
      main.add(structuredClone(other.take()))
      expect(other.list()).to.deep.equal([])
    }
    const [series] = main.list()
    expect([...series!.statuses]).to.deep.equal([
      [200, 4],
      [500, 3],
    ])
    expect(series!.durations.reduce((sum, count) => sum + count)).to.equal(7)
    expect(series!.seconds).to.equal(10)
  })
})
