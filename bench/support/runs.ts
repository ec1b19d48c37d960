import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { medianOf, type Result, spreadOf } from './result.ts'

/** The results of one run of benches, and where it ran. */
export interface Run {
  commit: string
  /** ISO 8601. */
  date: string
  node: string
  cores: number
  rows: BenchRow[]
}

/** A result, and the bench that it is of. */
export interface BenchRow extends Result {
  bench: string
}

/**
 * Runs a bench so many times and makes one result of each row: medians, with the least and the most. A bench whose rows
 * have their spreads already has repeated them itself, and runs once.
 */
export async function repeated(bench: () => Promise<Result[]>, times: number): Promise<Result[]> {
  const runs = [await bench()]
  while (runs.length < times && runs[0]!.some(({ spread }) => spread === undefined)) runs.push(await bench())
  return runs.length === 1 ? runs[0]! : merged(runs)
}

/** Pure: one result for each row of several runs. Rows are known by their names; those of the first run count. */
export function merged(runs: readonly (readonly Result[])[]): Result[] {
  return runs[0]!.map((first) => {
    const all = runs.flatMap((run) => run.find(({ name }) => name === first.name) ?? [])
    const values = all.map(({ value }) => value)
    const baselines = all.flatMap(({ against }) => against?.value ?? [])
    const ratios = all.flatMap(({ value, against }) => (against ? [value / against.value] : []))
    return {
      ...first,
      value: medianOf(values),
      spread: spreadOf(values),
      ...(first.against && { against: { ...first.against, value: medianOf(baselines) } }),
      ...(ratios.length > 0 && { ratio: { value: medianOf(ratios), ...spreadOf(ratios) } }),
    }
  })
}

/** Writes the rows of a run with the commit, the date and the machine. */
export function writeRun(file: string, rows: BenchRow[]): void {
  const git = (...argv: string[]) => execFileSync('git', argv, { encoding: 'utf8', cwd: import.meta.dirname }).trim()
  const run: Run = {
    commit: `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' and changes'}`,
    date: new Date().toISOString(),
    node: process.version,
    cores: availableParallelism(),
    rows,
  }
  writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`)
}

/** Throws when the file is none that `writeRun` wrote. */
export function readRun(file: string): Run {
  const run = JSON.parse(readFileSync(file, 'utf8')) as Partial<Run>
  if (!Array.isArray(run.rows)) throw new Error(`${file} is not a run: write one with --json ${file}`)
  return run as Run
}
