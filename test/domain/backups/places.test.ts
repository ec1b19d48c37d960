import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { fileFault, isAborted } from '../../../src/domain/backups/file-faults.ts'
import { readPlace } from '../../../src/domain/backups/places.ts'
import { AppError, isAppError } from '../../../src/platform/errors.ts'

describe('the place of a backup', () => {
  let dir: string
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
    mkdirSync(join(dir, 'data'))
    mkdirSync(join(dir, 'there'))
    writeFileSync(join(dir, 'there', 'file.sqlite'), '')
    symlinkSync(join(dir, 'data'), join(dir, 'link'))
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  const s3 = { endpoint: '', region: 'eu-central-1', pathStyle: false }
  const read = (text: string, more: { isDirectory?: boolean } = {}) => {
    try {
      return readPlace(text, { s3, dataDir: join(dir, 'data'), ...more }).name ?? 'a directory'
    } catch (error) {
      if (!isAppError(error)) throw error
      return `${error.code}: ${error.message}`
    }
  }

  it('is a file or a directory, as it ends or as it is there', () => {
    const at = (...path: string[]) => join(dir, ...path)
    expect(read(at('new.sqlite'))).to.equal('new.sqlite')
    expect(read(`${at('new')}/`)).to.equal('a directory')
    expect(read(at('there'))).to.equal('a directory')
    expect(read(at('there', 'file.sqlite'))).to.equal('file.sqlite')
    expect(read(at('new'), { isDirectory: true })).to.equal('a directory')
  })

  it('is not the data directory, by whatever path, nor nothing, nor of another scheme', () => {
    const inside = (path: string) => `usage: ${path} is in the data directory: name a place on another disk or machine`
    for (const path of [join(dir, 'data'), join(dir, 'link'), join(dir, 'data', 'x.sqlite'), join(dir, 'link', 'x')])
      expect(read(path)).to.equal(inside(path))
    expect(read('')).to.match(/^usage: the place is empty/)
    expect(read('ftp://host/x')).to.match(/^usage: ftp:\/\/ is not supported/)
    expect(read('HTTPS://host/x')).to.match(/^usage: HTTPS:\/\/ is not supported/)
  })

  it('in S3 is a file when it ends with .sqlite, and names a bucket and a prefix of plain letters', () => {
    expect(read('s3://bucket')).to.equal('a directory')
    expect(read('s3://bucket/a/b')).to.equal('a directory')
    expect(read('s3://bucket/a/b.sqlite')).to.equal('b.sqlite')
    expect(read('s3://bucket/b.sqlite')).to.equal('b.sqlite')
    for (const wrong of ['s3://', 's3:bucket', 's3://Bucket/a', 's3://b', 's3://bucket/ä', 's3://bucket/a b'])
      expect(read(wrong), wrong).to.match(/^usage: .* must be s3:\/\/bucket\/prefix/)
    for (const secret of ['s3://key:secret@bucket/a', 's3://bucket/a?region=x'])
      expect(read(secret), secret).to.match(/^usage: the address must not contain credentials/)
  })

  const faults: [code: string, becomes: string][] = [
    ...['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].map((code): [string, string] => [
      code,
      'unavailable: x: the disk is full; free some space, or choose another place',
    ]),
    ...['EACCES', 'EPERM', 'EROFS', 'SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_CANTOPEN_ISDIR'].map(
      (code): [string, string] => [code, 'forbidden: x: why; choose a place where this user may write'],
    ),
    ['ENOENT', 'not_found: x: why'],
    ...['EIO', 'EBUSY', 'ENOTDIR', 'EISDIR', 'EMFILE', 'SQLITE_IOERR_WRITE', 'SQLITE_BUSY'].map(
      (code): [string, string] => [code, 'unavailable: x: why'],
    ),
    ['SQLITE_CORRUPT', 'as it was'],
    ['ECONNRESET', 'as it was'],
  ]
  for (const [code, becomes] of faults) {
    it(`that fails with ${code} is ${becomes}`, () => {
      const error = Object.assign(new Error('why'), { code })
      const fault = fileFault(error, 'x')
      expect(fault === error ? 'as it was' : `${(fault as AppError).code}: ${(fault as Error).message}`).to.equal(
        becomes,
      )
    })
  }

  it('that fails in another way fails as it did', () => {
    for (const error of [null, 'text', new AppError('conflict', 'no')]) expect(fileFault(error, 'x')).to.equal(error)
  })

  it('is given up when the signal says so, for that reason', () => {
    const stop = new AbortController()
    const named = Object.assign(new Error('x'), { name: 'AbortError' })
    expect(isAborted(named, stop.signal)).to.equal(false)
    stop.abort(new Error('enough'))
    expect(isAborted(stop.signal.reason, stop.signal)).to.equal(true)
    expect(isAborted(named, stop.signal)).to.equal(true)
    for (const other of [new Error('enough'), null]) expect(isAborted(other, stop.signal)).to.equal(false)
    expect(isAborted(stop.signal.reason, undefined)).to.equal(false)
  })
})
