import { chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { makePrivateFile, prepareDataDirectory } from '../../../src/platform/files/data-directory.ts'

describe('the data directory', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-data-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  it('is made for its owner alone, with the directories above it', () => {
    const data = join(dir, 'a/b')
    expect(prepareDataDirectory(data)).to.equal(dirname(data))
    expect(statSync(data).mode & 0o777).to.equal(0o700)
    expect(prepareDataDirectory(data)).to.equal(undefined)
  })

  it('a file in its place is a configuration error', () => {
    const file = join(dir, 'file')
    writeFileSync(file, '')
    expect(() => prepareDataDirectory(file))
      .to.throw(/is not a directory/)
      .and.include({ code: 'config' })
    expect(() => prepareDataDirectory(join(file, 'below'))).to.throw(/cannot be created/)
  })

  it('of another user is refused, even for root', () => {
    const isRoot = process.getuid?.() === 0
    const data = isRoot ? join(dir, 'other') : '/'
    if (isRoot) {
      prepareDataDirectory(data)
      chownSync(data, 12345, 12345)
    }
    expect(() => prepareDataDirectory(data))
      .to.throw(`belongs to the user with id ${isRoot ? 12345 : 0} `)
      .and.include({ code: 'forbidden' })
  })

  it('a private file is made once and left alone afterwards', () => {
    const file = join(dir, 'f')
    makePrivateFile(file)
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    writeFileSync(file, 'content')
    makePrivateFile(file)
    expect(statSync(file).size).to.equal(7)
    expect(() => makePrivateFile(join(dir, 'none/f'))).to.throw(/cannot be created/)
    expect(existsSync(join(dir, 'none'))).to.equal(false)
  })

  it('where no directory can be made is refused at once', () => {
    expect(() => prepareDataDirectory('/proc/appsvc/data'))
      .to.throw(/^the data directory \/proc\/appsvc\/data cannot be created: .*choose another with --data-dir$/)
      .and.include({ code: 'forbidden' })
  })
})
