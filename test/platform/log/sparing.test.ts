import { expect } from 'chai'
import { knexLog } from '../../../src/platform/db/database.ts'
import { type Log, silentLog } from '../../../src/platform/log/log.ts'
import { createSparing } from '../../../src/platform/log/sparing.ts'
import { complain } from '../../../src/workers/jobs/job.ts'

function recordingLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const say = (level: string) => (_fields: object, message: string) => void lines.push(`${level} ${message}`)
  return { log: { ...silentLog, warn: say('warn'), error: say('error') }, lines }
}

describe('what is told sparingly', () => {
  it('is the same text once a minute, another one at once', () => {
    const isNew = createSparing()
    expect(isNew('away', 0)).to.equal(true)
    expect(isNew('away', 59_999)).to.equal(false)
    expect(isNew('full', 59_999)).to.equal(true)
    expect(isNew('away', 60_000)).to.equal(true)
    expect(isNew('away', 60_001)).to.equal(false)
  })

  it('is forgotten when there is too much of it, not kept for ever', () => {
    const isNew = createSparing()
    for (let i = 0; i <= 100; i++) expect(isNew(`text ${i}`, 0)).to.equal(true)
    expect(isNew('text 0', 0)).to.equal(true)
  })

  it('is what a loop says of a database that stays away, and what Knex says of it', () => {
    const { log, lines } = recordingLog()
    const away = Object.assign(new Error('the disk'), { name: 'SqliteError', code: 'SQLITE_FULL' })
    for (let i = 0; i < 5; i++) complain(log, away, {}, 'a test cannot claim')
    complain(log, away, {}, 'a test cannot read')
    expect(lines).to.deep.equal(['warn a test cannot claim', 'warn a test cannot read'])
    lines.length = 0
    const knex = knexLog(log)
    for (let i = 0; i < 5; i++) knex.warn!('Acquire connection error')
    expect(lines).to.deep.equal(['warn database: Acquire connection error'])
  })

  it('is never an error of ours', () => {
    const { log, lines } = recordingLog()
    for (let i = 0; i < 2; i++) complain(log, new Error('a bug'), {}, 'housekeeping failed')
    expect(lines).to.deep.equal(['error housekeeping failed', 'error housekeeping failed'])
  })
})
