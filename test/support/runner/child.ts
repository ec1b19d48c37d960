import { once } from 'node:events'
import { relative } from 'node:path'
import { format } from 'node:util'
import Mocha from 'mocha'
import { stopShared } from '../at-end.ts'
import { processorTime } from '../processor-time.ts'
import { nowRunning } from '../running.ts'
import { whySkipped } from '../skip.ts'
import { ROOT } from './arguments.ts'
import type { Handed, Order, Progress } from './progress.ts'

/** The time in which things that tests left open may close by themselves; then their kind is printed and the process ends. */
const GRACE_MS = 3000

const tell = (progress: Progress) => process.send!(progress)

/** Runs in a child: all files as one, or the files that the parent hands out, one by one. */
export async function runTests({ options, files, isShared }: Order): Promise<void> {
  const parentDied = () => process.exit(1)
  process.on('disconnect', parentDied)
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

/** A reporter that prints nothing: a single file is worth no report but its failures, and the parent prints these. */
const silent = function silent() {} as unknown as Mocha.ReporterConstructor

async function runHandedOut(options: Mocha.MochaOptions): Promise<void> {
  for (;;) {
    const handed = once(process, 'message')
    tell({ wants: 'file', cpuMs: processorTime() })
    const [{ file }] = (await handed) as [Handed]
    if (file === null) return
    const failures = await runFiles({ ...options, reporter: silent }, [file])
    if (failures.length > 0) tell({ report: `\n${relative(ROOT, file)}${describeFailures(failures)}`, file })
  }
}

/** Failures as mocha prints them, with differences and stacks. */
function describeFailures(failures: Mocha.Test[]): string {
  const { Base } = Mocha.reporters
  const print = Base.consoleLog
  const lines: string[] = []
  Base.consoleLog = (...args: unknown[]) => lines.push(format(...args))
  Base.list(failures)
  Base.consoleLog = print
  return lines.join('\n')
}
