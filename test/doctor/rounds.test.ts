import { expect } from 'chai'
import { type Check, error, type Finding, info, ok, warning } from '../../src/doctor/checks/types.ts'
import { createRounds } from '../../src/doctor/rounds.ts'
import { exitOf, verdictOf } from '../../src/doctor/verdict.ts'
import { openTestProgram, type TestProgram } from '../support/program.ts'

const check = (name: string, run: () => Promise<Finding[]>): Check => ({
  name,
  group: 'machine',
  needs: 'settings',
  run,
})

describe('the verdict of an examination', () => {
  for (const [levels, errors, warnings, exit] of [
    [['ok', 'info'], 0, 0, 0],
    [['ok', 'warning', 'warning'], 0, 2, 0],
    [['error', 'ok', 'warning'], 1, 1, 78],
    [[], 0, 0, 0],
  ] as const) {
    it(`of ${levels.join(', ') || 'nothing'} exits with ${exit}`, () => {
      const verdict = verdictOf(levels.map((level) => ({ level })))
      expect(verdict).to.deep.equal({ ok: errors === 0, errors, warnings })
      expect(exitOf(verdict)).to.equal(exit)
    })
  }
})

describe('an examination of the process that serves', () => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram()
  })
  after(() => test.close())

  it('is shared by callers at the same time, kept for a moment, and made anew afterwards', async () => {
    let runs = 0
    const look = createRounds(test.program, {
      checks: [check('counted', async () => [ok(`run ${++runs}`), warning('a', 'b'), error('c', 'd')])],
    })
    const [first, second] = await Promise.all([look(), look()])
    expect(first).to.deep.equal(second)
    expect(first).to.include({ ok: false, errors: 1, warnings: 1 })
    expect((await look()).findings[0]).to.deep.equal({ check: 'counted', group: 'machine', level: 'ok', what: 'run 1' })
    test.clock.advance(3001)
    expect((await look()).findings[0]!.what).to.equal('run 2')
  })

  it('says what it has found so far while a check takes long, and has the rest later', async () => {
    const late = Promise.withResolvers<Finding[]>()
    const needsMore: Check = { ...check('left', async () => []), needs: 'settings' }
    const look = createRounds(test.program, {
      checks: [check('slow', () => late.promise), check('quick', async () => [info('here')]), needsMore],
      waitMs: 1,
    })
    const soFar = await look()
    expect(soFar.underWay).to.deep.equal(['slow'])
    expect(soFar.findings.map(({ what }) => what)).to.deep.equal(['here'])
    late.resolve([error('broken', 'mend it')])
    await new Promise((resolve) => setImmediate(resolve))
    const whole = await look()
    expect(whole).to.include({ errors: 1, warnings: 0 })
    expect(whole.underWay).to.deep.equal([])
    expect(whole.findings.map(({ what }) => what)).to.deep.equal(['broken', 'here'])
  })
})
