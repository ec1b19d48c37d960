import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { type Check, type Finding, info, ok, type Subject, warning } from '../../src/doctor/checks/types.ts'
import { CHECKS } from '../../src/doctor/checks.ts'
import { examine } from '../../src/doctor/examine.ts'
import { systemClock } from '../../src/platform/time/clock.ts'

type Run = (subject: Subject, signal: AbortSignal) => Promise<Finding[]>

const check = (name: string, run: Run, more: Partial<Pick<Check, 'needs' | 'live'>> = {}): Check => ({
  name,
  group: 'machine',
  needs: 'settings',
  run,
  ...more,
})

describe('an examination', () => {
  let subject: Subject
  before(async () => {
    const { config } = await loadConfig({ environment: {} })
    subject = { config, clock: systemClock, storage: { state: 'absent' }, inside: 'command', served: undefined }
  })

  it('has the findings of all checks in their order, whichever ends first', async () => {
    const first = Promise.withResolvers<void>()
    const { findings, leftOut } = await examine(subject, [
      check('slow', async () => {
        await first.promise
        return [ok('a'), warning('b', 'c')]
      }),
      check('fast', async () => {
        first.resolve()
        return [info('d')]
      }),
    ])
    expect(findings).to.deep.equal([
      { check: 'slow', group: 'machine', level: 'ok', what: 'a' },
      { check: 'slow', group: 'machine', level: 'warning', what: 'b', remedy: 'c' },
      { check: 'fast', group: 'machine', level: 'info', what: 'd' },
    ])
    expect(leftOut).to.deep.equal([])
  })

  it('names a check that hangs and one that fails, aborts the first, and goes on', async () => {
    let aborted = false
    const { findings } = await examine(
      subject,
      [
        check('hanging', (_subject, signal) => {
          signal.addEventListener('abort', () => (aborted = true))
          return new Promise(() => {})
        }),
        check('failing', () => Promise.reject(new Error('out of cheese'))),
        check('well', async () => [ok('fine')]),
      ],
      { deadlineMs: 5 },
    )
    expect(findings.map(({ check, level, what }) => `${check} ${level} ${what}`)).to.deep.equal([
      'hanging warning the check hangs: no result within 0.005 s',
      'failing error the check failed: out of cheese',
      'well ok fine',
    ])
    expect(aborted).to.equal(true)
  })

  it('ends when its time is over: checks that have not begun are named', async () => {
    const hanging = Array.from({ length: 4 }, (_, i) => check(`hanging-${i}`, () => new Promise(() => {})))
    const late = check('late', async () => [ok('never')])
    const { findings, leftOut } = await examine(subject, [...hanging, late], { deadlineMs: 30, allMs: 1 })
    expect(findings.map(({ check }) => check)).to.deep.equal(hanging.map(({ name }) => name))
    expect(leftOut.map(({ check }) => check)).to.deep.equal(['late'])
  })

  it('leaves out what cannot be checked, and says why', async () => {
    const run = async () => [ok('done')]
    const checks = (['settings', 'database', 'program', 'secrets'] as const).map((needs) =>
      check(needs, run, { needs }),
    )
    const live = check('live', run, { live: true })
    const { findings, leftOut } = await examine(subject, [...checks, live], { offline: true })
    expect(findings.map(({ check }) => check)).to.deep.equal(['settings'])
    expect(leftOut).to.deep.equal([
      ...['database', 'program', 'secrets'].map((check) => ({ check, why: 'there is no database yet' })),
      { check: 'live', why: 'it connects to other machines (--offline)' },
    ])
  })

  it('has checks that docs/doctor.md lists in their order, with a star for those that connect', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/doctor.md'), 'utf8')
    const listed = [...page.split('## The checks')[1]!.matchAll(/^\| `([a-z-]+)`( \*)? \|/gm)]
    expect(listed.map(([, name, star]) => name! + (star ?? ''))).to.deep.equal(
      CHECKS.map(({ name, live }) => (live ? `${name} *` : name)),
    )
  })
})
