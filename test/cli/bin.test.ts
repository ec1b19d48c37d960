import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import packageJson from '../../package.json' with { type: 'json' }
import { builtProgram } from '../support/built-program.ts'
import { eventually } from '../support/eventually.ts'
import { needs } from '../support/needs.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { ended, killAll, ROOT, run, start, temporaryDirectory } from './cli.ts'

const CHILD = 'supervised.js'

/** Process ids of the children of a process. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

describe('bin/run.js', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  after(() => {
    killAll()
    end()
  })

  it('says its version without loading the program', async () => {
    for (const flag of ['--version', '-v']) {
      const { code, stdout, stderr } = await ended(start([flag], { fromSources: true }))
      expect({ code, stdout, stderr }).to.deep.equal({ code: 0, stdout: `appsvc ${packageJson.version}\n`, stderr: '' })
    }
  })

  it('ends only when a pipe has taken all that it printed', async () => {
    const whole = await run(['openapi'])
    // A shell's pipe, which holds little, and a reader that is a program of its own.
    const piped = spawn('bash', ['-c', '"$@" | cat', 'bash', process.execPath, builtProgram(), 'openapi'])
    const { code, stdout } = await ended(piped)
    expect(code).to.equal(0)
    expect(stdout.length).to.equal(whole.stdout.length)
  })

  it('can be started by its name, as npx does', () => {
    accessSync(join(ROOT, 'bin/run.js'), constants.X_OK)
  })

  it('loads no big library before a command needs it', async () => {
    const program = `
      import { registerHooks } from 'node:module'
      const big = /node_modules\\/(better-sqlite3|jose|knex|koa|node-forge|pg|pino|yup)\\//
      registerHooks({
        load(url, context, next) {
          if (big.test(url)) console.log(url)
          return next(url, context)
        },
      })
      await import(${JSON.stringify(pathToFileURL(join(ROOT, 'src/cli/commands.ts')).href)})`
    const { code, stdout } = await ended(spawn(process.execPath, ['--input-type=module', '-e', program]))
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' })
  })

  it('starts a server without loading the other commands', async () => {
    const program = `
      import { registerHooks } from 'node:module'
      registerHooks({
        load(url, context, next) {
          const command = /\\/src\\/cli\\/(commands[/.].*)$/.exec(url)
          if (command) console.log(command[1])
          return next(url, context)
        },
      })
      await import(${JSON.stringify(pathToFileURL(join(ROOT, 'src/cli/run.ts')).href)})`
    const { code, stdout } = await ended(spawn(process.execPath, ['--input-type=module', '-e', program]))
    const loaded = stdout.trim().split('\n').sort()
    expect({ code, loaded }).to.deep.equal({ code: 0, loaded: ['commands/serve.ts', 'commands/worker.ts'] })
  })

  /** The scripts of bin with a program of our own, to see what they do to a process. */
  function checkout(name: string, program: string, { node24 = true } = {}): string {
    const root = join(dir, name)
    mkdirSync(join(root, 'src/cli'), { recursive: true })
    mkdirSync(join(root, 'node_modules'))
    cpSync(join(ROOT, 'bin'), join(root, 'bin'), { recursive: true })
    writeFileSync(join(root, 'package.json'), '{"type":"module","version":"0.0.0"}')
    writeFileSync(join(root, 'src/cli/main.ts'), program)
    if (node24)
      symlinkSync(
        join(ROOT, `node_modules/node-linux-${process.arch}`),
        join(root, `node_modules/node-linux-${process.arch}`),
      )
    return join(root, 'bin/run.js')
  }

  it('runs the bundle when it is newer than every source, else the sources', async () => {
    const script = checkout('bundle', 'console.log("sources")')
    const bundle = join(dir, 'bundle/dist/appsvc.cjs')
    mkdirSync(join(dir, 'bundle/dist'))
    writeFileSync(join(dir, 'bundle/dist/package.json'), '{}')
    writeFileSync(bundle, 'console.log("bundle")')
    const output = async () => (await ended(spawn(process.execPath, [script, 'x']))).stdout
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000)
    utimesSync(bundle, at(60), at(60))
    expect(await output()).to.equal('bundle\n')
    utimesSync(bundle, at(-60), at(-60))
    expect(await output()).to.equal('sources\n')
  })

  it('has no __proto__ accessor, in the program and in its threads, and npm asks Node for that', async () => {
    for (const [name, script] of Object.entries({ start: 'serve', demo: 'demo' })) {
      expect(packageJson.scripts[name as 'start']).to.equal(`node --disable-proto=delete bin/run.js ${script}`)
    }
    const hook = join(dir, 'hook.cjs')
    writeFileSync(hook, `process.on('exit', () => require('fs').writeSync(1, '__proto__' in {} ? 'there ' : 'gone '))`)
    const thread = JSON.stringify(join(ROOT, 'src/workers/thread.ts'))
    // Without its data the thread ends at once; what matters is what it did before.
    const program = `new (require('worker_threads').Worker)(${thread}, { execArgv: ['-r', ${JSON.stringify(hook)}] }).on('error', () => {})`
    expect((await ended(spawn(process.execPath, ['-e', program]))).stdout).to.equal('gone ')
    const started = spawn(process.execPath, ['-r', hook, join(ROOT, 'bin/run.js'), 'version'])
    expect((await ended(started)).stdout).to.match(/gone $/)
  })

  describe('under a Node that is too old', () => {
    /** The machine's own, which starts `bin/run.js` where nothing else is installed. */
    let node: string
    before(function () {
      node = needs(this, 'Node before 24')
    })
    const old = (script: string, ...argv: string[]) => spawn(node, [script, ...argv])

    it('runs itself in the Node that npm installed', async () => {
      const { code, stdout, stderr } = await ended(start(['routes', '--json'], { node, fromSources: true }))
      expect(stderr).to.equal('')
      expect(JSON.parse(stdout)).to.be.an('array')
      expect(code).to.equal(0)
    })

    it('passes arguments, exit code, standard input and the environment, and no channel to grandchildren', async () => {
      const script = checkout(
        'passes',
        `import { spawnSync } from 'node:child_process'
        const chunks: Buffer[] = []
        for await (const chunk of process.stdin) chunks.push(chunk)
        const grandchild = spawnSync(process.execPath, ['-p', 'JSON.stringify([process.env.NODE_CHANNEL_FD, process.connected])'])
        console.log(JSON.stringify({ argv: process.argv.slice(2), stdin: Buffer.concat(chunks).toString(), grandchild: String(grandchild.stdout).trim() }))
        process.exit(65)`,
      )
      const child = old(script, 'a b', '--c=d')
      child.stdin.end('line\n\u0000x')
      const { code, stdout } = await ended(child)
      expect(JSON.parse(stdout)).to.deep.equal({
        argv: ['a b', '--c=d'],
        stdin: 'line\n\u0000x',
        grandchild: '[null,null]',
      })
      expect(code).to.equal(65)
    })

    it('ends when there is nothing more to do, although there is a channel', async () => {
      expect((await ended(old(checkout('ends', 'setTimeout(() => {}, 20)')))).code).to.equal(0)
    })

    it('ends by the signal that ended the program', async () => {
      const { signal } = await ended(
        old(checkout('signal', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)")),
      )
      expect(signal).to.equal('SIGTERM')
    })

    it('a signal reaches the program, which decides what to do', async () => {
      const program = `for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => { console.log(name); process.exit(3) })
        setInterval(() => {}, 1000); console.log('ready')`
      const script = checkout('forward', program)
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
        const child = old(script)
        // Before anything is awaited: what comes between two listeners is lost.
        const end = ended(child)
        await once(child.stdout, 'data')
        child.kill(signal)
        const { code, stdout } = await end
        expect([code, stdout]).to.deep.equal([3, `ready\n${signal}\n`])
      }
    })

    it('kill -9 takes the program with it', async () => {
      const program = `import { createServer } from 'node:net'
        createServer().listen(0, '127.0.0.1', () => console.log(process.pid))`
      const parent = old(checkout('killed', program))
      const [line] = (await once(parent.stdout, 'data')) as [Buffer]
      const pid = Number(line.toString())
      expect(childrenOf(parent.pid!)).to.deep.equal([pid])
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).to.include(CHILD)
      // The program has standard output, too: it closes when both are gone.
      const closed = once(parent, 'close')
      parent.kill('SIGKILL')
      expect(await closed).to.deep.equal([null, 'SIGKILL'])
      await eventually(
        () => !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
        'the program is gone',
      )
    })

    it('says what to do when there is no Node that is new enough', async () => {
      const { code, stderr } = await ended(old(checkout('none', '', { node24: false }), 'serve'))
      expect(code).to.equal(69)
      expect(stderr).to.match(/^appsvc needs Node 24 or newer; this is Node \d+.*run npm ci/)
    })
  })
})
