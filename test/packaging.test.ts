import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import packageJson from '../package.json' with { type: 'json' }
import { bundle } from '../packaging/bundle.ts'
import { builtProgram } from './support/built-program.ts'
import { PROGRAMS_MS } from './support/programs.ts'

const run = promisify(execFile)

describe('the bundle', function () {
  this.timeout(PROGRAMS_MS)
  let directory: string
  let build: string

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'appsvc-bundle-'))
    build = await bundle(join(directory, 'dist'))
  })

  after(() => rm(directory, { recursive: true, force: true }))

  /** Outside the source tree, so without node_modules, and with an empty environment. */
  const appsvc = (...args: string[]) =>
    run(process.execPath, [join(directory, 'dist/appsvc.cjs'), ...args], { cwd: directory, env: {} })

  it('says its version and its build', async () => {
    const { stdout } = await appsvc('--version')
    expect(stdout).to.match(/^appsvc \S+ \(build \w+, linux-\w+, Node 24\.\S+\)\n$/)
    expect(stdout).to.include(`appsvc ${packageJson.version} (build ${build},`)
  })

  it('opens a database without node_modules', async () => {
    const { stdout } = await appsvc('migrate', 'up', '--data-dir', join(directory, 'data'), '--json')
    expect(JSON.stringify(JSON.parse(stdout))).to.include('0001_apps')
  })

  it('is the same for the same sources', async () => {
    // Another process made it of them, for tests that start programs.
    const { stdout } = await run(process.execPath, [builtProgram().file, '--version'], { env: {} })
    expect(stdout).to.include(`(build ${build},`)
  })
})
