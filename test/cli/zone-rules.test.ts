import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ZONE_FILE, ZONE_VARIABLE } from '../../src/platform/zone-file.ts'
import { SOURCES } from '../support/built-program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { putZones } from '../support/zone-file.ts'

describe('newer time zone rules', function () {
  this.timeout(PROGRAMS_MS)
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-zones-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  function run(words: string[], environment: Record<string, string> = {}, input = '') {
    const { [ZONE_VARIABLE]: _, ...rest } = process.env
    const options = { cwd: dir, env: { ...rest, ...environment }, input, encoding: 'utf8' as const }
    return spawnSync(process.execPath, [SOURCES, ...words], options)
  }

  /** What doctor says about the rules. */
  function zones(words: string[] = [], environment: Record<string, string> = {}) {
    const { stdout, stderr } = run(['doctor', '--offline', '--json', ...words], environment)
    const findings = JSON.parse(stdout) as { checks: { name: string; level: string; what: string }[] }
    expect(stderr).to.equal('')
    return findings.checks.find(({ name }) => name === 'time-zones')!
  }

  it('are used from the data directory, however that is named', () => {
    putZones(join(dir, 'data/timezones'), '2099z')
    expect(zones()).to.include({ level: 'ok' })
    expect(zones().what).to.contain('2099z (from ')
    putZones(join(dir, 'other/timezones'), '2098y')
    expect(zones(['--data-dir', 'other']).what).to.contain('2098y')
    expect(zones(['--data-dir=other']).what).to.contain('2098y')
    expect(zones([], { APPSVC_DATA_DIR: join(dir, 'other') }).what).to.contain('2098y')
  })

  it('are used from the folder of the setting', () => {
    putZones(join(dir, 'elsewhere'), '2097x')
    expect(zones([], { APPSVC_TIMEZONES_DIR: join(dir, 'elsewhere') }).what).to.contain('2097x')
    writeFileSync(join(dir, 'appsvc.yaml'), 'timezones:\n  dir: ./elsewhere\n')
    expect(zones().what).to.contain('2097x')
    expect(zones([], { APPSVC_TIMEZONES_DIR: join(dir, 'nothing') })).to.include({ level: 'error' })
  })

  it('leave standard input, exit codes and results alone', () => {
    putZones(join(dir, 'data/timezones'), '2099z')
    expect(run(['apps', 'list']).status).to.equal(66)
    expect(run(['apps', 'create', 'Bakery', '--init']).status).to.be.a('number')
    const made = run(['init'])
    expect([made.status, made.stderr]).to.satisfy(([status]: [number]) => typeof status === 'number')
    const sent = run(['notify', '--dry-run'], {}, 'no JSON')
    expect(sent.stderr).to.match(/^appsvc: /)
  })

  it('that are broken or older are left, and doctor says why', () => {
    mkdirSync(join(dir, 'data/timezones'), { recursive: true })
    writeFileSync(join(dir, 'data/timezones', ZONE_FILE), 'no such thing')
    expect(zones()).to.include({ level: 'error' })
    expect(zones().what).to.contain('no resource bundle').and.to.contain(process.versions.tz)
    putZones(join(dir, 'data/timezones'), '2001a')
    expect(zones()).to.include({ level: 'warning' })
    expect(zones().what).to.contain('2001a').and.to.contain('it is not used')
  })

  it('that an operator gave to ICU and that it cannot read are refused with 78', () => {
    writeFileSync(join(dir, ZONE_FILE), 'no such thing')
    const { status, stderr } = run(['doctor', '--offline'], { [ZONE_VARIABLE]: dir })
    expect(stderr).to.contain(ZONE_VARIABLE)
    expect(status).to.equal(78)
  })
})
