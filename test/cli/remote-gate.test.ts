import fs, { readdirSync, readFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { COMMANDS } from '../../src/cli/commands.ts'
import { HERE_ONLY, PLACES, STORES_URL } from '../../src/cli/remote/rights.ts'
import { createCommandRunner } from '../../src/cli/remote/runner.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import type { Program } from '../../src/program.ts'
import type { CommandEvent } from '../../src/server/admin/command-request.ts'
import type { CommandDone, CommandPerson } from '../../src/server/admin/command-runner.ts'
import { openTestProgram, type TestProgram } from '../support/program.ts'
import { commandLines } from './command-lines.ts'

type Anything = Record<string, (...args: unknown[]) => unknown>

/** Calls of the machine that a command could make by itself. */
const TOUCHES: readonly [name: string, of: Anything, methods: readonly string[]][] = [
  [
    'fs',
    fs as unknown as Anything,
    [
      'existsSync',
      'readFileSync',
      'statSync',
      'openSync',
      'accessSync',
      'createReadStream',
      'createWriteStream',
      'writeFileSync',
      'mkdirSync',
      'readdirSync',
    ],
  ],
  [
    'fs/promises',
    promises as unknown as Anything,
    ['open', 'stat', 'access', 'readFile', 'writeFile', 'readdir', 'mkdir'],
  ],
  ['socket', net.Socket.prototype as unknown as Anything, ['connect']],
  ['global', globalThis as unknown as Anything, ['fetch']],
]

/** Notes what is touched while `work` runs. Modules are loaded by other means. */
async function touchedIn(work: () => Promise<unknown>): Promise<string[]> {
  const touched: string[] = []
  const undo: (() => void)[] = []
  for (const [name, of, methods] of TOUCHES) {
    for (const method of methods) {
      const real = of[method]!
      of[method] = function (this: unknown, ...args: unknown[]) {
        touched.push(`${name}.${method} ${typeof args[0] === 'string' ? args[0] : ''}`)
        return real.apply(this, args)
      }
      undo.push(() => (of[method] = real))
    }
  }
  const input = Object.getOwnPropertyDescriptor(process, 'stdin')!
  Object.defineProperty(process, 'stdin', {
    configurable: true,
    get() {
      touched.push('standard input of the server')
      return (input.get as () => unknown).call(process)
    },
  })
  undo.push(() => Object.defineProperty(process, 'stdin', input))
  syncBuiltinESMExports()
  // That has looked at all of them itself.
  touched.splice(0)
  try {
    await work()
    return [...touched]
  } finally {
    for (const one of undo) one()
    syncBuiltinESMExports()
  }
}

describe('a command for somebody elsewhere, before its right was checked,', () => {
  let test: TestProgram
  const runner = createCommandRunner(runCommandLine)
  const nobody: CommandPerson = { id: 1, isConfirmed: true, isMasked: () => true, may: () => false, sees: () => true }
  const stranger: CommandPerson = { ...nobody, sees: () => false }
  before(async () => {
    test = await openTestProgram()
    await test.program.inTransaction((tx) => tx.apps.change(test.first.id, { name: 'Shop' }))
    // Modules are loaded now, so that later only the commands themselves touch something.
    for (const row of served()) await ran(row.words, nobody, test.program)
  })
  after(() => test.close())

  /** The program, which notes what is used of it. */
  function noting(used: Set<string>): Program {
    return new Proxy(test.program, {
      get(target, name) {
        used.add(String(name))
        return Reflect.get(target, name, target) as unknown
      },
    })
  }

  /** Runs a command line for a person; `asked` are the files that it wanted of the caller. */
  async function ran(
    words: readonly string[],
    person: CommandPerson,
    program: Program,
    { by = runner, say = () => {} }: { by?: typeof runner; say?: (event: CommandEvent) => Promise<void> | void } = {},
  ) {
    const events: CommandEvent[] = []
    const audited: CommandDone[] = []
    const asked: string[] = []
    const paths = new Map<string, string>()
    paths.get = (name) => {
      asked.push(name)
      return undefined
    }
    const never = new AbortController().signal
    await by({
      program,
      person,
      command: {
        paths,
        request: {
          version: '1',
          words: [...words],
          terminal: { stdin: true, stdout: true, stderr: true, columns: 80 },
          // What no program of ours sends.
          variables: { APPSVC_LOG_LEVEL: 'debug', APPSVC_DATA_DIR: '/etc' } as object,
          files: [],
          outputs: [],
          answers: [],
        },
      },
      signal: never,
      ended: never,
      unwatch() {},
      async say(event) {
        await say(event)
        events.push(event)
      },
      audit: async (done) => void audited.push(done),
    })
    return { events, audited, asked }
  }

  function served(): { id: string; words: string[] }[] {
    return commandLines({ file: (name) => `/nowhere/${name}` }).flatMap(({ id, argv }) => {
      const place = PLACES[id]!
      if (typeof place === 'string') return []
      const words = typeof argv === 'function' ? ['Shop', '1'] : argv
      return [{ id, words: [...id.split(':'), ...words] }]
    })
  }

  it('reads, calls and writes nothing, says only why it is refused, and is noted: every command', async () => {
    for (const { id, words } of served()) {
      if (id === 'apps:list') continue
      for (const person of [nobody, stranger]) {
        const used = new Set<string>()
        let result: Awaited<ReturnType<typeof ran>> | undefined
        const touched = await touchedIn(async () => (result = await ran(words, person, noting(used))))
        const { events, audited, asked } = result!
        expect(touched, id).to.deep.equal([])
        expect(asked, id).to.deep.equal([])
        expect(
          [...used].filter((name) => name !== 'apps'),
          id,
        ).to.deep.equal([])
        expect(audited, id).to.have.length(1)
        expect(audited[0], id).to.include({ isRefused: true, isNotedAlways: false })
        const { exit } = events.at(-1) as { exit: number }
        expect([64, 66, 77], `${id} ${JSON.stringify(events)}`).to.include(exit)
        expect(audited[0]!.exit, id).to.equal(exit)
        const said = events.slice(0, -1)
        expect(said, id).to.have.length(1)
        expect(said[0], id)
          .to.have.property('err')
          .that.matches(/^appsvc: .+\n$/)
          .and.not.includes('    at ')
      }
    }
  })

  it('is refused when it names files, settings, keys and servers of the machine: every command and flag', async () => {
    for (const { id, words } of served()) {
      const flags = STORES_URL.includes(id) ? HERE_ONLY : [...HERE_ONLY, 'url']
      for (const flag of flags) {
        for (const given of [
          [`--${flag}`, '/etc/passwd'],
          [`--${flag}=http://127.0.0.1:1`],
          // The parser takes this `--` for the name of an app, and goes on reading flags.
          ['--app', '--', `--${flag}`, '/etc/passwd'],
        ]) {
          const used = new Set<string>()
          let result: Awaited<ReturnType<typeof ran>> | undefined
          const owner: CommandPerson = { ...nobody, isMasked: () => false, may: () => true }
          const touched = await touchedIn(async () => (result = await ran([...words, ...given], owner, noting(used))))
          expect(touched, `${id} ${flag}`).to.deep.equal([])
          expect([...used], `${id} ${flag}`).to.deep.equal([])
          expect(result!.events, `${id} ${flag}`).to.deep.equal([
            { err: `appsvc: --${flag} cannot be combined with a server on another machine\n` },
            { exit: 64 },
          ])
          expect(JSON.stringify(result!.audited)).to.not.include('passwd').and.not.include('127.0.0.1')
        }
      }
    }
  })

  it('fails closed when it never asks', async () => {
    const careless = createCommandRunner(async (_, { stdout }) => {
      stdout.write('what nobody may see')
      return 0
    })
    const curious = createCommandRunner(async (_, { caller }) => {
      expect(() => caller!.program.kernel).to.throw('was not checked')
      expect(() => caller!.pathOf('x')).to.throw('was not checked')
      expect(() => caller!.expectOutput('x', 0o600)).to.throw('was not checked')
      expect(() => caller!.openOutput('x', 0o600, 0)).to.throw('was not checked')
      await caller!.answer('?').then(
        () => expect.fail(),
        (error: unknown) => expect(String(error)).to.include('was not checked'),
      )
      return 1
    })
    for (const by of [careless, curious]) {
      const { events } = await ran(['x'], nobody, test.program, { by })
      expect(JSON.stringify(events)).to.not.include('nobody may see')
      expect(events.at(-1)).to.not.deep.equal({ exit: 0 })
    }
  })

  it('is broken off when it writes faster than anybody reads, and says so', async () => {
    const reader = Promise.withResolvers<void>()
    let held = 0
    const flood = createCommandRunner(async (_, { caller, stdout }) => {
      caller!.begin('apps:list', [])
      const piece = 'x'.repeat(1024 * 1024)
      for (let i = 0; i < 500; i++) stdout.write(piece)
      held = stdout.writableLength
      reader.resolve()
      return 0
    })
    const { events } = await ran(['x'], nobody, test.program, { by: flood, say: () => reader.promise })
    expect(held).to.be.below(80 * 1024 * 1024)
    expect(events.slice(-2)).to.deep.equal([
      { err: 'appsvc: you read more slowly than the command writes: it was broken off\n' },
      { exit: 69 },
    ])
  })

  it('reads no argument from the standard input of the server', () => {
    for (const [id, { args = {} }] of Object.entries(COMMANDS)) {
      for (const [name, arg] of Object.entries(args)) expect(arg.ignoreStdin, `${id} ${name}`).to.equal(true)
    }
  })

  it('takes from a flag no environment of the server', () => {
    for (const [id, { flags = {}, baseFlags = {} }] of Object.entries(COMMANDS)) {
      for (const [name, flag] of Object.entries({ ...baseFlags, ...flags })) {
        expect(flag, `${id} ${name}`).to.not.have.property('env')
        expect('allowStdin' in flag && flag.allowStdin, `${id} ${name}`).to.not.equal('only')
      }
    }
  })

  it('has no way to files, processes and networks but those that know of callers', () => {
    const ways =
      /from 'node:(?:fs|fs\/promises|net|http|https|http2|tls|dns|child_process)'|\bfetch\(|process\.(?:env|stdin|cwd)/
    const root = join(import.meta.dirname, '../../src/cli')
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && ways.test(readFileSync(join(root, path), 'utf8')))
      .toSorted()
    const ofMachine = Object.entries(PLACES).flatMap(([id, place]) =>
      place === 'machine' || place === 'anywhere' ? [`commands/${id.replaceAll(':', '/')}.ts`] : [],
    )
    expect(found.filter((path) => !ofMachine.includes(path) && !path.startsWith('demo/'))).to.deep.equal([
      // The first word of an import is a file or an app: not asked for a caller.
      'import/command.ts',
      // Each asks `caller` first.
      'import/refused-file.ts',
      'input/files.ts',
      'input/source.ts',
      'input/table-files.ts',
      // `open` and `settings` return those of the server's program before they look at anything.
      'kinds/base.ts',

      // Refused with a caller.
      'notify/http.ts',
      'notify/values.ts',
      'output/file.ts',
      // Looks for the program in the PATH, which a caller does not have.
      'output/shell.ts',
      'process/io.ts',
      // The caller's end.
      'remote/call.ts',
      'remote/caller-files.ts',
      'remote/logins.ts',
      'remote/target.ts',
      'remote/who-is.ts',
      // A login is looked for without a caller only.
      'run.ts',
    ])
  })

  it('has no flag for a file, directory or address that is in neither list', () => {
    /** Names of the caller's machine, asked for by `pathOf` and `expectOutput`; and words that are stored and not called. */
    const CALLERS = new Set(
      (
        'errors file filter icon output password-file vapid-file where meta-file p12 p8 service-account intermediate ' +
        'app-id-password-file refused content html'
      ).split(' '),
    )
    const STORED = new Set(
      'fallback desktop mobile picture icon-url subject site-url domain app-store-url play-store-url'.split(' '),
    )
    const unknown = new Set<string>()
    for (const [id, { flags = {}, baseFlags = {} }] of Object.entries(COMMANDS)) {
      if (typeof PLACES[id] === 'string') continue
      for (const [name, flag] of Object.entries({ ...baseFlags, ...flags })) {
        const value = 'helpValue' in flag ? String(flag.helpValue) : ''
        if (!/FILE|DIR|URL|KEY|PATH|HOST|ADDRESS/.test(value)) continue
        if (name === 'url' || (HERE_ONLY as readonly string[]).includes(name) || CALLERS.has(name) || STORED.has(name))
          continue
        unknown.add(`${id} --${name} ${value}`)
      }
    }
    expect([...unknown]).to.deep.equal([])
  })
})
