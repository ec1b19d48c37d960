import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { eventually } from './support/eventually.ts'
import { processorTime } from './support/processor-time.ts'
import { PROGRAMS_MS } from './support/programs.ts'
import { processesOf } from './support/undertaker.ts'

const support = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, 'support', name)).href)

/** Nobody may have asked yet how it ended. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** The test runner as a process, on test files of its own. */
describe('npm test', function () {
  this.timeout(PROGRAMS_MS)
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'runner-'))
    // PostgreSQL runs as somebody else when we are root.
    chmodSync(dir, 0o755)
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  function begin(tests: string, environment: NodeJS.ProcessEnv = {}, ...flags: string[]): ChildProcess {
    const file = join(dir, 'made.test.mjs')
    writeFileSync(file, tests)
    const { MOCHA_SUPERVISED: _, MOCHA_DEPTH: __, CI: ___, ...rest } = process.env
    return spawn(process.execPath, [join(import.meta.dirname, 'support/run.ts'), ...flags, file], {
      env: { ...rest, TMPDIR: dir, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }

  async function outcome(child: ChildProcess): Promise<{ code: number; lines: string[] }> {
    let text = ''
    child.stdout!.on('data', (chunk) => (text += chunk))
    const [code] = (await once(child, 'close')) as [number]
    return { code, lines: text.trimEnd().split('\n') }
  }

  const withASkip = `
    import { skip } from ${support('skip.ts')}
    it('passes', () => {})
    it('is left out', function () { skip(this, 'there is no abacus') })
    describe('a suite', () => {
      before(function () { skip(this, 'there is no slide rule') })
      it('of one', () => {})
    })`

  it('counts what is skipped, and says what and why', async () => {
    const { code, lines } = await outcome(begin(withASkip))
    expect(lines).to.include('skipped, because there is no abacus: is left out')
    expect(lines).to.include('skipped, because there is no slide rule: a suite of one')
    expect(lines.slice(-2)).to.deep.equal([
      'skipped: 1 test, because there is no abacus; 1 test, because there is no slide rule',
      '1 passed, 0 failed, 2 skipped',
    ])
    expect(code).to.equal(0)
  })

  const failsAtFirst = `
    import { existsSync, writeFileSync } from 'node:fs'
    const ran = new URL('ran', import.meta.url)
    it('passes', () => {})
    it('is a race', () => {
      if (existsSync(ran)) return
      writeFileSync(ran, '')
      throw new Error('lost')
    })`

  it('runs a file with failures once more where CI is true, counts what passes then, and names it', async () => {
    const { code, lines } = await outcome(begin(failsAtFirst, { CI: 'true' }))
    expect(lines).to.include('A race to mend, it failed at first and passed alone: is a race')
    expect(lines.at(-1)).to.equal('2 passed, 0 failed, 0 skipped')
    expect(code).to.equal(0)
  })

  const RACE = [
    'races to mend, which failed at first and passed alone: 1 test, in full in build/races.log',
    /^ {2}\S*made\.test\.mjs: is a race$/,
    /^ {4}Error: lost/,
  ]

  it('names a race with what it said in its last ten lines', async () => {
    const { lines } = await outcome(begin(failsAtFirst, { CI: 'true' }))
    const end = lines.slice(-10)
    const at = end.indexOf(RACE[0] as string)
    expect(at, end.join('\n')).to.be.at.least(0)
    expect(end[at + 1]).to.match(RACE[1] as RegExp)
    expect(end[at + 2]).to.match(RACE[2] as RegExp)
  })

  it('fails for a race where CI is not true, and names it all the same', async () => {
    const { code, lines } = await outcome(begin(failsAtFirst, {}, '--long'))
    expect(lines.slice(-10)).to.include(RACE[0])
    expect(lines).to.include('What failed:')
    expect(lines.at(-1)).to.equal('1 passed, 1 failed, 0 skipped')
    expect(code).to.equal(1)
  })

  it('tells tests how deep the run goes', async () => {
    const says = `it('tells', () => console.log('depth', process.env.MOCHA_DEPTH))`
    const depthOf = async (...flags: string[]) => {
      const { lines } = await outcome(begin(says, {}, ...flags))
      return lines.find((line) => line.startsWith('depth'))
    }
    expect(await Promise.all([depthOf(), depthOf('--whole'), depthOf('--long')])).to.deep.equal([
      'depth daily',
      'depth whole',
      'depth long',
    ])
  })

  it('refuses flags that make no sense together, in a sentence', async () => {
    const refused = async (...flags: string[]) => {
      const { code, lines } = await outcome(begin('', {}, ...flags))
      expect([code, lines.at(-1)]).to.deep.equal([1, '0 passed, 0 failed, 0 skipped'])
      return lines.at(-2)
    }
    expect(await refused('--changed')).to.match(/--changed chooses the files/)
    expect(await refused('--base', 'main')).to.match(/--base belongs to --changed/)
    expect(await refused('--whole', '--long')).to.match(/name one of them/)
  })

  it('does not do so for files that somebody names at a desk', async () => {
    const { code, lines } = await outcome(begin(failsAtFirst))
    expect(lines.at(-1)).to.equal('1 passed, 1 failed, 0 skipped')
    expect(code).to.equal(1)
  })

  it('counts a failure once that fails again', async () => {
    const { code, lines } = await outcome(
      begin(`it('passes', () => {}); it('fails', () => { throw new Error() })`, { CI: 'true' }),
    )
    expect(lines.at(-1)).to.equal('1 passed, 1 failed, 0 skipped')
    expect(code).to.equal(1)
  })

  it('says at its end what failed, with the error, and leaves out what passed when it ran again', async () => {
    const fails = `it('adds up', () => { throw new Error('no sum') })`
    const atEnd = async (tests: string) => {
      const { lines } = await outcome(begin(tests, { CI: 'true' }))
      return lines.includes('What failed:') ? lines.slice(lines.indexOf('What failed:')).join('\n') : ''
    }
    expect(await atEnd(fails)).to.match(
      /made\.test\.mjs[^]*adds up:[^]*Error: no sum[^]*\n0 passed, 1 failed, 0 skipped$/,
    )
    expect(await atEnd(failsAtFirst)).to.equal('')
    expect(await atEnd(`it('ends', () => process.exit(7))`)).to.match(/ended with 7 during "ends"/)
  })

  it('fails where CI is true and something is skipped', async () => {
    const { code, lines } = await outcome(begin(withASkip, { CI: 'true' }))
    expect(lines.at(-1)).to.equal('1 passed, 0 failed, 2 skipped')
    expect(code).to.equal(1)
  })

  it('fails when a test fails, and when none ran', async () => {
    const failing = await outcome(begin(`it('fails', () => { throw new Error('no') }); it('passes', () => {})`))
    expect(failing.lines.at(-1)).to.equal('1 passed, 1 failed, 0 skipped')
    expect(failing.code).to.equal(1)
    const empty = await outcome(begin(''))
    expect(empty.lines.at(-1)).to.equal('0 passed, 0 failed, 0 skipped')
    expect(empty.code).to.equal(1)
  })

  it('gives a test five minutes', async () => {
    const { lines } = await outcome(begin(`it('has', function () { console.log('ms', this.timeout()) })`))
    expect(lines).to.include('ms 300000')
  })

  it('knows the processor time of what a file started, while that runs and when it has ended', async () => {
    const before = processorTime()
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
    try {
      await eventually(() => processorTime() - before > 500, 'half a second is used')
    } finally {
      busy.kill('SIGKILL')
    }
    await once(busy, 'exit')
    expect(processorTime() - before).to.be.above(500)
  })

  it('takes everything with it that it started when it is killed', async () => {
    const child = begin(`
      import { spawn } from 'node:child_process'
      import { freshPostgresDatabase } from ${support('postgres.ts')}
      it('hangs', async function () {
        this.timeout(0)
        await freshPostgresDatabase()
        const idle = ['-e', 'setInterval(() => {}, 1000)']
        // One in our session, one in its own that has nothing of our environment but its directory.
        const plain = spawn(process.execPath, idle, { stdio: 'ignore', env: {} })
        spawn(process.execPath, [...idle, process.env.TMPDIR], { stdio: 'ignore', env: {}, detached: true })
        console.log('started ' + plain.pid + ' in ' + process.env.TMPDIR)
        for (;;);
      })`)
    let run = ''
    let plain = 0
    const said: string[] = []
    for await (const line of createInterface({ input: child.stdout! })) {
      const started = /started (\d+) in (.+)/.exec(line)
      if (started) [plain, run] = [Number(started[1]), started[2]!]
      if (run !== '') break
      said.push(line)
    }
    expect(run, said.join('\n')).to.not.equal('')
    // The child, the two, the keeper and its server, the undertaker.
    const before = processesOf(run)
    expect(before.length).to.be.at.least(6)
    expect(before.some(({ isDatabase }) => isDatabase)).to.equal(true)
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    await eventually(() => processesOf(run).length === 0 && !existsSync(run), 'nothing is left of the run')
    // A process that is ending has lost what names its run a moment before it is gone.
    const pids = [plain, ...before.map(({ pid }) => pid)]
    await eventually(() => !pids.some(isRunning), 'none of its processes runs')
  })

  it('clears away what a run left whose undertaker was killed too', async () => {
    const left = join(dir, 'appsvc-run-left')
    const dead = spawn(process.execPath, ['-e', ''])
    await once(dead, 'exit')
    const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', left], { stdio: 'ignore' })
    const ended = once(orphan, 'exit')
    mkdirSync(left)
    writeFileSync(join(left, 'run.pid'), String(dead.pid))
    mkdirSync(join(left, 'closed/inside'), { recursive: true })
    chmodSync(join(left, 'closed'), 0)
    expect((await outcome(begin(`it('passes', () => {})`))).code).to.equal(0)
    expect((await ended)[1]).to.equal('SIGKILL')
    expect(readdirSync(dir)).to.not.include('appsvc-run-left')
  })
})
