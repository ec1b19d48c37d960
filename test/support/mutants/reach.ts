/** Finds which parts of `src` each test file runs in its own process, by the precise coverage of V8. */
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Mutant } from './draw.ts'
import { openRunner } from './pool.ts'

/** Needs of a test file, and the code that it runs. */
export interface Reach {
  file: string
  ms: number
  cpuMs: number
  /** The reason why it cannot be used: it fails without any mutant. */
  broken?: string
  /** By source: which of its `lists` is what this file ran. */
  ran: Record<string, number>
}

/** Facts about the test files of a tree. */
export interface ReachMap {
  files: Reach[]
  /** By source: begin and end of each part that ran, one after the other. */
  lists: Record<string, number[][]>
}

/** Test files that run programs, browsers, commands or the handbook: they cost most, and what they run is in other processes or of `src/cli`. */
const IN_PROGRAMS =
  /^test\/(?:cli|console|workers|docker|packaging|handbook|readme|run\.test|mutants\.test|bench|plans)|-kills\.|browser\.test/

/** Test files of a tree that run the sources in their own process. */
function inProcessFiles(tree: string): string[] {
  return globSync('test/**/*.test.ts', { cwd: tree })
    .filter((file) => !IN_PROGRAMS.test(file))
    .toSorted()
}

/** Test files whose programs run the sources, of which nothing is known. */
function programFiles(tree: string): string[] {
  return globSync('test/{workers,cli}/**/*.test.ts', { cwd: tree })
    .filter((file) => IN_PROGRAMS.test(file))
    .toSorted()
}

const PATIENCE_MS = 240_000

/** Most mutants are noticed by the unit tests of their folder, and servers cost most: those come first, these last. */
const TURNS = [/^test\/platform/, /^test\/domain/, /^test\/[^/]+$/, /^test\/(?!server)/, /./]
const turnOf = (file: string) => TURNS.findIndex((turn) => turn.test(file))

/** A line of the cache. */
interface Line extends Omit<Reach, 'ran'> {
  ran: Record<string, number[]>
}

/** Runs all files once, in `processes` processes, and notes what they run in `cache`, a line for each, so that it can be continued. */
export async function mapReach(
  { tree, directory, cache, processes }: { tree: string; directory: string; cache: string; processes: number },
  say: (line: string) => void,
): Promise<ReachMap> {
  mkdirSync(dirname(cache), { recursive: true })
  const done = existsSync(cache) ? new Set(readReach(cache).files.map(({ file }) => file)) : new Set<string>()
  const queue = inProcessFiles(tree)
    .filter((file) => !done.has(file))
    .toSorted((a, b) => turnOf(a) - turnOf(b))
  let left = queue.length
  const work = async () => {
    let runner = openRunner(tree, directory, 'sqlite')
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      if (!runner.isAlive()) {
        await runner.end()
        runner = openRunner(tree, directory, 'sqlite')
      }
      const { ms, cpuMs, failed, ran = {} } = await runner.run({ file, timeoutMs: 120_000, covers: true }, PATIENCE_MS)
      const line: Line = { file, ms, cpuMs, ...(failed !== undefined && { broken: failed }), ran }
      appendFileSync(cache, `${JSON.stringify(line)}\n`)
      say(`${--left} left: ${file} ${ms} ms${failed === undefined ? '' : `: ${failed}`}`)
      // A file that hangs would hold up the next one.
      if (failed !== undefined) await runner.end()
    }
    await runner.end()
  }
  if (left > 0) await Promise.all(Array.from({ length: processes }, work))
  return readReach(cache)
}

/** The map that a cache holds. */
function readReach(cache: string): ReachMap {
  const map: ReachMap = { files: [], lists: {} }
  const known = new Map<string, number>()
  const indexOf = (source: string, parts: number[]) => {
    const key = `${source} ${parts.join()}`
    const lists = (map.lists[source] ??= [])
    if (!known.has(key)) known.set(key, lists.push(parts) - 1)
    return known.get(key)!
  }
  for (const text of readFileSync(cache, 'utf8').split('\n')) {
    if (text === '') continue
    const { ran, ...line } = JSON.parse(text) as Line
    const own = Object.entries(ran).map(([source, parts]) => [source, indexOf(source, parts)] as const)
    map.files.push({ ...line, ran: Object.fromEntries(own) })
  }
  map.files.sort((a, b) => (a.file < b.file ? -1 : 1))
  return map
}

/** A minute of a machine with nothing else to do. */
const NEAR_MS = 60_000

const STATEMENTS = 'test/every-statement.test.ts'

/** The test that looks at all statements of both databases, for a change of one. */
export function statementTests(map: ReachMap, { kind }: Pick<Mutant, 'kind'>): Reach[] {
  return map.files.filter(({ file }) => file === STATEMENTS && (kind === 'where' || kind === 'order'))
}

/**
 * For a change that no test runs in its own process: the cheapest tests of its folder, for both databases, those that start programs, and for a statement, which may be
 * of PostgreSQL alone, the one that looks at all of them.
 */
export function nearPrograms(
  tree: string,
  map: ReachMap,
  { file: source, kind }: Pick<Mutant, 'file' | 'kind'>,
): Reach[] {
  const folder = dirname(source).split('/').slice(1, 3).join('/')
  const known = map.files.filter(({ file, broken }) => broken === undefined && file.startsWith(`test/${folder}/`))
  const word = folder.split('/').at(-1)!
  const programs = programFiles(tree)
    .filter((file) => file.includes(word))
    .map((file) => ({ file, ms: NEAR_MS, cpuMs: NEAR_MS / 4, ran: {} }))
  const watchers = statementTests(map, { kind })
  return [...known.toSorted((a, b) => a.cpuMs - b.cpuMs).slice(0, 8), ...programs.slice(0, 2), ...watchers]
}
