import { closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { prepareDataDirectory } from '../../src/platform/files/data-directory.ts'
import { ended, killAll, run, start, temporaryDirectory } from './cli.ts'

/** Commands where the machine does not give what they ask for. */
describe('a machine that refuses', () => {
  const { dir, end } = temporaryDirectory()
  after(() => {
    killAll()
    end()
  })

  for (const words of [['--version'], ['--help'], ['apps', '--help'], ['apps', 'create', '--help'], ['routes']]) {
    it(`${words.join(' ')} on a full disk ends with 69 and a sentence`, async () => {
      const full = openSync('/dev/full', 'w')
      const { code, stderr } = await ended(start(words, { stdio: ['ignore', full, 'pipe'] }))
      closeSync(full)
      expect(stderr).to.equal('appsvc: the result could not be written: ENOSPC: no space left on device, write\n')
      expect(code).to.equal(69)
    })
  }

  it('a demo without a temporary folder says so, and how to give it one', async () => {
    const { code, stderr } = await ended(start(['demo', '--once'], { env: { ...process.env, TMPDIR: '/proc' } }))
    expect(stderr).to.match(
      /^appsvc: the demo cannot create its data directory in \/proc: .*; set TMPDIR to another directory\n$/,
    )
    expect(code).to.equal(78)
  })

  it('what a data directory was made for and does not hold leaves none, and nobody else loses theirs', () => {
    const refuse = () => {
      throw new Error('no code here')
    }
    expect(() => prepareDataDirectory(join(dir, 'a/b/c'), refuse)).to.throw('no code here')
    expect(existsSync(join(dir, 'a'))).to.equal(false)
    mkdirSync(join(dir, 'kept'))
    expect(() => prepareDataDirectory(join(dir, 'kept'), refuse)).to.throw('no code here')
    expect(() => prepareDataDirectory(join(dir, 'kept/new'), refuse)).to.throw('no code here')
    expect(readdirSync(join(dir, 'kept'))).to.deep.equal([])
  })

  it('no file that is written can be written by others, whatever the umask says', async () => {
    const data = join(dir, 'data')
    const out = join(dir, 'out')
    mkdirSync(out)
    const before = process.umask(0)
    try {
      const at = ['--data-dir', data]
      expect((await run(['apps', 'create', 'First', ...at])).code).to.equal(0)
      expect((await run(['init', '--dir', data])).code).to.equal(0)
      await run(['templates', 'create', '1', '--uid', 'w', '--starter', 'welcome', ...at])
      const html = await run(['templates', 'preview', '1', 'w', '--html', join(out, 'w.html'), ...at])
      expect(html.code, html.stderr).to.equal(0)
      await run(['openapi', '--write', join(out, 'openapi.json')])
      const column = 'title:string'
      expect((await run(['tables', 'create', '1', 'books', '--column', column, ...at])).code).to.equal(0)
      expect((await run(['tables', 'export', '1', 'books', join(out, 'books.csv'), ...at])).code).to.equal(0)
    } finally {
      process.umask(before)
    }
    const modeOf = (path: string) => statSync(path).mode & 0o777
    for (const file of readdirSync(data)) expect(modeOf(join(data, file)) & 0o077, file).to.equal(0)
    expect(readdirSync(out)).to.have.members(['w.html', 'openapi.json', 'books.csv'])
    for (const file of readdirSync(out)) expect(modeOf(join(out, file)) & 0o022, file).to.equal(0)
  })

  it('counts of one are in the singular', async () => {
    const data = join(dir, 'one')
    const at = ['--data-dir', data]
    await run(['apps', 'create', 'First', ...at])
    expect((await run(['status', ...at])).stdout).to.include('0 notifications')
    await run(['tables', 'create', '1', 'books', '--column', 'title:string', ...at])
    writeFileSync(join(dir, 'books.csv'), 'title\nOne\n')
    const imported = await run(['tables', 'import', '1', 'books', join(dir, 'books.csv'), ...at])
    expect(imported.stdout).to.include('1 record was stored in books; 0 lines were refused.')
    await run(['notify', ...at], {
      stdin: JSON.stringify({ target: { broadcast: true }, content: { title: 'a', message: 'b' } }),
    })
    expect((await run(['status', ...at])).stdout).to.match(/1 notification$/m)
  })
})
