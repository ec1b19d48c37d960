import { expect } from 'chai'
import { autoThreads } from '../../src/server/index.ts'

describe('http.threads: auto', () => {
  for (const [isSqlite, cores, threads] of [
    [true, 1, 1],
    [true, 2, 1],
    [true, 64, 1],
    [false, 1, 1],
    [false, 3, 1],
    [false, 4, 4],
    [false, 8, 8],
    [false, 64, 16],
  ] as const) {
    it(`is ${threads} on ${isSqlite ? 'SQLite' : 'PostgreSQL'} with ${cores} cores`, () => {
      expect(autoThreads(isSqlite, cores)).to.equal(threads)
    })
  }
})
