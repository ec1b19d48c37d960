import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import { failureOf } from '../../src/cli/failure.ts'

/** An error with a code, as drivers throw them. */
const coded = (code: string) => Object.assign(new Error(`said ${code}`), { code })

describe('what a failure of the database looks like on the command line', () => {
  const rows: [string, number, RegExp][] = [
    ['SQLITE_BUSY', 69, /the database is busy \(SQLITE_BUSY\): try again/],
    ['SQLITE_BUSY_SNAPSHOT', 69, /the database is busy/],
    ['SQLITE_LOCKED', 69, /the database is busy/],
    ['SQLITE_FULL', 69, /cannot be used now \(SQLITE_FULL/],
    ['SQLITE_IOERR_WRITE', 69, /cannot be used now/],
    ['SQLITE_READONLY', 69, /cannot be used now/],
    ['SQLITE_NOTADB', 78, /is not an SQLite database/],
    ['ECONNREFUSED', 69, /cannot be reached/],
    ['28P01', 78, /refuses the connection/],
    ['SQLITE_CONSTRAINT', 1, /internal error/],
  ]
  for (const [code, exit, sentence] of rows) {
    it(`${code} ends with ${exit}`, () => {
      const failure = failureOf(coded(code))
      expect(failure.exit).to.equal(exit)
      expect(failure.sentence).to.match(sentence)
    })
  }

  it('a file that another program writes ends with 69, as SQLite itself says it', () => {
    const dir = mkdtempSync(join(tmpdir(), 'busy-'))
    const file = join(dir, 'db.sqlite')
    const [writer, other] = [new Sqlite(file), new Sqlite(file, { timeout: 0 })]
    try {
      writer.exec('CREATE TABLE t (a); BEGIN IMMEDIATE')
      let thrown: unknown
      try {
        other.exec('INSERT INTO t VALUES (1)')
      } catch (error) {
        thrown = error
      }
      expect(failureOf(thrown)).to.include({ exit: 69 })
      expect(failureOf(thrown).sentence).to.include('the database is busy (SQLITE_BUSY)')
    } finally {
      writer.close()
      other.close()
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
