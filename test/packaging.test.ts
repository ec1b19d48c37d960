import { execFile, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect } from 'chai'
import packageJson from '../package.json' with { type: 'json' }
import { bundle } from '../packaging/bundle.ts'
import { builtProgram, SOURCES } from './support/built-program.ts'
import { compressQuickly } from './support/compress-quickly.ts'
import { reaches } from './support/depth.ts'
import { PROGRAMS_MS } from './support/programs.ts'

const run = promisify(execFile)

/** Says of every program whether V8 took what was compiled in advance. */
const HOOK = `
  const { basename } = require('node:path')
  const vm = require('node:vm')
  const Script = vm.Script
  vm.Script = class extends Script {
    constructor(text, options) {
      super(text, options)
      if (options.cachedData === undefined) return
      const how = this.cachedDataRejected ? 'rejected' : 'taken'
      require('node:fs').writeSync(2, 'compiled ' + basename(options.filename) + ': ' + how + '\\n')
    }
  }
`

describe('the bundle', function () {
  this.timeout(PROGRAMS_MS)
  let directory: string
  /** The bundle of this run, which is outside the source tree and so without node_modules. */
  let program: string

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'appsvc-bundle-'))
    program = builtProgram()
    if (program !== SOURCES) return
    await bundle(join(directory, 'dist'))
    program = join(directory, 'dist/appsvc.cjs')
  })

  after(() => rm(directory, { recursive: true, force: true }))

  /** With an empty environment. */
  const appsvc = async (...args: string[]) =>
    (await run(process.execPath, [program, ...args], { cwd: directory, env: {} })).stdout

  it('says its version and its build', async () => {
    const said = await appsvc('--version')
    expect(said).to.match(/^appsvc \S+ \(build \w+, linux-\w+, Node 24\.\S+\)\n$/)
    expect(said).to.include(`appsvc ${packageJson.version} (build `)
  })

  it('says in an older Node which one it wants', async () => {
    const hook = join(directory, 'old.cjs')
    await writeFile(hook, `Object.defineProperty(process.versions, 'node', { value: '20.11.1' })`)
    const ended = await run(process.execPath, ['-r', hook, program, 'help'], { env: {} }).catch((error) => error)
    const { code, stdout, stderr } = ended as { code?: number; stdout: string; stderr: string }
    expect({ code, stdout }).to.deep.equal({ code: 69, stdout: '' })
    expect(stderr).to.equal(
      'appsvc needs Node 24 or newer; this is Node 20.11.1: install a newer one, or use the executable, which needs none\n',
    )
  })

  it('opens a database without node_modules', async () => {
    const made = await appsvc('migrate', 'up', '--data-dir', join(directory, 'data'), '--json')
    expect(JSON.stringify(JSON.parse(made))).to.include('0103_apps')
  })

  it('is compiled in advance for every thread of a server', async () => {
    const hook = join(directory, 'hook.cjs')
    await writeFile(hook, HOOK)
    const argv = [program, 'serve', '--port', '0', '--data-dir', join(directory, 'served'), '--json']
    const environment = { NODE_OPTIONS: `--require=${hook}`, APPSVC_HTTP_THREADS: '2' }
    const server = spawn(process.execPath, argv, {
      cwd: directory,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const said: string[] = []
    try {
      for await (const line of createInterface({ input: server.stderr })) {
        if (line.startsWith('compiled ')) said.push(line)
        if (said.length === 3) break
      }
    } finally {
      server.kill('SIGKILL')
    }
    expect(said.sort()).to.deep.equal([
      'compiled cli.cjs: taken',
      'compiled http-thread-program.cjs: taken',
      'compiled thread-program.cjs: taken',
    ])
  })

  it('compiles for itself what is damaged, not there or made of another text', async () => {
    const hook = join(directory, 'hook.cjs')
    await writeFile(hook, HOOK)
    const dist = join(directory, 'damaged')
    for (const name of ['appsvc.cjs', 'load.cjs', 'cli.cjs', 'cli.compiled', 'thread-program.compiled']) {
      await cp(join(dirname(program), name), join(dist, name))
    }
    const text = await readFile(join(dist, 'cli.cjs'), 'latin1')
    const right = await readFile(join(dist, 'cli.compiled'))
    const changed = Buffer.from(right)
    changed[changed.length >> 1]! ^= 0x55
    const damaged = {
      changed,
      cut: right.subarray(0, -1000),
      empty: Buffer.alloc(0),
      short: right.subarray(0, 3),
      another: await readFile(join(dist, 'thread-program.compiled')),
    }
    /** Reports what the program says of itself, and whether V8 was given what is compiled. */
    const says = async () => {
      const env = { NODE_OPTIONS: `--require=${hook}` }
      const { stdout, stderr } = await run(process.execPath, [join(dist, 'appsvc.cjs'), 'demo', '--help'], { env })
      return `${stderr}${stdout.split('\n')[0]}`
    }
    const whole = await says()
    const line = whole.replace('compiled cli.cjs: taken\n', '')
    expect(whole).to.equal(`compiled cli.cjs: taken\n${line}`)
    for (const [how, bytes] of Object.entries(damaged)) {
      await writeFile(join(dist, 'cli.compiled'), bytes)
      expect(await says(), how).to.equal(line)
    }
    await rm(join(dist, 'cli.compiled'))
    expect(await says(), 'not there').to.equal(line)
    await mkdir(join(dist, 'cli.compiled'))
    expect(await says(), 'not to be read').to.equal(line)
    await rm(join(dist, 'cli.compiled'), { recursive: true })
    await writeFile(join(dist, 'cli.compiled'), right)
    await writeFile(join(dist, 'cli.cjs'), text.replaceAll(line, line.toUpperCase()))
    expect(await says(), 'another text of this length').to.equal(line.toUpperCase())
  })

  // To make it again takes as long as everything else of this file.
  if (!reaches('whole')) return

  it('is the same for the same sources', async () => {
    const build = await bundle(join(directory, 'again'), { compress: compressQuickly })
    expect(await appsvc('--version')).to.include(`(build ${build},`)
  })
})
