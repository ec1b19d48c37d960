import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'chai'
import { readableLine } from '../../../src/platform/log/log.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

/** Runs a program that logs and returns its lines of standard error; asserts that standard output stays free for results. */
function linesOf(level: string, script: string): Record<string, unknown>[] {
  const platform = join(import.meta.dirname, '../../../src/platform')
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { createLog } = await import('${platform}/log/log.ts'); const { Secret } = await import('${platform}/config/secret.ts');
       const log = createLog('${level}'); ${script}; log.flush()`,
    ],
    { encoding: 'utf8' },
  )
  expect(status, stderr).to.equal(0)
  expect(stdout).to.equal('')
  return stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

describe('the log', function () {
  this.timeout(PROGRAMS_MS)
  it('is a line of JSON for each entry, on standard error, with a time that people read', () => {
    const [line, ...more] = linesOf('info', `log.info({ app: 1 }, 'said')`)
    expect(more).to.deep.equal([])
    expect(line).to.include({ app: 1, msg: 'said' })
    expect(line!.time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('leaves out what is below its level', () => {
    const all = `log.debug({}, 'd'); log.info({}, 'i'); log.warn({}, 'w'); log.error({}, 'e')`
    expect(linesOf('warn', all).map((line) => line.msg)).to.have.members(['w', 'e'])
    expect(linesOf('silent', all)).to.deep.equal([])
  })

  it('a child says its own fields with every entry', () => {
    expect(linesOf('info', `log.child({ lane: 3 }).info({ app: 1 }, 'x')`)[0]).to.include({ lane: 3, app: 1 })
  })

  it('shows no secrets', () => {
    const script = `log.info({ url: new Secret('canary'), password: 'canary', authorization: 'canary', p12: { password: 'canary' } }, 'x')`
    expect(JSON.stringify(linesOf('info', script))).not.to.include('canary')
  })

  it('says its levels in words', () => {
    const all = `log.info({}, 'i'); log.warn({}, 'w'); log.child({}).error({}, 'e')`
    expect(linesOf('info', all).map((line) => line.level)).to.have.members(['info', 'warn', 'error'])
  })

  it('for people is a line with time, level, message and fields, and the stack of an error below it', () => {
    const entry = {
      level: 'warn',
      time: '2026-11-23T18:38:27.327Z',
      lane: 3,
      url: 'x\u001b[2J',
      list: [1],
      msg: 'slow',
    }
    expect(readableLine(JSON.stringify(entry), false)).to.equal(
      '18:38:27.327  warn   slow  lane=3  url=x\\u001b[2J  list=[1]\n',
    )
    const failed = {
      level: 'error',
      time: entry.time,
      err: { message: 'no', stack: 'Error: no\n    at x' },
      msg: 'failed',
    }
    expect(readableLine(JSON.stringify(failed), false)).to.equal(
      '18:38:27.327  error  failed\n    Error: no\n    at x\n',
    )
    expect(readableLine(JSON.stringify(entry), true)).to.include('\u001b[33mwarn')
  })
})
