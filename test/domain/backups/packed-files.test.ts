import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect } from 'chai'
import { openFiles, PACKED_TABLE, unpackFiles } from '../../../src/domain/backups/packed-files.ts'
import { readListed } from '../../../src/domain/erasures/list-file.ts'

const FIRST = 'subscribers-00000000-0000-4000-8000-000000000001.csv'
const SECOND = 'subscribers-00000000-0000-4000-8000-000000000002.csv'
const erasure = (id: string) => ({ id, appId: 1, kind: 'user', digest: `digest of ${id}`, requestedAt: 5 })
const line = (id: string) => JSON.stringify(erasure(id))

describe('files that are packed into a backup', () => {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  const from = join(dir, 'from')
  const to = join(dir, 'to')
  /** More than one piece. */
  const long = Buffer.alloc(2 * 1024 * 1024 + 3, 'ab')
  let db: SqliteDatabase.Database
  before(() => {
    mkdirSync(join(from, 'uploads'), { recursive: true })
    mkdirSync(to)
    writeFileSync(join(from, 'uploads', FIRST), long)
    writeFileSync(join(from, 'uploads', SECOND), '')
    writeFileSync(join(from, 'uploads', 'other.csv'), 'no')
    writeFileSync(join(from, 'erasures.list'), `\n${line('1')}`)
    writeFileSync(join(to, 'erasures.list'), `\n${line('2')}`)
    db = new SqliteDatabase(':memory:')
    const files = openFiles(from)
    files.add()
    files.add()
    files.packInto(db)
    files.close()
  })
  after(() => {
    db.close()
    rmSync(dir, { recursive: true, force: true })
  })

  it('come out as they were, each with its own content, and names that we do not write do not', () => {
    db.prepare(`INSERT INTO ${PACKED_TABLE} (name, piece, bytes) VALUES (?, 0, ?)`).run(
      'uploads/../../evil',
      Buffer.from('no'),
    )
    expect(unpackFiles(db, to, [line('3')])).to.equal(2)
    expect(readdirSync(join(to, 'uploads')).toSorted()).to.deep.equal([FIRST, SECOND])
    expect(readFileSync(join(to, 'uploads', FIRST)).equals(long)).to.equal(true)
    expect(readFileSync(join(to, 'uploads', SECOND), 'utf8')).to.equal('')
  })

  it('add their erasures to those that are known', () => {
    expect(readListed(join(to, 'erasures.list')).map(({ id }) => id)).to.have.members(['1', '2', '3'])
  })

  it('leave nothing in the database, where there need not be any', () => {
    expect(db.prepare('SELECT name FROM sqlite_schema').all()).to.deep.equal([])
    expect(unpackFiles(db, to)).to.equal(0)
  })
})
