import { existsSync } from 'node:fs'
import { type Command, Config, type Interfaces, Plugin, run } from '@oclif/core'
import packageJson from '../../package.json' with { type: 'json' }
import { AppError, ERRORS } from '../platform/errors.ts'
import { DAEMONS } from './daemons.ts'
import { type Failure, failureOf, isExit } from './failure.ts'
import { pauseBar } from './output/bar-line.ts'
import { Paused } from './process/caller.ts'
import { type Io, processIo } from './process/io.ts'
import { loginsFile } from './remote/logins.ts'
import { suggestCommand } from './suggest-command.ts'

// It would read a file of colours out of the home directory for each command, also of somebody on another machine.
Object.assign(Config.prototype, { loadTheme: async () => {} })

interface Known {
  COMMANDS: Record<string, Command.Class>
  ALIASES: Readonly<Record<string, string>>
  TOPICS: Record<string, string>
}

/** The commands that are known: those that run for months until another is asked for, then all. */
let known: Known = { COMMANDS: DAEMONS, ALIASES: {}, TOPICS: {} }

/** Runs one command line and returns its exit code. Prints errors itself and never throws. */
export async function runCommandLine(argv: string[], io?: Io): Promise<number> {
  const stdout = io?.stdout ?? process.stdout
  let failure: NodeJS.ErrnoException | undefined
  const keep = (error: NodeJS.ErrnoException) => (failure ??= error)
  // oclif has a listener that ends the process with a stack trace. Commands watch their own output (output/output.ts).
  if (io === undefined) stdout.removeAllListeners('error')
  stdout.on('error', keep)
  const code = await runWords(argv, io)
  // A stream reports an error only after the write that caused it.
  await new Promise<void>((resolve) => setImmediate(resolve))
  if (code !== 0 || !failure || failure.code === 'EPIPE') return code
  const unwritten = new AppError('unavailable', `the result could not be written: ${failure.message}`)
  report(failureOf(unwritten), io ?? (await processIo()), false)
  return ERRORS[unwritten.code].exit
}

async function runWords(argv: string[], io: Io | undefined): Promise<number> {
  const json = wantsJson(argv)
  let id: string | undefined
  try {
    if (io || !Object.hasOwn(DAEMONS, argv[0] ?? '') || asksForHelp(argv)) known = await import('./commands.ts')
    const words = lineOf(argv)
    const isSearch = argv[0] === 'help' && searchesFor(words)
    id = isSearch ? undefined : commandOf(words)
    const isHelp = id === undefined || asksForHelp(words)
    if (io?.caller) {
      // oclif prints help to the standard output of the process.
      if (isHelp) throw new AppError('usage', 'the own program of the caller answers --help')
      io.caller.begin(id!, words)
    } else if (!isHelp) {
      const used = io ?? (await processIo())
      const there = await elsewhere(id!, words, used)
      if (there) return await (await import('./remote/call.ts')).runThere(there.target, there.words, used, id!)
    }
    if (isSearch) await findCommands(words.slice(0, -1), io)
    else if (id === undefined && words.every((word) => word.startsWith('-'))) await showOverview(io)
    else if (id === undefined) await run([...words, '--help'], await oclifConfig(io, known.COMMANDS))
    else if (isHelp) await run([...id.split(':'), '--help'], await oclifConfig(io, known.COMMANDS))
    else {
      const config = await oclifConfig(io, { [id]: known.COMMANDS[id]! })
      // Not through `run`, which takes the words after a command without arguments for a part of its name.
      await config.runCommand(id, words.slice(id.split(':').length))
    }
    return 0
  } catch (error) {
    if (isExit(error)) return error.oclif.exit
    // It runs again when the caller has sent what it lacks.
    if (error instanceof Paused) return 0
    const command = id === undefined ? undefined : known.COMMANDS[id]
    const failure = failureOf(error, command, ['appsvc', ...(id?.split(':') ?? [])].join(' '))
    report(failure, io ?? (await processIo()), json)
    return failure.exit
  }
}

/** The command line in its usual form: `help X` is `X --help`, `help --man` is `man`, `--version` is `version`; commands have their present names. */
function lineOf(argv: string[]): string[] {
  const [first, ...rest] = argv
  if (first === 'help' && rest[0] === '--man') return ['man', ...rest.slice(1)]
  if (first === 'help') return [...presentName(rest), '--help']
  return VERSION_FLAGS.has(first ?? '') ? ['version', ...rest] : presentName(argv)
}

function presentName(words: string[]): string[] {
  const id = words.slice(0, 2).join(':')
  return Object.hasOwn(known.ALIASES, id) ? [...known.ALIASES[id]!.split(':'), ...words.slice(2)] : words
}

/** Tells whether `help` was asked about something that is neither a command nor the first word of several. */
function searchesFor(words: readonly string[]): boolean {
  const names = words.slice(0, -1)
  if (names.length === 0 || names.some((word) => word.startsWith('-'))) return false
  return !Array.from(names, (_, n) => names.slice(0, n + 1).join(':')).some(
    (id, n) => Object.hasOwn(known.COMMANDS, id) || (n === names.length - 1 && Object.hasOwn(known.TOPICS, id)),
  )
}

/** Shows the commands that answer to these words. Throws `usage` when there are none. */
async function findCommands(words: string[], io: Io | undefined): Promise<void> {
  const [{ searchCommands }, { printFound }] = await Promise.all([
    import('./manual/search.ts'),
    import('./manual/overview.ts'),
  ])
  const found = searchCommands({ commands: known.COMMANDS, topics: known.TOPICS }, words)
  if (found.length === 0) {
    const near = nearestTo(words)
    const hint = near ? `; did you mean appsvc ${near}?` : ''
    throw new AppError('usage', `no command says ${words.join(' ')}${hint} (appsvc --help shows all)`)
  }
  const { out, columns } = await helpOutput(io)
  printFound(out, words, found, columns)
  await out.written()
}

async function showOverview(io: Io | undefined): Promise<void> {
  const { printOverview } = await import('./manual/overview.ts')
  const { out, columns } = await helpOutput(io)
  printOverview(out, { commands: known.COMMANDS, topics: known.TOPICS }, packageJson.description, columns)
  await out.written()
}

async function helpOutput(io: Io | undefined) {
  const used = io ?? (await processIo())
  const { createOutput } = await import('./output/output.ts')
  return { out: createOutput(used, { json: false, color: true }), columns: used.stdout.columns ?? 80 }
}

const VERSION_FLAGS = new Set(['--version', '-v', '-V'])

/** The server that a command line is for; undefined for one that runs here, as most do. */
async function elsewhere(id: string, words: readonly string[], io: Io) {
  const login = loginsFile(io)
  const { APPSVC_URL: url, APPSVC_TOKEN: token, APPSVC_TOKEN_FILE: file } = io.environment
  const isNamed = words.some((word) => /^--(url|ca)(=|$)/.test(word)) || (url && (token || file))
  if (!isNamed && (login === undefined || !existsSync(login))) return undefined
  const { targetOf } = await import('./remote/target.ts')
  return targetOf(id, words, io, { hasOwnUrl: hasOwnUrl(id, words) })
}

/** Tells whether `--url` is no server to run on: an address of a webhook, or the server to which `notify` sends with an API key. */
function hasOwnUrl(id: string, words: readonly string[]): boolean {
  if (known.COMMANDS[id]?.flags?.url === undefined) return false
  return id !== 'notify' || words.some((word) => /^--(api-key|server-key-file)(=|$)/.test(word))
}

/** Tells whether `--help` or `-h` is given before any `--`. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h')
}

function report(failure: Failure, io: Io, json: boolean): void {
  if (json) io.stdout.write(`${JSON.stringify(failure.body)}\n`)
  pauseBar(io.stderr)
  io.stderr.write(`appsvc: ${failure.sentence}\n`)
  if (failure.stack && io.environment.APPSVC_LOG_LEVEL === 'debug') io.stderr.write(`${failure.stack}\n`)
}

/** Tells whether `--json` is given before any `--`. Decided before flags are parsed, because usage errors must honour it too. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? undefined : end).includes('--json')
}

/**
 * The id of the command in a line; undefined for help on a topic or on everything. Throws `usage` for an unknown
 * command.
 */
function commandOf(argv: readonly string[]): string | undefined {
  const flag = argv.findIndex((word) => word.startsWith('-'))
  const words = argv.slice(0, flag < 0 ? undefined : flag)
  for (let n = words.length; n > 0; n--) {
    const id = words.slice(0, n).join(':')
    if (Object.hasOwn(known.COMMANDS, id)) return id
    if (n === words.length && Object.hasOwn(known.TOPICS, id)) return undefined
  }
  if (words.length === 0) {
    if (argv.length === 0 || asksForHelp(argv)) return undefined
    throw new AppError('usage', `flags must follow a command (appsvc --help)`)
  }
  const topic = Object.hasOwn(known.TOPICS, words[0]!) ? words[0]! : undefined
  const typed = words.slice(0, 2).join(' ')
  const near = nearestTo(words)
  const hint = near ? `; did you mean appsvc ${near}?` : ''
  throw new AppError(
    'usage',
    `there is no command ${topic ? typed : words[0]}${hint} (appsvc ${topic ? `${topic} ` : ''}--help)`,
  )
}

/** The command that these words probably mean, as words. */
function nearestTo(words: readonly string[]): string | undefined {
  const ids = Object.keys(known.COMMANDS).map((id) => id.replaceAll(':', ' '))
  return suggestCommand(
    words,
    ids,
    Object.keys(known.TOPICS).filter((name) => !name.includes(':')),
  )
}

/**
 * Configures oclif without any file lookups, so that sources, bundle and executable behave the same. Only help gets all commands:
 * oclif describes each one to itself, which takes ten milliseconds for all of them. `commandCache` is a private field of its
 * Plugin class: @oclif/core is pinned, and a test checks the help of every command.
 */
async function oclifConfig(io: Io | undefined, commands: Known['COMMANDS']): Promise<Config> {
  const pjson = {
    name: 'appsvc',
    version: packageJson.version,
    description: packageJson.description,
    type: 'module',
    oclif: {
      bin: 'appsvc',
      dirname: 'appsvc',
      topicSeparator: ' ',
      commands: { strategy: 'explicit', target: './static', identifier: 'COMMANDS' },
      topics: Object.fromEntries(Object.entries(known.TOPICS).map(([name, description]) => [name, { description }])),
    },
  } as unknown as Interfaces.PJSON
  const root = import.meta.dirname
  const plugin = new Plugin({ isRoot: true, pjson, root, ignoreManifest: true })
  Object.assign(plugin, { commandCache: commands })
  await plugin.load()
  const options = {
    root,
    pjson,
    plugins: new Map([[plugin.name, plugin]]),
    io,
    catalogue: { commands: known.COMMANDS, topics: known.TOPICS },
    // The server runs command lines too, and nothing may import what imports it (remote/runner.ts).
    runCommandLine,
  }
  const config = new Config(options)
  await config.load()
  return config
}
