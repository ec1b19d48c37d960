/**
 * How strong the tests are: changes one thing of a source at a time, and looks whether tests fail (docs/decisions/0081-mutants.md).
 *
 *     node test/support/mutants.ts                          100 mutants of src/domain, src/server and src/platform
 *     node test/support/mutants.ts --count 20 --seed 7      others
 *     node test/support/mutants.ts --in src/domain/crm      of a folder or a file; may be repeated
 *     node test/support/mutants.ts --list                   only say which
 *     node test/support/mutants.ts --only src/server/calls/auth.ts:95  of those that are drawn, the ones of a file or a line; may be repeated
 *
 * Also: --json FILE with what came of each, which is continued if it is there, --budget SECONDS of processor time for the tests of a mutant (30), --commit of the tree to look at (HEAD),
 * --processes (2). The first run of a commit notes which test runs what, which takes a while. It works in copies below tmpdir(), never here.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { messageOf } from '../../src/platform/errors.ts'
import { createChooser } from './mutants/choose.ts'
import { draw, type Mutant } from './mutants/draw.ts'
import { judge, type Verdict } from './mutants/judge.ts'
import { mapReach, nearPrograms } from './mutants/reach.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const MEMORY = '/dev/shm'

const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim()

/** A worktree of the commit, which is deleted by `end`. */
function makeCopy(directory: string, name: string, commit: string): string {
  const copy = join(directory, name)
  git('worktree', 'add', '--quiet', '--detach', copy, commit)
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

const short = (text: string) => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 90 ? `… ${line.slice(-88)}` : line
}

/** A mutant in a line. */
const describeMutant = ({ file, line, kind, before, after }: Mutant) =>
  `${file}:${line} ${kind}: ${short(before)} → ${short(after)}`

const percent = (part: number, whole: number) => `${Math.round((100 * part) / Math.max(1, whole))} %`

const isNoticed = ({ is }: Verdict) => is === 'noticed'

function printSums(verdicts: readonly Verdict[]): void {
  const noticed = verdicts.filter(isNoticed)
  console.log('\nNot noticed:')
  for (const { mutant, is, ran, left } of verdicts.filter((one) => !isNoticed(one))) {
    const tests = is === 'uncovered' ? 'no test runs it' : `${ran} test files${left > 0 ? ` (of ${ran + left})` : ''}`
    console.log(`  ${describeMutant(mutant)}: ${tests}`)
  }
  for (const kind of new Set(verdicts.map(({ mutant }) => mutant.kind))) {
    const of = verdicts.filter(({ mutant }) => mutant.kind === kind)
    console.log(`${kind}: ${of.filter(isNoticed).length} of ${of.length}`)
  }
  console.log(`${noticed.length} of ${verdicts.length} noticed (${percent(noticed.length, verdicts.length)})`)
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    budget: { type: 'string', default: '30' },
    commit: { type: 'string', default: 'HEAD' },
    processes: { type: 'string', default: '2' },
  },
})

/** A flag that is a number of things. Throws a sentence. */
function numberOf(flag: 'count' | 'seed' | 'budget' | 'processes'): number {
  const text = values[flag]
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${flag} is a positive integer, not ${text}`)
  return Number(text)
}

const commit = git('rev-parse', values.commit)
const directory = mkdtempSync(
  join(process.env.TMPDIR === undefined && existsSync(MEMORY) ? MEMORY : tmpdir(), 'appsvc-mutants-'),
)
// PostgreSQL runs as somebody else when we are root.
chmodSync(directory, 0o755)
const copies: string[] = []

async function main(): Promise<void> {
  const [count, seed, budgetMs, processes] = [
    numberOf('count'),
    numberOf('seed'),
    numberOf('budget') * 1000,
    numberOf('processes'),
  ]
  const first = makeCopy(directory, 'copy-0', commit)
  copies.push(first)
  const drawn = draw(first, { count, seed, below: values.in })
  const mutants = drawn.filter(
    ({ file, line }) =>
      values.only.length === 0 || values.only.some((one) => one === file || one === `${file}:${line}`),
  )
  if (mutants.length === 0)
    throw new Error('nothing can be changed there: --in and --only name paths from the root, such as src/domain/crm')
  console.log(`${mutants.length} mutants of ${commit.slice(0, 8)} with seed ${seed}`)
  if (values.list) return console.log(mutants.map(describeMutant).join('\n'))

  const cache = join(ROOT, 'node_modules/.cache/mutants', `${commit.slice(0, 8)}.jsonl`)
  const map = await mapReach({ tree: first, directory, cache, processes }, console.log)
  const chooser = createChooser(first, map)
  const verdicts =
    values.json !== undefined && existsSync(values.json)
      ? (JSON.parse(readFileSync(values.json, 'utf8')) as Verdict[])
      : []
  const done = new Set(verdicts.map(({ mutant }) => describeMutant(mutant)))
  const queue = mutants.filter((mutant) => !done.has(describeMutant(mutant)))
  const work = async (copy: string) => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const chosen = chooser.choose(mutant, budgetMs)
      let verdict = await judge({ copy, directory, databases: 'sqlite' }, mutant, chosen)
      if (verdict.is === 'uncovered') {
        // Code of PostgreSQL, of threads and of programs.
        const near = nearPrograms(first, map, mutant.file)
        verdict = await judge({ copy, directory, databases: 'both' }, mutant, { files: near, left: 0 })
      }
      verdicts.push(verdict)
      const how =
        verdict.by === undefined
          ? `${verdict.ran} of ${verdict.ran + verdict.left} files`
          : `${verdict.by}: ${verdict.how}`
      console.log(
        `${verdicts.length}. ${describeMutant(mutant)}\n   ${verdict.is} in ${Math.round(verdict.ms / 1000)} s: ${how}`,
      )
      if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(verdicts, null, 1))
    }
  }
  while (copies.length < Math.min(processes, mutants.length)) {
    copies.push(makeCopy(directory, `copy-${copies.length}`, commit))
  }
  await Promise.all(copies.map(work))
  printSums(verdicts)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
process.once('exit', () => {
  rmSync(directory, { recursive: true, force: true })
  git('worktree', 'prune')
})
try {
  await main()
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
