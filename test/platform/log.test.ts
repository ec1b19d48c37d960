import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROGRAMS_MS } from '../support/programs.ts'

/** What a program that logs writes on standard error; asserts that standard output stays free for results. */
function linesOf(level: string, script: string): Record<string, unknown>[] {
  const platform = join(import.meta.dirname, '../../src/platform')
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { createLog } = await import('${platform}/log.ts'); const { Secret } = await import('${platform}/secret.ts');
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
})
