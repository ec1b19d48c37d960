/**
 * `npm test`: every test file, by mocha, in two processes for each processor (at most four), each taking the next file
 * when it is through with one. The last line is `N passed, N failed, N skipped`, and the exit code is 0 only when something ran,
 * nothing failed and the run came to its end; where `CI` is true also nothing may be skipped.
 *
 *     npm test                                     everything
 *     npm test -- test/platform --grep 'master key'  files, directories or patterns, narrowed by name
 *     npm test -- --reporter spec --bail           also: --fgrep, --invert, --timeout
 *
 * After a run of everything, and where `CI` is true, up to six files with failures run once more, each alone. A test that passes then is counted as
 * passed and named as a race: it shall be mended, but a busy machine does not turn a good change away. What is broken fails twice.
 *
 * The tests run in child processes, so that one that ends its process, hangs or eats the memory is still reported. Temporary files
 * are made in a directory of the run. Whatever it started ends with it and the directory goes, also when it is killed with SIGKILL
 * (undertaker.ts); what a machine that went down left of it goes when the next one begins.
 */
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { Socket } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { format, parseArgs } from 'node:util'
import Mocha from 'mocha'
import { stopShared } from './at-end.ts'
import { nowRunning } from './eventually.ts'
import { processorTime } from './processor-time.ts'
import { whySkipped } from './skip.ts'
import { bury, RUN_PREFIX } from './undertaker.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const OLDEST_NODE = 24
/**
 * Where Node keeps what it compiled of the sources, types stripped: the folder that bin/start.js uses. In the environment, because threads
 * that tests start take it from there only; each would compile some hundred files anew.
 */
const COMPILED = join(ROOT, 'node_modules/.cache/compile')
/** A machine of one's own needs a third of this, and one that gives half of its speed two thirds; a run that reaches it hangs. */
const DEADLINE_MS = 27 * 60_000
/** What tests left open may close by itself within this; then its kind is printed and the process ends. */
const GRACE_MS = 3000
/** Each has a PostgreSQL of its own. Two for each processor: many wait for real programs that they started, a quarter of the time. */
const MOST_CHILDREN = 4
const CHILDREN = Math.min(availableParallelism() * 2, MOST_CHILDREN)
/**
 * These mostly wait for programs that they started. At the end they would wait alone, and side by side they leave the processors idle:
 * they are begun one by one between the others, in the first part of the run.
 */
const WAITING = ['test/handbook.test.ts', 'test/cli/http-threads.test.ts', 'test/workers/'].map((name) =>
  join(ROOT, name),
)
const FIRST_PART = 0.6
const DOTS_A_LINE = 100
/** With more failing files than these something is broken, and nothing runs twice. */
const MOST_AGAIN = 6
/** Files and tests that take so long are named at the end, the slowest of them. */
const SLOW_MS = 5000
const MOST_SLOW = 12

const OPTIONS = {
  grep: { type: 'string', short: 'g' },
  fgrep: { type: 'string', short: 'f' },
  invert: { type: 'boolean', short: 'i' },
  bail: { type: 'boolean', short: 'b' },
  reporter: { type: 'string', short: 'R' },
  timeout: { type: 'string', short: 't' },
} as const

/** What a child tells while it runs; `wants` asks for the next file, and `cpuMs` is what it and its programs have used until then. */
type Progress =
  | { start: string }
  | { passed: string; ms: number }
  | { failed: string }
  | { skipped: string; why: string }
  | { answered: string }
  | { report: string; file: string }
  | { wants: 'file'; cpuMs: number }
  | { finished: true }

/** The files in the order in which they are begun. */
function inOrder(files: readonly string[]): string[] {
  const rankOf = (file: string) => WAITING.findIndex((begin) => file.startsWith(begin))
  const sorted = files.toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
  const others = sorted.filter((file) => rankOf(file) < 0)
  const waiting = sorted.slice(others.length)
  const between = Math.floor((others.length * FIRST_PART) / (waiting.length || 1))
  return [
    ...waiting.flatMap((file, i) => [file, ...others.slice(i * between, (i + 1) * between)]),
    ...others.slice(waiting.length * between),
  ]
}

/** The test files that the arguments name (all of .mocharc.json's without any), in the order in which they are begun. Throws on a name that fits nothing. */
function findFiles(named: readonly string[], fallback: readonly string[]): string[] {
  const found = (named.length > 0 ? named : fallback).flatMap((name) => {
    const isDirectory = existsSync(name) && statSync(name).isDirectory()
    const files = globSync(isDirectory ? join(name, '**/*.test.ts') : name)
    if (files.length === 0) throw new Error(`${name} names no test file`)
    return files.map((file) => resolve(file))
  })
  return inOrder([...new Set(found)])
}

/** What the command line asks of mocha: its options and the files to load. Throws a sentence when it makes no sense. */
function readArguments(): { options: Mocha.MochaOptions; files: string[]; isShared: boolean; isWhole: boolean } {
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
  // Who asks for a reporter wants one report, and --bail one order.
  const isShared = values.reporter === undefined && values.bail === undefined
  return {
    options,
    files: findFiles(positionals, spec),
    isShared,
    isWhole: isShared && !narrowed,
  }
}

/** In a child: runs all files as one, or the files that the parent hands out, one by one. */
async function runTests(): Promise<void> {
  const parentDied = () => process.exit(1)
  process.on('disconnect', parentDied)
  const { options, files, isShared } = readArguments()
  if (isShared) await runHandedOut(options)
  else await runFiles(options, files)
  await stopShared()
  tell({ finished: true })
  process.off('disconnect', parentDied)
  process.disconnect()
  setTimeout(() => {
    console.error(`The tests left open: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit()
  }, GRACE_MS).unref()
}

const tell = (progress: Progress) => process.send!(progress)

async function runFiles(options: Mocha.MochaOptions, files: string[]): Promise<Mocha.Test[]> {
  const mocha = new Mocha(options)
  mocha.files = files
  await mocha.loadFilesAsync()
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const failures: Mocha.Test[] = []
  const runner = mocha.run(() => end())
  runner.on('hook', nowRunning)
  runner.on('test', (test) => {
    nowRunning(test)
    tell({ start: test.fullTitle() })
  })
  runner.on('pass', (test) => tell({ passed: test.fullTitle(), ms: test.duration ?? 0 }))
  runner.on('pending', (test) => tell({ skipped: test.fullTitle(), why: whySkipped(test) }))
  runner.on('fail', (test, error) => {
    failures.push(Object.assign(test, { err: error }))
    tell({ failed: test.fullTitle() })
  })
  await promise
  // Its listeners of the process, of which every file would leave some.
  runner.dispose()
  return failures
}

/** Nothing of a single file is worth a report but its failures, and these the parent prints. */
const silent = function silent() {} as unknown as Mocha.ReporterConstructor

async function runHandedOut(options: Mocha.MochaOptions): Promise<void> {
  for (;;) {
    const handed = once(process, 'message')
    tell({ wants: 'file', cpuMs: processorTime() })
    const [{ file }] = (await handed) as [{ file: string | null }]
    if (file === null) return
    const failures = await runFiles({ ...options, reporter: silent }, [file])
    if (failures.length > 0) tell({ report: `\n${relative(ROOT, file)}${describeFailures(failures)}`, file })
  }
}

/** As mocha prints them, with differences and stacks. */
function describeFailures(failures: Mocha.Test[]): string {
  const { Base } = Mocha.reporters
  const print = Base.consoleLog
  const lines: string[] = []
  Base.consoleLog = (...args: unknown[]) => lines.push(format(...args))
  Base.list(failures)
  Base.consoleLog = print
  return lines.join('\n')
}

interface Sums {
  passed: number
  failed: number
  skipped: { name: string; why: string }[]
  /** What routes answered in any test. */
  answered: Set<string>
  /** What each file took. */
  files: Took[]
  /** Files in which something failed: the names of what failed, and how many tests of the file passed. */
  broken: Map<string, Broken>
  /** What each test took, without its hooks. */
  tests: Took[]
  /** What was printed about failures when they happened. It is printed again at the end, because often the end is all that is kept of a log. */
  reports: Report[]
}

interface Report {
  text: string
  /** Of which it tells, if it is of one. */
  file?: string
}

interface Broken {
  failed: string[]
  passed: number
}

interface Took {
  name: string
  ms: number
  /** Processor time, of a file. */
  cpuMs?: number
}

/** In the parent: a child, and what came of it. True when it came to its end. */
async function watch(child: ChildProcess, sums: Sums, next: () => string | undefined, dots: boolean): Promise<boolean> {
  let running: string | undefined
  let finished = false
  let handed: { file: string; at: number; cpuMs: number; passed: number; failed: string[] } | undefined
  const closeFile = (cpuMs: number) => {
    if (!handed) return
    const { file, at, cpuMs: before, ...counts } = handed
    // A killed program takes what it used with it.
    const used = Math.max(0, cpuMs - before)
    sums.files.push({ name: relative(ROOT, file), ms: performance.now() - at, cpuMs: used })
    if (counts.failed.length > 0) sums.broken.set(file, counts)
    handed = undefined
  }
  child.on('message', (progress: Progress) => {
    if ('start' in progress) running = progress.start
    if ('passed' in progress) {
      sums.passed++
      if (handed) handed.passed++
      sums.tests.push({ name: progress.passed, ms: progress.ms })
    }
    if ('skipped' in progress) sums.skipped.push({ name: progress.skipped, why: progress.why })
    if ('failed' in progress) {
      sums.failed++
      handed?.failed.push(progress.failed)
    }
    if ('answered' in progress) sums.answered.add(progress.answered)
    if ('report' in progress) report(sums, progress.report, progress.file)
    if ('finished' in progress) finished = true
    if ('wants' in progress) {
      const { cpuMs } = progress
      closeFile(cpuMs)
      const file = next()
      handed = file === undefined ? undefined : { file, at: performance.now(), cpuMs, passed: 0, failed: [] }
      child.send({ file: file ?? null })
    }
    if (dots && ('passed' in progress || 'failed' in progress)) {
      const isEnd = (sums.passed + sums.failed) % DOTS_A_LINE === 0
      process.stdout.write(`${'failed' in progress ? '!' : '.'}${isEnd ? '\n' : ''}`)
    }
  })
  const [code, signal] = await once(child, 'close')
  if (finished) return true
  const killed = `was killed (memory, or ${DEADLINE_MS / 60_000} minutes over)`
  const how = signal === 'SIGKILL' ? killed : `ended with ${signal ?? code}`
  report(sums, `\nThe run broke off: its process ${how}${running ? ` during "${running}"` : ' before the first test'}.`)
  sums.failed++
  return false
}

/** Prints what failed, and keeps it for the end. */
function report(sums: Sums, text: string, file?: string): void {
  console.log(text)
  sums.reports.push({ text, ...(file !== undefined && { file }) })
}

/** In the parent: watches the children, counts, and says the last line. Returns the exit code. */
async function supervise({ files, isShared, isWhole }: ReturnType<typeof readArguments>): Promise<number> {
  const begun = performance.now()
  const sums = newSums()
  const queue = [...files]
  const size = isShared ? Math.min(CHILDREN, files.length) : 1
  const { directory, belongs } = await openRun()
  const children: ChildProcess[] = []
  const begin = (names: string[]) => {
    const child = fork(import.meta.filename, names, {
      cwd: ROOT,
      env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, [CHILD]: '1', TMPDIR: directory },
      // A session of its own, of which all are members that it starts.
      detached: true,
    })
    children.push(child)
    belongs(child)
    return child
  }
  for (let i = 0; i < size; i++) begin(process.argv.slice(2))
  const everyone = (signal: NodeJS.Signals) => children.forEach((child) => void child.kill(signal))
  const deadline = setTimeout(() => everyone('SIGKILL'), DEADLINE_MS)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => everyone(signal))
  const ends = await Promise.all(children.map((child) => watch(child, sums, () => queue.shift(), isShared)))
  const mayRepeat = isWhole || (isShared && process.env.CI === 'true')
  if (mayRepeat && ends.every(Boolean)) await runAgain(sums, begin)
  clearTimeout(deadline)

  if (isWhole) await checkAnswers(sums)
  const { passed, failed, skipped } = sums
  if (passed + failed === 0) console.log('No test ran.')
  if (isShared) {
    const cpuMs = sums.files.reduce((sum, { cpuMs = 0 }) => sum + cpuMs, 0)
    console.log(
      `\n${inSeconds(performance.now() - begun)} s in ${size} processes; ${inSeconds(cpuMs)} s of processor time`,
    )
  }
  printSlowest('files', sums.files)
  printSlowest('tests', sums.tests)
  for (const { name, why } of skipped) console.log(`skipped, because ${why}: ${name}`)
  const mayNotSkip = process.env.CI === 'true' && skipped.length > 0
  if (mayNotSkip) console.log('Where CI is true no test may be skipped: install what is missing (.ci/run does).')
  if (sums.reports.length > 0) console.log(`\n${AT_THE_END}`)
  for (const { text } of sums.reports) console.log(text)
  console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`)
  return ends.every(Boolean) && passed > 0 && failed === 0 && !mayNotSkip ? 0 : 1
}

const newSums = (): Sums => ({
  passed: 0,
  failed: 0,
  skipped: [],
  answered: new Set(),
  files: [],
  broken: new Map(),
  tests: [],
  reports: [],
})

/** After a whole run with few failures: their files once more, one by one. A file that passes now is counted by this run. */
async function runAgain(sums: Sums, begin: (names: string[]) => ChildProcess): Promise<void> {
  if (sums.broken.size > MOST_AGAIN) return
  for (const [file, { failed, passed }] of sums.broken) {
    const name = relative(ROOT, file)
    console.log(`\nOnce more, alone: ${name}`)
    const again = newSums()
    const queue = [file]
    const hasEnded = await watch(begin([file]), again, () => queue.shift(), false)
    for (const answer of again.answered) sums.answered.add(answer)
    if (!hasEnded || again.failed > 0 || again.passed < passed) {
      sums.reports.push(...again.reports)
      continue
    }
    sums.failed -= failed.length
    sums.passed += again.passed - passed
    sums.reports = sums.reports.filter((report) => report.file !== file)
    for (const test of failed) console.log(`A race to mend, it failed at first and passed alone: ${test}`)
  }
}

/** After a whole run: every answer that a route documents was given in some test. It counts as one test. */
async function checkAnswers(sums: Sums): Promise<void> {
  // Not at the top: it loads the program.
  const { documentedAnswers } = await import('./answers.ts')
  const never = documentedAnswers().filter((answer) => !sums.answered.has(answer))
  if (never.length === 0) {
    sums.passed++
    return
  }
  sums.failed++
  const found = 'No test gets these documented answers; test/server/statuses.test.ts has rows for such:'
  report(sums, ['', found, ...never.map((answer) => `  ${answer}`)].join('\n'))
}

/** `.ci/run` shows what follows this line once more, at its own end. */
const AT_THE_END = 'What failed:'

const inSeconds = (ms: number) => Math.round(ms / 1000)
const seconds = (ms: number) => `${String(inSeconds(ms)).padStart(4)} s`

function printSlowest(what: string, took: readonly Took[]): void {
  const slow = took.filter(({ ms }) => ms >= SLOW_MS).toSorted((a, b) => b.ms - a.ms)
  if (slow.length > 0) console.log(`The slowest ${what}:`)
  for (const { name, ms, cpuMs } of slow.slice(0, MOST_SLOW)) {
    // On a busy machine this is what can be compared with another run.
    const used = cpuMs === undefined ? '' : `${seconds(cpuMs)} of a processor`
    console.log(`${seconds(ms)}${used}  ${name}`)
  }
}

/** A directory without a pid this old was left by a run that died before it wrote any. */
const ABANDONED_AFTER_MS = 60_000

/**
 * A directory for the temporary files of this run, and who ends whatever the run leaves. `belongs` names a process that is the
 * leader of a session. What runs left of which nobody is alive is ended first.
 */
async function openRun(): Promise<{ directory: string; belongs(child: ChildProcess): void }> {
  const roots = [tmpdir(), ...(hasRoomInMemory() ? [IN_MEMORY] : [])]
  for (const directory of roots.flatMap((root) => readdirSync(root).map((name) => join(root, name)))) {
    if (basename(directory).startsWith(RUN_PREFIX) && isAbandoned(directory)) await bury(directory)
  }
  const directory = mkdtempSync(join(roots.at(-1)!, RUN_PREFIX))
  // PostgreSQL runs as somebody else when we are root.
  chmodSync(directory, 0o755)
  writeFileSync(join(directory, RUN_PID), String(process.pid))
  const undertaker = spawn(process.execPath, [join(import.meta.dirname, 'undertaker.ts'), directory], {
    // Whoever ends this run's group or session must not end the one who cleans up.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  undertaker.unref()
  // It may have been killed; the tests are not about it.
  undertaker.stdin.on('error', () => {})
  ;(undertaker.stdin as unknown as Socket).unref()
  return { directory, belongs: (child) => void undertaker.stdin.write(`${child.pid}\n`) }
}

const RUN_PID = 'run.pid'
const IN_MEMORY = '/dev/shm'
/** Several times what a whole run needs. */
const ROOM_IN_MEMORY = 6 * 1024 ** 3

/**
 * Whether temporary files may be in memory, where thousands of databases are made and deleted in a third of the time. Not if
 * `TMPDIR` names a place, if there is little room, or if no program may run there, as in containers.
 */
function hasRoomInMemory(): boolean {
  if (process.env.TMPDIR !== undefined || !existsSync(IN_MEMORY)) return false
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  if (bavail * bsize < ROOM_IN_MEMORY) return false
  const probe = join(IN_MEMORY, `${RUN_PREFIX}probe-${process.pid}`)
  try {
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o700 })
    return spawnSync(probe).status === 0
  } catch {
    return false
  } finally {
    rmSync(probe, { force: true })
  }
}

/** Whether who made the directory of a run has ended. What cannot be looked at is somebody else's. */
function isAbandoned(directory: string): boolean {
  try {
    const file = join(directory, RUN_PID)
    if (!existsSync(file)) return Date.now() - statSync(directory).mtimeMs > ABANDONED_AFTER_MS
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Refuses what cannot work, in a sentence, and still ends with the line of counts. */
async function start(): Promise<number> {
  try {
    if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
      throw new Error(
        `the tests need Node ${OLDEST_NODE} and this is ${process.version}: run npm ci, which puts it into node_modules/.bin, and then npm test`,
      )
    }
    return await supervise(readArguments())
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : String(error)}\n0 passed, 0 failed, 0 skipped`)
    return 1
  }
}

const CHILD = 'MOCHA_SUPERVISED'

if (process.env[CHILD]) await runTests()
else process.exitCode = await start()
