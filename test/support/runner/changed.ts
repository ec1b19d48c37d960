import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Import, readImports, readTree } from '../imports.ts'
import { type Durations, readDurations } from './durations.ts'

/** Tests that read the whole checkout, and take a second or two. */
const ALWAYS = [
  'test/arrows.test.ts',
  'test/app-ids.test.ts',
  'test/citations.test.ts',
  'test/comments.test.ts',
  'test/config.test.ts',
  'test/openapi.test.ts',
]
/**
 * Files that put the program together. Through them everything reaches everything, so the search for what a file
 * reaches goes no further there.
 */
const COMPOSE =
  /^(bin\/|src\/(app|open)\.ts$|src\/cli\/(commands|run|main)\.ts$|src\/server\/(routes|handler|index)\.ts$|src\/workers\/(index|thread|schedule)\.ts$|src\/domain\/[^/]+\/wire\.ts$|src\/domain\/gateways\/(registry|blocks)\.ts$|src\/doctor\/checks\.ts$|migrations\/index\.ts$)/
/** Tests of what no import shows. */
const BY_PLACE: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(docs\/(?!decisions\/|reference\/)|README\.md$)/, ['test/handbook.test.ts', 'test/readme.test.ts']],
  [/^(clients\/server\/|docs\/clients\/server)/, ['test/clients/server/package.test.ts']],
  [/^clients\/(core|web)\//, ['test/clients/web/*.test.ts', 'test/server/sdk/door.test.ts']],
  [/^(clients\/(core|react-native)\/|docs\/clients\/react-native)/, ['test/clients/react-native/package.test.ts']],
  [/^clients\/without-an-sdk\//, ['test/clients/without-an-sdk/java.test.ts']],
  [/^clients\/openapi-3/, ['test/clients/generated.test.ts']],
  [/^migrations\//, ['test/migrations.test.ts', 'test/schema-page.test.ts', 'test/every-statement.test.ts']],
  [/^packaging\/monitoring\//, ['test/monitoring.test.ts']],
  [/^(packaging\/|Dockerfile|compose|package)/, ['test/packaging.test.ts', 'test/docker.test.ts']],
  [/repository\.ts$|-sql\.ts$/, ['test/every-statement.test.ts']],
  [/^src\/present\/|^src\/server\/admin\/kinds\.ts$/, ['test/server/admin/masks.test.ts']],
]
/** The time that the tests may take together, less than a minute: in four processes that wait half of the time. */
const BUDGET_MS = 150_000
const UNKNOWN_MS = 3000

/** The nearer the earlier: the test itself, the mirror of a file, what imports it, what imports that. */
type Rank = 0 | 1 | 2 | 3

/** A file that differs, or a source that imports one: `rank` counts the steps. */
interface Reached {
  file: string
  rank: Rank
}

function git(root: string, ...argv: string[]): string[] {
  const { status, stdout, stderr, error } = spawnSync('git', argv, { cwd: root, encoding: 'utf8' })
  if (error) throw new Error('--changed asks git what differs, and there is no git')
  if (status !== 0) throw new Error(`git ${argv.join(' ')}: ${stderr.trim()}`)
  return stdout.split('\n').filter((line) => line !== '')
}

/** The commit to compare with: where this branch left `origin` or `main`; HEAD when it is on it. */
function baseOf(root: string): string {
  for (const name of ['origin/HEAD', 'origin/main', 'main']) {
    const { status, stdout } = spawnSync('git', ['merge-base', 'HEAD', name], { cwd: root, encoding: 'utf8' })
    if (status === 0) return stdout.trim()
  }
  return 'HEAD'
}

/**
 * The files that differ from a commit (default: where this branch left main), with those that are not committed; by path from the root. Throws a
 * sentence when git cannot tell.
 */
export function differing(root: string, base = baseOf(root)): string[] {
  return [
    ...git(root, 'diff', '--name-only', '--no-renames', base, '--'),
    ...git(root, 'ls-files', '--others', '--exclude-standard'),
  ]
}

/**
 * The test files of what differs from `base` (default: where this branch left main), nearest first and as many as a minute holds. Prints what
 * is compared and what is left out. Throws a sentence when nothing differs, or git cannot tell.
 */
export function filesOfChange(root: string, base = baseOf(root)): string[] {
  const changed = differing(root, base)
  if (changed.length === 0) throw new Error(`nothing differs from ${base}: name another commit with --base`)
  const all = globSync('test/**/*.test.ts', { cwd: root })
  const imports = readImports(readTree(root, ['bin', 'src', 'clients', 'migrations', 'test']))
  const { chosen, left } = chooseTests(changed, { all, imports, durations: readDurations(root) })
  if (process.env.MOCHA_SUPERVISED === undefined) {
    console.log(`${changed.length} files differ from ${base}: ${chosen.length} test files`)
    if (left.length > 0) {
      console.log(`Left out, for it would take longer than a minute (npm test runs them): ${left.join(' ')}`)
    }
  }
  return chosen.map((file) => join(root, file))
}

/** Files and facts to choose from. */
export interface Known {
  /** Every test file. */
  all: readonly string[]
  imports: readonly Import[]
  durations: Durations
}

/** The tests of some files, the nearest first, and those that are left out because they take too long. */
export function chooseTests(changed: readonly string[], known: Known): { chosen: string[]; left: string[] } {
  const ranks = new Map<string, Rank>()
  const note = (file: string, rank: Rank) => {
    if (rank < (ranks.get(file) ?? Number.POSITIVE_INFINITY)) ranks.set(file, rank)
  }
  const importers = importersOf(known.imports)
  for (const file of changed) {
    for (const [place, patterns] of BY_PLACE) {
      if (place.test(file)) for (const test of matching(known.all, patterns)) note(test, 1)
    }
    for (const { file: reached, rank } of reach(file, importers)) {
      if (reached.endsWith('.test.ts')) note(reached, rank)
      else for (const test of mirrorOf(reached, known.all, rank)) note(test.file, test.rank)
    }
  }
  for (const test of ALWAYS) if (known.all.includes(test)) note(test, 0)
  const msOf = (file: string) => known.durations[file]?.ms ?? UNKNOWN_MS
  const nearestFirst = [...ranks]
    .filter(([file]) => known.all.includes(file))
    .toSorted(([a, rankA], [b, rankB]) => rankA - rankB || msOf(a) - msOf(b) || (a < b ? -1 : 1))
  const chosen: string[] = []
  const left: string[] = []
  let total = 0
  for (const [file, rank] of nearestFirst) {
    if (rank > 0 && total + msOf(file) > BUDGET_MS) {
      left.push(file)
      continue
    }
    chosen.push(file)
    total += msOf(file)
  }
  return { chosen, left }
}

const matching = (all: readonly string[], patterns: readonly string[]) =>
  all.filter((file) =>
    patterns.some((pattern) => {
      const [begin, end] = pattern.split('**/*')
      return end === undefined ? file === pattern : file.startsWith(begin!) && file.endsWith(end)
    }),
  )

/** The files that need a file when it runs. */
function importersOf(imports: readonly Import[]): ReadonlyMap<string, readonly string[]> {
  const lasting = imports.filter(({ to, typeOnly }) => to !== undefined && !typeOnly)
  const groups = Map.groupBy(lasting, ({ to }) => to!)
  return new Map([...groups].map(([to, those]) => [to, those.map(({ from }) => from)]))
}

const DOOR = /^src\/(server|cli|workers)\//

const areaOf = (file: string) => /^(?:src|test)\/(?:domain|platform|server|cli|workers)\/[^/]+/.exec(file)?.[0]

/**
 * A file and those that import it: within its own area however far, and one step out of it. Files that compose the
 * program are not gone through; tests and their support are.
 */
function reach(start: string, importers: ReadonlyMap<string, readonly string[]>): Reached[] {
  const found = new Map<string, Rank>([[start, 0]])
  const queue = [start]
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const rank = found.get(file)!
    if (COMPOSE.test(file) && file !== start) continue
    for (const importer of importers.get(file) ?? []) {
      const isTest = importer.startsWith('test/')
      const isNear = isTest || areaOf(importer) === areaOf(start)
      const next = nextRank(rank, { isTest, isNear, startsInTests: start.startsWith('test/') })
      if (next === undefined || (found.get(importer) ?? 4) <= next) continue
      found.set(importer, next)
      queue.push(importer)
    }
  }
  return [...found].map(([file, rank]) => ({ file, rank }))
}

interface Step {
  isTest: boolean
  isNear: boolean
  startsInTests: boolean
}

/** The rank of the importer of a file of this rank; undefined where the search ends. */
function nextRank(rank: Rank, { isTest, isNear, startsInTests }: Step): Rank | undefined {
  if (startsInTests) return rank === 0 ? 1 : rank
  if (isTest) return rank <= 1 ? 2 : 3
  if (isNear) return rank <= 1 ? 1 : undefined
  return rank <= 1 ? 3 : undefined
}

/**
 * The tests that mirror a source: of the same name in the same place; the others of its folder; of the same name, or named after its area, at
 * the doors.
 */
function mirrorOf(file: string, all: readonly string[], rank: Rank): Reached[] {
  if (!file.startsWith('src/')) return []
  const folder = dirname(file).replace(/^src/, 'test')
  const name = basename(file).replace(/\.tsx?$/, '')
  const area = areaOf(file)?.split('/').at(-1)
  const isArea = folder.split('/').length > 2
  const at = (least: Rank): Rank => Math.max(rank, least) as Rank
  return all.flatMap((test) => {
    const own = basename(test, '.test.ts')
    if (dirname(test) === folder && own === name) return [{ file: test, rank: at(0) }]
    if (isArea && test.startsWith(`${folder}/`)) return [{ file: test, rank: at(1) }]
    if (!/^test\/(server|cli|workers|console)\//.test(test)) return []
    // `src/server/api/channels.ts`, `src/cli/commands/channels/update.ts`: the test is called like the file or its folder.
    if (DOOR.test(file) && [name, basename(dirname(file))].includes(own)) return [{ file: test, rank: at(0) }]
    return own === area || (rank > 0 && own === name) ? [{ file: test, rank: at(2) }] : []
  })
}
