import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ZONE_FILE, ZONE_VARIABLE } from '../../src/platform/time/zone-file.ts'
import { builtProgram } from '../support/built-program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { putZones } from '../support/zone-file.ts'

describe('newer time zone rules', function () {
  this.timeout(PROGRAMS_MS)
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-zones-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  function run(
    words: string[],
    {
      environment = {},
      input = '',
      node = [],
    }: { environment?: Record<string, string>; input?: string; node?: string[] } = {},
  ) {
    const { [ZONE_VARIABLE]: _, ...rest } = process.env
    const options = { cwd: dir, env: { ...rest, ...environment }, input, encoding: 'utf8' as const }
    return spawnSync(process.execPath, [...node, builtProgram(), ...words], options)
  }

  /** The release of the rules that a command has. Asked of a small one: the doctor looks at the whole machine. */
  function release(words: string[] = [], environment: Record<string, string> = {}): string {
    const hook = join(dir, 'hook.cjs')
    writeFileSync(hook, `process.on('exit', () => require('fs').writeSync(2, process.versions.tz))`)
    return run(['version', ...words], { environment, node: ['-r', hook] }).stderr
  }

  /** Returns what doctor says about the rules. */
  function zones(words: string[] = [], environment: Record<string, string> = {}) {
    const { stdout, stderr } = run(['doctor', '--offline', '--json', ...words], { environment })
    expect(stderr).to.equal('')
    const { findings } = JSON.parse(stdout) as { findings: { check: string; level: string; what: string }[] }
    return findings.find(({ check }) => check === 'time-zones')!
  }

  it('are used from the data directory, however that is named', () => {
    putZones(join(dir, 'data/timezones'), '2099z')
    expect(zones()).to.include({ level: 'ok' })
    expect(zones().what).to.contain('2099z (from ')
    putZones(join(dir, 'other/timezones'), '2098y')
    expect(release(['--data-dir', 'other'])).to.equal('2098y')
    expect(release(['--data-dir=other'])).to.equal('2098y')
    expect(release([], { APPSVC_DATA_DIR: join(dir, 'other') })).to.equal('2098y')
  })

  it('are used from the folder of the setting', () => {
    putZones(join(dir, 'elsewhere'), '2097x')
    expect(release([], { APPSVC_TIMEZONES_DIR: join(dir, 'elsewhere') })).to.equal('2097x')
    writeFileSync(join(dir, 'appsvc.yaml'), 'timezones:\n  dir: ./elsewhere\n')
    expect(release()).to.equal('2097x')
    expect(zones([], { APPSVC_TIMEZONES_DIR: join(dir, 'nothing') })).to.include({ level: 'error' })
  })

  it('leave standard input, exit codes and results alone', () => {
    const before = run(['channels', 'create', '-'], { input: 'no JSON' })
    const dry = run(['apps', 'list', '--json'])
    putZones(join(dir, 'data/timezones'), '2099z')
    for (const [words, input, was] of [
      [['channels', 'create', '-'], 'no JSON', before],
      [['apps', 'list', '--json'], '', dry],
    ] as const) {
      const { status, stdout, stderr } = run([...words], { input })
      expect({ status, stdout, stderr }).to.deep.equal({ status: was.status, stdout: was.stdout, stderr: was.stderr })
    }
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
    const { status, stderr } = run(['doctor', '--offline'], { environment: { [ZONE_VARIABLE]: dir } })
    expect(stderr).to.contain(ZONE_VARIABLE)
    expect(status).to.equal(78)
  })
})
