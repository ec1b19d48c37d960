/**
 * `npm test`: every test file in one mocha run. The last line is `N passed, N failed`, and the exit code is 0 only when
 * something ran, nothing failed and the run came to its end.
 *
 *     npm test                                     everything
 *     npm test -- test/platform --grep 'master key'  files, directories or patterns, narrowed by name
 *     npm test -- --reporter spec --bail           also: --fgrep, --invert, --timeout
 *
 * The tests run in a child process, so that one that ends its process, hangs or eats the memory is still reported.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import Mocha from 'mocha'

const ROOT = resolve(import.meta.dirname, '../..')
const OLDEST_NODE = 24
/** The whole tree takes a small part of this; a run that reaches it hangs. */
const DEADLINE_MS = 9 * 60_000
/** What tests left open may close by itself within this; then its kind is printed and the process ends. */
const GRACE_MS = 3000

const OPTIONS = {
  grep: { type: 'string', short: 'g' },
  fgrep: { type: 'string', short: 'f' },
  invert: { type: 'boolean', short: 'i' },
  bail: { type: 'boolean', short: 'b' },
  reporter: { type: 'string', short: 'R' },
  timeout: { type: 'string', short: 't' },
} as const

/** What the child tells while it runs. */
type Progress = { start: string } | { passed: string } | { failed: string } | { finished: true }

/** The test files that the arguments name (all of .mocharc.json's without any), sorted. Throws on a name that fits nothing. */
function findFiles(named: readonly string[], fallback: readonly string[]): string[] {
  const found = (named.length > 0 ? named : fallback).flatMap((name) => {
    const isDirectory = existsSync(name) && statSync(name).isDirectory()
    const files = globSync(isDirectory ? join(name, '**/*.test.ts') : name)
    if (files.length === 0) throw new Error(`${name} names no test file`)
    return files.map((file) => resolve(file))
  })
  return [...new Set(found)].sort()
}

/** What the command line asks of mocha: its options and the files to load. Throws a sentence when it makes no sense. */
function readArguments(): { options: Mocha.MochaOptions; files: string[] } {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const { spec, ...settings } = JSON.parse(readFileSync(join(ROOT, '.mocharc.json'), 'utf8'))
  const narrowed = positionals.length > 0 || values.grep !== undefined || values.fgrep !== undefined
  const options = {
    ...settings,
    // A forgotten `only` must not make everything else look tested.
    forbidOnly: !narrowed,
    ...(values.grep !== undefined && { grep: new RegExp(values.grep) }),
    ...(values.fgrep !== undefined && { fgrep: values.fgrep }),
    ...(values.invert && { invert: true }),
    ...(values.bail && { bail: true }),
    ...(values.reporter !== undefined && { reporter: values.reporter }),
    ...(values.timeout !== undefined && { timeout: values.timeout }),
  }
  return { options, files: findFiles(positionals, spec) }
}

/** In the child: loads and runs the files. */
async function runTests(): Promise<void> {
  const tell = (progress: Progress) => process.send!(progress)
  const parentDied = () => process.exit(1)
  process.on('disconnect', parentDied)
  const { options, files } = readArguments()
  const mocha = new Mocha(options)
  mocha.files = files
  await mocha.loadFilesAsync()
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const runner = mocha.run(() => end())
  runner.on('test', (test) => tell({ start: test.fullTitle() }))
  runner.on('pass', (test) => tell({ passed: test.fullTitle() }))
  runner.on('fail', (test) => tell({ failed: test.fullTitle() }))
  await promise
  tell({ finished: true })
  process.off('disconnect', parentDied)
  process.disconnect()
  setTimeout(() => {
    console.error(`The tests left open: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit()
  }, GRACE_MS).unref()
}

/** In the parent: watches the child, counts, and says the last line. Returns the exit code. */
async function supervise(): Promise<number> {
  let passed = 0
  let failed = 0
  let running: string | undefined
  let finished = false
  const child = fork(import.meta.filename, process.argv.slice(2), { cwd: ROOT, env: { ...process.env, [CHILD]: '1' } })
  child.on('message', (progress: Progress) => {
    if ('start' in progress) running = progress.start
    if ('passed' in progress) passed++
    if ('failed' in progress) failed++
    if ('finished' in progress) finished = true
  })
  const deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code, signal] = await once(child, 'close')
  clearTimeout(deadline)

  if (!finished) {
    const killed = `was killed (memory, or ${DEADLINE_MS / 60_000} minutes over)`
    const how = signal === 'SIGKILL' ? killed : `ended with ${signal ?? code}`
    console.log(
      `\nThe run broke off: its process ${how}${running ? ` during "${running}"` : ' before the first test'}.`,
    )
    failed++
  } else if (passed + failed === 0) {
    console.log('No test ran.')
  }
  console.log(`${passed} passed, ${failed} failed`)
  return finished && passed > 0 && failed === 0 ? 0 : 1
}

/** Refuses what cannot work, in a sentence, and still ends with the line of counts. */
async function start(): Promise<number> {
  try {
    if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
      throw new Error(
        `the tests need Node ${OLDEST_NODE} and this is ${process.version}: run npm ci, which puts it into node_modules/.bin, and then npm test`,
      )
    }
    readArguments()
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : String(error)}\n0 passed, 0 failed`)
    return 1
  }
  return supervise()
}

const CHILD = 'MOCHA_SUPERVISED'

if (process.env[CHILD]) await runTests()
else process.exitCode = await start()
