/**
 * Runs test files for mutants.ts in a process of its own, one by one, as it is told to, in the working directory, which
 * may be another tree than that of this file. After each file it reports failures and, when coverage is wanted, the
 * parts of `src` that ran.
 */
import { once } from 'node:events'
import { Session } from 'node:inspector'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import Mocha from 'mocha'

/** An order of the parent. */
export interface Order {
  file: string
  /** The time that a test of the file may take. */
  timeoutMs: number
  covers: boolean
}

/** The answer of the runner. */
export interface Outcome {
  file: string
  /** The first test or hook that failed, with its reason. */
  failed?: string
  passed: number
  ms: number
  cpuMs: number
  /** Begin and end of each part that ran, one after the other, by source below the root. */
  ran?: Record<string, number[]>
}

const root = process.cwd()
const session = new Session()
const load = (path: string): Promise<Record<string, (given?: unknown) => unknown>> =>
  import(pathToFileURL(join(root, path)).href)

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

interface Script {
  url: string
  functions: { functionName: string; ranges: Range[] }[]
}

function post(method: string, given: object = {}): object | undefined {
  let answer: object | undefined
  session.post(method, given, (error: Error | null, result?: object) => {
    if (error) throw error
    answer = result
  })
  return answer
}

/** The parts that ran: of nested ranges the innermost one decides. */
function partsOf(ranges: readonly Range[]): number[] {
  const open: Range[] = []
  const parts: number[] = []
  let at = 0
  const until = (to: number) => {
    if (to > at && (open.at(-1)?.count ?? 0) > 0) {
      if (parts.at(-1) === at) parts[parts.length - 1] = to
      else parts.push(at, to)
    }
    at = Math.max(at, to)
  }
  for (const range of ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)) {
    while (open.length > 0 && open.at(-1)!.endOffset <= range.startOffset) {
      until(open.at(-1)!.endOffset)
      open.pop()
    }
    until(range.startOffset)
    open.push(range)
  }
  while (open.length > 0) {
    until(open.at(-1)!.endOffset)
    open.pop()
  }
  return parts
}

/** The parts that ran since the last call. */
function takeCoverage(): Record<string, number[]> {
  const { result } = post('Profiler.takePreciseCoverage') as { result: Script[] }
  const ours = pathToFileURL(join(root, 'src/')).href
  const ran: Record<string, number[]> = {}
  for (const { url, functions } of result) {
    if (!url.startsWith(ours)) continue
    // The whole of a file runs when it is loaded first. Functions of it that were never compiled are not mentioned, and would count as a part of it.
    const own = functions.filter(({ functionName, ranges }) => functionName !== '' || ranges[0]!.startOffset > 0)
    const parts = partsOf(own.flatMap((one) => one.ranges))
    if (parts.length > 0) ran[relative(root, fileURLToPath(url))] = parts
  }
  return ran
}

async function runFile({ file, timeoutMs, covers }: Order): Promise<Outcome> {
  const began = performance.now()
  const used = process.cpuUsage()
  const mocha = new Mocha({
    timeout: timeoutMs,
    bail: true,
    reporter: function silent() {} as unknown as Mocha.ReporterConstructor,
  })
  mocha.files = [join(root, file)]
  let failed: string | undefined
  let passed = 0
  try {
    await mocha.loadFilesAsync()
    const { nowRunning } = (await load('test/support/running.ts')) as { nowRunning(runnable: unknown): void }
    const { promise, resolve: end } = Promise.withResolvers<void>()
    const runner = mocha.run(() => end())
    runner.on('hook', nowRunning)
    runner.on('test', nowRunning)
    runner.on('pass', () => passed++)
    runner.on('fail', (test, error: Error | undefined) => {
      failed ??= `${test.fullTitle()}: ${error?.message ?? 'failed'}`
    })
    await promise
    runner.dispose()
  } catch (error) {
    failed = `cannot be loaded: ${error instanceof Error ? error.message : String(error)}`
  }
  const { user, system } = process.cpuUsage(used)
  return {
    file,
    ...(failed !== undefined && { failed: failed.slice(0, 300) }),
    passed,
    ms: Math.round(performance.now() - began),
    cpuMs: Math.round((user + system) / 1000),
    ...(covers && { ran: takeCoverage() }),
  }
}

// Nobody waits for an answer any more.
process.once('disconnect', () => process.exit(1))

let covering = false
for (;;) {
  const [order] = (await once(process, 'message')) as [Order | null]
  if (order === null) break
  if (order.covers && !covering) {
    covering = true
    session.connect()
    post('Profiler.enable')
    post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }
  process.send!(await runFile(order))
}
const { stopShared } = await load('test/support/at-end.ts')
await stopShared!()
process.exit()
