import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { inspectFile } from '../../../src/platform/db/database-file.ts'
import { copyOnline } from '../../../src/platform/db/online-copy.ts'

describe('an online copy of a database', () => {
  let dir: string
  let writer: Database.Database
  const from = () => join(dir, 'from.sqlite')
  const to = () => join(dir, 'to.sqlite')
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-copy-'))
    writer = new Database(from())
    writer.pragma('journal_mode = WAL')
    writer.exec('CREATE TABLE one (id INTEGER PRIMARY KEY, text TEXT); CREATE TABLE two (id INTEGER PRIMARY KEY)')
    const insert = writer.prepare('INSERT INTO one (text) VALUES (?)')
    writer.transaction(() => {
      for (let i = 0; i < 6000; i++) insert.run('x'.repeat(500))
    })()
    writeFileSync(to(), '')
  })
  afterEach(() => {
    writer.close()
    rmSync(dir, { recursive: true })
  })

  it('is of one moment, though another connection writes between any two slices, and does not begin again', async () => {
    let slices = 0
    await copyOnline({
      from: from(),
      to: to(),
      onProgress() {
        slices++
        writer.exec('INSERT INTO one (text) VALUES (1); INSERT INTO two DEFAULT VALUES; DELETE FROM one WHERE id <= 10')
      },
    })
    expect(slices).to.be.within(2, 40)
    expect(inspectFile(to()).tables).to.deep.equal({ one: 6000, two: 0 })
    expect(inspectFile(from()).tables.two).to.equal(slices)
  })

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController()
    const copied = copyOnline({ from: from(), to: to(), signal: stop.signal, onProgress: () => stop.abort('enough') })
    expect(await copied.catch((reason: unknown) => reason)).to.equal('enough')
    writer.exec('INSERT INTO two DEFAULT VALUES')
  })
})
