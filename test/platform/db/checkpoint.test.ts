import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { connect } from '../../../src/platform/db/connect.ts'
import { silentLog } from '../../../src/platform/log/log.ts'

describe('a checkpoint', () => {
  it('goes on without a reader that stays, as a backup does, and keeps the patience of the connection', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'appsvc-checkpoint-'))
    const file = join(dir, 'appsvc.sqlite')
    const db = connect({ file, log: silentLog })
    try {
      await db.write((trx) => trx.raw('CREATE TABLE one (id INTEGER PRIMARY KEY)'))
      const reader = new Database(file)
      reader.exec('BEGIN')
      reader.prepare('SELECT count(*) FROM one').get()
      await db.write((trx) => trx.raw('INSERT INTO one DEFAULT VALUES'))
      await db.checkpoint()
      expect(await db.purge([]), 'with a reader').to.equal(false)
      expect(statSync(`${file}-wal`).size).to.be.above(0)
      reader.close()
      expect(await db.purge([]), 'without one').to.equal(true)
      expect(statSync(`${file}-wal`).size).to.equal(0)
      const [{ timeout }] = (await db.write((trx) => trx.raw('PRAGMA busy_timeout'))) as [{ timeout: number }]
      expect(timeout).to.equal(0)
    } finally {
      await db.close()
      rmSync(dir, { recursive: true })
    }
  })
})
