import { spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { lacks, PACKAGES, programsIn } from './support/needs.ts'
import { PROGRAMS_MS } from './support/programs.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Outcome of a run of mocha: the tests that passed and failed, those left out with their reasons, and what the suites began. */
interface Outcome {
  passed: string[]
  failed: string[]
  skipped: Record<string, string>
  begun: string[]
  found: Record<string, string | null>
  /** Tests that know of themselves that they need programs. */
  onlyWith: string[]
}

const support = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, 'support', name)).href)

/** Tests as they are written here, in a process of their own. */
const TESTS = `
import Mocha from ${JSON.stringify(import.meta.resolve('mocha'))}
const { needs, findProgram, needsPrograms } = await import(${support('needs.ts')})
const { needsChromium, openBrowser } = await import(${support('browser.ts')})
const { whySkipped } = await import(${support('skip.ts')})
const { nowRunning } = await import(${support('running.ts')})
const outcome = { passed: [], failed: [], skipped: {}, begun: [], found: {}, onlyWith: [] }
for (const name of ['nghttpd', 'openssl', 'Node before 24']) outcome.found[name] = findProgram(name) ?? null
const mocha = new Mocha({ reporter: function () {} })
mocha.suite.emit('pre-require', globalThis, null, mocha)
const starts = (what) => async () => void outcome.begun.push(what)
describe('one test', () => {
  before(starts('its suite'))
  const note = (test) => { if (needsPrograms()) outcome.onlyWith.push(test.test.title) }
  it('needs nghttpd', function () { needs(this, 'nghttpd'); note(this) })
  it('needs openssl', function () { needs(this, 'nghttpd', 'openssl'); outcome.begun.push('openssl') })
  it('needs nothing', function () { note(this) })
  describe('with a hook', () => {
    before(function () { needs(this, 'nghttpd') })
    it('is in a suite that needs nghttpd', function () { note(this) })
  })
  it('comes after one', function () { note(this) })
})
describe('a suite', () => {
  before(function () { needs(this, 'mandoc') })
  before(starts('a server for mandoc'))
  it('needs mandoc', starts('mandoc'))
})
for (const name of ['a page', 'another page']) {
  describe(name, () => {
    before(async function () { await needsChromium(this) })
    before(starts('a server for pages'))
    before(async () => void (await openBrowser()))
    it('is seen', starts('a page'))
  })
}
const runner = mocha.run(() => console.log(JSON.stringify(outcome)))
runner.on('test', nowRunning)
runner.on('pass', (test) => outcome.passed.push(test.fullTitle()))
runner.on('fail', (test) => outcome.failed.push(test.fullTitle()))
runner.on('pending', (test) => (outcome.skipped[test.fullTitle()] = whySkipped(test)))
`

describe('a program that tests need', function () {
  this.timeout(PROGRAMS_MS)
  let dir: string
  let outcome: Outcome
  const at = (name: string) => join(dir, name)

  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-needs-'))
    const program = (name: string, script: string) => {
      writeFileSync(at(name), `#!/bin/sh\n${script}\n`)
      chmodSync(at(name), 0o755)
    }
    for (const name of ['first', 'first/fish', 'bin', 'sbin']) mkdirSync(at(name))
    program('first/node', 'echo 24.0.0')
    program('bin/node', 'echo 20.1.0')
    program('bin/chromium', `echo x >> '${dir}/started'; printf '\\nno libnss3.so\\nCore dumped\\n' >&2; exit 1`)
    program('sbin/nghttpd', '')
    writeFileSync(at('bin/openssl'), 'not executable')
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', TESTS], {
      encoding: 'utf8',
      env: { PATH: `${at('first')}:${at('bin')}`, HOME: dir, TMPDIR: dir },
    })
    expect(stderr).to.equal('')
    outcome = JSON.parse(stdout) as Outcome
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('is looked for in the PATH and in the sbin beside a bin of it, and must be one that will do', () => {
    expect(outcome.found).to.deep.equal({
      nghttpd: at('sbin/nghttpd'),
      openssl: null,
      'Node before 24': at('bin/node'),
    })
  })

  it('is named with its package where it is missing, and only tests that need it are left out', () => {
    expect(outcome.passed.slice(0, 2)).to.deep.equal(['one test needs nghttpd', 'one test needs nothing'])
    expect(outcome.failed).to.deep.equal([])
    expect(outcome.skipped).to.include({
      'one test needs openssl': 'there is no openssl (apt-get install openssl)',
      'a suite needs mandoc': 'there is no mandoc (apt-get install mandoc)',
    })
  })

  it('is known to the tests that need it, by themselves or by their suite, and to no others', () => {
    expect(outcome.onlyWith).to.deep.equal(['needs nghttpd', 'is in a suite that needs nghttpd'])
  })

  it('is looked for before anything is started', () => {
    expect(outcome.begun).to.deep.equal(['its suite'])
  })

  it('is, if it is a browser, tried once by a process, and one that does not start says why', () => {
    const why = 'Chromium does not start: no libnss3.so'
    expect(outcome.skipped).to.include({ 'a page is seen': why, 'another page is seen': why })
    expect(readFileSync(at('started'), 'utf8')).to.equal('x\n')
  })

  it('is found in the lines of a shell', () => {
    expect(
      programsIn('appsvc tell curl\n  openssl rand 9 | php -r 1; (fish)\nX=$(zsh -c "mandoc")\nnode x'),
    ).to.have.members(['openssl', 'php', 'fish', 'zsh'])
  })
})

describe('what tests need', () => {
  const TESTS_AND_SUPPORT = globSync('test/**/*.ts', { cwd: ROOT })

  for (const page of ['README.md', 'CONTRIBUTING.md'])
    it(`stands in ${page} as a line to paste`, () => {
      const lines = Array.from(read(page).matchAll(/^ *(?:sudo )?(apt-get install .*)$/gm), ([, line]) => line)
      expect(lines).to.deep.equal([`apt-get install -y --no-install-recommends ${PACKAGES.join(' ')}`])
    })

  it('is named with how to get it', () => {
    expect(lacks('nghttpd')).to.equal('there is no nghttpd (apt-get install nghttp2-server)')
  })

  it('is asked for: what is started by its name alone is on every Debian', () => {
    // Of essential packages, npm and git; `mount` is tried by needsSmallDisk, and `ps` asked on other systems only.
    const everywhere = new Set(['bash', 'chown', 'git', 'id', 'mount', 'npm', 'ps', 'sh', 'tar', 'umount'])
    const named = TESTS_AND_SUPPORT.flatMap((path) =>
      Array.from(
        read(path).matchAll(/\b(?:spawn|spawnSync|execFile|execFileSync)\)?\(\s*'([^']+)'/g),
        ([, program]) => [path, program!],
      ),
    )
    expect(named.filter(([, program]) => !everywhere.has(program!))).to.deep.equal([])
  })

  it('is never left out without a reason', () => {
    const BARE = /\b(?:this|context)\.skip\(|\b(?:it|describe)\.skip\(|\bx(?:it|describe)\(/
    const found = TESTS_AND_SUPPORT.filter((path) => path !== 'test/support/skip.ts' && BARE.test(read(path)))
    expect(found).to.deep.equal([])
  })
})
