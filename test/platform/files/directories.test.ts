import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { messageOf } from '../../../src/platform/errors.ts'
import { makeDirectories } from '../../../src/platform/files/directories.ts'
import { ended, run, start } from '../../cli/cli.ts'
import { readTree } from '../../support/imports.ts'

/** Folders that nobody can create. */
const IMPOSSIBLE = ['/proc/x', '/proc/x/y/z', '/dev/null/x']

describe('directories', () => {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-directories-'))

  it('are made with their parents for their owner alone, and the topmost new one is told', () => {
    expect(makeDirectories(join(dir, 'a/b/c'))).to.equal(join(dir, 'a'))
    expect(statSync(join(dir, 'a/b/c')).mode & 0o777).to.equal(0o700)
    expect(makeDirectories(join(dir, 'a/b/c'))).to.equal(undefined)
    expect(makeDirectories(join(dir, 'a/b/d'))).to.equal(join(dir, 'a/b/d'))
  })

  it('in place of a file are an error', () => {
    writeFileSync(join(dir, 'file'), '')
    for (const path of ['file', 'file/x']) expect(() => makeDirectories(join(dir, path))).to.throw(/./)
  })

  for (const path of IMPOSSIBLE) {
    it(`such as ${path} are an error at once`, () => {
      let sentence = 'made'
      try {
        makeDirectories(path)
      } catch (error) {
        sentence = messageOf(error)
      }
      expect(sentence).to.match(/ENOENT|ENOTDIR|EACCES|not a directory/)
    })
  }

  it('are made in no other way: the one of Node never returns below /proc', () => {
    const tree = readTree(join(import.meta.dirname, '../../..'), ['src'])
    const others = [...tree].flatMap(([file, text]) => (/mkdir(?:Sync)?\(.*recursive/.test(text) ? [file] : []))
    expect(others).to.deep.equal([])
  })

  const inProcess = (argv: string[]) => ended(start(argv))
  const here = (argv: string[]) => run(argv)
  for (const [argv, type] of [
    [['sandbox', '--dir', '/proc/x'], here],
    [['init', '--dir', '/proc/x'], here],
    [['serve', '--port', '0', '--data-dir', '/proc/x'], inProcess],
    [['apps', 'create', 'x', '--data-dir', '/proc/x'], here],
  ] as const) {
    it(`that cannot be made end "${argv.join(' ')}" with a sentence`, async () => {
      const { code, stderr } = await type([...argv])
      expect([64, 77, 78]).to.include(code)
      expect(stderr.trim().split('\n'), stderr).to.have.lengthOf(1)
      expect(stderr).to.include('/proc/x').and.include('choose another with')
    })
  }

  it('for a master key or for signing in end commands with a sentence, too', async () => {
    const environment = { APPSVC_MASTER_KEY_FILE: '/proc/x/master.key' }
    const { code, stderr } = await run(['apps', 'create', 'x', '--data-dir', join(dir, 'data')], { environment })
    expect([code, stderr.includes('/proc/x/master.key cannot be created')]).to.deep.equal([78, true])
  })
})
