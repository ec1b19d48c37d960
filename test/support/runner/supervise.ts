import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { DEPTH_VARIABLE, type Depth } from '../depth.ts'
import { missingPrograms } from '../needs.ts'
import { ROOT } from './arguments.ts'
import { type Durations, keepDurations, readDurations } from './durations.ts'
import { openPlace } from './place.ts'
import { CHILD, type Handed, type Order, type Progress } from './progress.ts'
import { createQueue, type Queue } from './queue.ts'
import { printEnd } from './summary.ts'
import { newSums, report, type Sums } from './sums.ts'

const RUN = join(import.meta.dirname, '../run.ts')
/**
 * The folder in which Node keeps the compiled sources, types stripped: the one that bin/start.js uses. In the
 * environment, because threads that tests start take it from there only; each would compile some hundred files anew.
 */
const COMPILED = join(ROOT, 'node_modules/.cache/compile')
/** A run that hears nothing of its tests for so long hangs. How long it takes in all depends on the machine, and what else that does. */
const SILENCE_MS = 30 * 60_000
/** The bound where `CI` is true: .ci/run ends its steps by the clock, and the run ends itself before that, to say what it was at. */
const CI_MS = 27 * 60_000
/**
 * Maximum number of children, each with a PostgreSQL of its own. Two for each processor: many wait for real programs
 * that they started, a quarter of the time.
 */
const MOST_CHILDREN = 4
const CHILDREN = Math.min(availableParallelism() * 2, MOST_CHILDREN)
const DOTS_A_LINE = 100
/** The number of failing files beyond which something is broken, and nothing runs twice. */
const MOST_AGAIN = 6

const isCi = () => process.env.CI === 'true'

/** Watches the children of a run, counts, and says the last line. Returns the exit code. */
export async function supervise(order: Order): Promise<number> {
  const { files, left, isShared, isEverything, depth } = order
  const begun = performance.now()
  sayWhatIsMissing()
  const sums = newSums()
  const size = isShared ? Math.max(1, Math.min(CHILDREN, files.length)) : 1
  const queue = queueOf(files, readDurations(ROOT), size)
  const { directory, belongs } = await openPlace()
  const children: ChildProcess[] = []
  const begin = (argv: string[]) => {
    const child = fork(RUN, argv, {
      cwd: ROOT,
      env: {
        NODE_COMPILE_CACHE: COMPILED,
        ...process.env,
        [CHILD]: '1',
        [DEPTH_VARIABLE]: depth,
        TMPDIR: directory,
      },
      // A session of its own, of which all are members that it starts.
      detached: true,
    })
    children.push(child)
    belongs(child)
    return child
  }
  for (let i = 0; i < size; i++) begin(process.argv.slice(2))
  const everyone = (signal: NodeJS.Signals) => children.forEach((child) => void child.kill(signal))
  const patience = createPatience(depth, () => everyone('SIGKILL'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => everyone(signal))
  const ends = await Promise.all(
    children.map((child) => watch(child, sums, { queue, dots: isShared, heard: patience.heard })),
  )
  // Who names files at a desk sees at once what fails.
  const mayRepeat = isEverything || (isShared && (isCi() || depth !== 'daily'))
  if (mayRepeat && ends.every(Boolean)) await runAgain(sums, begin, patience.heard)
  patience.end()

  if (isEverything) await checkAnswers(sums)
  keepDurations(ROOT, measured(sums))
  const { passed, failed, skipped } = sums
  if (passed + failed === 0) console.log('No test ran.')
  const mayNotSkip = isCi() && skipped.length > 0
  if (mayNotSkip) console.log('Where CI is true no test may be skipped: install what is missing (.ci/run does).')
  printEnd(sums, { ms: performance.now() - begun, processes: isShared ? size : undefined, left })
  console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`)
  return ends.every(Boolean) && passed > 0 && failed === 0 && !mayNotSkip ? 0 : 1
}

function sayWhatIsMissing(): void {
  const missing = missingPrograms()
  if (missing.length === 0) return
  console.log(
    `Missing here: ${missing.map(({ name }) => name).join(', ')}. What needs them is skipped. They come with:`,
  )
  console.log(`    apt-get install -y --no-install-recommends ${missing.map((one) => one.package).join(' ')}\n`)
}

/** A queue of absolute paths. */
function queueOf(files: readonly string[], durations: Durations, processes: number): Queue {
  const queue = createQueue(
    files.map((file) => relative(ROOT, file)),
    durations,
    processes,
  )
  return {
    next: () => {
      const file = queue.next()
      return file === undefined ? undefined : join(ROOT, file)
    },
    done: (file) => queue.done(relative(ROOT, file)),
  }
}

/** Calls `giveUp` when `heard` was not called for `SILENCE_MS`, and where `CI` is true after `CI_MS`. */
function createPatience(depth: Depth, giveUp: () => void) {
  const silence = setTimeout(giveUp, SILENCE_MS)
  const whole = isCi() && depth !== 'long' ? setTimeout(giveUp, CI_MS) : undefined
  return {
    heard: () => void silence.refresh(),
    end() {
      clearTimeout(silence)
      clearTimeout(whole)
    },
  }
}

interface Watched {
  queue: Queue
  dots: boolean
  /** Called for everything that the child tells. */
  heard(): void
}

/** Watches a child, and counts its results. True when it came to its end. */
async function watch(child: ChildProcess, sums: Sums, { queue, dots, heard }: Watched): Promise<boolean> {
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
    queue.done(file)
    handed = undefined
  }
  child.on('message', (progress: Progress) => {
    heard()
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
    if ('answered' in progress) {
      sums.answered.add(progress.answered)
      if (progress.onAnyMachine) sums.onAnyMachine.add(progress.answered)
    }
    if ('report' in progress) report(sums, progress.report, progress.file)
    if ('finished' in progress) finished = true
    if ('wants' in progress) {
      const { cpuMs } = progress
      closeFile(cpuMs)
      const file = queue.next()
      handed = file === undefined ? undefined : { file, at: performance.now(), cpuMs, passed: 0, failed: [] }
      child.send({ file: file ?? null } satisfies Handed)
    }
    if (dots && ('passed' in progress || 'failed' in progress)) {
      const isEnd = (sums.passed + sums.failed) % DOTS_A_LINE === 0
      process.stdout.write(`${'failed' in progress ? '!' : '.'}${isEnd ? '\n' : ''}`)
    }
  })
  const [code, signal] = await once(child, 'close')
  if (finished) return true
  const killed = `was killed (memory, or ${isCi() ? `${CI_MS / 60_000} minutes over` : `nothing heard for ${SILENCE_MS / 60_000} minutes`})`
  const how = signal === 'SIGKILL' ? killed : `ended with ${signal ?? code}`
  report(sums, `\nThe run broke off: its process ${how}${running ? ` during "${running}"` : ' before the first test'}.`)
  sums.failed++
  return false
}

/**
 * Runs the files of a run with few failures once more, each alone. A test that passes now is a race. Where `CI` is true it counts
 * as passed, so that a busy machine turns no good change away; elsewhere it stays a failure, so that its author mends it.
 */
async function runAgain(sums: Sums, begin: (argv: string[]) => ChildProcess, heard: () => void): Promise<void> {
  if (sums.broken.size > MOST_AGAIN) return
  for (const [file, { failed, passed }] of sums.broken) {
    const name = relative(ROOT, file)
    console.log(`\nOnce more, alone: ${name}`)
    const again = newSums()
    const queue = queueOf([file], {}, 1)
    const hasEnded = await watch(begin([file]), again, { queue, dots: false, heard })
    for (const answer of again.answered) sums.answered.add(answer)
    for (const answer of again.onAnyMachine) sums.onAnyMachine.add(answer)
    if (!hasEnded || again.failed > 0 || again.passed < passed) {
      sums.reports.push(...again.reports)
      continue
    }
    const log = sums.reports
      .filter((report) => report.file === file)
      .map(({ text }) => text)
      .join('\n')
    sums.races.push({ file: name, tests: failed, log })
    for (const test of failed) console.log(`A race to mend, it failed at first and passed alone: ${test}`)
    if (!isCi()) continue
    sums.failed -= failed.length
    sums.passed += again.passed - passed
    sums.reports = sums.reports.filter((report) => report.file !== file)
  }
}

/** Checks after a run of everything that every answer that a route documents was given in some test. It counts as one test. */
async function checkAnswers(sums: Sums): Promise<void> {
  // Not at the top: it loads the program.
  const { documentedAnswers } = await import('../answers.ts')
  const documented = documentedAnswers()
  const never = documented.filter((answer) => !sums.answered.has(answer))
  sums.answers = { given: documented.length - never.length, documented: documented.length }
  const rarely = documented.filter((answer) => sums.answered.has(answer) && !sums.onAnyMachine.has(answer))
  if (never.length + rarely.length === 0) {
    sums.passed++
    return
  }
  sums.failed++
  const list = (what: string, answers: readonly string[]) =>
    answers.length > 0 && report(sums, ['', what, ...answers.map((answer) => `  ${answer}`)].join('\n'))
  list('No test gets these documented answers; test/server/statuses.test.ts has rows for such:', never)
  list('Only tests that need programs get these documented answers, so that a run without them fails:', rarely)
}

/** The durations of the files that passed. */
function measured({ files, broken }: Sums): Durations {
  const passed = files.filter(({ name }) => name.startsWith('test/') && !broken.has(join(ROOT, name)))
  return Object.fromEntries(passed.map(({ name, ms, cpuMs = 0 }) => [name, { ms: Math.round(ms), cpuMs }]))
}
