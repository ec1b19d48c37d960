import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { jobTable, poolOf } from '../../src/workers/schedule.ts'

const configOf = async (flags: Record<string, string>) => (await loadConfig({ environment: {}, flags })).config

describe('the pool of a worker thread', () => {
  it('has on PostgreSQL a connection for each loop of the thread, and for what a delivery thread does at once', async () => {
    const config = await configOf({
      'database.url': 'postgres://localhost/x',
    })
    for (const { name, jobs } of jobTable(config)) {
      expect(poolOf(jobs, config), name).to.be.at.least(Math.max(jobs.length, 4))
    }
  })

  it('has two readers on SQLite, whatever runs in it', async () => {
    const config = await configOf({})
    for (const { name, jobs } of jobTable(config)) expect(poolOf(jobs, config), name).to.equal(2)
  })
})
